"""Loops over a tree of shortest paths by weight.

Concessao, Cheramangalath, Dev, Nasre, Meerkat: A framework for Dynamic Graph Algorithms on GPUs (arXiv 2305.17813),
algorithm 6. If an arc of the tree is deleted or its weight grows, all vertices below it are *lost*: they have no
distance any more. Lost vertices are relaxed over their in-edges from neighbors that still have a distance. The heads of
new arcs, and of arcs whose weight fell, are relaxed over the batch. From vertices that got a distance by this, arcs are
relaxed outward, nearest first.

In contrast to the paper, parents are computed at the end, and only for lost and relaxed vertices, which are listed when
they are touched. The reason is that one atomic could change both distance and parent only if the distance had so few
bits that both fit in one word.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.apps.dynamic.common.first_step import InFirstStep
from minigr.apps.sssp import distance_dtype
from minigr.enactor.enactor import Enactor
from minigr.jit.atomics import atomic_add, atomic_cas, atomic_exch, atomic_min
from minigr.jit.functor import Functor
from minigr.program.fields import array_field, parameter, vertex_field
from minigr.program.frontier import Handle
from minigr.program.problem import Problem

_LOST = -2  # in place of a parent that must be computed again


class LengthsProblem(Problem):
    distance = vertex_field(distance_dtype, fill=np.inf)
    parent = vertex_field(np.int32, fill=-1)
    touched = vertex_field(np.int32)  # the list of vertices that this batch touched
    num_touched = array_field(np.int64)  # the number of vertices that all batches touched
    before = parameter(np.int64, default=0)  # the number that batches before this one touched
    most = parameter(np.int64, default=0)  # the greatest `num_touched`; beyond it, a loop stops
    tails = array_field(np.int32)  # the tails of the arcs of a batch; a loop starts with the heads
    weights = array_field(lambda graph: graph.weight_dtype)  # of these arcs


def note(vertex, touched, num_touched, before):
    """List a vertex whose parent was not `_LOST` until now. Only one thread per vertex may call this."""
    touched[atomic_add(num_touched, 0, 1) - before] = vertex


def relax(src, dst, weight, distance, parent, touched, num_touched, before):
    """Relax an arc; return whether the distance of its head fell. The parent of the head is then `_LOST`."""
    through = distance[src] + weight
    if through >= distance[dst] or through >= atomic_min(distance, dst, through):
        return False
    if atomic_exch(parent, dst, _LOST) != _LOST:
        note(dst, touched, num_touched, before)
    return True


class Relax(Functor):
    def cond_filter(vertex, idx, iteration, tails, weights, distance, parent, touched, num_touched, before):
        if iteration > 1:
            return True
        if weights[idx] < 0:  # a self-loop that was dropped
            return False
        return relax(tails[idx], vertex, weights[idx], distance, parent, touched, num_touched, before)

    def cond_advance(src, dst, weight, distance, parent, touched, num_touched, before):
        return relax(src, dst, weight, distance, parent, touched, num_touched, before)

    def priority(vertex, distance):
        return distance[vertex]

    def until(most, num_touched):
        return num_touched[0] > most


class _InBands(Enactor, problem=LengthsProblem, steady=True):
    """A loop over bands of distance, whose width is given."""

    def __init__(self, graph: Any, width: float, **options: Any) -> None:
        super().__init__(graph, **options)
        self.width = width


class RelaxEnactor(_InBands, functor=Relax):
    """Relaxes from the heads of a batch's arcs outward, nearest first."""

    def step(self, frontier: Handle) -> Handle:
        return self.near_far(self.advance(self.filter(frontier)), width=self.width)


class Lose(Functor):
    def cond_filter(vertex, idx, iteration, tails, distance, parent, touched, num_touched, before):
        if iteration > 1:
            return True
        tail = tails[idx]
        if parent[vertex] != tail or atomic_cas(parent, vertex, tail, _LOST) != tail:
            return False
        distance[vertex] = np.inf
        note(vertex, touched, num_touched, before)
        return True

    def cond_advance(src, dst, parent):
        return parent[dst] == src  # true for one arc only, so no other thread changes this vertex

    def apply_advance(dst, distance, parent, touched, num_touched, before):
        parent[dst] = _LOST
        distance[dst] = np.inf
        note(dst, touched, num_touched, before)

    def until(most, num_touched):
        return num_touched[0] > most


class LoseEnactor(Enactor, problem=LengthsProblem, functor=Lose, steady=True):
    """Marks as lost the heads of a batch's tree arcs, and all vertices below them in the tree."""

    def step(self, frontier: Handle) -> Handle:
        return self.advance(self.filter(frontier), duplicates="impossible")


class Return(Functor):
    def map(src, weight, distance):
        return distance[src] + weight

    def apply_reduce(vertex, value, distance):
        if value < distance[vertex]:
            distance[vertex] = value


class Reached(Functor):
    def cond_filter(vertex, distance):
        return distance[vertex] < np.inf


class ReturnEnactor(_InBands, functor=Return):
    """Gives lost vertices a distance by neighbors that have one, and relaxes outward from there, nearest first."""

    def step(self, frontier: Handle) -> Handle:
        self.neighbor_reduce(self.filter(frontier, InFirstStep), reduce="min", direction="in", dtype=np.float64)
        return self.near_far(self.advance(self.filter(frontier, Reached), Relax), Relax, width=self.width)


class Adopt(Functor):
    def map(src, dst, weight, distance, parent):
        tight = distance[dst] < np.inf and distance[src] + weight == distance[dst]
        # A neighbor with the same distance may be, or become, a child of this vertex. If the neighbor already has a
        # parent, its path from the source does not contain this vertex.
        return src if tight and (distance[src] < distance[dst] or parent[src] != _LOST) else -1

    def apply_reduce(vertex, value, distance, parent):
        if value >= 0 or distance[vertex] == np.inf:
            parent[vertex] = value

    def cond_filter(vertex, parent):
        return parent[vertex] == _LOST


class AdoptEnactor(Enactor, problem=LengthsProblem, functor=Adopt, steady=True):
    """Gives touched vertices parents. A vertex whose parent has the same distance gets it after that parent does."""

    def step(self, frontier: Handle) -> Handle:
        self.neighbor_reduce(frontier, reduce="max", initial=-1, direction="in", dtype=np.int32)
        return self.filter(frontier)
