"""A certificate that components hold together: heights, by which every vertex but one stands above a neighbor.

Each vertex has a height, and each but the root of its component a neighbor *below* it: a lower one, or one as high with
a lesser id. Who goes down from neighbor to neighbor ends at the root, so all are connected with it. Each notes one such
neighbor, on which it *stands*. An edge that is deleted matters only if one of its ends stood on the other: that one
looks for another to stand on, and where there is none climbs above one of its neighbors; then who stood on it looks for
another too (Even, Shiloach, An On-Line Edge-Deletion Problem, Journal of the ACM 28, 1981, with bounds in the place of
exact levels).

A part that has been cut off would climb for ever, so climbing ends after some steps, and those that still do are looked
at with all that is connected with them. Where heights would be great, as on roads, there are none.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.enactor.control import Stop
from minigr.enactor.enactor import Enactor
from minigr.enactor.problem import Problem, array_field, vertex_field
from minigr.jit.atomics import atomic_add, atomic_cas
from minigr.jit.functor import Functor
from minigr.operators.frontier import Frontier, Handle
from minigr.primitives.transform import transform

UNKNOWN = np.iinfo(np.int32).max
_NOBODY = np.iinfo(np.int64).max  # what a vertex without neighbors finds
_ID = 32  # bits of a vertex beside a height
_CLIMBS, _LEVELS, _AROUND = 16, 64, 8  # steps of a climb, of a search, and around those that climb still


class HeightsProblem(Problem):
    label = vertex_field(np.int32)
    height = vertex_field(np.int32, fill=UNKNOWN)
    ground = vertex_field(np.int32, fill=-1)  # the neighbor below on which it stands; -1 for roots
    climbed = vertex_field(np.int32)
    alone = array_field(np.int64)  # how many vertices were left without a neighbor


def is_below(other, height_of_other, vertex, height):
    """Whether `other` is below `vertex`, by their heights."""
    return height_of_other < height or (height_of_other == height and other < vertex)


class Climb(Functor):
    def map(src, dst, height):
        return (2 * height[dst] + (1 if dst > src else 0)) << _ID | dst if dst != src else _NOBODY

    def apply_reduce(vertex, value, label, height, ground, climbed, alone):
        climbed[vertex] = 0
        if value == _NOBODY:
            height[vertex] = 0
            ground[vertex] = -1
            if label[vertex] != vertex:
                label[vertex] = vertex
                atomic_add(alone, 0, 1)
            return
        twice = value >> _ID
        ground[vertex] = value & ((1 << _ID) - 1)
        if twice > 2 * height[vertex]:
            height[vertex] = twice // 2 + 1
            climbed[vertex] = 1

    def cond_filter(vertex, climbed):
        return climbed[vertex] != 0

    def cond_advance(src, dst, height, ground):
        return ground[dst] == src and not is_below(src, height[src], dst, height[dst])


class ClimbEnactor(Enactor, problem=HeightsProblem, functor=Climb):
    """Whoever finds nobody below climbs; neighbors that stand on it, and no longer can, look again."""

    def step(self, frontier: Handle) -> Handle:
        self.neighbor_reduce(frontier, reduce="min", dtype=np.int64)
        return self.advance(self.filter(frontier))


class Reach(Functor):
    def cond_target(dst, height):
        return height[dst] == UNKNOWN

    def cond_advance(src, dst, height):
        return atomic_cas(height, dst, UNKNOWN, height[src] + 1) == UNKNOWN

    def apply_advance(src, dst, ground):
        ground[dst] = src


class ReachEnactor(Enactor, problem=HeightsProblem, functor=Reach):
    def step(self, frontier: Handle) -> Handle:
        return self.advance(frontier, duplicates="impossible", direction="auto")


class Around(Functor):
    def cond_advance(dst, climbed):
        return atomic_cas(climbed, dst, 0, 1) == 0


class AroundEnactor(Enactor, problem=HeightsProblem, functor=Around, keeps_levels=True):
    def step(self, frontier: Handle) -> Handle:
        return self.advance(frontier, duplicates="impossible")


def _lost_ground(i, src, dst, ground):
    return dst[i] if ground[dst[i]] == src[i] else -1


class Heights:
    """Heights for the components of an undirected graph, whose roots are labelled with themselves.

    Parameters
    ----------
    graph : DynamicGraph
    label : int32[n]
        Used as it is. A vertex that is left without neighbors gets a label of its own.
    """

    def __init__(self, graph: Any, label: Any, driver: str) -> None:
        self._graph, self._xp, self._driver = graph, graph._device.xp, driver
        self._problem: Any = HeightsProblem(graph, label=label, alone=self._xp.zeros(1, np.int64))

    def search(self, roots: Any) -> bool:
        """Give heights to all that these roots, and no others before, reach; False if that takes too many steps."""
        self._problem.height[roots] = 0
        self._problem.ground[roots] = -1
        search = ReachEnactor(self._graph, problem=self._problem, max_iterations=_LEVELS, driver=self._driver)
        search.run(self._frontier(roots))
        return search.stopped is not Stop.BUDGET

    def out_of_reach(self) -> Any:
        """Vertices without a height, but for those that were deleted."""
        return self._xp.flatnonzero((self._problem.height == UNKNOWN) & (self._problem.label >= 0)).astype(np.int32)

    def forget(self, vertices: Any) -> None:
        """Take the heights of these vertices, whole components, so that a search gives them others."""
        self._problem.height[vertices] = UNKNOWN

    def without_ground(self, src: Any, dst: Any) -> Any:
        """Of arcs that are gone, both ways, the ends that stood on the other; each once."""
        ends = transform(_lost_ground, src=src, dst=dst, ground=self._problem.ground, count=len(src), dtype=np.int32)
        found = self._xp.unique(ends)
        return found[found >= 0]

    def settle(self, vertices: Any) -> tuple[Any, int]:
        """Let vertices look for somebody to stand on; those that still climb, and how many were left alone."""
        self._problem.alone = 0
        climb = ClimbEnactor(self._graph, problem=self._problem, max_iterations=_CLIMBS, driver=self._driver)
        left = climb.run_for_output(self._frontier(vertices))
        assert left is not None
        return left.ids, int(self._problem.alone[0])

    def around(self, vertices: Any) -> Any:
        """All vertices of the components of these, if they are near; None otherwise."""
        climbed = self._problem.climbed
        climbed.fill(0)
        climbed[vertices] = 1
        search = AroundEnactor(self._graph, problem=self._problem, max_iterations=_AROUND, driver=self._driver)
        search.run(self._frontier(vertices))
        return None if search.stopped is Stop.BUDGET else search.levels.vertices.copy()

    def _frontier(self, vertices: Any) -> Frontier:
        return Frontier.known("vertices", vertices, self._graph, distinct=True)
