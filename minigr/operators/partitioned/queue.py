"""near_far over parts: each part has a pile of its waiting vertices, and all parts have one threshold.

The host applies the rules of `minigr.program.loop.begin_draw` and of ``near_far_cpu``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from minigr.graphs.partitioned.graph import PartitionedGraph

Priorities = Callable[[int, Any], Any]
"""Function that takes the number of a local part and some of its vertices, and returns their priorities."""


class Queue:
    """The waiting vertices, and the current threshold.

    Parameters
    ----------
    graph : PartitionedGraph
    waiting : list of int32 arrays or None
        For each local part, the vertices that wait from the start, each once.
    width : float
    falling : bool
        Whether priorities of waiting vertices may fall unseen.

    Attributes
    ----------
    due, waiting : int
        Number of vertices of all parts that were due in the last step, and number of vertices that wait.
    """

    def __init__(self, graph: PartitionedGraph, waiting: list[Any] | None, width: float, falling: bool) -> None:
        self._graph, self._width, self._falling = graph, width, falling
        self._piles: list[list[Any]] = [[each] for each in waiting or [part.none() for part in graph.parts]]
        self._in_pile = graph._team.each(self._marked)
        self._threshold = width if waiting is None else -math.inf
        self._least = math.inf
        self.due, self.waiting = 0, sum(graph._exchange.all_gather([len(pile) for (pile,) in self._piles]))

    def _marked(self, index: int) -> Any:
        """bool[n]: which vertices are in the pile of a local part. The pile must be one list."""
        part, (pile,) = self._graph.parts[index], self._piles[index]
        in_pile = part.device.full(part.graph.num_vertices, False, np.bool_)
        in_pile[pile] = True
        return in_pile

    def split(self, lists: list[Any], priorities: Priorities) -> list[Any]:
        """For each local part, its vertices that are due. Other vertices wait until no nearer vertex is left."""
        near = self._deal(lists, priorities, -math.inf)
        while self.due == 0 and self.waiting > 0:
            before = self._open()
            near = self._deal(self._graph._team.each(self._taken), priorities, before)
        if self._falling:
            self._least = self._threshold
        return near

    def _open(self) -> float:
        """Begin the next band at the least waiting priority, and return where the last band ended."""
        before, start = self._threshold, max(self._threshold, self._least)
        if before == -math.inf:
            start = 0.0
        raised = start + self._width
        if not raised > start:
            raised = start + abs(start) * 4.0e-16
        self._threshold, self._least = raised, math.inf
        return before

    def _taken(self, index: int) -> Any:
        """Empty the pile of a local part, and return its vertices."""
        pile = self._graph.parts[index].xp.concatenate(self._piles[index])
        self._in_pile[index][pile] = False
        self._piles[index] = [pile[:0]]
        return pile

    def _deal(self, lists: list[Any], priorities: Priorities, low: float) -> list[Any]:
        """The due vertices of each list.

        Other vertices with a priority of at least `low` go to the piles, each once.
        """

        def deal(index: int) -> tuple[Any, int, float]:
            ids, pile, in_pile = lists[index], self._piles[index], self._in_pile[index]
            if not len(ids):
                return ids, sum(map(len, pile)), math.inf
            value = priorities(index, ids)
            live = (value >= low) & (value < math.inf)
            due = live & (value < self._threshold)
            waits = live & ~due
            far, least = ids[waits], math.inf
            if len(far):
                least = float(value[waits].min())
                new = far[~in_pile[far]]
                pile.append(new)
                in_pile[new] = True
            return ids[due], sum(map(len, pile)), least

        found = self._graph._team.each(deal)
        near = [each[0] for each in found]
        counts = self._graph._exchange.all_gather([(len(due), waiting, least) for due, waiting, least in found])
        self.due, self.waiting = sum(each[0] for each in counts), sum(each[1] for each in counts)
        self._least = min(self._least, *(each[2] for each in counts))
        return near
