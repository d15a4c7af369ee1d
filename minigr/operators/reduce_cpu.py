"""CPU kernels of `neighbor_reduce`: a segmented reduction over the neighbors of each vertex of a frontier.

A schedule deals out whole rows. All vertices are dealt out by the merge path: it cuts them into pieces of as many
vertices plus edges, so neither a hub nor a long run of isolated vertices makes one thread late. Threads claim pieces,
because some threads are slower than others: where two share a core, or where neighbors' values are far. Where results
are reduced further, each piece has a partial result. So the number of threads does not change the total. A list is
dealt out in chunks as threads come free, in pieces of as many vertices where the results are reduced further, or by the
merge path too, over its scanned degrees.

Rows without gaps are reduced by groups of edges. A processor can't guess where a row ends, and a wrong guess costs more
than a short row. So the last edges of each row are a whole group, and what the group has beyond the end of the row is
dropped. It repeats the last edge; or, where the functor may be called for any vertices, it is of the next rows, which
takes fewer instructions. Numbers that are added are dropped by a mask. Elsewhere whether to drop one is asked of a
number with a fraction, because x86 chooses between such numbers without a jump only by a comparison of such numbers. An
addition of such numbers waits for the one before it. So each edge of a group has a sum of its own, and the sums are
added at the end of the row.
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
GROUP = 4  # edges


@kernel
def store(results, place, result):
    """How a result that is one number gets to its place."""
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
        How what `apply` returns is reduced into scalars, where `sums`: the totals to start from, the totals with one
        more value, and where a thread leaves its own.
    initial : NumPy scalar or tuple of them
        Where each vertex's reduction starts.
    convert, store
        How what `map` and `reduce` return becomes what is reduced: of the same types as `initial`. How a result is
        stored; `nothing` where results aren't.
    rows : Rows
        Of the edges to reduce over.
    shares, tiles : compiled generators
        How the rows are dealt out, uncut; see `minigr.schedules.tiles_cpu`.
    fetch : compiled function
        Asks for what the functor will read at a vertex, before its turn.
    listed : bool
        Whether the vertices are those of a list, which are in no order.
    inward : bool
        Reduce over in-neighbors.
    by_vertex : bool
        Whether results are stored at the vertex, or at its position in the frontier.
    grouped : bool
        Reduce rows by groups of edges: where rows have no gaps, and `map` and `reduce` only read and may be called for
        nothing.
    freely : bool
        Whether they may be called for the vertices of any edges.
    adds : bool
        Whether `reduce` adds numbers with a fraction, and to something that 0.0 leaves as it is: not to -0.0.
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
        """The total with the edges from `first` up to `end`, which are whole groups."""
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
        """The total with the edges from `first` up to `end`: no more than a group, and none only where `freely`."""
        if adds:
            a = value_at(parts, first, row)
            b = value_at(parts, beyond(first, 1, end), row)
            c = value_at(parts, beyond(first, 2, end), row)
            d = value_at(parts, beyond(first, 3, end), row)
            return total + sum_of_first(a, b, c, d, end - first)
        left = np.float64(end - first) - 0.5  # the half keeps LLVM from comparing whole numbers
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
        """`cursor` has a word at the place of the control block's cursor: it is that, or an array for this kernel."""
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
