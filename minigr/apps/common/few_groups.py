"""The graph of few groups of vertices: weights are added up in a matrix of the groups, and nothing is sorted."""

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

_ARCS = 8  # for each two groups at least, so that the matrix is small beside the arcs


class BetweenProblem(Problem):
    group = vertex_field(np.int32)
    groups = parameter(np.int64)
    sums = array_field(np.int64)  # for each two groups: the weights of the arcs from one to the other
    seen = array_field(np.bool_)  # and whether there are such arcs, which may weigh nothing


class Between(Functor):
    """What is within a group counts twice: an edge has two arcs, and a self-loop one."""

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
    """`graph.contract(labels)` for labels below `count`, of an undirected graph without weights or with whole ones."""
    device = graph._device
    if device.is_rehearsed:  # without labels: either way may be taken
        added_up(graph, labels, 1)
        return graph.contract(labels)
    few = _few(graph, labels, count)
    if few is None:
        return graph.contract(labels)
    xp, names = device.xp, device.xp.flatnonzero(few)
    groups = len(names)
    problem = added_up(graph, few.cumsum(dtype=np.int32)[labels] - 1, groups)
    sums, cells = problem.sums, xp.flatnonzero(problem.seen)
    sums[:: groups + 1] //= 2
    offsets = xp.searchsorted(names[cells // groups], xp.arange(count + 1))
    return Graph(Adjacency(offsets, names[cells % groups].astype(np.int32), sums[cells]), False, device)


def added_up(graph: Graph, group: Any, groups: int) -> BetweenProblem:
    """The problem whose `sums` and `seen` hold the matrix. `group` is the group of each vertex."""
    xp = graph._device.xp
    arrays = {"sums": xp.zeros(groups * groups, np.int64), "seen": xp.zeros(groups * groups, np.bool_)}
    problem = BetweenProblem(graph, group=group, groups=groups, **arrays)
    reduce_by_key(problem, Frontier.all_vertices(), WeightedBetween if graph.weighted else Between, dtype=np.int64)
    return problem


def _few(graph: Graph, labels: Any, count: int) -> Any:
    """bool[count]: which groups have edges; None if these are not few."""
    there = graph._device.full(count, False, np.bool_)
    there[labels[graph.offsets[1:] > graph.offsets[:-1]]] = True
    groups = int(there.sum())
    return there if 0 < _ARCS * groups * groups <= graph.num_arcs else None
