"""Calls of the slab kernels (`kernels.cuh`) on a GPU. Functions and results are those of `kernels_cpu`."""

from __future__ import annotations

from functools import cache
from typing import Any

import cupy
import numpy as np

from minigr.graphs.dynamic.arcs_cuda import Arcs, arcs, keep_pairs
from minigr.graphs.dynamic.build_cuda import degrees, fill, lay_out, open_bases
from minigr.graphs.dynamic.launch_cuda import (
    GROUP,
    NULL,
    Desk,
    blocks_for,
    current,
    graph_arguments,
    launch,
    link,
    load,
)
from minigr.graphs.dynamic.layout import FLOAT32, FLOAT64, KEEP_LOOPS, MIRROR, ONLY_CHANGED, RESUME
from minigr.graphs.dynamic.moves_cuda import rebuilt, relocate, widen
from minigr.graphs.dynamic.rows_cuda import rows
from minigr.graphs.dynamic.storage import Report, Slabs
from minigr.graphs.dynamic.weights_cuda import summarize

__all__ = [
    "Arcs", "arcs", "clear", "degrees", "fill", "find", "insert", "lay_out", "locate", "mark", "mask", "measure",
    "note_fill", "open_bases", "prepare", "prepare_undo", "put_weights", "read", "rebuilt", "relocate", "remove",
    "restore", "restore_swept", "restore_weights", "rows", "summarize", "sweep", "undo", "widen",
]  # fmt: skip


def prepare(slabs: Slabs) -> Desk:
    """See `kernels_cpu.prepare`."""
    return Desk()


def insert(slabs: Slabs, batch: Arcs, limit: int) -> Report:
    """See `kernels_cpu.insert`."""
    if batch.count == 0:
        return Report()
    if not batch.resumed:
        keep_pairs(slabs, batch)
    slots, weights = 0 if batch.slots is None else batch.slots.data.ptr, 0
    options = batch.options | RESUME * batch.resumed
    if batch.weights is not None and not batch.resumed and batch.weights.dtype.kind == "f":
        weights, options = batch.weights.data.ptr, options | (FLOAT32 if batch.weights.itemsize == 4 else FLOAT64)
    slabs.make_room_for_free(slabs.desk.most_warps)
    ends = (batch.src, batch.dst)
    kernel = "insert_arcs_reusing" if slabs.takes_tombstones else "insert_arcs"
    slabs.desk.launch(kernel, batch.count, slabs, *ends, options, limit, batch.states.data.ptr, slots, weights=weights)
    batch.resumed = True
    return slabs.desk.read_report()


def remove(slabs: Slabs, batch: Arcs) -> Report:
    """See `kernels_cpu.remove`."""
    if batch.count == 0:
        return Report()
    keep_pairs(slabs, batch)
    ends, states = (batch.src, batch.dst), 0 if batch.states is None else batch.states.data.ptr
    slots = 0 if batch.slots is None else batch.slots.data.ptr
    slabs.desk.launch("remove_arcs", batch.count, slabs, *ends, batch.options, states=states, slots=slots)
    return slabs.desk.read_report()


def restore(slabs: Slabs, batch: Arcs) -> None:
    """See `kernels_cpu.restore`."""
    if batch.count:
        slots = batch.slots.data.ptr
        slabs.desk.launch("restore_arcs", batch.count, slabs, batch.src, batch.dst, batch.options, slots=slots)


def undo(slabs: Slabs, batch: Arcs) -> Report:
    """See `kernels_cpu.undo`."""
    if not batch.resumed:
        return Report()
    options, states = batch.options | ONLY_CHANGED, batch.states.data.ptr
    slabs.desk.launch("remove_arcs", batch.count, slabs, batch.src, batch.dst, options, states=states)
    return slabs.desk.read_report()


def prepare_undo(width: int) -> None:
    """See `kernels_cpu.prepare_undo`: kernels are loaded when they are first asked for, which takes memory."""
    _load_undoing(current())


@cache
def _load_undoing(device: int) -> None:
    names = ("remove_arcs", "restore_arcs", "restore_slabs", "restore_weights_32", "restore_weights_64")
    link(device, names)
    for name in names:
        load(device, name)


def locate(slabs: Slabs, batch: Arcs) -> None:
    """See `kernels_cpu.locate`."""
    slots = batch.slots.data.ptr
    slabs.desk.launch("find_arcs", batch.count, slabs, batch.src, batch.dst, batch.options, slots=slots)


