"""CPU kernels of the set operations: stamp the ids of a frontier, and let ids of another frontier through by stamps."""

import numpy as np

from minigr.jit.atomics import atomic_exch
from minigr.jit.kernel import kernel
from minigr.primitives.split_cpu import split
from minigr.program.control import Word
from minigr.program.output_cpu import STAGE, first_time, flush, put
from minigr.program.work_cpu import VERTEX_CHUNK, claims

_ITERATION = int(Word.ITERATION)


@kernel
def taken(stamps, item, stamp, size):
    """True for one caller for each item that has the stamp. This call removes the stamp."""
    if stamps[item] != stamp:
        return False
    if size == 1:
        stamps[item] = -stamp
        return True
    return atomic_exch(stamps, item, -stamp) == stamp


def make_mark(*, all_items):
    """A kernel that stamps the items of a frontier, or all items."""

    @kernel
    def mark(rank, size, control, items, length, stamps):
        iteration = np.int32(control[_ITERATION])
        low, high = split(length, rank, size)
        for idx in range(low, high):
            stamps[idx if all_items else np.int64(items[idx])] = iteration

    return mark


def make_combine(exists, *, marked, all_first, all_second, slot, length_word):
    """A kernel that puts out each item of two frontiers once.

    `marked`: only items that have the stamp of this step; otherwise only items that don't have it. `all_first`,
    `all_second`: the frontier is every item for which `exists` holds, with no list.
    """
    holds = taken if marked else first_time

    @kernel
    def combine(rank, size, control, graph, first, length, second, more, out, stages, stamps):
        iteration = np.int32(control[_ITERATION])
        stage = stages[rank]
        count = 0
        for begin, end in claims(control, rank, size, length + more, VERTEX_CHUNK):
            for idx in range(begin, end):
                if idx < length:
                    item = np.int64(idx) if all_first else np.int64(first[idx])
                else:
                    item = np.int64(idx - length) if all_second else np.int64(second[idx - length])
                if (all_first or all_second) and not exists(graph, item):
                    continue
                if holds(stamps, item, iteration, size):
                    count = put(control, size, stage, STAGE, count, item, out, length_word, slot)
        flush(control, size, stage, count, out, length_word, slot)

    return combine
