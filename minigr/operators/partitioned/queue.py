"""near_far over parts: each part has a pile of those of its vertices that wait, and all have one threshold.

The rules are those of `minigr.program.loop.begin_draw` and of ``near_far_cpu``, by the host.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from minigr.graphs.partitioned.graph import PartitionedGraph

Priorities = Callable[[int, Any], Any]
"""What has the priorities of some vertices of a part that is here, which is known by its number."""


class Queue:
    """The vertices that wait, and how far the threshold has risen.

    Parameters
    ----------
    graph : PartitionedGraph
    waiting : list of int32 arrays or None
        Of each local part, those that wait from the start.
    width : float
    falling : bool
        Whether priorities of what waits may fall unseen.
    """

    def __init__(self, graph: PartitionedGraph, waiting: list[Any] | None, width: float, falling: bool) -> None:
        self._graph, self._width, self._falling = graph, width, falling
        self._piles = waiting or [part.none() for part in graph.parts]
        self._threshold = width if waiting is None else -math.inf
        self._least = math.inf

    @property
    def waits(self) -> bool:
        """Whether any vertex of any part waits."""
        return self._sum([len(pile) for pile in self._piles]) > 0

    def _sum(self, own: list[int]) -> int:
        return sum(self._graph._exchange.all_gather(own))

    def split(self, lists: list[Any], priorities: Priorities) -> list[Any]:
        """Of each local part, what is due of its vertices; others wait, and come when nothing nearer is left."""
        near = self._deal(lists, priorities, -math.inf, self._piles)
        while self._sum([len(each) for each in near]) == 0 and self.waits:
            before = self._open()
            near = self._deal(self._piles, priorities, before, None)
        if self._falling:
            self._least = self._threshold
        return near

    def _open(self) -> float:
        """Begin the next band, at the least priority that waits; where the last one ended."""
        before, start = self._threshold, max(self._threshold, self._least)
        if before == -math.inf:
            start = 0.0
        raised = start + self._width
        if not raised > start:
            raised = start + abs(start) * 4.0e-16
        self._threshold, self._least = raised, math.inf
        return before

    def _deal(self, lists: list[Any], priorities: Priorities, low: float, piles: list[Any] | None) -> list[Any]:
        """Those of each list that are due; the piles are `piles` with those that aren't, each once."""

        def deal(index: int) -> tuple[Any, Any, float]:
            ids = lists[index]
            value = priorities(index, ids)
            live = (value >= low) & (value < math.inf)
            due = live & (value < self._threshold)
            waits = live & ~due
            far = ids[waits]
            least = float(value[waits].min()) if len(far) else math.inf
            left = far if piles is None else self._graph.parts[index].xp.union1d(piles[index], far)
            return ids[due], left, least

        near, self._piles, least = map(list, zip(*self._graph._team.each(deal), strict=True))
        self._least = min(self._least, *self._graph._exchange.all_gather(least))
        return near
