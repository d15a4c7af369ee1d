"""The kernels of batches on a GPU as functions. Functions and results are those of `kernels_cpu`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import cupy
import numpy as np

from minigr.batch.constants import WARPS
from minigr.batch.cuda_code import code_for
from minigr.batch.units import WORDS, Widths, as_float64, host_pair_offsets, pair_offsets, units_of
from minigr.graphs.checks import MAX_VERTICES

if TYPE_CHECKING:
    from minigr.graphs.batch import GraphBatch

_THREADS = 256
_HUGE_BLOCKS = 2  # per multiprocessor, of blocks that keep their search state in global memory
_STREAMS = 4


@dataclass(frozen=True)
class _Team:
    """The threads that work on a unit: a part of the kernel's name, the size of a block, and the teams in a block."""

    name: str
    threads: int
    to_a_block: int = 1


_WARP = _Team("warp", 32 * WARPS, WARPS)
_SMALL, _LARGE, _HUGE = _Team("small", 128), _Team("large", 512), _Team("huge", 512)
_BY_SIZE = (
    *((most, _WARP) for most in (32, 64, 96)),
    *((most, _SMALL) for most in (192, 384)),
    *((most, _LARGE) for most in (768, 1536, MAX_VERTICES)),
)
_TOGETHER_BY_SIZE = (*((most, _SMALL) for most in (32, 64, 128)), *((most, _LARGE) for most in (192, 352)))
"""The largest size of graphs that share a launch, and their team. A team has memory for the largest of these graphs."""

_TOGETHER = Widths(bound=352, small=32, large=8)
_ONE_BY_ONE = Widths(bound=0, small=8, large=8)
# The memory of a team for each vertex, in bytes. Each kernel has its own layout.
_DISTANCE_BYTES, _NEARNESS_BYTES = 7 * 8, 4 * 8
_WEIGHTED_BYTES, _BETWEENNESS_BYTES, _WEIGHTED_BETWEENNESS_BYTES = 8, 3 * 8 + 4, 4 * 8 + 4
_TOGETHER_BYTES = 32 * (8 + 8 + 2) + 3 * 4


def hop_distances(batch: GraphBatch) -> Any:
    """See `kernels_cpu.hop_distances`."""
    rows = batch.graph.out_edges
    out = cupy.empty(int(host_pair_offsets(batch)[-1]), np.int32)
    _over_units("distances", batch, WORDS, rows, _DISTANCE_BYTES, (pair_offsets(batch),), (out,))
    return out


def hop_centrality(batch: GraphBatch, harmonic: bool) -> Any:
    """See `kernels_cpu.hop_centrality`."""
    units, rows = units_of(batch), batch.graph.in_edges(ids=False)
    parts = cupy.empty(units.num_parts, np.float64)
    _over_units("nearness", batch, WORDS, rows, _NEARNESS_BYTES, (units.part_offsets,), (np.bool_(harmonic), parts))
    score = cupy.empty(batch.num_vertices, np.float64)
    _over_vertices("sum_nearness", batch, units.part_offsets, np.bool_(harmonic), parts, score)
    return score


def weighted_distances(batch: GraphBatch) -> Any:
    """See `kernels_cpu.weighted_distances`."""
    rows = batch.graph.in_edges(ids=False)
    out = cupy.empty(int(host_pair_offsets(batch)[-1]), np.float64)
    before = (as_float64(rows.weights), pair_offsets(batch))
    _over_units("weighted_distances", batch, _ONE_BY_ONE, rows, _WEIGHTED_BYTES, before, (out,))
    return out


def weighted_centrality(batch: GraphBatch, harmonic: bool) -> Any:
    """See `kernels_cpu.weighted_centrality`."""
    rows = batch.graph.out_edges
    score = cupy.empty(batch.num_vertices, np.float64)
    before, after = (as_float64(rows.weights),), (np.bool_(harmonic), score)
    _over_units("weighted_nearness", batch, _ONE_BY_ONE, rows, _WEIGHTED_BYTES, before, after)
    return score


def betweenness(batch: GraphBatch, weighted: bool, ends: float, scale: Any) -> tuple[Any, Any]:
    """See `kernels_cpu.betweenness`."""
    widths = _ONE_BY_ONE if weighted else _TOGETHER
    units, rows, inward = units_of(batch, widths), batch.graph.out_edges, batch.graph.in_edges(ids=False)
    parts, score = cupy.empty(units.num_parts, np.float64), cupy.empty(batch.num_vertices, np.float64)
    flags = cupy.zeros(len(batch), np.int32)
    against = (inward.offsets, inward.indices)
    after = (np.float64(ends), flags, parts)
    if weighted:
        before: tuple = (as_float64(rows.weights), *against, as_float64(inward.weights), units.part_offsets)
        _over_units("weighted_betweenness", batch, widths, rows, _WEIGHTED_BETWEENNESS_BYTES, before, after)
    else:
        before = (*against, np.uintp(0), units.part_offsets)
        _over_units("betweenness", batch, widths, rows, _BETWEENNESS_BYTES, before, after)
    sizes = (np.int64(widths.bound), np.int32(widths.small), np.int32(widths.large))
    _over_vertices("sum_parts", batch, units.part_offsets, *sizes, cupy.asarray(scale), parts, score)
    return score, cupy.asnumpy(flags)


