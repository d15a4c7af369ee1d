"""The rows of a graph as CPU kernels see them: one set of functions for each layout of `minigr.graphs.adjacency`.

Here are those of CSR; ``dynamic/adjacency_cpu.py`` has those of slabs, under the same names.

A row is a range of positions. A kernel walks the part ``begin .. end`` of a row by ``for position, other in
rows.arcs(parts, begin, end)``. It goes by *pieces*, ranges without a break: in CSR the whole row is one, in a dynamic
graph each slab is. `home` is the position in the base slab whose chain is walked; the overflow slabs belong to whoever
has its last lane.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from minigr.graphs.adjacency import EMPTY, Adjacency
from minigr.jit.kernel import kernel
from minigr.jit.vertices import vertex_at


class Rows(NamedTuple):
    """Functions over one direction of a graph, the tuple that `arrays` makes.

    Attributes
    ----------
    gaps : bool
        Whether positions may hold no arc.
    parts : graph -> the arrays of this direction: where rows are, entries, weights, marks
    row : (parts, vertex) -> the first position of a vertex, and one past its last
    index : vertex -> where `row` looks in the first of the parts
    arcs : (parts, begin, end) -> a loop over the position and the vertex of each arc in a part of a row
    piece : (parts, position, home, end) -> where the piece of a row begins that `position` is in, and where it ends
    next_piece : (parts, position, home, end) -> `position` and `home` of the next piece; there is none if home >= end
    entry : (parts, position) -> the vertex there; below 0 if there is none
    edge_id : (graph, position, src, dst) -> id of an arc that was found at a position
    find : (parts, vertex, key) -> the first position of a vertex where `key` stands, or -1
    vertices, edge_ids, degree, source, is_edge : of the whole graph, for ids of out-edges
    """

    gaps: bool
    parts: Any
    row: Any
    index: Any
    arcs: Any
    piece: Any
    next_piece: Any
    entry: Any
    edge_id: Any
    find: Any
    vertices: Any
    edge_ids: Any
    degree: Any
    source: Any
    is_edge: Any


ROW_ARRAYS = ("offsets", "indices", "", "", "", "", "")
"""By place in the tuple that `arrays` makes: what functions over out-edges need of it without weights and marks."""


def make_arcs(gaps, piece, next_piece, entry):
    """The loop over the arcs of a part of a row, by its pieces."""

    @kernel
    def arcs(parts, begin, end):
        position = home = begin
        while home < end:
            start, stop = piece(parts, position, home, end)
            for place in range(start, stop):
                other = entry(parts, place)
                if gaps and other < 0:
                    if other == EMPTY:  # nor is there an arc in the rest of the piece
                        break
                    continue
                yield place, other
            position, home = next_piece(parts, position, home, end)

    return arcs


_NO_WEIGHTS, _NO_IDS = np.zeros(0, np.float32), np.zeros(0, np.int64)


def arrays(out: Adjacency, into: Adjacency, weighted: bool) -> tuple[Any, ...]:
    """The arrays of both directions of a graph, as kernels get them; without weights if no kernel asks for them."""
    weights, in_weights = (out.weights, into.weights) if weighted else (_NO_WEIGHTS, _NO_WEIGHTS)
    ids = _NO_IDS if into.edge_ids is None else into.edge_ids
    return out.offsets, out.indices, weights, into.offsets, into.indices, in_weights, ids


@cache
def rows(inward: bool, ids: bool, since: bool) -> Rows:
    """Rows of CSR. `ids`: ids of in-edges stand in an array of their own; nothing is known of any mark (`since`)."""
    assert not since

    @kernel
    def out_parts(graph):
        return graph[0], graph[1], graph[2], graph[6]

    @kernel
    def in_parts(graph):
        return graph[3], graph[4], graph[5], graph[6]

    @kernel
    def row(parts, vertex):
        return parts[0][np.uint64(vertex)], parts[0][np.uint64(vertex) + np.uint64(1)]

    @kernel
    def index(vertex):
        return vertex

    @kernel
    def piece(parts, position, home, end):
        return position, end

    @kernel
    def next_piece(parts, position, home, end):
        return end, end

    @kernel
    def entry(parts, position):
        return vertex_at(parts[1], position)

    @kernel
    def own_id(graph, position, src, dst):
        return graph[6][position]

    @kernel
    def same_id(graph, position, src, dst):
        return position

    @kernel
    def find(parts, vertex, key):
        low, end = row(parts, vertex)
        left = end - low
        while left > 0:
            half = left >> 1
            below = parts[1][np.uint64(low + half)] < key
            low = low + half + 1 if below else low
            left = left - half - 1 if below else half
        return low if low < end and parts[1][np.uint64(low)] == key else np.int64(-1)

    @kernel
    def vertices(graph):
        return graph[0].size - 1

    @kernel
    def edge_ids(graph):
        return graph[1].size

    @kernel
    def degree(graph, vertex):
        return graph[0][np.uint64(vertex) + np.uint64(1)] - graph[0][np.uint64(vertex)]

    @kernel
    def source(graph, edge):
        offsets, low, high = graph[0], 0, graph[0].size - 1
        while high - low > 1:
            middle = (low + high) // 2
            if offsets[middle] <= edge:
                low = middle
            else:
                high = middle
        return np.int32(low)

    @kernel
    def is_edge(graph, edge):
        return True

    parts, edge_id = (in_parts if inward else out_parts), (own_id if ids else same_id)
    whole = vertices, edge_ids, degree, source, is_edge
    walk = make_arcs(False, piece, next_piece, entry), piece, next_piece
    return Rows(False, parts, row, index, *walk, entry, edge_id, find, *whole)
