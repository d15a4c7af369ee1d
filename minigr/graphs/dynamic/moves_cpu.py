"""Moving vertices to new runs of slabs and rehashing graphs, on the CPU; `moves_cuda` has the same functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.graphs.dynamic.growth import insert_keys, set_marks
from minigr.graphs.dynamic.layout import GROWTH, KEYS, LONG_CHAIN, NIL, NO_LIMIT, buckets_for
from minigr.graphs.dynamic.storage import Report, Slabs, spread, starts
from minigr.graphs.dynamic.values import values_of


def widen(slabs: Slabs, batch: Any, report: Report) -> bool:
    """Give new buckets to vertices with arcs that a pass over a batch set aside, if they need them; whether any did.

    A vertex is moved if its arcs and the arcs that were set aside need far more buckets, or if it holds at least twice
    the slabs that it needs, because of tombstones. Both can happen only after a share of its edges came or went, and
    these changes pay for the move.

    Raises
    ------
    OutOfMemoryError
        If there is not enough memory. In this case nothing has changed.
    """
    vertices, coming = np.unique(batch.owners[batch.states == LONG_CHAIN], return_counts=True)
    sizes = slabs.degrees[vertices].astype(np.int64) + coming
    ideal = buckets_for(np, sizes, slabs.load_factor)
    firsts, which = slabs.chains(vertices)
    _, _, lengths = slabs.kernels.measure(slabs, firsts, False)
    held = np.bincount(which, weights=lengths, minlength=len(vertices))
    needed = np.maximum(ideal, sizes // KEYS)
    chosen = (ideal >= GROWTH * slabs.heads[2 * vertices.astype(np.int64) + 1]) | (held >= 2 * needed)
    if not chosen.any():
        return False
    _move(slabs, vertices[chosen], sizes[chosen])
    return True


def relocate(slabs: Slabs, vertices: Any) -> None:
    """Give `vertices` (distinct) new base slabs for their edges, without tombstones.

    Raises
    ------
    OutOfMemoryError
        If there is not enough memory. In this case nothing has changed.
    """
    _move(slabs, vertices, slabs.degrees[vertices].astype(np.int64))


def _move(slabs: Slabs, vertices: Any, sizes: Any) -> None:
    """Move vertices to the buckets that edges of these numbers need.

    All memory is allocated before the first write, so that nothing has changed if memory is short. For the same reason,
    index arrays have the dtypes that NumPy needs, because NumPy would otherwise copy them.
    """
    kernels, empty = slabs.kernels, slabs.allocator.empty
    firsts, which = slabs.chains(vertices)
    lives, used, lengths = kernels.measure(slabs, firsts, False)
    offsets, total = starts(np, lives)
    slab_offsets, total_slabs = starts(np, lengths)
    tombstones = int(used.sum()) - total
    buckets = buckets_for(np, sizes, slabs.load_factor)
    per_vertex = np.bincount(which, weights=lives, minlength=len(vertices))
    overflow = int((per_vertex // KEYS).sum())  # a slab is added to a chain only if the slabs before it are full
    in_runs = int(buckets[buckets > 1].sum())
    slabs.reserve(int(buckets.sum()) + overflow, in_runs)

    carried = values_of(slabs, vertices)
    parts = _read_parts(slabs, firsts, offsets, total)
    batches = [(_arcs(slabs, owners, keys, weights), weights) for owners, keys, weights in parts]
    old = kernels.list_slabs(slabs, firsts, slab_offsets, total_slabs)
    runs, from_free, bump = slabs.place_runs(buckets)
    owner_of, rank = spread(np, buckets)
    bases = runs[owner_of] + rank.astype(np.int32)
    owners = vertices[owner_of].astype(np.int32)
    nobody = slabs.allocator.full(len(old), NIL, np.int32)
    free = empty(slabs.free_count - from_free + len(old), np.int32)
    free[: slabs.free_count - from_free] = slabs.free[: slabs.free_count - from_free]
    free[slabs.free_count - from_free :] = old
    moved, old_slabs = vertices.astype(np.intp), None if slabs.marks is None else old.astype(np.intp)
    at_runs, at_buckets, narrow_buckets = 2 * moved, 2 * moved + 1, buckets.astype(np.int32)

    kernels.clear(slabs, old, nobody)
    kernels.clear(slabs, bases, owners)
    if slabs.marks is not None:
        slabs.marks[old_slabs] = 0
    slabs.heads[at_runs], slabs.heads[at_buckets] = runs, narrow_buckets
    slabs.note_widest(int(buckets.max(initial=0)))
    slabs.degrees[moved] = 0
    slabs.free, slabs.free_count, slabs.bump = free, len(free), bump
    slabs.num_tombstones -= tombstones
    for number, (batch, weights) in enumerate(batches):
        _insert_batch(slabs, batch, weights)
        if number == 0 and slabs.marks is not None:
            kernels.note_fill(slabs, bases)
    if carried is not None:
        carried.put(slabs)


def rebuilt(slabs: Slabs, load_factor: float | None = None) -> Slabs:
    """The same arcs in new slabs: buckets for the current degrees, no tombstones, no free slabs."""
    firsts, _ = slabs.chains()
    lives, _, _ = slabs.kernels.measure(slabs, firsts, False)
    parts = _read_parts(slabs, firsts, *starts(np, lives))
    options, carried = (slabs.weight_dtype, load_factor or slabs.load_factor, slabs.room), values_of(slabs)
    new = Slabs.sized(slabs.allocator, slabs.kernels, slabs.sizes(), *options)
    for number, (owners, keys, weights) in enumerate(parts):
        report = _insert_batch(new, _arcs(new, owners, keys, weights), weights)
        new.num_arcs += report.changed
        new.num_loops += report.loops
        if number == 0 and slabs.marks is not None:
            set_marks(new)
    if carried is not None:
        carried.put_in_new(new)
    return new


def _arcs(slabs: Slabs, owners: Any, keys: Any, weights: Any) -> Any:
    options = {"with_slots": weights is not None, "weights": weights}
    return slabs.kernels.arcs(slabs.allocator, owners, keys, slabs.num_vertices, **options)


def _insert_batch(slabs: Slabs, batch: Any, weights: Any) -> Report:
    report = insert_keys(slabs, batch, NO_LIMIT)
    if weights is not None:
        slabs.kernels.put_weights(slabs, batch, weights)
    return report


def _read_parts(slabs: Slabs, firsts: Any, offsets: Any, total: int) -> list[tuple[Any, Any, Any]]:
    """Owners, keys and weights of the arcs in chains. With a mark, the arcs before the mark are a first part."""
    marked = slabs.marks is not None
    fresh = slabs.allocator.empty(total if marked else 0, np.bool_)
    owners, keys, weights = slabs.kernels.read(slabs, firsts, offsets, total, False, fresh)
    if not marked:
        return [(owners, keys, weights)]
    return [(owners[k], keys[k], None if weights is None else weights[k]) for k in (~fresh, fresh)]
