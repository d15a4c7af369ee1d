"""A batch of arcs for the kernels of a GPU."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np

from minigr.graphs.dynamic.allocator import Allocator
from minigr.graphs.dynamic.layout import CHANGED, FLOAT32, FLOAT64, KEEP_LOOPS, MIRROR, REVERSE

_EMPTY_TABLE = 0xFF  # NIL has this value in each byte
_LEAST_CELLS = 16


class Arcs:
    """A batch of pairs and its arcs: the arcs of the pairs, followed by the reverse arcs if the batch is mirrored.

    All memory that kernels write besides the slabs is one allocation, because each allocation takes longer than packing
    all arguments of a launch. The attributes are addresses, or 0 for memory that is not needed.

    Attributes
    ----------
    src, dst : int32[pairs]
    options : int
        The flags `MIRROR`, `REVERSE` and `KEEP_LOOPS`.
    count : int
        The number of arcs, including arcs that are left out.
    weights : [pairs] or None
    looks_at : int
        The flag for weights that may be NaN, or 0.
    last, first : int32[cells]
        Tables that say which of equal pairs is the last, and which is the first.
    slots : int64[arcs]
    held : [arcs]
        Room for the old weights in the slots, with the dtype of the weights.
    states : uint8[arcs]
    changed : bool[pairs] or None
        Room for the mask. This is an array, because users get it.
    resumed : bool
        Whether `states` says which arcs are settled.
    """

    __slots__ = (
        "_memory", "cells", "changed", "count", "dst", "first", "held", "last", "looks_at", "options", "resumed",
        "slots", "src", "states", "weights",
    )  # fmt: skip

    def __init__(
        self, allocator: Allocator, src: Any, dst: Any, options: int, weights: Any, with_states: bool,
        with_slots: bool, with_held: bool, with_mask: bool,
    ) -> None:  # fmt: skip
        pairs = src.size
        count = 2 * pairs if options & MIRROR else pairs
        self.src, self.dst, self.options, self.count, self.weights = src, dst, options, count, weights
        self.looks_at = self.cells = self.last = self.first = self.slots = self.held = self.states = end = 0
        width, self.changed, self.resumed = 0, None, False
        if weights is not None or with_mask:
            self.cells = max(_LEAST_CELLS, 1 << (2 * pairs - 1).bit_length())
        if weights is not None:
            width = weights.itemsize
            if weights.dtype.kind == "f":
                self.looks_at = FLOAT32 if width == 4 else FLOAT64
            end = 4 * self.cells
        if with_mask:
            self.changed = allocator.full(pairs, False, np.bool_)
            end += 4 * self.cells
        size = end + count * (8 * with_slots + width * with_held + with_states)
        self._memory = memory = allocator.memory(size)
        at = memory.ptr
        if end:
            memory.memset_async(_EMPTY_TABLE, end)
            if weights is not None:
                self.last = at
            if with_mask:
                self.first = at + end - 4 * self.cells
            at += end
        if with_slots:
            self.slots = at
            at += 8 * count
        if with_held:
            self.held = at
            at += width * count
        if with_states:
            self.states = at

    @property
    def with_slots(self) -> bool:
        """Whether insertions and deletions store the positions of arcs."""
        return self.slots != 0

    def become(self, owners: Any, keys: Any) -> None:
        """Replace the arcs by others, whose states are already set. There must not be more arcs than states."""
        self.src, self.dst, self.options, self.count, self.resumed = owners, keys, KEEP_LOOPS, owners.size, True

    def new_slots(self) -> Any:
        """int64[]: the positions of the arcs that an insertion made."""
        return self._array(self.slots, np.int64)[self._array(self.states, np.uint8) == CHANGED]

    def _array(self, address: int, dtype: Any) -> Any:
        return cupy.ndarray(self.count, dtype, self._memory + (address - self._memory.ptr))

    def arguments(self) -> tuple[Any, ...]:
        """The batch as arguments of kernels that do not take an `Update`."""
        flags = (np.bool_(self.options & flag) for flag in (MIRROR, REVERSE, KEEP_LOOPS))
        return (self.src, self.dst, np.int64(self.src.size), *flags)


def arcs(
    allocator: Allocator, src: Any, dst: Any, n: int, *, mirror: bool = False, reverse: bool = False,
    loops: bool = True, with_states: bool = True, with_slots: bool = False, weights: Any = None,
    with_held: bool = False, with_mask: bool = False,
) -> Arcs:  # fmt: skip
    """See `kernels_cpu.arcs`."""
    options = MIRROR * mirror | REVERSE * reverse | KEEP_LOOPS * loops
    return Arcs(allocator, src, dst, options, weights, with_states or with_mask, with_slots, with_held, with_mask)
