"""A tree of shortest paths from distances that are known.

An edge is tight if the distance of its source plus its weight is the distance of its destination. A tight edge from a
nearer vertex can be taken at once, whichever thread comes first. Tight edges between vertices at the same distance
(weight zero, or lost to rounding) could close a cycle; so those are taken outwards from vertices that have a parent,
each vertex once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.enactor.enactor import Enactor
from minigr.jit.atomics import atomic_cas
from minigr.jit.functor import Functor
from minigr.operators.calls import advance, filter
from minigr.program.control import Driver
from minigr.program.fields import vertex_field
from minigr.program.frontier import Frontier, Handle
from minigr.program.problem import Problem


class ParentsProblem(Problem):
    distance = vertex_field(lambda graph: np.float32 if graph.weight_dtype == np.float32 else np.float64)
    parent = vertex_field(np.int32, fill=-1)  # of a source: itself, until all others have theirs


class FromNearer(Functor):
    def cond_target(dst, parent, distance):
        return parent[dst] < 0 and distance[dst] < np.inf

    def cond_advance(src, dst, weight, distance):
        # Weights are at least 0, so at the end of a tight edge "not as near" is "nearer". Nearly all neighbors are not
        # as near, and nearly no edge is tight: a CPU predicts both, but not which half of the neighbors is nearer.
        return distance[src] + weight == distance[dst] and distance[src] != distance[dst]

    def apply_advance(src, dst, parent):
        parent[dst] = src


class Adopted(Functor):
    def cond_filter(vertex, parent):
        return parent[vertex] >= 0


class FromEqual(Functor):
    def cond_target(dst, parent):
        return parent[dst] < 0

    def cond_advance(src, dst, weight, distance, parent):
        equal = distance[src] == distance[dst] and distance[src] + weight == distance[dst]
        return equal and atomic_cas(parent, dst, -1, src) == -1


class FromEqualEnactor(Enactor, problem=ParentsProblem, functor=FromEqual, looks_at=()):
    def step(self, frontier: Handle) -> Handle:
        return self.advance(frontier, duplicates="impossible")


def shortest_path_parents(graph: Any, sources: Any, distance: Any, driver: Driver = "auto") -> Any:
    """The parent of each vertex in a tree of shortest paths, or a tree for each of several sources.

    int32; -1 for `sources`, one vertex or several, and vertices out of reach.

    Takes O(vertices + edges) work.
    """
    problem = ParentsProblem(graph, distance=distance)
    if np.ndim(sources):
        sources = graph._device.asarray(sources)
    problem.parent[sources] = sources
    everyone = Frontier.all_vertices()
    # A pull ends a vertex's search at its first tight edge; in a directed graph it would first have to build in-edges.
    pushes = graph.directed or graph.layout == "parts"
    advance(problem, everyone, FromNearer, output=None, direction="push" if pushes else "pull")
    if bool(((problem.parent < 0) & (distance < np.inf)).any()):
        adopted = filter(problem, everyone, Adopted)
        FromEqualEnactor(graph, problem=problem, driver=driver).run(adopted)
    problem.parent[sources] = -1
    return problem.parent
