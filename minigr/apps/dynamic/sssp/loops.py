"""Loops over a tree of shortest paths by weight.

Concessao, Cheramangalath, Dev, Nasre, Meerkat: A framework for Dynamic Graph Algorithms on GPUs (arXiv 2305.17813),
algorithm 6. Where an arc of the tree is gone or weighs more, what hangs below it is *lost*: it has no distance any
more. Lost vertices are relaxed over their in-edges, from those that still have a distance, and the heads of new arcs,
and of those that weigh less, over the batch; what that gave a distance is relaxed outwards, nearest first.

Other than in the paper, parents are looked for at the end, for the lost and the relaxed alone, which are listed as they
come: a distance and a parent fit in one word, to be changed by one atomic, only if the distance is short.
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

_LOST = -2  # stands for a parent that is to be found again


class LengthsProblem(Problem):
    distance = vertex_field(distance_dtype, fill=np.inf)
    parent = vertex_field(np.int32, fill=-1)
    touched = vertex_field(np.int32)  # the vertices that this batch touched come first
    num_touched = array_field(np.int64)  # by all batches
    before = parameter(np.int64, default=0)  # this one
    most = parameter(np.int64, default=0)  # what `num_touched` may rise to
    tails = array_field(np.int32)  # where the arcs of a batch begin, whose heads a loop starts with
    weights = array_field(lambda graph: graph.weight_dtype)  # of these arcs


def note(vertex, touched, num_touched, before):
    """List a vertex whose parent was not `_LOST` until now, which is so for one thread only."""
    touched[atomic_add(num_touched, 0, 1) - before] = vertex


def relax(src, dst, weight, distance, parent, touched, num_touched, before):
    """Whether the arc brings its head nearer; its distance is then that, and its parent to be found."""
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
    """A loop that is given the width of the bands of distance."""

    def __init__(self, graph: Any, width: float, **options: Any) -> None:
        super().__init__(graph, **options)
        self.width = width


class RelaxEnactor(_InBands, functor=Relax):
    """From the heads of a batch's arcs outwards, nearest first."""

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
        return parent[dst] == src  # of one arc only, so no other thread looks at this vertex

    def apply_advance(dst, distance, parent, touched, num_touched, before):
        parent[dst] = _LOST
        distance[dst] = np.inf
        note(dst, touched, num_touched, before)

    def until(most, num_touched):
        return num_touched[0] > most


class LoseEnactor(Enactor, problem=LengthsProblem, functor=Lose, steady=True):
    """The heads of a batch's arcs that they hung by are lost, and all that hangs below them."""

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
    """Lost vertices get a distance by neighbors that have one; from there it goes on outwards, nearest first."""

    def step(self, frontier: Handle) -> Handle:
        self.neighbor_reduce(self.filter(frontier, InFirstStep), reduce="min", direction="in", dtype=np.float64)
        return self.near_far(self.advance(self.filter(frontier, Reached), Relax), Relax, width=self.width)


class Adopt(Functor):
    def map(src, dst, weight, distance, parent):
        tight = distance[dst] < np.inf and distance[src] + weight == distance[dst]
        # One as near as the vertex itself may be its child, or come to be. One that has a parent by now hangs from the
        # source already, without this vertex.
        return src if tight and (distance[src] < distance[dst] or parent[src] != _LOST) else -1

    def apply_reduce(vertex, value, distance, parent):
        if value >= 0 or distance[vertex] == np.inf:
            parent[vertex] = value

    def cond_filter(vertex, parent):
        return parent[vertex] == _LOST


class AdoptEnactor(Enactor, problem=LengthsProblem, functor=Adopt, steady=True):
    """Touched vertices get parents; those whose are as near as they are, after these."""

    def step(self, frontier: Handle) -> Handle:
        self.neighbor_reduce(frontier, reduce="max", initial=-1, direction="in", dtype=np.int32)
        return self.filter(frontier)
