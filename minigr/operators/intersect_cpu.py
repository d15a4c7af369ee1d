"""CPU kernels of `intersect`: the common neighbors of the two ends of each edge, or pair, of a frontier.

A thread has a bit for each vertex. It marks the neighbors of one end, `src`, and looks up the neighbors of the other
end. All edges that leave one vertex share its marks. If the row of the other end is much longer, or if the row of `src`
is not worth marking for a single edge, each neighbor in the shorter row is searched for in the longer row instead: by a
binary search in CSR, by its hash in a dynamic graph. So no edge costs more than its two rows, and all edges of a vertex
cost no more than its neighbors' rows.

Hubs may have bits for the beginnings of their rows, with the neighbors that are hubs too. If common neighbors are only
counted, the marks are compared with these bits word by word, if there are few words for the entries that they replace.
"""

import numpy as np

from minigr.jit.bits import common_of, count_ones, marked_of
from minigr.jit.kernel import kernel
from minigr.jit.prefetch import prefetch
from minigr.jit.seq_cst import fetch_add
from minigr.program.control import Word
from minigr.program.output_cpu import STAGE, flush, put
from minigr.program.work_cpu import CHUNK, claims

_ITERATION, _EDGES = int(Word.ITERATION), int(Word.EDGES)
_WORD, _BIT, _ONE = np.uint64(5), np.uint32(31), np.uint32(1)  # shift and mask that locate a vertex in the marks
_SEARCH = 64  # entries of a row that are looked up in the marks in the time of one search
_WORDS = 2  # words of bits that are compared in the time of one entry
_FEW = 4  # entries that are looked up one by one in less time than together
_ROWS_AHEAD, _OFFSETS_AHEAD = 4, 16  # distances in edges at which the other row, and its place, are fetched


