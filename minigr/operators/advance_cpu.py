"""CPU kernels of `advance`.

In a push, each thread goes along the edges that a schedule assigns to it. In a pull, threads take ranges of all
vertices. For each vertex for which `cond_target` holds, the thread searches the in-edges for sources in the frontier,
which is a bitmap. The search of a vertex ends when `cond_target` no longer holds for it.

A processor can't predict well where a search ends, or which edges it lets through, and a wrong prediction costs more
than a short row. So a pull may look at a whole short row, without a jump, for the first edge that holds.
"""

import numpy as np

from minigr.jit.atomics import atomic_or
from minigr.jit.bits import lowest_one
from minigr.jit.kernel import kernel
from minigr.jit.prefetch import prefetch
from minigr.jit.seq_cst import fetch_add
from minigr.jit.vertices import vertex_at, vertex_of
from minigr.operators.reduce_cpu import GROUP
from minigr.primitives.split_cpu import split
from minigr.program.absent_cpu import element, zero
from minigr.program.control import Word
from minigr.program.output_cpu import STAGE, first_time, flush, put
from minigr.program.work_cpu import VERTEX_CHUNK, claims, line_up

_ITERATION, _EDGES, _NEXT_EDGES = int(Word.ITERATION), int(Word.EDGES), int(Word.NEXT_EDGES)
_PULLS = int(Word.PULLS)
_BITS = 64
_ROWS_AHEAD = 32  # distance in searching vertices at which a row is fetched before the vertex's turn


def make_push(cond, apply, target, rows, tiles, *, output, unique, reverse, count_degrees, weight, slot, length_word):
    """A push kernel for one functor.

    Parameters
    ----------
    cond, apply, target : compiled functions
        Adapters that take the fields and all values that the operator supplies.
    rows : Rows
        The rows of out-edges or, with `reverse`, of in-edges.
    tiles : compiled generator
        How rows are assigned to threads; see `minigr.schedules.tiles_cpu`.
    output : str or None
        ``"vertices"``, ``"edges"`` or None.
    unique : bool
        Put out each vertex once (by stamps).
    count_degrees : bool
        Sum the degrees of the vertices put out, for the direction rule.
    weight : bool
        Whether the functor uses weights.
    slot, length_word : int
        Output slot, and the position of its length in the control block.
    """
    weight_of = element if weight else zero
    puts_vertices, puts = output == "vertices", output is not None
    parts_of, arcs, degree, edge_id = rows.parts, rows.arcs, rows.degree, rows.edge_id

    @kernel
    def push(rank, size, control, graph, fields, items, length, out, stages, stamps, starts, hubs, shares):
        """`shares`: take this thread's part of the edges of each of `hubs`, instead of items."""
        parts = parts_of(graph)
        weights = parts[2]
        iteration = np.int32(control[_ITERATION])
        stage = stages[rank]
        count, looked_at, next_edges = 0, 0, 0
        for seg, src, row, begin, end, shift in tiles(
            rank, size, control, parts, items, length, starts, hubs, shares, False
        ):
            for place, dst in arcs(parts, begin, end):
                looked_at += 1
                if not target(fields, dst, iteration):
                    continue
                value = weight_of(weights, np.uint64(place))
                edge = edge_id(graph, place, dst, src) if reverse else place
                if cond(fields, src, dst, edge, value, place - row, place + shift, seg, iteration):
                    apply(fields, src, dst, edge, value, place - row, place + shift, seg, iteration)
                    if puts and (not unique or first_time(stamps, np.uint64(dst), iteration, size)):
                        if count_degrees:
                            next_edges += degree(graph, dst)
                        item = dst if puts_vertices else edge
                        count = put(control, size, stage, STAGE, count, item, out, length_word, slot)
        if puts:
            flush(control, size, stage, count, out, length_word, slot)
            line_up(control, rank, size, length_word)
        fetch_add(control, _EDGES, looked_at)
        if count_degrees:
            fetch_add(control, _NEXT_EDGES, next_edges)

    return push


@kernel
def clear(rank, size, control, bitmaps):
    """Clear the bitmap that the coming pull reads."""
    bits = bitmaps[control[_PULLS] & 1]
    low, high = split(bits.size, rank, size)
    for word in range(low, high):
        bits[word] = 0


@kernel
def mark(rank, size, control, items, length, bitmaps):
    """Set the bits of the frontier in this bitmap."""
    bits = bitmaps[control[_PULLS] & 1]
    low, high = split(length, rank, size)
    for i in range(low, high):
        vertex = np.uint64(items[i])
        place, bit = vertex // np.uint64(_BITS), np.int64(1) << np.int64(vertex % np.uint64(_BITS))
        if size == 1:
            bits[place] |= bit
        else:
            atomic_or(bits, place, bit)


