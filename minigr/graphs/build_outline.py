"""The memory that building rows would allocate: the functions of `build_cpu`, for outlines of arrays.

Each row is assumed to be as long as it can be. How many entries would be left out, as repeats or self-loops, is not
known.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from minigr.device import Device
from minigr.errors import EstimateError
from minigr.graphs.adjacency import Adjacency
from minigr.graphs.arcs import ROWS_AT_ONCE, Arcs, DrawnEdges, LongRows, entries_at_once, part_of
from minigr.outline import Outline

_LONG_ROW = 1 << 16  # as in `rows_cpu`; also the room of each thread
_ARRAYS = ("dst", "src", "offsets", "begins", "weights", "place")  # the arrays of `Arcs`
_GPU_PART = 1 << 26  # as in `build_cuda`
_ROWS_AT_ONCE = 1 << 12  # rows that are read at once
_DIGITS, _DIGIT_SLICE = 256, 1 << 13  # as in `build_cuda`
_BLOCK_ROW = 32 << 10  # bytes of the longest row that a block of a GPU sorts without additional memory


class OutlineBuilder:
    """Builds outlines of rows on one device."""

    def __init__(self, device: Device) -> None:
        self._device, self._gpu = device, device.is_cuda

    def part_of(self, count: int) -> int:
        """See the builder of each device."""
        return max(1, min(count, _GPU_PART)) if self._gpu else part_of(count)

    def rows(self, n: int, arcs: Arcs, *, with_ids: bool = False) -> tuple[Any, Any, Any, Any]:
        """See `build_cpu.rows`."""
        offsets, *longer = self._rows(n, arcs, with_ids)
        offsets.longest = None if arcs.long_rows is None else arcs.long_rows(len(arcs.dst))[1]
        return offsets, *longer

    def _rows(self, n: int, arcs: Arcs, with_ids: bool) -> tuple[Any, Any, Any, Any]:
        count, given, weights = arcs.count, arcs.dst, arcs.weights
        entries = 2 * count if arcs.mirror else count // 2 if arcs.down == "keep" else count
        if arcs.expected is not None:
            entries = arcs.expected
        if self._gpu:
            return self._rows_on_gpu(n, arcs, entries, with_ids)
        if arcs.src is None and arcs.place is None and not arcs.mirror:
            offsets = given.like(np.int64, n + 1)
            if arcs.turn and arcs.down is None:
                indices, turned = given.like(), None if weights is None else weights.like()
                ids, cursor = given.like(np.int64) if with_ids else None, offsets.like()
                del cursor
                return offsets, indices, turned, ids
            if arcs.down == "keep" and not arcs.turn and weights is None and not with_ids:
                return offsets, given.like(size=entries), None, None
        if arcs.permutes and not with_ids:
            offsets, degrees = given.like(np.int64, n + 1), given.like(np.int64, n)
            del degrees
            indices, held = given.like(), None if weights is None else weights.like()
            room_to_sort(n, indices, held)
            return offsets, indices, held, None
        values = given.like(np.int64) if with_ids else weights
        part, offsets = _part(arcs, values, min(count, self.part_of(count))), given.like(np.int64, n + 1)
        is_kept = count <= self.part_of(count)  # a single part is not generated twice
        part = part if is_kept else None
        indices, held = given.like(size=entries), None if values is None else values.like(size=entries)
        if not is_kept:
            _part(arcs, values, self.part_of(count))
        room_to_sort(n, indices, held)
        del part
        if not with_ids:
            return offsets, indices, held, None
        return offsets, indices, None if weights is None else weights[held], held

    def rows_of_drawn(self, n: int, edges: DrawnEdges) -> tuple[Any, Any]:
        """See `build_cpu.rows_of_drawn`."""
        entries, number, kept = 0, 0, None
        for part in edges.parts():
            entries, number = entries + len(part[0]) * (2 if edges.mirror else 1), number + 1
            kept = part if number == 1 and not self._gpu else None  # a single part is not generated twice
            del part
        offsets, indices = self._device.empty(n + 1, np.int64), self._device.empty(entries, np.int32)
        for part in () if kept else edges.parts():
            del part
        if self._gpu:
            self._sort_on_gpu(edges.long_rows, indices, None)
        else:
            room_to_sort(n, indices, None)
        return self.simplify(offsets, indices) if edges.simple else (offsets, indices)

    def in_offsets(self, offsets: Any, indices: Any) -> Any:
        """See `build_cpu.in_offsets`."""
        return offsets.like()

    def inverse(self, ids: Any) -> Any:
        """See `build_cpu.inverse`."""
        numbers, found = ids.like(), ids.like()
        del numbers
        return found

    def simplify(self, offsets: Any, indices: Any) -> tuple[Any, Any]:
        """See `build_cpu.simplify`."""
        starts, part = offsets.like(), indices.like(size=self.part_of(len(indices)) if self._gpu else 0)
        starts.longest = offsets.longest
        del part
        return starts, indices

    def kept(self, offsets: Any, indices: Any, weights: Any, keep: Any) -> tuple[Any, Any, Any]:
        """See `build_cpu.kept`."""
        places = np.flatnonzero(keep)
        arrays = (None if array is None else array.like(size=len(places)) for array in (indices, weights))
        return offsets.like(), *arrays

    def merged(
        self, offsets: Any, indices: Any, weights: Any, halve_loops: bool, how: str = "sum"
    ) -> tuple[Any, Any, Any]:
        """See `build_cpu.merged`."""
        dtype = np.int64 if weights is None or weights.dtype.kind == "i" else np.float64
        dtype = dtype if weights is None or how == "sum" else weights.dtype
        if not self._gpu:
            loops = offsets.like(size=len(offsets) - 1)
            starts, kept, sums = offsets.like(), indices.like(), indices.like(dtype)
            del loops
            return starts, kept, sums
        is_first = indices.like(np.bool_)
        begins = indices.like(np.int64)
        del is_first
        starts, kept, sums = offsets.like(), indices.like(), begins.like(dtype)
        rows = kept.like() if halve_loops else None
        del rows
        return starts, kept, sums

    def first_disorder(self, offsets: Any, indices: Any) -> int:
        """Return -1, as if rows were sorted."""
        return -1

    def first_unmatched(self, offsets: Any, indices: Any, weights: Any) -> int:
        """Return -1, as if each arc had its reverse arc."""
        if self._gpu:
            rows = self.rows(len(offsets) - 1, Arcs(indices, offsets=offsets, weights=weights, turn=True))
            looked_at = indices.like(np.bool_)
            del rows, looked_at
        else:
            held = None if weights is None or weights.dtype.kind != "f" else weights.like()
            del held
        return -1

    def self_loops_and_repeats(self, offsets: Any, indices: Any) -> tuple[int, bool]:
        """Return none, because the values are not known."""
        return 0, False

    def summarize(self, weights: Any, factor: float = 1.0) -> tuple[float, float, float]:
        """Return what is known of the values."""
        return float(weights.min()), float(weights.sum()), float(weights.max())

    def contains(self, offsets: Any, indices: Any, src: Any, dst: Any) -> Any:
        """See `build_cpu.contains`."""
        return src.like(np.bool_)

    def nonempty_rows(self, offsets: Any) -> tuple[Any, Any]:
        """See `build_cuda.nonempty_rows`. Assumes half of the longest list, because many graphs have no list."""
        n = len(offsets) - 1
        mask, room = offsets.like(np.bool_, n), offsets.like(np.int32, n)
        found = offsets.like(np.int32, 3 * n // 8)
        del mask, room
        return found, offsets.like(np.int64, len(found) + 1)

    def row_of_arcs(self, offsets: Any, num_arcs: int) -> Any:
        """See `build_cpu.row_of_arcs`."""
        return offsets.like(np.int32, num_arcs) if self._gpu else _rows_of(offsets, num_arcs)

    def _rows_on_gpu(self, n: int, arcs: Arcs, entries: int, with_ids: bool) -> tuple[Any, Any, Any, Any]:
        given, positions = arcs.dst, None
        if arcs.is_transpose and (with_ids or arcs.weights is not None) and len(given) < 2**31:
            return self._transposed_on_gpu(n, arcs, with_ids)
        offsets, indices = given.like(np.int64, n + 1), given.like(size=entries)
        if with_ids or arcs.weights is not None:
            positions = given.like(np.int64 if with_ids or len(given) > 2**32 else np.uint32, entries)
        self._sort_on_gpu(arcs.long_rows, indices, positions)
        weights = None if arcs.weights is None else arcs.weights.like(size=entries)
        return offsets, indices, weights, positions if with_ids else None

    def _transposed_on_gpu(self, n: int, arcs: Arcs, with_ids: bool) -> tuple[Any, Any, Any, Any]:
        offsets, numbers = arcs.dst.like(np.int64, n + 1), arcs.dst.like()
        self._sort_on_gpu(arcs.long_rows, numbers, None)
        tails, indices = arcs.dst.like(), arcs.dst.like()
        del tails
        weights = None if arcs.weights is None else arcs.weights.like()
        return offsets, indices, weights, numbers.astype(np.int64) if with_ids else None

    def _sort_on_gpu(self, long_rows: LongRows | None, entries: Any, positions: Any) -> None:
        """Allocate the memory to sort long rows: for a quarter of the entries at most, or for the longest row."""
        an_entry = 4 if positions is None else 2 * positions.itemsize
        count, longest = (0, 0) if long_rows is None else long_rows(_BLOCK_ROW // an_entry)
        size = min(count, max(len(entries) // 4, longest))
        spare = entries.like(size=size), None if positions is None else positions.like(size=size)
        table = entries.like(np.int64, -(-size // _DIGIT_SLICE) * _DIGITS)
        del spare, table


class HostOutlineBuilder(OutlineBuilder):
    """Builds outlines of rows whose arcs a GPU reads on the host. As in `build_host_cuda`, the CPU builds the rows."""

    def __init__(self, device: Device) -> None:
        super().__init__(device)
        self._cpu = OutlineBuilder(device.host)

    def rows(self, n: int, arcs: Arcs, *, with_ids: bool = False) -> tuple[Any, ...]:
        arcs = replace(arcs, **{name: self._held(getattr(arcs, name)) for name in _ARRAYS})
        offsets, *longer = self._cpu.rows(n, arcs, with_ids=with_ids)
        seen = [None if array is None else array.as_locked_for(self._device) for array in longer]
        return self._device.asarray(offsets), *seen

    def in_offsets(self, offsets: Any, indices: Any) -> Any:
        return self._device.asarray(self._cpu.in_offsets(self._held(offsets), self._held(indices)))

    def rows_of_drawn(self, n: int, edges: DrawnEdges) -> tuple[Any, Any]:
        ends, entries = self._device.empty(n + 1, np.int64), 0
        for part in edges.parts():
            entries += len(part[0]) * (2 if edges.mirror else 1)
            del part
        at_once = min(entries, entries_at_once(self._device))
        held = Outline(self._device, entries, np.int32, locked=True)
        offsets, indices = self._device.empty(n + 1, np.int64), self._device.empty(at_once, np.int32)
        for part in edges.parts():
            del part
        if edges.simple:
            self.simplify(offsets, indices)
        return ends, held

    def inverse(self, ids: Any) -> Any:
        return self._cpu.inverse(self._held(ids)).as_locked_for(self._device)

    def simplify(self, offsets: Any, indices: Any) -> tuple[Any, Any]:
        starts, kept = self._cpu.simplify(self._held(offsets), self._held(indices))
        return self._device.asarray(starts), kept.locked_for(self._device)

    def kept(self, offsets: Any, indices: Any, weights: Any, keep: Any) -> tuple[Any, Any, Any]:
        starts, *longer = self._cpu.kept(*map(self._held, (offsets, indices, weights, keep)))
        seen = [None if array is None else array.as_locked_for(self._device) for array in longer]
        return self._device.asarray(starts), *seen

    def merged(
        self, offsets: Any, indices: Any, weights: Any, halve_loops: bool, how: str = "sum"
    ) -> tuple[Any, Any, Any]:
        held = self._held(offsets), self._held(indices), self._held(weights)
        starts, *longer = self._cpu.merged(*held, halve_loops, how)
        return self._device.asarray(starts), *(array.locked_for(self._device) for array in longer)

    def first_unmatched(self, offsets: Any, indices: Any, weights: Any) -> int:
        return self._cpu.first_unmatched(*map(self._held, (offsets, indices, weights)))

    def first_entries(self, offsets: Any, indices: Any) -> Any:
        """See `build_host_cuda.first_entries`."""
        found = offsets.like(np.int32, len(offsets) - 1)
        part = offsets.like(size=min(len(found), ROWS_AT_ONCE))
        del part
        return found

    def row_of_arcs(self, offsets: Any, num_arcs: int) -> Any:
        return self._cpu.row_of_arcs(self._held(offsets), num_arcs).locked_for(self._device)

    def _held(self, array: Any) -> Any:
        return None if array is None else self._device.host.asarray(array)


def look_at_subgraph(rows: Adjacency, vertices: Any, offsets: Any) -> int:
    """How many arcs join the given vertices. Sets the values of `offsets`, which are of all arcs that leave these."""
    if rows.indices.values is None or rows.offsets.values is None or vertices.values is None:
        raise EstimateError("there is no estimate of a subgraph of a graph or of vertices that are not known yet")
    xp, chosen = vertices.device.real.xp, vertices.values
    starts, neighbors, found = rows.offsets.values, rows.indices.values, 0
    offsets.values = xp.zeros(len(chosen) + 1, np.int64)
    xp.cumsum(starts[chosen + 1] - starts[chosen], out=offsets.values[1:])
    is_chosen = xp.zeros(rows.num_vertices, np.bool_)
    is_chosen[chosen] = True
    for first in range(0, len(chosen), _ROWS_AT_ONCE):
        begins = starts[chosen[first : first + _ROWS_AT_ONCE]]
        ends = offsets.values[first : first + _ROWS_AT_ONCE + 1]
        places = xp.arange(int(ends[0]), int(ends[-1]))
        row = xp.searchsorted(ends[1:], places, side="right")
        found += int(is_chosen[neighbors[places - ends[row] + begins[row]]].sum())
    return found


def _part_of_subgraph(arcs: Arcs, values: Any, count: int) -> Any:
    """Like `_part`, for rows that begin elsewhere."""
    src, here, kept = (
        _rows_of(arcs.offsets, count),
        arcs.begins.like(size=count),
        count * (arcs.expected or 0) // max(arcs.count, 1),
    )
    shifts = arcs.begins.like(), here.like()  # of rows and of arcs; NumPy adds in place to the shifts of arcs
    del shifts
    is_kept, found = here.like(np.bool_), (here.like(np.int32), here.like(np.int32))
    del found
    src, here = src.like(size=kept), here.like(size=kept)
    dst, their = here.like(np.int32), None if values is None else values.like(size=kept)
    dst = dst.like()
    del is_kept, here
    return src, dst, their


def _part(arcs: Arcs, values: Any, count: int) -> Any:
    """The ends and values of a part of the arcs, with the memory that `build_cpu` needs to make them."""
    if arcs.begins is not None:
        return _part_of_subgraph(arcs, values, count)
    if arcs.src is not None and arcs.place is None and not arcs.turn and arcs.down is None:
        return None
    src = _rows_of(arcs.offsets, count) if arcs.src is None else arcs.src[:count]
    if arcs.place is not None:
        src = arcs.place[src]
    dst, their = arcs.dst[:count], None if values is None else values[:count]
    if arcs.place is not None:
        dst = arcs.place[dst]
    if arcs.down == "fold":
        src, dst = np.maximum(src, dst), np.minimum(src, dst)
    if arcs.down is not None:
        keep, kept = src > dst, count // 2 if arcs.down == "keep" else count
        src, dst, their = src.like(size=kept), dst.like(size=kept), None if their is None else their.like(size=kept)
        del keep
    return src, dst, their


def _rows_of(offsets: Any, num_arcs: int) -> Any:
    """The row of each of `num_arcs` arcs, with the memory that `build_cpu` needs to find them."""
    ends, numbers = offsets.like(), offsets.like(np.int32, len(offsets) - 1)
    counts = np.diff(ends)
    rows = offsets.like(np.int32, num_arcs)
    del numbers, counts
    return rows


def room_to_sort(n: int, indices: Any, values: Any) -> None:
    """Allocate the memory that `rows_cpu.sort_rows` needs besides the rows."""
    from minigr.primitives.cpu import team_size

    room = team_size(len(indices)) * min(_LONG_ROW, len(indices))
    keys, carried = indices.like(size=room), None if values is None else values.like(size=room)
    if len(indices) >= _LONG_ROW:
        lengths = indices.like(np.int64, n), indices.like(np.bool_, n)
        del lengths
    del keys, carried
