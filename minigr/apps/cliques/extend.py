"""Extension of triangles to larger cliques, by one common neighbor of all vertices so far at a time.

The numbers of the vertices of a clique fall, and an edge leads from each vertex to all vertices after it.
"""

from __future__ import annotations

import numpy as np

from minigr.jit.atomics import atomic_add
from minigr.jit.functor import Functor
from minigr.program.fields import vertex_field
from minigr.program.problem import Problem


class CliqueProblem(Problem):
    cliques = vertex_field(np.int64)  # the number of cliques whose first vertex is this vertex


def below_3(graph, a, b, c):
    """The number of vertices to which edges lead from all of these vertices."""
    found = 0
    for d in graph.neighbors(c):
        if graph.has_edge(b, d) and graph.has_edge(a, d):
            found += 1
    return found


def below_4(graph, a, b, c, d):
    found = 0
    for e in graph.neighbors(d):
        if graph.has_edge(c, e) and graph.has_edge(b, e) and graph.has_edge(a, e):
            found += 1
    return found


def below_5(graph, a, b, c, d, e):
    found = 0
    for f in graph.neighbors(e):
        if graph.has_edge(d, f) and graph.has_edge(c, f) and graph.has_edge(b, f) and graph.has_edge(a, f):
            found += 1
    return found


class OfFour(Functor):
    def apply_intersect(src, dst, common, graph, cliques):
        found = below_3(graph, src, dst, common)
        if found > 0:
            atomic_add(cliques, src, found)


class OfFive(Functor):
    def apply_intersect(src, dst, common, graph, cliques):
        found = 0
        for d in graph.neighbors(common):
            if graph.has_edge(dst, d) and graph.has_edge(src, d):
                found += below_4(graph, src, dst, common, d)
        if found > 0:
            atomic_add(cliques, src, found)


class OfSix(Functor):
    def apply_intersect(src, dst, common, graph, cliques):
        found = 0
        for d in graph.neighbors(common):
            if graph.has_edge(dst, d) and graph.has_edge(src, d):
                for e in graph.neighbors(d):
                    if graph.has_edge(common, e) and graph.has_edge(dst, e) and graph.has_edge(src, e):
                        found += below_5(graph, src, dst, common, d, e)
        if found > 0:
            atomic_add(cliques, src, found)
