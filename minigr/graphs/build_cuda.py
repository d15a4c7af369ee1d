"""Building and examining compressed sparse rows on the GPU: the functions of `build_cpu`, as CuPy array expressions.

They ask for nothing that NumPy lacks, so that tests can run them without a GPU. Sorting is CuPy's stable radix sort of
64-bit keys that hold row and column.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.device import CPU

_LOW_BITS = 0xFFFFFFFF


def csr_from_edges(n: int, src: Any, dst: Any, weights: Any, mirror: bool) -> tuple[Any, Any, Any]:
    """See `build_cpu.csr_from_edges`."""
    xp = _array_module(src)
    keys = _keys(src, dst)
    if mirror:
        keys, weights = _with_reverse_arcs(xp, keys, _keys(dst, src), weights)
    if weights is None:
        keys.sort()
    else:
        order = xp.argsort(keys, kind="stable")
        keys, weights = keys[order], weights[order]
    return _offsets(xp, n, keys >> 32), (keys & _LOW_BITS).astype(np.int32), weights


def transpose(offsets: Any, indices: Any, weights: Any) -> tuple[Any, Any, Any, Any]:
    """See `build_cpu.transpose`."""
    xp = _array_module(indices)
    edge_ids = xp.argsort(indices, kind="stable").astype(np.int64, copy=False)
    in_indices = row_of_arcs(offsets, indices.size)[edge_ids]
    in_offsets = _offsets(xp, len(offsets) - 1, indices[edge_ids])
    return in_offsets, in_indices, None if weights is None else weights[edge_ids], edge_ids


def simplify(offsets: Any, indices: Any) -> tuple[Any, Any]:
    """See `build_cpu.simplify`; `indices` is left as it is."""
    xp = _array_module(indices)
    rows = row_of_arcs(offsets, indices.size)
    keep = rows != indices
    keep[1:] &= (indices[1:] != indices[:-1]) | (rows[1:] != rows[:-1])
    return _offsets(xp, len(offsets) - 1, rows[keep]), indices[keep]


def first_disorder(offsets: Any, indices: Any) -> int:
    """See `build_cpu.first_disorder`."""
    rows = row_of_arcs(offsets, indices.size)
    descent = (indices[1:] < indices[:-1]) & (rows[1:] == rows[:-1])
    return int(descent.argmax()) + 1 if bool(descent.any()) else -1


def first_unmatched(offsets: Any, indices: Any, weights: Any) -> int:
    """See `build_cpu.first_unmatched`."""
    in_offsets, in_indices, in_weights, _ = transpose(offsets, indices, weights)
    same = bool((in_offsets == offsets).all()) and bool((in_indices == indices).all())
    if same and (weights is None or bool((in_weights == weights).all())):
        return -1
    from minigr.graphs import build_cpu  # only on the way to an error: which arc it is

    return build_cpu.first_unmatched(*(None if a is None else CPU.asarray(a) for a in (offsets, indices, weights)))


def self_loops_and_repeats(offsets: Any, indices: Any) -> tuple[int, bool]:
    """See `build_cpu.self_loops_and_repeats`."""
    rows = row_of_arcs(offsets, indices.size)
    repeats = (indices[1:] == indices[:-1]) & (rows[1:] == rows[:-1])
    return int((rows == indices).sum()), bool(repeats.any())


def contains(offsets: Any, indices: Any, src: Any, dst: Any) -> Any:
    """See `build_cpu.contains`."""
    xp = _array_module(indices)
    if indices.size == 0:
        return xp.zeros(src.size, bool)
    lo, end = offsets[src], offsets[src + 1]
    hi = end.copy()
    longest = int((offsets[1:] - offsets[:-1]).max())
    for _ in range(longest.bit_length()):
        middle = (lo + hi) >> 1
        below = (lo < hi) & (indices[xp.minimum(middle, indices.size - 1)] < dst)
        hi = xp.where(below, hi, middle)
        lo = xp.where(below, middle + 1, lo)
    return (lo < end) & (indices[xp.minimum(lo, indices.size - 1)] == dst)


def row_of_arcs(offsets: Any, num_arcs: int) -> Any:
    """See `build_cpu.row_of_arcs`."""
    xp = _array_module(offsets)
    return (xp.searchsorted(offsets, xp.arange(num_arcs), side="right") - 1).astype(np.int32)


def _array_module(array: Any) -> Any:
    if not hasattr(array, "__cuda_array_interface__"):
        return np
    import cupy

    return cupy


def _keys(rows: Any, columns: Any) -> Any:
    keys = rows.astype(np.int64)
    keys <<= 32
    keys |= columns
    return keys


def _with_reverse_arcs(xp: Any, keys: Any, reverse: Any, weights: Any) -> tuple[Any, Any]:
    # Interleaved, not appended: parallel edges must keep the order of the input in both of their rows.
    both = xp.stack([keys, reverse], axis=1).ravel()
    keep = xp.ones(both.size, bool)
    keep[1::2] = keys != reverse  # a self-loop is its own reverse
    return both[keep], None if weights is None else xp.repeat(weights, 2)[keep]


def _offsets(xp: Any, n: int, sorted_rows: Any) -> Any:
    return xp.searchsorted(sorted_rows, xp.arange(n + 1, dtype=sorted_rows.dtype)).astype(np.int64, copy=False)
