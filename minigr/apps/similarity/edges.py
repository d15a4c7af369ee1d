"""Sums over the common neighbors of the ends of all edges.

Common neighbors are counted as a k-truss counts triangles. Shares of common neighbors are added up edge by edge, over
the same graph, in which the vertex with the longer row comes first.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.apps.common.orientation import oriented
from minigr.apps.common.support import support_of
from minigr.apps.similarity.measures import OF_NORMS, shares_of
from minigr.graphs.backend import scope
from minigr.graphs.graph import Graph
from minigr.jit.atomics import atomic_add
from minigr.jit.functor import Functor
from minigr.operators.calls import intersect
from minigr.program.fields import edge_field, vertex_field
from minigr.program.frontier import Frontier
from minigr.program.problem import Problem


class EdgeProblem(Problem):
    share = vertex_field(np.float64)
    shared = edge_field(np.float64)


class SumOfShares(Functor):
    def cond_intersect(src, dst):
        return src < dst

    def apply_intersect(edge, common, share, shared):
        atomic_add(shared, edge, share[common])


def sums_of_edges(graph: Any, measure: str) -> tuple[Any, Any, Any, Any]:
    """The ends of all edges, in their order, the lesser first; the sums over common neighbors; and all degrees."""
    way = oriented(graph)
    both = way.both_ways(graph)
    degree = both.out_degree()
    with scope(both._device):
        shared = _shared(way, both, measure, degree)
        return *way.all_edges_in_order(both, shared), way.as_given(degree)


def _shared(way: Any, both: Graph, measure: str, degree: Any) -> Any:
    """The sum of each edge at the first of its arcs: int32, or float64 of shares."""
    if measure == OF_NORMS:
        return both._device.full(both.num_arcs, 0, np.int32)
    share = shares_of(measure, degree)
    if share is None:
        return support_of(way, both)
    problem = EdgeProblem(both, share=share)
    intersect(problem, Frontier.all_edges(), SumOfShares)
    return problem.shared
