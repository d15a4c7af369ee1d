"""The order in which NetworkX's searches visit the vertices, from distances that minigr found.

A queue visits vertices by distance. So does a heap from which entries of equal distance are removed in the order of
insertion. Vertices of equal distance are visited in the order in which their first nearest predecessor was visited, and
then in the order of its neighbors. This order depends on itself, so one thread follows it. A dict of the result, which
one thread fills as well, takes longer.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.jit.kernel import entry, kernel
from minigr.jit.prefetch import prefetch_to_write

_OFFSETS_AHEAD, _ROW_AHEAD = 16, 8  # vertices


def visits(graph: Any, weights: Any, distance: Any, sources: Any, ranked: Any) -> tuple[Any, Any]:
    """The reached vertices in the order of their visits, and for each vertex its predecessor on a path.

    Parameters
    ----------
    graph : ConvertedGraph
    weights : array or None
        `ConvertedGraph.least_weights`; with None, edges count as 1.
    distance : array [n]
        On the host. The distance of unreached vertices is -1 without weights, and inf with weights.
    sources : int32 array
        In the order in which they are added to the queue or the heap.
    ranked : pair of arrays
        With weights: the result of `by_distance(distance)`.

    Returns
    -------
    order : int32 array
    parent : int32[n]
        -1 for `sources` and for unreached vertices.
    """
    if weights is None:
        level, count = distance, np.bincount(distance[distance >= 0])
    else:
        nearest_first, farther = ranked
        level = np.zeros(len(distance), np.int64)
        level[nearest_first[1:]] = np.cumsum(farther)
        count = np.bincount(level[nearest_first])
    order, parent = np.zeros(count.sum(), np.int32), np.full(len(distance), -1, np.int32)
    place, waiting = np.cumsum(count) - count, distance.copy()
    _visit(
        graph.offsets,
        graph.targets,
        _lengths(weights, distance),
        distance,
        waiting,
        sources,
        level,
        place,
        order,
        parent,
    )
    return order, parent


def by_distance(distance: Any) -> tuple[Any, Any]:
    """Vertices at finite distances by distance, and whether each, except the first, is farther than its predecessor."""
    reached = np.flatnonzero(distance < np.inf)
    order = reached[np.argsort(distance[reached])].astype(np.int32)
    return order, np.diff(distance[order]) > 0


def all_parents(graph: Any, weights: Any, distance: Any, order: Any) -> tuple[Any, Any]:
    """All predecessors of each vertex on shortest paths, as rows: the start of each row, and the rows.

    Rows have the order of the vertices, and each row has the order of `order`.
    """
    starts = np.zeros(len(distance) + 1, np.int64)
    arguments = graph.offsets, graph.targets, _lengths(weights, distance), distance, order
    _count_parents(*arguments, starts)
    np.cumsum(starts, out=starts)
    rows = np.empty(starts[-1], np.int32)
    _list_parents(*arguments, starts[:-1].copy(), rows)
    return starts, rows


def first_seen(graph: Any, weights: Any, distance: Any, order: Any, cutoff: float) -> Any:
    """The vertices of `order`, in the order in which an edge within `cutoff` first led to them."""
    found = np.empty_like(order)
    _see(graph.offsets, graph.targets, weights, distance, order, cutoff, np.zeros(len(distance), np.bool_), found)
    return found


def _lengths(weights: Any, distance: Any) -> Any:
    """The argument `weights` of the functions below, in which an empty array stands for None."""
    return np.empty(0, distance.dtype) if weights is None else weights


@kernel
def _is_shortest(e, v, u, weights, distance, expected):
    if weights.size == 0:  # edges count as 1
        return distance[v] + 1 == expected[u]
    return distance[v] + weights[e] == expected[u]


@entry
def _visit(offsets, targets, weights, distance, waiting, sources, level, place, order, parent):
    # `waiting` has the distances of vertices without a parent, so that one access decides on an edge.
    left = order.size - sources.size
    for i in range(sources.size):
        order[place[0]] = sources[i]
        place[0] += 1
        waiting[sources[i]] = -1
    for i in range(order.size):
        if left == 0:
            return
        prefetch_to_write(offsets, order[min(i + _OFFSETS_AHEAD, order.size - 1)])  # entries not yet filled are 0
        prefetch_to_write(targets, offsets[order[min(i + _ROW_AHEAD, order.size - 1)]])
        v = order[i]
        for e in range(offsets[v], offsets[v + 1]):
            u = targets[e]
            if _is_shortest(e, v, u, weights, distance, waiting):
                left -= 1
                waiting[u] = -1
                parent[u] = v
                order[place[level[u]]] = u
                place[level[u]] += 1


@entry
def _count_parents(offsets, targets, weights, distance, order, counts):
    for i in range(order.size):
        v = order[i]
        for e in range(offsets[v], offsets[v + 1]):
            if _is_shortest(e, v, targets[e], weights, distance, distance):
                counts[targets[e] + 1] += 1


@entry
def _list_parents(offsets, targets, weights, distance, order, cursor, rows):
    for i in range(order.size):
        v = order[i]
        for e in range(offsets[v], offsets[v + 1]):
            u = targets[e]
            if _is_shortest(e, v, u, weights, distance, distance):
                rows[cursor[u]] = v
                cursor[u] += 1


@entry
def _see(offsets, targets, weights, distance, order, cutoff, seen, found):
    found[0], count = order[0], 1
    seen[order[0]] = True
    for i in range(order.size):
        v = order[i]
        for e in range(offsets[v], offsets[v + 1]):
            u = targets[e]
            if not seen[u] and distance[v] + weights[e] <= cutoff:
                seen[u] = True
                found[count] = u
                count += 1
