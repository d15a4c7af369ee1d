"""Building compressed sparse rows from edges that come in parts, on all cores of the CPU. Each part comes twice.

The first pass counts the arcs of each row. The second pass puts the arcs in their rows, in the order in which they
come. Then each row is sorted. So only the rows need memory. To put arcs, each thread reads the whole part, which is in
the caches, and takes the arcs of its own rows. So the order of parallel edges does not depend on timing, and no atomics
are needed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigr.jit.kernel import entry, kernel
from minigr.jit.spmd import run_team
from minigr.primitives.cpu import team_size
from minigr.primitives.split_cpu import merge_place

LONG_ROW = 1 << 16
"""The length from which on NumPy sorts a row. A thread has room to sort shorter rows."""
CACHED = 1 << 19
"""The number of arcs that stay in the caches while all threads read them."""
_INSERTED, _DEALT = 16, 128  # the longest rows that are sorted by insertion, and by buckets; others by digits
_BINS = 256


class RowsOfParts:
    """Builds rows from parts: call `count` for each part, `begin`, `put` for each part again, and `finish`.

    Parameters
    ----------
    mirror : bool
        Store each arc ``src[i] -> dst[i]`` in the other direction, too, except for self-loops.

    Attributes
    ----------
    largest : int
        The largest id so far, or -1.
    """

    def __init__(self, mirror: bool) -> None:
        self._mirror = mirror
        self._starts = np.zeros(0, np.int64)  # during `count`, the number of arcs of row v at v + 1
        self.largest = -1

    def count(self, src: Any, dst: Any, largest: int) -> None:
        """Count the arcs of a part, int32 ids from 0 to `largest`."""
        self.largest = max(self.largest, largest)
        if self.largest + 2 > len(self._starts):
            counted = self._starts
            self._starts = np.zeros(max(self.largest + 2, 2 * len(counted)), np.int64)
            self._starts[: len(counted)] = counted
        _count(src, dst, self._mirror, self._starts)

    def begin(self, n: int) -> int:
        """Set the number of vertices, which must be more than `largest`. Returns how many arcs will be put."""
        counted = self._starts
        if len(counted) != n + 1:
            self._starts = np.zeros(n + 1, np.int64)
            self._starts[: len(counted)] = counted[: n + 1]
        self._arcs = int(_begin(self._starts))
        return self._arcs

    @property
    def starts(self) -> Any:
        """int64[n + 1]: between `begin` and `put`, where row v begins, at v + 1; in the end, the offsets."""
        return self._starts

    def allocate(self, dtype: Any, rows: tuple[int, int] | None = None, empty: Callable[..., Any] = np.empty) -> None:
        """Allocate the arcs, and weights if `dtype` is given, of all rows or of those in a range.

        Ranges must be contiguous and ascending. For each range, all parts are put and `finish` is called. `empty`
        allocates the arrays.
        """
        n = len(self._starts) - 1
        low, high = (0, n) if rows is None else rows
        first, end = (self._arcs if row == n else int(self._starts[row + 1]) for row in (low, high))
        arcs, size = end - first, team_size(end - first)
        self._bounds = np.array([low] + [high] * size)
        if size > 1:
            shares = [first + arcs * rank // size for rank in range(1, size)]
            self._bounds[1:-1] = low + np.searchsorted(self._starts[low + 1 : high + 1], shares)
        self._rows, self._first = (low, high), first
        self._indices = empty(arcs, np.int32)
        self._bits = np.empty(0, np.int32) if dtype is None else empty(arcs, f"i{dtype.itemsize}")
        self._dtype = dtype

    def put(self, src: Any, dst: Any, weights: Any) -> None:
        """Put the arcs of a part in their rows, with weights of the dtype given to `allocate`."""
        bits = self._bits[:0] if weights is None else weights.view(self._bits.dtype)
        size, into = len(self._bounds) - 1, (self._indices, self._bits)
        at_once = len(src) if size == 1 else CACHED
        for begin in range(0, len(src), max(at_once, 1)):
            some = (array[begin : begin + at_once] for array in (src, dst, bits))
            run_team(_put, size, *some, self._mirror, self._bounds, self._first, self._starts, *into)

    def finish(self) -> tuple[Any, Any, Any]:
        """Return offsets, indices and weights (or None). For a range of rows, offsets begin with 0."""
        low, high = self._rows
        offsets = self._starts[low : high + 1]
        if self._first:
            offsets = offsets - self._first
        sort_rows(len(self._starts) - 1, offsets, self._indices, self._bits)
        weights = None if self._dtype is None else self._bits.view(self._dtype)
        return offsets, self._indices, weights


def sort_rows(n: int, offsets: Any, indices: Any, bits: Any) -> None:
    """Sort rows of ids below n, in place and stably. `bits` are the bits of the weights, or an empty array."""
    size, room = team_size(len(indices)), min(LONG_ROW, len(indices))
    keys, carried = np.empty(size * room, np.int32), np.empty(size * room if bits.size else 0, bits.dtype)
    digits = max(n - 1, 0).bit_length()
    bins = np.empty(size * _BINS, np.int64)
    run_team(_sort, size, offsets, indices, bits, -(-digits // 8), room, keys, carried, bins)
    if len(indices) < LONG_ROW:
        return
    for row in np.flatnonzero(offsets[1:] - offsets[:-1] >= LONG_ROW):
        here = slice(offsets[row], offsets[row + 1])
        if bits.size:
            order = np.argsort(indices[here], kind="stable")
            bits[here] = bits[here][order]
            indices[here] = indices[here][order]
        else:
            indices[here].sort()


@entry
def _count(src, dst, mirror, counts):
    # A single thread counts, because several threads would each read all arcs, which takes longer than to count them.
    for i in range(src.size):
        u, v = src[i], dst[i]
        counts[np.uint64(u) + np.uint64(1)] += 1
        if mirror and u != v:
            counts[np.uint64(v) + np.uint64(1)] += 1


@entry
def _begin(starts):
    """Turn the number of arcs of row v, at v + 1, into the beginning of the row. Returns the number of all arcs."""
    total = 0
    for v in range(1, starts.size):
        count = starts[v]
        starts[v] = total
        total += count
    return total


@entry
def _put(rank, size, sync, src, dst, bits, mirror, bounds, first, cursor, indices, out_bits):
    """Append to row v at ``cursor[v + 1]``, in the end the beginning of row v + 1. `indices` begins at `first`."""
    low, high = np.int64(bounds[rank]), np.int64(bounds[rank + 1])
    weighted = bits.size > 0
    for i in range(src.size):
        u, v = src[i], dst[i]
        if u >= low and u < high:
            p = cursor[np.uint64(u) + np.uint64(1)] - first
            if p < indices.size:
                cursor[np.uint64(u) + np.uint64(1)] += 1
                indices[np.uint64(p)] = v
                if weighted:
                    out_bits[np.uint64(p)] = bits[i]
        if mirror and u != v and v >= low and v < high:
            p = cursor[np.uint64(v) + np.uint64(1)] - first
            if p < indices.size:
                cursor[np.uint64(v) + np.uint64(1)] += 1
                indices[np.uint64(p)] = u
                if weighted:
                    out_bits[np.uint64(p)] = bits[i]


@kernel
def _insert(keys, bits, weighted, begin, end):
    for i in range(begin + 1, end):
        key, j = keys[np.uint64(i)], i
        if keys[np.uint64(i - 1)] <= key:
            continue
        bit = bits[np.uint64(i if weighted else 0)]
        while j > begin and keys[np.uint64(j - 1)] > key:
            keys[np.uint64(j)] = keys[np.uint64(j - 1)]
            if weighted:
                bits[np.uint64(j)] = bits[np.uint64(j - 1)]
            j -= 1
        keys[np.uint64(j)] = key
        if weighted:
            bits[np.uint64(j)] = bit


@kernel
def _bucket_sort(keys, bits, weighted, begin, end, spare, spare_bits, at, bins, bin):
    """Distribute the keys by value to about as many buckets as there are keys, then sort by insertion."""
    least = most = keys[np.uint64(begin)]
    for i in range(begin + 1, end):
        least, most = min(least, keys[np.uint64(i)]), max(most, keys[np.uint64(i)])
    shift, width = 0, np.int64(most) - np.int64(least)
    while (width >> shift) >= end - begin:
        shift += 1
    for i in range((width >> shift) + 1):
        bins[np.uint64(bin + i)] = 0
    for i in range(begin, end):
        bins[np.uint64(bin + ((np.int64(keys[np.uint64(i)]) - least) >> shift))] += 1
    total = at
    for i in range((width >> shift) + 1):
        here = bins[np.uint64(bin + i)]
        bins[np.uint64(bin + i)] = total
        total += here
    for i in range(begin, end):
        key = keys[np.uint64(i)]
        bucket = np.uint64(bin + ((np.int64(key) - least) >> shift))
        place = bins[bucket]
        bins[bucket] = place + 1
        spare[np.uint64(place)] = key
        if weighted:
            spare_bits[np.uint64(place)] = bits[np.uint64(i)]
    for i in range(end - begin):
        keys[np.uint64(begin + i)] = spare[np.uint64(at + i)]
        if weighted:
            bits[np.uint64(begin + i)] = spare_bits[np.uint64(at + i)]
    _insert(keys, bits, weighted, begin, end)


@kernel
def _by_digit(keys, bits, weighted, begin, count, into, into_bits, to, shift, bins, bin):
    """Copy the keys in the order of one digit."""
    for i in range(_BINS):
        bins[np.uint64(bin + i)] = 0
    for i in range(begin, begin + count):
        bins[np.uint64(bin + ((np.int64(keys[np.uint64(i)]) >> shift) & (_BINS - 1)))] += 1
    total = to
    for i in range(_BINS):
        here = bins[np.uint64(bin + i)]
        bins[np.uint64(bin + i)] = total
        total += here
    for i in range(begin, begin + count):
        key = keys[np.uint64(i)]
        digit = np.uint64(bin + ((np.int64(key) >> shift) & (_BINS - 1)))
        place = bins[digit]
        bins[digit] = place + 1
        into[np.uint64(place)] = key
        if weighted:
            into_bits[np.uint64(place)] = bits[np.uint64(i)]


@kernel
def _digit_sort(keys, bits, weighted, begin, end, digits, spare, spare_bits, at, bins, bin):
    count = end - begin
    for digit in range(0, digits - 1, 2):
        _by_digit(keys, bits, weighted, begin, count, spare, spare_bits, at, 8 * digit, bins, bin)
        _by_digit(spare, spare_bits, weighted, at, count, keys, bits, begin, 8 * digit + 8, bins, bin)
    if digits % 2:
        _by_digit(keys, bits, weighted, begin, count, spare, spare_bits, at, 8 * digits - 8, bins, bin)
        for i in range(count):
            keys[np.uint64(begin + i)] = spare[np.uint64(at + i)]
            if weighted:
                bits[np.uint64(begin + i)] = spare_bits[np.uint64(at + i)]


@kernel
def _is_sorted(keys, begin, end):
    last = begin + 1
    while last < end and keys[np.uint64(last - 1)] <= keys[np.uint64(last)]:
        last += 1
    return last >= end


@entry
def _sort(rank, size, sync, offsets, indices, bits, digits, room, spare, spare_bits, bins):
    """Sort the rows of a thread, except for the long ones."""
    weighted = bits.size > 0
    first, _ = merge_place(offsets, rank, size)
    last, _ = merge_place(offsets, rank + 1, size)
    for v in range(first, last):
        begin, end = offsets[v], offsets[v + 1]
        at, bin = room * rank, _BINS * rank
        if end - begin <= _INSERTED:
            _insert(indices, bits, weighted, begin, end)
        elif end - begin < LONG_ROW and not _is_sorted(indices, begin, end):
            if end - begin <= _DEALT:
                _bucket_sort(indices, bits, weighted, begin, end, spare, spare_bits, at, bins, bin)
            else:
                _digit_sort(indices, bits, weighted, begin, end, digits, spare, spare_bits, at, bins, bin)
