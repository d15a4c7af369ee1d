"""Many small graphs at once, by the public calls of `minigr.batch`, compared with loops over the graphs."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

import minigr as mg
from minigr.bench.document import MINIGR, Row, row
from minigr.bench.measure import Tell, about, ignore, take_turns
from minigr.device import Device
from minigr.errors import MeasurementError
from minigr.generate.finish import Weights, target_of
from minigr.graphs.backend import scope
from minigr.graphs.convert import edge_arrays

SYNTHETIC = "synthetic"
"""The name of the set that is generated: half R-MAT, half uniform, with 32 to 1024 vertices each."""
ONE, SINGLE = "minigr, batches of one", "minigr, single graphs"
LOOPS = {"one": ONE, "single": SINGLE}
"""minigr's own loops over the graphs: the same call for batches of one graph, and the call for a single graph."""
_MOST_WEIGHT = 255
_AGREE = 1e-6  # the relative difference that sums may have, because they are added up in another order


@dataclass(frozen=True)
class Case:
    """A computation for every graph of a set.

    Attributes
    ----------
    weighted : bool
        Whether the length of a path is the sum of its weights. The graphs must then have weights.
    call : callable
        The timed call, for a batch.
    total : callable
        The sum over all graphs, from the result of `call`. Peers must have the same sum.
    single, single_total : callable
        The call for one graph of minigr, and the sum from its result.
    networkx, igraph : callable
        The call for one graph of the library. `networkx_total` and `igraph_total` sum its result.
    what : mapping
        A description of each library's call.
    """

    weighted: bool
    call: Callable[[Any], Any]
    total: Callable[[Any], float]
    single: Callable[[Any], Any]
    single_total: Callable[[Any], float]
    networkx: Callable[[Any], Any]
    networkx_total: Callable[[Any], float]
    igraph: Callable[[Any], Any]
    igraph_total: Callable[[Any], float]
    what: Mapping[str, str]


def _sum_of_lengths(found: Any) -> float:
    """The sum over pairs that a path joins. Other pairs have -1 hops or an infinite length."""
    if found.dtype.kind == "i":
        return float(found.clip(0, None).sum(dtype=np.int64))
    return float(found[found < math.inf].sum(dtype=np.float64))


def _networkx_lengths(graph: Any, weight: str | None) -> Any:
    import networkx as nx

    if weight is None:
        return dict(nx.all_pairs_shortest_path_length(graph))
    return dict(nx.all_pairs_dijkstra_path_length(graph, weight=weight))


def _networkx(name: str, **options: Any) -> Callable[[Any], Any]:
    def call(graph: Any) -> Any:
        import networkx as nx

        return getattr(nx, name)(graph, **options)

    return call


def _sum(scores: Any) -> float:
    return float(np.nansum(np.array(scores, float)))


def _from_all(graph: Any, weighted: bool) -> list[Any]:
    """Lengths of shortest paths from all vertices of one graph."""
    if weighted:
        return [mg.sssp(graph, vertex).distance for vertex in range(graph.num_vertices)]
    return [mg.multi_source_bfs(graph, range(graph.num_vertices)).depth]


