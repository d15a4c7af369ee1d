"""A shortest path between two vertices: by searches from both ends, or by lower bounds of the remaining distance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from minigr.apps.common.checks import check_how, check_source, require, takes_graph
from minigr.apps.shortest_path.by_hops import path_by_hops
from minigr.apps.shortest_path.by_weight import path_by_weight
from minigr.apps.shortest_path.guided import path_by_bounds
from minigr.apps.sssp import check_delta, default_delta
from minigr.errors import ProblemError
from minigr.operators.options import Balance
from minigr.program.control import Driver
from minigr.program.executor import check_driver
from minigr.program.given_arrays import as_values
from minigr.program.trace import Trace


@dataclass(frozen=True)
class ShortestPathResult:
    """A shortest path between two vertices.

    Attributes
    ----------
    path : int32 array
        Vertices of the path, from the source to the target; empty if there is no path.
    length : int or float
        Number of hops, or -1 if there is no path. By weight, the sum of the weights, or inf if there is no path.
    iterations : int
        Number of steps of the search.
    trace : Trace or None
    """

    path: Any
    length: int | float
    iterations: int
    trace: Trace | None


@takes_graph
def shortest_path(
    graph: Any,
    source: int,
    target: int,
    *,
    weighted: bool = False,
    heuristic: Any = None,
    delta: float | None = None,
    balance: Balance = "auto",
    trace: bool = False,
    driver: Driver = "auto",
) -> ShortestPathResult:
    """A shortest path from `source` to `target`, along the direction of edges.

    Searches start from both ends, and each covers about half of the way. The searches end as soon as the answer is
    certain. So they visit a small part of most graphs, while `bfs` and `sssp` visit all connected vertices. The length
    is the same in every run, by weight except for rounding, because sums are made from both ends, in float64. By hops,
    the path is the same in every run. By weight, the choice among several shortest paths may differ from run to run.

    Parameters
    ----------
    graph : Graph or DynamicGraph
        A directed graph is also searched against the direction of its edges. A `Graph` makes in-edges for this search
        and keeps them. A `DynamicGraph` must keep in-edges from its creation.
    source, target : int
    weighted : bool
        If True, the length of a path is the sum of its weights, which must be at least 0. If False, the length is the
        number of hops.
    heuristic : float array, one for each vertex, optional
        By weight: a lower bound of the remaining length from each vertex to `target`, such as the straight-line
        distance. A single search then starts from `source` and processes vertices in the order of the length of the
        path to the vertex plus the bound (A*). The bound must be 0 at `target`. If a bound is greater than the
        remaining length, the path that is found may not be shortest. No path leads through a vertex with an infinite
        bound.
    delta : float, optional
        By weight: width of the bands of length that are processed one after the other, as for `sssp`. The width changes
        only the speed. With good bounds, narrow bands visit fewer vertices.
    balance : {"auto", "thread", "tile", "warp", "block", "merge"}
        How edges are dealt out, as in `minigr.operators.advance`. The choice changes only the speed.
    trace : bool
        Whether to keep a table of the steps in ``result.trace``, as an `Enactor` does. Tracing is slower.
    driver : {"auto", "fused", "graph", "host"}
        The driver of the loop, as for an `Enactor`. The driver changes only the speed.

    Raises
    ------
    GraphError
        If the graph has no vertex `source` or `target`, or is a directed `DynamicGraph` without in-edges; by weight,
        also if the graph has no weights, or a negative or infinite weight.
    ProblemError
        If `heuristic` or `delta` is given for hops; if `heuristic` has another length, an element that is negative or
        NaN, or is not 0 at `target`; if `delta` is not a finite number above 0; or if `balance` or `driver` is unknown.

    Notes
    -----
    The work is at most the work of two searches. A search by weight takes this much if there is no path. Memory is 24
    bytes for each vertex by hops, 60 bytes by weight, and 36 bytes with a heuristic.

    Pohl, Bi-directional Search (Machine Intelligence 6, 1971); Hart, Nilsson, Raphael, A Formal Basis for the Heuristic
    Determination of Minimum Cost Paths (1968).

    Examples
    --------
    >>> import minigr as mg
    >>> g = mg.Graph.from_edges([0, 1, 2, 0, 3], [1, 2, 4, 3, 4], [1.0, 1.0, 1.0, 4.0, 4.0], device="cpu")
    >>> mg.shortest_path(g, 0, 4).path
    array([0, 3, 4], dtype=int32)
    >>> found = mg.shortest_path(g, 0, 4, weighted=True)
    >>> found.path, found.length
    (array([0, 1, 2, 4], dtype=int32), 3.0)
    >>> mg.shortest_path(g, 0, 4, weighted=True, heuristic=[2.0, 2.0, 1.0, 3.0, 0.0]).length
    3.0
    """
    source, target = check_source(graph, source), check_source(graph, target, "target")
    check_how("shortest_path", "auto", balance)
    options: dict[str, Any] = {"trace": trace, "driver": check_driver(driver, graph, trace)}
    length: int | float
    if not weighted:
        for name, given in (("heuristic", heuristic), ("delta", delta)):
            require(given is None, f"shortest_path: {name} is for paths by weight: give weighted=True too")
        path, enactor = path_by_hops(graph, source, target, balance, **options)
        length = len(path) - 1
    else:
        how = check_delta(delta, default_delta(graph, "shortest_path"), "shortest_path"), balance
        if heuristic is None:
            path, length, enactor = path_by_weight(graph, source, target, *how, **options)
        else:
            remaining = _checked(graph, heuristic, target)
            path, length, enactor = path_by_bounds(graph, source, target, remaining, *how, **options)
    vertices = graph._device.asarray(np.array(path, np.int32))
    return ShortestPathResult(vertices, length, enactor.iterations, enactor.trace)


def _checked(graph: Any, heuristic: Any, target: int) -> Any:
    dtype = np.dtype(np.float64)
    remaining = as_values(graph._device, heuristic, dtype, "shortest_path: heuristic").astype(dtype, copy=False)
    if remaining.shape != (graph.num_vertices,):
        raise ProblemError(
            f"shortest_path: heuristic has shape {remaining.shape}: give one number for each of the "
            f"{graph.num_vertices} vertices"
        )
    wrong = ~(remaining >= 0)
    if bool(wrong.any()):
        place = int(wrong.argmax())
        raise ProblemError(f"shortest_path: heuristic[{place}] is {remaining[place]}, but must be at least 0")
    require(
        bool(remaining[target] == 0), f"shortest_path: heuristic[{target}] must be 0, because {target} is the target"
    )
    return remaining
