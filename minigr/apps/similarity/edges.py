"""Sums over the common neighbors of the ends of all edges.

Common neighbors are counted by the method that k-truss uses to count triangles. Shares of common neighbors are summed
edge by edge, over the graph with each edge both ways. In skewed graphs, this graph has vertices by falling degree, so
that the first end of an edge has the longer row.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.apps.common.orientation import Oriented, oriented
from minigr.apps.common.support import counted_support, is_listed, listed_support
from minigr.apps.similarity.measures import OF_NORMS, OF_SHARES, shares_of
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
    """The ends of all edges, sorted, the lesser end first; the sums over common neighbors; and all degrees."""
    way = oriented(graph)
    with scope(way.graph._device):
        if measure == OF_NORMS or (measure not in OF_SHARES and is_listed(way)):
            return *way.arcs_in_order(graph, _counts(way, measure)), way.as_given(way.degree())
        both = way.both_ways(graph)
        degree = both.out_degree()
        return *way.first_arcs_in_order(both, _sums(way, both, measure, degree)), way.as_given(degree)


def _counts(way: Oriented, measure: str) -> Any:
    """int32: the number of common neighbors of the ends of each oriented arc; zeros if the measure needs no counts."""
    if measure == OF_NORMS:
        return way.graph._device.full(way.graph.num_arcs, 0, np.int32)
    return listed_support(way)


def _sums(way: Oriented, both: Graph, measure: str, degree: Any) -> Any:
    """The sum of each edge at the first of its arcs: int32, or float64 of shares."""
    share = shares_of(measure, degree)
    if share is None:
        return counted_support(way, both)
    problem = EdgeProblem(both, share=share)
    intersect(problem, Frontier.all_edges(), SumOfShares)
    return problem.shared
