"""The rows of a graph in CPU kernels: one set of functions for each layout of `minigr.graphs.adjacency`.

This module has the functions for CSR. ``dynamic/adjacency_cpu.py`` has those for slabs, under the same names.

A row is a range of positions. To visit the arcs in the part ``begin .. end`` of a row, a kernel uses the loop ``for
position, other in rows.arcs(parts, begin, end)``. The loop goes by *pieces*, which are contiguous ranges. In CSR the
whole row is one piece. In a dynamic graph each slab is a piece. `home` is the position of the loop in the base slabs,
even while the loop is in overflow slabs. The part of a row that has the last lane of a base slab includes its overflow
slabs.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from minigr.graphs.adjacency import EMPTY, Adjacency
from minigr.jit.kernel import kernel
from minigr.jit.vertices import vertex_at


class Rows(NamedTuple):
    """The functions over one direction of a graph. `arrays` makes the tuple that they get as `graph`.

    Attributes
    ----------
    gaps : bool
        Whether positions may hold no arc.
    parts : graph -> the arrays of this direction: beginnings of rows, entries, weights, marks
    row : (parts, vertex) -> the first position of a vertex, and one past its last
    index : vertex -> the index that `row` reads in the first of the parts
    arcs : (parts, begin, end) -> a loop over the position and the neighbor of each arc in a part of a row
    piece : (parts, position, home, end) -> the beginning and the end of the piece that contains `position`
    next_piece : (parts, position, home, end) -> `position` and `home` of the next piece; home >= end after the last one
    entry : (parts, position) -> the neighbor at a position, or a number below 0 if there is none
    edge_id : (graph, position, src, dst) -> the id of the arc at a position
    find : (parts, vertex, key) -> the first position of `key` in the row of a vertex, or -1
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
"""For each array of the tuple that `arrays` makes: its name, if functions over out-edges need it even without weights
and marks."""


def make_arcs(gaps, piece, next_piece, entry):
    """Make the loop over the arcs in a part of a row."""

    @kernel
    def arcs(parts, begin, end):
        position = home = begin
        while home < end:
            start, stop = piece(parts, position, home, end)
            for place in range(start, stop):
                other = entry(parts, place)
                if gaps and other < 0:
                    if other == EMPTY:  # no arc follows in the piece
                        break
                    continue
                yield place, other
            position, home = next_piece(parts, position, home, end)

    return arcs


_NO_WEIGHTS, _NO_IDS = np.zeros(0, np.float32), np.zeros(0, np.int64)


def arrays(out: Adjacency, into: Adjacency, weighted: bool) -> tuple[Any, ...]:
    """The arrays of both directions of a graph, as kernels get them. Weights are left out if no kernel reads them."""
    weights, in_weights = (out.weights, into.weights) if weighted else (_NO_WEIGHTS, _NO_WEIGHTS)
    ids = _NO_IDS if into.edge_ids is None else into.edge_ids
    return out.offsets, out.indices, weights, into.offsets, into.indices, in_weights, ids


@cache
def rows(inward: bool, ids: bool, since: bool) -> Rows:
    """The functions for CSR. `ids`: in-edges have an array of ids. `since` must be False, because CSR has no marks."""
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
