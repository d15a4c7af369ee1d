"""Bellman and Ford's algorithm with a queue, move by move as NetworkX makes them.

A node in the queue is passed over if one before it on its path is in the queue too; and of an edge that makes its end
nearer than one already on the path to its start does, it is known that it closes a cycle of negative weight.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.jit.kernel import entry

_NONE = -1
_DONE, _CYCLE, _NO_ROOM = 0, 1, 2
_HEAD, _LENGTH, _REACHED, _FREE, _USED, _WORDS = 0, 1, 2, 3, 4, 5  # what is kept while lists get more room


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
    last, by = np.empty(n, np.int64), np.full(n, _NONE, np.int64)
    reached, waits, times = np.zeros(n, np.bool_), np.zeros(n, np.bool_), np.zeros(n, np.int64)
    since, queue = np.full((n, 2), _NONE, np.int64), np.empty(n, np.int64)
    before, after, kept = np.empty(n, np.int32), np.empty(n, np.int64), np.zeros(_WORDS, np.int64)
    order[0], reached[source], queue[0], waits[source] = source, True, source, True
    kept[_LENGTH], kept[_REACHED], kept[_FREE] = 1, 1, _NONE
    vertices = distance, order, reached, first, last
    while True:
        told = _relax(
            graph.offsets, graph.targets, weights, vertices, before, after, queue, waits, times, by, since, kept
        )
        if told != _NO_ROOM:
            break
        before, after = _twice_as_long(before), _twice_as_long(after)
    if told == _CYCLE:
        return None
    starts = np.zeros(n + 1, np.int64)
    _count(first, after, starts)
    rows = np.empty(starts[n], np.int32)
    _flatten(first, before, after, starts, rows)
    return order[: kept[_REACHED]], distance, starts, rows


def _twice_as_long(items: Any) -> Any:
    longer = np.empty(2 * len(items), items.dtype)
    longer[: len(items)] = items
    return longer


@entry
def _relax(offsets, targets, weights, vertices, before, after, queue, waits, times, by, since, kept):
    """Whether all is done, or a cycle is negative, or lists need more room, which the next call goes on with.

    `vertices` has what is known of each: its distance, those reached in their order, whether it is, and the first and
    last item of its list of vertices before it. Item `i` of a list is ``before[i]``, and the next of it is item
    ``after[i]``. Items that are in no list are in the list of those that are free.

    The `queue` is a ring, and `waits` says which vertices are in it; `times` counts how often each came into it. `by`
    has the vertex that last made each nearer, and `since` the edge that made it and all behind it on its path nearer.
    """
    distance, order, reached, first, last = vertices
    n = distance.size
    head, length, count, free, used = kept[_HEAD], kept[_LENGTH], kept[_REACHED], kept[_FREE], kept[_USED]
    while length > 0:
        u = queue[head]
        if used + offsets[u + 1] - offsets[u] > before.size:
            kept[_HEAD], kept[_LENGTH], kept[_REACHED], kept[_FREE], kept[_USED] = head, length, count, free, used
            return _NO_ROOM
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
                    return _CYCLE
                if by[v] == u:
                    since[v, 0], since[v, 1] = since[u, 0], since[u, 1]
                else:
                    since[v, 0], since[v, 1] = u, v
                if not waits[v]:
                    queue[(head + length) % n] = v
                    length, waits[v] = length + 1, True
                    times[v] += 1
                    if times[v] == n:
                        return _CYCLE
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
                item, used = used, used + 1
            if first[v] == _NONE:
                first[v] = item
            else:
                after[last[v]] = item
            before[item], after[item], last[v] = u, _NONE, item
    kept[_REACHED] = count
    return _DONE


@entry
def _count(first, after, starts):
    """Make `starts`, which are 0, say where the list of each vertex begins if they come one after the other."""
    for v in range(first.size):
        count, item = np.int64(0), first[v]
        while item != _NONE:
            count, item = count + 1, after[item]
        starts[v + 1] = starts[v] + count


@entry
def _flatten(first, before, after, starts, rows):
    for v in range(first.size):
        place, item = starts[v], first[v]
        while item != _NONE:
            rows[place] = before[item]
            place, item = place + 1, after[item]
