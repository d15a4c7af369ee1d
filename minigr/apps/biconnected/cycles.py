"""Sets of the edges of a forest that cycles join: the basis of bridges, articulation points and components.

Tarjan, Vishkin, An Efficient Parallel Biconnectivity Algorithm (SIAM Journal on Computing 14, 1985): an edge outside
a rooted spanning forest closes a cycle with edges of the forest. The edges of a cycle are in one component, and two
edges are in one component only if a chain of such cycles joins them. The edges of a cycle are found by climbing from
both ends of the edge outside the forest, as in Wadwekar, Kothapalli, A Fast GPU Algorithm for Biconnected Components
(IC3 2017). Here a step of the climb passes over all edges that are already joined.

A vertex represents the edge to its parent, and the sets of these edges are trees of `above`. The root of a set is the
edge that is nearest to the root of the forest; among several such edges, it is the edge of the least vertex. The path
from any edge of a set up to the parent of the set's root is in the set. This stays true while other threads join sets,
because an edge is joined only with the next edge on the path up or, at the end of the climb, with an edge to the same
parent.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.apps.forest import breadth_first_forest
from minigr.errors import GraphError
from minigr.jit.atomics import atomic_add, atomic_cas
from minigr.jit.functor import Functor
from minigr.operators.calls import advance, compute
from minigr.program.control import Driver
from minigr.program.fields import scalar_field, vertex_field
from minigr.program.frontier import Frontier
from minigr.program.problem import Problem


class CyclesProblem(Problem):
    depth = vertex_field(np.int32)  # in the forest
    parent = vertex_field(np.int32)  # in the forest; -1 for roots
    above = vertex_field(np.int32)
    parallel = vertex_field(np.int32)  # the number of edges to the parent
    edge_up = vertex_field(np.int64)  # one of these edges: the id of its arc from the lesser end to the greater end
    below = vertex_field(np.int32)  # the number of components of edges to children
    alone = vertex_field(np.bool_, fill=True)  # of a root: whether it is the only edge of its set
    num_components = scalar_field(np.int64)


def root_above(above, vertex):
    """The root of the set of `vertex`; every vertex on the path gets its grandparent as parent."""
    before, current = vertex, above[vertex]
    while above[current] != current:
        # This may overwrite a newer parent, but the stored vertex is an ancestor of `before` as well. The loop goes on
        # with `current`, the vertex that was tested.
        above[before] = above[current]
        before, current = current, above[current]
    return current


def unite(above, depth, one, other):
    """Join the sets of two vertices: the root that is lower in the forest becomes a child of the other root."""
    u, v = root_above(above, one), root_above(above, other)
    while u != v:
        if depth[u] < depth[v] or (depth[u] == depth[v] and u < v):
            u, v = v, u
        found = atomic_cas(above, u, u, v)
        if found == u:
            v = u
        else:  # another thread was first
            u, v = root_above(above, found), root_above(above, v)


def lower_end(depth, u, v):
    """The end of an edge that is lower in the forest: the edge to its parent is in the component of the edge."""
    return u if depth[u] > depth[v] else v


class Join(Functor):
    def cond_advance(src, dst, edge, depth, parent, parallel, edge_up):
        if src >= dst:  # one arc per edge is enough; self-loops are in no component
            return False
        if parent[src] != dst and parent[dst] != src:
            return True
        child = lower_end(depth, src, dst)
        edge_up[child] = edge
        atomic_add(parallel, child, 1)
        return False

    def apply_advance(src, dst, depth, parent, above):
        low, high, last, last_high = src, dst, -1, -1  # the positions of both climbs, and their last edges
        while low != high:
            if depth[low] < depth[high]:
                low, high, last, last_high = high, low, last_high, last
            edge = root_above(above, low)  # on the cycle, because `low` is not above `high`
            if last >= 0:
                unite(above, depth, last, edge)
            low, last = parent[edge], edge
        if last >= 0 and last_high >= 0:
            unite(above, depth, last, last_high)


class Count(Functor):
    def apply(vertex, parent, above, below, alone):
        if parent[vertex] < 0:
            return 0
        root = above[vertex]
        while above[root] != root:  # each thread writes only its own vertex, so threads do not race
            root = above[root]
        above[vertex] = root
        if root != vertex:
            alone[root] = False
            return 0
        atomic_add(below, parent[vertex], 1)
        return 1


def cycles_of(graph: Any, algorithm: str, driver: Driver) -> CyclesProblem:
    """The sets of the edges of a spanning forest. The parent of each vertex in its set is the root of the set.

    Raises
    ------
    GraphError
        If the graph is directed.
    """
    if graph.directed:
        raise GraphError(
            f"{algorithm} takes an undirected graph, and this one is directed: make it with directed=False"
        )
    forest, ids = breadth_first_forest(graph, driver), graph._device.xp.arange(graph.num_vertices, dtype=np.int32)
    problem = CyclesProblem(graph, depth=forest.depth, parent=forest.parent, above=ids)
    advance(problem, Frontier.all_vertices(), Join, output=None)
    compute(problem, Frontier.all_vertices(), Count, into="num_components")
    return problem
