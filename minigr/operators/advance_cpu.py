"""CPU kernels of `advance`.

A frontier is dealt out in chunks of vertices; each thread walks the edges of its chunk (push). Hubs are put off, and
their edges dealt out evenly after a barrier; graphs without such vertices have no code for them. Or each thread gets an
equal share of vertices and edges together, by the merge path over the scanned frontier. In a pull, threads take ranges
of all vertices, and for each that `cond_target` lets through look among its in-edges for sources in the frontier, whose
members stand in a bitmap; the search of a vertex ends when `cond_target` no longer holds for it.

The graph is one of either layout: rows are gone through piece by piece, as `minigr.graphs.adjacency_cpu` says.
"""

import numpy as np

from minigr.graphs.dynamic.layout import EMPTY
from minigr.jit.atomics import atomic_or
from minigr.jit.kernel import kernel
from minigr.jit.ordered import fetch_add
from minigr.jit.prefetch import prefetch
from minigr.jit.vertices import vertex_at
from minigr.primitives.split_cpu import merge_place, split
from minigr.program import common_cpu as common
from minigr.program.common_cpu import claim, first_time, flush, piece_end
from minigr.program.control import Word

_ITERATION, _EDGES, _NEXT_EDGES = int(Word.ITERATION), int(Word.EDGES), int(Word.NEXT_EDGES)
_PULLS, _HUBS = int(Word.PULLS), int(Word.HUBS)
_BITS = 64

OFFSETS_AHEAD, ROWS_AHEAD = 8, 4  # vertices of a list whose row is fetched before its turn: where it is, then itself


def make_push(
    cond, apply, target, rows, *, source, output, unique, count_degrees, weight, hub, merged, slot, length_word
):
    """A push kernel for one functor.

    Parameters
    ----------
    cond, apply, target : compiled functions
        Adapters that take the fields and all that the operator supplies.
    rows : Rows
        Of the out-edges.
    source : str
        ``"vertices"``, ``"edges"`` or ``"all"``: what the input holds.
    output : str or None
        ``"vertices"``, ``"edges"`` or None.
    unique : bool
        Put out each vertex once (by stamps).
    count_degrees : bool
        Sum the degrees of the vertices put out, for the direction rule.
    weight : bool
        Whether the functor asks for weights.
    hub : int or None
        Leave vertices of more positions than this, where there is a team, to a second call that shares them out.
    merged : bool
        Deal out edges by the merge path over ``starts``, where the rows of the frontier begin among all its edges.
    slot, length_word : int
        Output slot and the place of its length in the control block.
    """
    weight_of = common.element if weight else common.zero
    from_edges, from_all, from_vertices = source == "edges", source == "all", source == "vertices"
    puts_vertices, puts = output == "vertices", output is not None
    stage_size = common.STAGE
    defers = hub is not None
    parts_of, row_of, index_of, entry, degree = rows.parts, rows.row, rows.index, rows.entry, rows.degree
    piece, next_piece, gaps = rows.piece, rows.next_piece, rows.gaps

    @kernel
    def push(rank, size, control, graph, fields, items, length, out, stages, stamps, starts, hubs, shares):
        """`shares`: take this thread's part of the edges of each of `hubs`, instead of items."""
        parts = parts_of(graph)
        index, entries, weights = parts[0], parts[1], parts[2]
        iteration = np.int32(control[_ITERATION])
        stage = stages[rank]
        count, looked_at, next_edges = 0, 0, 0
        chunk = common.VERTEX_CHUNK if from_all else common.CHUNK
        low_item, high_item = 0, 0
        while True:
            if merged:
                first, low_item = merge_place(starts, rank, size)
                last, high_item = merge_place(starts, rank + 1, size)
                last = min(last + 1, length)
            elif defers and shares:
                first, last = 0, min(control[_HUBS], hubs.size)
            else:
                first = claim(control, size, length, chunk)
                if first >= length:
                    break
                last = piece_end(first, size, length, chunk)
            for place in range(first, last):
                seg = hubs[np.uint64(place)] if defers and shares else place
                if from_vertices and not (
                    defers and shares
                ):  # in no order, so nothing but the list foretells what is read next
                    prefetch(index, index_of(items[min(seg + OFFSETS_AHEAD, last - 1)]))
                    ahead, _ = row_of(parts, items[min(seg + ROWS_AHEAD, last - 1)])
                    prefetch(entries, ahead)
                    if weight:
                        prefetch(weights, ahead)
                if from_all:
                    src = np.int32(seg)
                elif from_edges:
                    src = entry(parts, items[seg])
                else:
                    src = vertex_at(items, seg)
                row, end = row_of(parts, src)
                begin, shift = row, 0
                if merged:  # `shift`: from a position in the graph to one among the frontier's edges
                    shift = starts[np.uint64(seg)] - row
                    begin, end = max(row, low_item - shift), min(end, high_item - shift)
                elif defers and shares:
                    low, high = split(end - row, rank, size)
                    begin, end = row + low, row + high
                elif defers and size > 1 and end - row > hub:
                    put_off = fetch_add(control, _HUBS, 1)
                    if put_off < hubs.size:
                        hubs[put_off] = seg
                        continue
                position = home = begin
                while home < end:
                    start, stop = piece(parts, position, home, end)
                    looked_at += max(stop - start, 0)
                    for edge in range(start, stop):
                        dst = entry(parts, edge)
                        if gaps and dst < 0:
                            if dst == EMPTY:
                                looked_at -= stop - edge
                                break
                            looked_at -= 1
                            continue
                        if not target(fields, dst, iteration):
                            continue
                        value = weight_of(weights, np.uint64(edge))
                        if cond(fields, src, dst, edge, value, edge - row, edge + shift, seg, iteration):
                            apply(fields, src, dst, edge, value, edge - row, edge + shift, seg, iteration)
                            if puts and (not unique or first_time(stamps, np.uint64(dst), iteration, size)):
                                if count_degrees:
                                    next_edges += degree(graph, dst)
                                stage[count] = dst if puts_vertices else edge
                                count += 1
                                if count == stage_size:
                                    flush(control, size, stage, count, out, length_word, slot)
                                    count = 0
                    position, home = next_piece(parts, position, home, end)
            if merged or (defers and shares):
                break
        if puts:
            flush(control, size, stage, count, out, length_word, slot)
        fetch_add(control, _EDGES, looked_at)
        if count_degrees:
            fetch_add(control, _NEXT_EDGES, next_edges)

    return push


