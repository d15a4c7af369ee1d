"""The shortest path that continues the beginning of another path without using some edges.

The distance from each vertex to the target in the whole graph is a lower bound of the distance without some vertices
and edges. So this bound guides the search, which visits few vertices that are not on the path it finds.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from minigr.apps.bfs import BFSEnactor
from minigr.apps.closeness import DistancesProblem
from minigr.apps.shortest_path.guided import Guided, GuidedEnactor, GuidedProblem
from minigr.apps.shortest_path.way_back import WayBack, WayBackEnactor, WayBackProblem
from minigr.apps.sssp import SSSPEnactor, default_delta
from minigr.jit.atomics import atomic_cas, atomic_min
from minigr.program.control import Driver
from minigr.program.fields import array_field, parameter, vertex_field
from minigr.program.frontier import Handle


class SpurProblem(GuidedProblem):
    barred = vertex_field(np.bool_)  # vertices to which the path must not continue directly from the start
    start = parameter(np.int32, default=0)


def goes_on(src, dst, through, distance, remaining, goal, barred, start):
    """Relax an arc that gives `dst` the distance `through`; return whether the search continues from `dst`."""
    shorter = through < distance[dst] and through + remaining[dst] < distance[goal]
    return shorter and not (src == start and barred[dst]) and through < atomic_min(distance, dst, through)


class SpurByHops(Guided):
    def cond_advance(src, dst, distance, remaining, goal, barred, start):
        return goes_on(src, dst, distance[src] + 1, distance, remaining, goal, barred, start)


class SpurByWeight(Guided):
    def cond_advance(src, dst, weight, distance, remaining, goal, barred, start):
        return goes_on(src, dst, distance[src] + weight, distance, remaining, goal, barred, start)


class SpurEnactor(GuidedEnactor, problem=SpurProblem, looks_at=("weighted", "width")):
    weighted: bool = False

    def step(self, frontier: Handle) -> Handle:
        found = self.advance(frontier, SpurByWeight if self.weighted else SpurByHops)
        return self.near_far(found, width=self.width)


class SpurBackProblem(WayBackProblem):
    barred = array_field(np.bool_)


def leads_back(src, dst, through, distance, link, barred, start):
    """Link `dst` to `src` if `src` can be reached from `dst` by a length of `through`; return whether `dst` is new."""
    shortest = link[dst] < 0 and through <= distance[src] and not (dst == start and barred[src])
    return shortest and atomic_cas(link, dst, -1, src) == -1


class BackByHops(WayBack):
    def cond_advance(src, dst, distance, link, barred, start):
        return leads_back(src, dst, distance[dst] + 1, distance, link, barred, start)


class BackByWeight(WayBack):
    def cond_advance(src, dst, weight, distance, link, barred, start):
        return leads_back(src, dst, distance[dst] + weight, distance, link, barred, start)


class BackByHopsEnactor(WayBackEnactor, problem=SpurBackProblem, functor=BackByHops, looks_at=("reverse",)):
    """Finds the path back by hops."""


class BackByWeightEnactor(WayBackEnactor, problem=SpurBackProblem, functor=BackByWeight, looks_at=("reverse",)):
    """Finds the path back by weight."""


class Spurs:
    """Searches for paths to `target`, by hops or by weight."""

    def __init__(self, graph: Any, target: int, weighted: bool, driver: Driver) -> None:
        self._graph, self._target, self._driver = graph, target, driver
        self._width = default_delta(graph, "k_shortest_paths") if weighted else 1.0
        self._back: type[WayBackEnactor] = BackByWeightEnactor if weighted else BackByHopsEnactor
        remaining = self._remaining(graph.reverse() if graph.directed else graph, weighted)
        self._search = SpurEnactor(graph, remaining=remaining, goal=target, driver=driver)
        self._search.weighted = weighted

    def _remaining(self, inward: Any, weighted: bool) -> Any:
        if weighted:
            search = SSSPEnactor(inward, problem=DistancesProblem(inward), driver=self._driver)
            search.run(self._target, self._width)
            return search.problem.distance
        hops = BFSEnactor(inward, driver=self._driver)
        hops.run(self._target)
        return inward._device.xp.where(hops.problem.depth < 0, np.inf, hops.problem.depth.astype(np.float64))

    def path(
        self, root: Sequence[int], length: float, barred: Collection[int], bound: float
    ) -> tuple[list[int], list[float]] | None:
        """A shortest simple path that begins with `root`, of length `length`, and does not continue to `barred`.

        Return the vertices of the path and the length of the path to each vertex, both from the end of `root` on; None
        if there is no such path that is shorter than `bound`.
        """
        problem, device, spur = self._search.problem, self._graph._device, root[-1]
        if not length + float(problem.remaining[spur]) < bound:
            return None
        closed = device.asarray(np.array(root[:-1], np.int64))
        bars = device.asarray(np.array(sorted(barred), np.int64))
        kept = problem.remaining[closed]
        problem.distance, problem.start = np.inf, spur
        problem.distance[self._target] = bound  # as if a path of this length were known, so longer paths are skipped
        problem.remaining[closed], problem.barred[bars] = np.inf, True
        self._search.run(spur, self._width, length)
        found = None
        if float(problem.distance[self._target]) < bound:
            given: dict[str, Any] = {"distance": problem.distance, "barred": problem.barred, "start": spur}
            path = self._back(self._graph, driver=self._driver, **given).path_to(self._target)
            there = problem.distance[device.asarray(np.array(path, np.int64))]
            found = path, list(map(float, device.host.asarray(there)))
        problem.remaining[closed], problem.barred[bars] = kept, False
        return found
