"""NetworkX by itself compared with the backend, with the conversion of a graph and without it.

    python benchmarks/networkx_backend.py [--device cpu] [--repeat 7] [--limit 20] [--only 100k] [--functions triangles]
        [--json OUT]

On graphs of 100,000 edges and more, the same call goes in turns to NetworkX, to minigr after the converted graph was
dropped, and to minigr with the converted graph. A program of several calls, which converts the graph once, is timed in
the same way. minigr leaves tiny graphs to NetworkX. On these a call is made with the backend in the list of priorities
and without it. The difference is mostly the time in which NetworkX looks at its backends, so the two functions of
minigr that NetworkX calls (`can_run` and `should_run`) are timed by themselves, too. Sizes in between show from which
size on minigr is faster. Generators and conversions of a million edges are the last.

Numbers are medians of milliseconds by the host's clock. `minigr bench compare` reads the JSON, too.
"""

from __future__ import annotations

import argparse
import os
import random
import timeit
from collections.abc import Callable, Iterator, Mapping, ValuesView
from itertools import islice
from math import isclose
from pathlib import Path
from typing import Any

import networkx as nx
import pyarrow

import minigr as mg
from minigr import device as devices
from minigr.bench import document
from minigr.bench.measure import Timing, take_turns
from minigr.networkx import interface

MINIGR, NETWORKX = document.MINIGR, "networkx"
Row = document.Row

Calls = Mapping[str, Callable[[Any], Mapping[str, Any]]]


def _nothing(graph: Any) -> dict[str, Any]:
    return {}


def _source(graph: Any) -> dict[str, Any]:
    return {"source": graph.graph["source"]}  # the node of highest degree, which `described` has stored


# The functions that are called, and their arguments after the graph.
MAIN: Calls = {
    "pagerank": _nothing,
    "betweenness_centrality": lambda graph: {"k": 4, "seed": 1},
    "connected_components": _nothing,
    "triangles": _nothing,
    "single_source_shortest_path_length": _source,
    "single_source_dijkstra_path_length": _source,
}
MORE: Calls = {
    "core_number": _nothing,
    "greedy_color": _nothing,
    "hits": _nothing,
    "k_truss": lambda graph: {"k": 4},
    "minimum_spanning_edges": lambda graph: {"data": False},
    "maximal_independent_set": _nothing,
    "asyn_lpa_communities": _nothing,
    "label_propagation_communities": _nothing,
    "multi_source_dijkstra_path_length": lambda graph: {"sources": list(islice(graph, 10))},
    "single_source_bellman_ford_path_length": _source,
    "single_source_dijkstra_path": _source,
    "bfs_edges": _source,
    "harmonic_centrality": lambda graph: {"nbunch": list(islice(graph, 10))},
    "degree_centrality": _nothing,
}
DIRECTED: Calls = {"strongly_connected_components": _nothing, "in_degree_centrality": _nothing}
FLOATS = {"pagerank", "betweenness_centrality", "harmonic_centrality"}
NOT_UNIQUE = {"hits", "maximal_independent_set", "asyn_lpa_communities"}
PROGRAM = "all of these"


def _weighted(graph: Any) -> Any:
    draw = random.Random(1)
    for *_, data in graph.edges(data=True):
        data["weight"] = draw.random()
    return graph


def _large() -> Iterator[tuple[str, Callable[[], Any], Calls]]:
    yield "uniform 100k", lambda: nx.gnm_random_graph(20_000, 100_000, seed=1), {**MAIN, **MORE}
    yield (
        "uniform 100k, strings",
        lambda: nx.relabel_nodes(
            nx.gnm_random_graph(20_000, 100_000, seed=1), lambda node: f"node {node}" if node else 0
        ),
        MAIN,
    )
    yield (
        "uniform 200k, directed",
        lambda: nx.gnm_random_graph(40_000, 200_000, seed=1, directed=True),
        {**{name: MAIN[name] for name in ("pagerank", "single_source_dijkstra_path_length")}, **DIRECTED},
    )
    yield "R-MAT 200k", lambda: mg.generate.rmat(15, 8, seed=1, device="cpu").to_networkx(), {**MAIN, **MORE}
    yield "grid 180k", lambda: mg.generate.lattice(300, 300, seed=1, device="cpu").to_networkx(), MAIN
    yield "uniform 1M", lambda: nx.gnm_random_graph(100_000, 1_000_000, seed=1), MAIN


def _run(name: str, graph: Any, arguments: Mapping[str, Any], backend: str | None) -> Any:
    function = getattr(nx, name, None) or getattr(nx.community, name)
    result = function(graph, **arguments, backend=backend)
    return list(result) if isinstance(result, (Iterator, ValuesView)) else result


