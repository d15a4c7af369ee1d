"""Heights, by which components are known to hold together; `climbs.py` has their loops, and says why."""

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

_LEVELS, _AROUND = 64, 8  # steps of a search, and of gathering around those that climb still
_NUMBERS = 1 << 30  # climbs are numbered, and then again from 1


class Heights:
    """Heights for the components of an undirected graph, whose roots are labelled with themselves.

    There are none until they are searched for.

    Parameters
    ----------
    graph : DynamicGraph

    Attributes
    ----------
    searches : int
        How many there were.
    """

    def __init__(self, graph: Any, driver: Driver) -> None:
        self._graph, self._xp, self._driver = graph, graph._device.xp, driver
        empty = {name: graph._device.empty(0, np.int32) for name in ("label", "tails")}
        self._problem: Any = HeightsProblem(graph, counts=graph._device.full(3, 0, np.int64), **empty)
        loop: dict[str, Any] = {"problem": self._problem, "driver": driver}
        self._climb = ClimbEnactor(graph, **loop)
        self._regrow = RegrowEnactor(graph, **loop)
        self.searches = 0
        self._depth = 0  # steps that the last search took

    @property
    def num_vertices(self) -> int:
        """For how many vertices there is room."""
        return len(self._problem.height)

    def search(self, label: Any, roots: Any) -> bool:
        """Give heights to all that these roots reach, and to no others; False if that takes too many steps.

        `label` is used as it is. A vertex that is left without neighbors gets a label of its own, so when a deletion is
        followed all labels must be those of roots.
        """
        problem, device = self._problem, self._graph._device
        problem.use(label=label)
        device.fill(problem.counts, 0)  # whatever a batch that failed left there
        self._counted = [0, 0, 0]  # what they were when it was last looked
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
        """Let the heads of arcs that are gone, both ways, look for somebody else to stand on.

        All vertices of the components of those that found nobody, None if these reach far; how many components came to
        be, of vertices left alone; and how many looked.
        """
        self._problem.use(tails=tails)
        return self._climbed(heads, 1, CLIMBS)

    def settle(self, vertices: Any) -> tuple[Any, int, int]:
        """The same for those of the vertices, which may come again, that were roots and hang below others now.

        They begin at the bottom, and two that are neighbors climb past each other, a step at a time, as high as the
        rest of their component is. So they have more steps.
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
        """Make of these, all vertices of some components, those that they are; how many more than there were."""
        self._regrow.run(self._frontier(vertices))
        return self._news()[0]

    def _news(self) -> list[int]:
        """By how much the counts have risen since it was last asked."""
        before, self._counted = self._counted, self._graph._device.numbers(self._problem.counts)
        return [now - then for now, then in zip(self._counted, before, strict=True)]

    def _frontier(self, vertices: Any) -> Frontier:
        return Frontier.known("vertices", vertices, self._graph, distinct=True)