@dataclass(frozen=True)
class _Launch:
    """A range of units whose graphs are of similar size.

    Attributes
    ----------
    begin, end : int
    size : int
        The size of the largest graph.
    team : _Team
    together : bool
        Whether a unit searches from all of its sources together, if the kernel supports this.
    """

    begin: int
    end: int
    size: int
    team: _Team
    together: bool


def _over_units(
    kernel: str, batch: GraphBatch, widths: Widths, rows: Any, bytes_each: int, before: tuple, after: tuple
) -> None:
    """Launch `kernel` over all units, with one launch for each range of sizes, and suitable teams and shared memory.

    The launches are on several streams, so that no launch waits for the last units of another launch.
    """
    units, device = units_of(batch, widths), batch.graph._device.index
    shape = (rows.offsets, rows.indices, batch.vertex_offsets, units.graph, units.first)
    launches = _launches(batch, widths)
    main, held = cupy.cuda.get_current_stream(), []
    started = main.record() if len(launches) > 1 else None
    for number, launch in enumerate(launches):
        width = widths.small if launch.together else widths.large
        bytes_needed = -(-launch.size * (_TOGETHER_BYTES if launch.together else bytes_each) // 16) * 16
        team, count = launch.team, launch.end - launch.begin
        shared, memory, blocks = team.to_a_block * bytes_needed, np.uintp(0), -(-count // team.to_a_block)
        if shared > most_shared(device):
            team, shared, blocks = _HUGE, 0, min(count, _HUGE_BLOCKS * processors(device))
            memory = cupy.empty(blocks * bytes_needed, np.uint8)
            held.append(memory)  # until the current stream waits for the kernel; else it would be reused too soon
        bounds = (np.int64(launch.begin), np.int64(launch.end), np.int32(width))
        function = _kernel(device, f"{'together' if launch.together else kernel}_{team.name}")
        arguments = (*shape, *bounds, *before, memory, np.int64(bytes_needed), *after)
        if started is None:
            function((blocks,), (team.threads,), arguments, shared_mem=shared)
            continue
        beside = _streams(device)[number % _STREAMS]
        beside.wait_event(started)
        with beside:
            function((blocks,), (team.threads,), arguments, shared_mem=shared)
        main.wait_event(beside.record())


def _launches(batch: GraphBatch, widths: Widths) -> list[_Launch]:
    """The launches over units of these widths, for the largest graphs first. Computed at first use, and kept."""
    key = ("launches", widths)
    if key not in batch._kept:
        sizes, found, begin = units_of(batch, widths).sizes, [], 0
        while begin < len(sizes):
            size = int(sizes[begin])
            together = size <= widths.bound
            steps = _TOGETHER_BY_SIZE if together else _BY_SIZE
            at = next(i for i, (most, _) in enumerate(steps) if size <= most)
            least = max(steps[at - 1][0] if at else 0, 0 if together else widths.bound)
            end = int(np.searchsorted(-sizes, -least, side="left"))  # sizes are in descending order
            found.append(_Launch(begin, end, size, steps[at][1], together))
            begin = end
        batch._kept[key] = found
    return batch._kept[key]


def _over_vertices(kernel: str, batch: GraphBatch, *arguments: Any) -> None:
    count = batch.num_vertices
    if count:
        if "owners" not in batch._kept:
            batch._kept["owners"] = batch.graph_of_vertex()
        shape = (batch.vertex_offsets, batch._kept["owners"], np.int64(count))
        function = _kernel(batch.graph._device.index, kernel)
        function((-(-count // _THREADS),), (_THREADS,), (*shape, *arguments))


@cache
def _streams(device: int) -> list[Any]:
    """Streams for launches in addition to the current stream."""
    with cupy.cuda.Device(device):
        return [cupy.cuda.Stream(non_blocking=True) for _ in range(_STREAMS)]


@cache
def processors(device: int) -> int:
    """The number of multiprocessors of a device."""
    return int(cupy.cuda.Device(device).attributes["MultiProcessorCount"])


@cache
def most_shared(device: int) -> int:
    """The most bytes of dynamic shared memory that a block can get by opting in."""
    return int(cupy.cuda.Device(device).attributes["MaxSharedMemoryPerBlockOptin"]) - 1024


@cache
def _kernel(device: int, name: str) -> Any:
    function = code_for(int(cupy.cuda.Device(device).compute_capability)).load(name)
    if not name.endswith("huge"):
        function.max_dynamic_shared_size_bytes = most_shared(device)
    return function
