"""CPU kernel of `reduce_by_key`: groups the edges of each vertex by a key, and reduces each group.

A thread has its own hash table, by open addressing (Knuth, The Art of Computer Programming 3, section 6.4), with room
for the keys around the vertex of highest degree. Groups are numbered in the order in which they occur in a row, and the
table maps a key to the number of its group. So values are reduced in the order of the row, and no result depends on the
number of threads. A short row needs no table: its groups are searched one after the other.

A list of vertices has no order. So the data that the functor will read for a vertex of a list is fetched some vertices
ahead: first the row, and then the elements at the neighbors in the row.
"""

import numpy as np

from minigr.jit.kernel import inlined, kernel
from minigr.jit.prefetch import prefetch
from minigr.jit.seq_cst import fetch_add
from minigr.program.absent_cpu import element, zero
from minigr.program.control import Word
from minigr.schedules.tiles_cpu import ROWS_AHEAD, make_tiles

_ITERATION, _EDGES = int(Word.ITERATION), int(Word.EDGES)
_FEW = 16  # a row with so many edges or fewer needs no table
# of a multiplicative hash, of which the upper half is used
_FACTOR, _HALF = np.uint64(0x9E3779B97F4A7C15), np.uint64(32)
_ONE = np.uint64(1)
# distance in vertices of a list at which the elements of neighbors are fetched before the vertex's turn
_OTHERS_AHEAD = 10
_FETCHED, _OF_A_LINE = 32, 8  # the most edges of a row that are fetched; and edges in a cache line, 8 bytes each


@kernel
def one(*arguments):
    """Takes the place of the value of an edge if the functor has no `map`."""
    return 1


@inlined
def find(places, mask, keys, slots, count, key):
    """The number of a key's group among `count` groups. If the key is new, its number becomes `count`."""
    at = ((np.uint64(key) ^ (np.uint64(key) >> _HALF)) * _FACTOR >> _HALF) & mask
    group = np.uint64(places[at])
    while group != 0 and keys[group - _ONE] != key:
        at = (at + _ONE) & mask
        group = np.uint64(places[at])
    if group == 0:
        places[at] = np.int32(count + 1)
        slots[np.uint64(count)] = np.int64(at)
        return np.int64(count)
    return np.int64(group) - 1


