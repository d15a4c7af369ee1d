"""The number of triangles, in total and of each vertex, and their share of all possible triangles.

Each edge is directed from the greater number to the lesser, so that each triangle is found once: from the edge between
its two vertices with the greatest numbers, whose common out-neighbor is the third vertex (Schank, Wagner, Finding,
Counting and Listing All Triangles in Large Graphs, WEA 2005; on GPUs Green, Yalamanchili, Munguia, Fast Triangle
Counting on the GPU, IA3 2014).
Watts, Strogatz, Collective Dynamics of 'Small-World' Networks (Nature 393, 1998): the clustering coefficient.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from minigr.apps.common.checks import require, takes_parts
from minigr.apps.common.orientation import Oriented, oriented_if_it_fits
from minigr.apps.common.tables import VertexTable
from minigr.apps.triangles.in_parts import count_in_parts
from minigr.apps.triangles.programs import (
    OppositeEnactor,
    ThriceEnactor,
    TriangleEnactor,
    VertexTriangleEnactor,
)
from minigr.graphs.guard import read
from minigr.program.control import Driver
from minigr.program.trace import Trace


@dataclass(frozen=True)
class TriangleResult(VertexTable, columns=("per_vertex", "clustering")):
    """The triangles of a graph.

    Attributes
    ----------
    total : int
        Number of triangles.
    per_vertex : int64 array, one for each vertex, or None
        Number of triangles that contain each vertex; None if not requested.
    clustering : float64 array, one for each vertex, or None
        Share of the pairs of neighbors of each vertex that are neighbors of each other, from 0 to 1; 0 for vertices
        with fewer than two neighbors. None if not requested.
    transitivity : float or None
        The same share for all vertices together: the share of the pairs of edges with a common vertex that are in a
        triangle.
    iterations : int
    trace : Trace or None
    """

    total: int
    per_vertex: Any
    clustering: Any
    transitivity: float | None
    iterations: int
    trace: Trace | None


@takes_parts
def triangle_count(
    graph: Any, *, per_vertex: bool = False, clustering: bool = False, trace: bool = False, driver: Driver = "auto"
) -> TriangleResult:
    """Count the triangles, sets of three vertices in which every two are neighbors.

    Directions, parallel edges and self-loops are ignored. Counts are exact, and the same in every run. The work is at
    most O(m sqrt(m)) for m edges. Memory is 4 bytes for each edge, for a copy in which each edge has one direction. The
    copy is kept with the graph until the graph changes. In a skewed graph, the run takes one more byte for each edge.
    If there is no room for the copy, a simple undirected `Graph` is scanned as it is, which takes longer. Each part of
    a `PartitionedGraph` counts the triangles whose first edge is in the part. The copy of a part also has the rows of
    its ghosts.

    Parameters
    ----------
    graph : Graph, DynamicGraph or PartitionedGraph
    per_vertex : bool
        Whether to also count the triangles of each vertex, which takes an atomic for each triangle.
    clustering : bool
        Whether to also find the clustering coefficients, the transitivity, and the counts that both are made from.
    trace : bool
        Whether to keep a table of the steps in ``result.trace``, as an `Enactor` does. Tracing is slower.
    driver : {"auto", "fused", "graph", "host"}
        The driver of the loop, as for an `Enactor`. The driver changes only the speed.

    Raises
    ------
    ProblemError
        If `driver` is unknown, or if the graph is a `PartitionedGraph` that is directed or is to be traced.

    Examples
    --------
    >>> import minigr as mg
    >>> g = mg.Graph.from_edges([0, 1, 2, 2], [1, 2, 0, 3], device="cpu")
    >>> mg.triangle_count(g).total
    1
    >>> result = mg.triangle_count(g, clustering=True)
    >>> result.per_vertex, result.clustering.round(2), result.transitivity
    (array([1, 1, 1, 0]), array([1.  , 1.  , 0.33, 0.  ]), 0.6)
    """
    at_vertices = per_vertex or clustering
    if graph.layout == "parts":
        require(not trace, "triangle_count: trace=True is not for a graph in parts: leave it out")
        require(
            not graph.directed,
            "triangle_count over a PartitionedGraph takes undirected edges: make the graph with directed=False",
        )
        total, counts, degree = read(graph, count_in_parts, graph, at_vertices, clustering, driver)
        return _result(total, counts, degree, 1, None)
    way, found = oriented_if_it_fits(graph), 1  # how often each triangle is found
    kind: type[TriangleEnactor] = VertexTriangleEnactor if at_vertices else TriangleEnactor
    if way is None:
        way, found, kind = Oriented(graph, None), 3, OppositeEnactor if at_vertices else ThriceEnactor
    enactor = kind(way.graph, max_iterations=1, trace=trace, driver=driver)
    enactor.hubs = way.hubs
    enactor.run()
    problem = enactor.problem
    total = int(graph._device.number(problem.total)) // found
    counts = way.as_given(problem.triangles) if at_vertices else None
    degree = way.as_given(way.degree()) if clustering else None
    return _result(total, counts, degree, enactor.iterations, enactor.trace)


def _result(total: int, counts: Any, degree: Any, iterations: int, trace: Trace | None) -> TriangleResult:
    """The result, with coefficients if `degree`, the number of distinct neighbors of each vertex, is given."""
    share, transitivity = (None, None) if degree is None else _coefficients(degree, counts, total)
    return TriangleResult(total, counts, share, transitivity, iterations, trace)


def _coefficients(degree: Any, triangles: Any, total: int) -> tuple[Any, float]:
    """The clustering coefficient of each vertex, and the transitivity."""
    pairs = degree * (degree - 1) // 2
    all_pairs = int(pairs.sum())
    return triangles / np.maximum(pairs, 1), 3 * total / all_pairs if all_pairs else 0.0
