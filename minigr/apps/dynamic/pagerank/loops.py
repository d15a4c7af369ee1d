"""Loops that bring ranks up to date."""

from __future__ import annotations

import numpy as np

from minigr.apps.pagerank.pull import PageRankEnactor, PageRankProblem
from minigr.enactor.enactor import Enactor
from minigr.jit.functor import Functor
from minigr.operators.calls import compute
from minigr.program.frontier import Frontier, Handle
from minigr.program.problem import parameter, scalar_field, vertex_field


class FollowedRanks(PageRankProblem):
    bound = parameter(np.float64)  # how far a rank may be from the one that the vertex's share is of
    most = parameter(np.float64)  # vertices of a frontier
    visited = scalar_field(np.int64)


class SingleFollowedRanks(FollowedRanks):
    share = vertex_field(np.float32)
    next_share = vertex_field(np.float32)


class Resume(Functor):
    def apply(vertex, rank, share, per_weight):
        share[vertex] = rank[vertex] * per_weight[vertex]
        return rank[vertex] if per_weight[vertex] == 0.0 else 0.0


class ResumingEnactor(PageRankEnactor, steady=True):
    """Goes on from the ranks that there are."""

    def start(self) -> Frontier:
        compute(self.problem, Frontier.all_vertices(), Resume, into="dangling")
        return Frontier.all_vertices()


class Affected(Functor):
    def map(src, share):
        return share[src]

    def apply_reduce(vertex, value, rank, teleport, uniform, damping, dangling):
        jump = uniform if uniform > 0.0 else teleport[vertex]
        rank[vertex] = damping * (value + dangling * jump) + (1.0 - damping) * jump
        return 1

    def until(visited, most):
        return visited > most


class WeightedAffected(Affected):
    def map(src, weight, share):
        return share[src] * weight


class Moved(Functor):
    def cond_filter(vertex, rank, share, per_weight, bound):
        return abs(rank[vertex] * per_weight[vertex] - share[vertex]) > bound * per_weight[vertex]

    def apply_filter(vertex, rank, share, per_weight):
        share[vertex] = rank[vertex] * per_weight[vertex]


class Spread(Functor):
    def cond_advance(src):
        return True


class AffectedEnactor(Enactor, problem=FollowedRanks, functor=Affected):
    def step(self, frontier: Handle) -> Handle:
        gather = WeightedAffected if self.graph.weighted else Affected
        self.neighbor_reduce(frontier, gather, direction="in", reduce="add", dtype=np.float64, scalar="visited")
        return self.advance(self.filter(frontier, Moved), Spread)
