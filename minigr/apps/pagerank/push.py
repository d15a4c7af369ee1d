"""PageRank by pushing: a vertex adds its share to its out-neighbors with atomics. No in-edges are needed.

There are two methods. In the first, all vertices push in each iteration, which is the same iteration as by pulling. In
the second, only vertices with a large residual push. The residual of a vertex is the rank that came to it since its
last push (Andersen, Chung, Lang, Local Graph Partitioning using PageRank Vectors, FOCS 2006; in parallel: Whang,
Lenharth, Dhillon, Pingali, Scalable Data-Driven PageRank, Euro-Par 2015).

Ranks differ in rounding from run to run, because floats are added in any order.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.apps.pagerank.pull import PageRankEnactor, PageRankProblem
from minigr.enactor.enactor import Enactor
from minigr.jit.atomics import atomic_add
from minigr.jit.functor import Functor
from minigr.operators.calls import filter
from minigr.operators.options import Balance
from minigr.program.fields import parameter, vertex_field
from minigr.program.frontier import Frontier, Handle
from minigr.program.problem import Problem


class Scatter(Functor):
    def apply_advance(src, dst, share, next_share):
        atomic_add(next_share, dst, share[src])


class WeightedScatter(Functor):
    def apply_advance(src, dst, weight, share, next_share):
        atomic_add(next_share, dst, share[src] * weight)


class Update(Functor):
    def apply(vertex, share, next_share, per_weight, teleport, uniform, damping, dangling):
        jump, given = uniform if uniform > 0.0 else teleport[vertex], per_weight[vertex]
        scale = given if given > 0.0 else 1.0
        old = share[vertex] / scale
        new = damping * (next_share[vertex] + dangling * jump) + (1.0 - damping) * jump
        share[vertex], next_share[vertex] = new * scale, 0.0
        return abs(new - old)

    def until(error, tolerance):
        return error < tolerance


class DeadEnds(Functor):
    def apply(vertex, share, per_weight):
        return share[vertex] if per_weight[vertex] == 0.0 else 0.0


class PushEnactor(PageRankEnactor, problem=PageRankProblem, functor=Update, looks_at=("balance",)):
    def step(self, frontier: Handle) -> None:
        scatter = WeightedScatter if self.graph.weighted else Scatter
        self.advance(frontier, scatter, output=None, balance=self.balance)
        self.compute(frontier, Update, into="error")
        self.compute(frontier, DeadEnds, into="dangling")

    def _share(self) -> Any:
        return self.problem.share


class ResidualProblem(Problem):
    """Ranks up to a common factor, computed as if the rank of dead ends were lost.

    Dead ends would distribute their rank by the distribution of jumps. This has the same effect as more jumps, so it
    changes only the common factor.
    """

    rank = vertex_field(np.float64)
    residual = vertex_field(np.float64)
    share = vertex_field(np.float64)
    per_weight = vertex_field(np.float64)
    teleport = vertex_field(np.float64)
    uniform = parameter(np.float64)  # as in PageRankProblem
    damping = parameter(np.float64)
    tolerance = parameter(np.float64)  # the greatest residual that stays at a vertex


class Take(Functor):
    """Turns the residual of a vertex into rank and a share."""

    def apply(vertex, rank, residual, share, per_weight, damping):
        rank[vertex] += residual[vertex]
        share[vertex], residual[vertex] = damping * residual[vertex] * per_weight[vertex], 0.0


class Spread(Functor):
    def cond_advance(src, dst, share, residual, tolerance):
        before = atomic_add(residual, dst, share[src])
        return before <= tolerance and before + share[src] > tolerance


class WeightedSpread(Functor):
    def cond_advance(src, dst, weight, share, residual, tolerance):
        before = atomic_add(residual, dst, share[src] * weight)
        return before <= tolerance and before + share[src] * weight > tolerance


class FirstResidual(Functor):
    def cond_filter(vertex, residual, teleport, uniform, damping, tolerance):
        residual[vertex] = (1.0 - damping) * (uniform if uniform > 0.0 else teleport[vertex])
        return residual[vertex] > tolerance


class ResidualEnactor(Enactor, problem=ResidualProblem, looks_at=("balance",)):
    balance: Balance = "auto"

    def start(self) -> Frontier:
        return filter(self.problem, Frontier.all_vertices(), FirstResidual)

    def step(self, frontier: Handle) -> Handle:
        self.compute(frontier, Take)
        spread = WeightedSpread if self.graph.weighted else Spread
        return self.advance(frontier, spread, duplicates="impossible", balance=self.balance)

    def rank(self) -> Any:
        """The ranks after the loop; they sum to 1."""
        found = self.problem.rank + self.problem.residual
        return found / found.sum()
