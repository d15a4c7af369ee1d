"""CPU kernels of `neighbor_reduce`: a segmented reduction over the neighbors of each vertex of a frontier.

All vertices are dealt out by merge-path: each thread gets the same number of vertices plus edges, so neither a hub nor
a long run of isolated vertices makes one thread late, and the same thread always reduces the same vertex. A list is
dealt out in chunks as threads come free, evenly where a further reduction of the results must be deterministic, or by
merge-path too, over its scanned degrees.

Where rows have a handful of edges, a loop over a row ends as soon as the processor has guessed that it goes on, and the
wrong guess costs more than the row. There the last edges of each row are a group of fixed size; what it has beyond the
end of the row repeats the last edge, and is dropped.
"""

import numpy as np

from minigr.enactor.control import Word
from minigr.jit.kernel import kernel
from minigr.jit.ordered import fetch_add
from minigr.jit.vertices import vertex_at
from minigr.operators import common_cpu as common
from minigr.operators.common_cpu import claim, piece_end
from minigr.primitives.split_cpu import merge_split, split

_ITERATION, _EDGES = int(Word.ITERATION), int(Word.EDGES)
GROUP = 4  # edges that rows end with


def make_neighbor_reduce(
    value_of,
    reduce,
    apply,
    start,
    add,
    leave,
    initial,
    *,
    inward,
    everyone,
    by_vertex,
    merged,
    stores,
    sums,
    weight,
    edge_ids,
    grouped,
):
    """A neighbor-reduce kernel.

    Parameters
    ----------
    value_of, reduce, apply : compiled functions
        The functor's `map`, `reduce` and `apply_reduce`.
    start, add, leave
        How what `apply` returns is reduced into scalars, where `sums`: the totals to start from, the totals with one
        more value, and where a thread leaves its own.
    initial : NumPy scalar
        Where each vertex's reduction starts; its type is the type reduced in.
    inward : bool
        Reduce over in-neighbors.
    everyone : bool
        The frontier is all vertices.
    by_vertex, stores : bool
        Whether results are stored, and at the vertex or at its position in the frontier.
    merged : bool
        Deal out rows by ``starts``, where those of the frontier begin among all its edges; all vertices are anyway.
    grouped : bool
        End rows with a group: for short rows, where `map` and `reduce` only read and may be called for nothing.
    """
    weight_of = common.element if weight else common.zero
    edge_of = common.element if edge_ids else common.same
    rows, columns, values = (3, 4, 5) if inward else (0, 1, 2)  # where the edges stand in the graph tuple
    kind = np.dtype(type(initial)).type

    @kernel
    def reduce_edge(total, position, begin, shift, vertex, idx, iteration, graph, fields):
        indices, weights, ids = graph[columns], graph[values], graph[6]
        other = vertex_at(indices, position)
        src, dst = (other, vertex) if inward else (vertex, other)
        value, edge = weight_of(weights, np.uint64(position)), edge_of(ids, position)
        item = value_of(fields, src, dst, edge, value, position - begin, position + shift, idx, iteration)
        return kind(reduce(fields, total, kind(item)))

    @kernel
    def reduce_one(vertex, idx, iteration, graph, fields, starts):
        offsets = graph[rows]
        begin, end = offsets[np.uint64(vertex)], offsets[np.uint64(vertex) + np.uint64(1)]
        shift = starts[np.uint64(idx)] - begin if merged else 0  # from a position in the graph to one in the frontier
        total = initial
        group = max(begin, end - GROUP) if grouped else end
        for position in range(begin, group):
            total = reduce_edge(total, position, begin, shift, vertex, idx, iteration, graph, fields)
        if grouped and begin < end:
            for position in range(group, group + GROUP):
                at = min(position, end - 1)
                more = reduce_edge(total, at, begin, shift, vertex, idx, iteration, graph, fields)
                total = more if position < end else total
        return total, end - begin

    @kernel
    def neighbor_reduce(rank, size, control, graph, fields, items, length, starts, results, partials):
        iteration = np.int32(control[_ITERATION])
        looked_at = 0
        totals = start()
        static = everyone or merged or sums
        first, last = split(length, rank, size)
        if everyone or merged:
            offsets = graph[rows] if everyone else starts
            first, last = merge_split(offsets, rank, size), merge_split(offsets, rank + 1, size)
        while True:
            if not static:
                first = claim(control, size, length, common.CHUNK)
                last = piece_end(first, size, length, common.CHUNK)
            if first >= length:
                break
            for idx in range(first, last):
                vertex = np.int32(idx) if everyone else np.int32(items[idx])
                total, degree = reduce_one(vertex, np.int64(idx), iteration, graph, fields, starts)
                looked_at += degree
                if stores:
                    results[vertex if by_vertex else idx] = total
                if sums:
                    totals = add(totals, apply(fields, vertex, total, np.int64(idx), iteration))
                else:
                    apply(fields, vertex, total, np.int64(idx), iteration)
            if static:
                break
        if sums:
            leave(partials, rank, totals)
        fetch_add(control, _EDGES, looked_at)

    return neighbor_reduce
