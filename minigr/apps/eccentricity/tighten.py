"""Functors that tighten the bounds of eccentricities after searches, and choose the next sources."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.apps.multi_source_bfs import multi_source_bfs
from minigr.jit.atomics import atomic_max
from minigr.jit.functor import Functor
from minigr.operators.calls import compute
from minigr.program.control import Driver
from minigr.program.fields import array_field, parameter, vertex_field
from minigr.program.frontier import Frontier
from minigr.program.problem import Problem

MOST = 2**31 - 1


class BoundsProblem(Problem):
    lower = vertex_field(np.int32)
    upper = vertex_field(np.int32, fill=MOST)
    label = vertex_field(np.int32)  # the component
    place = vertex_field(np.int32)  # the position in the order of growing degrees
    depth = vertex_field(np.int32)  # minus `first`: hops from the root of the component; negative if there is no root
    best = vertex_field(np.int64)  # at the label of a component: the greatest rank of its vertices
    far = vertex_field(np.int32)  # at the label of a component: the greatest number of hops from its root
    first = parameter(np.int32, default=0)
    by_lower = parameter(np.int32, default=0)
    enough = parameter(np.int32, default=-1)  # vertices with upper bounds up to this one are closed


def rank(vertex, by_lower, lower, upper, place):
    """The rank of a vertex as a source: searches begin at the vertices with the greatest rank."""
    return np.int64(MOST - lower[vertex] if by_lower else upper[vertex]) << 32 | place[vertex]


class Choose(Functor):
    def apply(vertex, by_lower, lower, upper, place, label, best):
        own = rank(vertex, by_lower, lower, upper, place)
        if own > best[label[vertex]]:
            atomic_max(best, label[vertex], own)

    def cond_filter(vertex, by_lower, lower, upper, place, label, best):
        return rank(vertex, by_lower, lower, upper, place) == best[label[vertex]]


class Measure(Functor):
    def apply(vertex, depth, first, label, far):
        if depth[vertex] - first > far[label[vertex]]:
            atomic_max(far, label[vertex], depth[vertex] - first)


class Tighten(Functor):
    def apply(vertex, depth, first, label, far, lower, upper):
        hops, most = depth[vertex] - first, far[label[vertex]]
        lower[vertex] = max(lower[vertex], hops, most - hops)
        upper[vertex] = min(upper[vertex], most + hops)

    def cond_filter(vertex, lower, upper, enough):
        return lower[vertex] < upper[vertex] and upper[vertex] > enough


class SearchesProblem(Problem):
    depth = array_field(np.int32)  # by search, then by vertex
    most = array_field(np.int32)  # the greatest depth of each search
    vertices = parameter(np.int64)
    searches = parameter(np.int32)


class MeasureEach(Functor):
    def apply(vertex, depth, most, vertices, searches):
        for k in range(searches):
            if depth[k * vertices + vertex] > most[k]:
                atomic_max(most, k, depth[k * vertices + vertex])


class ManyProblem(SearchesProblem):
    lower = vertex_field(np.int32)
    upper = vertex_field(np.int32)


class TightenByMany(Functor):
    def apply(vertex, lower, upper, depth, most, vertices, searches):
        least, greatest = lower[vertex], upper[vertex]
        for k in range(searches):
            hops = depth[k * vertices + vertex]
            if hops >= 0:
                least = max(least, hops, most[k] - hops)
                greatest = min(greatest, most[k] + hops)
        lower[vertex], upper[vertex] = least, greatest


def eccentricities(graph: Any, vertices: Any, driver: Driver) -> SearchesProblem:
    """Search from at most `TOGETHER` vertices; the eccentricities of these are in `most` of the result."""
    depth = multi_source_bfs(graph, vertices, driver=driver).depth
    numbers = {"vertices": graph.num_vertices, "searches": len(depth)}
    most = graph._device.full(len(depth), 0, np.int32)
    problem = SearchesProblem(graph, depth=depth.reshape(-1), most=most, **numbers)
    compute(problem, Frontier.all_vertices(), MeasureEach)
    return problem
