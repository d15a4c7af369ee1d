"""Building and querying compressed sparse rows on the CPU.

`build_cuda` has the same functions for the GPU. `rows_cpu` turns edges into rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from minigr.graphs.arcs import Arcs, DrawnEdges, part_of, shortened
from minigr.graphs.rows_cpu import CACHED, RowsOfParts, sort_rows
from minigr.jit.kernel import entry
from minigr.jit.spmd import run_team
from minigr.primitives.cpu import team_size
from minigr.primitives.random_cpu import random_bits
from minigr.primitives.split_cpu import merge_place

_0, _1, _2, _32 = (np.uint64(k) for k in (0, 1, 2, 32))
_HOW = ("sum", "min", "max", "first")  # in the order of the numbers that `_merge` uses


def rows(n: int, arcs: Arcs, *, with_ids: bool = False, empty: Callable[..., Any] = np.empty) -> tuple[Any, ...]:
    """Return offsets, indices, weights and ids of the rows of `arcs`, whose vertices are below `n`.

    Rows are sorted. Parallel arcs keep the order in which they were given. The ids, int64, say which of the given arcs
    each entry is. They are None unless `with_ids` is set. `empty` allocates the arrays that have an element for each
    entry.
    """
    if arcs.is_transpose:  # quicker than a sort
        return _transposed(arcs.offsets, arcs.dst, arcs.weights, with_ids, empty)
    if arcs.permutes and not with_ids:
        return *_permuted(arcs, empty), None
    keeps_rows = arcs.src is None and arcs.place is None and not arcs.mirror and not arcs.turn
    if keeps_rows and arcs.down == "keep" and arcs.weights is None and not with_ids:
        return *_lesser(arcs.offsets, arcs.dst, empty), None, None
    values = np.arange(len(arcs.dst)) if with_ids else arcs.weights
    offsets, indices, values = _built(n, arcs.mirror, lambda: _parts(arcs, values), values, empty)
    if not with_ids:
        return offsets, indices, values, None
    return offsets, indices, _taken(arcs.weights, values, empty), values


def rows_of_drawn(n: int, edges: DrawnEdges) -> tuple[Any, Any]:
    """Return offsets and indices of the rows of edges that are generated in parts. Each part is generated twice."""
    offsets, indices, _ = _built(n, edges.mirror, lambda: map(_unweighted, edges.parts()), None, np.empty)
    return simplify(offsets, indices) if edges.simple else (offsets, indices)


def _unweighted(part: tuple[Any, Any]) -> tuple[Any, Any, None]:
    return *part, None


def _built(
    n: int, mirror: bool, parts: Callable[[], Iterable[tuple[Any, Any, Any]]], values: Any, empty: Callable[..., Any]
) -> Any:
    """Build rows from parts: ends of arcs, and values of the dtype of `values`, unless `values` is None."""
    built = RowsOfParts(mirror)
    last: list[Any] | None = None
    for part in parts():
        built.count(*part[:2], n - 1)
        last = [part] if last is None else []
        del part  # free the part before the next one is made
    built.begin(n)
    built.allocate(None if values is None else values.dtype, empty=empty)
    for part in last or parts():  # a single part is kept
        built.put(*part)
        del part
    return built.finish()


def _parts(arcs: Arcs, values: Any) -> Iterator[tuple[Any, Any, Any]]:
    """The ends and values of the entries of rows, before they are mirrored."""
    if arcs.src is not None and arcs.place is None and not arcs.turn and arcs.down is None:
        yield arcs.src, arcs.dst, values
        return
    at_once = part_of(arcs.count)
    for low in range(0, arcs.count, at_once):
        high = min(low + at_once, arcs.count)
        here: Any = slice(low, high)
        if arcs.place is not None and arcs.begins is None and arcs.src is None:
            src, dst = _placed(arcs, low, high)
        else:
            src = _rows(arcs.offsets, low, high) if arcs.src is None else arcs.src[low:high]
            if arcs.begins is not None:
                here = np.arange(low, high) + (arcs.begins - arcs.offsets[:-1])[src]
                kept = arcs.place[arcs.dst[here]] >= 0
                src, here = src[kept], here[kept]
            elif arcs.place is not None:
                src = arcs.place[src]
            dst = arcs.dst[here] if arcs.place is None else arcs.place[arcs.dst[here]]
        their = None if values is None else values[here]
        if arcs.turn:
            src, dst = dst, src
        if arcs.down == "fold":
            src, dst = np.maximum(src, dst), np.minimum(src, dst)
        if arcs.down is not None:
            keep = src > dst
            src, dst, their = src[keep], dst[keep], None if their is None else their[keep]
        yield src, dst, their
        del src, dst, their  # free the part before the next one is made


def _placed(arcs: Arcs, low: int, high: int) -> tuple[Any, Any]:
    """The ends of some arcs of rows whose vertices are renumbered."""
    size, ends = team_size(high - low), (np.empty(high - low, np.int32), np.empty(high - low, np.int32))
    bounds = low + (high - low) * np.arange(size + 1) // size
    rows = np.searchsorted(arcs.offsets, bounds, side="right") - 1
    run_team(_place, size, arcs.offsets, arcs.dst, arcs.place, bounds, rows, *ends)
    return ends


def _permuted(arcs: Arcs, empty: Callable[..., Any]) -> tuple[Any, Any, Any]:
    """Offsets, indices and weights of renumbered rows: each row is copied, then sorted."""
    offsets, count, bits = np.zeros_like(arcs.offsets), arcs.count, as_bits(arcs.weights)
    offsets[1:][arcs.place] = arcs.offsets[1:] - arcs.offsets[:-1]
    np.cumsum(offsets, out=offsets)
    indices, their = empty(count, np.int32), bits if arcs.weights is None else empty(count, bits.dtype)
    run_team(_permute, team_size(count), arcs.offsets, arcs.dst, bits, arcs.place, offsets, indices, their)
    sort_rows(len(offsets) - 1, offsets, indices, their)
    return offsets, indices, None if arcs.weights is None else their.view(arcs.weights.dtype)


def _transposed(
    offsets: Any, indices: Any, weights: Any, with_ids: bool, empty: Callable[..., Any]
) -> tuple[Any, Any, Any, Any]:
    """Offsets, indices, weights and, with `with_ids`, arc ids of the reverse graph."""
    count, bits = len(indices), as_bits(weights)
    begins = in_offsets(offsets, indices)
    size = team_size(count)
    bounds = np.searchsorted(begins, [count * rank // size for rank in range(size)] + [count])
    bounds[0], bounds[-1] = 0, len(offsets) - 1
    their = bits if weights is None else empty(count, bits.dtype)  # without weights, bits is empty
    ids = empty(count, np.int64) if with_ids else np.empty(0, np.int64)
    made = empty(count, np.int32), ids, their
    cursor, at_once = begins[:-1].copy(), count if size == 1 else CACHED
    for begin in range(0, count, max(at_once, 1)):
        part = int(np.searchsorted(offsets, begin, side="right")) - 1, begin, min(begin + at_once, count)
        run_team(_transpose, size, *part, bounds, cursor, offsets, indices, bits, *made)
    return begins, made[0], None if weights is None else their.view(weights.dtype), ids if with_ids else None


def _taken(weights: Any, ids: Any, empty: Callable[..., Any]) -> Any:
    # "clip", because otherwise NumPy checks the indices, which are in range, and makes a copy for this
    return None if weights is None else weights.take(ids, out=empty(len(ids), weights.dtype), mode="clip")


def in_offsets(offsets: Any, indices: Any) -> Any:
    """Where the in-edges of each vertex begin if all in-edges are contiguous, and at the end their number."""
    found = np.zeros_like(offsets)
    _add_up_rows(indices, found)
    return found


def inverse(ids: Any, *, empty: Callable[..., Any] = np.empty) -> Any:
    """int64: the inverse of the permutation `ids`."""
    found = empty(len(ids), np.int64)
    found[ids] = np.arange(len(ids))
    return found


def simplify(offsets: Any, indices: Any) -> tuple[Any, Any]:
    """Return the same rows without self-loops and repeats. Overwrites `indices`."""
    new_offsets = np.zeros_like(offsets)
    return new_offsets, shortened(indices, _simplify(offsets, indices, new_offsets))


def kept(
    offsets: Any, indices: Any, weights: Any, keep: Any, *, empty: Callable[..., Any] = np.empty
) -> tuple[Any, Any, Any]:
    """Return the same rows with only the arcs where `keep`, bool[arcs], is true."""
    places = np.flatnonzero(keep)
    return np.searchsorted(places, offsets), _taken(indices, places, empty), _taken(weights, places, empty)


def merged(
    offsets: Any,
    indices: Any,
    weights: Any,
    halve_loops: bool,
    how: str = "sum",
    *,
    empty: Callable[..., Any] = np.empty,
) -> tuple[Any, Any, Any]:
    """Return the same rows with parallel arcs merged into one arc.

    The weight of a merged arc is the ``"sum"`` of the weights in their order, in int64 or float64, or the ``"min"``,
    ``"max"`` or ``"first"`` of the weights in their dtype. Without weights each arc counts as 1. With `halve_loops` a
    self-loop gets half of its sum.
    """
    n, size, weighted = len(offsets) - 1, team_size(len(indices)), weights is not None
    new_offsets, loops = np.zeros_like(offsets), np.full(n, -1)
    run_team(_count_distinct, size, offsets, indices, new_offsets)
    np.cumsum(new_offsets, out=new_offsets)
    given = weights if weighted else np.empty(0, np.int64)
    dtype = given.dtype if how != "sum" else np.int64 if given.dtype.kind == "i" else np.float64
    left = int(new_offsets[-1])
    new = empty(left, np.int32), empty(left, dtype)
    run_team(_merge, size, offsets, indices, given, weighted, _HOW.index(how), new_offsets, *new, loops)
    if halve_loops:
        halve(new[1], loops[loops >= 0])
    return new_offsets, *new


def halve(weights: Any, places: Any) -> None:
    """Halve some weights in place. Integer weights must be even."""
    if weights.dtype.kind == "i":
        weights[places] //= 2
    else:
        weights[places] *= 0.5


def first_disorder(offsets: Any, indices: Any) -> int:
    """The first arc whose neighbor is less than the previous neighbor of its row, or -1."""
    size = team_size(len(indices))
    firsts = np.empty(size, np.int64)
    run_team(_first_disorder, size, offsets, indices, firsts)
    return -1 if (found := int(firsts.min())) == len(indices) else found


def first_unmatched(offsets: Any, indices: Any, weights: Any) -> int:
    """The first arc that has no reverse arc with the same weight, or -1.

    First a single pass over the rows compares the arcs to greater vertices with the arcs to lesser vertices, by the
    sums of two 64-bit hashes. Only if the sums differ is the arc searched for. Other arcs with the same sums can be
    constructed on purpose, but do not occur by chance.
    """
    if weights is not None and weights.dtype.kind == "f":
        weights = weights + 0.0  # turns -0.0 into 0.0, which is an equal weight
    bits = as_bits(weights)
    size = team_size(len(indices))
    sums = np.empty((size, 2), np.uint64)
    run_team(_weigh_sides, size, offsets, indices, bits, sums)
    if not sums.sum(axis=0).any():
        return -1
    return int(_first_unmatched(offsets[:-1].copy(), offsets, indices, bits))


def self_loops_and_repeats(offsets: Any, indices: Any) -> tuple[int, bool]:
    """How many self-loops there are, and whether any row contains a neighbor twice."""
    loops, repeats = _self_loops_and_repeats(offsets, indices)
    return int(loops), bool(repeats)


def summarize(weights: Any, factor: float = 1.0) -> tuple[float, float, float]:
    """The minimum, the sum and the maximum of the weights times `factor`. There must be at least one weight."""
    scaled = weights if factor == 1.0 else weights * factor
    with np.errstate(over="ignore", invalid="ignore"):  # the sum may be infinite or undefined
        return float(scaled.min()), float(scaled.sum(dtype=np.float64)), float(scaled.max())


def contains(offsets: Any, indices: Any, src: Any, dst: Any) -> Any:
    """Whether row ``src[i]`` contains ``dst[i]``, for each i; O(log degree) each."""
    found = np.empty(len(src), np.bool_)
    _contains(offsets, indices, src, dst, found)
    return found


def row_of_arcs(offsets: Any, num_arcs: int) -> Any:
    """The row of each arc, int32[num_arcs]."""
    return _rows(offsets, 0, num_arcs)


def _rows(offsets: Any, low: int, high: int) -> Any:
    """The row of each arc from `low` to ``high - 1``, int32."""
    if low == high:
        return np.empty(0, np.int32)
    first, last = (int(np.searchsorted(offsets, arc, side="right")) for arc in (low, high - 1))
    ends = np.clip(offsets[first - 1 : last + 1], low, high)
    return np.repeat(np.arange(first - 1, last, dtype=np.int32), np.diff(ends))


def _lesser(offsets: Any, indices: Any, empty: Callable[..., Any]) -> tuple[Any, Any]:
    """The neighbors of each row that are less than the vertex of the row. Rows must be sorted."""
    new_offsets = np.zeros_like(offsets)
    _count_lesser(offsets, indices, new_offsets)
    new_indices = empty(int(new_offsets[-1]), np.int32)
    _copy_heads(offsets, indices, new_offsets, new_indices)
    return new_offsets, new_indices


def as_bits(weights: Any) -> Any:
    """Weights as integers of the same width, so that one compiled kernel serves int32 and float32.

    For absent weights, an empty array, which the kernels ignore.
    """
    return np.empty(0, np.int32) if weights is None else weights.view(f"i{weights.dtype.itemsize}")


@entry
def _place(rank, size, sync, offsets, indices, place, bounds, rows, src, dst):
    """Write the new numbers of the ends of a thread's arcs, which begin at ``bounds[rank]``, in row ``rows[rank]``."""
    low, first, last, row = bounds[0], bounds[rank], bounds[rank + 1], rows[rank]
    while first < last:
        end = min(offsets[row + 1], last)
        for e in range(first, end):
            src[np.uint64(e - low)] = place[row]
            dst[np.uint64(e - low)] = place[np.uint64(indices[np.uint64(e)])]
        first, row = end, row + 1


