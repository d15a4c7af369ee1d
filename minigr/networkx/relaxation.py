"""Bellman and Ford's algorithm with a queue, move by move as NetworkX makes them.

A node in the queue is passed over if one before it on its path is in the queue too; and of an edge that makes its end
nearer than one already on the path to its start does, it is known that it closes a cycle of negative weight.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.jit.kernel import routine

_NONE = -1


def relax(graph: Any, weights: Any, source: int) -> tuple[Any, Any, Any, Any] | None:
    """Distances from `source` and what they were found by; None if a negative cycle was.

    Parameters
    ----------
    graph : ConvertedGraph
    weights : array
        One for each of `graph.targets`, finite.
    source : int

    Returns
    -------
    order : int32 array
        What was reached, in the order in which it first was; `source` is the first.
    distance : array [n]
        Of the dtype of the weights.
    starts : int64[n + 1]
        Where the vertices before each, on shortest paths, begin in `rows`.
    rows : int32 array
        Where rounding hides that a vertex came nearer, it may come before another twice.
    """
    n = len(graph)
    distance, order, first = np.zeros(n, weights.dtype), np.empty(n, np.int32), np.full(n, _NONE, np.int64)
    count, before, after = _relax(graph.offsets, graph.targets, weights, source, distance, order, first)
    if count == _NONE:
        return None
    starts, rows = _flatten(first, before, after)
    return order[:count], distance, starts, rows


@routine
def _relax(offsets, targets, weights, source, distance, order, first):
    """How many vertices were reached, or that a cycle is negative; and lists of those before each vertex.

    Item `i` of a list is `before[i]`, and the next of it is item `after[i]`. Items that are in no list are in the list
    of those that are free.
    """
    n = distance.size
    last = np.full(n, _NONE, np.int64)  # item of the list of each vertex
    before, after, free, used = np.empty(n, np.int32), np.empty(n, np.int64), _NONE, 0
    reached, waits = np.zeros(n, np.bool_), np.zeros(n, np.bool_)
    times = np.zeros(n, np.int64)  # that a vertex came into the queue
    since = np.full((n, 2), _NONE, np.int64)  # the edge that made it and all behind it on its path nearer
    by = np.full(n, _NONE, np.int64)  # the vertex that last made it nearer
    queue, head, length = np.empty(n, np.int64), 0, 1
    queue[0], waits[source] = source, True
    order[0], count, reached[source] = source, 1, True
    while length > 0:
        u = queue[head]
        head, length, waits[u] = (head + 1) % n, length - 1, False
        item = first[u]
        while item != _NONE and not waits[before[item]]:
            item = after[item]
        if item != _NONE:
            continue
        for e in range(offsets[u], offsets[u + 1]):
            v, through = targets[e], distance[u] + weights[e]
            if not reached[v] or through < distance[v]:
                if since[u, 0] == v or since[u, 1] == v:
                    return _NONE, before, after
                if by[v] == u:
                    since[v, 0], since[v, 1] = since[u, 0], since[u, 1]
                else:
                    since[v, 0], since[v, 1] = u, v
                if not waits[v]:
                    queue[(head + length) % n] = v
                    length, waits[v] = length + 1, True
                    times[v] += 1
                    if times[v] == n:
                        return _NONE, before, after
                if not reached[v]:
                    order[count], count, reached[v] = v, count + 1, True
                if first[v] != _NONE:
                    after[last[v]], free, first[v] = free, first[v], _NONE
                by[v], distance[v] = u, through
            elif through != distance[v]:
                continue
            if free != _NONE:
                item, free = free, after[free]
            else:
                if used == before.size:
                    before, after = np.append(before, np.empty_like(before)), np.append(after, np.empty_like(after))
                item, used = used, used + 1
            if first[v] == _NONE:
                first[v] = item
            else:
                after[last[v]] = item
            before[item], after[item], last[v] = u, _NONE, item
    return count, before, after


@routine
def _flatten(first, before, after):
    starts = np.zeros(first.size + 1, np.int64)
    for v in range(first.size):
        starts[v + 1], item = starts[v], first[v]
        while item != _NONE:
            starts[v + 1] += 1
            item = after[item]
    rows = np.empty(starts[-1], np.int32)
    for v in range(first.size):
        place, item = starts[v], first[v]
        while item != _NONE:
            rows[place] = before[item]
            place, item = place + 1, after[item]
    return starts, rows
