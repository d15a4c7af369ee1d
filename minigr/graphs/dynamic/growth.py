"""Growth: keys inserted in as many passes as it takes, vertices given more buckets, graphs hashed afresh."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.errors import OutOfMemoryError
from minigr.graphs.dynamic.layout import CHAIN_LIMIT, FLUSH_SHARE, GROWTH, KEYS, LONG_CHAIN, NIL, buckets_for
from minigr.graphs.dynamic.storage import Report, Slabs, spread, starts

_NO_LIMIT = 2**31 - 1


def insert_keys(slabs: Slabs, batch: Any, limit: int = CHAIN_LIMIT) -> Report:
    """Insert the arcs of a batch; the report's ``changed`` and ``loops`` are what the caller has to book.

    The kernels leave aside what finds no slab and what would make a long chain. Between two passes over these the pool
    grows, and vertices with long chains get buckets for all that is about to come, so that it does not matter how many
    of a batch's edges meet at one vertex.

    Parameters
    ----------
    limit : int
        Slabs of a chain that is long.

    Raises
    ------
    OutOfMemoryError
        Part of the batch may have been inserted then.
    """
    total, moved = Report(), False
    while True:
        report = slabs.kernels.insert(slabs, batch, limit)
        slabs.settle(report)
        total.changed += report.changed
        total.loops += report.loops
        total.bad = report.bad
        if report.bad >= 0:
            break
        if report.long_chain:
            moved |= _widen(slabs, slabs.kernels.owners_in_state(batch, LONG_CHAIN))
            limit = _NO_LIMIT  # what is still long has the buckets it should have
        elif report.without_slab:
            slabs.reserve(1 + report.without_slab // 2)  # two keys to a fresh slab, or another pass
        else:
            break
    if moved and batch.with_slots:
        slabs.kernels.locate(slabs, batch)
    return total


def insert_distinct(slabs: Slabs, owners: Any, keys: Any, weights: Any) -> None:
    """Insert and book arcs that are not there yet."""
    batch = _distinct(slabs, owners, keys, weights is not None)
    report = _insert_batch(slabs, batch, weights)
    slabs.num_arcs += report.changed
    slabs.num_loops += report.loops


def _distinct(slabs: Slabs, owners: Any, keys: Any, weighted: bool) -> Any:
    n = slabs.num_vertices
    return slabs.kernels.arcs(slabs.allocator, owners, keys, n, with_slots=weighted, distinct=True)


def _insert_batch(slabs: Slabs, batch: Any, weights: Any) -> Report:
    report = insert_keys(slabs, batch, _NO_LIMIT)
    if weights is not None:
        slabs.kernels.put_weights(slabs, batch, weights)
    return report


def _widen(slabs: Slabs, owners: Any) -> bool:
    """Give those vertices new buckets that should have them, `owners` being what is about to be inserted.

    A vertex is moved if it should have far more buckets, or half of its slabs hold nothing but tombstones; both can
    only be after a share of its edges came or went, which pays for the move.
    """
    xp = slabs.device.xp
    vertices, coming = xp.unique(owners, return_counts=True)
    sizes = slabs.degrees[vertices].astype(np.int64) + coming
    ideal = buckets_for(xp, sizes, slabs.load_factor)
    firsts, which = slabs.chains(vertices)
    _, _, lengths = slabs.kernels.measure(slabs, firsts, False)
    held = xp.bincount(which, weights=lengths, minlength=len(vertices))
    chosen = (ideal >= GROWTH * slabs.heads[2 * vertices.astype(np.int64) + 1]) | (held >= 2 * ideal)
    if not bool(chosen.any()):
        return False
    relocate(slabs, vertices[chosen], sizes[chosen])
    return True


def relocate(slabs: Slabs, vertices: Any, sizes: Any) -> None:
    """Give `vertices` (distinct) new base slabs for as many edges as `sizes` says, without tombstones.

    Raises
    ------
    OutOfMemoryError
        Everything that is needed is allocated before the first write, so that nothing has changed then.
    """
    xp, kernels, empty = slabs.device.xp, slabs.kernels, slabs.allocator.empty
    firsts, which = slabs.chains(vertices)
    lives, used, lengths = kernels.measure(slabs, firsts, False)
    offsets, total = starts(xp, lives)
    slab_offsets, total_slabs = starts(xp, lengths)
    tombstones = int(used.sum()) - total
    buckets = buckets_for(xp, sizes, slabs.load_factor)
    per_vertex = xp.bincount(which, weights=lives, minlength=len(vertices))
    overflow = int((per_vertex // KEYS).sum())  # a slab is added to a chain only if those before it are full
    in_runs = int(buckets[buckets > 1].sum())
    slabs.reserve(int(buckets.sum()) + overflow + kernels.slack(total), in_runs)

    parts = _read_parts(slabs, firsts, offsets, total)
    batches = [(_distinct(slabs, owners, keys, weights is not None), weights) for owners, keys, weights in parts]
    old = kernels.list_slabs(slabs, firsts, slab_offsets, total_slabs)
    runs, from_free, bump = slabs.place_runs(buckets)
    owner_of, rank = spread(xp, buckets)
    bases = runs[owner_of] + rank.astype(np.int32)
    owners = vertices[owner_of].astype(np.int32)
    nobody = slabs.allocator.full(len(old), NIL, np.int32)
    free = empty(slabs.free_count - from_free + len(old), np.int32)
    free[: slabs.free_count - from_free] = slabs.free[: slabs.free_count - from_free]
    free[slabs.free_count - from_free :] = old

    kernels.clear(slabs, old, nobody)
    kernels.clear(slabs, bases, owners)
    if slabs.marks is not None:
        slabs.marks[old] = 0
    at = 2 * vertices.astype(np.int64)
    slabs.heads[at], slabs.heads[at + 1] = runs, buckets
    slabs.degrees[vertices] = 0
    slabs.free, slabs.free_count, slabs.bump = free, len(free), bump
    slabs.num_tombstones -= tombstones
    for number, (batch, weights) in enumerate(batches):
        _insert_batch(slabs, batch, weights)
        if number == 0 and slabs.marks is not None:
            kernels.note_fill(slabs, bases)


def rebuilt(slabs: Slabs, load_factor: float | None = None) -> Slabs:
    """The same arcs in slabs of their own: buckets by today's degrees, no tombstones, no free slabs between others."""
    firsts, _ = slabs.chains()
    lives, _, _ = slabs.kernels.measure(slabs, firsts, False)
    parts = _read_parts(slabs, firsts, *starts(slabs.device.xp, lives))
    degrees = slabs.degrees[: slabs.num_vertices]
    new = Slabs.sized(slabs.allocator, degrees, slabs.weight_dtype, load_factor or slabs.load_factor)
    for number, part in enumerate(parts):
        insert_distinct(new, *part)
        if number == 0 and slabs.marks is not None:
            set_marks(new)
    return new


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
        return rebuilt(slabs)
    except OutOfMemoryError:
        return slabs


def _read_parts(slabs: Slabs, firsts: Any, offsets: Any, total: int) -> list[tuple[Any, Any, Any]]:
    """Owners, keys and weights of the arcs in chains; under a mark those from before it apart, and first."""
    marked = slabs.marks is not None
    owners, keys, weights, fresh = slabs.kernels.read(slabs, firsts, offsets, total, False, marked)
    if not marked:
        return [(owners, keys, weights)]
    return [(owners[k], keys[k], None if weights is None else weights[k]) for k in (~fresh, fresh)]
