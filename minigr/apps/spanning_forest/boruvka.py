"""Boruvka's algorithm over a list of edges that becomes shorter.

Boruvka (1926), in parallel as by Fallin, Gonzalez, Seo, Burtscher, A High-Performance MST Implementation for GPUs
(ECL-MST, SC 2023): in each step, atomic minima find the lightest edge from each tree to another tree, these edges join
the trees, and edges within a tree are dropped.

Edges are ordered by weight, and by id if weights are equal. So the order is total, each tree has one lightest edge, and
the edges of a step close no cycle; two trees may take the same edge.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.enactor.enactor import Enactor
from minigr.jit.atomics import atomic_min
from minigr.jit.functor import Functor
from minigr.operators.calls import advance
from minigr.primitives.reduce_ops import identity
from minigr.program.fields import edge_field, parameter, vertex_field
from minigr.program.frontier import Frontier, Handle
from minigr.program.problem import Problem

NO_VERTEX = 2**31 - 1
_NO_EDGE = 2**63 - 1


def weight_dtype(graph: Any) -> Any:
    """The dtype of the values by which edges are compared."""
    return graph.weight_dtype if graph.weighted else np.dtype(np.int32)


class ForestProblem(Problem):
    tail = edge_field(np.int32)  # the lesser end of each edge
    tree = vertex_field(np.int32)  # the root of the tree of a vertex at the beginning of the step
    above = vertex_field(np.int32)  # of a root: itself, or the root to whose tree its tree was joined
    least = vertex_field(np.int32, fill=NO_VERTEX)  # of a root, at the end: the least vertex of its tree
    # Of a root: the weight of the lightest edge to another tree, and the least id of an edge with this weight. If the
    # tree was joined to another tree, `first` keeps this id, which is an edge of the forest.
    lightest = vertex_field(weight_dtype, fill=lambda graph: identity("min", weight_dtype(graph)))
    first = vertex_field(np.int64, fill=_NO_EDGE)
    heaviest = parameter(weight_dtype)


class Once(Functor):
    """Selects one arc of each edge: the arc from the lesser end to the greater end."""

    def cond_advance(src, dst):
        return src < dst

    def apply_advance(src, edge, tail):
        tail[edge] = src


def lower(values, place, value):
    """Lower ``values[place]`` to `value`. The test avoids atomics, because most values are not lower."""
    if value < values[place]:
        atomic_min(values, place, value)


class Lightest(Functor):
    def apply(edge, dst, weight, tail, tree, lightest):
        lower(lightest, tree[tail[edge]], weight)
        lower(lightest, tree[dst], weight)


class LeastId(Functor):
    def apply(edge, dst, weight, tail, tree, lightest, first):
        u, v = tree[tail[edge]], tree[dst]
        if weight == lightest[u]:
            lower(first, u, edge)
        if weight == lightest[v]:
            lower(first, v, edge)


class LeastIdOfAll(Functor):
    """As `LeastId`, for graphs without weights."""

    def apply(edge, dst, tail, tree, first):
        lower(first, tree[tail[edge]], edge)
        lower(first, tree[dst], edge)


class Join(Functor):
    def apply(edge, dst, tail, tree, above, first):
        u, v = tree[tail[edge]], tree[dst]
        if first[u] == edge and (first[v] != edge or v < u):
            above[u] = v
        elif first[v] == edge:
            above[v] = u


def root_above(above, vertex):
    """The root of a vertex's tree; every vertex on the path gets its grandparent as parent."""
    before, current = vertex, above[vertex]
    while above[current] != current:
        # This may overwrite a newer parent, but the stored vertex is an ancestor of `before` as well. The loop goes on
        # with `current`, the vertex that was tested.
        above[before] = above[current]
        before, current = current, above[current]
    return current


class Between(Functor):
    """Keeps edges between two trees, and resets `lightest` and `first` of the roots for the next step."""

    def cond_filter(edge, dst, tail, tree, above):
        u, v = root_above(above, tree[tail[edge]]), root_above(above, tree[dst])
        tree[tail[edge]], tree[dst] = u, v
        return u != v

    def apply_filter(edge, dst, tail, tree, lightest, first, heaviest):
        u, v = tree[tail[edge]], tree[dst]
        lightest[u] = lightest[v] = heaviest
        first[u] = first[v] = _NO_EDGE


class ForestEnactor(Enactor, problem=ForestProblem, looks_at=()):
    def start(self) -> Any:
        problem = self.problem
        problem.tree = problem.above = problem.device.xp.arange(self.graph.num_vertices, dtype=np.int32)
        return advance(problem, Frontier.all_vertices(), Once, output="edges")

    def step(self, frontier: Handle) -> Handle:
        if self.graph.weighted:
            self.compute(frontier, Lightest)
        self.compute(frontier, LeastId if self.graph.weighted else LeastIdOfAll)
        self.compute(frontier, Join)
        return self.filter(frontier, Between)
