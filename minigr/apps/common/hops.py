"""Levels of breadth-first searches that run one after the other without clearing the depths in between."""

from __future__ import annotations

import numpy as np

from minigr.enactor.enactor import Enactor
from minigr.jit.atomics import atomic_max
from minigr.jit.functor import Functor
from minigr.operators.options import Balance, Direction
from minigr.program.fields import parameter, vertex_field
from minigr.program.frontier import Frontier, Handle
from minigr.program.problem import Problem


class HopsProblem(Problem):
    depth = vertex_field(np.int32, fill=-1)  # the depth of the source is `first`, above all depths of earlier searches
    first = parameter(np.int32, default=0)


class Discover(Functor):
    def cond_target(dst, depth, first):
        return depth[dst] < first

    def cond_advance(dst, iteration, depth, first):
        return atomic_max(depth, dst, first + iteration) < first


class HopsEnactor(Enactor, problem=HopsProblem, functor=Discover, keeps_levels=True, looks_at=("balance", "direction")):
    """Searches from a source and keeps the levels: the vertices at each number of hops."""

    direction: Direction = "auto"
    balance: Balance = "auto"

    def start(self, source: int) -> Frontier:
        problem = self.problem
        if problem.first > np.iinfo(np.int32).max - self.graph.num_vertices:
            problem.depth, problem.first = -1, 0
        problem.depth[source] = problem.first
        return Frontier.of(source)

    def step(self, frontier: Handle) -> Handle:
        return self.advance(frontier, direction=self.direction, balance=self.balance, duplicates="impossible")

    def run(self, source: int) -> None:
        super().run(source)
        self.problem.first += len(self.levels)
