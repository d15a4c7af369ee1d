"""CPU kernels for what parts tell each other: found by comparison, grouped by owner, put together.

A field is one row of `columns` elements for each vertex, one after the other. Its `shadow` is what it was before the
operator. `bits` are its elements as whole numbers without a sign, so that those differ whose bits do.
"""

from functools import cache
from typing import Any

import numpy as np

from minigr.graphs.layouts import kernels_of
from minigr.graphs.partitioned.deal_cpu import owner_of
from minigr.jit.kernel import entry, kernel
from minigr.jit.native.entry import Entry
from minigr.jit.vertices import vertex_at

_WON, _LOST = 1, 2  # what became of another part's claim


@kernel
def _note(bits, shadow, columns, vertex, marks, found, count):
    """List a vertex if one of its elements has changed and it is not listed yet; the length of the list."""
    at = np.uint64(vertex)
    if marks[at] == 0:
        for column in range(columns):
            place = at * np.uint64(columns) + np.uint64(column)
            if bits[place] != shadow[place]:
                marks[at] = 1
                found[np.uint64(count)] = vertex
                return count + 1
    return count


@entry
def find_in_list(vertices, bits, shadow, columns, marks, found, count):
    """List the vertices whose element of a field has changed, behind `count` others; the length of the list."""
    for i in range(vertices.size):
        count = _note(bits, shadow, columns, vertex_at(vertices, i), marks, found, count)
    return count


@cache
def finder_of_ends(layout):
    """As `find_in_list`, for the ends of the arcs that leave some vertices of a graph of this layout."""
    rows = kernels_of(layout).rows(inward=False, ids=False, since=False)
    parts_of, row_of, arcs = rows.parts, rows.row, rows.arcs

    def find_ends(graph, vertices, bits, shadow, columns, marks, found, count):
        parts = parts_of(graph)
        for i in range(vertices.size):
            begin, end = row_of(parts, vertex_at(vertices, i))
            for _place, other in arcs(parts, begin, end):
                count = _note(bits, shadow, columns, other, marks, found, count)
        return count

    return _entry_of(find_ends, layout)


@entry
def group(vertices, bounds, parts, grouped, ends, marks):
    """Sort vertices by their owners, in the order in which they come; ``ends[p]`` is where those of part p end.

    Takes the marks off them.
    """
    for part in range(parts):
        ends[part] = 0
    for i in range(vertices.size):
        owner = owner_of(bounds, parts, vertex_at(vertices, i))
        if owner + 1 < parts:
            ends[np.uint64(owner + 1)] += 1
    for part in range(1, parts):
        ends[part] += ends[part - 1]
    for i in range(vertices.size):
        vertex = vertex_at(vertices, i)
        owner = np.uint64(owner_of(bounds, parts, vertex))
        grouped[np.uint64(ends[owner])] = vertex
        ends[owner] += 1
        marks[np.uint64(vertex)] = 0


@entry
def take_away(bits, shadow, columns, vertices, begin, end, values, changed):
    """Keep what was changed of the vertices from `begin` to `end`, which are own, and take back what was of others.

    What others' elements were goes to `values`, and which elements differ to `changed`, unless that has none.
    """
    for i in range(vertices.size):
        vertex = vertex_at(vertices, i)
        own = begin <= i and i < end
        for column in range(columns):
            at = np.uint64(vertex) * np.uint64(columns) + np.uint64(column)
            place = np.uint64(i) * np.uint64(columns) + np.uint64(column)
            if changed.size > 0:
                changed[place] = np.uint8(bits[at] != shadow[at])
            if own:
                shadow[at] = bits[at]
            else:
                values[place] = bits[at]
                bits[at] = shadow[at]


@entry
def take_along(bits, shadow, vertices, begin, end, values):
    """As `take_away`, for a field that was stored to wherever the vertex was claimed, so that nothing is compared."""
    for i in range(vertices.size):
        at, place = np.uint64(vertex_at(vertices, i)), np.uint64(i)
        if begin <= i and i < end:
            shadow[at] = bits[at]
        else:
            values[place] = bits[at]
            bits[at] = shadow[at]


