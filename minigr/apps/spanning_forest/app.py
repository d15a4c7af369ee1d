"""A minimum spanning forest by Boruvka's algorithm; `boruvka.py` has the loop and the reference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from minigr.apps.common.checks import takes_graph
from minigr.apps.common.tables import EdgeTable
from minigr.apps.common.total import total_of
from minigr.apps.spanning_forest.boruvka import NO_VERTEX, ForestEnactor, weight_dtype
from minigr.errors import GraphError
from minigr.jit.atomics import atomic_min
from minigr.jit.functor import Functor
from minigr.operators.calls import compute
from minigr.primitives.reduce_ops import identity
from minigr.program.control import Driver
from minigr.program.frontier import Frontier
from minigr.program.trace import Trace


class Gather(Functor):
    def apply(vertex, above, least):
        root = above[vertex]
        while above[root] != root:  # each thread writes only its own vertex of `above`, so threads do not race
            root = above[root]
        above[vertex] = root
        atomic_min(least, root, vertex)


@dataclass(frozen=True)
class SpanningForestResult(EdgeTable, columns=("edges", "src", "dst"), vertices=("src", "dst")):
    """The edges of a minimum spanning forest.

    Attributes
    ----------
    edges : int64 array, one for each edge of the forest
        Ids of arcs from the lesser end to the greater one, in increasing order.
    src, dst : int32 arrays, one for each edge of the forest
        The ends of each edge.
    total_weight : int or float
        The sum of the weights of the edges: exact, however large, for integers, and in float64 for floats. Without
        weights, the number of edges.
    label : int32 array, one for each vertex
        The least vertex of the tree of each vertex; -1 for deleted vertices.
    num_components : int
        Number of trees. A vertex without edges is a tree too.
    iterations : int
    trace : Trace or None
    """

    edges: Any
    src: Any
    dst: Any
    total_weight: Any
    label: Any
    num_components: int
    iterations: int
    trace: Trace | None


@takes_graph
def minimum_spanning_forest(graph: Any, *, trace: bool = False, driver: Driver = "auto") -> SpanningForestResult:
    """The edges of least total weight that connect the same vertices as all edges of an undirected graph.

    Among edges of equal weight, the edges with lesser ids are taken, so the result is the same in every run. Among
    parallel edges, the lightest is taken. Weights may be negative or infinite; no graph has NaN as a weight. Without
    weights, the result is a spanning forest. The work is O((vertices + edges) log vertices) in at most log2(vertices)
    steps (Boruvka 1926; Fallin, Gonzalez, Seo, Burtscher, SC 2023). Memory is 20 bytes for each arc, and 20 bytes and a
    weight for each vertex.

    Parameters
    ----------
    graph : Graph or DynamicGraph
        Undirected.
    trace : bool
        Whether to keep a table of the steps in ``result.trace``, as an `Enactor` does. Tracing is slower.
    driver : {"auto", "fused", "graph", "host"}
        The driver of the loop, as for an `Enactor`. The driver changes only the speed.

    Raises
    ------
    GraphError
        If the graph is directed.
    ProblemError
        If `driver` is unknown.

    Examples
    --------
    >>> import minigr as mg
    >>> g = mg.Graph.from_edges([0, 0, 1, 3], [1, 2, 2, 4], [1.0, 3.0, -2.0, 5.0], device="cpu")
    >>> result = mg.minimum_spanning_forest(g)
    >>> result.src, result.dst, result.total_weight, result.num_components
    (array([0, 1, 3], dtype=int32), array([1, 2, 4], dtype=int32), 4.0, 2)
    """
    if graph.directed:
        raise GraphError(
            "minimum_spanning_forest takes an undirected graph, and this one is directed: make it with directed=False"
        )
    heaviest = identity("min", weight_dtype(graph))
    enactor = ForestEnactor(graph, trace=trace, driver=driver, heaviest=heaviest)
    enactor.run()
    problem, rows, xp = enactor.problem, graph.out_edges, graph._device.xp
    compute(problem, Frontier.all_vertices(), Gather)
    joined = problem.above != xp.arange(graph.num_vertices)
    edges = xp.sort(problem.first[joined])
    weights = rows.weights[edges] if graph.weighted else xp.ones(len(edges), np.int32)
    total = total_of(weights)
    label = problem.least[problem.above]
    label[label == NO_VERTEX] = -1  # deleted vertices
    ends = problem.tail[edges], rows.entries[edges]
    trees = graph.num_live_vertices - len(edges)
    return SpanningForestResult(edges, *ends, total, label, trees, enactor.iterations, enactor.trace)