@entry
def _permute(rank, size, sync, offsets, indices, bits, place, new_offsets, new_indices, new_bits):
    first, _ = merge_place(offsets, rank, size)
    last, _ = merge_place(offsets, rank + 1, size)
    for v in range(first, last):
        shift = new_offsets[np.uint64(place[v])] - offsets[v]
        for e in range(offsets[v], offsets[v + 1]):
            new_indices[np.uint64(e + shift)] = place[np.uint64(indices[np.uint64(e)])]
            if bits.size:
                new_bits[np.uint64(e + shift)] = bits[np.uint64(e)]


@entry
def _add_up_rows(src, offsets):
    """Set `offsets`, which are 0, to the beginnings of rows, where arc i is in row ``src[i]``."""
    for i in range(src.size):
        offsets[src[i] + 1] += 1
    for v in range(offsets.size - 1):
        offsets[v + 1] += offsets[v]


@entry
def _transpose(rank, size, sync, row, begin, end, bounds, cursor, offsets, indices, bits, in_indices, ids, in_bits):
    """Append the arcs from `begin` to `end` to the in-rows of the thread. The first arc is in `row`."""
    low, high, weighted, keeps_ids = bounds[rank], bounds[rank + 1], bits.size > 0, ids.size > 0
    at = begin
    while at < end:
        stop = min(offsets[row + 1], end)
        for e in range(at, stop):
            v = indices[np.uint64(e)]
            if v >= low and v < high:
                p = np.uint64(cursor[np.uint64(v)])
                cursor[np.uint64(v)] += 1
                in_indices[p] = row
                if keeps_ids:
                    ids[p] = e
                if weighted:
                    in_bits[p] = bits[np.uint64(e)]
        at = stop
        row += 1


