"""CPU kernels of `intersect`: the common neighbors of the two ends of each edge, or pair, of a frontier.

A thread has a bit for each vertex. It marks the neighbors of one end, `src`, and looks up those of the other; all edges
that leave one vertex share its marks. Where the row of the other end is much longer, or that of `src` not worth marking
for a single edge, each neighbor in the shorter row is looked for in the longer one instead: by a binary search in CSR,
by its hash in a dynamic graph. So no edge costs more than its two rows, and all edges of a vertex no more than its
neighbors' rows.
"""

import numpy as np

from minigr.jit.bits import marked_of_eight
from minigr.jit.kernel import kernel
from minigr.jit.ordered import fetch_add
from minigr.program.control import Word
from minigr.program.output_cpu import STAGE, flush, put
from minigr.program.work_cpu import CHUNK, claims

_ITERATION, _EDGES = int(Word.ITERATION), int(Word.EDGES)
_WORD, _BIT, _ONE = np.uint64(5), np.uint32(31), np.uint32(1)  # of a vertex in the marks
_SEARCH = 64  # entries of a row that are looked up in the marks in the time of one search


def make_intersect(
    cond, apply, keep, counted, rows, edge_rows, combine, initial, *, everything, sums, visits, finds, repeats, simple,
    puts, slot, length_word, pairs=False,
):  # fmt: skip
    """An intersect kernel for one functor.

    Parameters
    ----------
    cond, apply, keep, counted : compiled functions
        The functor's `cond_intersect`, `apply_intersect`, `cond_count` and `apply_count`.
    rows, edge_rows : Rows
        Of the out-edges, where neighbors are looked for; and of those edges that are gone through, of all.
    combine, initial
        How what `counted` returns is reduced, where `sums`, and where that starts.
    everything : bool
        The frontier is all edges, with no list.
    visits : bool
        Whether there is an `apply`; `finds`: and it asks for the id of the edge from ``src``.
    repeats, simple : bool
        Whether rows may hold a neighbor twice, and whether there are neither such rows nor self-loops.
    puts : bool
        Put out the edges for which `keep` holds, into output `slot`, whose length is at `length_word`.
    pairs : bool
        The frontier is pairs of vertices, ``source << 32 | destination``, in the place of edges.
    """
    kind = np.dtype(type(initial)).type
    parts_of, row_of, entry, find = rows.parts, rows.row, rows.entry, rows.find
    arcs, edge_arcs, gaps = rows.arcs, edge_rows.arcs, rows.gaps
    degree, vertices, source = rows.degree, rows.vertices, rows.source

    @kernel
    def mark(parts, bits, vertex, there):
        """Set the bits of the neighbors of `vertex`, or clear their words."""
        begin, end = row_of(parts, vertex)
        for _, other in arcs(parts, begin, end):
            word = np.uint64(other) >> _WORD
            if there:
                bits[word] |= _ONE << (np.uint32(other) & _BIT)
            else:
                bits[word] = np.uint32(0)

    @kernel
    def look_up(parts, bits, fields, src, dst, edge, idx, iteration):
        """How many neighbors of `dst` are marked; `apply` for each."""
        count = np.uint32(0)
        begin, end = row_of(parts, dst)
        first = begin
        if not (gaps or repeats or visits):
            for place in range(begin, end - 7, 8):
                count += marked_of_eight(bits, parts[1], place)
            first += max(end - begin, 0) // 8 * 8
        for place, other in arcs(parts, first, end):
            if repeats and place > begin and entry(parts, place - 1) == other:
                continue
            hit = np.uint32((bits[np.uint64(other) >> _WORD] >> (np.uint32(other) & _BIT)) & _ONE)
            count += hit
            if visits and hit:
                at = find(parts, src, other) if finds else np.int64(-1)
                apply(fields, src, dst, edge, idx, iteration, np.int32(other), at, np.int64(place))
        return np.int64(count)

    @kernel
    def search(parts, fields, src, dst, turned, edge, idx, iteration):
        """How many neighbors of one end (`turned`: of `dst`) the other has too; `apply` for each."""
        count = 0
        near, far = (dst, src) if turned else (src, dst)
        begin, end = row_of(parts, near)
        for place, other in arcs(parts, begin, end):
            if repeats and place > begin and entry(parts, place - 1) == other:
                continue
            at = find(parts, far, other)
            if at < 0:
                continue
            count += 1
            if visits:
                here, there = (at, np.int64(place)) if turned else (np.int64(place), at)
                apply(fields, src, dst, edge, idx, iteration, np.int32(other), here, there)
        return count

    @kernel
    def ends(graph, parts, item):
        """The two ends of an item of the frontier."""
        if pairs:
            return np.int32(item >> 32), np.int32(item)
        return source(graph, item), entry(parts, item)

    @kernel
    def edges(control, size, graph, parts, items, length):
        """A loop over the edges that this thread gets: position in the frontier, id, and ends."""
        for first, last in claims(control, size, length, CHUNK):
            for place in range(first, last):
                if everything:
                    src = np.int32(place)
                    begin, end = row_of(parts, src)
                    for edge, dst in edge_arcs(parts, begin, end):
                        yield edge, edge, src, dst
                else:
                    edge = items[place]
                    src, dst = ends(graph, parts, edge)
                    yield place, edge, src, dst

    @kernel
    def intersect(rank, size, control, graph, fields, items, length, marks, partials, out, stages):
        parts, bits, stage = parts_of(graph), marks[rank], stages[rank]
        iteration = np.int32(control[_ITERATION])
        marked, looked_at, total, staged = np.int32(-1), 0, initial, 0
        number = vertices(graph) if everything else length
        for idx, edge, src, dst in edges(control, size, graph, parts, items, number):
            if not cond(fields, src, dst, edge, idx, iteration):
                continue
            here, count = degree(graph, src), 0
            if not simple or here > 1:  # otherwise the one neighbor is `dst`
                there = degree(graph, dst)
                least = min(here, there)
                # Marks are shared by the edges of a vertex where all of these are visited together.
                fresh = 0 if everything or marked == src else here
                if least > 0 and fresh + there > _SEARCH * least:
                    count = search(parts, fields, src, dst, there < here, edge, idx, iteration)
                    looked_at += least
                elif least > 0:
                    if marked != src:
                        if marked >= 0:
                            mark(parts, bits, marked, False)
                        mark(parts, bits, src, True)
                        marked = src
                    count = look_up(parts, bits, fields, src, dst, edge, idx, iteration)
                    looked_at += there
            if puts and keep(fields, src, dst, edge, idx, iteration, count):
                staged = put(control, size, stage, STAGE, staged, edge, out, length_word, slot)
            value = counted(fields, src, dst, edge, idx, iteration, count)
            if sums:
                total = kind(combine(total, kind(value)))
        if marked >= 0:
            mark(parts, bits, marked, False)
        if puts:
            flush(control, size, stage, staged, out, length_word, slot)
        if sums:
            partials[rank] = total
        fetch_add(control, _EDGES, looked_at)

    return intersect
