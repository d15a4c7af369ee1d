"""CPU kernels of `neighbor_reduce`: a segmented reduction over the neighbors of each vertex of a frontier.

A schedule assigns whole rows to threads. All vertices are cut by the merge path into pieces with the same number of
vertices plus edges, so neither a hub nor many isolated vertices make one thread late. Threads claim pieces, because
some threads are slower than others: they share a core, or their neighbors' values are far away. If the results are
reduced further, each piece has a partial result, so the number of threads does not change the total. The vertices of a
list are claimed in chunks by free threads, or in pieces of the same number of vertices if the results are reduced
further, or by the merge path too, over the scanned degrees.

Rows without gaps are reduced by groups of edges. A processor can't predict well where a row ends, and a wrong
prediction costs more than a short row. So the last edges of each row form a whole group, and the values beyond the end
of the row are dropped. Beyond the end, the last edge is repeated or, if the functor may be called for any vertices, the
edges of the next rows are used, which takes fewer instructions. Numbers that are added are dropped by a mask. For other
reductions, the choice whether to drop a value compares floats, because x86 chooses between floats without a jump only
by a comparison of floats. An addition of floats waits for the addition before it. So each edge of a group has its own
sum, and the sums are added at the end of the row.
"""

import numpy as np

from minigr.jit.bits import sum_of_first
from minigr.jit.kernel import kernel
from minigr.jit.seq_cst import fetch_add
from minigr.program.absent_cpu import element, zero
from minigr.program.control import Word
from minigr.program.output_cpu import STAGE, flush, put
from minigr.schedules.tiles_cpu import ROWS_AHEAD

_ITERATION, _EDGES = int(Word.ITERATION), int(Word.EDGES)
GROUP = 4  # number of edges


@kernel
def store(results, place, result):
    """Store a result that is one number."""
    results[place] = result


