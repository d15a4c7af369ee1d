"""NetworkX alone beside NetworkX with the backend: conversion included, and kept from an earlier call.

    python benchmarks/networkx_backend.py [--device cpu] [--repeat 7] [--only 100k] [--json OUT]

On graphs of 100,000 edges and more the same call goes to NetworkX, to minigr with what was converted before thrown
away, and to minigr with it, in turns. On tiny graphs, which minigr leaves to NetworkX, it is made with the backend in
the list of priorities and without; what differs is mostly NetworkX's own look at its backends, so the two questions
that it asks minigr (`can_run` and `should_run`) are timed alone as well. Last come sizes between, for where minigr
begins to pay.

Medians of milliseconds by the host's clock; the JSON goes to `minigr bench compare` too.
"""

from __future__ import annotations

import argparse
import os
import random
import timeit
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import networkx as nx

import minigr as mg
from minigr import device as devices
from minigr.bench import document
from minigr.bench.measure import Timing, take_turns
from minigr.networkx import interface

MINIGR, NETWORKX = document.MINIGR, "networkx"
Row = document.Row

SEARCHES = ("single_source_shortest_path_length", "single_source_dijkstra_path_length")
CALLS = ("pagerank", "connected_components", "core_number", "greedy_color", *SEARCHES)


def _weighted(graph: Any) -> Any:
    draw = random.Random(1)
    for *_, data in graph.edges(data=True):
        data["weight"] = draw.random()
    return graph


def _large() -> Iterator[tuple[str, Callable[[], Any]]]:
    yield "uniform 100k", lambda: nx.gnm_random_graph(20_000, 100_000, seed=1)
    yield (
        "uniform 100k, strings",
        lambda: nx.relabel_nodes(
            nx.gnm_random_graph(20_000, 100_000, seed=1), lambda node: f"node {node}" if node else 0
        ),
    )
    yield "R-MAT 200k", lambda: mg.generate.rmat(15, 8, seed=1, device="cpu").to_networkx()
    yield "grid 180k", lambda: mg.generate.lattice(300, 300, seed=1, device="cpu").to_networkx()
    yield "uniform 1M", lambda: nx.gnm_random_graph(100_000, 1_000_000, seed=1)


def _arguments(name: str, graph: Any) -> tuple[Any, ...]:
    """Those after the graph: searches begin at the node of highest degree, which `described` has noted."""
    return (graph.graph["source"],) if name in SEARCHES else ()


def _run(name: str, graph: Any, backend: str | None) -> Any:
    result = getattr(nx, name)(graph, *_arguments(name, graph), backend=backend)
    return list(result) if isinstance(result, Iterator) else result


def _agree(name: str, found: Any, expected: Any) -> bool:
    if name == "pagerank":
        return list(found) == list(expected) and all(abs(found[v] - expected[v]) < 1e-9 for v in expected)
    return found == expected and (not isinstance(found, dict) or list(found) == list(expected))


def compare(title: str, graph: Any, device: Any, repeat: int) -> list[Row]:
    """Rows of each call on one graph, printed as they come."""
    rows = []
    for name in CALLS:
        timings = take_turns(
            {
                NETWORKX: lambda name=name: _run(name, graph, NETWORKX),
                "converted": lambda name=name: _run(name, graph, MINIGR),
                "cached": lambda name=name: _run(name, graph, MINIGR),
            },
            device,
            repeat,
            before={"converted": graph.__networkx_cache__.clear},
        )
        for other in ("converted", "cached"):
            if not _agree(name, timings[other].result, timings[NETWORKX].result):
                raise SystemExit(f"{name} on {title}: minigr and NetworkX disagree")
        rows += [
            document.row(
                {"graph": title, "function": name, "by": NETWORKX if by == NETWORKX else MINIGR, "conversion": how},
                timings[by].samples,
            )
            for by, how in ((NETWORKX, "none"), ("converted", "included"), ("cached", "cached"))
        ]
        alone, converted, cached = (timings[by].median for by in (NETWORKX, "converted", "cached"))
        print(
            f"{title:>21} {name:<34} networkx {alone:9.2f} ms   converted {converted:8.2f}, {alone / converted:5.1f} x"
            f"   cached {cached:8.2f}, {alone / cached:6.1f} x",
            flush=True,
        )
    return rows


def overhead(title: str, graph: Any, repeat: int) -> list[Row]:
    """Rows of calls so small that minigr leaves them to NetworkX; a sample is the mean of many calls."""
    rows = []
    for name in ("pagerank", "connected_components", "single_source_shortest_path_length"):
        times: dict[str, Timing] = {"in the list": Timing(), "not in the list": Timing(), "questions": Timing()}
        arguments = (graph, *_arguments(name, graph))

        def questions(name: str = name, arguments: tuple[Any, ...] = arguments) -> None:
            interface.can_run(name, arguments, {})
            interface.should_run(name, arguments, {})

        calls = {
            "in the list": lambda name=name: _run(name, graph, None),
            "not in the list": lambda name=name: _run(name, graph, None),
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
    parser.add_argument("--only", default="", help="graphs whose names have this in them")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    device = devices.resolve(options.device)
    os.environ[devices.ENVIRONMENT_VARIABLE] = str(device)  # where the backend puts its graphs
    nx.config.warnings_to_ignore.add("cache")
    rows: list[Row] = []
    facts = []

    def described(title: str, graph: Any) -> Any:
        graph.graph["source"] = max(graph, key=graph.degree)
        size = {"vertices": graph.number_of_nodes(), "edges": graph.number_of_edges()}
        facts.append({"name": title, **size, "directed": graph.is_directed(), "weights": "float"})
        return _weighted(graph)

    for title, make in _large():
        if options.only in title:
            rows += compare(title, described(title, make()), device, options.repeat)
    for nodes in (5, 34, 100):
        title = f"tiny {nodes}"
        if options.only in title:
            rows += overhead(title, described(title, nx.gnm_random_graph(nodes, 3 * nodes, seed=1)), options.repeat)
    for nodes in (500, 1_000, 2_000, 4_000, 8_000, 16_000):
        title = f"between {nodes}"
        if options.only in title:
            graph = described(title, nx.gnm_random_graph(nodes, 3 * nodes, seed=1))
            rows += compare(title, graph, device, options.repeat)
    if options.json:
        settings = {"repeat": options.repeat, "networkx": nx.__version__}
        document.write(options.json, document.document("networkx_backend", device, settings, facts, rows))


if __name__ == "__main__":
    main()
