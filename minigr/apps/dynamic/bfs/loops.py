"""Loops over a tree of shortest paths by hops.

A vertex's depth and parent stand in one word, its *place* in the tree, so that one atomic changes both. New arcs are
relaxed, and what they brought nearer goes on outwards, nearest first (Concessao, Cheramangalath, Dev, Nasre, Meerkat: A
framework for Dynamic Graph Algorithms on GPUs, arXiv 2305.17813, algorithm 6). Who loses the arc it hangs by looks for
the nearest place among its neighbors. If that is as near as before it is all there is to do; otherwise the vertex
*climbs* there, and those that hang by it look too. Depths only rise in this, and never beyond what they come to be
(Even, Shiloach, An On-Line Edge-Deletion Problem, Journal of the ACM 28, 1981).

What is cut off, or far from any other way, would climb for long. So after some steps those that still do are *lost*,
with all that hangs below them. They look for a place by those that are not, and are relaxed like new arcs: that is
Meerkat's way.
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

_BITS = 31  # of one more than the parent, below the depth
_FAR_DEPTH = np.iinfo(np.int32).max
FAR = int(_FAR_DEPTH) << _BITS  # the place of vertices out of reach
_CLIMBS = 4  # steps until those that climb still are lost


class PlacesProblem(Problem):
    tree = vertex_field(np.int64, fill=FAR)
    looked = vertex_field(np.int32)  # twice the number of the last batch that touched it; one more if it climbed
    lost = vertex_field(np.int32)  # those that this batch lost
    tails = array_field(np.int32)  # where the arcs of a batch begin, whose heads a loop starts with
    counts = array_field(np.int64)  # how many were touched, and how many lost, since a computation
    batch = parameter(np.int32, default=0)
    most = parameter(np.int64, default=0)  # what the count of touched may rise to
    before = parameter(np.int64, default=0)  # how many were lost by the batches before


def depth_of(place):
    return place >> _BITS


def parent_of(place):
    return (place & ((1 << _BITS) - 1)) - 1


def place_at(depth, parent):
    return np.int64(depth) << _BITS | (parent + 1)


def place_by(src, place):
    """The place of who hangs by `src`, which is at `place`."""
    return place_at(depth_of(place) + 1, src)


def touch(vertex, looked, counts, batch):
    """Count `vertex` if it is the first time in this batch."""
    if looked[vertex] >> 1 != batch and atomic_exch(looked, vertex, 2 * batch) >> 1 != batch:
        atomic_add(counts, 0, 1)


def comes_nearer(src, dst, tree, looked, counts, batch):
    """Whether the arc brings its head nearer; it is then there."""
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
    """The search of `mg.bfs`, which puts depth and parent into one word; all vertices but the first are to be far."""

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
    """From the heads of a batch's arcs outwards, by whole levels, so that hardly a vertex is relaxed twice."""

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
    """The heads of a batch's arcs, of those they hung by, look for other places; then who hangs by those that climbed.

    Neighbors may climb while a vertex looks at them: then it hangs by one that has climbed, and looks again. After some
    steps who looks is lost, and so are those that hang by it.
    """

    def step(self, frontier: Handle) -> Handle:
        looking = self.filter(frontier, Cut, duplicates="remove")
        self.neighbor_reduce(looking, reduce="min", direction="in", dtype=np.int64)
        return self.advance(self.filter(looking), duplicates="impossible")


class Reached(Functor):
    def cond_filter(vertex, tree):
        return tree[vertex] < FAR


class ReturnEnactor(Enactor, problem=PlacesProblem, functor=Climb, steady=True):
    """Vertices that are lost hang by those that are not; from there it goes on outwards, by whole levels."""

    def step(self, frontier: Handle) -> Handle:
        self.neighbor_reduce(self.filter(frontier, InFirstStep), reduce="min", direction="in", dtype=np.int64)
        return self.near_far(self.advance(self.filter(frontier, Reached), Relax), Relax, width=1.0)


def depth_at(i, tree):
    return -1 if tree[i] == FAR else depth_of(tree[i])


def parent_at(i, tree):
    return parent_of(tree[i])
