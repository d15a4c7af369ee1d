"""Building and examining compressed sparse rows whose arcs a GPU reads from page-locked memory of the host.

Functions and results are those of `build_cpu`, but what has an element for each arc is page-locked. The CPU builds it:
a GPU puts each arc anywhere in its row by an atomic, and each of these would go over the link to the host by itself.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import cupy

from minigr.device import CPU
from minigr.graphs import build_cpu
from minigr.graphs.arcs import Arcs
from minigr.graphs.build_cuda import contains, first_disorder, self_loops_and_repeats
from minigr.page_locked_cuda import empty, gpu_view

__all__ = [
    "contains",
    "first_disorder",
    "first_unmatched",
    "inverse",
    "row_of_arcs",
    "rows",
    "self_loops_and_repeats",
    "simplify",
]


def rows(n: int, arcs: Arcs, *, with_ids: bool = False) -> tuple[Any, ...]:
    """See `build_cpu.rows`."""
    names = ("dst", "src", "offsets", "begins", "weights", "place")
    arcs = replace(arcs, **{name: _held(getattr(arcs, name)) for name in names})
    offsets, *longer = build_cpu.rows(n, arcs, with_ids=with_ids, empty=empty)
    return cupy.asarray(offsets), *map(_seen, longer)


def inverse(ids: Any) -> Any:
    """See `build_cpu.inverse`."""
    return _seen(build_cpu.inverse(_held(ids), empty=empty))


def simplify(offsets: Any, indices: Any) -> tuple[Any, Any]:
    """See `build_cpu.simplify`."""
    starts, kept = build_cpu.simplify(_held(offsets), _held(indices))
    return cupy.asarray(starts), _seen(kept)


def first_unmatched(offsets: Any, indices: Any, weights: Any) -> int:
    """See `build_cpu.first_unmatched`."""
    return build_cpu.first_unmatched(_held(offsets), _held(indices), _held(weights))


def row_of_arcs(offsets: Any, num_arcs: int) -> Any:
    """See `build_cpu.row_of_arcs`."""
    return _seen(build_cpu.row_of_arcs(_held(offsets), num_arcs))


def _held(array: Any) -> Any:
    """An array, or None, as the host's."""
    return None if array is None else CPU.asarray(array)


def _seen(array: Any) -> Any:
    """An array of the host's, or None, as the current GPU sees it."""
    return None if array is None else gpu_view(array, int(cupy.cuda.runtime.getDevice()))
