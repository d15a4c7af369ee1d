"""The best candidates of each vertex, one per step: the best of the candidates after the one found last."""

from __future__ import annotations

import numpy as np

from minigr.enactor.enactor import Enactor
from minigr.jit.functor import Functor
from minigr.program.fields import array_field, edge_field, parameter, vertex_field
from minigr.program.frontier import Frontier, Handle
from minigr.program.problem import Problem


class RankProblem(Problem):
    """The graph of the ways; the arrays of candidates are those of `WaysProblem`."""

    candidates = vertex_field(np.int32)
    other = edge_field(np.int32)
    score = edge_field(np.float64)
    place = array_field(np.int64)  # the position of a chosen vertex among the chosen vertices
    best = array_field(np.int32)  # `k` elements for each chosen vertex
    best_score = array_field(np.float64)
    k = parameter(np.int64)


class Next(Functor):
    """Finds the best of the candidates after the one found last."""

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
