"""Loops that bring ranks up to date."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.apps.pagerank import COARSE
from minigr.apps.pagerank.pull import GatherEnactor, PageRankProblem, first_shares
from minigr.apps.pagerank.transition import Walk
from minigr.enactor.enactor import Enactor
from minigr.jit.functor import Functor
from minigr.operators.calls import compute
from minigr.program.fields import parameter, scalar_field, vertex_field
from minigr.program.frontier import Frontier, Handle

AT_A_TIME = 1 / 8  # the greatest share of all vertices that may be affected at a time
_WITHHELD = 0.5  # of the tolerance: then changes withheld from neighbors sum to less than the change that ends the loop


class FollowedRanks(PageRankProblem):
    rank = vertex_field(np.float64)
    bound = parameter(np.float64)  # how far a rank may be from the rank that the vertex last shared with its neighbors
    most = parameter(np.float64)  # the most vertices of a frontier
    visited = scalar_field(np.int64)


class SingleFollowedRanks(FollowedRanks):
    share = vertex_field(np.float32)
    next_share = vertex_field(np.float32)


class Resume(Functor):
    def apply(vertex, rank, share, per_weight):
        given = per_weight[vertex]
        share[vertex] = rank[vertex] * (given if given > 0.0 else 1.0)
        return rank[vertex] if given == 0.0 else 0.0


class ResumingEnactor(GatherEnactor, steady=True):
    """Iterates from the current ranks."""

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
        given = per_weight[vertex]
        return given > 0.0 and abs(rank[vertex] * given - share[vertex]) > bound * given

    def apply_filter(vertex, rank, share, per_weight):
        share[vertex] = rank[vertex] * per_weight[vertex]


class Spread(Functor):
    def cond_advance(src):
        return True


class AffectedEnactor(Enactor, problem=FollowedRanks, functor=Affected, looks_at=()):
    def step(self, frontier: Handle) -> Handle:
        gather = WeightedAffected if self.graph.weighted else Affected
        self.neighbor_reduce(frontier, gather, direction="in", reduce="add", dtype=np.float64, scalar="visited")
        return self.advance(self.filter(frontier, Moved), Spread)


def ranks_to_follow(graph: Any, walk: Walk, damping: float, tol: float) -> Any:
    """The fields of ranks that follow `graph`; the options are those of `minigr.dynamic.PageRank`."""
    count, personal = graph.num_live_vertices, walk.jumps is not None
    # Single precision may be too little for the weights of later batches.
    single = not graph.weighted and tol * count >= COARSE
    return (SingleFollowedRanks if single else FollowedRanks)(
        graph,
        uniform=0.0 if personal else 1.0 / max(count, 1),
        damping=damping,
        tolerance=tol * count,
        bound=_WITHHELD * tol,
        most=AT_A_TIME * count,
        teleport=walk.jumps if personal else walk.chance,
        per_weight=walk.chance,
        share=first_shares(graph, walk.chance, np.float32 if single else np.float64),
    )