@entry
def note(taken, columns, vertices, changed):
    """Note which elements of some vertices are taken: those that are `changed`."""
    for i in range(vertices.size):
        vertex = vertex_at(vertices, i)
        for column in range(columns):
            at = np.uint64(vertex) * np.uint64(columns) + np.uint64(column)
            taken[at] = changed[np.uint64(i) * np.uint64(columns) + np.uint64(column)]


@cache
def judge(how):
    """Says what becomes of another part's claims: `_WON` or `_LOST`, where the outcome is 0 before."""
    stores, least = how == "store", how == "atomic_min"

    def outcomes(field, vertices, values, changed, taken, outcome):
        for i in range(vertices.size):
            at, place = np.uint64(vertex_at(vertices, i)), np.uint64(i)
            if changed[place] != 0:
                if stores:
                    if taken[at] != 0:
                        outcome[place] = _LOST
                else:
                    better = values[place] < field[at] if least else values[place] > field[at]
                    outcome[place] = _WON if better else _LOST

    return _entry_of(outcomes, how)


@cache
def putter(how):
    """Does to a field what another part has done to it, by `how`; what it holds then is no change any more."""
    stores, least, greatest, adds = (how == each for each in ("store", "atomic_min", "atomic_max", "atomic_add"))

    def put(field, shadow, columns, vertices, values, changed, taken, outcome):
        for i in range(vertices.size):
            vertex = vertex_at(vertices, i)
            for column in range(columns):
                at = np.uint64(vertex) * np.uint64(columns) + np.uint64(column)
                place = np.uint64(i) * np.uint64(columns) + np.uint64(column)
                value = values[place]
                if stores:
                    fate = outcome[np.uint64(i)]
                    if changed[place] != 0 and fate != _LOST and (fate == _WON or taken[at] == 0):
                        taken[at] = 1
                        field[at] = value
                elif least:
                    if value < field[at]:
                        field[at] = value
                elif greatest:
                    if value > field[at]:
                        field[at] = value
                elif adds:
                    field[at] += value
                else:
                    field[at] |= value
                shadow[at] = field[at]

    return _entry_of(put, how)


@entry
def collect(vertices, marks, found, count):
    """List vertices that aren't listed, behind `count` others; the length of the list."""
    for i in range(vertices.size):
        vertex = vertex_at(vertices, i)
        at = np.uint64(vertex)
        if marks[at] == 0:
            marks[at] = 1
            found[np.uint64(count)] = vertex
            count += 1
    return count


@entry
def clear(marks, columns, vertices):
    """Clear the marks of some vertices; each has `columns` marks."""
    for i in range(vertices.size):
        at = np.uint64(vertex_at(vertices, i)) * np.uint64(columns)
        for column in range(columns):
            marks[at + np.uint64(column)] = 0


@entry
def shared(mirrors, vertices, found):
    """List those of `vertices` that are among `mirrors`, which ascend; how many."""
    count = 0
    for i in range(vertices.size):
        vertex = vertex_at(vertices, i)
        low, high = np.int64(0), np.int64(mirrors.size)
        while low < high:
            middle = (low + high) // 2
            if mirrors[np.uint64(middle)] < vertex:
                low = middle + 1
            else:
                high = middle
        if low < mirrors.size and mirrors[np.uint64(low)] == vertex:
            found[np.uint64(count)] = vertex
            count += 1
    return count


@entry
def marked(mirrors, marks, found):
    """List those of `mirrors` that have a mark; how many."""
    count = np.int64(0)
    for i in range(mirrors.size):
        vertex = vertex_at(mirrors, i)
        found[np.uint64(count)] = vertex  # an element that stands there for nothing is overwritten
        count += np.int64(marks[np.uint64(vertex)])
    return count


def _entry_of(function: Any, kind: str) -> Entry:
    return Entry(function, f"{__name__}.{function.__name__} {kind}")