def find(
    slabs: Slabs, src: Any, dst: Any, with_slots: bool, room: tuple[Any, Any] | None = None
) -> tuple[Any, Any, int]:
    """See `kernels_cpu.find`."""
    found, slots = room or (cupy.empty(src.size, np.bool_), cupy.empty(src.size, np.int64) if with_slots else None)
    if src.size == 0:
        return found, slots, -1
    places = 0 if slots is None else slots.data.ptr
    slabs.desk.launch("find_arcs", src.size, slabs, src, dst, KEEP_LOOPS, slots=places, found=found.data.ptr)
    return found, slots, slabs.desk.read_bad()


def mark(slabs: Slabs, src: Any, dst: Any, mirror: bool, only: Any, bits: Any) -> tuple[Any, int]:
    """See `kernels_cpu.mark`; here in no order."""
    ids = cupy.empty(src.size * (2 if mirror else 1), np.int64)
    if src.size == 0:
        return ids, -1
    outputs = {"slots": ids.data.ptr, "bits": bits.data.ptr, "only": 0 if only is None else only.data.ptr}
    slabs.desk.launch("mark_arcs", ids.size, slabs, src, dst, MIRROR * mirror, **outputs)
    count, bad = slabs.desk.read_listed()
    return ids[:count], bad


def mask(batch: Arcs) -> Any:
    """See `kernels_cpu.mask`."""
    table = (batch.first, np.uint32(len(batch.first) - 1))
    launch("mask_changed", blocks_for(batch.count), *batch.arguments(), *table, batch.states, batch.changed)
    return batch.changed


def put_weights(slabs: Slabs, batch: Arcs, weights: Any, held: Any = None) -> None:
    """See `kernels_cpu.put_weights`."""
    if batch.count == 0:
        return
    arrays = {"slots": batch.slots.data.ptr, "weights": weights.data.ptr, "held": 0 if held is None else held.data.ptr}
    kernel, ends = f"put_weights_{8 * weights.itemsize}", (batch.src, batch.dst)
    slabs.desk.launch(kernel, batch.count, slabs, *ends, batch.options, cells=batch.last, **arrays)


def restore_weights(slabs: Slabs, batch: Arcs, held: Any) -> None:
    """See `kernels_cpu.restore_weights`."""
    kernel, count = f"restore_weights_{8 * held.itemsize}", np.int64(batch.count)
    launch(kernel, blocks_for(batch.count), batch.slots, count, held, slabs.weights)


def clear(slabs: Slabs, which: Any, owners: Any) -> None:
    """See `kernels_cpu.clear`."""
    count = len(which)
    launch("clear_slabs", blocks_for(count * GROUP), which, np.int64(count), owners, slabs.pool)


def measure(slabs: Slabs, firsts: Any, since: bool) -> tuple[Any, Any, Any]:
    """See `kernels_cpu.measure`."""
    lives, used, lengths = (cupy.empty(len(firsts), np.int64) for _ in range(3))
    chains = (firsts, np.int64(len(firsts)), np.bool_(since))
    blocks = blocks_for(len(firsts) * GROUP)
    launch("measure_chains", blocks, *graph_arguments(slabs), *chains, lives, used, lengths)
    return lives, used, lengths


def read(slabs: Slabs, firsts: Any, offsets: Any, total: int, since: bool) -> tuple[Any, Any, Any]:
    """See `kernels_cpu.read`."""
    empty = slabs.allocator.empty
    owners, keys = empty(total, np.int32), empty(total, np.int32)
    weights = None if slabs.weights is None else empty(total, slabs.weights.dtype)
    if total:
        kernel = "read_chains_32" if weights is None else f"read_chains_{8 * weights.itemsize}"
        inputs = (firsts, np.int64(len(firsts)), offsets, np.bool_(since))
        pairs = (NULL if weights is None else slabs.weights, owners, keys, NULL if weights is None else weights)
        launch(kernel, blocks_for(len(firsts) * GROUP), *graph_arguments(slabs), *inputs, *pairs)
    return owners, keys, weights


def note_fill(slabs: Slabs, firsts: Any) -> None:
    """See `kernels_cpu.note_fill`."""
    chains = (firsts, np.int64(len(firsts)))
    launch("note_fills", blocks_for(len(firsts) * GROUP), *graph_arguments(slabs), *chains, slabs.marks)


def sweep(slabs: Slabs, dead: Any, swept: Any) -> Report:
    """See `kernels_cpu.sweep`."""
    if not slabs.bump:
        return Report()
    launch("sweep_slabs", blocks_for(slabs.bump * GROUP), *graph_arguments(slabs), dead, swept, *slabs.desk.report)
    return slabs.desk.read_report()


def restore_swept(slabs: Slabs, swept: Any) -> None:
    """See `kernels_cpu.restore_swept`."""
    launch("restore_slabs", blocks_for(slabs.bump * GROUP), *graph_arguments(slabs), swept)
