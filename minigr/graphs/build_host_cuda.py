"""Building and querying compressed sparse rows whose arcs a GPU reads from page-locked memory of the host.

Functions and results are those of `build_cpu`, but arrays with an element for each arc are page-locked. The CPU builds
the rows, because a GPU would put each arc in its row by an atomic, and each atomic would cross the link to the host
alone. Edges that the GPU generates in parts become rows on the GPU, as many rows at a time as fit in its memory.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import cupy
import numpy as np

from minigr.device import CPU, resolve
from minigr.graphs import build_cpu, build_cuda
from minigr.graphs.arcs import ROWS_AT_ONCE, Arcs, DrawnEdges, entries_at_once, shortened
from minigr.graphs.build_cuda import contains, first_disorder, nonempty_rows, part_of, self_loops_and_repeats, summarize
from minigr.page_locked_cuda import empty, gpu_view

__all__ = [
    "contains",
    "first_disorder",
    "first_entries",
    "first_unmatched",
    "in_offsets",
    "inverse",
    "kept",
    "merged",
    "nonempty_rows",
    "part_of",
    "row_of_arcs",
    "rows",
    "rows_of_drawn",
    "self_loops_and_repeats",
    "simplify",
    "summarize",
]


def rows(n: int, arcs: Arcs, *, with_ids: bool = False) -> tuple[Any, ...]:
    """See `build_cpu.rows`."""
    names = ("dst", "src", "offsets", "begins", "weights", "place")
    arcs = replace(arcs, **{name: _held(getattr(arcs, name)) for name in names})
    offsets, *longer = build_cpu.rows(n, arcs, with_ids=with_ids, empty=empty)
    return cupy.asarray(offsets), *map(_seen, longer)


def in_offsets(offsets: Any, indices: Any) -> Any:
    """See `build_cpu.in_offsets`."""
    return cupy.asarray(build_cpu.in_offsets(_held(offsets), _held(indices)))


def rows_of_drawn(n: int, edges: DrawnEdges) -> tuple[Any, Any]:
    """See `build_cpu.rows_of_drawn`. The parts are on the GPU, and generated again for each range of rows."""
    ends = build_cuda.ends_of_drawn(n, edges)
    held = empty(int(ends[n]), np.int32)
    low = begin = kept = 0
    while low < n:
        last = cupy.asarray([begin + _room()])
        high = max(low + int(cupy.searchsorted(ends[low:n], last, "right")[0]), low + 1)
        end = int(ends[high - 1])
        indices = build_cuda.entries_of_drawn(ends, (low, high), (begin, end), edges)
        offsets = ends[low : high + 1] - begin
        offsets[-1] = end - begin
        build_cuda.sort_rows(offsets, indices, None, build_cuda.bits_of(n))
        if edges.simple:
            offsets, indices = build_cuda.simplify(offsets, indices, low)
        indices.get(out=held[kept : kept + len(indices)])
        cupy.add(offsets[:-1], kept, out=ends[low:high])  # the ends of these rows are no longer needed
        kept += len(indices)
        low, begin = high, end
        del offsets, indices  # free the range before the next one is made
    ends[n] = kept
    return ends, _seen(shortened(held, kept))


def _room() -> int:
    """How many entries of rows the current GPU has memory to build at a time."""
    return entries_at_once(resolve(f"cuda:{cupy.cuda.runtime.getDevice()}"))


def inverse(ids: Any) -> Any:
    """See `build_cpu.inverse`."""
    return _seen(build_cpu.inverse(_held(ids), empty=empty))


def simplify(offsets: Any, indices: Any) -> tuple[Any, Any]:
    """See `build_cpu.simplify`."""
    starts, kept = build_cpu.simplify(_held(offsets), _held(indices))
    return cupy.asarray(starts), _seen(kept)


def kept(offsets: Any, indices: Any, weights: Any, keep: Any) -> tuple[Any, Any, Any]:
    """See `build_cpu.kept`."""
    starts, *longer = build_cpu.kept(*map(_held, (offsets, indices, weights, keep)), empty=empty)
    return cupy.asarray(starts), *map(_seen, longer)


def merged(offsets: Any, indices: Any, weights: Any, halve_loops: bool, how: str = "sum") -> tuple[Any, Any, Any]:
    """See `build_cpu.merged`."""
    held = _held(offsets), _held(indices), _held(weights)
    starts, *longer = build_cpu.merged(*held, halve_loops, how, empty=empty)
    return cupy.asarray(starts), *map(_seen, longer)


def first_unmatched(offsets: Any, indices: Any, weights: Any) -> int:
    """See `build_cpu.first_unmatched`."""
    return build_cpu.first_unmatched(_held(offsets), _held(indices), _held(weights))


def row_of_arcs(offsets: Any, num_arcs: int) -> Any:
    """See `build_cpu.row_of_arcs`."""
    return _seen(build_cpu.row_of_arcs(_held(offsets), num_arcs))


def first_entries(offsets: Any, indices: Any) -> Any:
    """int32[n] in the GPU's memory: the first entry of each row. The value for an empty row is arbitrary."""
    n = len(offsets) - 1
    found = cupy.zeros(n, np.int32)
    for low in range(0, n if len(indices) else 0, ROWS_AT_ONCE):
        part = offsets[low : min(low + ROWS_AT_ONCE, n)]
        cupy.take(indices, cupy.minimum(part, len(indices) - 1), out=found[low : low + len(part)])
    return found


def _held(array: Any) -> Any:
    """An array, or None, in host memory."""
    return None if array is None else CPU.asarray(array)


def _seen(array: Any) -> Any:
    """An array of the host, or None, as the current GPU sees it."""
    return None if array is None else gpu_view(array, int(cupy.cuda.runtime.getDevice()))
