"""The memory that kernels of dynamic graphs would allocate, for a rehearsal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from minigr.device import CPU, Device, device_of
from minigr.errors import EstimateError
from minigr.graphs.build_outline import room_to_sort
from minigr.graphs.dynamic.allocator import Allocator
from minigr.graphs.dynamic.growth import set_marks
from minigr.graphs.dynamic.growth_outline import Growing
from minigr.graphs.dynamic.layout import KEYS, buckets_for
from minigr.graphs.dynamic.storage import Report, Slabs
from minigr.outline import Outline

_COUNTED = 1 << 22  # how many ends are counted at once
_PLAN = 4  # words of the plan that a GPU makes for a vertex that is moved


@dataclass
class Arcs:
    """A batch of arcs: `held` is the memory of the batch, and `growing` says how its vertices are expected to grow."""

    count: int
    held: list[Any]
    with_slots: bool
    ends: list[Any]
    changed: Any
    resumed: bool = False
    growing: Growing | None = None

    def new_slots(self) -> Any:
        """See `kernels_cpu.Arcs.new_slots`."""
        raise EstimateError("there is no estimate of insertions into a DynamicGraph whose edges have values")


def rows(slabs: Slabs) -> tuple[Any, Any, Any]:
    """See `kernels_cpu.rows`."""
    n, empty = slabs.num_vertices, slabs.allocator.empty
    if slabs.device.is_cuda:
        listed = [empty(n, np.int32)]
    else:  # the chains and their owners, the counts of each chain, and the owner and key of each arc
        listed = [empty(3 * slabs.in_use, np.int64), empty(slabs.in_use + slabs.num_arcs, np.int32)]
    keys = empty(slabs.num_arcs, np.int32)
    weights = None if slabs.weights is None else empty(slabs.num_arcs, slabs.weights.dtype)
    del listed
    offsets = empty(n + 1, np.int64)
    if not slabs.device.is_cuda:
        room_to_sort(n, keys, weights)
    return offsets, keys, weights


def prepare(slabs: Slabs) -> None:
    """See `kernels_cpu.prepare`."""


def lay_out(slabs: Slabs, sizes: Any) -> int:
    """See `kernels_cpu.lay_out`."""
    if sizes.values is None:
        raise EstimateError("there is no estimate of a DynamicGraph whose degrees aren't known before it is built")
    slabs.heads = slabs.allocator.empty(2 * slabs.num_vertices, np.int32)
    xp = sizes.device.real.xp
    return sum(int(buckets_for(xp, piece, slabs.load_factor).sum()) for piece in sizes.pieces())


def open_bases(slabs: Slabs) -> None:
    """See `kernels_cpu.open_bases`."""
    if not slabs.device.is_cuda:
        empty = slabs.allocator.empty
        listed = [empty(slabs.bump, np.int32), empty(4 * slabs.bump + 2 * slabs.num_vertices, np.int64)]
        del listed


def arcs(
    allocator: Allocator, src: Any, dst: Any, n: int, *, mirror: bool = False, reverse: bool = False,
    loops: bool = True, with_states: bool = True, with_slots: bool = False, weights: Any = None,
    with_held: bool = False, with_mask: bool = False,
) -> Arcs:  # fmt: skip
    """See `kernels_cpu.arcs`."""
    count, on_gpu, empty = len(src) * (2 if mirror else 1), allocator.device.is_cuda, allocator.empty
    tables = ((weights is not None) + with_mask) * max(16, 1 << (2 * len(src) - 1).bit_length())
    states = count if with_states or with_mask or not on_gpu else 0
    arrays = {np.int32: tables if on_gpu else 3 * count, np.int64: count * with_slots, np.uint8: states}
    held = [empty(length, dtype) for dtype, length in arrays.items()]
    if with_held:
        held.append(empty(count, weights.dtype))
    if on_gpu:  # on a CPU, the batch holds copies of the ends
        held += [src, dst]
    changed = empty(len(src), np.bool_) if with_mask else None
    ends = [dst if reverse else src, *([dst] if mirror else [])] if with_states else []  # the ends that insertions read
    return Arcs(count, held, with_slots, ends, changed)


def insert(slabs: Slabs, batch: Arcs, limit: int) -> Report:
    """See `kernels_cpu.insert`: the expected number of arcs find places."""
    growing = batch.growing
    if growing is None:
        growing = batch.growing = _growing(slabs, batch.ends)
        slabs.degrees.values = None  # the degrees, which the next batch would need, are unknown now
    before = float(growing.held.sum())
    asked, without, long = growing.insert(limit, slabs.available)
    found = float(growing.held.sum()) - before
    return Report(changed=round(found), without_slab=round(without), long_chain=round(long), taken=round(asked))


def _growing(slabs: Slabs, ends: list[Any]) -> Growing:
    heads, held = slabs.heads.known, slabs.degrees.known
    if heads is None or held is None or any(end.known is None for end in ends):
        raise EstimateError("there is no estimate of insertions if the DynamicGraph or the edges are not known yet")
    n, where = slabs.num_vertices, device_of(held)
    counts = _counted(where, ends, n)
    vertices = where.xp.flatnonzero(counts)
    given = (heads[1 : 2 * n : 2], held, counts)
    buckets, held, coming = (CPU.asarray(array[vertices]).astype(np.float64) for array in given)
    return Growing(buckets, held, coming, slabs.device.is_cuda)


def _counted(device: Device, ends: list[Any], n: int) -> Any:
    """int64[n] on a device: how often each vertex is one of these ends. The ends may be on another device."""
    counts = device.xp.zeros(n, np.int64)
    for end in ends:
        for first in range(0, len(end), _COUNTED):
            counts += device.xp.bincount(device.asarray(end.known[first : first + _COUNTED]), minlength=n)
    return counts


def remove(slabs: Slabs, batch: Arcs) -> Report:
    """See `kernels_cpu.remove`: this assumes that all arcs are there."""
    return Report(changed=batch.count)


def sweep(slabs: Slabs, dead: Any, swept: Any) -> Report:
    """See `kernels_cpu.sweep`."""
    return Report()


def prepare_undo(slabs: Slabs) -> None:
    """See `kernels_cpu.prepare_undo`."""


def locate(slabs: Slabs, batch: Arcs) -> None:
    """See `kernels_cpu.locate`."""
    if not slabs.device.is_cuda:
        found = slabs.allocator.empty(batch.count, np.bool_), slabs.allocator.empty(batch.count, np.int64)
        del found


def undo(slabs: Slabs, batch: Arcs) -> Report:
    """See `kernels_cpu.undo`."""
    return Report()


def restore(slabs: Slabs, batch: Any) -> None:
    """See `kernels_cpu.restore`."""


restore_swept = restore_weights = restore


def mask(batch: Arcs) -> Any:
    """See `kernels_cpu.mask`."""
    if not batch.changed.device.is_cuda:
        chosen = batch.changed.like(np.bool_, batch.count), batch.changed.like(np.int32)
        del chosen
    return batch.changed


def clear(slabs: Slabs, which: Any, owners: Any) -> None:
    """See `kernels_cpu.clear`."""


def note_fill(slabs: Slabs, firsts: Any) -> None:
    """See `kernels_cpu.note_fill`."""


def widen(slabs: Slabs, batch: Arcs, report: Report) -> bool:
    """See `moves_cpu.widen`: the expected number of vertices is moved."""
    growing: Any = batch.growing
    count, *moved = growing.widen(slabs.load_factor)
    if count:
        _move(slabs, count, *moved)
    return bool(count)


def relocate(slabs: Slabs, vertices: Any) -> None:
    """See `moves_cpu.relocate`: the vertices are those that were deleted."""
    buckets, chosen = slabs.buckets().known, vertices.known
    if buckets is None or chosen is None:
        raise EstimateError("there is no estimate of a batch that follows deletions of vertices in the same call")
    bases = int(buckets[chosen].sum())
    _move(slabs, len(vertices), bases, bases, 0, len(vertices))


def _move(slabs: Slabs, vertices: int, bases: int, held: int, arcs: int, runs: int) -> None:
    """Move vertices. `bases`, `held` and `arcs` count their base slabs, slabs and arcs, and `runs` their new base
    slabs."""
    empty, weighted = slabs.allocator.empty, slabs.weights is not None
    moved = []
    if slabs.device.is_cuda:
        old = held + slabs.num_tombstones // KEYS
        moved = [empty(_PLAN * vertices, np.int32), empty(2 * old, np.int32)]
    else:
        chains = [empty(bases, np.int32), empty(6 * bases, np.int64)]
        moved = [*chains, empty(3 * vertices, np.int64)]
    slabs.reserve(runs + arcs // KEYS, runs)
    if not slabs.device.is_cuda:
        read = [empty(2 * arcs, np.int32), empty(arcs * weighted, slabs.weight_dtype or np.int32)]
        again = [empty(3 * arcs, np.int32), empty(arcs, np.uint8), empty(arcs * weighted, np.int64)]
        placed = [empty(2 * runs, np.int64), empty(2 * runs + 2 * held, np.int32), empty(3 * vertices, np.int64)]
        moved += [*read, *again, *placed]
    slabs.free = empty(slabs.free_count + held, np.int32)
    slabs.free_count += held
    slabs.bump += runs
    del moved


def rebuilt(slabs: Slabs, load_factor: float | None = None) -> Slabs:
    """See `moves_cpu.rebuilt`."""
    if slabs.values:
        raise EstimateError("there is no estimate of rehashing a DynamicGraph whose edges have values")
    empty, arcs, weighted = slabs.allocator.empty, slabs.num_arcs, slabs.weights is not None
    held = []
    if not slabs.device.is_cuda:
        buckets = slabs.buckets().known
        bases = slabs.in_use if buckets is None else int(buckets.sum())
        held = [empty(bases, np.int32), empty(2 * bases, np.int64), empty(2 * arcs, np.int32)]
        held.append(empty(arcs * weighted, slabs.weight_dtype or np.int32))
    options = slabs.weight_dtype, load_factor or slabs.load_factor, slabs.room
    new = Slabs.sized(slabs.allocator, slabs.kernels, slabs.degrees[: slabs.num_vertices], *options)
    if not slabs.device.is_cuda:
        held += [empty(3 * arcs, np.int32), empty(arcs, np.uint8), empty(arcs * weighted, np.int64)]
    new.num_arcs, new.num_loops, new.degrees = slabs.num_arcs, slabs.num_loops, new.degrees
    new.degrees.values = slabs.degrees[: slabs.num_vertices].known
    if slabs.marks is not None:
        set_marks(new)
    del held
    return new


def arcs_of(slabs: Slabs, vertices: Any) -> tuple[Any, Any]:
    """See `export.arcs_of`."""
    degrees, chosen = slabs.degrees.known, vertices.known
    if degrees is None or chosen is None:
        raise EstimateError("there is no estimate of vertices of a DynamicGraph that are not known yet")
    count, empty = int(degrees[chosen].sum()), slabs.allocator.empty
    bases = int(slabs.buckets().known[chosen].sum())
    listed = [empty(bases, np.int32), empty(6 * bases, np.int64)]
    weights = None if slabs.weights is None else empty(count, slabs.weight_dtype)
    owners, keys = empty(count, np.int32), empty(count, np.int32)
    del listed, weights
    return owners, keys


def degrees(
    allocator: Allocator, src: Any, dst: Any, n: int, *, mirror: bool, in_edges: bool, loops: bool
) -> tuple[Any, Any, int]:
    """See `kernels_cpu.degrees`. The function reads the edges, so their values must be known."""
    if src.values is None or dst.values is None:
        raise EstimateError("there is no estimate of a DynamicGraph of edges that are not known yet")
    on_gpu = allocator.device.is_cuda
    starts, ends = (_counted(src.device.real, [end], n) for end in (src, dst))
    if mirror:
        starts += ends
    into = in_edges or (mirror and not on_gpu)
    found = [
        Outline(src.device, n, np.int32 if on_gpu else np.int64, values=each) for each in (starts, ends)[: 1 + into]
    ]
    return found[0], found[1] if in_edges else None, -1


def fill(slabs: Slabs, batch: Arcs, sizes: Any) -> Report:
    """See `kernels_cpu.fill`: this assumes that all arcs find places."""
    batch.resumed = True
    if slabs.device.is_cuda and not batch.with_slots:
        batch.held.append(slabs.allocator.empty(2 * batch.count, np.int32))
    return Report(changed=batch.count)


def put_weights(slabs: Slabs, batch: Arcs, weights: Any) -> None:
    """See `kernels_cpu.put_weights`."""


class _Unknown(EstimateError, AttributeError):
    """A function that this module does not have."""


def __getattr__(name: str) -> Any:
    raise _Unknown(f"there is no estimate of what builds or changes a DynamicGraph by {name!r}")
