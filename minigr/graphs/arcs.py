"""Arcs from which rows are built, and what becomes of them on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from minigr.cached import cached_property
from minigr.device import Device
from minigr.memory import free

_NEARLY_ALL = 7 / 8
LongRows = Callable[[int], tuple[int, int]]
"""Takes a length. About how many entries all rows together will have that are longer, and how long the longest is."""
_OF_PARTS = 24 << 26  # bytes of two parts of a GPU, and of what is simplified at a time
_OF_AN_ENTRY = 6  # bytes: 4, a quarter of them to sort long rows, and what these are noted in


@dataclass(frozen=True)
class Arcs:
    """Edges with both ends, or the arcs of rows.

    Vertices are renumbered first; then arcs are turned or left out; then what is left is stored both ways. So one graph
    is built of the arcs of another without a copy of these. With `begins` some rows of another graph become the rows
    0, 1, ..., and `place` renumbers their neighbors; their arcs are neither turned nor stored both ways.

    Attributes
    ----------
    dst : int32[m]
    src : int32[m] or None
        None for the arcs of rows.
    offsets : int64[rows + 1] or None
        Where the rows begin.
    begins : int64[rows] or None
        Where each row begins in `dst`, if rows don't follow one another there; `offsets` then counts their arcs only.
    weights : array[m] or None
    place : int32[n] or None
        The number that each vertex gets; None if vertices keep their own. With `begins` -1 leaves arcs to it out.
    permutes : bool
        Whether the rows are all that there are, each vertex gets another number in `place`, and that is all.
    turn : bool
        Whether each arc is turned round.
    down : {None, "keep", "fold"}
        Keep only arcs to a lesser vertex: those that are so, or those the other way as well, turned round.
    mirror : bool
        Whether each arc is stored both ways, a self-loop once.
    long_rows : callable, optional
        Estimates ask it, because long rows take more to be sorted: see `LongRows`.
    expected : int or None
        How many entries there will be, if an estimate knows.
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
        """Whether the arcs of rows are turned round, and that is all."""
        return self.src is None and self.turn and not self.mirror and self.place is None and self.down is None

    @cached_property
    def count(self) -> int:
        """How many arcs there are."""
        return len(self.dst) if self.begins is None else int(self.offsets[-1])


@dataclass(frozen=True)
class DrawnEdges:
    """Edges that are made some at a time, and again whenever they are asked for, so that they never are all there.

    Attributes
    ----------
    parts : callable
        Makes their ends, source and destination, part by part.
    mirror : bool
        Whether each edge is stored both ways.
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
        """The parts as arcs. Who drops a part before the next one is asked for never has two of them in memory."""
        for src, dst in self.parts():
            part = Arcs(dst, src=src, mirror=self.mirror)
            del src, dst
            yield part
            del part


def part_of(count: int) -> int:
    """How many of so many arcs the CPU makes, or changes on the way, at a time.

    Where there are more than that, each part is made twice. A sixteenth is little beside the rows; a part of the least
    size takes some megabytes, and one of the most keeps all cores busy.

    Examples
    --------
    >>> part_of(1000), part_of(1 << 26) == 1 << 22
    (1048576, True)
    """
    return min(max(count >> 4, 1 << 20), 1 << 24)


ROWS_AT_ONCE = 1 << 22  # whose first neighbors are read at a time


def entries_at_once(device: Device) -> int:
    """How many entries of rows a GPU has room to build at a time, beside the parts that they are made of."""
    there = free(device)
    assert there is not None  # a GPU always says
    return max((there - _OF_PARTS) // _OF_AN_ENTRY, 1)


def shortened(array: Any, count: int) -> Any:
    """The first `count` elements: in their place if few are left out, so that there are not two arrays; else a copy.

    Examples
    --------
    >>> import numpy as np
    >>> array = np.arange(16)
    >>> shortened(array, 15).base is array, shortened(array, 3).base is array
    (True, False)
    """
    return array[:count] if count >= _NEARLY_ALL * len(array) else array[:count].copy()
