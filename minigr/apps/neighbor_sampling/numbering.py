"""Numbers for the vertices of a sample, in the order in which they are found, without a sort.

Each vertex has a stamp. The stamp is the number of the vertex or, if it has no number yet, the least place of an edge
that leads to it; places are greater than all numbers so far. If the stamp of a vertex is the place of an edge, this
edge is the first that leads to the vertex. A scan counts the first edges. Random accesses to vertices are in passes of
their own, so that no access has to wait for another.
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

UNSEEN = 0x7F7F7F7F  # all bytes are equal, so the driver of a GPU can set them
_CLEARING = 32  # new stamps that can be filled in the time of clearing one


def stamp(i, near, known, stamps):
    """Stamp the neighbor of an edge with the place of the edge, unless it has a number or a lesser stamp."""
    if stamps[near[i]] > known + i:
        atomic_min(stamps, near[i], known + i)


def stamp_seed(i, node, stamps):
    """Stamp seed i with the number i, unless the same vertex is also an earlier seed."""
    atomic_min(stamps, node[i], i)


def clear(i, node, stamps):
    """Remove the stamp of vertex i of the sample."""
    stamps[node[i]] = UNSEEN


def look(i, near, stamps, row):
    """Read the stamp of the neighbor of an edge."""
    row[i] = stamps[near[i]]


def is_first(i, row, known):
    """Whether edge i is the first that leads to its neighbor, and the neighbor has no number yet."""
    return 1 if row[i] == known + i else 0


def enter(i, row, before, near, known, node, stamps, onward):
    """Replace the stamp of an edge's neighbor by its number; add the neighbor to the sample if it is new."""
    mark = row[i]
    if mark >= known:
        number = known + before[mark - known]
        row[i] = number
        if mark == known + i:
            node[number] = near[i]
            if onward != 0:
                stamps[near[i]] = number


def grown(device: Any, array: Any, size: int) -> Any:
    """A copy of the array that is longer by `size` elements at its end, which are not set."""
    made = device.empty(len(array) + size, array.dtype)
    made[: len(array)] = array
    return made


class Numbering:
    """The vertices of a sample.

    Parameters
    ----------
    graph : Graph or DynamicGraph
    seeds : int32 array
        The vertices with the first numbers.

    Attributes
    ----------
    node : int64 array
        The vertices by their numbers.
    sizes : list of int
        The number of seeds, and the number of vertices that each layer found.
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
                f"sample_neighbors: seeds[{position}] is {int(seeds[position])}, which is given twice: "
                "leave out repeated seeds"
            )

    @property
    def known(self) -> int:
        """The number of vertices so far."""
        return len(self.node)

    @property
    def first(self) -> int:
        """The number of the first vertex of the last layer."""
        return self.known - self.sizes[-1]

    def require_stamps(self, edges: int) -> None:
        """Check that stamps have places for all edges of a layer.

        Raises
        ------
        ProblemError
            If there are too many edges.
        """
        most = UNSEEN - self.known
        require(
            edges <= most, f"sample_neighbors: a layer has {edges:,} edges, but {most:,} are the most: give fewer seeds"
        )

    def finish(self) -> None:
        """Keep the stamps of a large graph for the next sample, if clearing them takes less time than making new ones.

        Stamps on a GPU are not kept, because the driver makes new ones fast, and because two streams could use the same
        stamps at a time.
        """
        if not self.device.is_cuda and _CLEARING * self.known < len(self._stamps):
            transform(clear, count=self.known, node=self.node, stamps=self._stamps)
            self._graph._kept.put("stamps", self._graph.version, self._stamps)

    def enter(self, near: Any, row: Any, *, onward: bool) -> None:
        """Number the vertices `near`, and write the numbers to `row`. `onward`: whether layers follow."""
        device, count, known = self.device, len(near), self.known
        transform(stamp, count=count, near=near, known=known, stamps=self._stamps)
        transform(look, count=count, near=near, stamps=self._stamps, row=row)
        before = scan(is_first, row=row, known=known, count=count, with_total=True, dtype=np.int32)
        new = int(device.number(before[-1:], expected=min(count, len(self._stamps) - known)))
        self.node = grown(device, self.node, new)
        self.sizes.append(new)
        found = {"node": self.node, "stamps": self._stamps, "onward": onward}
        transform(enter, count=count, row=row, before=before, near=near, known=known, **found)
