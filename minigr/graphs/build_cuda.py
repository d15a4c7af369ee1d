"""Building and examining compressed sparse rows on the GPU: the functions of `build_cpu`, as CuPy array expressions.

They ask for nothing that NumPy lacks, so that tests can run them without a GPU. Sorting is CuPy's stable radix sort of
64-bit keys that hold row and column.

A graph may have more arcs than an int32 counts. CuPy selects fewer elements by a mask than that, and an array that has
a whole number for each arc takes eight times as much memory as the mask. So arcs are selected, and their rows found, in
pieces of `PIECE` arcs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from minigr.device import CPU

PIECE = 1 << 28
_LOW_BITS = 0xFFFFFFFF
_NO_KEY = 2**63 - 1  # of what is no arc; comes after all arcs


def csr_from_edges(n: int, src: Any, dst: Any, weights: Any, mirror: bool) -> tuple[Any, Any, Any]:
    """See `build_cpu.csr_from_edges`."""
    xp = _array_module(src)
    keys, count = _keys(xp, src, dst, mirror)
    if weights is None:
        keys.sort()
        keys = keys[:count]
    else:
        order = xp.argsort(keys, kind="stable")[:count]
        keys = keys[order]
        if mirror:
            order >>= 1
        weights = weights[order]
    offsets = xp.searchsorted(keys, xp.arange(n + 1, dtype=np.int64) << 32).astype(np.int64, copy=False)
    keys &= _LOW_BITS
    return offsets, keys.astype(np.int32), weights


def bytes_to_build(n: int, m: int, mirror: bool) -> int:
    """What `csr_from_edges` takes for m edges without weights, with `src` and `dst`: the keys twice, to sort them."""
    return 8 * n + 8 * m + 16 * (2 * m if mirror else m)


def transpose(offsets: Any, indices: Any, weights: Any) -> tuple[Any, Any, Any, Any]:
    """See `build_cpu.transpose`."""
    xp = _array_module(indices)
    edge_ids = xp.argsort(indices, kind="stable").astype(np.int64, copy=False)
    in_indices = row_of_arcs(offsets, indices.size)[edge_ids]
    in_offsets = _offsets(xp, len(offsets) - 1, indices[edge_ids])
    return in_offsets, in_indices, None if weights is None else weights[edge_ids], edge_ids


def simplify(offsets: Any, indices: Any) -> tuple[Any, Any]:
    """See `build_cpu.simplify`."""
    xp = _array_module(indices)
    starts, kept, begun = xp.zeros_like(offsets), 0, 0  # rows before `begun` are done
    before: tuple[Any, Any] | None = None  # the last arc of the piece before
    for low, high in _pieces(indices.size):
        rows, columns = _rows(xp, offsets, low, high), indices[low:high]
        keep = rows != columns
        keep[1:] &= (columns[1:] != columns[:-1]) | (rows[1:] != rows[:-1])
        if before is not None:
            keep[:1] &= (rows[:1] != before[0]) | (columns[:1] != before[1])
        before, end = (rows[-1:].copy(), columns[-1:].copy()), int(rows[-1])
        rows, columns = rows[keep], columns[keep]
        ends = xp.searchsorted(rows, xp.arange(begun, end + 1, dtype=rows.dtype), side="right")
        starts[begun + 1 : end + 2] = ends + kept
        indices[kept : kept + len(columns)] = columns
        kept, begun = kept + len(columns), end
    starts[begun + 1 :] = kept
    return starts, indices[:kept].copy()


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
    if num_arcs <= PIECE:
        return _rows(xp, offsets, 0, num_arcs)
    rows = xp.empty(num_arcs, np.int32)
    for low, high in _pieces(num_arcs):
        rows[low:high] = _rows(xp, offsets, low, high)
    return rows


def _rows(xp: Any, offsets: Any, low: int, high: int) -> Any:
    return (xp.searchsorted(offsets, xp.arange(low, high), side="right") - 1).astype(np.int32)


def _pieces(num_arcs: int) -> Iterator[tuple[int, int]]:
    return ((low, min(low + PIECE, num_arcs)) for low in range(0, num_arcs, PIECE))


def _array_module(array: Any) -> Any:
    if not hasattr(array, "__cuda_array_interface__"):
        return np
    import cupy

    return cupy


def _keys(xp: Any, src: Any, dst: Any, mirror: bool) -> tuple[Any, int]:
    """A key for each arc, and how many arcs there are: keys of what is none are the greatest."""
    if not mirror:
        keys = xp.empty(len(src), np.int64)
        _join(keys, src, dst)
        return keys, len(keys)
    # Interleaved, not appended: parallel edges must keep the order of the input in both of their rows.
    keys = xp.empty(2 * len(src), np.int64)
    forth, back = keys[::2], keys[1::2]
    _join(forth, src, dst)
    _join(back, dst, src)
    loops = src == dst  # a self-loop is its own reverse
    back |= loops * np.int64(_NO_KEY)
    return keys, len(keys) - int(xp.count_nonzero(loops))


def _join(keys: Any, rows: Any, columns: Any) -> None:
    """In place, as there may be no room for another array of keys."""
    keys[...] = rows
    keys <<= 32
    keys |= columns


def _offsets(xp: Any, n: int, sorted_rows: Any) -> Any:
    return xp.searchsorted(sorted_rows, xp.arange(n + 1, dtype=sorted_rows.dtype)).astype(np.int64, copy=False)
