"""The contracted graph of a few groups of vertices: a matrix of groups sums the weights, so no sort is needed."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.graphs.adjacency import Adjacency
from minigr.graphs.graph import Graph
from minigr.jit.atomics import atomic_add
from minigr.jit.functor import Functor
from minigr.operators.calls import reduce_by_key
from minigr.program.fields import array_field, parameter, vertex_field
from minigr.program.frontier import Frontier
from minigr.program.problem import Problem

_ARCS = 8  # the least number of arcs per element of the matrix, so that the matrix is small compared with the arcs


class BetweenProblem(Problem):
    group = vertex_field(np.int32)
    groups = parameter(np.int64)
    sums = array_field(np.int64)  # for each pair of groups: the sum of the weights of the arcs from one to the other
    seen = array_field(np.bool_)  # for each pair of groups: whether there are such arcs, whose weights may sum to 0


class Between(Functor):
    """Sums weights between groups. An edge within a group counts twice: it has two arcs, and a self-loop's arc is 2."""

    def key(src, dst, group):
        return group[dst]

    def map(src, dst):
        return np.int64(2 if src == dst else 1)

    def apply_group(vertex, key, value, group, groups, sums, seen):
        atomic_add(sums, group[vertex] * groups + key, value)
        seen[group[vertex] * groups + key] = True


class WeightedBetween(Between):
    def map(src, dst, weight):
        return np.int64(weight) * (2 if src == dst else 1)


def contracted(graph: Graph, labels: Any, count: int) -> Graph:
    """`graph.contract(labels)` for labels below `count`; the graph is undirected and has integer weights or none."""
    device = graph._device
    if device.is_rehearsed:  # labels are not known in an estimate, so it must cover both methods
        added_up(graph, labels, 1)
        return graph.contract(labels)
    if not 0 < _ARCS * count * count <= graph.num_arcs:
        return graph.contract(labels)
    xp, problem = device.xp, added_up(graph, labels, count)
    sums, cells = problem.sums, xp.flatnonzero(problem.seen)
    sums[:: count + 1] //= 2
    offsets = xp.searchsorted(cells // count, xp.arange(count + 1))
    return Graph(Adjacency(offsets, (cells % count).astype(np.int32), sums[cells]), False, device)


def added_up(graph: Graph, group: Any, groups: int) -> BetweenProblem:
    """A problem whose `sums` and `seen` hold the matrix. `group` is the group of each vertex."""
    xp = graph._device.xp
    arrays = {"sums": xp.zeros(groups * groups, np.int64), "seen": xp.zeros(groups * groups, np.bool_)}
    problem = BetweenProblem(graph, group=group, groups=groups, **arrays)
    reduce_by_key(problem, Frontier.all_vertices(), WeightedBetween if graph.weighted else Between, dtype=np.int64)
    return problem
