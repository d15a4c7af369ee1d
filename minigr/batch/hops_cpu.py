"""Searches by hops from 64 vertices at once, on the CPU: a bit for each of them in a word for each vertex.

Then, Kaufmann, Chirigati, Hoang-Vu, Pham, Kemper, Neumann, Vo, The More the Merrier: Efficient Multi-Source Graph
Traversal (VLDB 2014). A level goes over all arcs of the graph, without a branch that could be guessed wrong; or, where
few vertices have bits to hand on, over theirs alone, so that a long and thin graph costs no more than searches one by
one. `search.cuh` is the counterpart for GPUs.

Hops are kept as bits too: a vertex has four words, and the four bits that one source has in them are the number of its
level among the last 15. A number a time is written only when these are used up.
"""

from __future__ import annotations

import numpy as np

from minigr.batch.constants import LEVELS, TOTAL, WORD
from minigr.jit.bits import count_ones, lowest_one
from minigr.jit.kernel import entry, kernel
from minigr.jit.ordered import fetch_add

_0, _1 = np.uint64(0), np.uint64(1)
SEEN, FRONT, COMING, DIGITS, WORDS = 0, 1, 2, 3, 7  # the words of a vertex; the last four are its levels
_DENSE = 8  # where one vertex in so many has bits to hand on, all arcs are gone over
_HALF = 32


@kernel
def begin(first, count, n, words):
    """Bits at the sources; how many there are."""
    for k in range(WORDS):
        for v in range(n):
            words[k, v] = _0
    for i in range(count):
        words[SEEN, first + i] = words[FRONT, first + i] = _1 << np.uint64(i)
    return count


@kernel
def list_arcs(offsets, indices, base, n, arcs):
    """The arcs of a graph, with its own vertex ids; how many there are."""
    at = 0
    for v in range(n):
        for e in range(offsets[base + v], offsets[base + v + 1]):
            arcs[0, at], arcs[1, at] = v, indices[e] - base
            at += 1
    return at


@kernel
def sweep(arcs, count, n, words):
    """Hand bits on along all arcs, and keep those that are new; how many vertices have some."""
    front, coming, seen = words[FRONT], words[COMING], words[SEEN]
    src, dst = arcs[0], arcs[1]
    for i in range(count):
        coming[dst[i]] |= front[src[i]]
    length = 0
    for v in range(n):
        new = coming[v] & ~seen[v]
        front[v] = new
        seen[v] |= new
        coming[v] = _0
        length += new != _0
    return length


@kernel
def _list_active(n, words, active):
    length = 0
    for v in range(n):
        active[length] = v
        length += words[FRONT, v] != _0


@kernel
def _hand_on(offsets, indices, base, length, words, active, touched):
    """The same along the arcs of the vertices listed in `active`, which those with new bits are afterwards."""
    front, coming, seen = words[FRONT], words[COMING], words[SEEN]
    found = 0
    for i in range(length):
        u = active[i]
        word = front[u]
        front[u] = _0
        for e in range(offsets[base + u], offsets[base + u + 1]):
            v = indices[e] - base
            if coming[v] == _0:
                touched[found] = v
                found += 1
            coming[v] |= word
    length = 0
    for i in range(found):
        v = touched[i]
        new = coming[v] & ~seen[v]
        coming[v] = _0
        front[v] = new
        seen[v] |= new
        active[length] = v
        length += new != _0
    return length


@kernel
def _note_level(number, n, words):
    """Write the number of a level, below 16, where vertices have new bits."""
    front = words[FRONT]
    for k in range(4):
        if number >> k & 1:
            digit = words[DIGITS + k]
            for v in range(n):
                digit[v] |= front[v]


@kernel
def _write_levels(before, n, count, words, matrix, out):
    """Turn the numbers of levels into hops, `before` more, and clear them."""
    for v in range(n):
        if words[DIGITS, v] | words[DIGITS + 1, v] | words[DIGITS + 2, v] | words[DIGITS + 3, v] != _0:
            for half in range(0, count, _HALF):
                d0 = np.uint32(words[DIGITS, v] >> np.uint64(half))
                d1 = np.uint32(words[DIGITS + 1, v] >> np.uint64(half))
                d2 = np.uint32(words[DIGITS + 2, v] >> np.uint64(half))
                d3 = np.uint32(words[DIGITS + 3, v] >> np.uint64(half))
                row = out[matrix + v * n + half : matrix + v * n + min(half + _HALF, count)]
                for i in range(row.size):
                    bit, one = np.uint32(i), np.uint32(1)
                    level = np.int32(
                        (d0 >> bit & one)
                        | (d1 >> bit & one) << one
                        | (d2 >> bit & one) << np.uint32(2)
                        | (d3 >> bit & one) << np.uint32(3)
                    )
                    row[i] = np.int32(before) + level if level else row[i]
            for k in range(4):
                words[DIGITS + k, v] = _0


