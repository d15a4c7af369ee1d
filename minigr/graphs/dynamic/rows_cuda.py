"""Compressed sparse rows of slabs on a GPU."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np

from minigr.graphs.build_cuda import bits_of, sort_by_digits
from minigr.graphs.dynamic.launch_cuda import GROUP, NULL, blocks_for, current, graph_arguments, launch, processors
from minigr.graphs.dynamic.storage import Slabs, row_offsets

_LONG_ROW = 2048  # as in rows.cuh
_BLOCKS_FOR_ROWS = 8  # on a multiprocessor


def rows(slabs: Slabs) -> tuple[Any, Any, Any]:
    """See `kernels_cpu.rows`. A row is sorted when it is written if a block has room for it, otherwise afterwards."""
    n, total, empty = slabs.num_vertices, slabs.num_arcs, slabs.allocator.empty
    offsets = row_offsets(slabs)
    keys = empty(total, np.int32)
    weights = None if slabs.weights is None else empty(total, slabs.weights.dtype)
    if not total:
        return offsets, keys, weights
    listed, count = empty(n, np.int32), slabs.allocator.full(1, 0, np.uint64)
    width = 32 if weights is None else 8 * weights.itemsize
    values = (NULL, keys, NULL) if weights is None else (slabs.weights, keys, weights)
    arguments = (*graph_arguments(slabs), offsets[1:], *values, listed, count)
    launch(f"short_rows_{width}", blocks_for(n * GROUP), *arguments)
    launch(f"long_rows_{width}", processors(current()) * _BLOCKS_FOR_ROWS, *arguments)
    _sort_longest(slabs, offsets, keys, weights)
    return offsets, keys, weights


def _sort_longest(slabs: Slabs, offsets: Any, keys: Any, weights: Any) -> None:
    degrees = slabs.degrees[: slabs.num_vertices]
    if int(degrees.max()) > _LONG_ROW:
        longest = cupy.flatnonzero(degrees > _LONG_ROW).astype(np.int32)
        sort_by_digits(longest, offsets, keys, weights, bits_of(len(degrees)), 0)