def make_reduce_by_key(
    key_of,
    value_of,
    group_of,
    apply_best,
    combine,
    rows,
    *,
    key,
    value,
    score,
    fetch,
    fetch_other,
    sparse,
    inward,
    everyone,
    weight,
    scores,
    picks,
):
    """A reduce-by-key kernel.

    Parameters
    ----------
    key_of, value_of, group_of, apply_best : compiled functions
        The functor's `key`, `map`, `apply_group` and `apply_best`.
    combine : kernel
        The reduction of two values.
    rows : Rows
        The rows of the edges to reduce over.
    key, value, score : NumPy scalar types
        The types of the keys, of the reduction, and of the scores by which the best group is chosen.
    fetch, fetch_other : compiled functions
        Prefetch the elements that the functor will read at a vertex of a list, and at a neighbor, before their turn.
    sparse : int
        Places of a table for each group that it may hold.
    inward : bool
        Reduce over in-neighbors.
    everyone : bool
        The frontier is all vertices.
    weight : bool
        Whether a function uses weights.
    scores, picks : bool
        Whether `group_of` returns a group's score, and whether there is an `apply_best`.
    """
    weight_of = element if weight else zero
    parts_of, arcs, edge_id, gaps = rows.parts, rows.arcs, rows.edge_id, rows.gaps
    entry, row_of = rows.entry, rows.row
    tiles = make_tiles(rows, source="all" if everyone else "vertices", weight=weight)

    @kernel
    def gather(vertex, begin, end, idx, iteration, graph, fields, places, keys, values, slots):
        """Group the edges of a vertex. Return the number of groups and the number of edges."""
        parts = parts_of(graph)
        few = end - begin <= _FEW and not gaps
        room = places.size
        # a row fills at most a quarter of the part of the table that it uses, so that little of the table is in caches
        if not gaps:
            room = sparse * _FEW
            while room < sparse * (end - begin):
                room *= 2
        mask = np.uint64(room - 1)
        count, last, degree = 0, 0, 0
        for place, other in arcs(parts, begin, end):
            degree += 1
            src, dst = (other, vertex) if inward else (vertex, other)
            edge, rank, none = edge_id(graph, place, src, dst), place - begin, np.int64(0)
            weighs = weight_of(parts[2], np.uint64(place))
            its_key = key(key_of(fields, src, dst, edge, weighs, rank, none, idx, iteration))
            its_value = value(value_of(fields, src, dst, edge, weighs, rank, none, idx, iteration))
            if few:
                last = 0
                while last < count and keys[np.uint64(last)] != its_key:
                    last += 1
            else:
                last = find(places, mask, keys, slots, count, its_key)
            if last == count:
                keys[np.uint64(count)], values[np.uint64(count)] = its_key, its_value
                count += 1
            else:
                values[np.uint64(last)] = value(combine(values[np.uint64(last)], its_value))
        if not few:
            for number in range(count):
                places[np.uint64(slots[number])] = np.int32(0)
        return count, degree

    @kernel
    def is_better(its_score, its_key, best_score, best_key):
        """Whether a group comes before the best one: by its score, then by its key. NaN comes last."""
        if its_score != its_score or best_score != best_score:
            if its_score == its_score or best_score == best_score:
                return its_score == its_score
        elif its_score != best_score:
            return its_score > best_score
        return its_key < best_key

    @kernel
    def visit(vertex, idx, iteration, fields, keys, values, count):
        """Call the functor for each group, and for the best group."""
        best, best_score = np.int64(0), score(0)
        for number in range(count):
            if scores:
                its_score = score(group_of(fields, vertex, keys[number], values[number], idx, iteration))
            else:
                group_of(fields, vertex, keys[number], values[number], idx, iteration)
                its_score = score(values[number])
            if picks and (number == 0 or is_better(its_score, keys[number], best_score, keys[best])):
                best, best_score = np.int64(number), its_score
        if picks and count > 0:
            apply_best(fields, vertex, keys[best], values[best], best_score, idx, iteration)

    @kernel
    def fetch_rows(fields, parts, items, place, length):
        """Prefetch the rows of vertices that follow a place of the list."""
        later = items[min(place + ROWS_AHEAD, length - 1)]
        fetch(fields, later)
        if not gaps:
            begin, end = row_of(parts, later)
            end = min(end, begin + _FETCHED)
            for at in range(begin + _OF_A_LINE, end, _OF_A_LINE):  # `tiles` fetches the first edges
                prefetch(parts[1], at)
                if weight:
                    prefetch(parts[2], at)
            begin, end = row_of(parts, items[min(place + _OTHERS_AHEAD, length - 1)])
            for at in range(begin, min(end, begin + _FETCHED)):
                fetch_other(fields, entry(parts, at))

    @kernel
    def reduce_by_key(rank, size, control, graph, fields, items, length, none, tables):
        places, keys, values, slots = tables[0][rank], tables[1][rank], tables[2][rank], tables[3][rank]
        parts, iteration = parts_of(graph), np.int32(control[_ITERATION])
        looked_at = 0
        for seg, vertex, _, begin, end, _ in tiles(rank, size, control, parts, items, length, none, none, False, False):
            if not everyone:
                fetch_rows(fields, parts, items, seg, length)
            idx = np.int64(seg)
            count, degree = gather(vertex, begin, end, idx, iteration, graph, fields, places, keys, values, slots)
            visit(vertex, idx, iteration, fields, keys, values, count)
            looked_at += degree
        fetch_add(control, _EDGES, looked_at)

    return reduce_by_key
