"""The earliest arrival at each vertex, in bands of time, and then a tree of paths with these arrivals.

A vertex is processed again if an earlier arrival is found, because it may then take edges that leave earlier. The edge
that gives a vertex its arrival does not leave before the final arrival at its source. So the edges that arrive exactly
at the arrival of their destination lead from the sources to all reached vertices, and a search by hops along these
edges finds the tree. The search visits each vertex once, so edges of duration 0 cannot make cycles.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.enactor.enactor import Enactor
from minigr.jit.atomics import atomic_cas, atomic_min
from minigr.jit.functor import Functor
from minigr.operators.options import Balance
from minigr.program.fields import array_field, parameter, vertex_field
from minigr.program.frontier import Frontier, Handle
from minigr.program.problem import Problem


class ArrivalProblem(Problem):
    arrival = vertex_field(np.float64, fill=np.inf)
    parent = vertex_field(np.int32, fill=-1)  # of a source: itself, until all other vertices have parents
    duration = array_field(np.float64)
    each = parameter(np.int64)  # 1 if each edge has its own duration, 0 if all edges have the same
    first = parameter(np.float64)  # the time at which the bands begin
    last = parameter(np.float64)  # the time at which the last edge leaves


def arrives(src, edge, weight, arrival, duration, each):
    """The arrival time of an edge from `src`; inf if the edge leaves before the arrival at `src`."""
    return weight + duration[edge * each] if weight >= arrival[src] else np.inf


class Take(Functor):
    def cond_advance(src, dst, edge, weight, arrival, duration, each):
        there = arrives(src, edge, weight, arrival, duration, each)
        return there < arrival[dst] and there < atomic_min(arrival, dst, there)

    def priority(vertex, arrival, first, last):
        return arrival[vertex] - first if arrival[vertex] <= last else np.inf


class Adopt(Functor):
    def cond_advance(src, dst, edge, weight, arrival, duration, each, parent):
        there = arrives(src, edge, weight, arrival, duration, each)
        in_time = parent[dst] < 0 and there < np.inf and there == arrival[dst]
        return in_time and atomic_cas(parent, dst, -1, src) == -1


class TakeEnactor(Enactor, problem=ArrivalProblem, functor=Take, looks_at=("balance", "width")):
    balance: Balance = "auto"

    def start(self, sources: Any, start: float, width: float) -> Frontier:
        self.width = width
        self.problem.arrival[sources] = start
        return Frontier.of(sources)

    def step(self, frontier: Handle) -> Handle:
        return self.near_far(self.advance(frontier, balance=self.balance), width=self.width)


class AdoptEnactor(Enactor, problem=ArrivalProblem, functor=Adopt, looks_at=()):
    def start(self, sources: Any) -> Frontier:
        self.problem.parent[sources] = sources
        return Frontier.of(sources)

    def step(self, frontier: Handle) -> Handle:
        return self.advance(frontier, duplicates="impossible")
