"""Maximum flows with one thread on the host, by shortest augmenting paths.

Dinic, Algorithm for Solution of a Problem of Maximum Flow in a Network with Power Estimation (Soviet Mathematics
Doklady 11, 1970). The level of a vertex is its number of arcs to the sink, so that paths lead to few dead ends.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.apps.maximum_flow.network import Network
from minigr.jit.kernel import entry


def augment(network: Network, units: Any, source: int, sink: int) -> tuple[Any, Any, int]:
    """The residual capacities, whether each vertex can still reach the sink, and the number of searches."""
    rows, device = network.graph, network.graph._device
    n, host = rows.num_vertices, rows._device.host
    given = [host.asarray(array) for array in (rows.offsets, rows.indices, network.reverse)]
    residual, due = host.asarray(units).copy(), given[0][:-1].copy()
    level, queue, path = host.empty(n, np.int32), host.empty(n, np.int32), host.empty(n, np.int64)
    searches = 0 if device.is_rehearsed else _augment(*given, residual, level, due, queue, path, source, sink)
    return device.asarray(residual), device.asarray(level >= 0), searches


@entry
def _augment(offsets, indices, reverse, residual, level, due, queue, path, source, sink):
    """Augment until no path is left; return the number of searches.

    After the last search, the vertices with a level of at least 0 are the vertices that can reach the sink.
    """
    searches = 0
    while _search(offsets, indices, reverse, residual, level, queue, source, sink):
        searches += 1
        for v in range(level.size):
            due[v] = offsets[v]
        length, v = 0, source
        while True:
            if v == sink:
                length = _push(reverse, residual, path, length)
                v = indices[reverse[path[length]]]
            while due[v] < offsets[v + 1]:
                arc = due[v]
                if residual[arc] > 0 and level[indices[arc]] == level[v] - 1:
                    break
                due[v] += 1
            if due[v] < offsets[v + 1]:
                path[length], v = due[v], indices[due[v]]
                length += 1
            elif length == 0:
                break
            else:
                length -= 1
                v = indices[reverse[path[length]]]
                due[v] += 1
    return searches + 1


def _search(offsets, indices, reverse, residual, level, queue, source, sink):
    """Set levels by a search from the sink, until the source has one; return whether the source reaches the sink.

    The level of other vertices is -1.
    """
    for v in range(level.size):
        level[v] = -1
    level[sink], queue[0], begin, end = 0, sink, 0, 1
    while begin < end and level[source] < 0:
        v = queue[begin]
        begin += 1
        for arc in range(offsets[v], offsets[v + 1]):
            u = indices[arc]
            if level[u] < 0 and residual[reverse[arc]] > 0:
                level[u], queue[end] = level[v] + 1, u
                end += 1
    return level[source] >= 0


def _push(reverse, residual, path, length):
    """Augment along a path; return the place of its first arc without residual capacity."""
    least = residual[path[0]]
    for place in range(1, length):
        least = min(least, residual[path[place]])
    first = length
    for place in range(length - 1, -1, -1):
        residual[path[place]] -= least
        residual[reverse[path[place]]] += least
        if residual[path[place]] == 0:
            first = place
    return first
