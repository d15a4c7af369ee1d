"""Contracting rows on the CPU: the weights of a group's arcs are added up by the groups that the arcs lead to.

Each thread has a hash table of sums, whose keys are groups. For each group, the thread uses only as much of the table
as the group needs. So if the arcs of a group lead to few other groups, the table stays in the nearest cache. How many
arcs remain is known only when all arcs are added up. So each thread writes the remaining arcs to the range that its
given arcs have among all arcs, and the arcs are moved together in the end. The array has room for all arcs, but only
the memory that is written is touched.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.graphs.adjacency import Adjacency
from minigr.graphs.arcs import Arcs
from minigr.graphs.build_cpu import rows as rows_of
from minigr.graphs.rows_cpu import sort_rows
from minigr.jit.kernel import entry, kernel
from minigr.jit.spmd import run_team
from minigr.primitives.cpu import team_size
from minigr.primitives.split_cpu import merge_place

_MIX = np.uint32(0x9E3779B1)  # 2**32 over the golden ratio (Knuth, The Art of Computer Programming 3, section 6.4)
_NONE = np.int32(-1)


def contracted(given: Adjacency, labels: Any, count: int, *, directed: bool) -> Adjacency:
    """Rows of `count` groups. `labels`, int32[n], has the group of each vertex.

    The weight of an arc is the sum of the weights that it stands for, in int64 or float64. Without weights each arc
    counts as 1. If `directed` is False, only one of the two arcs of each edge within a group counts.
    """
    offsets, indices, weights, size = given.offsets, given.indices, given.weights, team_size(given.num_arcs)
    vertices = np.arange(len(labels), dtype=np.int32)
    starts, members, _, _ = rows_of(max(count, len(labels)), Arcs(vertices, src=labels))
    starts = starts[: count + 1]
    # The number of arcs before those of each group, by group; the last element is the number of all arcs.
    bases = np.concatenate([np.zeros(1, np.int64), np.cumsum((offsets[1:] - offsets[:-1])[members])])[starts]
    room = 1 << (2 * min(int((bases[1:] - bases[:-1]).max(initial=0)), count) - 1).bit_length()  # the largest `_mask`
    kind = np.int64 if weights is None or weights.dtype.kind == "i" else np.float64
    tables = np.full((size, room), _NONE), np.empty((size, room), kind), np.empty((size, room // 2 + 1), np.int32)
    of_arcs = np.empty(0, np.int64) if weights is None else weights
    found = np.zeros(count + 1, np.int64)
    written = np.empty(given.num_arcs, np.int32), np.empty(given.num_arcs, kind)
    groups = labels, starts, members, bases
    run_team(_add_up, size, offsets, indices, of_arcs, weights is not None, directed, *groups, *tables, found, *written)
    np.cumsum(found, out=found)
    left = int(found[-1])
    made, sums = np.empty(left, np.int32), np.empty(left, kind)
    run_team(_copy_together, size, bases, found, *written, made, sums)
    sort_rows(count, found, made, sums.view(np.int64))
    return Adjacency(found, made, sums)


@kernel
def _slot(keys, mask, key):
    """The slot in a table that has a key, or that the key will get."""
    at = (np.uint32(key) * _MIX >> np.uint32(7)) & mask
    while keys[np.uint64(at)] != key and keys[np.uint64(at)] != _NONE:
        at = (at + np.uint32(1)) & mask
    return at


@kernel
def _mask(arcs, count):
    """The size of a table for the groups that `arcs` arcs may lead to, minus 1. The size is a power of 2."""
    room = 2
    while room < 2 * min(arcs, count):
        room *= 2
    return np.uint32(room - 1)


@entry
def _add_up(
    rank, size, sync, offsets, indices, weights, weighted, directed, labels, starts, members, bases,
    tables, sums_of, lists, found, made, sums,
):  # fmt: skip
    """Find the groups that the arcs of each group lead to, in order of first occurrence, and sum the arcs' weights.

    A thread writes the groups and sums to the range of its given arcs among all arcs. ``found[group + 1]`` gets the
    number of them for each group.
    """
    keys, values, used, count = tables[rank], sums_of[rank], lists[rank], starts.size - 1
    first, last = merge_place(bases, rank, size)[0], merge_place(bases, rank + 1, size)[0]
    place = bases[first]
    for group in range(first, last):
        mask, length = _mask(bases[group + 1] - bases[group], count), 0
        for k in range(starts[group], starts[group + 1]):
            vertex = members[k]
            for e in range(offsets[vertex], offsets[vertex + 1]):
                other = indices[np.uint64(e)]
                key = labels[np.uint64(other)]
                if key == group and other < vertex and not directed:
                    continue
                weight = weights[np.uint64(e)] if weighted else 1
                at = _slot(keys, mask, key)
                if keys[np.uint64(at)] != _NONE:
                    values[np.uint64(at)] += weight
                    continue
                keys[np.uint64(at)], values[np.uint64(at)], used[length] = key, weight, at
                length += 1
        found[group + 1] = length
        for i in range(length):
            at = used[i]
            made[place + i], sums[place + i] = keys[at], values[at]
            keys[at] = _NONE
        place += length


@entry
def _copy_together(rank, size, sync, bases, found, written, sums_written, made, sums):
    """Copy the arcs that `_add_up` wrote to their final rows."""
    first, last = merge_place(bases, rank, size)[0], merge_place(bases, rank + 1, size)[0]
    begin, to = bases[first], found[first]
    for i in range(found[last] - to):
        made[to + i], sums[to + i] = written[begin + i], sums_written[begin + i]
