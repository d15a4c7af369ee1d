"""Degree centrality: the number of a vertex's edges, or the sum of their weights, over the number of other vertices.

Freeman, Centrality in Social Networks: Conceptual Clarification (Social Networks 1978). By weight it is the strength of
a vertex: Barrat, Barthélemy, Pastor-Satorras, Vespignani, The Architecture of Complex Weighted Networks (PNAS 2004).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from minigr.apps.common.checks import require_nonnegative_weights, takes_graph
from minigr.apps.common.tables import VertexTable
from minigr.jit.atomics import atomic_add
from minigr.jit.functor import Functor
from minigr.operators.calls import advance, neighbor_reduce
from minigr.program.fields import vertex_field
from minigr.program.frontier import Frontier
from minigr.program.problem import Problem


class DegreesProblem(Problem):
    degree = vertex_field(np.int64)


class StrengthsProblem(Problem):
    degree = vertex_field(np.float64)


class Ends(Functor):
    """Counts ends of edges. A self-loop of an undirected graph is once in its row, but has both ends there."""

    def map(src, dst):
        return 2 if src == dst else 1


class WeightedEnds(Functor):
    def map(src, dst, weight):
        return np.float64(weight) * (2.0 if src == dst else 1.0)


class Weights(Functor):
    def map(src, weight):
        return np.float64(weight)


class Arrive(Functor):
    def apply_advance(dst, weight, degree):
        atomic_add(degree, dst, np.float64(weight))


@dataclass(frozen=True)
class DegreesResult(VertexTable, columns=("score", "degree")):
    """Degree centrality.

    Attributes
    ----------
    score : float64 array, one for each vertex
        `degree` divided by the number of all other vertices; 1 if the graph has only one vertex. 0 for deleted
        vertices.
    degree : int64 array, one for each vertex; by weight float64
        The number of edges of the vertex, or the sum of their weights.
    """

    score: Any
    degree: Any


@takes_graph
def degree_centrality(graph: Any, *, weighted: bool = False) -> DegreesResult:
    """The number of edges that begin or end at a vertex, as a share of all other vertices.

    A self-loop counts twice, as in NetworkX, and each parallel edge counts. Scores may therefore be above 1 if edges
    repeat, go both ways or have weights. The work is O(vertices), and O(edges) more by weight, for in-edges, or if the
    graph has self-loops. Memory is 16 bytes for each vertex.

    Parameters
    ----------
    graph : Graph or DynamicGraph
    weighted : bool
        If True, add up the weights of the edges in float64. If False, count the edges.

    Raises
    ------
    GraphError
        By weight, if the graph has no weights, or a negative or infinite weight.

    Examples
    --------
    >>> import minigr as mg
    >>> g = mg.Graph.from_edges([0, 0, 1], [1, 2, 2], [5.0, 1.0, 1.0], num_vertices=4, device="cpu")
    >>> mg.degree_centrality(g).degree, mg.degree_centrality(g, weighted=True).degree
    (array([2, 2, 2, 0]), array([6., 6., 2., 0.]))
    >>> mg.degree_centrality(mg.generate.star(4, device="cpu")).score.round(2)
    array([1.  , 0.33, 0.33, 0.33])
    """
    return _shares(graph, weighted, "degree_centrality", inward=True, outward=True)


@takes_graph
def in_degree_centrality(graph: Any, *, weighted: bool = False) -> DegreesResult:
    """The number of edges that end at a vertex, as a share of all other vertices.

    For an undirected graph, whose edges go both ways, the result equals the result of `degree_centrality`. For a
    directed graph, sums of weights differ in rounding from run to run, because the weights are added in any order.

    Parameters
    ----------
    graph : Graph or DynamicGraph
    weighted : bool
        If True, add up the weights of the edges in float64. If False, count the edges.

    Raises
    ------
    GraphError
        As in `degree_centrality`, which takes the same work.

    Examples
    --------
    >>> import minigr as mg
    >>> g = mg.Graph.from_edges([0, 1, 1], [2, 2, 0], directed=True, device="cpu")
    >>> mg.in_degree_centrality(g).score
    array([0.5, 0. , 1. ])
    """
    return _shares(graph, weighted, "in_degree_centrality", inward=True, outward=False)


@takes_graph
def out_degree_centrality(graph: Any, *, weighted: bool = False) -> DegreesResult:
    """The number of edges that begin at a vertex, as a share of all other vertices.

    For an undirected graph, whose edges go both ways, the result equals the result of `degree_centrality`.

    Parameters
    ----------
    graph : Graph or DynamicGraph
    weighted : bool
        If True, add up the weights of the edges in float64. If False, count the edges.

    Raises
    ------
    GraphError
        As in `degree_centrality`, which takes the same work.

    Examples
    --------
    >>> import minigr as mg
    >>> g = mg.Graph.from_edges([0, 1, 1], [2, 2, 0], directed=True, device="cpu")
    >>> mg.out_degree_centrality(g).score
    array([0.5, 1. , 0. ])
    """
    return _shares(graph, weighted, "out_degree_centrality", inward=False, outward=True)


def _shares(graph: Any, weighted: bool, algorithm: str, *, inward: bool, outward: bool) -> DegreesResult:
    if weighted:
        require_nonnegative_weights(graph, algorithm)
    find = _strengths if weighted else _counts
    degree, others = find(graph, inward=inward, outward=outward), graph.num_live_vertices - 1
    if others > 0:
        score = degree.astype(np.float64)
        score *= 1.0 / others
    else:  # 1 for the only vertex, as in NetworkX
        score = graph._device.full(graph.num_vertices, 0.0, np.float64)
        score[Frontier.all_vertices().vertices_on(graph)] = 1.0
    return DegreesResult(score, degree)


def _counts(graph: Any, *, inward: bool, outward: bool) -> Any:
    if graph.directed:
        return (graph.out_degree() if outward else 0) + (graph.in_degree() if inward else 0)
    if graph.num_self_loops == 0:
        return graph.degree()
    return count_ends(graph)


def count_ends(graph: Any) -> Any:
    """The number of ends of edges at each vertex of an undirected graph, which may have self-loops."""
    problem = DegreesProblem(graph)
    neighbor_reduce(problem, Frontier.all_vertices(), Ends, reduce="add", into="degree")
    return problem.degree


def _strengths(graph: Any, *, inward: bool, outward: bool) -> Any:
    problem, everything = StrengthsProblem(graph), Frontier.all_vertices()
    if outward or not graph.directed:
        ends = Weights if graph.directed else WeightedEnds
        neighbor_reduce(problem, everything, ends, reduce="add", into="degree")
    if inward and graph.directed:
        advance(problem, everything, Arrive, output=None)
    return problem.degree
