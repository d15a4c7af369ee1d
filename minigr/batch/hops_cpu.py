"""Searches by hops from 64 vertices at once, on the CPU: each vertex has a word with a bit for each source.

Then, Kaufmann, Chirigati, Hoang-Vu, Pham, Kemper, Neumann, Vo, The More the Merrier: Efficient Multi-Source Graph
Traversal (VLDB 2014). A step of the search goes over all arcs of the graph, without branches that could be
mispredicted. If few vertices have bits to pass on, the step goes only over the arcs of these vertices, so that a long
and thin graph costs no more than searches from one vertex at a time. `hops.cuh` is the counterpart for GPUs.

Hops are also kept as bits: a vertex has four words, and the four bits of a source in these words are the index of its
level among the last 15 levels. Hops are written as numbers only when these levels are used up.
"""

from __future__ import annotations

import math

import numpy as np

from minigr.batch.constants import LEVELS, TOTAL, WORD
from minigr.batch.units_cpu import cleared_part, graphs, units
from minigr.jit.bits import count_ones, lowest_one
from minigr.jit.kernel import entry, kernel

_0, _1 = np.uint64(0), np.uint64(1)
SEEN, FRONT, COMING, DIGITS, WORDS = 0, 1, 2, 3, 7  # the words of a vertex; the last four are its levels
"""Each of these is a row of `words`. A thread has `WORDS` contiguous rows, from row `top` on."""
_DENSE = 8  # if at least one vertex in this many has bits to pass on, the step goes over all arcs
_HALF = 32


@kernel
def begin(first, count, n, words, top):
    """Set the bits of the sources. Returns the number of sources."""
    for k in range(WORDS):
        for v in range(n):
            words[top + k, v] = _0
    for i in range(count):
        bit = _1 << np.uint64(i)
        words[top + SEEN, first + i], words[top + FRONT, first + i] = bit, bit
    return count


@kernel
def list_arcs(offsets, indices, base, n, src, dst):
    """List the arcs of a graph, with vertex ids within the graph. Returns the number of arcs."""
    at = 0
    for v in range(n):
        for e in range(offsets[base + v], offsets[base + v + 1]):
            src[at], dst[at] = v, indices[e] - base
            at += 1
    return at


@kernel
def sweep(src, dst, count, n, front, coming, seen):
    """Pass bits on along all arcs, and keep the new bits. Returns the number of vertices with new bits."""
    for i in range(np.uint64(count)):  # unsigned indices, because a signed one may be negative and count from the end
        coming[np.uint64(dst[i])] |= front[np.uint64(src[i])]
    length = 0
    for v in range(n):
        new = coming[v] & ~seen[v]
        front[v] = new
        seen[v] |= new
        coming[v] = _0
        length += new != _0
    return length


@kernel
def _list_active(n, front, active):
    length = 0
    for v in range(n):
        active[length] = v
        length += front[v] != _0


@kernel
def _hand_on(offsets, indices, base, length, front, coming, seen, active, touched):
    """The same along the arcs of the vertices in `active`, which then gets the vertices with new bits."""
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
def _note_level(number, n, words, top):
    """Write the index of a level, below 16, for the new bits of all vertices."""
    front = words[top + FRONT]
    for k in range(4):
        if number >> k & 1:
            digit = words[top + DIGITS + k]
            for v in range(n):
                digit[v] |= front[v]


@kernel
def _write_levels(before, n, count, words, top, matrix, out):
    """Add `before` to the indices of levels, write them as hops, and clear them."""
    first = top + DIGITS
    digit0, digit1, digit2, digit3 = words[first], words[first + 1], words[first + 2], words[first + 3]
    for v in range(n):
        if digit0[v] | digit1[v] | digit2[v] | digit3[v] != _0:
            for half in range(0, count, _HALF):
                d0 = np.uint32(digit0[v] >> np.uint64(half))
                d1 = np.uint32(digit1[v] >> np.uint64(half))
                d2 = np.uint32(digit2[v] >> np.uint64(half))
                d3 = np.uint32(digit3[v] >> np.uint64(half))
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
            digit0[v], digit1[v], digit2[v], digit3[v] = _0, _0, _0, _0