def make_pull(
    cond,
    apply,
    target,
    rows,
    *,
    everyone,
    output,
    repeats,
    gathers,
    marks,
    grouped,
    count_degrees,
    weight,
    slot,
    length_word,
):
    """A pull kernel for one functor; `everyone`: every vertex is in the frontier, so no bitmap is read.

    `rows` are the rows of in-edges. `repeats`: put out a vertex once for each edge, instead of once in total.

    `gathers`: call `target` for many vertices before any of them searches, for a `target` that only reads. The
    processor can't predict the results, and in this way need not predict them. The rows that will be read are also
    known in advance.

    `marks`: leave a bitmap of the output, for the pull that may follow. Only one thread writes to the words of its
    vertices, so no atomics are needed.

    `grouped`: begin a short row at the first edge for which `cond` holds. This requires rows without gaps, a frontier
    of all vertices, and a `cond` that only reads and may be called without need.

    `output`, `weight`, `slot` and `length_word` are as in `make_push`.
    """
    weight_of = element if weight else zero
    puts = output is not None
    puts_vertices, puts_once = output == "vertices", output == "vertices" and not repeats
    parts_of, row_of, arcs, edge_id = rows.parts, rows.row, rows.arcs, rows.edge_id
    degree, vertices, edge_ids, entry = rows.degree, rows.vertices, rows.edge_ids, rows.entry

    @kernel
    def searchers(control, rank, size, graph, fields, parts, marked, wanted, iteration):
        """Iterate over the vertices that search."""
        count = vertices(graph)
        for begin, end in claims(control, rank, size, (count + _BITS - 1) // _BITS, VERTEX_CHUNK // _BITS):
            first, last = begin * _BITS, min(end * _BITS, count)
            while first < last:
                number = np.uint64(0)
                stop = min(last, first + wanted.size)
                for seg in range(first, stop):
                    wanted[number] = seg
                    row, row_end = row_of(parts, seg)
                    has_row = row < row_end
                    searches = not gathers or target(fields, vertex_of(seg), iteration)
                    number += np.uint64(has_row) & np.uint64(searches)
                if marks:
                    for word in range(first // _BITS, (stop + _BITS - 1) // _BITS):
                        marked[word] = 0
                first = stop
                for i in range(number):
                    ahead = wanted[min(i + np.uint64(_ROWS_AHEAD), number - np.uint64(1))]
                    prefetch(parts[1], row_of(parts, ahead)[0])
                    dst = vertex_at(wanted, i)
                    if gathers or target(fields, dst, iteration):
                        yield dst

    @kernel
    def first_edge(graph, fields, parts, dst, begin, end, iteration):
        """The place of the first edge for which `cond` holds, in a row of 1 to `GROUP` edges; its end if there is none.

        Beyond the end of the row, the last edge is used again.
        """
        held = np.uint64(1) << np.uint64(end - begin)
        for ahead in range(GROUP):
            place = min(begin + ahead, end - 1)
            src = entry(parts, place)
            value, edge = weight_of(parts[2], np.uint64(place)), edge_id(graph, place, src, dst)
            holds = cond(fields, src, dst, edge, value, place - begin, place, np.int64(dst), iteration)
            held |= np.uint64(holds) << np.uint64(ahead)
        return begin + lowest_one(held)

    @kernel
    def pull(rank, size, control, graph, fields, bitmaps, out, stages, searching):
        parts = parts_of(graph)
        weights = parts[2]
        iteration = np.int32(control[_ITERATION])
        bits, marked = bitmaps[control[_PULLS] & 1], bitmaps[1 - (control[_PULLS] & 1)]
        stage = stages[rank]
        short = grouped and edge_ids(graph) <= GROUP * vertices(graph)
        count, looked_at, next_edges = 0, 0, 0
        for dst in searchers(control, rank, size, graph, fields, parts, marked, searching[rank], iteration):
            begin, end = row_of(parts, dst)
            found, first, holds = False, begin, np.int64(-1)
            if grouped and short and end - begin <= GROUP:
                first = holds = first_edge(graph, fields, parts, dst, begin, end, iteration)
                looked_at += first - begin
            for place, src in arcs(parts, first, end):
                looked_at += 1
                vertex = np.uint64(src)
                if everyone or (bits[vertex // np.uint64(_BITS)] >> np.int64(vertex % np.uint64(_BITS))) & 1:
                    value, edge = weight_of(weights, np.uint64(place)), edge_id(graph, place, src, dst)
                    in_row = place - begin
                    if (grouped and place == holds) or cond(
                        fields, src, dst, edge, value, in_row, place, np.int64(dst), iteration
                    ):
                        apply(fields, src, dst, edge, value, in_row, place, np.int64(dst), iteration)
                        found = True
                        if puts and not puts_once:
                            item = dst if puts_vertices else edge
                            count = put(control, size, stage, STAGE, count, item, out, length_word, slot)
                        if not target(fields, dst, iteration):
                            break
            if marks and found:
                vertex = np.uint64(dst)
                marked[vertex // np.uint64(_BITS)] |= np.int64(1) << np.int64(vertex % np.uint64(_BITS))
            if found and puts_once:
                if count_degrees:
                    next_edges += degree(graph, dst)
                count = put(control, size, stage, STAGE, count, dst, out, length_word, slot)
        if puts:
            flush(control, size, stage, count, out, length_word, slot)
        fetch_add(control, _EDGES, looked_at)
        if count_degrees:
            fetch_add(control, _NEXT_EDGES, next_edges)

    return pull