@entry
def _simplify(offsets, indices, new_offsets):
    """Return how many neighbors are kept. `new_offsets` must begin with 0."""
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
def _count_distinct(rank, size, sync, offsets, indices, counts):
    """Store how many distinct neighbors each row u of a thread has at ``counts[u + 1]``."""
    first, _ = merge_place(offsets, rank, size)
    last, _ = merge_place(offsets, rank + 1, size)
    for u in range(first, last):
        found, before = 0, -1
        for e in range(offsets[u], offsets[u + 1]):
            v = indices[np.uint64(e)]
            found += v != before
            before = v
        counts[u + 1] = found


@entry
def _merge(rank, size, sync, offsets, indices, weights, weighted, how, new_offsets, new_indices, sums, loops):
    first, _ = merge_place(offsets, rank, size)
    last, _ = merge_place(offsets, rank + 1, size)
    for u in range(first, last):
        before, at = -1, new_offsets[u] - 1
        for e in range(offsets[u], offsets[u + 1]):
            v = indices[np.uint64(e)]
            weight = weights[np.uint64(e)] if weighted else 1
            if v == before:
                if how == 0:
                    sums[np.uint64(at)] += weight
                elif how == 1:
                    sums[np.uint64(at)] = min(sums[np.uint64(at)], weight)
                elif how == 2:
                    sums[np.uint64(at)] = max(sums[np.uint64(at)], weight)
            else:
                before, at = v, at + 1
                new_indices[np.uint64(at)] = v
                sums[np.uint64(at)] = weight
                if v == u:
                    loops[u] = at