@kernel
def _levels(rank, offsets, indices, base, n, first, count, scratch):
    """Yield each level of a search from some vertices, and the number of vertices with new bits.

    These vertices are the first ones of ``lists[2 * rank]``. If the number is -1, they are not listed.
    """
    words, lists, arcs = scratch
    top = WORDS * rank
    front, coming, seen = words[top + FRONT], words[top + COMING], words[top + SEEN]
    active, touched, src, dst = lists[2 * rank], lists[2 * rank + 1], arcs[2 * rank], arcs[2 * rank + 1]
    length = begin(first, count, n, words, top)
    level, listed, num_arcs = 0, False, -1
    while length:
        level += 1
        if length * _DENSE >= n:
            if num_arcs < 0:
                num_arcs = list_arcs(offsets, indices, base, n, src, dst)
            length, listed = sweep(src, dst, num_arcs, n, front, coming, seen), False
        else:
            if not listed:
                _list_active(n, front, active)
            length = _hand_on(offsets, indices, base, length, front, coming, seen, active, touched)
            listed = True
        yield level, length if listed else -1


@entry
def distances(
    rank, size, sync, claimed, unit_graph, unit_first, starts, offsets, indices, pair_offsets, scratch, out
):  # fmt: skip
    """Hops from every vertex to the sources of the unit, -1 without a path. The rows are in-rows: bits go backward."""
    words, active, top = scratch[0], scratch[1][2 * rank], WORDS * rank
    front = words[top + FRONT]
    for graph, first, base, n in units(claimed, unit_graph, unit_first, starts):
        count = min(WORD, n - first)
        matrix = pair_offsets[graph] + first
        for v in range(n):
            cells = out[matrix + v * n : matrix + v * n + count]
            for i in range(cells.size):
                cells[i] = -1
        for i in range(count):
            out[matrix + (first + i) * n + i] = 0
        before = 0
        for level, length in _levels(rank, offsets, indices, base, n, first, count, scratch):
            if length < 0:
                if level - before > LEVELS:
                    _write_levels(before, n, count, words, top, matrix, out)
                    before = level - 1
                _note_level(level - before, n, words, top)
            for i in range(length):
                at, word = matrix + active[i] * n, front[active[i]]
                while word != _0:
                    out[at + lowest_one(word)] = level
                    word &= word - _1
        _write_levels(before, n, count, words, top, matrix, out)


@entry
def nearness(
    rank, size, sync, claimed, unit_graph, unit_first, starts, offsets, indices, part_offsets, scratch, harmonic, parts
):  # fmt: skip
    """The part of the unit: the contributions of its sources to each vertex that they reach. Bits go along the edges.

    This is the sum of inverse hops, or the sum of hops times `TOTAL` plus the number of sources.
    """
    active, front = scratch[1][2 * rank], scratch[0][WORDS * rank + FRONT]
    for graph, first, base, n in units(claimed, unit_graph, unit_first, starts):
        part = cleared_part(parts, part_offsets, graph, first, n)
        for level, length in _levels(rank, offsets, indices, base, n, first, min(WORD, n - first), scratch):
            gain = 1.0 / level if harmonic else level * TOTAL + 1.0
            if length < 0:
                for v in range(n):
                    part[v] += count_ones(front[v]) * gain
            for i in range(length):
                part[active[i]] += count_ones(front[active[i]]) * gain


@entry
def centrality(rank, size, sync, claimed, starts, part_offsets, harmonic, parts, score):
    """The centrality of each vertex: sums the parts of its graph's units, in their order."""
    for graph, base, n in graphs(claimed, starts):
        for v in range(n):
            inverse, hops, reached = 0.0, 0.0, 0.0
            for first in range(0, n, WORD):
                part = parts[part_offsets[graph] + first // WORD * n + v]
                whole = float(math.floor(part / TOTAL))
                inverse += part
                hops += whole
                reached += part - whole * TOTAL
            near = reached / hops * (reached / (n - 1)) if hops > 0 else 0.0
            score[base + v] = inverse if harmonic else near
