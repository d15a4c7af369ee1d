"""Loops over heights, which show that components are still connected after deletions.

Each vertex has a height. Each vertex except the root of its component has a neighbor *below* it: a neighbor with a
smaller height, or with the same height and a smaller id. A path from neighbor below to neighbor below ends at the root,
so all vertices are connected with the root. Each vertex stores one neighbor below it, the *ground* on which it stands.
A deleted edge matters only if one of its ends stood on the other end. This vertex then looks for another ground. If it
has no neighbor below, it climbs above one of its neighbors. Then the vertices that stood on it look for new ground too
(Even, Shiloach, An On-Line Edge-Deletion Problem, Journal of the ACM 28, 1981, with bounds instead of exact levels).

A part that was cut off would climb forever. So after some steps, the vertices that still climb are gathered instead,
with all vertices that are connected with them. Components whose heights would be great, such as road networks, have no
heights.
"""

from __future__ import annotations

import numpy as np

from minigr.apps.components.programs import Join, flatten
from minigr.apps.dynamic.common.first_step import InFirstStep
from minigr.enactor.enactor import Enactor
from minigr.jit.atomics import atomic_add, atomic_cas, atomic_exch
from minigr.jit.functor import Functor
from minigr.program.fields import array_field, parameter, vertex_field
from minigr.program.frontier import Handle
from minigr.program.problem import Problem

UNKNOWN = np.iinfo(np.int32).max  # the height of a vertex that has none
CLIMBS = 8  # steps of a climb
_NOBODY = np.iinfo(np.int64).max, np.int32(-1)  # the result of the search of a vertex without neighbors


class HeightsProblem(Problem):
    label = array_field(np.int32)  # of each vertex
    height = vertex_field(np.int32, fill=UNKNOWN)
    ground = vertex_field(np.int32, fill=-1)  # the neighbor below on which the vertex stands; -1 for roots
    climbed = vertex_field(np.int32)
    near = vertex_field(np.int32)  # the number of the last climb that gathered the vertex
    climb = parameter(np.int32, default=0)  # the number of the current climb
    gathered = vertex_field(np.int32)  # the list of vertices that this climb gathered
    tails = array_field(np.int32)  # if `cut` is 1: the tails of the deleted arcs whose heads a climb starts with
    cut = parameter(np.int32, default=0)
    climbs = parameter(np.int32, default=CLIMBS)  # steps after which vertices that still climb are gathered
    counts = array_field(np.int64)  # sums over all climbs: new components, vertices that began to look, and gathered
    before = parameter(np.int64, default=0)  # the number of vertices that earlier climbs gathered


def is_below(other, height_of_other, vertex, height):
    """Whether `other` is below `vertex`, by their heights."""
    return height_of_other < height or (height_of_other == height and other < vertex)


class LostGround(Functor):
    def cond_filter(vertex, idx, iteration, tails, cut, label, ground):
        if iteration > 1:
            return True
        return ground[vertex] == tails[idx] if cut else ground[vertex] < 0 and label[vertex] != vertex


class Climb(Functor):
    def map(src, dst, height):
        return (2 * height[dst] + (1 if dst > src else 0), dst) if dst != src else _NOBODY

    def apply_reduce(
        vertex, value, iteration, climbs, label, height, ground, climbed, near, climb, gathered, counts, before
    ):
        if iteration > climbs:
            near[vertex] = climb
            gathered[atomic_add(counts, 2, 1) - before] = vertex
            return
        climbed[vertex] = 0
        if iteration == 1:
            atomic_add(counts, 1, 1)
        twice, below = value
        if below < 0:
            height[vertex] = 0
            ground[vertex] = -1
            if label[vertex] != vertex:
                label[vertex] = vertex
                atomic_add(counts, 0, 1)
            return
        ground[vertex] = below
        if twice > 2 * height[vertex]:
            height[vertex] = twice // 2 + 1
            climbed[vertex] = 1

    def cond_filter(vertex, iteration, climbs, climbed):
        return iteration > climbs or climbed[vertex] != 0

    def cond_advance(src, dst, iteration, climbs, height, ground, near, climb):
        if iteration > climbs:
            return near[dst] != climb and atomic_exch(near, dst, climb) != climb
        return ground[dst] == src and not is_below(src, height[src], dst, height[dst])


class ClimbEnactor(Enactor, problem=HeightsProblem, functor=Climb, steady=True):
    """Vertices without a neighbor below climb; neighbors that lose their ground by this look for new ground.

    After `climbs` steps, vertices that look are gathered, with all vertices that are connected with them.
    """

    def step(self, frontier: Handle) -> Handle:
        looking = self.filter(frontier, LostGround, duplicates="remove")
        self.neighbor_reduce(looking, reduce="argmin", dtype=(np.int64, np.int32))
        return self.advance(self.filter(looking))


class Reach(Functor):
    def cond_target(dst, height):
        return height[dst] == UNKNOWN

    def cond_advance(src, dst, height):
        return atomic_cas(height, dst, UNKNOWN, height[src] + 1) == UNKNOWN

    def apply_advance(src, dst, ground):
        ground[dst] = src


class ReachEnactor(Enactor, problem=HeightsProblem, functor=Reach, looks_at=()):
    def step(self, frontier: Handle) -> Handle:
        return self.advance(frontier, duplicates="impossible", direction="auto")


class Forget(Functor):
    def apply(vertex, label, height, ground, counts):
        if label[vertex] == vertex:
            atomic_add(counts, 0, -1)
        label[vertex], height[vertex], ground[vertex] = vertex, UNKNOWN, -1


class Flatten(Functor):
    def apply(vertex, label, height, counts):
        if flatten(label, vertex) == vertex:
            height[vertex] = 0
            atomic_add(counts, 0, 1)


class Roots(Functor):
    def cond_filter(vertex, iteration, label):
        return iteration > 1 or label[vertex] == vertex


class RegrowEnactor(Enactor, problem=HeightsProblem, functor=Reach, steady=True):
    """Joins all vertices of some components again along their current edges, and gives them new heights."""

    def step(self, frontier: Handle) -> Handle:
        once = self.filter(frontier, InFirstStep)
        self.compute(once, Forget)
        self.advance(once, Join, output=None)
        self.compute(once, Flatten)
        return self.advance(self.filter(frontier, Roots), duplicates="impossible")
