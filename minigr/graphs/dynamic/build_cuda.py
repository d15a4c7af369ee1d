"""Laying out and building graphs from all of their edges at once, on a GPU."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.graphs.dynamic.allocator import Allocator
from minigr.graphs.dynamic.arcs_cuda import Arcs
from minigr.graphs.dynamic.launch_cuda import (
    NULL,
    WARP,
    Launcher,
    blocks_for,
    current,
    graph_arguments,
    launch,
    processors,
)
from minigr.graphs.dynamic.layout import EMPTY, KEYS, WORD_BAD, WORD_LISTED, WORD_RUNS
from minigr.graphs.dynamic.storage import Report, Slabs

_MOST_PARTS, _DEALERS, _ARCS_OF_DEALER, _BUILDERS = 8192, 1024, 16, 512  # as in build.cuh
_LEAST_SHIFT = 8  # 256 slabs in a part: a block has room for these and for a run that extends beyond them


def degrees(
    allocator: Allocator, src: Any, dst: Any, n: int, *, mirror: bool, in_edges: bool, loops: bool
) -> tuple[Any, Any, int]:
    """See `kernels_cpu.degrees`."""
    launcher, pairs = Launcher(), np.int64(len(src))
    out = allocator.full(n, 0, np.int32)
    into = allocator.full(n, 0, np.int32) if in_edges else None
    if not len(src):
        return out, into, -1
    flags = (np.bool_(mirror), np.bool_(False), np.bool_(loops))
    outputs = (out, NULL if into is None else into, *launcher.report)
    launch("count_arcs", blocks_for(len(src)), src, dst, pairs, *flags, np.int64(n), *outputs)
    return out, into, launcher.read()[WORD_BAD]


def lay_out(slabs: Slabs, sizes: Any) -> int:
    """See `kernels_cpu.lay_out`."""
    n = slabs.num_vertices
    slabs.heads = slabs.allocator.empty(2 * n, np.int32)
    if not n:
        return 0
    rule = np.float64(slabs.load_factor * KEYS)
    launch("lay_out", blocks_for(n), sizes, np.int64(n), rule, slabs.heads, *slabs.launcher.report)
    return slabs.launcher.read()[WORD_RUNS]


def open_bases(slabs: Slabs) -> None:
    """See `kernels_cpu.open_bases`."""
    slabs.pool[: slabs.bump * WARP].fill(EMPTY)
    launch("set_owners", blocks_for(slabs.num_vertices), slabs.heads, np.int64(slabs.num_vertices), slabs.pool)
    slabs.make_room_for_free(slabs.launcher.most_warps)  # for insertions


def fill(slabs: Slabs, batch: Arcs, sizes: Any) -> Report:
    """See `kernels_cpu.fill`. If weights must be placed, all arcs are left to an insertion."""
    if batch.with_slots or batch.count == 0:
        return Report()
    empty, n = slabs.allocator.empty, np.int64(slabs.num_vertices)
    shift = max(_LEAST_SHIFT, (slabs.bump - 1).bit_length() - (_MOST_PARTS - 1).bit_length())
    words = slabs.allocator.full(3 * _MOST_PARTS + 1, 0, np.uint32)
    counts, begins, cursors, end = (words[i * _MOST_PARTS : (i + 1) * _MOST_PARTS] for i in range(4))
    owners, keys = empty(batch.count, np.int32), empty(batch.count, np.int32)
    blocks = min(blocks_for(slabs.num_vertices), 2 * processors(current()))
    launch("count_parts", blocks, slabs.heads, sizes, n, np.int32(shift), counts)
    launch("place_parts", blocks_for(_MOST_PARTS), counts, begins, cursors, end)
    tiles = -(-batch.count // (_DEALERS * _ARCS_OF_DEALER))
    parts = ((slabs.bump - 1) >> shift) + 1
    dealt = (slabs.heads, np.int32(shift), np.int32(parts), cursors, owners, keys)
    launch("deal_out", tiles, *batch.arguments(), *dealt, threads=_DEALERS)
    inputs = (owners, keys, begins, cursors, np.int64(parts), np.int32(shift), np.uintp(batch.states))
    launch("build_parts", parts, *graph_arguments(slabs), *inputs, *slabs.launcher.report, threads=_BUILDERS)
    words = slabs.launcher.read()
    total = words[WORD_LISTED]
    batch.become(owners[:total], keys[:total])
    return Report(*words[: WORD_BAD + 1])
