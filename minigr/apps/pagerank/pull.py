"""PageRank by pulling: in each iteration, a vertex gathers the shares of its in-neighbors.

Each vertex computes its own sum, so no atomics are needed, and the result is the same in every run.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.enactor.enactor import Enactor
from minigr.graphs.partitioned.array import Known, PartitionedArray
from minigr.jit.functor import Functor
from minigr.operators.options import Balance
from minigr.primitives.transform import transform
from minigr.program.fields import parameter, scalar_field, vertex_field
from minigr.program.frontier import Frontier, Handle
from minigr.program.problem import Problem


class PageRankProblem(Problem):
    # The share of a vertex is the rank that it gives to each out-edge, per unit of weight. Odd steps read `share` and
    # write `next_share`, and even steps do the opposite, so that one pass gathers shares and writes the next ones. The
    # share of a vertex without out-edges is its rank, which it gives to no edge. So iterations need only shares, and
    # ranks are computed from shares at the end.
    share = vertex_field(np.float64)  # see `first_shares`
    next_share = vertex_field(np.float64)
    per_weight = vertex_field(np.float64)  # 1 over the sum of the weights of a vertex's out-edges; 0 if the sum is 0
    teleport = vertex_field(np.float64)
    uniform = parameter(np.float64)  # the probability of a jump to each vertex; 0 if `teleport` has the probabilities
    damping = parameter(np.float64)
    tolerance = parameter(np.float64)
    dangling = scalar_field(np.float64)
    error = scalar_field(np.float64)


class SingleShares(PageRankProblem):
    share = vertex_field(np.float32)
    next_share = vertex_field(np.float32)


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


def _share(i, per_weight, rank):
    return rank * (per_weight[i] if per_weight[i] > 0.0 else 1.0)


def _shares(per_weight: Any, rank: float, dtype: Any, live: Any = None) -> Any:
    """The shares of vertices that all have this rank; 0 for vertices that are not in `live`."""
    shares = transform(_share, dtype=dtype, per_weight=per_weight, rank=rank)
    if live is None:
        return shares
    kept = shares * 0
    kept[live] = shares[live]
    return kept


def first_shares(graph: Any, per_weight: Any, dtype: Any) -> Any:
    """The first shares of vertices, which all have the same rank; 0 for deleted vertices."""
    rank = _first_rank(graph)
    whole = graph.num_live_vertices == graph.num_vertices
    if graph.layout != "parts":
        return _shares(per_weight, rank, dtype, None if whole else graph.live_vertices())
    if whole:
        return per_weight.with_each(lambda own: _shares(own, rank, dtype))
    parts = graph.parts
    found = graph._team.each(lambda i: _shares(per_weight.locals[i], rank, dtype, parts[i].live))
    return PartitionedArray(graph, found, Known.OWN)


def _first_rank(graph: Any) -> float:
    return 1.0 / max(graph.num_live_vertices, 1)


def _rank(i, share, per_weight):
    return share[i] / (per_weight[i] if per_weight[i] > 0.0 else 1.0)


def _ranks(share: Any, per_weight: Any) -> Any:
    return transform(_rank, dtype=np.float64, share=share, per_weight=per_weight)


class GatherEnactor(Enactor, problem=PageRankProblem, functor=Gather, looks_at=("balance",)):
    """Iterates over all vertices. First, shares must be set, and `dangling` to the sum of the ranks of dead ends."""

    balance: Balance = "auto"

    def step(self, frontier: Handle) -> None:
        gather = WeightedGather if self.graph.weighted else Gather
        how: Any = {"direction": "in", "reduce": "add", "dtype": np.float64, "balance": self.balance}
        self.neighbor_reduce(frontier, gather, scalar=("error", "dangling"), **how)

    def rank(self) -> Any:
        """The ranks after the loop; they sum to 1."""
        share, per_weight = self._share(), self.problem.per_weight
        return share.with_each(_ranks, per_weight) if self.graph.layout == "parts" else _ranks(share, per_weight)

    def _share(self) -> Any:
        """The shares that the last step wrote."""
        return self.problem.next_share if self.iterations & 1 else self.problem.share


class PageRankEnactor(GatherEnactor, looks_at=("balance",)):
    def start(self, dead_ends: int) -> Frontier:
        """Start with all vertices and equal ranks. `dead_ends`: the number of vertices with no out-edge to follow."""
        self.problem.dangling = _first_rank(self.graph) * dead_ends
        return Frontier.all_vertices()
