"""Bellman and Ford's algorithm with a queue, with the same steps as in NetworkX.

A node from the queue is skipped if one of its predecessors is also in the queue. A cycle of negative weight is found if
a vertex was added to the queue as often as there are vertices. The heuristic often finds such a cycle earlier: an edge
improves the distance of a vertex, and this vertex is an end of the edge that `since` has for the edge's start. If
rounding makes the weight of a cycle negative, only the heuristic may find the cycle.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.jit.kernel import entry

_NONE = -1
_DONE, _CYCLE, _NO_ROOM = 0, 1, 2
_HEAD, _LENGTH, _REACHED, _FREE, _USED, _WORDS = 0, 1, 2, 3, 4, 5  # state that is kept while lists get more space


def relax(graph: Any, weights: Any, source: int, heuristic: bool) -> tuple[Any, Any, Any, Any] | None:
    """Distances from `source` and their predecessors; None if a negative cycle was found.

    Parameters
    ----------
    graph : ConvertedGraph
    weights : array
        One finite weight for each of `graph.targets`.
    source : int
    heuristic : bool
        Whether to look for negative cycles early, as described above.

    Returns
    -------
    order : int32 array
        The reached vertices in the order in which they were first reached, beginning with `source`.
    distance : array [n]
        Distances in the dtype of the weights.
    starts : int64[n + 1]
        The start of each vertex's predecessors on shortest paths in `rows`.
    rows : int32 array
        The predecessors. If rounding hides an improvement, a vertex may occur twice among the predecessors of another.
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
            graph.offsets, graph.targets, weights, vertices, before, after, queue, waits, times, by, since, heuristic,
            kept,
        )  # fmt: skip
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
def _relax(offsets, targets, weights, vertices, before, after, queue, waits, times, by, since, heuristic, kept):
    """Return whether all is done, a cycle is negative, or lists need more space. The next call then continues.

    `vertices` has for each vertex: its distance, the reached vertices in order, whether it was reached, and the first
    and the last item of its list of predecessors. Item `i` of a list is ``before[i]``, and the next item is item
    ``after[i]``. Unused items are in the list of free items.

    The `queue` is a ring. `waits` says which vertices are in the queue, and `times` counts how often each vertex was
    added to the queue. `by` has the vertex that last improved each vertex, and `since` the edge that improved it and
    the vertices behind it on its path.
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
                if heuristic and (since[u, 0] == v or since[u, 1] == v):
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
    """Store the start of each vertex's list in `starts`, which begins as zeros, for lists that are concatenated."""
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
