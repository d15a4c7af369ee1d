"""A tree of shortest paths, computed from known distances.

An edge is tight if the distance of its source plus its weight is the distance of its destination. A vertex can take the
source of any tight edge from a nearer vertex as its parent, in any order. Tight edges between vertices at the same
distance (their weight is zero, or is lost in rounding) could close a cycle. So these edges are followed by a search
from vertices that have a parent, and the search visits each vertex once.
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
    left = scalar_field(np.int64)  # the number of reached vertices without a parent, including sources


class FromNearer(Functor):
    def cond_target(dst, parent, distance):
        return parent[dst] < 0 and distance[dst] < np.inf

    def cond_advance(src, dst, weight, distance):
        # Weights are at least 0, so the source of a tight edge is nearer if its distance is different. Both tests here
        # are predictable for a CPU: nearly no edge is tight, and nearly all distances differ. The test whether a
        # neighbor is nearer is not predictable, because it holds for half of the neighbors.
        return distance[src] + weight == distance[dst] and distance[src] != distance[dst]

    def apply_advance(src, dst, parent):
        parent[dst] = src


class Left(Functor):
    def apply(vertex, parent, distance):
        return 1 if parent[vertex] < 0 and distance[vertex] < np.inf else 0


class Nearest(Functor):
    """Finds a parent for each vertex, and computes the count of `Left` in the same pass."""

    def map(src, dst, weight, distance):
        return src if distance[src] + weight == distance[dst] and distance[src] != distance[dst] else -1

    def apply_reduce(vertex, value, parent, distance):
        parent[vertex] = value
        return 1 if value < 0 and distance[vertex] < np.inf else 0


class FromNearerEnactor(Enactor, problem=ParentsProblem, functor=FromNearer, looks_at=("reduces",)):
    reduces = False  # a reduction needs in-edges, which a directed graph would have to build first

    def step(self, frontier: Handle) -> None:
        if self.reduces:
            self.neighbor_reduce(frontier, Nearest, direction="in", reduce="max", dtype=np.int32, scalar="left")
            return
        # A pull stops at the first tight edge of a vertex, but it needs in-edges, too.
        self.advance(frontier, output=None, direction="push" if self.graph.directed else "pull")
        self.compute(frontier, Left, into="left")


def shares_hubs(graph: Any) -> bool:
    """Whether a reduction would distribute a long row over several warps of a GPU. In a pull, one warp reads it."""
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
    """The parent of each vertex in a tree of shortest paths, or in one tree for each of several sources.

    An int32 array; -1 for `sources`, which are one vertex or several, and for vertices out of reach.

    Takes O(vertices + edges) work.

    Raises
    ------
    ProblemError
        If `distance` is not what a search from `sources` finds, and some vertex has no tight edge.
    """
    problem = ParentsProblem(graph, distance=distance)
    enactor = FromNearerEnactor(graph, problem=problem, max_iterations=1)
    enactor.reduces = shares_hubs(graph)
    enactor.run()  # sources get no parent, because no vertex is nearer
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
            "the distances were changed after the search, so they no longer have a tree of shortest paths: ask for "
            "`parent` before you change distances, or change a copy",
        )
    return problem.parent
