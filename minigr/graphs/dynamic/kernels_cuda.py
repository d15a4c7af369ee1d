"""The slab kernels (`kernels.cuh`) of a GPU as functions. Functions and results are those of `kernels_cpu`."""

from __future__ import annotations

from functools import cache
from typing import Any

import cupy
import numpy as np

from minigr.graphs.dynamic.arcs_cuda import Arcs, arcs
from minigr.graphs.dynamic.build_cuda import degrees, fill, lay_out, open_bases
from minigr.graphs.dynamic.launch_cuda import (
    GROUP,
    NULL,
    Launcher,
    blocks_for,
    graph_arguments,
    launch,
    link,
    load,
    report_of,
)
from minigr.graphs.dynamic.layout import KEEP_LOOPS, MIRROR, ONLY_CHANGED, RESUME, WORD_BAD, WORD_LISTED
from minigr.graphs.dynamic.moves_cuda import rebuilt, relocate, widen
from minigr.graphs.dynamic.rows_cuda import rows
from minigr.graphs.dynamic.storage import Report, Slabs
from minigr.graphs.dynamic.weights_cuda import summarize

__all__ = [
    "Arcs", "arcs", "clear", "degrees", "fill", "find", "insert", "lay_out", "locate", "mark", "mask", "measure",
    "note_fill", "open_bases", "prepare", "prepare_undo", "put_weights", "read", "rebuilt", "relocate", "remove",
    "restore", "restore_swept", "restore_weights", "rows", "summarize", "sweep", "undo", "widen",
]  # fmt: skip


def prepare(slabs: Slabs) -> Launcher:
    """See `kernels_cpu.prepare`."""
    launcher = Launcher()
    launcher.idle.append(Launcher())
    return launcher


def insert(slabs: Slabs, batch: Arcs, limit: int) -> Report:
    """See `kernels_cpu.insert`."""
    if batch.count == 0:
        return Report()
    launcher, weights = slabs.launcher, batch.weights
    slabs.make_room_for_free(launcher.most_warps)
    launcher.launch(
        "insert_arcs_reusing" if slabs.takes_tombstones else "insert_arcs", batch.count, slabs, batch.src, batch.dst,
        batch.options | (RESUME if batch.resumed else batch.looks_at), limit, batch.states, batch.slots,
        batch.last, batch.first, batch.cells, 0 if weights is None else weights.data.ptr,
    )  # fmt: skip
    batch.resumed = True
    return report_of(launcher.read_launched())


def remove(slabs: Slabs, batch: Arcs) -> Report:
    """See `kernels_cpu.remove`."""
    if batch.count == 0:
        return Report()
    launcher, outputs = slabs.launcher, (batch.states, batch.slots, 0, batch.first, batch.cells)
    launcher.launch("remove_arcs", batch.count, slabs, batch.src, batch.dst, batch.options, 0, *outputs)
    return report_of(launcher.read_launched())


def restore(slabs: Slabs, batch: Arcs) -> None:
    """See `kernels_cpu.restore`."""
    if batch.count:
        slabs.launcher.launch(
            "restore_arcs", batch.count, slabs, batch.src, batch.dst, batch.options, slots=batch.slots
        )


def undo(slabs: Slabs, batch: Arcs) -> Report:
    """See `kernels_cpu.undo`."""
    if not batch.resumed:
        return Report()
    options = batch.options | ONLY_CHANGED
    slabs.launcher.launch("remove_arcs", batch.count, slabs, batch.src, batch.dst, options, states=batch.states)
    return report_of(slabs.launcher.read_launched())


def prepare_undo(slabs: Slabs) -> None:
    """See `kernels_cpu.prepare_undo`. A kernel is loaded at its first use, which takes memory."""
    _load_undoing(slabs.launcher.device)


@cache
def _load_undoing(device: int) -> None:
    names = ("remove_arcs", "restore_arcs", "restore_slabs", "restore_weights_32", "restore_weights_64")
    link(device, names)
    for name in names:
        load(device, name)


def locate(slabs: Slabs, batch: Arcs) -> None:
    """See `kernels_cpu.locate`."""
    slabs.launcher.launch("find_arcs", batch.count, slabs, batch.src, batch.dst, batch.options, slots=batch.slots)


def find(
    slabs: Slabs, src: Any, dst: Any, with_slots: bool, room: tuple[Any, Any] | None = None
) -> tuple[Any, Any, int]:
    """See `kernels_cpu.find`."""
    count = src.size
    found, slots = room or (cupy.ndarray(count, np.bool_), cupy.ndarray(count, np.int64) if with_slots else None)
    if count == 0:
        return found, slots, -1
    places = 0 if slots is None else slots.data.ptr
    words = _search("find_arcs", count, slabs, src, dst, KEEP_LOOPS, slots=places, found=found.data.ptr)
    return found, slots, words[WORD_BAD]


def mark(slabs: Slabs, src: Any, dst: Any, mirror: bool, only: Any, bits: Any) -> tuple[Any, int]:
    """See `kernels_cpu.mark`; here the ids are in no particular order."""
    ids = cupy.empty(src.size * (2 if mirror else 1), np.int64)
    if src.size == 0:
        return ids, -1
    outputs = {"slots": ids.data.ptr, "bits": bits.data.ptr, "only": 0 if only is None else only.data.ptr}
    words = _search("mark_arcs", ids.size, slabs, src, dst, MIRROR * mirror, **outputs)
    return ids[: words[WORD_LISTED]], words[WORD_BAD]


def _search(kernel: str, threads: int, slabs: Slabs, src: Any, dst: Any, options: int, **outputs: int) -> list[int]:
    """Launch a kernel that does not change the slabs, and wait for it. Returns the words of its report."""
    idle = slabs.launcher.idle
    try:
        launcher = idle.pop()
    except IndexError:
        launcher = Launcher()
    try:
        launcher.launch(kernel, threads, slabs, src, dst, options, **outputs)
        return launcher.read_launched()
    finally:
        idle.append(launcher)


def mask(batch: Arcs) -> Any:
    """See `kernels_cpu.mask`."""
    table = (np.uintp(batch.first), np.uint32(batch.cells - 1))
    launch("mask_changed", blocks_for(batch.count), *batch.arguments(), *table, np.uintp(batch.states), batch.changed)
    return batch.changed


def put_weights(slabs: Slabs, batch: Arcs, weights: Any) -> None:
    """See `kernels_cpu.put_weights`."""
    if batch.count:
        slabs.launcher.launch(
            f"put_weights_{8 * weights.itemsize}", batch.count, slabs, batch.src, batch.dst, batch.options, 0, 0,
            batch.slots, batch.last, 0, batch.cells, weights.data.ptr, batch.held,
        )  # fmt: skip


def restore_weights(slabs: Slabs, batch: Arcs) -> None:
    """See `kernels_cpu.restore_weights`."""
    kernel, arcs = f"restore_weights_{8 * slabs.weights.itemsize}", (np.uintp(batch.slots), np.int64(batch.count))
    launch(kernel, blocks_for(batch.count), *arcs, np.uintp(batch.held), slabs.weights)


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
    launch("sweep_slabs", blocks_for(slabs.bump * GROUP), *graph_arguments(slabs), dead, swept, *slabs.launcher.report)
    return report_of(slabs.launcher.read())


def restore_swept(slabs: Slabs, swept: Any) -> None:
    """See `kernels_cpu.restore_swept`."""
    launch("restore_slabs", blocks_for(slabs.bump * GROUP), *graph_arguments(slabs), swept)
