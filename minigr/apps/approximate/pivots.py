"""Sums, for each vertex, over the hops to it from some vertices, by searches that go together."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.apps.common.bits import TOGETHER, count_bits, every_bit
from minigr.apps.multi_source_bfs import MultiSourceEnactor, MultiSourceProblem
from minigr.jit.functor import Functor
from minigr.operators.options import Balance, Direction
from minigr.program.executor import Progress
from minigr.program.fields import parameter, vertex_field
from minigr.program.frontier import Frontier
from minigr.program.problem import Problem


class PivotsProblem(Problem):
    seen, here, found = MultiSourceProblem.seen, MultiSourceProblem.here, MultiSourceProblem.found
    every = parameter(np.int64, default=0)
    far = vertex_field(np.int64)  # the hops from all pivots that reach a vertex
    reached = vertex_field(np.int64)  # by so many
    near = vertex_field(np.float64)  # the inverse hops
    own = vertex_field(np.int32)  # whether it is a pivot itself
    score = vertex_field(np.float64, fill=np.nan)
    pivots = parameter(np.int64)
    others = parameter(np.int64)  # vertices except for one


class Add(Functor):
    def apply(vertex, iteration, seen, here, found, far, reached, near):
        new = found[vertex]
        here[vertex], found[vertex] = new, 0
        seen[vertex] |= new
        count = count_bits(new)
        far[vertex] += count * iteration
        reached[vertex] += count
        near[vertex] += count / iteration


class Closeness(Functor):
    def apply(vertex, far, reached, own, score, pivots):
        share = reached[vertex] / max(pivots - own[vertex], 1)
        score[vertex] = reached[vertex] / far[vertex] * share if far[vertex] > 0 else 0.0


class Harmonic(Functor):
    def apply(vertex, near, own, score, pivots, others):
        score[vertex] = near[vertex] / max(pivots - own[vertex], 1) * others


class PivotsEnactor(MultiSourceEnactor, problem=PivotsProblem, looks_at=("arrive", "balance", "direction")):
    arrive = Add

    def start(self, sources: Any) -> Frontier:
        problem = self.problem
        problem.seen, problem.every = 0, every_bit(len(sources))
        problem.own[self.graph._device.asarray(sources)] = 1
        return self.mark(sources, np.int64(1) << np.arange(len(sources)))

    def run_from(self, pivots: Any, direction: Direction, balance: Balance, progress: Progress | None) -> int:
        """Add up the hops from all of `pivots`, on the host; how many steps that took."""
        self.direction, self.balance, iterations = direction, balance, 0
        for first in self.graph._device.rounds(range(0, len(pivots), TOGETHER)):
            part = pivots[first : first + TOGETHER]
            self.run(part)
            iterations += self.iterations
            if progress is not None:
                progress(first + len(part), len(pivots))
        return iterations
