"""Growth: keys inserted in as many passes as it takes, marks, and graphs hashed afresh when that is due."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.errors import OutOfMemoryError
from minigr.graphs.dynamic.layout import CHAIN_LIMIT, FLUSH_SHARE
from minigr.graphs.dynamic.storage import Report, Slabs

NO_LIMIT = 2**31 - 1
"""More slabs than a chain can have."""


def insert_keys(slabs: Slabs, batch: Any, limit: int = CHAIN_LIMIT, sizes: Any = None) -> Report:
    """Insert the arcs of a batch; the report's ``changed`` and ``loops`` are what the caller has to book.

    The kernels leave aside what finds no slab and what would make a long chain. Between two passes over these the pool
    grows, and vertices with long chains get buckets for all that is about to come, so that it does not matter how many
    of a batch's edges meet at one vertex.

    Parameters
    ----------
    limit : int
        Slabs of a chain that is long.
    sizes : int[n], optional
        For slabs that hold nothing yet: how many arcs each vertex is to get.

    Raises
    ------
    OutOfMemoryError
        Part of the batch may have been inserted then.
    """
    total, moved = Report(), False
    if sizes is not None:
        total = slabs.kernels.fill(slabs, batch, sizes)
        if batch.resumed and not (total.without_slab or total.long_chain):
            return total
    while True:
        report = slabs.kernels.insert(slabs, batch, limit)
        slabs.settle(report)
        total.changed += report.changed
        total.loops += report.loops
        total.bad = report.bad
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
    return total


def set_marks(*stores: Slabs) -> None:
    """Everything that is there now came before the mark."""
    room = [s.allocator.full(s.capacity, 0, np.uint8) if s.marks is None else s.marks for s in stores]
    chains = [slabs.chains()[0] for slabs in stores]
    for slabs, marks, firsts in zip(stores, room, chains, strict=True):
        slabs.marks = marks
        slabs.kernels.note_fill(slabs, firsts)


def should_rebuild(slabs: Slabs) -> bool:
    """Whether tombstones, or slabs that nobody uses, have become so many that hashing afresh is paid for.

    Few tombstones to a slab are not, because a rebuild goes through all slabs.
    """
    used = slabs.num_arcs + slabs.num_tombstones
    flush = slabs.num_tombstones > max(FLUSH_SHARE * used, 2 * slabs.in_use)
    return flush or slabs.free_count > max(slabs.in_use, 1024)


def rebuild_if_due(slabs: Slabs) -> Slabs:
    """`slabs`, or the same hashed afresh. Without room for both it is put off: the next batch looks again."""
    if not should_rebuild(slabs):
        return slabs
    try:
        return slabs.kernels.rebuilt(slabs)
    except OutOfMemoryError:
        return slabs
