"""Betweenness of small graphs on the CPU, by searches from up to 64 vertices at once.

Brandes' two passes go over the same arcs in both directions: the arcs on shortest paths from a source. The searches of
`hops_cpu` find these arcs for all sources together. An arc is on a shortest path for the bits that it passes on and
that are new to its end. Each of these bits is written to a list as a *step* from one vertex to the next, for one
source. Then the passes are two loops over the list, without the mispredicted branches that take most of the time on
small graphs.
"""

from __future__ import annotations

import numpy as np

from minigr.batch.constants import WORD
from minigr.batch.hops_cpu import COMING, DIGITS, FRONT, SEEN, WORDS, begin, list_arcs, sweep
from minigr.jit.bits import count_ones, lowest_one
from minigr.jit.kernel import kernel

MOST_VERTICES, MOST_ARCS = 3 * WORD, WORD * WORD
"""The limits of graphs for this method. A graph this small, even with parallel arcs, can't have `MOST_PATHS` shortest
paths."""
MOST_STEPS = MOST_ARCS * WORD
_0, _1 = np.uint64(0), np.uint64(1)


@kernel
def _list_steps(n, first, sources, src, dst, num_arcs, words, top, found, found_at, near, far):
    """Search from some vertices, and list the steps, level by level. Returns the number of steps.

    For each of its two ends, a step has an index into a matrix: the row is the vertex, the column is the source.
    Indices are unsigned here and below, because checking whether a signed index is negative takes time.
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
        for e in range(np.uint64(num_arcs)):  # lists arcs with bits first; a branch would be mispredicted here
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
    """Add the contributions of shortest paths from some vertices of a graph to `part`, the betweenness of each vertex.

    A thread has `WORDS` rows of the first array of `together`, and two rows of each of the others: arcs that pass bits
    on (bits and arc), steps (from and to), and matrices.
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
        dependents[(np.uint64(first) + i) * columns + i] = 0.0  # a source is not between itself and other vertices
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
            part[np.uint64(first) + i] -= 2 * ends  # a source reaches itself, which was counted at both ends
