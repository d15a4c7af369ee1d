"""Searches from one vertex at a time, on the CPU: weighted distances, and betweenness.

Dijkstra, A Note on Two Problems in Connexion with Graphs (Numerische Mathematik 1959); Brandes, A Faster Algorithm for
Betweenness Centrality (Journal of Mathematical Sociology 2001). `paths.cuh` is the counterpart for GPUs.
"""

from __future__ import annotations

import numpy as np

from minigr.batch.constants import LOST_WEIGHT, MOST_PATHS, TOO_MANY_PATHS, WORD
from minigr.batch.steps_cpu import MOST_ARCS, MOST_VERTICES, add_together
from minigr.batch.units_cpu import cleared_part, graphs, units
from minigr.jit.kernel import entry, kernel

_UNSEEN, _SETTLED = -1, -2


@kernel
def _rise(heap, place, distance, at):
    """Move an entry of the heap up to its place."""
    v = heap[at]
    while at > 0 and distance[heap[(at - 1) >> 1]] > distance[v]:
        heap[at] = heap[(at - 1) >> 1]
        place[heap[at]] = at
        at = (at - 1) >> 1
    heap[at], place[v] = v, at


@kernel
def _sink(heap, place, distance, length):
    """Move the first entry of the heap down to its place."""
    v, at, child = heap[0], 0, 1
    while child < length:
        if child + 1 < length and distance[heap[child + 1]] < distance[heap[child]]:
            child += 1
        if distance[heap[child]] >= distance[v]:
            break
        heap[at] = heap[child]
        place[heap[at]] = at
        at, child = child, 2 * child + 1
    heap[at], place[v] = v, at


@kernel
def _find_distances(offsets, indices, weights, base, n, source, distance, heap, place, order):
    """Distances from `source`. `order` gets the reached vertices, nearest first; the function returns their number."""
    for v in range(n):
        distance[v], place[v] = np.inf, _UNSEEN
    distance[source], heap[0], place[source] = 0.0, source, 0
    length, settled = 1, 0
    while length:
        u = heap[0]
        order[settled], place[u] = u, _SETTLED
        settled, length = settled + 1, length - 1
        if length:
            heap[0] = heap[length]
            _sink(heap, place, distance, length)
        for e in range(offsets[base + u], offsets[base + u + 1]):
            v = indices[e] - base
            way = distance[u] + weights[e]
            if way < distance[v]:
                distance[v] = way
                if place[v] == _UNSEEN:
                    heap[length], place[v] = v, length
                    length += 1
                _rise(heap, place, distance, place[v])
    return settled


@entry
def weighted_distances(
    rank, size, sync, claimed, unit_graph, unit_first, starts, offsets, indices, weights, pair_offsets, numbers, lists,
    out,
):  # fmt: skip
    """The distances from the sources of the unit to every vertex, along the rows."""
    heap, place, order = lists[3 * rank], lists[3 * rank + 1], lists[3 * rank + 2]
    for graph, first, base, n in units(claimed, unit_graph, unit_first, starts):
        for s in range(first, min(first + WORD, n)):
            row = out[pair_offsets[graph] + s * n : pair_offsets[graph] + (s + 1) * n]
            _find_distances(offsets, indices, weights, base, n, s, row, heap, place, order)


@entry
def weighted_nearness(
    rank, size, sync, claimed, unit_graph, unit_first, starts, offsets, indices, weights, numbers, lists, harmonic,
    score,
):  # fmt: skip
    """The centrality of the vertices of the unit. The rows go against the edges."""
    distance = numbers[3 * rank]
    heap, place, order = lists[3 * rank], lists[3 * rank + 1], lists[3 * rank + 2]
    for _, first, base, n in units(claimed, unit_graph, unit_first, starts):
        for s in range(first, min(first + WORD, n)):
            reached = _find_distances(offsets, indices, weights, base, n, s, distance, heap, place, order)
            total, inverse = 0.0, 0.0
            for i in range(1, reached):
                d = distance[order[i]]
                total += d
                inverse += 1.0 / d if d > 0 else 0.0
            near = (reached - 1) / total * ((reached - 1) / (n - 1)) if total > 0 else 0.0
            score[base + s] = inverse if harmonic else near


