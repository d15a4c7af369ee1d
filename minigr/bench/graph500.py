"""The Graph500 benchmark: it builds a graph of Kronecker edges, searches from many keys, and checks each search.

The specification, version 3 (https://graph500.org), names three kernels: construction, breadth-first search, and
single-source shortest paths. Rates count the given edges, with repeats, whose ends were reached.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import minigr as mg
from minigr.bench.apps import sssp_with_parents
from minigr.bench.document import Row, row
from minigr.bench.measure import Tell, ignore
from minigr.device import CPU, Device
from minigr.errors import MeasurementError
from minigr.generate.finish import kernels
from minigr.generate.keys import stream_key
from minigr.generate.random_graphs import quadrants
from minigr.graphs.backend import scope

_CHANCES = 0.57, 0.19, 0.19
_AT_ONCE = 1 << 24  # edges that are checked at a time
_WEIGHTS = 1 << 24  # float32 holds every multiple of 1 / _WEIGHTS below 1
SEARCHES = 64


@dataclass(frozen=True)
class EdgeList:
    """The edges that are the input of kernel 1, on one device.

    Attributes
    ----------
    num_vertices : int
    src, dst : int32 arrays
    weights : float32 array
        From 0 to below 1.
    device : Device
    """

    num_vertices: int
    src: Any
    dst: Any
    weights: Any
    device: Device

    def pieces(self) -> Iterator[tuple[Any, Any, Any]]:
        """The edges in pieces."""
        for first in range(0, len(self.src), _AT_ONCE):
            at = slice(first, first + _AT_ONCE)
            yield self.src[at], self.dst[at], self.weights[at]


def edge_list(scale: int, edge_factor: int, seed: int, device: Device) -> EdgeList:
    """The Kronecker edges of a scale in random order, with shuffled labels of vertices."""
    with scope(device):
        keys = [stream_key(seed, stream) for stream in range(3)]
        count, draw = edge_factor << scale, kernels(device)
        src, dst = draw.rmat_edges(scale, count, quadrants(*_CHANCES), *keys[:2])
        weights, _ = draw.uniform_edges(_WEIGHTS, count, keys[2])
        return EdgeList(1 << scale, src, dst, weights.astype(np.float32) / np.float32(_WEIGHTS), device)


def search_keys(edges: EdgeList, count: int, seed: int) -> list[int]:
    """Different vertices with an edge to another vertex, drawn uniformly: `count`, or all if there are fewer.

    Raises
    ------
    MeasurementError
        If there is no such vertex.
    """
    with scope(edges.device):
        there = edges.device.full(edges.num_vertices, False, np.bool_)
        for src, dst, _ in edges.pieces():
            other = src != dst
            there[src[other]] = True
            there[dst[other]] = True
        known = CPU.asarray(there)
    draws, found = np.random.default_rng(stream_key(seed, 3)), dict[int, None]()
    wanted = min(count, int(known.sum()))
    if wanted == 0:
        raise MeasurementError(
            "no edge leads to another vertex, so no search has a key: give a larger SCALE or another --seed"
        )
    while len(found) < wanted:
        drawn = draws.integers(edges.num_vertices, size=4 * count)
        found.update(dict.fromkeys(drawn[known[drawn]].tolist()))
    return list(found)[:wanted]


def check_search(edges: EdgeList, root: int, parent: Any, value: Any, *, weighted: bool) -> int:
    """Check a tree of shortest paths by the rules of the specification; return how many edges have reached ends.

    Parameters
    ----------
    edges : EdgeList
    root : int
    parent : int32 array
        On the host; -1 for vertices without a parent.
    value : array
        The depth of each vertex, negative if it was not reached; or the distance, infinite if it was not reached.
    weighted : bool
        Whether `value` has distances.

    Raises
    ------
    MeasurementError
        If a rule is broken. The message names the rule.
    """
    device, xp = edges.device, edges.device.xp
    with scope(device):
        parent, value = device.asarray(parent), device.asarray(value)
        reached = xp.isfinite(value) if weighted else value >= 0
        _require(bool(value[root] == 0), f"the root {root} is not at 0")
        has_parent = reached.copy()
        has_parent[root] = False
        _require(bool((parent[has_parent] >= 0).all()), "a vertex that was reached has no parent")
        _require(bool((parent[~reached] < 0).all()), "a vertex that was not reached has a parent")
        _require(_leads_to(root, parent, has_parent, xp), "the parents of a vertex do not lead to the root")
        joined, count = ~has_parent, 0
        for src, dst, weights in edges.pieces():
            there = reached[src]
            _require(bool((there == reached[dst]).all()), "an edge leads from what was reached to what was not")
            src, dst = src[there], dst[there]
            lengths = weights[there] if weighted else 1
            for one, other in ((src, dst), (dst, src)):
                way = value[one] + lengths
                _require(bool((value[other] <= way).all()), "an edge is a shorter way to a vertex")
                of_tree = (parent[other] == one) & (value[other] == way)
                joined[other[of_tree]] = True
            count += len(src)
        _require(bool(joined.all()), "no edge joins a vertex and its parent by a way as long as was found")
    return count


def _leads_to(root: int, parent: Any, has_parent: Any, xp: Any) -> bool:
    """Whether the parents of every vertex that has a parent lead to the root."""
    above = xp.arange(len(parent), dtype=np.int32)
    above[has_parent] = parent[has_parent]
    for _ in range(max(len(parent) - 1, 1).bit_length()):
        above = above[above]
    return bool((above[has_parent] == root).all())


def _require(holds: bool, broken: str) -> None:
    if not holds:
        raise MeasurementError(f"the result of a search is wrong: {broken}")


def statistics_of(values: Sequence[float]) -> dict[str, float]:
    """The statistics of times in the specification: least, quartiles, most, mean and standard deviation."""
    found = np.asarray(values, np.float64)
    names = ("min", "first_quartile", "median", "third_quartile", "max")
    spread = float(found.std(ddof=1)) if len(found) > 1 else 0.0
    quartiles = dict(zip(names, np.quantile(found, [0, 0.25, 0.5, 0.75, 1]).tolist(), strict=True))
    return {**quartiles, "mean": float(found.mean()), "stddev": spread}


def rates_of(values: Sequence[float]) -> dict[str, float]:
    """The same statistics of rates, with the harmonic mean and its standard error (Norris, 1940).

    Examples
    --------
    >>> rates_of([1.0, 2.0, 4.0])["mean"]
    1.7142857142857142
    """
    inverse = 1 / np.asarray(values, np.float64)
    mean = 1 / float(inverse.mean())
    spread = float(inverse.std(ddof=1)) * mean**2 / math.sqrt(len(inverse) - 1) if len(inverse) > 1 else 0.0
    return {**statistics_of(values), "mean": mean, "stddev": spread}


def measure_graph500(
    scale: int, edge_factor: int, devices: Sequence[Device], searches: int, seed: int, tell: Tell = ignore
) -> Iterator[Row]:
    """Run the benchmark.

    Parameters
    ----------
    scale, edge_factor : int
        There are ``2**scale`` vertices, and `edge_factor` edges for each.
    devices : sequence of Device
        One device for a `Graph`; several for a `PartitionedGraph` with a part on each. The edges are on the first.
    searches : int
        The number of keys.
    seed : int
    tell : callable

    Yields
    ------
    Row
        One for each kernel, in milliseconds, with ``edges``. Rows of searches have ``teps``, the traversed edges per
        second of each key, and statistics in ``of_times`` and ``of_teps``.

    Raises
    ------
    MeasurementError
        If a search breaks a rule of the specification, or if no vertex has an edge to another vertex.
    """
    name = f"graph500-{scale}-{edge_factor}"
    tell("drawing edges")
    edges = edge_list(scale, edge_factor, seed, devices[0])
    tell("kernel 1, construction")
    seconds, graph = _timed(lambda: _built(edges, devices), devices)
    facts: dict[str, Any] = {"edges": len(edges.src), "vertices": edges.num_vertices, "parts": len(devices)}
    yield row({"graph": name, "kernel": "construction"}, [1e3 * seconds], **facts)
    keys = search_keys(edges, searches, seed)
    kinds: list[tuple[str, Callable[[int], Any], str, bool]] = [
        ("bfs", lambda key: mg.bfs(graph, key), "depth", False),
        ("sssp", lambda key: sssp_with_parents(graph, key), "distance", True),
    ]
    for number, (kernel, call, value, weighted) in enumerate(kinds, 2):
        tell(f"kernel {number}, {kernel}: first call")
        call(keys[0])  # which may compile
        times, counts = [], []
        for done, key in enumerate(keys):
            tell(f"kernel {number}, {kernel}: key {done + 1} of {len(keys)}")
            seconds, result = _timed(partial(call, key), devices)
            found = [_on_host(getattr(result, each)) for each in ("parent", value)]
            times.append(seconds)
            counts.append(check_search(edges, key, *found, weighted=weighted))
        teps = [count / seconds for count, seconds in zip(counts, times, strict=True)]
        summary: dict[str, Any] = {"of_times": statistics_of(times), "of_teps": rates_of(teps)}
        yield row(
            {"graph": name, "kernel": kernel},
            [1e3 * each for each in times],
            edges=counts,
            teps=teps,
            keys=keys,
            **summary,
        )


def _built(edges: EdgeList, devices: Sequence[Device]) -> Any:
    given = (edges.src, edges.dst, edges.weights)
    if len(devices) == 1:
        return mg.Graph.from_edges(*given, num_vertices=edges.num_vertices, device=devices[0])
    return mg.PartitionedGraph.from_edges(*given, num_vertices=edges.num_vertices, devices=devices)


def _timed(call: Callable[[], Any], devices: Sequence[Device]) -> tuple[float, Any]:
    for device in devices:
        device.synchronize()
    begun = time.perf_counter()
    result = call()
    for device in devices:
        device.synchronize()
    return time.perf_counter() - begun, result


def _on_host(array: Any) -> Any:
    return array.gather() if hasattr(array, "gather") else CPU.asarray(array)