def _agree(name: str, found: Any, expected: Any) -> bool:
    if name in NOT_UNIQUE:
        return True
    if name in FLOATS:
        return list(found) == list(expected) and all(isclose(found[v], expected[v], rel_tol=1e-9) for v in expected)
    if isinstance(expected, nx.Graph):
        return nx.utils.graphs_equal(found, expected)
    return found == expected and (not isinstance(found, dict) or list(found) == list(expected))


def compare(title: str, graph: Any, calls: Calls, device: Any, repeat: int, limit: float) -> list[Row]:
    """Rows of each call on one graph, and of a program that makes all calls of `MAIN`; each row is printed at once."""
    rows = []

    def whole(backend: str) -> dict[str, Any]:
        return {name: _run(name, graph, MAIN[name](graph), backend) for name in MAIN if name in calls}

    for name in [*calls, *([PROGRAM] if calls.keys() >= MAIN.keys() else [])]:

        def call(backend: str, name: str = name) -> Any:
            return whole(backend) if name == PROGRAM else _run(name, graph, calls[name](graph), backend)

        timings = take_turns(
            {
                NETWORKX: lambda call=call: call(NETWORKX),
                "converted": lambda call=call: call(MINIGR),
                "cached": lambda call=call: call(MINIGR),
            },
            device,
            repeat,
            before={"converted": graph.__networkx_cache__.clear},
            limit=limit,
            rest=0.1 if name == "hits" else 0.0,  # NetworkX leaves BLAS threads behind that spin
        )
        for other in ("converted", "cached"):
            found, expected = timings[other].result, timings[NETWORKX].result
            parts = {name: (found, expected)}
            if name == PROGRAM:
                parts = {one: (found[one], expected[one]) for one in found}
            for one, answers in parts.items():
                if not _agree(one, *answers):
                    raise SystemExit(f"{one} on {title}: minigr and NetworkX disagree")
        rows += [
            document.row(
                {"graph": title, "function": name, "by": NETWORKX if by == NETWORKX else MINIGR, "conversion": how},
                timings[by].samples,
            )
            for by, how in ((NETWORKX, "none"), ("converted", "included"), ("cached", "cached"))
        ]
        alone, converted, cached = (timings[by].median for by in (NETWORKX, "converted", "cached"))
        print(
            f"{title:>22} {name:<38} networkx {alone:9.2f} ms   converted {converted:8.2f}, {alone / converted:5.1f} x"
            f"   cached {cached:8.2f}, {alone / cached:6.1f} x",
            flush=True,
        )
    return rows


def generators(device: Any, repeat: int, limit: float) -> list[Row]:
    """Rows of the same random graphs from NetworkX and from minigr."""
    rows = []
    for name, arguments in (
        ("gnm_random_graph", {"n": 100_000, "m": 1_000_000, "seed": 1}),
        ("fast_gnp_random_graph", {"n": 100_000, "p": 2e-4, "seed": 1}),
        ("grid_2d_graph", {"m": 700, "n": 700}),
    ):
        timings = take_turns(
            {
                by: lambda by=by, name=name, arguments=arguments: getattr(nx, name)(**arguments, backend=by)
                for by in (NETWORKX, MINIGR)
            },
            device,
            repeat,
            limit=limit,
        )
        for by in (NETWORKX, MINIGR):
            rows.append(document.row({"function": name, "by": by}, timings[by].samples))
        alone, ours = timings[NETWORKX].median, timings[MINIGR].median
        print(f"{name:>22} networkx {alone:9.2f} ms   minigr {ours:8.2f}, {alone / ours:5.1f} x", flush=True)
    return rows


def conversions(device: Any, repeat: int, limit: float) -> list[Row]:
    """Conversions of a million edges to a `minigr.Graph`: from NetworkX with several kinds of nodes, SciPy, Arrow."""
    given = _weighted(nx.gnm_random_graph(100_000, 1_000_000, seed=1))
    order = list(given)
    random.Random(1).shuffle(order)
    shuffled = nx.Graph()
    shuffled.add_nodes_from(order)
    shuffled.add_edges_from(given.edges)
    named = nx.relabel_nodes(given, "node {}".format)
    src, dst, _ = mg.Graph.from_networkx(given, device="cpu").to_edges()
    matrix = mg.Graph.from_networkx(given, device="cpu").to_scipy()
    table = pyarrow.table({"src": src, "dst": dst})
    calls = {
        "NetworkX, nodes 0, 1, ...": lambda: mg.Graph.from_networkx(given),
        "NetworkX, nodes in any order": lambda: mg.Graph.from_networkx(shuffled),
        "NetworkX, strings": lambda: mg.Graph.from_networkx(named),
        "NetworkX, nodes 0, 1, ..., weights": lambda: mg.Graph.from_networkx(given, "weight"),
        "SciPy, undirected": lambda: mg.Graph.from_scipy(matrix, directed=False, weights=False),
        "SciPy, directed": lambda: mg.Graph.from_scipy(matrix, weights=False),
        "Arrow, ids": lambda: mg.from_table(table, relabel=False),
        "Arrow, labels": lambda: mg.from_table(table),
    }
    timings = take_turns(calls, device, repeat, limit=limit)
    for name, timing in timings.items():
        print(f"{'conversion of 1M':>22} {name:<38} {timing.median:9.2f} ms", flush=True)
    return [document.row({"conversion of 1M edges": name}, timing.samples) for name, timing in timings.items()]


