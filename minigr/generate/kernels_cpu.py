"""The kernels of generators on the CPU. `kernels_cuda` has the same functions, with the same results bit for bit.

Each kernel works on a range, without the interpreter lock. `in_ranges` distributes the ranges to threads.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from minigr.jit.kernel import entry, inlined, kernel
from minigr.jit.threads import get_num_threads
from minigr.primitives.random_cpu import random_bits, shuffled_label

_RANGE = 1 << 18
_1, _32, _11, _31 = np.uint64(1), np.uint64(32), np.uint64(11), np.uint64(31)
_LOW = np.uint64(0xFFFFFFFF)


def in_ranges(kernel: Callable[..., None], count: int, *arguments: Any) -> None:
    """Call ``kernel(begin, end, *arguments)`` for ranges that cover ``0 .. count - 1``."""
    begins = range(0, count, _RANGE)
    if len(begins) <= 1:
        kernel(0, count, *arguments)
        return
    with ThreadPoolExecutor(get_num_threads()) as pool:
        list(pool.map(lambda begin: kernel(begin, min(begin + _RANGE, count), *arguments), begins))


def rmat_edges(
    scale: int, count: int, thresholds: tuple[int, int, int], key: int, label_key: int, first: int = 0
) -> tuple[Any, Any]:
    """Ends of `count` R-MAT edges from edge `first` on; `thresholds` are a, a + b and a + b + c in units of 2**-32."""
    src, dst = np.empty(count, np.int32), np.empty(count, np.int32)
    in_ranges(_rmat, count, first, scale, *map(np.uint64, (*thresholds, key, label_key)), src, dst)
    return src, dst


def uniform_edges(num_vertices: int, count: int, key: int, first: int = 0) -> tuple[Any, Any]:
    """Ends of `count` edges from edge `first` on, each drawn uniformly."""
    src, dst = np.empty(count, np.int32), np.empty(count, np.int32)
    in_ranges(_uniform, count, first, np.uint64(num_vertices), np.uint64(key), src, dst)
    return src, dst


def edges_of_graphs(
    edge_offsets: Any, scales: Any, sizes: Any, thresholds: tuple[int, int, int], keys: tuple[Any, Any]
) -> tuple[Any, Any]:
    """Ends of the edges of many graphs, as ids within each graph: R-MAT if the scale is at least 0, else uniform.

    Parameters
    ----------
    edge_offsets : int64[number of graphs + 1]
    scales : int32[number of graphs]
    sizes : int64[number of graphs]
    thresholds
        As for `rmat_edges`.
    keys : pair of uint64[number of graphs]
        For R-MAT, the keys of the edges and of the labels. For uniform graphs, only the first key is used.
    """
    count = int(edge_offsets[-1])
    src, dst = np.empty(count, np.int32), np.empty(count, np.int32)
    a, ab, abc = map(np.uint64, thresholds)
    _graphs(edge_offsets, scales, sizes, a, ab, abc, keys[0], keys[1], src, dst)
    return src, dst


def lattice_rows(width: int, height: int, threshold: int, right_key: int, down_key: int) -> tuple[Any, Any]:
    """Rows of a grid. Each edge is kept if its 53 random bits are below `threshold`."""
    arguments = (width, height, *map(np.uint64, (threshold, right_key, down_key)))
    return _rows(_lattice, width * height, arguments)


def geometric_rows(x: Any, y: Any, cell_starts: Any, grid: int, reach: int) -> tuple[Any, Any]:
    """Rows of the graph that joins points whose squared distance is at most `reach`; the points are sorted by cell."""
    return _rows(_geometric, len(x), (x, y, cell_starts, grid, np.uint64(reach)))


def geometric_points(count: int, x_key: int, y_key: int) -> tuple[Any, Any]:
    """Coordinates of `count` points, uint32 below 2**31."""
    x, y = np.empty(count, np.uint32), np.empty(count, np.uint32)
    in_ranges(_points, count, np.uint64(x_key), np.uint64(y_key), x, y)
    return x, y


def weigh_arcs(offsets: Any, indices: Any, directed: bool, low: int, span: int, key: int, weights: Any) -> None:
    """Set each arc's weight to a whole number in ``low .. low + span - 1``, by its ends (unordered unless directed)."""
    in_ranges(_weights, len(offsets) - 1, offsets, indices, directed, low, np.uint64(span), np.uint64(key), weights)


def _rows(kernel: Callable[..., None], n: int, arguments: tuple) -> tuple[Any, Any]:
    """Run `kernel` twice: first to count the neighbors of each vertex, then to write them."""
    offsets = np.zeros(n + 1, np.int64)
    in_ranges(kernel, n, True, offsets, np.empty(0, np.int32), *arguments)
    np.cumsum(offsets, out=offsets)
    indices = np.empty(offsets[-1], np.int32)
    in_ranges(kernel, n, False, offsets, indices, *arguments)
    return offsets, indices


