"""Betweenness of small graphs on the CPU, by searches from up to 64 vertices at once.

Brandes' two passes go over the same arcs, one way and back: those that lie on a shortest path from a source. The
searches of `hops_cpu` find them for all sources together, as the bits that an arc hands on and that are new to the
vertex it leads to, and each bit is written to a list: a *step* from one vertex to the next, for one source. Then the
passes are two loops over the list, without a branch that could be guessed wrong, on which small graphs spend most of
their time.
"""

from __future__ import annotations

import numpy as np

from minigr.batch.constants import WORD
from minigr.batch.hops_cpu import COMING, DIGITS, FRONT, SEEN, WORDS, begin, list_arcs, sweep
from minigr.jit.bits import count_ones, lowest_one
from minigr.jit.kernel import kernel

MOST_VERTICES, MOST_ARCS = 3 * WORD, WORD * WORD
"""Of a graph that is done in this way. With so few, parallel ones too, there can't be `MOST_PATHS` shortest paths."""
MOST_STEPS = MOST_ARCS * WORD
_0, _1 = np.uint64(0), np.uint64(1)


@kernel
def _list_steps(n, first, sources, src, dst, num_arcs, words, top, found, found_at, near, far):
    """Search from some vertices, and list the steps of each level behind those of the level before; how many there are.

    A step names, at both of its ends, the vertex's row and the source's column of a matrix. Indices are unsigned here
    and below, because a signed index may be negative and count from the end, which takes time to find out.
    """
    columns = np.int32(sources)
    front, coming, seen, before = words[top + FRONT], words[top + COMING], words[top + SEEN], words[top + DIGITS]
    count = _0
    length = begin(first, sources, n, words, top)
    while length:
        for v in range(np.uint64(n)):
            before[v] = front[v]
        length = sweep(src, dst, num_arcs, n, front, coming, seen)
        listed = _0
        for e in range(np.uint64(num_arcs)):  # first which arcs have any, for there a branch would be guessed wrong
            found[listed] = before[np.uint64(src[e])] & front[np.uint64(dst[e])]
            found_at[listed] = e
            listed += np.uint64(found[listed] != _0)
        for i in range(listed):
            word, e = found[i], found_at[i]
            tail, head = src[e] * columns, dst[e] * columns
            while word != _0:
                source = np.int32(lowest_one(word))
                near[count], far[count] = tail + source, head + source
                count += _1
                word &= word - _1
    return count


@kernel
def add_together(rank, offsets, indices, base, n, first, sources, ends, src, dst, together, part):
    """Add to `part` what shortest paths from some vertices of a graph add to the betweenness of each.

    A thread has `WORDS` rows of the first array of `together`, and two of each of the others: of arcs that lead on (the
    bits and the arc), of steps (from where and to where), and of matrices.
    """
    words, arcs_on, steps, matrices = together
    top, one, other = WORDS * rank, 2 * rank, 2 * rank + 1
    near, far, paths, dependents = steps[one], steps[other], matrices[one], matrices[other]
    num_arcs = list_arcs(offsets, indices, base, n, src, dst)
    count = _list_steps(n, first, sources, src, dst, num_arcs, words, top, arcs_on[one], arcs_on[other], near, far)
    rows, columns = np.uint64(n), np.uint64(sources)
    for i in range(rows * columns):
        paths[i], dependents[i] = 0.0, 0.0
    for i in range(columns):
        paths[(np.uint64(first) + i) * columns + i] = 1.0
    for i in range(count):
        paths[np.uint64(far[i])] += paths[np.uint64(near[i])]
    for i in range(count):
        start, end = np.uint64(near[count - _1 - i]), np.uint64(far[count - _1 - i])
        dependents[start] += paths[start] / paths[end] * (1.0 + dependents[end])
    for i in range(columns):
        dependents[(np.uint64(first) + i) * columns + i] = 0.0  # a source is not on its way to others
    for v in range(rows):
        for i in range(columns):
            part[v] += dependents[v * columns + i]
    if ends > 0:
        seen = words[top + SEEN]
        for v in range(rows):
            reached = seen[v]
            part[v] += ends * count_ones(reached)
            while reached != _0:
                part[first + lowest_one(reached)] += ends
                reached &= reached - _1
        for i in range(columns):
            part[np.uint64(first) + i] -= 2 * ends  # that it reaches itself was counted at both ends