@kernel
def clear(rank, size, control, bitmaps):
    """Empty the bitmap that the coming pull reads."""
    bits = bitmaps[control[_PULLS] & 1]
    low, high = split(bits.size, rank, size)
    for word in range(low, high):
        bits[word] = 0


@kernel
def mark(rank, size, control, items, length, bitmaps):
    """Set the frontier's bits in it."""
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
    count_degrees,
    weight,
    slot,
    length_word,
):
    """A pull kernel for one functor; `everyone`: every vertex is in the frontier, so no bitmap is read.

    `rows` are those of in-edges. `repeats`: put out a vertex once for each edge, instead of once in all.
    `gathers`: ask `target` about many vertices before any of them searches, for a `target` that only reads. The
    processor can't guess what it says; so it doesn't have to, and the rows that will be read are known in advance.
    `marks`: leave a bitmap of what is put out, for the pull that may follow. A thread has the words of its vertices to
    itself, so this takes no atomics.
    `output`, `weight`, `slot` and `length_word` are as in `make_push`.
    """
    weight_of = common.element if weight else common.zero
    puts = output is not None
    puts_vertices, puts_once = output == "vertices", output == "vertices" and not repeats
    stage_size = common.STAGE
    parts_of, row_of, entry, edge_id, degree = rows.parts, rows.row, rows.entry, rows.edge_id, rows.degree
    piece, next_piece, gaps, vertices = rows.piece, rows.next_piece, rows.gaps, rows.vertices

    @kernel
    def pull(rank, size, control, graph, fields, bitmaps, out, stages, searching):
        parts = parts_of(graph)
        entries, weights = parts[1], parts[2]
        iteration = np.int32(control[_ITERATION])
        bits, marked = bitmaps[control[_PULLS] & 1], bitmaps[1 - (control[_PULLS] & 1)]
        stage, wanted = stages[rank], searching[rank]
        length = vertices(graph)
        count, looked_at, next_edges = 0, 0, 0
        first, last = 0, 0
        while True:
            if first == last:
                first = claim(control, size, length, common.VERTEX_CHUNK)
                if first >= length:
                    break
                last = piece_end(first, size, length, common.VERTEX_CHUNK)
            number = np.uint64(0)
            stop = min(last, first + wanted.size)
            for seg in range(first, stop):
                wanted[number] = seg
                row, row_end = row_of(parts, seg)
                has_row = row < row_end
                searches = not gathers or target(fields, np.int32(seg), iteration)
                number += np.uint64(has_row) & np.uint64(searches)
            if marks:
                for word in range(first // _BITS, (stop + _BITS - 1) // _BITS):
                    marked[word] = 0
            first = stop
            for i in range(number):
                ahead = wanted[min(i + np.uint64(ROWS_AHEAD), number - np.uint64(1))]
                prefetch(entries, row_of(parts, ahead)[0])
                dst = vertex_at(wanted, i)
                if not gathers and not target(fields, dst, iteration):
                    continue
                begin, end = row_of(parts, dst)
                found, open_ = False, True
                position = home = begin
                while home < end and open_:
                    low, high = piece(parts, position, home, end)
                    place = low
                    while place < high:
                        src = entry(parts, place)
                        if gaps and src < 0:
                            if src == EMPTY:
                                break
                            looked_at -= 1
                            place += 1
                            continue
                        vertex = np.uint64(src)
                        if everyone or (bits[vertex // np.uint64(_BITS)] >> np.int64(vertex % np.uint64(_BITS))) & 1:
                            value, edge = weight_of(weights, np.uint64(place)), edge_id(graph, place, src, dst)
                            in_row = place - begin
                            if cond(fields, src, dst, edge, value, in_row, place, np.int64(dst), iteration):
                                apply(fields, src, dst, edge, value, in_row, place, np.int64(dst), iteration)
                                found = True
                                if puts and not puts_once:
                                    stage[count] = dst if puts_vertices else edge
                                    count += 1
                                    if count == stage_size:
                                        flush(control, size, stage, count, out, length_word, slot)
                                        count = 0
                                if not target(fields, dst, iteration):
                                    place += 1
                                    open_ = False
                                    break
                        place += 1
                    looked_at += place - low
                    position, home = next_piece(parts, position, home, end)
                if marks and found:
                    vertex = np.uint64(dst)
                    marked[vertex // np.uint64(_BITS)] |= np.int64(1) << np.int64(vertex % np.uint64(_BITS))
                if found and puts_once:
                    if count_degrees:
                        next_edges += degree(graph, dst)
                    stage[count] = dst
                    count += 1
                    if count == stage_size:
                        flush(control, size, stage, count, out, length_word, slot)
                        count = 0
        if puts:
            flush(control, size, stage, count, out, length_word, slot)
        fetch_add(control, _EDGES, looked_at)
        if count_degrees:
            fetch_add(control, _NEXT_EDGES, next_edges)

    return pull
