"""The kernels of generators on the GPU (`kernels.cuh`) as functions. Results are those of `kernels_cpu`."""

from __future__ import annotations

from functools import cache
from typing import Any

import cupy
import numpy as np

from minigr.generate.constants import WEIGHED
from minigr.generate.cuda_code import code_for
from minigr.graphs.build_cuda import row_of_some_arcs

_THREADS = 256
_MOST_BLOCKS = 1 << 16


def rmat_edges(
    scale: int, count: int, thresholds: tuple[int, int, int], key: int, label_key: int, first: int = 0
) -> tuple[Any, Any]:
    """See `kernels_cpu.rmat_edges`."""
    src, dst = cupy.empty(count, np.int32), cupy.empty(count, np.int32)
    _launch("rmat", count, np.int64(first), np.int32(scale), *map(np.uint64, (*thresholds, key, label_key)), src, dst)
    return src, dst


def uniform_edges(num_vertices: int, count: int, key: int, first: int = 0) -> tuple[Any, Any]:
    """See `kernels_cpu.uniform_edges`."""
    src, dst = cupy.empty(count, np.int32), cupy.empty(count, np.int32)
    _launch("uniform", count, np.int64(first), np.uint64(num_vertices), np.uint64(key), src, dst)
    return src, dst


def edges_of_graphs(
    edge_offsets: Any, scales: Any, sizes: Any, thresholds: tuple[int, int, int], keys: tuple[Any, Any]
) -> tuple[Any, Any]:
    """See `kernels_cpu.edges_of_graphs`."""
    count = int(edge_offsets[-1])
    src, dst = cupy.empty(count, np.int32), cupy.empty(count, np.int32)
    tables = map(cupy.asarray, (edge_offsets, scales, sizes, *keys))
    _launch("graphs", count, np.int32(len(scales)), *tables, *map(np.uint64, thresholds), src, dst)
    return src, dst


def lattice_rows(width: int, height: int, threshold: int, right_key: int, down_key: int) -> tuple[Any, Any]:
    """See `kernels_cpu.lattice_rows`."""
    sizes = (np.int64(width), np.int64(height))
    return _rows("lattice", width * height, (*sizes, *map(np.uint64, (threshold, right_key, down_key))))


def geometric_rows(x: Any, y: Any, cell_starts: Any, grid: int, reach: int) -> tuple[Any, Any]:
    """See `kernels_cpu.geometric_rows`."""
    return _rows("geometric", len(x), (x, y, cell_starts, np.int64(grid), np.uint64(reach)))


def geometric_points(count: int, x_key: int, y_key: int) -> tuple[Any, Any]:
    """See `kernels_cpu.geometric_points`."""
    x, y = cupy.empty(count, np.uint32), cupy.empty(count, np.uint32)
    _launch("points", count, np.uint64(x_key), np.uint64(y_key), x, y)
    return x, y


def weigh_arcs(offsets: Any, indices: Any, directed: bool, low: int, span: int, key: int, weights: Any) -> None:
    """See `kernels_cpu.weigh_arcs`. Takes some arcs at a time, because finding their rows needs memory."""
    numbers = (np.bool_(directed), np.int64(low), np.uint64(span), np.uint64(key))
    for first in range(0, len(indices), WEIGHED):
        last = min(first + WEIGHED, len(indices))
        rows = row_of_some_arcs(offsets, first, last)
        _launch(f"weights_{weights.dtype.name}", last - first, rows, indices[first:last], *numbers, weights[first:last])


def _rows(kernel: str, n: int, arguments: tuple) -> tuple[Any, Any]:
    offsets = cupy.zeros(n + 1, np.int64)
    _launch(kernel, n, np.bool_(True), offsets, cupy.empty(0, np.int32), *arguments)
    offsets = cupy.cumsum(offsets)
    indices = cupy.empty(int(offsets[-1]), np.int32)
    _launch(kernel, n, np.bool_(False), offsets, indices, *arguments)
    return offsets, indices


def _launch(kernel: str, count: int, *arguments: Any) -> None:
    if count:
        blocks = min(-(-count // _THREADS), _MOST_BLOCKS)
        function = _kernel(int(cupy.cuda.runtime.getDevice()), kernel)
        function((blocks,), (_THREADS,), (np.int64(count), *arguments))


@cache
def _kernel(device: int, name: str) -> Any:
    return code_for(int(cupy.cuda.Device(device).compute_capability)).load(name)
