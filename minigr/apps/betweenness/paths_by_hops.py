"""Shortest paths by hops: levels of a breadth-first search, and the number of paths to each vertex."""

from __future__ import annotations

from typing import Any

from minigr.apps.betweenness.path_counts import Dependents, Paths, PathsProblem
from minigr.apps.common.hops import HopsEnactor, HopsProblem
from minigr.program.frontier import Frontier, Handle


class PathsByHopsProblem(PathsProblem):
    depth, first = HopsProblem.depth, HopsProblem.first


class PathsByHops(Paths):
    def map(src, dst, depth, paths):
        return paths[src] if depth[src] + 1 == depth[dst] else 0.0


class DependentsByHops(Dependents):
    def map(src, dst, depth, share):
        return share[dst] if depth[src] + 1 == depth[dst] else 0.0


class PathsByHopsEnactor(HopsEnactor, problem=PathsByHopsProblem, looks_at=("balance", "direction")):
    """A level gathers numbers of paths from the previous level while the search finds the next level."""

    dependents = DependentsByHops

    def start(self, source: int) -> Frontier:
        self.problem.source = source
        return super().start(source)

    def step(self, frontier: Handle) -> Handle:
        found = super().step(frontier)
        how: Any = {"initial": 0.0, "dtype": "float64", "balance": self.balance, "overlap": True}
        self.neighbor_reduce(frontier, PathsByHops, direction="in", **how)
        return found
