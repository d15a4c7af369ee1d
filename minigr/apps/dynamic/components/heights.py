"""Heights, which show that components are still connected; `climbs.py` has the loops and explains heights."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.apps.dynamic.components.climbs import (
    CLIMBS,
    UNKNOWN,
    ClimbEnactor,
    HeightsProblem,
    ReachEnactor,
    RegrowEnactor,
)
from minigr.program.control import Driver, Stop
from minigr.program.frontier import Frontier

_LEVELS, _AROUND = 64, 8  # the most steps of a search, and of gathering around the vertices that still climb
_NUMBERS = 1 << 30  # numbers of climbs; after these, numbers begin at 1 again


class Heights:
    """Heights for the components of an undirected graph. The label of a root is the root itself.

    Vertices have no heights until `search` is called.

    Parameters
    ----------
    graph : DynamicGraph

    Attributes
    ----------
    searches : int
        The number of searches so far.
    """

    def __init__(self, graph: Any, driver: Driver) -> None:
        self._graph, self._xp, self._driver = graph, graph._device.xp, driver
        empty = {name: graph._device.empty(0, np.int32) for name in ("label", "tails")}
        self._problem: Any = HeightsProblem(graph, counts=graph._device.full(3, 0, np.int64), **empty)
        loop: dict[str, Any] = {"problem": self._problem, "driver": driver}
        self._climb = ClimbEnactor(graph, **loop)
        self._regrow = RegrowEnactor(graph, **loop)
        self.searches = 0
        self._depth = 0  # steps of the last search

    @property
    def num_vertices(self) -> int:
        """The number of vertices for which the arrays have room."""
        return len(self._problem.height)

    def search(self, label: Any, roots: Any) -> bool:
        """Give heights to the vertices that the roots reach, and to no others; False if that takes too many steps.

        `label` is used without a copy, and a vertex that loses all neighbors gets its own id as label. So when a
        deletion is followed, every label must be a root.
        """
        problem, device = self._problem, self._graph._device
        problem.use(label=label)
        device.fill(problem.counts, 0)  # a batch that failed may have left other values
        self._counted = [0, 0, 0]  # the counts when they were last read
        device.fill(problem.height, UNKNOWN)
        problem.height[roots] = 0
        problem.ground[roots] = -1
        search = ReachEnactor(self._graph, problem=self._problem, max_iterations=_LEVELS, driver=self._driver)
        search.run(self._frontier(roots))
        self.searches, self._depth = self.searches + 1, search.iterations
        return search.stopped is not Stop.BUDGET

    def out_of_reach(self) -> Any:
        """Vertices without a height, except deleted vertices."""
        return self._xp.flatnonzero((self._problem.height == UNKNOWN) & (self._problem.label >= 0)).astype(np.int32)

    def lose(self, tails: Any, heads: Any) -> tuple[Any, int, int]:
        """Let the heads of deleted arcs, in both directions, look for new ground.

        Return three values. The first is all vertices of the components of vertices that found no ground, or None if
        these components reach far. The second is the number of new components that are vertices without neighbors. The
        third is the number of vertices that looked.
        """
        self._problem.use(tails=tails)
        return self._climbed(heads, 1, CLIMBS)

    def settle(self, vertices: Any) -> tuple[Any, int, int]:
        """As `lose`, for the vertices that were roots and are not roots any more; vertices may be repeated.

        Former roots begin at height 0. Two of them that are neighbors climb above each other in turn, one step at a
        time, until they are as high as the rest of their component. So they are given more steps.
        """
        return self._climbed(vertices, 0, CLIMBS + 2 * self._depth)

    def _climbed(self, vertices: Any, cut: int, climbs: int) -> tuple[Any, int, int]:
        problem, number = self._problem, int(self._problem.climb) + 1
        if number > _NUMBERS:
            number, problem.near = 1, 0
        problem.climb, problem.cut, problem.climbs, problem.before = number, cut, climbs, self._counted[2]
        self._climb.max_iterations = climbs + _AROUND
        self._climb.run(Frontier.known("vertices", vertices, self._graph, distinct=False))
        gained, looked, gathered = self._news()
        parts = None if self._climb.stopped is Stop.BUDGET else problem.gathered[:gathered]
        return parts, gained, looked

    def regrow(self, vertices: Any) -> int:
        """Find the components of all vertices of some former components; return by how much their number has grown."""
        self._regrow.run(self._frontier(vertices))
        return self._news()[0]

    def _news(self) -> list[int]:
        """By how much the counts have grown since they were last read."""
        before, self._counted = self._counted, self._graph._device.numbers(self._problem.counts)
        return [now - then for now, then in zip(self._counted, before, strict=True)]

    def _frontier(self, vertices: Any) -> Frontier:
        return Frontier.known("vertices", vertices, self._graph, distinct=True)
