"""Building and querying compressed sparse rows on the GPU: launches of `build_sort.cuh` and `build_look.cuh`.

Functions and results are those of `build_cpu`. Building takes three passes: over the arcs, to count the entries of each
row; over the arcs again, to put each entry anywhere in its row; and over the rows, to sort each row. Besides the arcs
and the rows, this needs memory for some of the longest rows. With weights or ids, it also needs 4 bytes for each entry
(8 from 2**32 arcs on), which say to which arc the entry belongs. To reverse rows, only these 4 bytes are placed and
sorted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import cupy
import numpy as np

from minigr.device import CPU
from minigr.graphs import build_cpu
from minigr.graphs.arcs import Arcs, DrawnEdges, shortened
from minigr.graphs.build_code import Change, code_for
from minigr.primitives.compact import compact
from minigr.primitives.segreduce import segreduce

_PART = 1 << 26
_THREADS, _DIGIT_THREADS, _TILE = 256, 512, 1024  # as in build.cuh and build_sort.cuh; tile of a scan
_DIGITS, _DIGIT_BITS, _DIGIT_SLICE = 256, 8, 16 * _DIGIT_THREADS  # as in sort.cuh and build_sort.cuh
_WARP_ROW = 256  # longer rows are noted in a list
_BLOCKS_PER_PROCESSOR = 16
_STATUS = 16  # words of a look-back before the words of its tiles
_MOST_TURNS, _MOST_TURNS_BY_SEARCH = 8, 4
_NULL = np.uintp(0)
_DOWN = {None: Change(0), "keep": Change.KEEP_DOWN, "fold": Change.FOLD_DOWN}


def rows(n: int, arcs: Arcs, *, with_ids: bool = False) -> tuple[Any, Any, Any, Any]:
    """See `build_cpu.rows`."""
    count, positions = len(arcs.dst), None
    if arcs.is_transpose and (with_ids or arcs.weights is not None) and count < 2**31:
        return _transposed(n, arcs, with_ids)
    offsets = _ends(n, [arcs])
    indices = cupy.empty(int(offsets[n]), np.int32)
    if with_ids or arcs.weights is not None:
        positions = cupy.empty(len(indices), np.int64 if with_ids or count > 2**32 else np.uint32)
    _over("place", arcs, _ending(positions), offsets, indices, _or_null(positions))
    sort_rows(offsets, indices, positions, bits_of(n), bits_of(count))
    weights = None if arcs.weights is None else _gathered(arcs.weights, positions)
    return offsets, indices, weights, positions if with_ids else None


def nonempty_rows(offsets: Any) -> tuple[Any, Any]:
    """int32: which rows are not empty, in ascending order. int64: where these rows begin, and where the last one ends.

    Both are None if more than three quarters of all rows are not empty.
    """
    found = compact(offsets[1:] != offsets[:-1], dtype=np.int32)
    if 4 * len(found) > 3 * (len(offsets) - 1):
        return None, None
    begins = cupy.empty(len(found) + 1, np.int64)
    offsets.take(found, out=begins[:-1])
    begins[-1:] = offsets[-1:]
    return found, begins


def part_of(count: int) -> int:
    """How many of `count` arcs are generated or simplified at a time. This bounds the memory besides the rows."""
    return max(1, min(count, _PART))


def rows_of_drawn(n: int, edges: DrawnEdges) -> tuple[Any, Any]:
    """See `build_cpu.rows_of_drawn`."""
    offsets = ends_of_drawn(n, edges)
    indices = entries_of_drawn(offsets, (0, n), (0, int(offsets[n])), edges)
    sort_rows(offsets, indices, None, bits_of(n))
    return simplify(offsets, indices) if edges.simple else (offsets, indices)


def ends_of_drawn(n: int, edges: DrawnEdges) -> Any:
    """The end of the row of each vertex, followed by the number of all entries."""
    return _ends(n, edges.arcs())


def entries_of_drawn(ends: Any, rows: tuple[int, int], at: tuple[int, int], edges: DrawnEdges) -> Any:
    """The entries of the rows in a range, which are in the range `at` of all entries. Each row is in any order.

    Decreases the ends of these rows to their beginnings.
    """
    begin, end = at
    indices = cupy.empty(end - begin, np.int32)
    of_all = np.uintp((indices.data.ptr - begin * indices.itemsize) % 2**64)
    for arcs in edges.arcs():
        _over("place", arcs, "", ends, of_all, _NULL, rows=rows, touched=indices.nbytes)
        del arcs  # free the part before the next one is made
    return indices


def _transposed(n: int, arcs: Arcs, with_ids: bool) -> tuple[Any, Any, Any, Any]:
    """Like `rows`, for rows that are reversed: the arc numbers are sorted by source, because rows are."""
    offsets = _ends(n, [arcs])
    numbers = cupy.empty(len(arcs.dst), np.int32)
    _over("number", arcs, "", offsets, numbers)
    sort_rows(offsets, numbers, None, bits_of(len(numbers)))
    indices = _gathered(row_of_arcs(arcs.offsets, len(numbers)), numbers)
    weights = None if arcs.weights is None else _gathered(arcs.weights, numbers)
    return offsets, indices, weights, numbers.astype(np.int64) if with_ids else None


def _ends(n: int, parts: Iterable[Arcs]) -> Any:
    """The end of the row of each vertex, followed by the number of all entries."""
    offsets = cupy.zeros(n + 1, np.int64)
    for arcs in parts:
        _over("count", arcs, "", offsets)
        del arcs  # free the part before the next one is made
    _scan(offsets)
    return offsets


def _over(
    action: str, arcs: Arcs, ending: str, offsets: Any, *arguments: Any, rows: Any = None, touched: int | None = None
) -> None:
    """Launch a kernel over arcs, in turns, for all rows or those in a range.

    `touched` is the size in bytes of the arrays that the kernel writes, by default the size of `arguments`.
    """
    kernel, given = f"{action}_{'rows' if arcs.src is None else 'edges'}{ending}", _given(arcs)
    low, high = (0, len(offsets) - 1) if rows is None else rows
    touched = sum(getattr(array, "nbytes", 0) for array in arguments) if touched is None else touched
    for turn in _turns(arcs, low, high, touched + 8 * (high - low)):
        _launch(kernel, arcs.count, *given, *turn, offsets, *arguments)


def in_offsets(offsets: Any, indices: Any) -> Any:
    """See `build_cpu.in_offsets`."""
    found = cupy.zeros(len(offsets) + 1, np.int64)
    _over("count", Arcs(indices, offsets=offsets, turn=True), "", found[1:])
    _scan(found)
    return found[:-1]


def inverse(ids: Any) -> Any:
    """See `build_cpu.inverse`."""
    found = cupy.empty_like(ids)
    found[ids] = cupy.arange(len(ids))
    return found


def simplify(offsets: Any, indices: Any, vertex: int = 0) -> tuple[Any, Any]:
    """See `build_cpu.simplify`; `vertex` is the vertex of the first row."""
    looked_at = *_looked_at(offsets, indices), np.int32(vertex)
    starts = cupy.zeros(len(offsets), np.int64)
    _launch("count_simple", len(indices), *looked_at, starts[1:])
    _scan(starts)
    at_once, kept = part_of(len(indices)), 0
    part = cupy.empty(at_once, np.int32)
    number, back = cupy.empty(1, np.int64), _look_back(len(part))
    for first in range(0, len(indices), max(at_once, 1)):
        count = min(at_once, len(indices) - first)
        _launch("keep_simple", count, *looked_at, np.int64(first), np.int64(count), *back, part, number)
        found = int(number[0])
        # This overwrites neither arcs that are still to be read nor the arc before them.
        indices[kept : kept + found] = part[:found]
        kept += found
    return starts, shortened(indices, kept)


def kept(offsets: Any, indices: Any, weights: Any, keep: Any) -> tuple[Any, Any, Any]:
    """See `build_cpu.kept`."""
    places = cupy.flatnonzero(keep)
    arrays = (None if array is None else _gathered(array, places) for array in (indices, weights))
    return cupy.searchsorted(places, offsets), *arrays


def merged(offsets: Any, indices: Any, weights: Any, halve_loops: bool, how: str = "sum") -> tuple[Any, Any, Any]:
    """See `build_cpu.merged`."""
    count = len(indices)
    is_first = cupy.ones(count + 1, np.bool_)  # the last element marks the end of the last group
    _launch("mark_first", count, *_looked_at(offsets, indices), is_first)
    ends = cupy.flatnonzero(is_first)
    begins = ends[:-1]
    del is_first
    indices = indices[begins]
    new_offsets = cupy.searchsorted(begins, offsets)
    if weights is None:
        sums = cupy.diff(ends)
    elif how == "first":
        sums = _gathered(weights, begins)
    elif how != "sum":
        sums = segreduce(weights, ends, op=how, dtype=weights.dtype, validate=False)
    else:
        kind = np.int64 if weights.dtype.kind == "i" else np.float64
        sums = segreduce(weights, ends, dtype=kind, validate=False)
    if halve_loops:
        build_cpu.halve(sums, cupy.flatnonzero(row_of_arcs(new_offsets, len(indices)) == indices))
    return new_offsets, indices, sums


def first_disorder(offsets: Any, indices: Any) -> int:
    """See `build_cpu.first_disorder`."""
    first = cupy.full(1, len(indices), np.uint64)
    _launch("first_disorder", len(indices), *_looked_at(offsets, indices), first)
    return -1 if (found := int(first[0])) == len(indices) else found


def first_unmatched(offsets: Any, indices: Any, weights: Any) -> int:
    """See `build_cpu.first_unmatched`."""
    arcs = Arcs(indices, offsets=offsets, weights=weights, turn=True)
    in_offsets, in_indices, in_weights, _ = rows(len(offsets) - 1, arcs)
    same = bool((in_offsets == offsets).all()) and bool((in_indices == indices).all())
    # bits, because CuPy takes all subnormal weights of float32 for equal
    if same and bool((build_cpu.as_bits(in_weights) == build_cpu.as_bits(weights)).all()):
        return -1
    return build_cpu.first_unmatched(*(None if a is None else CPU.asarray(a) for a in (offsets, indices, weights)))


def self_loops_and_repeats(offsets: Any, indices: Any) -> tuple[int, bool]:
    """See `build_cpu.self_loops_and_repeats`."""
    counts = cupy.zeros(2, np.uint64)
    _launch("count_loops_and_repeats", len(indices), *_looked_at(offsets, indices), counts)
    loops, repeats = counts.get().tolist()
    return loops, repeats > 0


def summarize(weights: Any, factor: float = 1.0) -> tuple[float, float, float]:
    """See `build_cpu.summarize`. CuPy would take subnormal weights of float32 for 0."""
    blocks = _blocks(len(weights))
    parts = cupy.empty((3, blocks))
    _launch(f"summarize_{weights.dtype}", len(weights), np.int64(len(weights)), weights, np.float64(factor), parts)
    least, total, greatest = parts.get()
    with np.errstate(over="ignore", invalid="ignore"):  # the sum may be infinite or undefined
        return float(least.min()), float(total.sum()), float(greatest.max())


def contains(offsets: Any, indices: Any, src: Any, dst: Any) -> Any:
    """See `build_cpu.contains`."""
    found = cupy.empty(len(src), np.bool_)
    _launch("contains", len(src), *_looked_at(offsets, indices), np.int64(len(src)), src, dst, found)
    return found


def row_of_arcs(offsets: Any, num_arcs: int) -> Any:
    """See `build_cpu.row_of_arcs`."""
    out = cupy.empty(num_arcs, np.int32)
    sizes = (np.int64(len(offsets) - 1), np.int64(num_arcs))
    _launch("rows_of_arcs", num_arcs, *sizes, offsets, _NULL, out)
    return out


def row_of_some_arcs(offsets: Any, low: int, high: int) -> Any:
    """The row of each arc from `low` to ``high - 1``; `high` must be greater than `low`."""
    first, last = cupy.searchsorted(offsets, cupy.asarray([low, high - 1]), "right").tolist()
    ends = cupy.clip(offsets[first - 1 : last + 1], low, high)
    ends -= low
    rows = row_of_arcs(ends, high - low)
    rows += first - 1
    return rows


def _given(arcs: Arcs) -> tuple[Any, ...]:
    """The arguments that describe arcs to the kernels."""
    options = Change.MIRROR * arcs.mirror | Change.TURN * arcs.turn | _DOWN[arcs.down]
    held = 0 if arcs.offsets is None else len(arcs.offsets) - 1
    ends = (_or_null(arcs.src), _or_null(arcs.offsets), _or_null(arcs.begins), arcs.dst, _or_null(arcs.place))
    return np.int64(arcs.count), np.int64(held), *ends, np.uint32(options)


def _turns(arcs: Arcs, low: int, high: int, touched: int) -> Iterator[tuple[Any, Any]]:
    """The range of rows for each turn of a kernel over arcs that accesses `touched` bytes at random.

    Atomics and scattered writes take several times as long in memory as in the L2 cache. One of them takes longer than
    reading an arc again. So a kernel takes the rows in turns, and the data of each turn fits into half of the cache.
    Because each turn reads all arcs again, the number of turns has a limit. The limit is lower if the row of an arc is
    found by a search or in a table, because this takes longer.
    """
    found = arcs.place is not None or (arcs.src is None and (arcs.mirror or not arcs.turn))
    most = _MOST_TURNS_BY_SEARCH if found else _MOST_TURNS
    turns = max(1, min(-(-touched // (_cache_of(_current()) // 2)), most))
    size = -(-(high - low) // turns)
    for first in range(low, high, max(size, 1)):
        yield np.int32(first), np.int32(min(first + size, high))


def _looked_at(offsets: Any, indices: Any) -> tuple[Any, ...]:
    return np.int64(len(offsets) - 1), np.int64(len(indices)), offsets, indices


def _or_null(array: Any) -> Any:
    return _NULL if array is None else array


def _ending(positions: Any) -> str:
    """The ending of a kernel's name for the dtype of the positions."""
    return "" if positions is None else f"_{8 * positions.itemsize}"


