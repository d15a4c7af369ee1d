"""Arcs from which rows are built, and what becomes of them on the way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from minigr.cached import cached_property

_NEARLY_ALL = 7 / 8


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
    turn : bool
        Whether each arc is turned round.
    down : {None, "keep", "fold"}
        Keep only arcs to a lesser vertex: those that are so, or those the other way as well, turned round.
    mirror : bool
        Whether each arc is stored both ways, a self-loop once.
    longest : int
        About as long as the longest row will be, where that is known: estimates go by it.
    """

    dst: Any
    src: Any = None
    offsets: Any = None
    begins: Any = None
    weights: Any = None
    place: Any = None
    turn: bool = False
    down: Literal["keep", "fold"] | None = None
    mirror: bool = False
    longest: int = 0

    @property
    def is_transpose(self) -> bool:
        """Whether the arcs of rows are turned round, and that is all."""
        return self.src is None and self.turn and not self.mirror and self.place is None and self.down is None

    @cached_property
    def count(self) -> int:
        """How many arcs there are."""
        return len(self.dst) if self.begins is None else int(self.offsets[-1])


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