@entry
def distances(
    rank, size, sync, claimed, unit_graph, unit_first, starts, offsets, indices, pair_offsets, scratch, out
):  # fmt: skip
    """Hops from every vertex to those of the unit, -1 for none: bits go against the edges, whose in-rows are given."""
    words, lists, arcs = scratch[0][rank], scratch[1][rank], scratch[2][rank]
    active, touched = lists[0], lists[1]
    unit = fetch_add(claimed, 0, 1)
    while unit < unit_graph.size:
        graph, first = unit_graph[unit], np.int64(unit_first[unit])
        base = starts[graph]
        n = starts[graph + 1] - base
        count = min(WORD, n - first)
        matrix = pair_offsets[graph] + first
        for v in range(n):
            out[matrix + v * n : matrix + v * n + count] = -1
        for i in range(count):
            out[matrix + (first + i) * n + i] = 0
        length = begin(first, count, n, words)
        level, before, listed, num_arcs = 0, 0, False, -1
        while length:
            level += 1
            if length * _DENSE >= n:
                if num_arcs < 0:
                    num_arcs = list_arcs(offsets, indices, base, n, arcs)
                length, listed = sweep(arcs, num_arcs, n, words), False
                if level - before > LEVELS:
                    _write_levels(before, n, count, words, matrix, out)
                    before = level - 1
                _note_level(level - before, n, words)
            else:
                if not listed:
                    _list_active(n, words, active)
                length, listed = _hand_on(offsets, indices, base, length, words, active, touched), True
                for i in range(length):
                    row, word = matrix + active[i] * n, words[FRONT, active[i]]
                    while word != _0:
                        out[row + lowest_one(word)] = level
                        word &= word - _1
        _write_levels(before, n, count, words, matrix, out)
        unit = fetch_add(claimed, 0, 1)


@entry
def nearness(
    rank, size, sync, claimed, unit_graph, unit_first, starts, offsets, indices, part_offsets, scratch, harmonic, parts
):  # fmt: skip
    """What the vertices of the unit that reach a vertex add to its centrality: bits go along the edges.

    That is the sum of their inverse hops, or their hops times `TOTAL` and their number.
    """
    words, lists, arcs = scratch[0][rank], scratch[1][rank], scratch[2][rank]
    active, touched = lists[0], lists[1]
    unit = fetch_add(claimed, 0, 1)
    while unit < unit_graph.size:
        graph, first = unit_graph[unit], np.int64(unit_first[unit])
        base = starts[graph]
        n = starts[graph + 1] - base
        part = parts[part_offsets[graph] + first // WORD * n : part_offsets[graph] + (first // WORD + 1) * n]
        part[:] = 0.0
        length = begin(first, min(WORD, n - first), n, words)
        level, listed, num_arcs = 0, False, -1
        while length:
            level += 1
            gain = 1.0 / level if harmonic else level * TOTAL + 1.0
            if length * _DENSE >= n:
                if num_arcs < 0:
                    num_arcs = list_arcs(offsets, indices, base, n, arcs)
                length, listed = sweep(arcs, num_arcs, n, words), False
                for v in range(n):
                    part[v] += count_ones(words[FRONT, v]) * gain
            else:
                if not listed:
                    _list_active(n, words, active)
                length, listed = _hand_on(offsets, indices, base, length, words, active, touched), True
                for i in range(length):
                    part[active[i]] += count_ones(words[FRONT, active[i]]) * gain
        unit = fetch_add(claimed, 0, 1)


@entry
def centrality(rank, size, sync, claimed, starts, part_offsets, harmonic, parts, score):
    """The centrality of each vertex, of what its graph's units add to it in their order."""
    graph = fetch_add(claimed, 0, 1)
    while graph < starts.size - 1:
        base = starts[graph]
        n = starts[graph + 1] - base
        for v in range(n):
            inverse, hops, reached = 0.0, 0.0, 0.0
            for first in range(0, n, WORD):
                part = parts[part_offsets[graph] + first // WORD * n + v]
                whole = np.floor(part / TOTAL)
                inverse += part
                hops += whole
                reached += part - whole * TOTAL
            near = reached / hops * (reached / (n - 1)) if hops > 0 else 0.0
            score[base + v] = inverse if harmonic else near
        graph = fetch_add(claimed, 0, 1)