def _gathered(values: Any, positions: Any) -> Any:
    out = cupy.empty(len(positions), values.dtype)
    kernel = f"gather_{8 * positions.itemsize}_{8 * values.itemsize}"
    _launch(kernel, len(positions), np.int64(len(positions)), positions, values, out)
    return out


def _scan(counts: Any) -> None:
    """Compute the inclusive prefix sums of counts, in place."""
    _launch("scan_counts", len(counts), np.int64(len(counts)), counts, *_look_back(len(counts)))


def _look_back(items: int) -> tuple[Any, Any, Any]:
    tiles = -(-items // _TILE)
    return cupy.zeros(_STATUS + tiles, np.uint64), cupy.empty(tiles, np.int64), cupy.empty(tiles, np.int64)


def bits_of(count: int) -> int:
    """How many bits are needed for numbers below `count`."""
    return max(count - 1, 1).bit_length()


def sort_rows(offsets: Any, indices: Any, positions: Any, bits: int, position_bits: int = 0) -> None:
    """Sort each row. `bits` and `position_bits` are the numbers of bits that entries and positions have."""
    n, ending, entries = len(offsets) - 1, _ending(positions), (indices, _or_null(positions))
    noted = cupy.zeros(2, np.uint64)
    room = cupy.empty(max(len(indices) // _WARP_ROW, 1), np.int32)
    longer = (room, np.int64(len(room)), noted)
    _launch(f"sort_short{ending}", n, np.int64(n), offsets, *entries, *longer)
    if len(indices) <= _WARP_ROW:
        return
    _launch(f"sort_long{ending}", len(indices), offsets, *entries, *longer)
    longest = int(noted[1])
    if not longest:
        return
    sort_by_digits(room[len(room) - longest :], offsets, indices, positions, bits, position_bits)


def sort_by_digits(which: Any, offsets: Any, indices: Any, beside: Any, bits: int, beside_bits: int) -> None:
    """Sort some rows, of any length, in place, by entries of `bits` bits.

    `beside` may have a number of 32 or 64 bits for each entry, whose `beside_bits` bits order equal entries. The rows
    are taken in turns. Each turn needs memory for a quarter of the arcs, or for the longest row, and 2048 bytes for
    each slice of a row.
    """
    lengths = (offsets[which + 1] - offsets[which]).get()
    budget, ends = max(len(indices) // 4, int(lengths.max())), np.cumsum(lengths)
    entries, ending = (indices, _or_null(beside)), _ending(beside)
    first = 0
    while first < len(which):
        begun = int(ends[first] - lengths[first])
        last = int(np.searchsorted(ends, begun + budget, side="right"))
        size = int(ends[last - 1]) - begun
        spare = cupy.empty(size, np.int32), _NULL if beside is None else cupy.empty(size, beside.dtype)
        slices = np.concatenate([[0], np.cumsum(-(-lengths[first:last] // _DIGIT_SLICE))])
        table = cupy.empty(_DIGITS * int(slices[-1]), np.int64)
        rooms = ends[first:last] - lengths[first:last] - begun
        rows = np.int64(last - first), which[first:last], cupy.asarray(slices), cupy.asarray(rooms), offsets
        for number, digit in enumerate(_digits(bits, beside_bits)):
            its = (*rows, *entries, *spare, table, *map(np.int32, digit), np.int32(number % 2))
            _launch_blocks(f"count_digits{ending}", int(slices[-1]), _DIGIT_THREADS, *its)
            _scan(table)
            _launch_blocks(f"move_by_digit{ending}", int(slices[-1]), _DIGIT_THREADS, *its)
        first = last


def _digits(bits: int, beside_bits: int) -> list[tuple[int, int, bool]]:
    """The digits of a sort: the lowest bit, the number of bits, and whether it is a digit of the numbers in `beside`.

    The number of digits is even, so that the entries end up in the array in which they began.
    """
    beside = -(-beside_bits // _DIGIT_BITS)
    own = -(-bits // _DIGIT_BITS)
    own += (own + beside) % 2
    width = -(-bits // own)
    digits = [(_DIGIT_BITS * k, _DIGIT_BITS, True) for k in range(beside)]
    return digits + [(width * k, width, False) for k in range(own)]


def _launch(kernel: str, count: int, *arguments: Any) -> None:
    """Launch a kernel with a thread for each item, or with as many threads as keep the GPU busy."""
    _launch_blocks(kernel, _blocks(count), _THREADS, *arguments)


def _blocks(count: int) -> int:
    return min(-(-count // _THREADS), _most_blocks(_current()))


def _launch_blocks(kernel: str, blocks: int, threads: int, *arguments: Any) -> None:
    if blocks:
        device = _current()
        _kernel(device, kernel)((min(blocks, _most_blocks(device)),), (threads,), arguments)


def _current() -> int:
    return int(cupy.cuda.runtime.getDevice())


@cache
def _kernel(device: int, name: str) -> Any:
    return code_for(int(cupy.cuda.Device(device).compute_capability)).load(name)


@cache
def _most_blocks(device: int) -> int:
    return int(cupy.cuda.Device(device).attributes["MultiProcessorCount"]) * _BLOCKS_PER_PROCESSOR


@cache
def _cache_of(device: int) -> int:
    """Bytes of the L2 cache."""
    return int(cupy.cuda.Device(device).attributes["L2CacheSize"])
