"""Building and examining compressed sparse rows on the CPU: counting sorts in Numba kernels.

`build_cuda` has the same functions for the GPU. Sorting m arcs by (row, column) is two stable counting sorts, by column
and then by row: O(n + m) time, and one copy of the columns and weights beyond input and output.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.jit.kernel import entry


def csr_from_edges(n: int, src: Any, dst: Any, weights: Any, mirror: bool) -> tuple[Any, Any, Any]:
    """Offsets, indices and weights of the graph of the arcs ``src[i] -> dst[i]``.

    Parameters
    ----------
    n : int
        Number of vertices; every id is below it.
    src, dst : int32[m]
    weights : array[m] or None
    mirror : bool
        Store ``dst[i] -> src[i]`` too, except for self-loops.
    """
    offsets = _row_offsets(n, src, dst, mirror)
    columns = offsets if mirror else _row_offsets(n, dst, src, False)
    bits, arcs = _bits(weights), int(offsets[n])
    rows, sorted_bits = np.empty(arcs, np.int32), np.empty(0 if weights is None else arcs, bits.dtype)
    _sort_by_column(columns[:-1].copy(), src, dst, bits, mirror, rows, sorted_bits)
    indices, bits = np.empty(arcs, np.int32), np.empty_like(sorted_bits)
    _sort_by_row(offsets[:-1].copy(), columns, rows, sorted_bits, indices, bits)
    return offsets, indices, None if weights is None else bits.view(weights.dtype)


def bytes_to_build(n: int, m: int, mirror: bool) -> int:
    """What `csr_from_edges` takes for m edges without weights, with `src` and `dst`: rows and columns of the arcs."""
    return 16 * n + 8 * m + 8 * (2 * m if mirror else m)


def transpose(offsets: Any, indices: Any, weights: Any) -> tuple[Any, Any, Any, Any]:
    """Offsets, indices, weights and arc ids of the reverse graph; rows sorted, parallel arcs in order of their ids."""
    in_offsets = _row_offsets(len(offsets) - 1, indices, indices, False)
    in_indices, edge_ids = np.empty(len(indices), np.int32), np.empty(len(indices), np.int64)
    _transpose(in_offsets[:-1].copy(), offsets, indices, in_indices, edge_ids)
    return in_offsets, in_indices, None if weights is None else weights[edge_ids], edge_ids


def simplify(offsets: Any, indices: Any) -> tuple[Any, Any]:
    """The same rows without self-loops and repeats; overwrites `indices`."""
    new_offsets = np.zeros_like(offsets)
    return new_offsets, indices[: _simplify(offsets, indices, new_offsets)].copy()


def first_disorder(offsets: Any, indices: Any) -> int:
    """The first arc whose neighbor is less than the one before it in its row, or -1."""
    return int(_first_disorder(offsets, indices))


def first_unmatched(offsets: Any, indices: Any, weights: Any) -> int:
    """The first arc that has no reverse arc with the same weight, or -1."""
    if weights is not None and weights.dtype.kind == "f":
        weights = weights + 0.0  # makes 0.0 of -0.0, which is as much
    return int(_first_unmatched(offsets[:-1].copy(), offsets, indices, _bits(weights)))


def self_loops_and_repeats(offsets: Any, indices: Any) -> tuple[int, bool]:
    """How many self-loops there are, and whether any row holds a neighbor twice."""
    loops, repeats = _self_loops_and_repeats(offsets, indices)
    return int(loops), bool(repeats)


def contains(offsets: Any, indices: Any, src: Any, dst: Any) -> Any:
    """For each i, whether row ``src[i]`` holds ``dst[i]``; O(log degree) each."""
    found = np.empty(len(src), np.bool_)
    _contains(offsets, indices, src, dst, found)
    return found


def row_of_arcs(offsets: Any, num_arcs: int) -> Any:
    """The row of each arc, int32[num_arcs]."""
    return np.repeat(np.arange(len(offsets) - 1, dtype=np.int32), np.diff(offsets))


def _row_offsets(n: int, src: Any, dst: Any, mirror: bool) -> Any:
    """Where the row of each vertex begins when arc i is in row ``src[i]``, and with `mirror` in row ``dst[i]`` too."""
    offsets = np.zeros(n + 1, np.int64)
    _add_up_rows(src, dst, mirror, offsets)
    return offsets


def _bits(weights: Any) -> Any:
    """Weights as whole numbers of the same width, so that one compiled kernel serves int32 and float32.

    Absent weights are an empty array, which the kernels leave alone.
    """
    return np.empty(0, np.int32) if weights is None else weights.view(f"i{weights.dtype.itemsize}")


@entry
def _add_up_rows(src, dst, mirror, offsets):
    """Make the offsets of rows of `offsets`, which are 0."""
    for i in range(src.size):
        offsets[src[i] + 1] += 1
        if mirror and src[i] != dst[i]:
            offsets[dst[i] + 1] += 1
    for v in range(offsets.size - 1):
        offsets[v + 1] += offsets[v]


@entry
def _sort_by_column(cursor, src, dst, bits, mirror, rows, out_bits):
    weighted = bits.size > 0
    for i in range(src.size):
        u, v = src[i], dst[i]
        p = cursor[v]
        cursor[v] = p + 1
        rows[p] = u
        if weighted:
            out_bits[p] = bits[i]
        if mirror and u != v:
            p = cursor[u]
            cursor[u] = p + 1
            rows[p] = v
            if weighted:
                out_bits[p] = bits[i]


@entry
def _sort_by_row(cursor, columns, rows, bits, indices, out_bits):
    weighted = bits.size > 0
    for v in range(columns.size - 1):
        for q in range(columns[v], columns[v + 1]):
            p = cursor[rows[q]]
            cursor[rows[q]] = p + 1
            indices[p] = v
            if weighted:
                out_bits[p] = bits[q]


@entry
def _transpose(cursor, offsets, indices, in_indices, edge_ids):
    for u in range(offsets.size - 1):
        for e in range(offsets[u], offsets[u + 1]):
            p = cursor[indices[e]]
            cursor[indices[e]] = p + 1
            in_indices[p] = u
            edge_ids[p] = e


@entry
def _simplify(offsets, indices, new_offsets):
    """How many neighbors are kept; `new_offsets` begins with 0."""
    kept = 0
    for u in range(offsets.size - 1):
        last = -1
        for e in range(offsets[u], offsets[u + 1]):
            v = indices[e]
            if v != u and v != last:
                indices[kept] = v
                kept += 1
            last = v
        new_offsets[u + 1] = kept
    return kept


@entry
def _first_disorder(offsets, indices):
    for u in range(offsets.size - 1):
        for e in range(offsets[u] + 1, offsets[u + 1]):
            if indices[e] < indices[e - 1]:
                return e
    return -1


@entry
def _first_unmatched(cursor, offsets, indices, bits):
    # Rows are sorted and visited in order, so the arcs into v are met in the order in which row v must list them.
    weighted = bits.size > 0
    for u in range(offsets.size - 1):
        for e in range(offsets[u], offsets[u + 1]):
            v = indices[e]
            p = cursor[v]
            cursor[v] = p + 1
            if p < offsets[v + 1] and indices[p] < u:
                return p  # row indices[p] has been passed, and did not list v
            if p >= offsets[v + 1] or indices[p] != u or (weighted and bits[p] != bits[e]):
                return e
    return -1


@entry
def _self_loops_and_repeats(offsets, indices):
    loops, repeats = 0, False
    for u in range(offsets.size - 1):
        for e in range(offsets[u], offsets[u + 1]):
            loops += indices[e] == u
            if e > offsets[u] and indices[e] == indices[e - 1]:
                repeats = True
    return loops, repeats


@entry
def _contains(offsets, indices, src, dst, found):
    for i in range(src.size):
        lo, hi = offsets[src[i]], offsets[src[i] + 1]
        while lo < hi:
            mid = (lo + hi) // 2
            if indices[mid] < dst[i]:
                lo = mid + 1
            else:
                hi = mid
        found[i] = lo < offsets[src[i] + 1] and indices[lo] == dst[i]
