"""Numbers for the vertices that a sample has, in the order in which they are met, without a sort.

Each vertex has a stamp: its number, or while it has none, the least place of an edge that leads to it, behind all
numbers there are. An edge whose place stands at its end is the first one there, and the first ones are counted by a
scan. What looks at vertices all over the graph is a pass of its own, in which no access waits for another.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr import memory
from minigr.apps.common.checks import require
from minigr.errors import ProblemError
from minigr.jit.atomics import atomic_min
from minigr.primitives.scan import scan
from minigr.primitives.transform import transform

UNSEEN = 0x7F7F7F7F  # all bytes are equal, so a GPU's driver sets them
_CLEARING = 32  # stamps that are made in the time that it takes to clear one


def follow(i, edge, indices, near):
    """The vertex that an edge leads to."""
    near[i] = indices[edge[i]]


def stamp(i, near, known, stamps):
    """The edge stands for its neighbor, unless one before it does, or the neighbor has a number."""
    if stamps[near[i]] > known + i:
        atomic_min(stamps, near[i], known + i)


def stamp_seed(i, node, stamps):
    """Seed i has the number i, unless it was given before."""
    atomic_min(stamps, node[i], i)


def clear(i, node, stamps):
    """Vertex i of the sample is as it was."""
    stamps[node[i]] = UNSEEN


def look(i, near, stamps, row):
    """The stamp of an edge's neighbor."""
    row[i] = stamps[near[i]]


def is_first(i, row, known):
    """Whether no edge before i leads to the same vertex, and that has no number yet."""
    return 1 if row[i] == known + i else 0


def enter(i, row, before, near, known, node, stamps, onward):
    """The number of an edge's neighbor, in place of its stamp; a vertex that is new is entered."""
    mark = row[i]
    if mark >= known:
        number = known + before[mark - known]
        row[i] = number
        if mark == known + i:
            node[number] = near[i]
            if onward != 0:
                stamps[near[i]] = number


def grown(device: Any, array: Any, size: int) -> Any:
    """A longer array with the same elements in front."""
    made = device.empty(len(array) + size, array.dtype)
    made[: len(array)] = array
    return made


class Numbering:
    """The vertices of a sample.

    Parameters
    ----------
    graph : Graph or DynamicGraph
    seeds : int32 array
        Vertices that have the first numbers.

    Attributes
    ----------
    node : int64 array
        The vertices by their numbers.
    sizes : list of int
        How many there were to begin with, and how many came with each layer.
    """

    def __init__(self, graph: Any, seeds: Any) -> None:
        self.device = graph._device
        self._graph = graph
        self.node, self.sizes = seeds.astype(np.int64), [len(seeds)]
        self._stamps = graph._kept.take("stamps", graph.version)
        if self._stamps is None:
            memory.require(self.device, 4 * graph.num_vertices, "the stamps of the graph's vertices")
            self._stamps = self.device.full(graph.num_vertices, UNSEEN, np.int32)
        transform(stamp_seed, count=len(seeds), node=self.node, stamps=self._stamps)
        again = self._stamps[seeds] != self.device.xp.arange(len(seeds))
        if bool(again.any()):
            position = int(again.argmax())
            raise ProblemError(
                f"sample_neighbors: seeds[{position}] is {int(seeds[position])}, which is given before: leave it out"
            )

    @property
    def known(self) -> int:
        """How many vertices there are."""
        return len(self.node)

    @property
    def first(self) -> int:
        """The first of those that came last."""
        return self.known - self.sizes[-1]

    def require_stamps(self, edges: int) -> None:
        """Refuse so many edges if there aren't stamps for all of them.

        Raises
        ------
        ProblemError
            If there aren't.
        """
        most = UNSEEN - self.known
        require(edges <= most, f"sample_neighbors: a layer of {edges:,} edges, and {most:,} are the most: seed less")

    def finish(self) -> None:
        """Keep the stamps of a large graph for the next sample, if clearing them takes less than making new ones.

        A GPU's driver makes them in no time, and two of its streams might have the same ones at a time.
        """
        if not self.device.is_cuda and _CLEARING * self.known < len(self._stamps):
            transform(clear, count=self.known, node=self.node, stamps=self._stamps)
            self._graph._kept.put("stamps", self._graph.version, self._stamps)

    def enter(self, indices: Any, edge: Any, row: Any, *, onward: bool) -> None:
        """Number the vertices that edges lead to; `row` gets the numbers. `onward`: whether other edges come after."""
        device, count, known = self.device, len(edge), self.known
        near = device.empty(count, np.int32)
        transform(follow, count=count, edge=edge, indices=indices, near=near)
        transform(stamp, count=count, near=near, known=known, stamps=self._stamps)
        transform(look, count=count, near=near, stamps=self._stamps, row=row)
        before = scan(is_first, row=row, known=known, count=count, with_total=True, dtype=np.int32)
        new = int(device.number(before[-1:], expected=min(count, len(self._stamps) - known)))
        self.node = grown(device, self.node, new)
        self.sizes.append(new)
        found = {"node": self.node, "stamps": self._stamps, "onward": onward}
        transform(enter, count=count, row=row, before=before, near=near, known=known, **found)
