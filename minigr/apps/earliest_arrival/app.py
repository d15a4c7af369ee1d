"""Paths along edges that leave at certain times: when each vertex can be reached at the earliest, and by which way.

Wu, Cheng, Huang, Ke, Lu, Xu, Path Problems in Temporal Graphs (PVLDB 7, 2014). Their pass over all edges in the order
of time is one thread's; here vertices go on in bands of time.
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
from minigr.operators.options import Balance
from minigr.program.control import Driver
from minigr.program.executor import check_driver
from minigr.program.trace import Trace

_BANDS = 32  # of the time from the start, or the first edge, to the last edge


@dataclass(frozen=True)
class EarliestArrivalResult(HasPaths, VertexTable, columns=("arrival", "parent"), vertices=("parent",)):
    """When vertices are reached, and by which ways; `path_to` makes a path of the parents.

    Attributes
    ----------
    arrival : float64 array, one for each vertex
        When it is reached at the earliest; inf if never. Of a source it is the start.
    parent : int32 array, one for each vertex
        The vertex before it on such a way; -1 for sources and what is never reached.
    iterations : int
        Steps in which arrivals were found.
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
    """When each vertex can be reached at the earliest from `source`, where weights say when edges leave.

    An edge can be taken at one time only, when it leaves, by who is there by then; it arrives after its duration. So
    edges of a path leave one after the other, or where they take no time also at the same time. Arrivals are the same
    in every run; which of several possible parents a vertex gets is not.

    Parameters
    ----------
    graph : Graph or DynamicGraph
        Its weights are times, in any unit, also below 0. Parallel edges of a `Graph` leave at times of their own; an
        undirected edge can be taken both ways.
    source : int or sequence of int
        A vertex, or several that are all there at the start.
    start : float
        When it begins; by default before all edges.
    duration : float or array
        How long edges take, at least 0; of a `Graph` also an array with an element for each arc, in the order of
        ``graph.to_edges(both_ways=True)``.
    balance : {"auto", "thread", "tile", "warp", "block", "merge"}
        How edges are dealt out, as in `minigr.operators.advance`. It changes the speed only.
    trace : bool
        Keep a table of the steps in ``result.trace``, as an `Enactor` does. Slower.
    driver : {"auto", "fused", "graph", "host"}
        Who runs the loop, as for an `Enactor`. It changes the speed only.

    Raises
    ------
    GraphError
        If the graph has no weights, or infinite ones, or no vertex `source`.
    ProblemError
        If one of several sources is given twice, `start` is NaN or infinitely late, or `duration` is negative, NaN or
        infinite, or an array of another length; for an unknown balance or driver.

    Notes
    -----
    Takes O(vertices + edges) work for each time that vertices are reached earlier than before, which bands of time keep
    few. Memory is 40 bytes for each vertex. Times are compared and added in float64, which holds whole numbers up
    to 2**53.

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
    single = np.ndim(source) == 0
    sources = check_source(graph, source) if single else choose_sources(graph, source, None, 0, "earliest_arrival")
    right = isinstance(start, (int, float, np.number)) and start < math.inf
    require(bool(right), f"earliest_arrival: start={start!r} must be a number, and not infinitely late")
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
    """When the first edge leaves, and the last one."""
    if not graph.weighted:
        raise GraphError(
            "earliest_arrival takes the times of edges from their weights, and the graph has none: give weights="
        )
    first, _, last = graph.weight_summary()
    if not math.isfinite(last - first):
        raise GraphError(
            f"earliest_arrival: edges leave from {first} to {last}, which is infinite or too long a time for float64: "
            "leave such edges out"
        )
    return float(first), float(last)


def _durations(graph: Any, duration: Any) -> Any:
    """float64 on the graph's device: one for all edges, or for each arc one of its own."""
    takes = graph._device.asarray(duration, np.float64).reshape(-1)
    if np.ndim(duration) and (graph.layout != "csr" or takes.size != graph.num_arcs):
        raise ProblemError(
            f"earliest_arrival: duration has {takes.size} elements: give one number, or for a Graph an array with one "
            f"for each of its {graph.num_arcs} arcs"
        )
    wrong = ~((takes >= 0) & (takes < math.inf))
    if bool(wrong.any()):
        raise ProblemError(f"earliest_arrival: duration {takes[int(wrong.argmax())]} is not finite and at least 0")
    return takes
