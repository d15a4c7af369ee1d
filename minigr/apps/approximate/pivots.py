"""Sums over the hops from some vertices, the pivots, to each vertex, by searches that run together."""

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
    far = vertex_field(np.int64)  # the sum of the hops from all pivots that reach the vertex
    reached = vertex_field(np.int64)  # the number of pivots that reach the vertex
    near = vertex_field(np.float64)  # the sum of the inverse hops
    own = vertex_field(np.int32)  # whether the vertex is a pivot itself
    score = vertex_field(np.float64, fill=np.nan)
    pivots = parameter(np.int64)
    others = parameter(np.int64)  # the number of all other vertices


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
        """Sum the hops from all of `pivots`, which are on the host; return the number of steps."""
        self.direction, self.balance, iterations = direction, balance, 0
        for first in self.graph._device.rounds(range(0, len(pivots), TOGETHER)):
            part = pivots[first : first + TOGETHER]
            self.run(part)
            iterations += self.iterations
            if progress is not None:
                progress(first + len(part), len(pivots))
        return iterations
