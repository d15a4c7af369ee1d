"""Moving vertices to new runs of slabs and rehashing graphs, on a GPU; `moves_cpu` has the same functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.graphs.dynamic.arcs_cuda import Arcs
from minigr.graphs.dynamic.growth import set_marks
from minigr.graphs.dynamic.launch_cuda import (
    NULL,
    WARP,
    WARPS,
    blocks_for,
    graph_arguments,
    launch,
    report_of,
    resident_blocks,
)
from minigr.graphs.dynamic.layout import (
    GROWTH,
    KEYS,
    NIL,
    WORD_OLD,
    WORD_OVERFLOW,
    WORD_RETURNED,
    WORD_RUNS,
    WORD_SINGLES,
    WORD_TAKEN,
    WORD_TOMBSTONES,
    WORD_WIDEST,
)
from minigr.graphs.dynamic.storage import Report, Slabs
from minigr.graphs.dynamic.structs import BEFORE_MARK, EVERYTHING, PLAN, SINCE_MARK
from minigr.graphs.dynamic.values import values_of

_CHUNKS = 8  # warps that share the buckets of a vertex


def widen(slabs: Slabs, batch: Arcs, report: Report) -> bool:
    """See `moves_cpu.widen`."""
    most = min(report.long_chain, slabs.num_vertices)
    coming = slabs.allocator.full(slabs.num_vertices, 0, np.int32)
    listed = slabs.allocator.full(most, NIL, np.int32)
    outputs = (np.uintp(batch.states), coming, listed, *slabs.launcher.report)
    launch("list_owners", blocks_for(batch.count), *batch.arguments(), *outputs)
    return _move(slabs, listed, coming)


def relocate(slabs: Slabs, vertices: Any) -> None:
    """See `moves_cpu.relocate`."""
    _move(slabs, vertices, None)


def _move(slabs: Slabs, listed: Any, coming: Any) -> bool:
    """Move the listed vertices that need more buckets, or all if `coming` is None. Returns whether any was moved.

    All memory is allocated before the first write, so that nothing has changed if memory is short.
    """
    count, launcher, empty = np.int64(len(listed)), slabs.launcher, slabs.allocator.empty
    plans = empty(len(PLAN) * len(listed), np.int32)
    rules = (np.bool_(coming is None), np.float64(slabs.load_factor * KEYS), np.float64(GROWTH))
    known = (np.int64(slabs.num_tombstones), np.int64(slabs.free_count), plans, *launcher.report)
    inputs = (listed, count, NULL if coming is None else coming)
    launch("plan_moves", blocks_for(len(listed)), *graph_arguments(slabs), *inputs, *rules, *known)
    words = launcher.read()
    if not words[WORD_OLD]:
        return False
    carried = values_of(slabs, listed[listed != NIL]) if slabs.values else None
    from_free = min(words[WORD_SINGLES], slabs.free_count)
    most_old = words[WORD_OLD] + slabs.num_tombstones // KEYS
    blocks = resident_blocks(WARP * most_old)
    marked = slabs.marks is not None
    held = blocks * WARPS * (2 if marked else 1)  # each warp may hold a slab that it does not need
    slabs.reserve(words[WORD_RUNS] + from_free + words[WORD_OVERFLOW] + held, words[WORD_RUNS])
    kept = slabs.free_count - from_free
    free = empty(kept + held + most_old, np.int32)
    old, returned = empty(most_old, np.int32), empty(held, np.int32)

    by_vertex = (blocks_for(WARP * len(listed)), _CHUNKS)
    names, source = (listed, count, plans), graph_arguments(slabs)
    spare = (slabs.free, np.int64(slabs.free_count))
    slabs.note_widest(words[WORD_WIDEST])
    launch("open_runs", by_vertex, *source, *names, *spare, slabs.heads, old, *launcher.report)
    slabs.bump += words[WORD_RUNS]
    supply = (slabs.free, np.int64(kept), np.int64(slabs.bump), np.int64(slabs.capacity), returned, *launcher.report)
    target = (np.bool_(False), np.int64(slabs.bump), slabs.heads, slabs.pool, *_weights(slabs, slabs))
    for part in (BEFORE_MARK, SINCE_MARK) if marked else (EVERYTHING,):
        launch("move_slabs", blocks, *source, old, np.int32(part), *target, *supply)
        if part == BEFORE_MARK:
            launch("note_moved", by_vertex, *graph_arguments(slabs), *names, slabs.marks)
    marks = NULL if slabs.marks is None else slabs.marks
    launch("close_slabs", blocks_for(WARP * most_old), old, slabs.pool, marks, *launcher.report)
    words = launcher.read()
    slabs.free_count = kept
    slabs.take(words[WORD_TAKEN])
    free[: slabs.free_count] = slabs.free[: slabs.free_count]
    for more in (returned[: words[WORD_RETURNED]], old[: words[WORD_OLD]]):
        free[slabs.free_count : slabs.free_count + len(more)] = more
        slabs.free_count += len(more)
    slabs.free = free
    slabs.num_tombstones -= words[WORD_TOMBSTONES]
    if carried is not None:
        carried.put(slabs)
    return True


def rebuilt(slabs: Slabs, load_factor: float | None = None) -> Slabs:
    """See `moves_cpu.rebuilt`."""
    n = slabs.num_vertices
    options, carried = (slabs.weight_dtype, load_factor or slabs.load_factor, slabs.room), values_of(slabs)
    new = Slabs.sized(slabs.allocator, slabs.kernels, slabs.sizes(), *options)
    marked = slabs.marks is not None
    for part in (BEFORE_MARK, SINCE_MARK) if marked else (EVERYTHING,):
        _fill_from(slabs, new, part)
        if part == BEFORE_MARK:
            set_marks(new)
    new.degrees[:n] = slabs.degrees[:n]
    new.num_arcs, new.num_loops = slabs.num_arcs, slabs.num_loops
    if carried is not None:
        carried.put_in_new(new)
    return new


def _fill_from(slabs: Slabs, new: Slabs, part: int) -> None:
    """Insert the contents of slabs into new slabs, in as many passes as needed to make room for all."""
    again, launcher, blocks = False, new.launcher, resident_blocks(WARP * slabs.bump)
    if not blocks:
        return
    new.make_room_for_free(blocks * WARPS)
    while True:
        target = (np.bool_(again), np.int64(new.bump), new.heads, new.pool, *_weights(slabs, new))
        numbers = (np.int64(new.free_count), np.int64(new.bump), np.int64(new.capacity))
        supply = (new.free, *numbers, new.free[new.free_count :], *launcher.report)
        launch("move_slabs", blocks, *graph_arguments(slabs), NULL, np.int32(part), *target, *supply)
        launch("publish_words", 1, *launcher.report)
        report = report_of(launcher.read())
        new.settle(report)
        if not report.without_slab:
            return
        new.make_room_for_free(blocks * WARPS)
        new.reserve(1 + report.without_slab // 2 + blocks * WARPS)
        again = True


def _weights(source: Slabs, target: Slabs) -> tuple:
    if source.weights is None:
        return (np.int32(0), NULL, NULL)
    return (np.int32(source.weights.itemsize), source.weights, target.weights)