@inlined
def _rmat_edge(i, scale, a, ab, abc, key, label_key):
    """The ends of R-MAT edge number `i`."""
    per_edge = np.uint64((scale + 1) // 2)
    u, v, bits = np.uint64(0), np.uint64(0), np.uint64(0)
    for level in range(scale):
        if level % 2 == 0:  # 32 bits choose a quadrant, so one draw serves two levels
            bits = random_bits(key, np.uint64(i) * per_edge + np.uint64(level // 2))
        r = bits & _LOW
        bits >>= _32
        down, right = r >= ab, (r >= a and r < ab) or r >= abc
        u = (u << _1) | np.uint64(down)
        v = (v << _1) | np.uint64(right)
    return np.int32(shuffled_label(u, scale, label_key)), np.int32(shuffled_label(v, scale, label_key))


@kernel
def _uniform_edge(i, n, key):
    counter = np.uint64(i) << _1
    return np.int32(random_bits(key, counter) % n), np.int32(random_bits(key, counter | _1) % n)


@entry
def _rmat(begin, end, first, scale, a, ab, abc, key, label_key, src, dst):
    for i in range(begin, end):
        src[i], dst[i] = _rmat_edge(first + i, scale, a, ab, abc, key, label_key)


@entry
def _uniform(begin, end, first, n, key, src, dst):
    for i in range(begin, end):
        src[i], dst[i] = _uniform_edge(first + i, n, key)


@entry
def _graphs(edge_offsets, scales, sizes, a, ab, abc, keys, label_keys, src, dst):
    for graph in range(scales.size):
        first, last = edge_offsets[graph], edge_offsets[graph + 1]
        scale, n, key, label_key = np.int64(scales[graph]), np.uint64(sizes[graph]), keys[graph], label_keys[graph]
        for i in range(first, last):
            if scale >= 0:
                src[i], dst[i] = _rmat_edge(i - first, scale, a, ab, abc, key, label_key)
            else:
                src[i], dst[i] = _uniform_edge(i - first, n, key)


@kernel
def _side(side, v, x, width, height, right_key, down_key):
    """A neighbor of `v`, by increasing id; the key and owner of the edge to it; and whether the neighbor exists.

    The edges to the right and below belong to `v`, those to the left and above to the neighbor there.
    """
    if side == 0:
        return v - width, down_key, v - width, v >= width
    if side == 1:
        return v - 1, right_key, v - 1, x > 0
    if side == 2:
        return v + 1, right_key, v, x < width - 1
    return v + width, down_key, v, v < (height - 1) * width


@entry
def _lattice(begin, end, counting, offsets, indices, width, height, threshold, right_key, down_key):
    for v in range(begin, end):
        x, found = v % width, 0
        at = 0 if counting else offsets[v]
        for side in range(4):
            neighbor, key, owner, exists = _side(side, v, x, width, height, right_key, down_key)
            if exists and random_bits(key, np.uint64(owner)) >> _11 < threshold:
                if not counting:
                    indices[at + found] = neighbor
                found += 1
        if counting:
            offsets[v + 1] = found


@entry
def _points(begin, end, x_key, y_key, x, y):
    for i in range(begin, end):
        x[i] = random_bits(x_key, np.uint64(i)) >> np.uint64(33)
        y[i] = random_bits(y_key, np.uint64(i)) >> np.uint64(33)


@entry
def _geometric(begin, end, counting, offsets, indices, x, y, cell_starts, grid, reach):
    for p in range(begin, end):
        cell_x = (np.int64(x[p]) * grid) >> 31
        cell_y = (np.int64(y[p]) * grid) >> 31
        at, found = (0 if counting else offsets[p]), 0
        # cells and their points are numbered row by row, so this order visits sorted neighbors
        for row in range(max(cell_y - 1, 0), min(cell_y + 2, grid)):
            first, last = row * grid + max(cell_x - 1, 0), row * grid + min(cell_x + 1, grid - 1)
            for q in range(cell_starts[first], cell_starts[last + 1]):
                dx, dy = np.int64(x[p]) - np.int64(x[q]), np.int64(y[p]) - np.int64(y[q])
                if q != p and np.uint64(dx * dx) + np.uint64(dy * dy) <= reach:
                    if not counting:
                        indices[at + found] = q
                    found += 1
        if counting:
            offsets[p + 1] = found


@entry
def _weights(begin, end, offsets, indices, directed, low, span, key, weights):
    for u in range(begin, end):
        for e in range(offsets[u], offsets[u + 1]):
            v = indices[e]
            turned = not directed and v < u
            first, second = v if turned else u, u if turned else v
            pair = (np.uint64(first) << _32) | np.uint64(second)
            weights[e] = low + np.int64(random_bits(key, pair) % span)
