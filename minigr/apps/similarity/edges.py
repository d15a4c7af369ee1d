"""Sums over the common neighbors of the ends of all edges.

A GPU counts common neighbors by the method that k-truss uses to count triangles. A CPU counts them edge by edge, over
the graph with each edge both ways. Shares of common neighbors are summed in the same way on both devices. In skewed
graphs, this graph has vertices by falling degree, so that the first end of an edge has the longer row.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.apps.common.orientation import Oriented, oriented
from minigr.apps.common.support import is_listed, listed_support
from minigr.apps.similarity.measures import OF_NORMS, OF_SHARES, shares_of
from minigr.graphs.backend import scope
from minigr.graphs.graph import Graph
from minigr.jit.atomics import atomic_add
from minigr.jit.functor import Functor
from minigr.operators.calls import intersect
from minigr.program.fields import array_field, vertex_field
from minigr.program.frontier import Frontier
from minigr.program.problem import Problem


class CountProblem(Problem):
    """The arrays have an element for each edge, in the order of the first arcs of the edges."""

    skipped = vertex_field(np.int64)  # the number of arcs up to the end of the vertex's row that are no first arcs
    given = vertex_field(np.int32)  # the vertex in the original graph
    tails = array_field(np.int32)
    heads = array_field(np.int32)
    shared = array_field(np.int32)


class ShareProblem(CountProblem):
    share = vertex_field(np.float64)
    shared = array_field(np.float64)


def store_ends(place, a, b, tails, heads):
    """Store the ends of an edge, the lesser end first; called by functors."""
    tails[place], heads[place] = min(a, b), max(a, b)


class Count(Functor):
    """Stores the ends of each edge, and the number of their common neighbors."""

    def cond_intersect(src, dst):
        return src < dst  # by falling degree, `src` has the longer row, which is marked

    def apply_count(edge, src, dst, count, skipped, given, tails, heads, shared):
        place = edge - skipped[src]
        store_ends(place, given[src], given[dst], tails, heads)
        shared[place] = count


class SumOfShares(Functor):
    """Stores the ends of each edge, and sums the shares of their common neighbors."""

    def cond_intersect(src, dst):
        return src < dst

    def apply_intersect(edge, src, common, skipped, share, shared):
        atomic_add(shared, edge - skipped[src], share[common])

    def apply_count(edge, src, dst, skipped, given, tails, heads):
        place = edge - skipped[src]
        store_ends(place, given[src], given[dst], tails, heads)


def sums_of_edges(graph: Any, measure: str) -> tuple[Any, Any, Any, Any]:
    """The ends of all edges, sorted, the lesser end first; the sums over common neighbors; and all degrees."""
    way = oriented(graph)
    with scope(way.graph._device):
        if measure == OF_NORMS or (measure not in OF_SHARES and is_listed(way)):
            return *way.arcs_in_order(graph, _counts(way, measure)), way.as_given(way.degree())
        both = way.both_ways(graph)
        degree = both.out_degree()
        return *way.first_arcs_in_order(graph, *summed(way, both, shares_of(measure, degree))), way.as_given(degree)


def _counts(way: Oriented, measure: str) -> Any:
    """int32: the number of common neighbors of the ends of each oriented arc; zeros if the measure needs no counts."""
    if measure == OF_NORMS:
        return way.graph._device.full(way.graph.num_arcs, 0, np.int32)
    return listed_support(way)


def summed(way: Oriented, both: Graph, share: Any) -> tuple[Any, Any, Any]:
    """The ends of each edge in the original graph, and the sum over the common neighbors of the ends.

    Parameters
    ----------
    way : Oriented
    both : Graph
        The same graph with each edge both ways. Edges are in the order of their first arcs.
    share : float64[n] or None
        The term of each vertex as a common neighbor; None if common neighbors are counted.
    """
    device, count = both._device, way.graph.num_arcs
    arrays = {name: device.xp.empty(count, np.int32) for name in ("tails", "heads")}
    arrays["skipped"] = way.graph.offsets[1:]  # the oriented graph has each edge at the edge's greater end
    arrays["given"] = way.given(device.xp.arange(both.num_vertices, dtype=np.int32))
    problem: CountProblem
    if share is None:
        problem = CountProblem(both, shared=device.xp.empty(count, np.int32), **arrays)
        intersect(problem, Frontier.all_edges(), Count, hubs=way.hubs)
    else:
        problem = ShareProblem(both, share=share, shared=device.full(count, 0, np.float64), **arrays)
        intersect(problem, Frontier.all_edges(), SumOfShares)
    return problem.tails, problem.heads, problem.shared
