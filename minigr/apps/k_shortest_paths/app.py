"""The shortest simple paths between two vertices.

Yen, Finding the K Shortest Loopless Paths in a Network (Management Science 17, 1971); Lawler, A Procedure for Computing
the K Best Solutions to Discrete Optimization Problems (Management Science 18, 1972). The next path branches off from an
earlier path at some vertex, along an edge that no earlier path with the same beginning takes. So each vertex of a path
gives a candidate, except for the vertices before the one at which the path itself branched off: their candidates exist
already.
"""

from __future__ import annotations

import heapq
import math
import operator
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from minigr.apps.common.checks import check_source, require, takes_graph
from minigr.apps.k_shortest_paths.spurs import Spurs
from minigr.errors import ProblemError
from minigr.program.control import Driver
from minigr.program.executor import Progress, check_driver


@dataclass(frozen=True)
class KShortestPathsResult:
    """Shortest simple paths between two vertices.

    Attributes
    ----------
    paths : tuple of int32 arrays
        The vertices of each path, from the source to the target, with the shortest path first. There are fewer than `k`
        paths if no more paths exist.
    length : int64 or float64 array, one for each path
        Number of hops of the path, or the sum of its weights.
    """

    paths: tuple[Any, ...]
    length: Any


@takes_graph
def k_shortest_paths(
    graph: Any,
    source: int,
    target: int,
    k: int,
    *,
    weighted: bool = False,
    progress: Progress | None = None,
    driver: Driver = "auto",
) -> KShortestPathsResult:
    """The `k` shortest paths from `source` to `target` that visit no vertex twice, along the direction of edges.

    Two paths are different if their vertices are different. Of parallel edges, the lightest edge counts. Lengths are
    the same in every run, by weight except for rounding. If several paths have the same length, the paths that are
    found and their order may differ between runs.

    Parameters
    ----------
    graph : Graph or DynamicGraph
        A directed graph is also searched against the direction of its edges. For this search, a `Graph` makes in-edges
        and keeps them; a `DynamicGraph` must keep in-edges from the start.
    source, target : int
    k : int
        Number of paths to find.
    weighted : bool
        If True, the length of a path is the sum of its weights in float64; weights must be at least 0. If False, the
        length is the number of hops.
    progress : callable, optional
        Called after each path with the number of paths found and `k`.
    driver : {"auto", "fused", "graph", "host"}
        The driver of the loop, as for an `Enactor`. The driver changes only the speed.

    Raises
    ------
    GraphError
        If `source` or `target` is not a vertex of the graph. If the graph is directed and dynamic, and keeps no
        in-edges. By weight, if the graph has no weights, or a weight is negative or infinite.
    ProblemError
        If `k` is not a whole number of at least 1, `progress` is not a function, or `driver` is unknown.

    Notes
    -----
    The algorithm takes one search from `target` to all vertices. It then takes one search for each vertex of each path,
    guided by the first search, with O(vertices) work to prepare it. A guided search is skipped if enough known paths
    are no longer than any path that the search could find. Memory is about 45 bytes for each vertex, plus the paths.

    Examples
    --------
    >>> import minigr as mg
    >>> g = mg.Graph.from_edges([0, 1, 2, 0, 3], [1, 2, 4, 3, 4], [1.0, 1.0, 1.0, 4.0, 4.0], device="cpu")
    >>> found = mg.k_shortest_paths(g, 0, 4, 5)
    >>> found.length
    array([2, 3])
    >>> found.paths[1]
    array([0, 1, 2, 4], dtype=int32)
    >>> mg.k_shortest_paths(g, 0, 4, 2, weighted=True).length
    array([3., 8.])
    """
    source, target = check_source(graph, source), check_source(graph, target, "target")
    try:
        count = operator.index(k)
    except TypeError:
        raise ProblemError(f"k_shortest_paths: k={k!r} must be a whole number of paths") from None
    require(count >= 1, f"k_shortest_paths: k={k} must be at least 1")
    check_driver(driver, graph, False)
    paths, lengths = [], []
    for path, length in _in_order(graph, source, target, count, weighted, driver):
        paths.append(graph._device.asarray(np.array(path, np.int32)))
        lengths.append(length)
        if progress is not None:
            progress(len(paths), count)
    return KShortestPathsResult(
        tuple(paths), graph._device.asarray(np.array(lengths, np.float64 if weighted else np.int64))
    )


def _in_order(
    graph: Any, source: int, target: int, count: int, weighted: bool, driver: Driver
) -> Iterator[tuple[list[int], float]]:
    """The paths and their lengths, the shortest first."""
    spurs, found = Spurs(graph, target, weighted, driver), []
    candidates: list[tuple[float, list[int], list[float], int]] = []  # length, path, lengths up to each vertex, branch
    first = spurs.path([source], 0.0, (), math.inf)
    if first is not None:
        candidates.append((first[1][-1], *first, 0))
    for _ in graph._device.rounds(range(count)):
        if not candidates:
            return
        length, path, lengths, left = heapq.heappop(candidates)
        found.append(path)
        yield path, length
        if len(found) == count:
            return
        alike = found
        for at in graph._device.rounds(range(left, len(path) - 1)):
            root = path[: at + 1]
            alike = [one for one in alike if one[: at + 1] == root]
            enough = heapq.nsmallest(count - len(found), candidates)  # new candidates must be shorter than its last one
            bound = enough[-1][0] if len(enough) == count - len(found) else math.inf
            spur = spurs.path(root, lengths[at], {one[at + 1] for one in alike}, bound)
            if spur is not None:
                way = path[:at] + spur[0], lengths[:at] + spur[1]
                heapq.heappush(candidates, (way[1][-1], *way, at))