def overhead(title: str, graph: Any, repeat: int) -> list[Row]:
    """Rows of calls so small that minigr leaves them to NetworkX. A sample is the mean of many calls."""
    rows = []
    for name in ("pagerank", "connected_components", "single_source_shortest_path_length"):
        times: dict[str, Timing] = {"in the list": Timing(), "not in the list": Timing(), "questions": Timing()}
        arguments = MAIN[name](graph)

        def questions(name: str = name, arguments: Mapping[str, Any] = arguments) -> None:
            interface.can_run(name, (graph,), arguments)
            interface.should_run(name, (graph,), arguments)

        calls = {
            "in the list": lambda name=name, arguments=arguments: _run(name, graph, arguments, None),
            "not in the list": lambda name=name, arguments=arguments: _run(name, graph, arguments, None),
            "questions": questions,
        }
        count = max(10, int(0.02 / (timeit.timeit(calls["in the list"], number=10) / 10)))
        for _ in range(3 * repeat):
            for how, call in calls.items():
                nx.config.backend_priority.algos = [MINIGR] if how == "in the list" else []
                times[how].samples.append(timeit.timeit(call, number=count) / count * 1e3)
        nx.config.backend_priority.algos = []
        rows += [
            document.row({"graph": title, "function": name, "by": NETWORKX, "minigr": how}, timing.samples)
            for how, timing in times.items()
        ]
        medians = {how: timing.median * 1e3 for how, timing in times.items()}
        print(
            f"{title:>21} {name:<34} not in the list {medians['not in the list']:8.1f} us   in the list "
            f"{medians['in the list']:8.1f} us   of that minigr's questions {medians['questions']:.1f} us",
            flush=True,
        )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device")
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--limit", type=float, default=20, help="seconds for a call, all rounds together")
    parser.add_argument("--only", default="", help="graphs whose names have this in them")
    parser.add_argument("--functions", default="", help="these alone, with commas between them")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    device = devices.resolve(options.device)
    os.environ[devices.ENVIRONMENT_VARIABLE] = str(device)  # the device of the backend's graphs
    nx.config.warnings_to_ignore.add("cache")
    rows: list[Row] = []
    facts = []

    def described(title: str, graph: Any) -> Any:
        graph.graph["source"] = max(graph, key=graph.degree)
        size = {"vertices": graph.number_of_nodes(), "edges": graph.number_of_edges()}
        facts.append({"name": title, **size, "directed": graph.is_directed(), "weights": "float"})
        return _weighted(graph)

    def wanted(calls: Calls) -> Calls:
        return {name: calls[name] for name in calls if not options.functions or name in options.functions.split(",")}

    for title, make, calls in _large():
        if options.only in title:
            rows += compare(title, described(title, make()), wanted(calls), device, options.repeat, options.limit)
    for nodes in (5, 34, 100):
        title = f"tiny {nodes}"
        if options.only in title:
            rows += overhead(title, described(title, nx.gnm_random_graph(nodes, 3 * nodes, seed=1)), options.repeat)
    for nodes in (300, 600, 1_000, 2_000, 4_000, 8_000, 16_000):
        for directed in (False, True):
            title = f"between {nodes}{', directed' if directed else ''}"
            if options.only in title:
                graph = described(title, nx.gnm_random_graph(nodes, 3 * nodes, seed=1, directed=directed))
                calls = DIRECTED if directed else {**MAIN, **MORE}
                rows += compare(title, graph, wanted(calls), device, options.repeat, options.limit)
    if options.only in "generators":
        rows += generators(device, options.repeat, options.limit)
    if options.only in "conversions":
        rows += conversions(device, options.repeat, options.limit)
    if options.json:
        settings = {"repeat": options.repeat, "limit": options.limit, "networkx": nx.__version__}
        document.write(options.json, document.document("networkx_backend", device, settings, facts, rows))


if __name__ == "__main__":
    main()
