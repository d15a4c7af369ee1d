"""Growth of slabs: insertion of keys in several passes, marks, and maintenance."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from minigr.graphs.dynamic.layout import FLUSH_SHARE, NIL, NO_LIMIT
from minigr.graphs.dynamic.storage import Report, Slabs
from minigr.graphs.dynamic.transaction import Transaction


def insert_keys(slabs: Slabs, batch: Any, limit: int | None = None, sizes: Any = None) -> Report:
    """Insert the arcs of a batch. The caller must count the ``changed`` and ``loops`` of the report.

    The kernels set aside arcs that find no slab and arcs that would make a long chain. Between two passes over these
    arcs the pool grows, and vertices with long chains get buckets for all arcs that are about to come. So it does not
    matter how many edges of a batch meet at one vertex.

    Parameters
    ----------
    limit : int, optional
        The slabs that a chain may have; by default ``slabs.chain_limit``.
    sizes : int[n], optional
        For empty slabs: how many arcs each vertex will get.

    Raises
    ------
    OutOfMemoryError
        Part of the batch may have been inserted.
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
            limit = NO_LIMIT  # chains that are still long belong to vertices that have enough buckets
        elif report.without_slab:
            slabs.reserve(1 + report.without_slab // 2)  # two keys for each new slab, or another pass follows
        else:
            break
    if moved and batch.with_slots:
        slabs.kernels.locate(slabs, batch)
    return report


def set_marks(slabs: Slabs) -> None:
    """Set the mark after all existing arcs, for slabs without a mark."""
    marks, firsts = slabs.allocator.full(slabs.capacity, 0, np.uint8), slabs.chains()[0]
    slabs.marks = marks
    slabs.kernels.note_fill(slabs, firsts)


def move_marks(slabs: Slabs, transaction: Transaction) -> None:
    """Set the mark after all existing arcs, until the transaction is undone."""
    marks = slabs.marks
    if marks is None:
        transaction.on_undo(setattr, slabs, "marks", None)
        set_marks(slabs)
        return
    # Keep the array, because loops that are ready to run again hold it.
    before, firsts = slabs.allocator.grown(marks, len(marks), len(marks)), slabs.chains()[0]
    transaction.on_undo(slabs.device.xp.copyto, marks, before)
    slabs.kernels.note_fill(slabs, firsts)


def free_withdrawn(slabs: Slabs) -> None:
    """Free the slabs of the vertices that were withdrawn.

    Raises
    ------
    OutOfMemoryError
        If there is not enough memory. The vertices then still have slabs, and another call can free these.
    """
    n, count, xp = slabs.num_vertices, slabs.withdrawn, slabs.device.xp
    slabs.num_vertices = n + count
    try:
        ids = n + xp.flatnonzero(slabs.buckets()[n:])
        nobody = slabs.allocator.full(len(ids), NIL, np.int32)
        slabs.kernels.relocate(slabs, ids.astype(np.int32))  # now each of these vertices has one slab
    finally:
        slabs.num_vertices = n
    slabs.make_room_for_free(len(ids))
    firsts = slabs.heads[2 * ids]
    slabs.kernels.clear(slabs, firsts, nobody)
    slabs.free[slabs.free_count : slabs.free_count + len(ids)] = firsts
    slabs.free_count += len(ids)
    slabs.withdrawn = 0


def should_rebuild(slabs: Slabs) -> bool:
    """Whether there are so many tombstones or unused slabs that rehashing pays off.

    Rehashing does not pay off for few tombstones per slab, because it reads all slabs. Nor does it pay off for as many
    free slabs as the warps of a GPU may hold: the next insertion takes these slabs, and returns those that it does not
    need.
    """
    tombstones, in_use, free = slabs.num_tombstones, slabs.in_use, slabs.free_count
    held = 0 if slabs.launcher is None else slabs.launcher.most_warps
    flush = tombstones > 2 * in_use and tombstones > FLUSH_SHARE * (slabs.num_arcs + tombstones)
    return flush or (free > in_use and free > max(held, 1024))


def tended(slabs: Slabs) -> Slabs:
    """Return `slabs`, rehashed if necessary, with one slab for each vertex that the last batch deleted.

    Vertices that were inserted by a batch that was undone lose their slabs.

    A batch does this first, not last, because this can't be undone. It need not be undone, because the arcs stay the
    same. If there is not enough memory, slabs are not freed until the next rehash, and a rehash is left to the next
    batch.
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
