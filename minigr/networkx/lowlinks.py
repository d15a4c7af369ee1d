"""The order in which NetworkX's depth-first search leaves strongly connected components: none before those it leads to.

Tarjan, Depth-First Search and Linear Graph Algorithms (SIAM Journal on Computing 1, 1972). The components alone would
be found sooner by `minigr.strongly_connected_components`, but not their order, which programs may rely on.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.jit.kernel import entry


def strong_order(graph: Any) -> tuple[Any, Any]:
    """The vertices of a `ConvertedGraph`, component by component, and where each component ends.

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
    """How many components there are.

    For each vertex there is the place in which it was entered, or 0; in `low` the first entered that it leads to, and
    that wasn't left; whether it was left; and the next of its edges. `path` and `open_` are stacks.
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
