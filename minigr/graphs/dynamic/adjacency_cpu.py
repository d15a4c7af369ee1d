"""The rows of a dynamic graph in CPU kernels; see `minigr.graphs.adjacency_cpu`.

The positions of a row are the lanes of the base slabs of the vertex, which are contiguous. The last lane of a slab
leads to the overflow slab that follows it.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from minigr.graphs.adjacency import SlabAdjacency
from minigr.graphs.adjacency_cpu import Rows, make_arcs
from minigr.graphs.dynamic.layout import KEYS, LANES, NIL, OWNER
from minigr.graphs.dynamic.update_cpu import slot_of
from minigr.jit.kernel import kernel

_LOW_BITS = np.int64(LANES - 1)  # of a position, to get its lane


ROW_ARRAYS = ("heads", "pool", "", "", "", "", "degrees", "", "")
"""As in `minigr.graphs.adjacency_cpu`."""


def arrays(out: SlabAdjacency, into: SlabAdjacency, weighted: bool) -> tuple[Any, ...]:
    """As in `minigr.graphs.adjacency_cpu`."""
    weights = [rows.weights if weighted else np.zeros(0, np.float32) for rows in (out, into)]
    marks = [np.zeros(0, np.uint8) if rows.marks is None else rows.marks for rows in (out, into)]
    return out.heads, out.pool, weights[0], into.heads, into.pool, weights[1], out.degrees, *marks


@cache
def rows(inward: bool, ids: bool, since: bool) -> Rows:
    """The functions for slabs. `ids`: ids of in-edges are searched for; `since`: only arcs after the mark."""

    @kernel
    def out_parts(graph):
        return graph[0], graph[1], graph[2], graph[7]

    @kernel
    def in_parts(graph):
        return graph[3], graph[4], graph[5], graph[8]

    @kernel
    def row(parts, vertex):
        heads, place = parts[0], np.uint64(vertex) * np.uint64(2)
        first = np.int64(heads[place])
        return first * LANES, (first + np.int64(heads[place + np.uint64(1)])) * LANES

    @kernel
    def index(vertex):
        return np.int64(vertex) * 2

    @kernel
    def piece(parts, position, home, end):
        slab = position & ~_LOW_BITS
        start, stop = position, slab + KEYS
        if slab == home & ~_LOW_BITS:
            stop = min(stop, end)
        if since:
            start = max(start, slab + np.int64(parts[3][np.uint64(slab // LANES)]))
        return start, stop

    @kernel
    def next_piece(parts, position, home, end):
        last = home | _LOW_BITS
        if last < end:
            follower = np.int64(parts[1][np.uint64(position | _LOW_BITS)])
            if follower != NIL:
                return follower * LANES, home
        return last + 1, last + 1

    @kernel
    def entry(parts, position):
        return parts[1][np.uint64(position)]

    @kernel
    def found_id(graph, position, src, dst):
        return slot_of(graph[0], graph[1], src, dst)

    @kernel
    def same_id(graph, position, src, dst):
        return position

    @kernel
    def find(parts, vertex, key):
        return slot_of(parts[0], parts[1], vertex, key)

    @kernel
    def vertices(graph):
        return graph[0].size // 2

    @kernel
    def edge_ids(graph):
        return graph[1].size

    @kernel
    def degree(graph, vertex):
        return np.int64(graph[6][np.uint64(vertex)])

    @kernel
    def source(graph, edge):
        return graph[1][np.uint64((edge & ~_LOW_BITS) + OWNER)]

    @kernel
    def is_edge(graph, edge):
        return (edge & _LOW_BITS) < KEYS and graph[1][np.uint64(edge)] >= 0

    parts, edge_id = (in_parts if inward else out_parts), (found_id if ids else same_id)
    whole = vertices, edge_ids, degree, source, is_edge
    walk = make_arcs(True, piece, next_piece, entry), piece, next_piece
    return Rows(True, parts, row, index, *walk, entry, edge_id, find, *whole)
