"""A tree of shortest paths from distances that are known.

An edge is tight if the distance of its source plus its weight is the distance of its destination. A tight edge from a
nearer vertex can be taken at once, whichever thread comes first. Tight edges between vertices at the same distance
(weight zero, or lost to rounding) could close a cycle; so those are taken outwards from vertices that have a parent,
each vertex once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.apps.common.checks import require
from minigr.enactor.enactor import Enactor
from minigr.jit.atomics import atomic_cas
from minigr.jit.functor import Functor
from minigr.operators.calls import compute, filter
from minigr.program.control import Driver
from minigr.program.fields import scalar_field, vertex_field
from minigr.program.frontier import Frontier, Handle
from minigr.program.node import SLICE
from minigr.program.problem import Problem


class ParentsProblem(Problem):
    distance = vertex_field(lambda graph: np.float32 if graph.weight_dtype == np.float32 else np.float64)
    parent = vertex_field(np.int32, fill=-1)
    left = scalar_field(np.int64)  # vertices that paths lead to, but without a parent; sources are among them


class FromNearer(Functor):
    def cond_target(dst, parent, distance):
        return parent[dst] < 0 and distance[dst] < np.inf

    def cond_advance(src, dst, weight, distance):
        # Weights are at least 0, so at the end of a tight edge "not as near" is "nearer". Nearly all neighbors are not
        # as near, and nearly no edge is tight: a CPU predicts both, but not which half of the neighbors is nearer.
        return distance[src] + weight == distance[dst] and distance[src] != distance[dst]

    def apply_advance(src, dst, parent):
        parent[dst] = src


class Left(Functor):
    def apply(vertex, parent, distance):
        return 1 if parent[vertex] < 0 and distance[vertex] < np.inf else 0


class Nearest(Functor):
    """A parent for each vertex at once, and the count of `Left`."""

    def map(src, dst, weight, distance):
        return src if distance[src] + weight == distance[dst] and distance[src] != distance[dst] else -1

    def apply_reduce(vertex, value, parent, distance):
        parent[vertex] = value
        return 1 if value < 0 and distance[vertex] < np.inf else 0


class FromNearerEnactor(Enactor, problem=ParentsProblem, functor=FromNearer, looks_at=("reduces",)):
    reduces = False  # over in-edges, which a directed graph would first have to build

    def step(self, frontier: Handle) -> None:
        if self.reduces:
            self.neighbor_reduce(frontier, Nearest, direction="in", reduce="max", dtype=np.int32, scalar="left")
            return
        # A pull ends a vertex's search at its first tight edge, but needs in-edges, too.
        self.advance(frontier, output=None, direction="push" if self.graph.directed else "pull")
        self.compute(frontier, Left, into="left")


def shares_hubs(graph: Any) -> bool:
    """Whether reductions share rows among warps of a GPU. In a pull a warp goes through the row of a hub alone."""
    return "cuda" in graph.device and not graph.directed and graph.longest_row() > SLICE


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

    Raises
    ------
    ProblemError
        If `distance` is not what a search from `sources` finds, and some vertex has no tight edge.
    """
    problem = ParentsProblem(graph, distance=distance)
    enactor = FromNearerEnactor(graph, problem=problem, max_iterations=1)
    enactor.reduces = shares_hubs(graph)
    enactor.run()  # nothing is nearer than a source
    count, device = np.size(sources), graph._device
    if device.number(problem.left, expected=count) != count:
        if np.ndim(sources):
            sources = device.asarray(sources)
        problem.parent[sources] = sources  # so that no source takes a parent at the same distance
        adopted = filter(problem, Frontier.all_vertices(), Adopted)
        FromEqualEnactor(graph, problem=problem, driver=driver).run(adopted)
        problem.parent[sources] = -1
        compute(problem, Frontier.all_vertices(), Left, into="left")
        require(
            device.number(problem.left, expected=count) == count,
            "the distances were written to after the search, so they no longer have a tree of shortest paths: ask for "
            "`parent` before that, or write to a copy",
        )
    return problem.parent
