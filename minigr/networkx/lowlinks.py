"""The order in which NetworkX's depth-first searches leave strongly connected and biconnected components.

Tarjan, Depth-First Search and Linear Graph Algorithms (SIAM Journal on Computing 1, 1972); Hopcroft, Tarjan, Efficient
Algorithms for Graph Manipulation (Communications of the ACM 16, 1973). `minigr.strongly_connected_components` and
`minigr.biconnected_components` would find the components sooner, but not in this order. Programs may rely on the order:
no strongly connected component comes before the components that it leads to.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.jit.kernel import entry


def strong_order(graph: Any) -> tuple[Any, Any]:
    """The vertices of a `ConvertedGraph`, component by component, and the end of each component.

    Returns
    -------
    vertices : int32[n]
    ends : int64 array, one for each component
    """
    n = len(graph)
    vertices, ends = np.empty(n, np.int32), np.empty(n, np.int64)
    entered, low, gone = np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(n, np.bool_)
    due, path, open_ = graph.offsets[:-1].copy(), np.empty(n, np.int32), np.empty(n, np.int32)
    count = _leave(graph.offsets, graph.targets, entered, low, gone, due, path, open_, vertices, ends)
    return vertices, ends[:count]


@entry
def _leave(offsets, targets, entered, low, gone, due, path, open_, left, ends):
    """Find the components; return their number.

    For each vertex, `entered` has the number of its entry, or 0; `low` has the first entry that it leads to among those
    that were not left; `gone` says whether it was left; and `due` has its next edge. `path` and `open_` are stacks.
    """
    count = length = waiting = done = components = 0
    for start in range(entered.size):
        if entered[start]:
            continue
        path[0], length = start, 1
        while length:
            v = path[length - 1]
            if not entered[v]:
                count += 1
                entered[v] = low[v] = count
                open_[waiting] = v
                waiting += 1
            while due[v] < offsets[v + 1]:
                u = targets[due[v]]
                if not entered[u]:
                    break
                if not gone[u]:
                    low[v] = min(low[v], low[u])
                due[v] += 1
            if due[v] < offsets[v + 1]:  # the edge is looked at again after its neighbor is done
                path[length] = targets[due[v]]
                length += 1
                continue
            length -= 1
            if low[v] < entered[v]:
                continue
            while True:
                waiting -= 1
                u = open_[waiting]
                gone[u], left[done] = True, u
                done += 1
                if u == v:
                    break
            ends[components] = done
            components += 1
    return components


def biconnected_order(graph: Any) -> tuple[Any, Any, Any, Any]:
    """The edges of an undirected `ConvertedGraph`, component by component, and its articulation points.

    A self-loop belongs to a component of its vertex, unless the search began at this vertex.

    Returns
    -------
    src, dst : int32 arrays, one for each edge in a component
        In the direction in which the search found the edge.
    ends : int64 array, one for each component
        The end of the component.
    points : int32 array, one for each articulation point
    """
    n, most = len(graph), len(graph.rows.ends(parallel=False)[0])
    src, dst, open_src, open_dst = (np.empty(most, np.int32) for _ in range(4))
    ends, points, is_point = np.empty(n, np.int64), np.empty(n, np.int32), np.zeros(n, np.bool_)
    entered, low, first = (np.zeros(n, np.int64) for _ in range(3))
    due, path, counts = graph.offsets[:-1].copy(), np.empty(n, np.int32), np.zeros(3, np.int64)
    stacks = due, path, open_src, open_dst
    _leave_blocks(graph.offsets, graph.targets, entered, low, first, *stacks, src, dst, ends, points, is_point, counts)
    done, components, found = counts.tolist()
    return src[:done], dst[:done], ends[:components], points[:found]


@entry
def _leave_blocks(
    offsets, targets, entered, low, first, due, path, open_src, open_dst, src, dst, ends, points, is_point, counts
):
    """Find the components, and store the numbers of edges, components and articulation points in `counts`.

    For each vertex, `entered` has the number of its entry, or 0; `low` has the first entry that it leads to by one back
    edge; `first` has the position of its tree edge among the open edges; and `due` has its next edge.
    """
    count = waiting = done = components = found = 0
    for start in range(entered.size):
        if entered[start]:
            continue
        count += 1
        entered[start] = low[start] = count
        path[0], length, children = start, 1, 0
        while length:
            v = path[length - 1]
            before = path[max(length - 2, 0)]
            if due[v] < offsets[v + 1]:
                u = targets[due[v]]
                due[v] += 1
                if u == before or entered[u] > entered[v]:
                    continue
                open_src[waiting], open_dst[waiting] = v, u
                if entered[u]:
                    low[v] = min(low[v], entered[u])
                else:
                    count += 1
                    entered[u] = low[u] = count
                    first[u], path[length] = waiting, u
                    length += 1
                waiting += 1
                continue
            length -= 1
            if length == 0:
                break
            low[before] = min(low[before], low[v])
            if low[v] < entered[before]:
                continue
            for place in range(first[v], waiting):
                src[done], dst[done] = open_src[place], open_dst[place]
                done += 1
            waiting, ends[components] = first[v], done
            components += 1
            children += length == 1
            if length > 1 and not is_point[before]:
                is_point[before], points[found] = True, before
                found += 1
        if children > 1:
            points[found] = start
            found += 1
    counts[0], counts[1], counts[2] = done, components, found
