"""Loops over a tree of shortest paths by hops.

One word holds the depth and the parent of a vertex, its *place* in the tree, so that one atomic changes both. New arcs
are relaxed, and the search continues from vertices whose depths fell, nearest first (Concessao, Cheramangalath, Dev,
Nasre, Meerkat: A framework for Dynamic Graph Algorithms on GPUs, arXiv 2305.17813, algorithm 6). A vertex that loses
the arc from its parent looks for the nearest place among its neighbors. If its depth stays the same, nothing else
changes. Otherwise the vertex *climbs*: its depth rises, and its children look for new places too. In this process,
depths only rise, and never beyond their final values (Even, Shiloach, An On-Line Edge-Deletion Problem, Journal of the
ACM 28, 1981).

A vertex that is cut off, or far from any other path, would climb for many steps. So vertices that still climb after
some steps are *lost*, together with all vertices below them in the tree. Lost vertices then look for a place next to
vertices that are not lost, and the search continues from there as from new arcs. This is the method of Meerkat.
"""

from __future__ import annotations

import numpy as np

from minigr.apps.dynamic.common.first_step import InFirstStep
from minigr.enactor.enactor import Enactor
from minigr.jit.atomics import atomic_add, atomic_cas, atomic_exch, atomic_min
from minigr.jit.functor import Functor
from minigr.program.fields import array_field, parameter, vertex_field
from minigr.program.frontier import Handle
from minigr.program.problem import Problem

_BITS = 31  # low bits of a place, which hold the parent plus 1; the depth is above them
_FAR_DEPTH = np.iinfo(np.int32).max
FAR = int(_FAR_DEPTH) << _BITS  # the place of vertices out of reach
_CLIMBS = 4  # steps after which vertices that still climb are lost


class PlacesProblem(Problem):
    tree = vertex_field(np.int64, fill=FAR)
    looked = vertex_field(np.int32)  # twice the number of the last batch that touched the vertex; plus 1 if it climbed
    lost = vertex_field(np.int32)  # the list of vertices that this batch lost
    tails = array_field(np.int32)  # the tails of the arcs of a batch; a loop starts with the heads
    counts = array_field(np.int64)  # numbers of touched and of lost vertices since the last computation
    batch = parameter(np.int32, default=0)
    most = parameter(np.int64, default=0)  # the greatest number of touched vertices; beyond it, a loop stops
    before = parameter(np.int64, default=0)  # the number of vertices that earlier batches lost


def depth_of(place):
    return place >> _BITS


def parent_of(place):
    return (place & ((1 << _BITS) - 1)) - 1


def place_at(depth, parent):
    return np.int64(depth) << _BITS | (parent + 1)


def place_by(src, place):
    """The place of a child of `src`, which is at `place`."""
    return place_at(depth_of(place) + 1, src)


def touch(vertex, looked, counts, batch):
    """Count `vertex` as touched, once per batch."""
    if looked[vertex] >> 1 != batch and atomic_exch(looked, vertex, 2 * batch) >> 1 != batch:
        atomic_add(counts, 0, 1)


def comes_nearer(src, dst, tree, looked, counts, batch):
    """Relax an arc; return whether the depth of its head fell."""
    place = place_by(src, tree[src])
    if depth_of(place) >= depth_of(tree[dst]) or depth_of(place) >= depth_of(atomic_min(tree, dst, place)):
        return False
    touch(dst, looked, counts, batch)
    return True


class Search(Functor):
    def cond_target(dst, tree):
        return tree[dst] == FAR

    def cond_advance(src, dst, iteration, tree):
        return atomic_cas(tree, dst, FAR, place_at(iteration, src)) == FAR


class SearchEnactor(Enactor, problem=PlacesProblem, functor=Search, looks_at=()):
    """The search of `mg.bfs` with places. At the start, all vertices except the source must be `FAR`."""

    def step(self, frontier: Handle) -> Handle:
        return self.advance(frontier, direction="auto", duplicates="impossible")


class Relax(Functor):
    def cond_filter(vertex, idx, iteration, tails, tree, looked, counts, batch):
        return iteration > 1 or comes_nearer(tails[idx], vertex, tree, looked, counts, batch)

    def cond_advance(src, dst, tree, looked, counts, batch):
        return comes_nearer(src, dst, tree, looked, counts, batch)

    def priority(vertex, tree):
        return depth_of(tree[vertex])

    def until(most, counts):
        return counts[0] > most


class RelaxEnactor(Enactor, problem=PlacesProblem, functor=Relax, steady=True):
    """Relaxes from the heads of a batch's arcs, level by level, so that few vertices are relaxed twice."""

    def step(self, frontier: Handle) -> Handle:
        return self.near_far(self.advance(self.filter(frontier)), width=1.0)


class Cut(Functor):
    def cond_filter(vertex, idx, iteration, tails, tree):
        return iteration > 1 or parent_of(tree[vertex]) == tails[idx]


class Climb(Functor):
    def map(src, dst, tree):
        return place_by(src, tree[src]) if src != dst else FAR

    def apply_reduce(vertex, value, iteration, tree, looked, counts, lost, batch, before):
        place = min(value, FAR)
        if iteration > _CLIMBS:
            lost[atomic_add(counts, 1, 1) - before] = vertex
            place = FAR
        climbs = 1 if depth_of(place) > depth_of(tree[vertex]) else 0
        tree[vertex] = place
        touch(vertex, looked, counts, batch)
        looked[vertex] = 2 * batch + climbs

    def cond_filter(vertex, looked):
        return looked[vertex] & 1 != 0

    def cond_advance(src, dst, tree):
        return parent_of(tree[dst]) == src and depth_of(tree[dst]) != depth_of(tree[src]) + 1

    def until(most, counts):
        return counts[0] > most


class ClimbEnactor(Enactor, problem=PlacesProblem, functor=Climb, steady=True):
    """Heads of deleted tree arcs look for new places; then the children of vertices that climbed do so.

    A neighbor may climb while a vertex looks at it. The vertex is then the child of a vertex that has climbed, so it
    looks again. After `_CLIMBS` steps, vertices that look are lost, and so are the vertices below them in the tree.
    """

    def step(self, frontier: Handle) -> Handle:
        looking = self.filter(frontier, Cut, duplicates="remove")
        self.neighbor_reduce(looking, reduce="min", direction="in", dtype=np.int64)
        return self.advance(self.filter(looking), duplicates="impossible")


class Reached(Functor):
    def cond_filter(vertex, tree):
        return tree[vertex] < FAR


class ReturnEnactor(Enactor, problem=PlacesProblem, functor=Climb, steady=True):
    """Lost vertices find places next to vertices that are not lost; then arcs are relaxed from there, by levels."""

    def step(self, frontier: Handle) -> Handle:
        self.neighbor_reduce(self.filter(frontier, InFirstStep), reduce="min", direction="in", dtype=np.int64)
        return self.near_far(self.advance(self.filter(frontier, Reached), Relax), Relax, width=1.0)


def depth_at(i, tree):
    return -1 if tree[i] == FAR else depth_of(tree[i])


def parent_at(i, tree):
    return parent_of(tree[i])