def _cases(weighted: bool) -> dict[str, Case]:
    """The computations by hops, or those by weight."""
    weight = "weight" if weighted else None
    of = "weighted-" if weighted else ""
    single = "sssp from each vertex" if weighted else "multi_source_bfs from all vertices"
    networkx = "all_pairs_dijkstra_path_length" if weighted else "all_pairs_shortest_path_length"
    return {
        "distances" if weighted else "hops": Case(
            weighted,
            lambda batch: mg.batch.shortest_paths(batch, weighted=weighted),
            lambda result: _sum_of_lengths(result.distance),
            lambda graph: _from_all(graph, weighted),
            lambda result: sum(map(_sum_of_lengths, result)),
            lambda graph: _networkx_lengths(graph, weight),
            lambda found: float(sum(sum(row.values()) for row in found.values())),
            lambda graph: graph.distances(weights=weight),
            lambda found: float(np.where(np.isinf(np.array(found, float)), 0, found).sum()),
            {SINGLE: single, "networkx": networkx, "igraph": "distances"},
        ),
        f"{of}harmonic": Case(
            weighted,
            lambda batch: mg.batch.closeness(batch, harmonic=True, weighted=weighted),
            lambda result: float(result.score.sum()),
            lambda graph: mg.harmonic_centrality(graph, weighted=weighted),
            lambda result: float(result.score.sum()),
            _networkx("harmonic_centrality", distance=weight),
            lambda found: float(sum(found.values())),
            lambda graph: [
                score * (graph.vcount() - 1) for score in graph.harmonic_centrality(mode="in", weights=weight)
            ],
            _sum,
            {
                SINGLE: "harmonic_centrality",
                "networkx": "harmonic_centrality",
                "igraph": "harmonic_centrality, times the other vertices",
            },
        ),
        f"{of}betweenness": Case(
            weighted,
            lambda batch: mg.batch.betweenness(batch, normalized=False, weighted=weighted),
            lambda result: float(result.score.sum()),
            lambda graph: mg.betweenness_centrality(graph, normalized=False, weighted=weighted),
            lambda result: float(result.score.sum()),
            _networkx("betweenness_centrality", normalized=False, weight=weight),
            lambda found: float(sum(found.values())),
            lambda graph: graph.betweenness(weights=weight),
            _sum,
            {SINGLE: "betweenness_centrality", "networkx": "betweenness_centrality", "igraph": "betweenness"},
        ),
    }


CASES = _cases(weighted=False) | _cases(weighted=True)
"""The computations that are timed, by name."""
BY_HOPS = [name for name, case in CASES.items() if not case.weighted]
"""Names of the computations that need no weights."""

PEERS = ("networkx", "igraph")
"""Libraries whose loops over the graphs are timed as well."""


def load(name: str, device: Device, *, weights: bool = False) -> Any:
    """The set in the file `name`, or the synthetic set; with its weights only if `weights` is true."""
    if name != SYNTHETIC:
        return mg.batch.read(Path(name), weights=weights, device=device)
    batch = mg.generate.batch(1000, device=device)
    if not weights:
        return batch
    rows, of = batch.graph, Weights((1, _MOST_WEIGHT), np.float32, 0)
    with scope(device):
        graph = of.attached(rows.offsets, rows.indices, target_of(device, "device"), directed=False, simple=True)
    return mg.GraphBatch(graph, batch.host_offsets)


def choose(names: Sequence[str] | None, device: Device) -> tuple[list[str], dict[str, str]]:
    """The peers to time, and for each other peer, by name, why it is left out.

    Without `names`, these are all that are installed. Peers run only on the CPU.
    """
    found, absent = [], {}
    for name in PEERS if names is None else names:
        if device.is_cuda:
            absent[name] = "left out on a GPU"
        elif importlib.util.find_spec(name) is None:
            absent[name] = f"left out, not installed (pip install {name})"
        else:
            found.append(name)
    return found, absent