@kernel
def _count_paths_by_hops(offsets, indices, base, n, source, level, paths, order, near, far):
    """Count the shortest paths to each vertex. Returns the numbers of reached vertices and of arcs on such paths.

    `near` and `far` list the ends of these arcs, with arcs nearer to the source first. There is no branch for an arc,
    because the branch predictor of a processor learns nothing in small graphs.
    """
    for v in range(n):
        level[v], paths[v] = -1, 0.0
    level[source], paths[source], order[0] = 0, 1.0, source
    found, at, count = 1, 0, 0
    while at < found:
        u = order[at]
        at += 1
        below, here = level[u] + 1, paths[u]
        for e in range(offsets[base + u], offsets[base + u + 1]):
            v = indices[e] - base
            new = level[v] < 0
            order[found] = v  # there is room for one more vertex than the graph has
            found += new
            level[v] = below if new else level[v]
            leads = level[v] == below
            paths[v] += here if leads else 0.0
            place = np.uint64(count)  # unsigned, because Numba would check a signed index for being negative
            near[place], far[place] = u, v
            count += leads
    return found, count


@entry
def betweenness(
    rank, size, sync, claimed, unit_graph, unit_first, starts, offsets, indices, part_offsets, numbers, lists, arcs,
    together, ends, flags, parts,
):  # fmt: skip
    """The part of the betweenness of each vertex that comes from paths by hops from the sources of the unit."""
    paths, dependents, order, level = numbers[3 * rank], numbers[3 * rank + 1], lists[3 * rank], lists[3 * rank + 1]
    near, far = arcs[2 * rank], arcs[2 * rank + 1]
    for graph, first, base, n in units(claimed, unit_graph, unit_first, starts):
        part = cleared_part(parts, part_offsets, graph, first, n)
        if n <= MOST_VERTICES and offsets[base + n] - offsets[base] <= MOST_ARCS:
            sources = min(WORD, n - first)
            add_together(rank, offsets, indices, base, n, first, sources, ends, near, far, together, part)
            continue
        for s in range(first, min(first + WORD, n)):
            reached, count = _count_paths_by_hops(offsets, indices, base, n, s, level, paths, order, near, far)
            for v in range(n):
                dependents[v] = 0.0
            for i in range(count - 1, -1, -1):
                start, end = np.uint64(near[i]), np.uint64(far[i])
                dependents[start] += paths[start] / paths[end] * (1.0 + dependents[end])
            dependents[s] = (reached - 1) * ends
            most = 0.0
            for i in range(reached):
                v = order[i]
                part[v] += dependents[v] + (ends if i else 0.0)
                most = max(most, paths[v])
            if most > MOST_PATHS:
                flags[graph] = TOO_MANY_PATHS  # all writers write the same value


@entry
def weighted_betweenness(
    rank, size, sync, claimed, unit_graph, unit_first, starts, offsets, indices, weights, in_offsets, in_indices,
    in_weights, part_offsets, numbers, lists, ends, flags, parts,
):  # fmt: skip
    """The same by weight. The paths to a vertex are counted after the paths to all nearer vertices."""
    paths, share, distance = numbers[3 * rank], numbers[3 * rank + 1], numbers[3 * rank + 2]
    heap, place, order = lists[3 * rank], lists[3 * rank + 1], lists[3 * rank + 2]
    for graph, first, base, n in units(claimed, unit_graph, unit_first, starts):
        part = cleared_part(parts, part_offsets, graph, first, n)
        for s in range(first, min(first + WORD, n)):
            reached = _find_distances(offsets, indices, weights, base, n, s, distance, heap, place, order)
            paths[s] = 1.0
            for i in range(1, reached):
                v, sum_of_paths = order[i], 0.0
                for e in range(in_offsets[base + v], in_offsets[base + v + 1]):
                    u = in_indices[e] - base
                    if u != v and distance[u] + in_weights[e] == distance[v]:
                        sum_of_paths += paths[u]
                        if distance[u] == distance[v]:
                            flags[graph] = LOST_WEIGHT
                paths[v] = sum_of_paths
                if sum_of_paths > MOST_PATHS and flags[graph] == 0:
                    flags[graph] = TOO_MANY_PATHS
            for i in range(reached - 1, 0, -1):
                v, shares = order[i], 0.0
                for e in range(offsets[base + v], offsets[base + v + 1]):
                    w = indices[e] - base
                    if w != v and distance[v] + weights[e] == distance[w]:
                        shares += share[w]
                dependents = paths[v] * shares
                share[v] = (1.0 + dependents) / paths[v]
                part[v] += dependents + ends
            part[s] += (reached - 1) * ends


@entry
def sum_parts(rank, size, sync, claimed, starts, part_offsets, scale, parts, score):
    """The score of each vertex: the sum of the parts of its graph's units, in their order, times the graph's scale."""
    for graph, base, n in graphs(claimed, starts):
        for v in range(n):
            total = 0.0
            for first in range(0, n, WORD):
                total += parts[part_offsets[graph] + first // WORD * n + v]
            score[base + v] = total * scale[graph]
