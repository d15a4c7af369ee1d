"""Paths along edges with departure times: the earliest arrival at each vertex, and the path to it.

Wu, Cheng, Huang, Ke, Lu, Xu, Path Problems in Temporal Graphs (PVLDB 7, 2014). Their algorithm passes over all edges in
the order of time with one thread. Here, vertices are processed in bands of time.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from minigr.apps.common.checks import check_how, check_source, require, takes_graph
from minigr.apps.common.paths import HasPaths
from minigr.apps.common.sources import choose_sources
from minigr.apps.common.tables import VertexTable
from minigr.apps.earliest_arrival.loops import AdoptEnactor, TakeEnactor
from minigr.errors import GraphError, ProblemError
from minigr.graphs.checks import is_single
from minigr.missing import refuse_masked
from minigr.operators.options import Balance
from minigr.program.control import Driver
from minigr.program.executor import check_driver
from minigr.program.trace import Trace

_BANDS = 32  # bands of the time from the start, or the first edge if it is later, to the last edge


@dataclass(frozen=True)
class EarliestArrivalResult(HasPaths, VertexTable, columns=("arrival", "parent"), vertices=("parent",)):
    """Arrival times and parents of vertices; `path_to` makes a path from the parents.

    Attributes
    ----------
    arrival : float64 array, one for each vertex
        The earliest time at which the vertex is reached; inf if the vertex is never reached. The arrival of a source is
        the start.
    parent : int32 array, one for each vertex
        The preceding vertex on a path that arrives at this time; -1 for sources and for vertices that are never
        reached.
    iterations : int
        Number of steps in which arrivals were found.
    trace : Trace or None
    """

    arrival: Any
    parent: Any
    iterations: int
    trace: Trace | None

    _length, _never = "arrival", math.inf


@takes_graph
def earliest_arrival(
    graph: Any,
    source: Any,
    *,
    start: float = -math.inf,
    duration: Any = 0.0,
    balance: Balance = "auto",
    trace: bool = False,
    driver: Driver = "auto",
) -> EarliestArrivalResult:
    """The earliest time at which each vertex can be reached from `source`, with departure times of edges as weights.

    An edge can be taken only at its departure time, from a vertex that is reached by this time. The edge arrives after
    its duration. The edges of a path therefore leave one after the other; edges of duration 0 may also leave at the
    same time. Arrivals are the same in every run. If a vertex has several possible parents, its parent may differ
    between runs.

    Parameters
    ----------
    graph : Graph or DynamicGraph
        The weights are the departure times, in any unit, and may be negative. Each parallel edge of a `Graph` has its
        own departure time. An undirected edge can be taken in both directions.
    source : int or sequence of int
        One source vertex, or several source vertices that are all reached at the start.
    start : float
        The time at which paths begin. By default, before all edges leave.
    duration : float or array
        Duration of every edge, at least 0. For a `Graph`, also an array with one element for each arc, in the order of
        ``graph.to_edges(both_ways=True)``.
    balance : {"auto", "thread", "tile", "warp", "block", "merge"}
        How edges are dealt out, as in `minigr.operators.advance`. The choice changes only the speed.
    trace : bool
        Whether to keep a table of the steps in ``result.trace``, as an `Enactor` does. Tracing is slower.
    driver : {"auto", "fused", "graph", "host"}
        The driver of the loop, as for an `Enactor`. The driver changes only the speed.

    Raises
    ------
    GraphError
        If the graph has no weights or has infinite weights, if float64 does not hold the difference between the latest
        and the earliest time, or if `source` is not a vertex of the graph.
    ProblemError
        If one of several sources is given twice. If `start` is NaN or positive infinity. If `duration` is negative, NaN
        or infinite, or is an array of the wrong length. If `balance` or `driver` is unknown.

    Notes
    -----
    The algorithm takes O(vertices + edges) work for each time that vertices are reached earlier than before. It
    processes vertices in bands of time, which keeps this number of times small. Memory is 40 bytes for each vertex.
    Times are compared and added in float64, which holds whole numbers up to 2**53.

    Examples
    --------
    >>> import minigr as mg
    >>> g = mg.Graph.from_edges([0, 1, 0, 2], [1, 2, 2, 3], [5, 6, 9, 8], directed=True, device="cpu")
    >>> trip = mg.earliest_arrival(g, 0, start=1, duration=1)
    >>> trip.arrival
    array([1., 6., 7., 9.])
    >>> trip.path_to(3)
    array([0, 1, 2, 3], dtype=int32)
    >>> mg.earliest_arrival(g, 0, start=6, duration=1).arrival
    array([ 6., inf, 10., inf])
    """
    check_how("earliest_arrival", "auto", balance)
    first, last = _times(graph)
    single = is_single(source)
    sources = check_source(graph, source) if single else choose_sources(graph, source, None, 0, "earliest_arrival")
    right = isinstance(start, (int, float, np.number)) and start < math.inf
    require(bool(right), f"earliest_arrival: start={start!r} must be a number below infinity")
    takes = _durations(graph, duration)
    first = min(max(first, float(start)), last)
    options: dict[str, Any] = {"driver": check_driver(driver, graph, trace)}
    given = {"duration": takes, "each": int(takes.size > 1), "first": first, "last": last}
    enactor = TakeEnactor(graph, trace=trace, **given, **options)
    enactor.balance = balance
    enactor.run(sources, float(start), (last - first) / _BANDS or 1.0)
    problem = enactor.problem
    AdoptEnactor(graph, problem=problem, **options).run(sources)
    problem.parent[sources] = -1
    return EarliestArrivalResult(problem.arrival, problem.parent, enactor.iterations, enactor.trace)


def _times(graph: Any) -> tuple[float, float]:
    """The departure times of the first edge and of the last edge."""
    if not graph.weighted:
        raise GraphError(
            "earliest_arrival takes the times of edges from their weights, but the graph has none: give weights="
        )
    first, _, last = graph.weight_summary()
    if not math.isfinite(last - first):
        raise GraphError(
            f"earliest_arrival: edges leave from {first} to {last}, which is infinite or too long a time for float64: "
            "leave such edges out"
        )
    return float(first), float(last)


def _durations(graph: Any, duration: Any) -> Any:
    """float64 on the graph's device: one duration for all edges, or one for each arc."""
    refuse_masked(duration, "duration")
    takes, shape = graph._device.asarray(duration, np.float64), np.shape(duration)
    if shape and graph.layout != "csr":
        raise ProblemError(
            "earliest_arrival: duration is an array, but the arcs of a DynamicGraph have no order: give one number"
        )
    if shape and shape != (graph.num_arcs,):
        raise ProblemError(
            f"earliest_arrival: duration has shape {shape}: give one number, or an array with one for each of "
            f"the {graph.num_arcs} arcs"
        )
    takes = takes.reshape(-1)
    wrong = ~((takes >= 0) & (takes < math.inf))
    if bool(wrong.any()):
        raise ProblemError(f"earliest_arrival: duration {takes[int(wrong.argmax())]} must be finite and at least 0")
    return takes
