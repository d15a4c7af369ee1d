"""Growth: keys inserted in as many passes as it takes, marks, and what slabs need from time to time."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from minigr.graphs.dynamic.layout import FLUSH_SHARE, NIL, NO_LIMIT
from minigr.graphs.dynamic.storage import Report, Slabs
from minigr.graphs.dynamic.transaction import Transaction


def insert_keys(slabs: Slabs, batch: Any, limit: int | None = None, sizes: Any = None) -> Report:
    """Insert the arcs of a batch; the report's ``changed`` and ``loops`` are what the caller has to book.

    The kernels leave aside what finds no slab and what would make a long chain. Between two passes over these the pool
    grows, and vertices with long chains get buckets for all that is about to come, so that it does not matter how many
    of a batch's edges meet at one vertex.

    Parameters
    ----------
    limit : int, optional
        Slabs that a chain may have; by default ``slabs.chain_limit``.
    sizes : int[n], optional
        For slabs that hold nothing yet: how many arcs each vertex is to get.

    Raises
    ------
    OutOfMemoryError
        Part of the batch may have been inserted then.
    """
    before, moved = None, False
    if limit is None:
        limit = slabs.chain_limit
    if sizes is not None:
        before = slabs.kernels.fill(slabs, batch, sizes)
        if batch.resumed and not (before.without_slab or before.long_chain):
            return before
    while True:
        report = slabs.kernels.insert(slabs, batch, limit)
        slabs.settle(report)
        if before is not None:
            report.changed += before.changed
            report.loops += before.loops
        before = report
        if report.bad >= 0:
            break
        if report.long_chain:
            moved |= slabs.kernels.widen(slabs, batch, report)
            limit = NO_LIMIT  # what is still long has the buckets it should have
        elif report.without_slab:
            slabs.reserve(1 + report.without_slab // 2)  # two keys to a fresh slab, or another pass
        else:
            break
    if moved and batch.with_slots:
        slabs.kernels.locate(slabs, batch)
    return report


def set_marks(slabs: Slabs) -> None:
    """Everything that is there now came before the mark, of slabs that have none yet."""
    marks, firsts = slabs.allocator.full(slabs.capacity, 0, np.uint8), slabs.chains()[0]
    slabs.marks = marks
    slabs.kernels.note_fill(slabs, firsts)


def move_marks(slabs: Slabs, transaction: Transaction) -> None:
    """Everything that is there now came before the mark, until the transaction is undone."""
    marks = slabs.marks
    if marks is None:
        transaction.on_undo(setattr, slabs, "marks", None)
        set_marks(slabs)
        return
    # The array stays the same, since loops that are ready to run again hold it.
    before, firsts = slabs.allocator.grown(marks, len(marks), len(marks)), slabs.chains()[0]
    transaction.on_undo(slabs.device.xp.copyto, marks, before)
    slabs.kernels.note_fill(slabs, firsts)


def free_withdrawn(slabs: Slabs) -> None:
    """Free the slabs of the vertices behind the last one.

    Raises
    ------
    OutOfMemoryError
        They have slabs still, and the same or another call can free these.
    """
    n, count, xp = slabs.num_vertices, slabs.withdrawn, slabs.device.xp
    slabs.num_vertices = n + count
    try:
        ids = n + xp.flatnonzero(slabs.buckets()[n:])
        nobody = slabs.allocator.full(len(ids), NIL, np.int32)
        slabs.kernels.relocate(slabs, ids.astype(np.int32))  # then each has one slab
    finally:
        slabs.num_vertices = n
    slabs.make_room_for_free(len(ids))
    firsts = slabs.heads[2 * ids]
    slabs.kernels.clear(slabs, firsts, nobody)
    slabs.free[slabs.free_count : slabs.free_count + len(ids)] = firsts
    slabs.free_count += len(ids)
    slabs.withdrawn = 0


def should_rebuild(slabs: Slabs) -> bool:
    """Whether tombstones, or slabs that nobody uses, have become so many that rehashing is paid for.

    Few tombstones to a slab are not, because a rebuild goes through all slabs. Nor are as many free slabs as the warps
    of a GPU may hold at a time: the next insertion takes these, and gives back those that it did not need.
    """
    tombstones, in_use, free = slabs.num_tombstones, slabs.in_use, slabs.free_count
    held = 0 if slabs.launcher is None else slabs.launcher.most_warps
    flush = tombstones > 2 * in_use and tombstones > FLUSH_SHARE * (slabs.num_arcs + tombstones)
    return flush or (free > in_use and free > max(held, 1024))


def tended(slabs: Slabs) -> Slabs:
    """`slabs`, or the same rehashed if that is due, with one slab for each vertex that the last batch deleted.

    Vertices that a batch inserted before it was undone have no slabs any more.

    It is the first thing that a batch does, not the last of the one before, because it can't be undone; nor need it be,
    because the arcs stay the same. What there is no room for is left: slabs until the next rebuild, and that until the
    next batch looks again.
    """
    if slabs.vacant is not None:
        vacant, slabs.vacant = slabs.vacant, None
        with suppress(MemoryError):
            slabs.kernels.relocate(slabs, vacant)
    if slabs.withdrawn:
        with suppress(MemoryError):
            free_withdrawn(slabs)
    if should_rebuild(slabs):
        with suppress(MemoryError):
            return slabs.kernels.rebuilt(slabs)
    return slabs
