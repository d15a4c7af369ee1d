"""Contracted rows on the CPU: the arcs of each group of vertices are added up by the groups that they lead to.

A thread has a table of sums, by the hash of a group, which is as large as the group it is at needs. So a group whose
arcs lead to few others stays in the nearest cache, and nothing is held of arcs that become one. The arcs are gone
through twice: once to count how many will be left, and once to add up their weights, in the order of a stable sort.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.graphs.adjacency import Adjacency
from minigr.graphs.arcs import Arcs
from minigr.graphs.build_cpu import halve, row_of_arcs
from minigr.graphs.build_cpu import rows as rows_of
from minigr.graphs.rows_cpu import sort_rows
from minigr.jit.kernel import entry, kernel
from minigr.jit.spmd import run_team
from minigr.primitives.cpu import team_size
from minigr.primitives.split_cpu import merge_place

_MIX = np.uint32(0x9E3779B1)  # 2**32 over the golden ratio (Knuth, The Art of Computer Programming 3, section 6.4)
_NONE = np.int32(-1)


def contracted(given: Adjacency, weights: Any, labels: Any, count: int, *, halve_loops: bool) -> Adjacency:
    """Rows of `count` groups; `labels`, int32[n], tell the group of each vertex.

    An arc's weight is the sum of those that it stands for, in int64 or float64, of `weights`, or of 1 each if that is
    None. With `halve_loops` a self-loop gets half of its sum.
    """
    offsets, indices, size = given.offsets, given.indices, team_size(given.num_arcs)
    vertices = np.arange(len(labels), dtype=np.int32)
    starts, members, _, _ = rows_of(max(count, len(labels)), Arcs(vertices, src=labels))
    starts = starts[: count + 1]
    # The arcs of a group's vertices, and at the last place of all.
    bases = np.concatenate([np.zeros(1, np.int64), np.cumsum((offsets[1:] - offsets[:-1])[members])])[starts]
    room = 1 << (2 * min(int((bases[1:] - bases[:-1]).max(initial=0)), count) - 1).bit_length()  # of `_mask`, at most
    kind = np.int64 if weights is None or weights.dtype.kind == "i" else np.float64
    keys, used = np.full((size, room), _NONE), np.empty((size, room // 2 + 1), np.int32)
    groups = offsets, indices, labels, starts, members, bases
    found = np.zeros(count + 1, np.int64)
    run_team(_count, size, *groups, keys, used, found)
    np.cumsum(found, out=found)
    made, sums = np.empty(int(found[-1]), np.int32), np.empty(int(found[-1]), kind)
    values, weighted = np.empty((size, room), kind), weights is not None
    of_arcs = weights if weighted else np.empty(0, np.int64)
    run_team(_add_up, size, *groups, of_arcs, weighted, keys, used, values, found, made, sums)
    sort_rows(count, found, made, sums.view(np.int64))
    if halve_loops:
        halve(sums, np.flatnonzero(row_of_arcs(found, len(made)) == made))
    return Adjacency(found, made, sums)


@kernel
def _slot(keys, mask, key):
    """Where a key stands in a table, or will."""
    at = (np.uint32(key) * _MIX >> np.uint32(7)) & mask
    while keys[np.uint64(at)] != key and keys[np.uint64(at)] != _NONE:
        at = (at + np.uint32(1)) & mask
    return at


@kernel
def _mask(arcs, count):
    """One less than the size of a table for the groups that so many arcs may lead to, which is a power of 2."""
    room = 2
    while room < 2 * min(arcs, count):
        room *= 2
    return np.uint32(room - 1)


@kernel
def _arcs_of(group, offsets, indices, labels, starts, members):
    """A loop over the arcs of a group's vertices, and the groups that they lead to."""
    for k in range(starts[group], starts[group + 1]):
        vertex = members[k]
        for e in range(offsets[vertex], offsets[vertex + 1]):
            yield e, labels[np.uint64(indices[np.uint64(e)])]


@entry
def _count(rank, size, sync, offsets, indices, labels, starts, members, bases, tables, lists, found):
    """To how many groups the arcs of each group lead, at its number plus 1."""
    keys, used, count = tables[rank], lists[rank], starts.size - 1
    first, last = merge_place(bases, rank, size)[0], merge_place(bases, rank + 1, size)[0]
    for group in range(first, last):
        mask, length = _mask(bases[group + 1] - bases[group], count), 0
        for _, key in _arcs_of(group, offsets, indices, labels, starts, members):
            at = _slot(keys, mask, key)
            if keys[np.uint64(at)] == _NONE:
                keys[np.uint64(at)], used[length] = key, at
                length += 1
        found[group + 1] = length
        for i in range(length):
            keys[used[i]] = _NONE


@entry
def _add_up(
    rank, size, sync, offsets, indices, labels, starts, members, bases, weights, weighted, tables, lists, sums_of,
    found, made, sums,
):  # fmt: skip
    """The groups that the arcs of each group lead to, as they come first, and the sums of the arcs' weights."""
    keys, used, values, count = tables[rank], lists[rank], sums_of[rank], starts.size - 1
    first, last = merge_place(bases, rank, size)[0], merge_place(bases, rank + 1, size)[0]
    for group in range(first, last):
        mask, length = _mask(bases[group + 1] - bases[group], count), 0
        for e, key in _arcs_of(group, offsets, indices, labels, starts, members):
            weight = weights[np.uint64(e)] if weighted else 1
            at = _slot(keys, mask, key)
            if keys[np.uint64(at)] != _NONE:
                values[np.uint64(at)] += weight
                continue
            keys[np.uint64(at)], values[np.uint64(at)], used[length] = key, weight, at
            length += 1
        for i in range(length):
            made[found[group] + i], sums[found[group] + i] = keys[used[i]], values[used[i]]
            keys[used[i]] = _NONE
