"""A batch of arcs, as the kernels of a GPU are given it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from minigr.graphs.dynamic.allocator import Allocator
from minigr.graphs.dynamic.layout import KEEP_LAST, KEEP_LOOPS, MIRROR, NIL, REVERSE
from minigr.graphs.dynamic.storage import Slabs


@dataclass
class Arcs:
    """A batch of pairs and the arcs that it stands for: those of the pairs, then, if mirrored, those back.

    Attributes
    ----------
    src, dst : int32[pairs]
    mirror, reverse, loops : bool
        As for `arcs`.
    weights : [pairs] or None
    states : uint8[arcs] or None
        None until an insertion or a mask needs it.
    slots : int64[arcs] or None
    first, last : int32[cells] or None
        Tables that tell of equal pairs the first and the last; None if that does not matter.
    changed : bool[pairs] or None
        Room for the mask.
    resumed : bool
        Whether `states` tells which arcs are settled.
    """

    src: Any
    dst: Any
    mirror: bool
    reverse: bool
    loops: bool
    weights: Any = None
    states: Any = None
    slots: Any = None
    first: Any = None
    last: Any = None
    changed: Any = None
    resumed: bool = False

    @property
    def count(self) -> int:
        """How many arcs there are, those counted that are left out."""
        return self.src.size * (2 if self.mirror else 1)

    @property
    def with_slots(self) -> bool:
        """Whether insertions and deletions note where arcs stand."""
        return self.slots is not None

    @property
    def options(self) -> int:
        """The flags, for kernels that are given an `Update`."""
        return MIRROR * self.mirror | REVERSE * self.reverse | KEEP_LOOPS * self.loops

    def arguments(self) -> tuple:
        """What other kernels are given of a batch."""
        flags = (np.bool_(self.mirror), np.bool_(self.reverse), np.bool_(self.loops))
        return (self.src, self.dst, np.int64(len(self.src)), *flags)


def arcs(
    allocator: Allocator, src: Any, dst: Any, n: int, *, mirror: bool = False, reverse: bool = False,
    loops: bool = True, with_states: bool = True, with_slots: bool = False, weights: Any = None,
    with_mask: bool = False,
) -> Arcs:  # fmt: skip
    """See `kernels_cpu.arcs`."""
    batch = Arcs(src, dst, mirror, reverse, loops, weights)
    if with_states or with_mask:
        batch.states = allocator.empty(batch.count, np.uint8)
    cells = max(16, 1 << (2 * len(src) - 1).bit_length()) if len(src) else 16
    if with_slots:
        batch.slots = allocator.empty(batch.count, np.int64)
    if weights is not None:
        batch.last = allocator.full(cells, NIL, np.int32)
    if with_mask:
        batch.first = allocator.full(cells, NIL, np.int32)
        batch.changed = allocator.full(len(src), False, np.bool_)
    return batch


def keep_pairs(slabs: Slabs, batch: Arcs) -> None:
    """Find out which of equal pairs counts, where that matters."""
    for cells, last in ((batch.first, 0), (batch.last, KEEP_LAST)):
        if cells is not None:
            slabs.desk.launch(
                "keep_pairs", batch.src.size, slabs, batch.src, batch.dst, batch.options | last, cells=cells
            )
