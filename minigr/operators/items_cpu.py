"""CPU kernels of `filter` and `compute`: one visit to each item of a frontier, without neighbors."""

import numpy as np

from minigr.jit.kernel import kernel
from minigr.jit.vertices import vertex_of
from minigr.primitives.split_cpu import split
from minigr.program.absent_cpu import element, zero
from minigr.program.control import Word
from minigr.program.output_cpu import STAGE, first_time, flush, put
from minigr.program.work_cpu import VERTEX_CHUNK, claims, numbers, pieces_for

_ITERATION = int(Word.ITERATION)


@kernel
def no_source(graph, edge):
    """Takes the place of the source of an edge if the functor doesn't use ``src``."""
    return np.int32(-1)


def make_endpoints(rows, kind, *, src, weight):
    """A function ``(graph, item) -> (vertex, edge, src, dst, weight)`` for items of one kind."""
    source_of = rows.source if src else no_source
    weight_of = element if weight else zero
    parts_of, entry = rows.parts, rows.entry

    @kernel
    def of_vertex(graph, item):
        return vertex_of(item), np.int64(-1), np.int32(-1), np.int32(-1), 0

    @kernel
    def of_edge(graph, item):
        edge, parts = np.int64(item), parts_of(graph)
        return np.int32(-1), edge, source_of(graph, edge), entry(parts, edge), weight_of(parts[2], edge)

    @kernel
    def of_pair(graph, item):
        return np.int32(-1), np.int64(-1), np.int32(item >> 32), np.int32(item), 0

    return {"vertices": of_vertex, "edges": of_edge, "pairs": of_pair}[kind]


@kernel
def is_item(graph, item):
    """Takes the place of `is_edge` if every number below the length is an item."""
    return True


def make_filter(cond, apply, endpoints, exists, *, all_items, unique, culls, slot, length_word):
    """A filter kernel: items for which `cond` holds go through `apply` to the output.

    `all_items`: the input is every vertex or edge for which `exists` holds, with no list. `unique`: put out each item
    only once. `culls`: drop an item that is in the thread's table of recent items.
    """

    @kernel
    def keep(rank, size, control, graph, fields, items, length, out, stages, stamps, recent):
        iteration = np.int32(control[_ITERATION])
        stage = stages[rank]
        seen = recent[rank]
        if culls:
            for place in range(seen.size):
                seen[place] = -1
        count = 0
        for first, last in claims(control, rank, size, length, VERTEX_CHUNK):
            for idx in range(first, last):
                item = np.int64(idx) if all_items else np.int64(items[idx])
                if all_items and not exists(graph, item):
                    continue
                vertex, edge, src, dst, weight = endpoints(graph, item)
                if not cond(fields, vertex, edge, src, dst, weight, idx, iteration):
                    continue
                if unique and not first_time(stamps, item, iteration, size):
                    continue
                if culls:
                    if seen[item % seen.size] == item:
                        continue
                    seen[item % seen.size] = item
                apply(fields, vertex, edge, src, dst, weight, idx, iteration)
                count = put(control, size, stage, STAGE, count, item, out, length_word, slot)
        flush(control, size, stage, count, out, length_word, slot)

    return keep


def make_compute(apply, endpoints, exists, combine=None, initial=None, *, all_items):
    """A compute kernel: it calls `apply` once for each item; `exists` and `all_items` are as in `make_filter`.

    Threads claim pieces of the items, because some items may take longer than others. With `combine`, the values that
    `apply` returns are combined into the piece's element of `partials`, so the result is the same for any number of
    threads.
    """
    sums = combine is not None
    kind = np.dtype(type(initial)).type

    @kernel
    def visit(rank, size, control, graph, fields, cursor, items, length, partials):
        """`cursor`: the control block, or an array for this kernel with a cursor at the same position."""
        iteration, pieces = np.int32(control[_ITERATION]), pieces_for(length)
        for piece in numbers(cursor, rank, size, pieces):
            low, high = split(length, piece, pieces)
            if sums:
                total = initial
            for idx in range(low, high):
                item = np.int64(idx) if all_items else np.int64(items[idx])
                if all_items and not exists(graph, item):
                    continue
                vertex, edge, src, dst, weight = endpoints(graph, item)
                if sums:
                    value = apply(fields, vertex, edge, src, dst, weight, idx, iteration)
                    total = kind(combine(total, kind(value)))
                else:
                    apply(fields, vertex, edge, src, dst, weight, idx, iteration)
            if sums:
                partials[piece] = total

    return visit
