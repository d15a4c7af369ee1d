"""When each vertex can be reached at the earliest, in bands of time, and then a tree of such ways.

A vertex that is reached earlier than before goes on again, as it may take edges that left before. The edge by which a
vertex is reached leaves no earlier than the vertex at its other end is reached in the end. So the edges that arrive
just then lead from the sources to all vertices that are reached, and the tree is found along them, by hops. It takes
each vertex once, so edges that take no time lead around in no circles.
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
    parent = vertex_field(np.int32, fill=-1)  # of a source: itself, until all others have theirs
    duration = array_field(np.float64)
    each = parameter(np.int64)  # 1 where each edge has a duration of its own, 0 where one is for all
    first = parameter(np.float64)  # when the bands begin
    last = parameter(np.float64)  # when the last edge leaves


def arrives(src, edge, weight, arrival, duration, each):
    """When an edge that is taken at `src` arrives; inf if it leaves before that."""
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
