"""Measures of given communities: modularity, coverage and performance.

Newman, Girvan, Finding and Evaluating Community Structure in Networks (Physical Review E 69, 2004); for directed
graphs, Leicht, Newman, Community Structure in Directed Networks (Physical Review Letters 100, 2008); coverage and
performance as in Fortunato, Community Detection in Graphs (Physics Reports 486, 2010).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from minigr.apps.common.checks import takes_graph
from minigr.apps.common.levels import check_resolution
from minigr.apps.common.partition import (
    Inside,
    PartitionProblem,
    modularity_of,
    set_strengths,
    set_totals,
    weight_inside,
    whole_graph,
)
from minigr.errors import GraphError
from minigr.graphs.backend import scope
from minigr.graphs.checks import as_ids, as_vector
from minigr.graphs.graph import Graph
from minigr.jit.atomics import atomic_add
from minigr.jit.functor import Functor
from minigr.operators.calls import advance
from minigr.program.fields import vertex_field
from minigr.program.frontier import Frontier


class DirectedProblem(PartitionProblem):
    inward = vertex_field(np.int64)  # of each community: the sum of the weights of the in-edges of its vertices


class Arrive(Functor):
    def cond_advance(dst, community, inward):
        atomic_add(inward, community[dst], 1)
        return False


class WeightedArrive(Functor):
    def cond_advance(dst, weight, community, inward):
        atomic_add(inward, community[dst], np.int64(weight))
        return False


class Products(Functor):
    def apply(vertex, total, inward, share):
        return np.int64(total[vertex] * share * inward[vertex])


class PartitionQuality(NamedTuple):
    """The share of edges within communities, and the share of vertex pairs that agree with the communities.

    Attributes
    ----------
    coverage : float
        The share of all edges that are within communities. NaN if the graph has no edges.
    performance : float
        The share of all vertex pairs that share an edge and a community, or neither. NaN if the graph has parallel
        edges or fewer than two vertices.
    """

    coverage: float
    performance: float


@takes_graph
def modularity(graph: Any, communities: Any, resolution: float = 1.0) -> float:
    """The modularity of communities: the weight within communities, less the weight expected if edges ended at random.

    Let L be the weight of the edges within a community, k the strength of its vertices, and m the weight of all edges.
    The modularity is the sum of ``L / m - resolution * (k / (2 * m))**2`` over all communities. For a directed graph,
    it is the sum of ``L / m - resolution * k_out * k_in / m**2``. A self-loop of an undirected graph counts twice in k,
    as in NetworkX.

    Weights that are not whole numbers, or whose sum exceeds 2**47, are rounded to about a part in 2**47 of the sum. All
    sums are sums of whole numbers, so the result is the same on every device. The function takes O(vertices + edges)
    work. Memory is 32 bytes for each vertex, and 8 bytes for each arc whose weight is rounded. A dynamic graph is
    copied first.

    Parameters
    ----------
    graph : Graph or DynamicGraph
    communities : integer array [n]
        The community of each of the n vertices, from 0 to n - 1. Values for deleted vertices are ignored.
    resolution : float
        Factor of the term that is subtracted, at least 0.

    Returns
    -------
    float
        The modularity; NaN for a graph whose weights sum to 0.

    Raises
    ------
    GraphError
        If `communities` has the wrong length or values out of range, or if an edge weight is negative or infinite.
    ProblemError
        If `resolution` is negative or not finite.

    Examples
    --------
    >>> import minigr as mg
    >>> g = mg.Graph.from_edges([0, 1, 2, 3, 4, 5, 2], [1, 2, 0, 4, 5, 3, 3], device="cpu")
    >>> round(mg.modularity(g, [0, 0, 0, 1, 1, 1]), 4)
    0.3571
    """
    check_resolution(resolution, "modularity")
    rows, labels = _rows_and_labels(graph, communities)
    rows = whole_graph(rows, "modularity")
    with scope(rows._device):
        problem = DirectedProblem(rows, community=labels, loops=1 if rows.directed else 2)
        weight = set_strengths(problem)
        set_totals(problem)
        if not rows.directed:
            return modularity_of(problem, weight, resolution)
        arrive = WeightedArrive if rows.weighted else Arrive
        advance(problem, Frontier.all_vertices(), arrive, output=None)
        return modularity_of(problem, weight, resolution, Products)


@takes_graph
def partition_quality(graph: Any, communities: Any) -> PartitionQuality:
    """The coverage and the performance of communities, as in NetworkX's function of this name; weights are ignored.

    The function takes O(vertices + edges) work. Memory is 24 bytes for each vertex. A dynamic graph is copied first.

    Parameters
    ----------
    graph : Graph or DynamicGraph
    communities : integer array [n]
        As for `modularity`.

    Raises
    ------
    GraphError
        If `communities` has the wrong length or values out of range.

    Examples
    --------
    >>> import minigr as mg
    >>> g = mg.Graph.from_edges([0, 1, 2, 3, 4, 5, 2], [1, 2, 0, 4, 5, 3, 3], device="cpu")
    >>> mg.partition_quality(g, [0, 0, 0, 1, 1, 1])
    PartitionQuality(coverage=0.8571428571428571, performance=0.9333333333333333)
    """
    rows, labels = _rows_and_labels(graph, communities)
    with scope(rows._device):
        sides, n = 1 if rows.directed else 2, graph.num_live_vertices
        problem = PartitionProblem(rows, community=labels, loops=sides)
        problem.strength[Frontier.all_vertices().vertices_on(graph)] = 1
        set_totals(problem)
        within, edges = weight_inside(problem, Inside) // sides, rows.num_edges
        pairs = (n * n - int((problem.total * problem.total).sum())) // sides  # pairs in different communities
    right = within + pairs - (edges - within)
    sees_pairs = n > 1 and not rows.has_parallel_edges
    return PartitionQuality(
        within / edges if edges else math.nan, right / (n * (n - 1) // sides) if sees_pairs else math.nan
    )


def _rows_and_labels(graph: Any, communities: Any) -> tuple[Graph, Any]:
    """The graph as a `Graph`, and the community of each vertex; 0 for deleted vertices."""
    device, n = graph._device, graph.num_vertices
    with scope(device):
        labels = as_vector(device, communities, "communities")
        if labels.shape != (n,):
            raise GraphError(f"communities has shape {labels.shape}, but there are {n} vertices: give one for each")
        if graph.num_live_vertices < n:
            live, communities = graph.live_vertices(), device.full(n, 0, labels.dtype)
            communities[live] = labels[live]
        return graph if graph.layout == "csr" else graph.to_graph(), as_ids(device, communities, "communities", n)