def make_neighbor_reduce(
    value_of,
    reduce,
    keep,
    apply,
    start,
    add,
    leave,
    initial,
    convert,
    store,
    rows,
    shares,
    tiles,
    *,
    fetch,
    listed,
    inward,
    by_vertex,
    sums,
    weight,
    grouped,
    freely,
    adds,
    puts,
    slot,
    length_word,
):
    """A neighbor-reduce kernel.

    Parameters
    ----------
    value_of, reduce, keep, apply : compiled functions
        The functor's `map`, `reduce`, `cond_reduce` and `apply_reduce`.
    start, add, leave
        If `sums`, the reduction of the values that `apply` returns into scalars: the start totals, the totals with one
        more value, and the store of a thread's totals.
    initial : NumPy scalar or tuple of them
        Start value of each vertex's reduction.
    convert, store
        The conversion of a result of `map` or `reduce` to the types of `initial`, and the store of a result; `nothing`
        if results are not stored.
    rows : Rows
        The rows of the edges to reduce over.
    shares, tiles : compiled generators
        How the uncut rows are assigned to threads; see `minigr.schedules.tiles_cpu`.
    fetch : compiled function
        Prefetches the elements that the functor will read at a vertex, before the vertex's turn.
    listed : bool
        Whether the vertices are from a list, which has no order.
    inward : bool
        Reduce over in-neighbors.
    by_vertex : bool
        Whether results are stored at the vertex, or at its position in the frontier.
    grouped : bool
        Reduce rows by groups of edges. This requires rows without gaps, and a `map` and a `reduce` that only read and
        may be called without need.
    freely : bool
        Whether `map` and `reduce` may be called for the vertices of any edges.
    adds : bool
        Whether `reduce` adds floats, and the start value stays the same when 0.0 is added (so it is not -0.0).
    puts : bool
        Put out the vertices for which `keep` holds, into output `slot`, whose length is at `length_word`.
    """
    weight_of = element if weight else zero
    parts_of, entry, edge_id = rows.parts, rows.entry, rows.edge_id
    arcs, gaps = rows.arcs, rows.gaps
    none = convert(0) if adds else 0

    @kernel
    def value_at(parts, place, row):
        return value_of_arc(place, entry(parts, place), row)

    @kernel
    def value_of_arc(place, other, row):
        vertex, begin, shift, idx, iteration, graph, fields = row
        src, dst = (other, vertex) if inward else (vertex, other)
        weight = weight_of(parts_of(graph)[2], np.uint64(place))
        edge = edge_id(graph, place, src, dst)
        return convert(value_of(fields, src, dst, edge, weight, place - begin, place + shift, idx, iteration))

    @kernel
    def with_groups(total, parts, first, end, row):
        """The total, plus the edges from `first` up to `end`, which are whole groups."""
        if adds:
            a, b, c, d = none, none, none, none
            for place in range(first, end, GROUP):
                a += value_at(parts, place, row)
                b += value_at(parts, place + 1, row)
                c += value_at(parts, place + 2, row)
                d += value_at(parts, place + 3, row)
            return total + ((a + b) + (c + d))
        for place in range(first, end):
            total = convert(reduce(row[-1], total, value_at(parts, place, row)))
        return total

    @kernel
    def with_last(total, parts, first, end, row):
        """The total, plus the edges from `first` up to `end`: at most one group; no edge only if `freely`."""
        if adds:
            a = value_at(parts, first, row)
            b = value_at(parts, beyond(first, 1, end), row)
            c = value_at(parts, beyond(first, 2, end), row)
            d = value_at(parts, beyond(first, 3, end), row)
            return total + sum_of_first(a, b, c, d, end - first)
        left = np.float64(end - first) - 0.5  # the half keeps LLVM from comparing integers
        for ahead in range(GROUP):
            more = convert(reduce(row[-1], total, value_at(parts, beyond(first, ahead, end), row)))
            total = more if np.float64(ahead) < left else total
        return total

    @kernel
    def beyond(first, ahead, end):
        return first + ahead if freely else min(first + ahead, end - 1)

    @kernel
    def reduce_row(vertex, begin, end, shift, idx, iteration, graph, fields):
        parts = parts_of(graph)
        total, degree = initial, 0
        row = (vertex, begin, shift, idx, iteration, graph, fields)
        if gaps:
            for place, other in arcs(parts, begin, end):
                degree += 1
                total = convert(reduce(fields, total, value_of_arc(place, other, row)))
            return total, degree
        last = begin
        if grouped:
            if end - begin > GROUP:
                last = begin + (end - begin - 1) // GROUP * GROUP
                total = with_groups(total, parts, begin, last, row)
            if last + GROUP <= parts[1].size if freely else begin < end:
                return with_last(total, parts, last, end, row), end - begin
        for place in range(last, end):
            total = convert(reduce(fields, total, value_at(parts, place, row)))
        return total, end - begin

    @kernel
    def neighbor_reduce(
        rank, size, control, graph, fields, cursor, items, length, starts, results, partials, out, stages
    ):
        """`cursor`: the control block, or an array for this kernel with a cursor at the same position."""
        iteration = np.int32(control[_ITERATION])
        stage = stages[rank]
        looked_at, count = 0, 0
        parts = parts_of(graph)
        for share, of in shares(rank, size, cursor, length, starts):
            totals = start()
            for seg, vertex, _, begin, end, shift in tiles(
                share, of, cursor, parts, items, length, starts, items, False, False
            ):
                idx = np.int64(seg)
                if listed:
                    fetch(fields, items[min(idx + ROWS_AHEAD, length - 1)])
                total, degree = reduce_row(vertex, begin, end, shift, idx, iteration, graph, fields)
                looked_at += degree
                store(results, np.uint64(vertex if by_vertex else idx), total)
                if puts and keep(fields, vertex, total, idx, iteration):
                    count = put(control, size, stage, STAGE, count, vertex, out, length_word, slot)
                if sums:
                    totals = add(totals, apply(fields, vertex, total, idx, iteration))
                else:
                    apply(fields, vertex, total, idx, iteration)
            if sums:
                leave(partials, share, totals)
        if puts:
            flush(control, size, stage, count, out, length_word, slot)
        fetch_add(control, _EDGES, looked_at)

    return neighbor_reduce
