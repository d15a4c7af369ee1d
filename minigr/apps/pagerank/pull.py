"""PageRank by pulling: in each iteration a vertex gathers what its in-neighbors share out.

Its own sum is a vertex's alone, so no atomics are needed, and the result is the same in every run.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.enactor.enactor import Enactor
from minigr.jit.functor import Functor
from minigr.operators.calls import compute
from minigr.operators.options import Balance
from minigr.primitives.transform import transform
from minigr.program.fields import parameter, scalar_field, vertex_field
from minigr.program.frontier import Frontier, Handle
from minigr.program.problem import Problem


class PageRankProblem(Problem):
    # What a vertex gives to each out-edge, per unit of weight. Odd steps read `share` and write `next_share`, even ones
    # the other way round, so that gathering and sharing out need one pass. A vertex without out-edges gives nothing;
    # its share is its rank. So an iteration moves shares alone, and ranks are computed from shares at the end.
    share = vertex_field(np.float64)
    next_share = vertex_field(np.float64)
    per_weight = vertex_field(np.float64)  # 1 over the weight of a vertex's out-edges; 0 where that is 0
    teleport = vertex_field(np.float64)
    first = parameter(np.float64)  # each vertex's rank at the start
    uniform = parameter(np.float64)  # each vertex's chance of a jump; 0: it stands in `teleport`
    damping = parameter(np.float64)
    tolerance = parameter(np.float64)
    dangling = scalar_field(np.float64)
    error = scalar_field(np.float64)


class SingleShares(PageRankProblem):
    share = vertex_field(np.float32)
    next_share = vertex_field(np.float32)


class Start(Functor):
    def apply(vertex, share, per_weight, first):
        given = per_weight[vertex]
        share[vertex] = first * (given if given > 0.0 else 1.0)
        return first if given == 0.0 else 0.0


class Gather(Functor):
    def map(src, iteration, share, next_share):
        return (share if iteration & 1 else next_share)[src]

    def apply_reduce(vertex, value, iteration, share, next_share, per_weight, teleport, uniform, damping, dangling):
        jump, given = uniform if uniform > 0.0 else teleport[vertex], per_weight[vertex]
        scale = given if given > 0.0 else 1.0
        old = (share if iteration & 1 else next_share)[vertex] / scale
        new = damping * (value + dangling * jump) + (1.0 - damping) * jump
        target = next_share if iteration & 1 else share
        target[vertex] = new * scale
        return abs(new - old), new if given == 0.0 else 0.0

    def until(error, tolerance):
        return error < tolerance


class WeightedGather(Gather):
    def map(src, weight, iteration, share, next_share):
        return (share if iteration & 1 else next_share)[src] * weight


def _rank(i, share, per_weight):
    return share[i] / (per_weight[i] if per_weight[i] > 0.0 else 1.0)


def _ranks(share: Any, per_weight: Any) -> Any:
    return transform(_rank, dtype=np.float64, share=share, per_weight=per_weight)


class PageRankEnactor(Enactor, problem=PageRankProblem, functor=Gather, looks_at=("balance",)):
    balance: Balance = "auto"

    def start(self) -> Frontier:
        compute(self.problem, Frontier.all_vertices(), Start, into="dangling")
        return Frontier.all_vertices()

    def step(self, frontier: Handle) -> None:
        gather = WeightedGather if self.graph.weighted else Gather
        how: Any = {"direction": "in", "reduce": "add", "dtype": np.float64, "balance": self.balance}
        self.neighbor_reduce(frontier, gather, scalar=("error", "dangling"), **how)

    def rank(self) -> Any:
        """The ranks, once the loop has ended; they sum to 1."""
        share, per_weight = self._share(), self.problem.per_weight
        return share.with_each(_ranks, per_weight) if self.graph.layout == "parts" else _ranks(share, per_weight)

    def _share(self) -> Any:
        """What the last step wrote."""
        return self.problem.next_share if self.iterations & 1 else self.problem.share
