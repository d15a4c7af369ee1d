"""Shortest paths by weight: levels of vertices in topological order, and the number of paths to each vertex.

An edge is tight if the distance of its source plus its weight is the distance of its destination. Tight edges are the
edges on shortest paths. They form no cycle, because weights are above 0. A vertex is visited after the last tight edge
to it was followed, as in Kahn, Topological Sorting of Large Networks (CACM 1962).
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from minigr.apps.betweenness.path_counts import Dependents, Paths, PathsProblem
from minigr.apps.sssp import SSSPEnactor, default_delta
from minigr.enactor.enactor import Enactor
from minigr.errors import GraphError
from minigr.jit.atomics import atomic_add
from minigr.jit.functor import Functor
from minigr.operators.calls import neighbor_reduce
from minigr.operators.options import Balance
from minigr.program.fields import vertex_field
from minigr.program.frontier import Frontier, Handle


class PathsByWeightProblem(PathsProblem):
    distance = vertex_field(np.float64, fill=np.inf)
    waits = vertex_field(np.int32)  # the number of tight edges for which the vertex waits


class Tight(Functor):
    def map(src, dst, weight, distance):
        return distance[src] + weight == distance[dst]


class Follow(Functor):
    def cond_advance(src, dst, weight, distance, waits):
        return distance[src] + weight == distance[dst] and atomic_add(waits, dst, -1) == 1


class PathsByWeight(Paths):
    def map(src, dst, weight, distance, paths):
        return paths[src] if distance[src] + weight == distance[dst] else 0.0


class DependentsByWeight(Dependents):
    def map(src, dst, weight, distance, share):
        return share[dst] if distance[src] + weight == distance[dst] else 0.0


class PathsByWeightEnactor(
    Enactor, problem=PathsByWeightProblem, functor=Follow, keeps_levels=True, looks_at=("balance",)
):
    """Computes the distances first, and then follows tight edges and counts paths."""

    dependents = DependentsByWeight
    algorithm = "betweenness_centrality"
    balance: Balance = "auto"

    def __init__(self, graph: Any, **options: Any) -> None:
        self.delta = default_delta(graph, f"{self.algorithm} by weight")
        least, _, greatest = graph.weight_summary() if graph.num_arcs else (1, 1, 1)
        if greatest > sys.float_info.max / max(graph.num_vertices - 1, 1):
            raise GraphError(
                f"{self.algorithm} by weight: float64 can't hold the length of a path of edges of the greatest weight, "
                f"{greatest}: scale the weights"
            )
        if least <= 0:
            raise GraphError(
                f"{self.algorithm} by weight needs weights above 0, because edges of weight 0 can make cycles "
                "of length 0; leave weights out, or raise the least weight"
            )
        super().__init__(graph, **options)

    def run(self, source: int) -> None:
        super().run(source)
        reached = int(self.graph._device.xp.isfinite(self.problem.distance).sum())
        if len(self.levels.vertices) < reached:
            raise GraphError(
                f"{self.algorithm} by weight: from source {source} some edges have weights so small that they are "
                "lost in rounding when they are added to distances: use weights of more similar size"
            )

    def start(self, source: int) -> Frontier:
        problem = self.problem
        problem.distance, problem.source = np.inf, source
        search = SSSPEnactor(self.graph, problem=problem, driver=self.driver)
        search.balance = self.balance
        search.run(source, self.delta)
        neighbor_reduce(problem, Frontier.all_vertices(), Tight, direction="in", reduce="add", into="waits")
        return Frontier.of(source)

    def step(self, frontier: Handle) -> Handle:
        found = self.advance(frontier, duplicates="impossible", balance=self.balance)
        how: Any = {"initial": 0.0, "dtype": "float64", "balance": self.balance, "overlap": True}
        self.neighbor_reduce(frontier, PathsByWeight, direction="in", **how)
        return found
