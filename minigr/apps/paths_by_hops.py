"""Shortest paths by hops: levels of a breadth-first search, and how many paths lead to each vertex."""

from __future__ import annotations

import numpy as np

from minigr.apps.path_counts import Dependents, Paths, PathsProblem
from minigr.enactor.enactor import Enactor
from minigr.enactor.problem import parameter, vertex_field
from minigr.jit.atomics import atomic_max
from minigr.jit.functor import Functor
from minigr.operators.frontier import Frontier, Handle


class HopsProblem(PathsProblem):
    depth = vertex_field(np.int32, fill=-1)  # the source's is `first`, more than all of earlier searches
    first = parameter(np.int32, default=0)


class Discover(Functor):
    def cond_target(dst, depth, first):
        return depth[dst] < first

    def cond_advance(dst, iteration, depth, first):
        return atomic_max(depth, dst, first + iteration) < first


class PathsByHops(Paths):
    def map(src, dst, depth, paths):
        return paths[src] if depth[src] + 1 == depth[dst] else 0.0


class DependentsByHops(Dependents):
    def map(src, dst, depth, share):
        return share[dst] if depth[src] + 1 == depth[dst] else 0.0


class HopsEnactor(Enactor, problem=HopsProblem, functor=Discover, keeps_levels=True):
    """Each level gathers its paths from the one before it, as soon as its vertices are known."""

    dependents = DependentsByHops

    def start(self, source: int) -> Frontier:
        problem = self.problem
        if problem.first > np.iinfo(np.int32).max - self.graph.num_vertices:
            problem.depth, problem.first = -1, 0
        problem.source, problem.depth[source] = source, problem.first
        return Frontier.of(source)

    def run(self, source: int) -> None:
        super().run(source)
        self.problem.first += len(self.levels)

    def step(self, frontier: Handle) -> Handle:
        found = self.advance(frontier, direction="auto", duplicates="impossible")
        self.neighbor_reduce(frontier, PathsByHops, direction="in", initial=0.0, overlap=True)
        return found
