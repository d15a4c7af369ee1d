"""Trimming, and searches in both directions from a pivot, for strongly connected components.

Slota, Rajamanickam, Madduri, BFS and Coloring-based Parallel Algorithms for Strongly Connected Components and Related
Problems (IPDPS 2014). `minigr.apps.strong_components.app` explains roots.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.enactor.enactor import Enactor
from minigr.jit.atomics import atomic_add, atomic_max
from minigr.jit.functor import Functor
from minigr.operators.options import Balance, Direction
from minigr.program.fields import parameter, vertex_field
from minigr.program.frontier import Frontier, Handle
from minigr.program.problem import Problem

NO_ROOT, NO_OTHER_ROOT = -1, -2  # they differ, because equal roots would mean that the component is found


class StrongProblem(Problem):
    """The fields of a graph. The problem of the reverse graph has the same arrays, with both kinds of roots swapped."""

    label = vertex_field(np.int32, fill=-1)
    part = vertex_field(np.int64)  # vertices with different parts are in different components
    least = vertex_field(np.int32, fill=2**31 - 1)  # of a root: the least vertex of its component
    waits = vertex_field(np.int32)  # the number of in-edges from vertices that are not trimmed
    reached = vertex_field(np.int64, fill=NO_ROOT)  # the root that reaches the vertex
    reaches = vertex_field(np.int64, fill=NO_OTHER_ROOT)  # the root that the vertex reaches
    inside = parameter(np.int64, NO_OTHER_ROOT)  # the search from a pivot visits vertices with this `reaches`


class Trim(Functor):
    def cond_advance(dst, waits):
        return atomic_add(waits, dst, -1) == 1

    def apply_advance(dst, reached, reaches):
        reached[dst] = dst
        reaches[dst] = dst


class TrimEnactor(Enactor, problem=StrongProblem, functor=Trim, looks_at=("balance",)):
    balance: Balance = "auto"

    def start(self, waits: Any) -> Frontier:
        problem = self.problem
        problem.waits = waits
        some = problem.device.expect(waits == 0, len(waits) // 2)
        free = problem.device.xp.flatnonzero(some).astype(np.int32)
        problem.reached[free] = free
        problem.reaches[free] = free
        return Frontier("vertices", ids=free, distinct=True)

    def step(self, frontier: Handle) -> Handle:
        return self.advance(frontier, duplicates="impossible", balance=self.balance)


class Reach(Functor):
    def cond_target(dst, reached, reaches, inside):
        return reached[dst] < 0 and reaches[dst] == inside

    def cond_advance(src, dst, reached):
        return atomic_max(reached, dst, reached[src]) < 0


class ReachEnactor(Enactor, problem=StrongProblem, functor=Reach, looks_at=("balance", "direction")):
    direction: Direction = "auto"
    balance: Balance = "auto"

    def start(self, pivot: int, inside: int) -> Frontier:
        self.problem.inside = inside
        self.problem.reached[pivot] = pivot
        return Frontier.of(pivot)

    def step(self, frontier: Handle) -> Handle:
        return self.advance(frontier, direction=self.direction, balance=self.balance, duplicates="impossible")
