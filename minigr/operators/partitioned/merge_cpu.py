"""CPU kernels for the data that parts exchange: they find changes by comparison, group them by owner and merge them.

A field is one row of `columns` elements for each vertex, one row after the other. Its `shadow` holds the elements
before the operator. `bits` are the elements as unsigned integers, so that a comparison finds elements whose bits
differ.
"""

from functools import cache
from typing import Any

import numpy as np

from minigr.graphs.layouts import kernels_of
from minigr.graphs.partitioned.deal_cpu import owner_of
from minigr.jit.kernel import entry, kernel
from minigr.jit.native.entry import Entry
from minigr.jit.vertices import vertex_at

_WON, _LOST = 1, 2  # results of another part's claim


@kernel
def _note(bits, shadow, columns, vertex, marks, found, count):
    """List a vertex if one of its elements has changed and it is not yet listed. Return the length of the list."""
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
    """List the vertices whose element of a field has changed, behind `count` others. Return the length of the list."""
    for i in range(vertices.size):
        count = _note(bits, shadow, columns, vertex_at(vertices, i), marks, found, count)
    return count


@cache
def finder_of_ends(layout):
    """Like `find_in_list`, for the ends of the arcs that leave some vertices of a graph of this layout."""
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
    """Sort vertices by owner, in the order in which they come; ``ends[p]`` is the end of the vertices of part p.

    Clears the marks of the vertices.
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
    """Keep changes of the part's own vertices, from `begin` to `end`, and undo changes of other parts' vertices.

    `values` gets the elements of other parts' vertices before the undo, and `changed` gets which elements differ,
    unless `changed` is empty.
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
    """Like `take_away`, for a field that was stored to wherever the vertex was claimed. So nothing is compared."""
    for i in range(vertices.size):
        at, place = np.uint64(vertex_at(vertices, i)), np.uint64(i)
        if begin <= i and i < end:
            shadow[at] = bits[at]
        else:
            values[place] = bits[at]
            bits[at] = shadow[at]


@entry
def note(taken, columns, vertices, changed):
    """Store which elements of some vertices are taken: the elements that are `changed`."""
    for i in range(vertices.size):
        vertex = vertex_at(vertices, i)
        for column in range(columns):
            at = np.uint64(vertex) * np.uint64(columns) + np.uint64(column)
            taken[at] = changed[np.uint64(i) * np.uint64(columns) + np.uint64(column)]


@cache
def judge(how):
    """Make a kernel that decides on another part's claims: `_WON` or `_LOST`. The outcome must be 0 before."""
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
    """Make a kernel that applies another part's changes to a field, by `how`. The new elements count as unchanged."""
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
                    # What a winner stored counts also where it is what was there before, which looks like no change.
                    if fate == _WON or (changed[place] != 0 and fate != _LOST and taken[at] == 0):
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
    """List vertices that aren't listed, behind `count` others. Return the length of the list."""
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
    """List the vertices that are among `mirrors`, which are in ascending order. Return their number."""
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
    """List the mirrors that have a mark. Return their number."""
    count = np.int64(0)
    for i in range(mirrors.size):
        vertex = vertex_at(mirrors, i)
        found[np.uint64(count)] = vertex  # if the vertex has no mark, the next element overwrites this one
        count += np.int64(marks[np.uint64(vertex)])
    return count


def _entry_of(function: Any, kind: str) -> Entry:
    return Entry(function, f"{__name__}.{function.__name__} {kind}")
