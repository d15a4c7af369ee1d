"""What building rows would allocate: the functions of `build_cpu` and the other builders, for outlines of arrays.

A row is as long as it can be: what is left out on the way because it is there twice, or leads to its own vertex, is not
known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from minigr.device import Device
from minigr.errors import EstimateError
from minigr.graphs.arcs import Arcs

_LONG_ROW = 1 << 16  # as in `rows_cpu`, and what a thread has room for
_ARRAYS = ("dst", "src", "offsets", "begins", "weights", "place")  # of arcs
_DIGITS = 1 << 11  # entries: a GPU sorts longer rows by digits, in room for a quarter of all


class OutlineBuilder:
    """Builds outlines of rows on one device."""

    def __init__(self, device: Device) -> None:
        self._device, self._gpu = device, device.is_cuda
        self.PART = 1 << (26 if self._gpu else 24)  # as there

    def rows(self, n: int, arcs: Arcs, *, with_ids: bool = False) -> tuple[Any, Any, Any, Any]:
        """See `build_cpu.rows`."""
        if arcs.begins is not None:
            raise EstimateError("there is no estimate of a subgraph: how many arcs it has depends on the vertices")
        count, given, weights = len(arcs.dst), arcs.dst, arcs.weights
        entries = 2 * count if arcs.mirror else count // 2 if arcs.down == "keep" else count
        if self._gpu:
            return self._rows_on_gpu(n, arcs, entries, with_ids)
        if arcs.src is None and arcs.place is None and not arcs.mirror:
            offsets = given.like(np.int64, n + 1)
            if arcs.turn and arcs.down is None:
                indices, ids, turned = given.like(), given.like(np.int64), None if weights is None else weights.like()
                cursor = offsets.like()
                del cursor
                return offsets, indices, turned, ids if with_ids else None
            if arcs.down == "keep" and not arcs.turn and weights is None and not with_ids:
                return offsets, given.like(size=entries), None, None
        values = given.like(np.int64) if with_ids else weights
        part, offsets = _part(arcs, values, min(count, self.PART)), given.like(np.int64, n + 1)
        is_kept = count <= self.PART  # a single part isn't made again
        part = part if is_kept else None
        indices, held = given.like(size=entries), None if values is None else values.like(size=entries)
        if not is_kept:
            _part(arcs, values, self.PART)
        self._sort(n, indices, held)
        del part
        if not with_ids:
            return offsets, indices, held, None
        return offsets, indices, None if weights is None else weights[held], held

    def rows_of_parts(self, n: int, mirror: bool, parts: Callable[[], Iterable[tuple[Any, Any]]]) -> tuple[Any, Any]:
        """See `build_cpu.rows_of_parts`."""
        entries, part = 0, None
        for part in parts():
            entries += len(part[0]) * (2 if mirror else 1)
        offsets, indices = self._device.empty(n + 1, np.int64), self._device.empty(entries, np.int32)
        self._sort(n, indices, None)
        return offsets, indices

    def inverse(self, ids: Any) -> Any:
        """See `build_cpu.inverse`."""
        numbers, found = ids.like(), ids.like()
        del numbers
        return found

    def simplify(self, offsets: Any, indices: Any) -> tuple[Any, Any]:
        """See `build_cpu.simplify`."""
        starts, part = offsets.like(), indices.like(size=min(self.PART, len(indices)) if self._gpu else 0)
        del part
        return starts, indices

    def first_disorder(self, offsets: Any, indices: Any) -> int:
        """None."""
        return -1

    def first_unmatched(self, offsets: Any, indices: Any, weights: Any) -> int:
        """None."""
        if self._gpu:
            self.rows(len(offsets) - 1, Arcs(indices, offsets=offsets, weights=weights, turn=True))
        else:
            held = offsets.like(), None if weights is None or weights.dtype.kind != "f" else weights.like()
            del held
        return -1

    def self_loops_and_repeats(self, offsets: Any, indices: Any) -> tuple[int, bool]:
        """None, as far as is known."""
        return 0, False

    def contains(self, offsets: Any, indices: Any, src: Any, dst: Any) -> Any:
        """See `build_cpu.contains`."""
        return src.like(np.bool_)

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
        self._sort_on_gpu(arcs, indices, positions)
        weights = None if arcs.weights is None else arcs.weights.like(size=entries)
        return offsets, indices, weights, positions if with_ids else None

    def _transposed_on_gpu(self, n: int, arcs: Arcs, with_ids: bool) -> tuple[Any, Any, Any, Any]:
        offsets, numbers = arcs.dst.like(np.int64, n + 1), arcs.dst.like()
        self._sort_on_gpu(arcs, numbers, None)
        tails, indices = arcs.dst.like(), arcs.dst.like()
        del tails
        weights = None if arcs.weights is None else arcs.weights.like()
        return offsets, indices, weights, numbers.astype(np.int64) if with_ids else None

    def _sort_on_gpu(self, arcs: Arcs, entries: Any, positions: Any) -> None:
        """What sorting long rows takes: room for a quarter of the entries, or the longest row."""
        if arcs.longest >= _DIGITS:
            size = max(len(entries) // 4, arcs.longest)
            spare = entries.like(size=size), None if positions is None else positions.like(size=size)
            del spare

    def _sort(self, n: int, indices: Any, values: Any) -> None:
        """What `rows_cpu.sort_rows` takes beside the rows."""
        if self._gpu:
            return
        from minigr.primitives.cpu import team_size

        room = team_size(len(indices)) * min(_LONG_ROW, len(indices))
        keys, carried = indices.like(size=room), None if values is None else values.like(size=room)
        if len(indices) >= _LONG_ROW:
            lengths = indices.like(np.int64, n), indices.like(np.bool_, n)
            del lengths
        del keys, carried


class HostOutlineBuilder(OutlineBuilder):
    """Builds outlines of rows whose arcs a GPU reads on the host: the CPU builds them, see `build_host_cuda`."""

    def __init__(self, device: Device) -> None:
        super().__init__(device)
        self._cpu = OutlineBuilder(device.host)

    def rows(self, n: int, arcs: Arcs, *, with_ids: bool = False) -> tuple[Any, ...]:
        arcs = replace(arcs, **{name: self._held(getattr(arcs, name)) for name in _ARRAYS})
        offsets, *longer = self._cpu.rows(n, arcs, with_ids=with_ids)
        seen = [None if array is None else array.as_locked_for(self._device) for array in longer]
        return self._device.asarray(offsets), *seen

    def inverse(self, ids: Any) -> Any:
        return self._cpu.inverse(self._held(ids)).as_locked_for(self._device)

    def simplify(self, offsets: Any, indices: Any) -> tuple[Any, Any]:
        starts, kept = self._cpu.simplify(self._held(offsets), self._held(indices))
        return self._device.asarray(starts), kept.locked_for(self._device)

    def first_unmatched(self, offsets: Any, indices: Any, weights: Any) -> int:
        return self._cpu.first_unmatched(*map(self._held, (offsets, indices, weights)))

    def row_of_arcs(self, offsets: Any, num_arcs: int) -> Any:
        return self._cpu.row_of_arcs(self._held(offsets), num_arcs).locked_for(self._device)

    def _held(self, array: Any) -> Any:
        return None if array is None else self._device.host.asarray(array)


def _part(arcs: Arcs, values: Any, count: int) -> Any:
    """The ends and values of a part of the arcs, as `build_cpu` makes them."""
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
    """The row of each of so many arcs, as `build_cpu` finds them."""
    ends, numbers = offsets.like(), offsets.like(np.int32, len(offsets) - 1)
    counts = np.diff(ends)
    rows = offsets.like(np.int32, num_arcs)
    del numbers, counts
    return rows