def measure_batch(
    name: str,
    batch: Any,
    cases: Sequence[str],
    peers: Sequence[str],
    repeat: int,
    *,
    loops: Sequence[str] = (),
    key: Mapping[str, Any] = MappingProxyType({}),
    limit: float = float("inf"),
    tell: Tell = ignore,
) -> Iterator[Row]:
    """Times of `cases` over a batch, and of loops over its graphs by `peers`.

    Parameters
    ----------
    name : str
        The name of the set in the rows' keys.
    batch : GraphBatch
    cases, peers : sequence of str
    repeat : int
    loops : sequence of str
        Names of `LOOPS` to time as well.
    key : mapping
        Further entries for the rows' keys.
    limit : float
        Seconds for each call in all rounds together.
    tell : callable

    Yields
    ------
    Row
        As soon as its case is measured, with ``what`` (the call of a peer), ``first_ms``, and ``ratio`` (the row's
        median over minigr's).

    Raises
    ------
    MeasurementError
        If the answers of a peer have another sum than those of minigr.
    """
    tell(f"{name}: its form for {', '.join(peers)}" if peers else name)
    graphs = {peer: [_form(peer, graph) for graph in batch] for peer in peers}
    alone = {
        "one": [batch[i : i + 1] for i in range(len(batch))] if "one" in loops else [],
        "single": [graph for graph in batch if graph.num_vertices] if "single" in loops else [],
    }
    device = batch.graph._device
    for case_name in cases:
        case = CASES[case_name]
        calls: dict[str, Callable[[], Any]] = {MINIGR: partial(case.call, batch)}
        totals: dict[str, Callable[[Any], float]] = {MINIGR: case.total}
        own = {"one": (case.call, case.total), "single": (case.single, case.single_total)}
        for loop in loops:
            call, total = own[loop]
            calls[LOOPS[loop]], totals[LOOPS[loop]] = partial(_each, call, alone[loop]), partial(_total, total)
        for peer in peers:
            calls[peer] = partial(_each, getattr(case, peer), graphs[peer])
            totals[peer] = partial(_total, getattr(case, f"{peer}_total"))
        timings = take_turns(calls, device, repeat, limit=limit, tell=about(f"{case_name} on {name}", tell))
        expected = case.total(timings[MINIGR].result)
        for by, timing in timings.items():
            require_same(f"{case_name} on {name}", by, totals[by](timing.result), expected)
            more: dict[str, Any] = {"first_ms": timing.first, "ratio": timing.median / timings[MINIGR].median}
            if by in case.what:
                more["what"] = case.what[by]
            yield row({"set": name, **key, "call": case_name, "by": by}, timing.samples, **more)


def by_size(batch: Any) -> Iterator[tuple[str, Any]]:
    """Group the graphs by size: for each power of two p, the graphs with p to 2 p - 1 vertices.

    Examples
    --------
    >>> paths = [[(i, i + 1) for i in range(count - 1)] for count in (3, 9, 2)]
    >>> groups = by_size(mg.GraphBatch.from_graphs(paths, device="cpu"))
    >>> [(vertices, group.sizes.tolist()) for vertices, group in groups]
    [('2 to 3', [3, 2]), ('8 to 15', [9])]
    """
    exponents = np.frexp(batch.sizes)[1]  # 0 for a graph without vertices
    for exponent in np.unique(exponents).tolist():
        least = 1 << exponent >> 1
        vertices = f"{least} to {2 * least - 1}" if least > 1 else str(least)
        yield vertices, batch[np.flatnonzero(exponents == exponent)]


def require_same(what: str, by: str, found: float, expected: float) -> None:
    """Refuse a sum that differs from minigr's.

    Raises
    ------
    MeasurementError
    """
    if abs(found - expected) > _AGREE * max(abs(expected), 1):
        raise MeasurementError(f"{what}: {by} finds {found} in sum, and minigr {expected}")


def facts(name: str, batch: Any) -> dict[str, Any]:
    """The facts about a set for a document."""
    sizes = batch.sizes
    return {
        "name": name,
        "graphs": len(batch),
        "vertices": batch.num_vertices,
        "arcs": batch.graph.num_arcs,
        "pairs": int((sizes**2).sum()),
        "largest": int(sizes.max(initial=0)),
    }


def _each(call: Callable[[Any], Any], graphs: Sequence[Any]) -> list[Any]:
    return [call(graph) for graph in graphs]


def _total(add: Callable[[Any], float], found: Sequence[Any]) -> float:
    return sum(map(add, found))


def _form(peer: str, graph: Any) -> Any:
    if peer == "networkx":
        return graph.to_networkx()
    import igraph

    src, dst, weights = edge_arrays(graph)
    form = igraph.Graph(n=graph.num_vertices, edges=np.stack([src, dst], axis=1), directed=graph.directed)
    if weights is not None:
        form.es["weight"] = weights.tolist()
    return form
