"""The best candidates of each vertex, one after the other: the best of those that come after the last."""

from __future__ import annotations

import numpy as np

from minigr.enactor.enactor import Enactor
from minigr.jit.functor import Functor
from minigr.program.fields import array_field, edge_field, parameter, vertex_field
from minigr.program.frontier import Frontier, Handle
from minigr.program.problem import Problem


class RankProblem(Problem):
    """Over the graph of the ways, whose candidates it shares."""

    candidates = vertex_field(np.int32)
    other = edge_field(np.int32)
    score = edge_field(np.float64)
    place = array_field(np.int64)  # of a chosen vertex among those
    best = array_field(np.int32)  # `k` of each chosen vertex
    best_score = array_field(np.float64)
    k = parameter(np.int64)


class Next(Functor):
    """The best of the candidates that come after the one that was found last."""

    def map(src, edge, rank, iteration, candidates, other, score, place, best, best_score, k):
        if rank >= candidates[src]:
            return -1.0, -1
        if iteration > 1:
            last = place[src] * k + iteration - 2
            if score[edge] > best_score[last] or (score[edge] == best_score[last] and other[edge] <= best[last]):
                return -1.0, -1
        return score[edge], other[edge]

    def cond_reduce(vertex, value):
        _, other = value
        return other >= 0

    def apply_reduce(vertex, value, iteration, place, best, best_score, k):
        found, other = value
        if other >= 0:
            best[place[vertex] * k + iteration - 1] = other
            best_score[place[vertex] * k + iteration - 1] = found


class RankEnactor(Enactor, problem=RankProblem, functor=Next, looks_at=()):
    def start(self, vertices: Frontier) -> Frontier:
        return vertices

    def step(self, frontier: Handle) -> Handle | None:
        return self.neighbor_reduce(frontier, reduce="argmax", output="vertices")