def make_intersect(
    cond, apply, keep, counted, rows, edge_rows, combine, initial, *, everything, sums, visits, finds, ranks, repeats,
    simple, puts, slot, length_word, pairs=False, hubs=False,
):  # fmt: skip
    """An intersect kernel for one functor.

    Parameters
    ----------
    cond, apply, keep, counted : compiled functions
        The functor's `cond_intersect`, `apply_intersect`, `cond_count` and `apply_count`.
    rows, edge_rows : Rows
        The rows of out-edges, in which neighbors are searched; and, over all edges, the rows of the visited edges.
    combine, initial
        If `sums`: how the values that `counted` returns are reduced, and the start value.
    everything : bool
        The frontier is all edges, with no list.
    visits : bool
        Whether there is an `apply`. `finds`: `apply` uses the id of the edge from ``src``. `ranks`: this id follows
        from the number of neighbors of ``src`` that are marked before.
    repeats, simple : bool
        Whether rows may hold a neighbor twice; whether there are neither such rows nor self-loops.
    puts : bool
        Put out the edges for which `keep` holds, into output `slot`, whose length is at `length_word`.
    pairs : bool
        The frontier is pairs of vertices, ``source << 32 | destination``, instead of edges.
    hubs : bool
        The first `bit_rows` vertices have bits, `row_bits`, for their rows before `bit_ends`: see `make_row_bits`.
    """
    kind = np.dtype(type(initial)).type
    parts_of, row_of, entry, find = rows.parts, rows.row, rows.entry, rows.find
    arcs, edge_arcs, gaps = rows.arcs, edge_rows.arcs, rows.gaps
    degree, vertices, source = rows.degree, rows.vertices, rows.source

    @kernel
    def mark(parts, bits, before, vertex, there):
        """Set the bits of the neighbors of `vertex`, or clear their words."""
        begin, end = row_of(parts, vertex)
        for place, other in arcs(parts, begin, end):
            word = np.uint64(other) >> _WORD
            if there:
                if ranks and bits[word] == np.uint32(0):
                    before[word] = place - begin
                bits[word] |= _ONE << (np.uint32(other) & _BIT)
            else:
                bits[word] = np.uint32(0)

    @kernel
    def place_of(parts, bits, before, src, other):
        """The first position of a marked neighbor in the row of `src`."""
        if not ranks:
            return find(parts, src, other)
        word = np.uint64(other) >> _WORD
        below = (_ONE << (np.uint32(other) & _BIT)) - _ONE
        return row_of(parts, src)[0] + np.int64(before[word]) + count_ones(np.uint64(bits[word] & below))

    @kernel
    def look_up(parts, bits, before, fields, src, dst, begin, edge, idx, iteration):
        """The number of neighbors of `dst`, from a position on, that are marked; calls `apply` for each."""
        end = row_of(parts, dst)[1]
        if not (gaps or repeats or visits) and end - begin > _FEW:
            return marked_of(bits, parts[1], begin, end - begin)
        count = np.uint32(0)
        for place, other in arcs(parts, begin, end):
            if repeats and place > begin and entry(parts, place - 1) == other:
                continue
            hit = np.uint32((bits[np.uint64(other) >> _WORD] >> (np.uint32(other) & _BIT)) & _ONE)
            count += hit
            if visits and hit:
                at = place_of(parts, bits, before, src, other) if finds else np.int64(-1)
                apply(fields, src, dst, edge, idx, iteration, np.int32(other), at, np.int64(place))
        return np.int64(count)

    @kernel
    def words_of(parts, bit_rows, bit_ends, vertex, begin):
        """The number of words of bits for the row of `vertex` from `begin` on; 0 if there are none, or too many."""
        if vertex >= bit_rows or bit_ends[vertex] == begin:
            return 0
        words = entry(parts, bit_ends[vertex] - 1) // 32 + 1
        return words if words <= _WORDS * (bit_ends[vertex] - begin) else 0

    @kernel
    def search(parts, fields, src, dst, turned, edge, idx, iteration):
        """The number of neighbors of one end (`turned`: of `dst`) that the other end has too.

        Calls `apply` for each.
        """
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
    def edges(control, rank, size, graph, parts, items, length, bit_rows, bit_ends):
        """Iterate over the edges that this thread gets: position in the frontier, id, and ends."""
        for first, last in claims(control, rank, size, length, CHUNK):
            for place in range(first, last):
                if everything:
                    src = np.int32(place)
                    begin, end = row_of(parts, src)
                    fetches = not gaps and end - begin > _ROWS_AHEAD
                    for edge, dst in edge_arcs(parts, begin, end):
                        if fetches:
                            prefetch(parts[0], entry(parts, min(edge + _OFFSETS_AHEAD, end - 1)))
                            ahead = entry(parts, min(edge + _ROWS_AHEAD, end - 1))
                            first = bit_ends[ahead] if hubs and ahead < bit_rows else row_of(parts, ahead)[0]
                            prefetch(parts[1], first)
                            prefetch(parts[1], first + 16)
                        yield edge, edge, src, dst
                else:
                    edge = items[place]
                    src, dst = ends(graph, parts, edge)
                    yield place, edge, src, dst

    @kernel
    def intersect(
        rank, size, control, graph, fields, items, length, marks, befores, partials, out, stages, bit_rows, row_bits,
        bit_ends,
    ):  # fmt: skip
        parts, bits, before, stage = parts_of(graph), marks[rank], befores[rank], stages[rank]
        iteration = np.int32(control[_ITERATION])
        marked, looked_at, total, staged = np.int32(-1), 0, initial, 0
        number = vertices(graph) if everything else length
        for idx, edge, src, dst in edges(control, rank, size, graph, parts, items, number, bit_rows, bit_ends):
            if not cond(fields, src, dst, edge, idx, iteration):
                continue
            here, count = degree(graph, src), 0
            if not simple or here > 1:  # otherwise the only neighbor is `dst`
                there = degree(graph, dst)
                least = min(here, there)
                # The edges of a vertex share the marks if all of them are visited together.
                fresh = 0 if everything or marked == src else here
                begin, end = row_of(parts, dst)
                words = words_of(parts, bit_rows, bit_ends, dst, begin) if hubs else 0
                if hubs and words > 0:
                    begin = bit_ends[dst]
                    there = (words + _WORDS - 1) // _WORDS + (end - begin)
                if least > 0 and fresh + there > _SEARCH * least:
                    count = search(parts, fields, src, dst, least < here, edge, idx, iteration)
                    looked_at += least
                elif least > 0:
                    if marked != src:
                        if marked >= 0:
                            mark(parts, bits, before, marked, False)
                        mark(parts, bits, before, src, True)
                        marked = src
                    count = look_up(parts, bits, before, fields, src, dst, begin, edge, idx, iteration)
                    if hubs and words > 0:
                        count += common_of(bits, row_bits, dst * words_of_row(bit_rows), words)
                    looked_at += there
            if puts and keep(fields, src, dst, edge, idx, iteration, count):
                staged = put(control, size, stage, STAGE, staged, edge, out, length_word, slot)
            value = counted(fields, src, dst, edge, idx, iteration, count)
            if sums:
                total = kind(combine(total, kind(value)))
        if marked >= 0:
            mark(parts, bits, before, marked, False)
        if puts:
            flush(control, size, stage, staged, out, length_word, slot)
        if sums:
            partials[rank] = total
        fetch_add(control, _EDGES, looked_at)

    return intersect


@kernel
def words_of_row(bit_rows):
    """The number of words in the row of a vertex as bits, if `bit_rows` vertices have such rows."""
    return (bit_rows + 127) // 128 * 4


def make_row_bits(rows):
    """A kernel that sets the bits of the first `bit_rows` vertices for neighbors among these vertices.

    The other neighbors follow in a row from `bit_ends` on.
    """
    parts_of, row_of, arcs = rows.parts, rows.row, rows.arcs

    @kernel
    def set_bits(rank, size, graph, bit_rows, row_bits, bit_ends):
        parts = parts_of(graph)
        for vertex in range(rank, bit_rows, size):
            words = vertex * words_of_row(bit_rows)
            begin, end = row_of(parts, vertex)
            bit_ends[vertex] = end
            for place, other in arcs(parts, begin, end):
                if other >= bit_rows:
                    bit_ends[vertex] = place
                    break
                row_bits[words + other // 32] |= _ONE << (np.uint32(other) & _BIT)

    return set_bits
