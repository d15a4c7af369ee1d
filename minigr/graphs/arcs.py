"""Arcs from which rows are built, and how they are changed on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from minigr.cached import cached_property
from minigr.device import Device
from minigr.memory import free

_NEARLY_ALL = 7 / 8
LongRows = Callable[[int], tuple[int, int]]
"""Takes a length. Returns about how many entries the rows that are longer will have, and the length of the longest
row."""
_OF_PARTS = 24 << 26  # bytes of two parts on a GPU, and of the arcs that are simplified at a time
_OF_AN_ENTRY = 6  # bytes: 4, a quarter of them to sort long rows, and the list of these rows


@dataclass(frozen=True)
class Arcs:
    """Edges with both ends, or the arcs of rows.

    Vertices are renumbered first, then arcs are reversed or left out, then the remaining arcs are mirrored. So the rows
    of a new graph are built from the arcs of another graph without a copy of them. With `begins`, some rows of another
    graph become the rows 0, 1, ..., and `place` renumbers their neighbors; these arcs are neither reversed nor
    mirrored.

    Attributes
    ----------
    dst : int32[m]
    src : int32[m] or None
        None for the arcs of rows.
    offsets : int64[rows + 1] or None
        The beginnings of the rows.
    begins : int64[rows] or None
        Where each row begins in `dst`, if the rows are not contiguous there. `offsets` then only counts their arcs.
    weights : array[m] or None
    place : int32[n] or None
        The new number of each vertex; None if vertices keep their numbers. With `begins`, arcs to a vertex with the
        number -1 are left out.
    permutes : bool
        Whether the rows are all rows of the graph, `place` is a permutation of the vertices, and no other change is
        made.
    turn : bool
        Whether each arc is reversed.
    down : {None, "keep", "fold"}
        Keep only arcs to a lesser vertex. ``"keep"`` leaves out the other arcs, ``"fold"`` reverses them first.
    mirror : bool
        Whether each arc is stored in both directions, a self-loop once.
    long_rows : callable, optional
        For estimates, because sorting long rows needs more memory: see `LongRows`.
    expected : int or None
        The number of entries, if an estimate knows it.
    """

    dst: Any
    src: Any = None
    offsets: Any = None
    begins: Any = None
    weights: Any = None
    place: Any = None
    permutes: bool = False
    turn: bool = False
    down: Literal["keep", "fold"] | None = None
    mirror: bool = False
    long_rows: LongRows | None = None
    expected: int | None = None

    @property
    def is_transpose(self) -> bool:
        """Whether the arcs of rows are reversed, and not changed otherwise."""
        return self.src is None and self.turn and not self.mirror and self.place is None and self.down is None

    @cached_property
    def count(self) -> int:
        """The number of arcs before they are changed."""
        return len(self.dst) if self.begins is None else int(self.offsets[-1])


@dataclass(frozen=True)
class DrawnEdges:
    """Edges that are generated in parts, again for each use, so that they are never in memory all at once.

    Attributes
    ----------
    parts : callable
        Generates the sources and destinations of the edges, part by part.
    mirror : bool
        Whether each edge is stored in both directions.
    simple : bool
        Whether self-loops and repeats are left out.
    long_rows : callable, optional
        As for `Arcs`.
    """

    parts: Callable[[], Iterable[tuple[Any, Any]]]
    mirror: bool
    simple: bool
    long_rows: LongRows | None = None

    def arcs(self) -> Iterator[Arcs]:
        """The parts as arcs. To keep only one part in memory, drop each part before asking for the next one."""
        for src, dst in self.parts():
            part = Arcs(dst, src=src, mirror=self.mirror)
            del src, dst
            yield part
            del part


def part_of(count: int) -> int:
    """How many of `count` arcs the CPU generates or changes at a time.

    If there are more arcs, each part is generated twice. A sixteenth of the arcs is small compared to the rows. The
    smallest part takes some megabytes, and the largest part keeps all cores busy.
    Examples
    --------
    >>> part_of(1000), part_of(1 << 26) == 1 << 22
    (1048576, True)
    """
    return min(max(count >> 4, 1 << 20), 1 << 24)


ROWS_AT_ONCE = 1 << 22  # the number of rows whose first neighbors are read at a time


def entries_at_once(device: Device) -> int:
    """How many entries of rows a GPU has memory to build at a time, besides the parts from which they are built."""
    there = free(device)
    assert there is not None  # known for every GPU
    return max((there - _OF_PARTS) // _OF_AN_ENTRY, 1)


def shortened(array: Any, count: int) -> Any:
    """The first `count` elements: a view if few are left out, so that there are never two arrays; otherwise a copy.

    Examples
    --------
    >>> import numpy as np
    >>> array = np.arange(16)
    >>> shortened(array, 15).base is array, shortened(array, 3).base is array
    (True, False)
    """
    return array[:count] if count >= _NEARLY_ALL * len(array) else array[:count].copy()