@entry
def _count_lesser(offsets, indices, new_offsets):
    for u in range(offsets.size - 1):
        lo, hi = offsets[u], offsets[u + 1]
        while lo < hi:
            mid = (lo + hi) // 2
            if indices[mid] < u:
                lo = mid + 1
            else:
                hi = mid
        new_offsets[u + 1] = new_offsets[u] + lo - offsets[u]


@entry
def _copy_heads(offsets, indices, new_offsets, new_indices):
    for u in range(offsets.size - 1):
        for k in range(new_offsets[u + 1] - new_offsets[u]):
            new_indices[new_offsets[u] + k] = indices[offsets[u] + k]


@entry
def _first_disorder(rank, size, sync, offsets, indices, firsts):
    """The first arc in a thread's rows that is less than the previous arc of its row, or the number of all arcs."""
    first, _ = merge_place(offsets, rank, size)
    last, _ = merge_place(offsets, rank + 1, size)
    firsts[rank] = indices.size
    for u in range(first, last):
        for e in range(offsets[u] + 1, offsets[u + 1]):
            if indices[np.uint64(e)] < indices[np.uint64(e - 1)]:
                firsts[rank] = e
                return


@entry
def _weigh_sides(rank, size, sync, offsets, indices, bits, sums):
    """Two sums of hashes over a thread's rows: of arcs to greater vertices, minus those of arcs to lesser vertices."""
    first, _ = merge_place(offsets, rank, size)
    last, _ = merge_place(offsets, rank + 1, size)
    one, other = np.uint64(0), np.uint64(0)
    for row in range(max(first, 0), last):
        u = np.uint64(row)
        for e in range(offsets[u], offsets[u + np.uint64(1)]):
            v = np.uint64(indices[np.uint64(e)])
            if u == v:
                continue
            edge = (min(u, v) << _32) | max(u, v)
            if bits.size:
                edge ^= random_bits(np.uint64(bits[np.uint64(e)]), _2)
            its_one, its_other = random_bits(edge, _0), random_bits(edge, _1)
            one += its_one if u < v else np.uint64(0) - its_one
            other += its_other if u < v else np.uint64(0) - its_other
    sums[rank, 0], sums[rank, 1] = one, other


@entry
def _first_unmatched(cursor, offsets, indices, bits):
    # Rows are sorted and visited in order, so the arcs that end at v are visited in the order of row v.
    weighted = bits.size > 0
    for u in range(offsets.size - 1):
        for e in range(offsets[u], offsets[u + 1]):
            v = indices[e]
            p = cursor[v]
            cursor[v] = p + 1
            if p < offsets[v + 1] and indices[p] < u:
                return p  # row indices[p] was visited before, and does not contain v
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
