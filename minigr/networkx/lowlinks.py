"""The order in which NetworkX's depth-first search leaves strongly connected components: none before those it leads to.

Tarjan, Depth-First Search and Linear Graph Algorithms (SIAM Journal on Computing 1, 1972). The components alone would
be found sooner by `minigr.strongly_connected_components`, but not their order, which programs may rely on.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.jit.kernel import routine


def strong_order(graph: Any) -> tuple[Any, Any]:
    """The vertices of a `ConvertedGraph`, component by component, and where each component ends.

    Returns
    -------
    vertices : int32[n]
    ends : int64 array, one for each component
    """
    vertices, ends = np.empty(len(graph), np.int32), np.empty(len(graph), np.int64)
    return vertices, ends[: _leave(graph.offsets, graph.targets, vertices, ends)]


@routine
def _leave(offsets, targets, left, ends):
    n = offsets.size - 1
    entered, count = np.zeros(n, np.int64), 0  # in which place; 0: not yet
    low = np.zeros(n, np.int64)  # the first entered that it leads to, and that wasn't left
    due = offsets[:-1].copy()  # the next of its edges
    path, open_ = np.empty(n, np.int32), np.empty(n, np.int32)  # both stacks
    gone = np.zeros(n, np.bool_)
    length = waiting = done = components = 0
    for start in range(n):
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
            if due[v] < offsets[v + 1]:  # and looked at again when that neighbor is done
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
