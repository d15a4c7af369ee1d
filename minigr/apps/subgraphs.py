"""Subgraphs of the vertices and edges that an algorithm or a functor selects.

They are made by `Graph.subgraph` and `Graph.edge_subgraph`, with vertices in increasing order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from minigr.apps.bfs import BFSEnactor
from minigr.apps.common.checks import check_source, require, takes_graph
from minigr.apps.common.sources import choose_sources
from minigr.apps.components import connected_components
from minigr.apps.strong_components import strongly_connected_components
from minigr.graphs.backend import scope
from minigr.graphs.checks import is_single, whole_number
from minigr.graphs.given import require_static
from minigr.graphs.graph import Graph
from minigr.jit.functor import Functor
from minigr.operators.calls import filter
from minigr.program.control import Driver
from minigr.program.executor import UNLIMITED
from minigr.program.frontier import Frontier
from minigr.program.problem import Problem


@dataclass(frozen=True)
class Subgraph:
    """A graph of some vertices of another graph.

    Attributes
    ----------
    graph : Graph
    vertices : int32 array, one element for each vertex of `graph`
        The vertex of the other graph, in increasing order.
    """

    graph: Graph
    vertices: Any


@takes_graph
def filter_graph(
    graph: Any,
    *,
    vertices: type[Functor] | None = None,
    edges: type[Functor] | None = None,
    problem: Problem | None = None,
    debug: bool = False,
) -> Subgraph:
    """The vertices and edges for which ``cond_filter`` of the functors returns true.

    The work is O(n + m). An edge stays if its ends stay. Weights, parallel edges and self-loops are kept.

    Parameters
    ----------
    graph : Graph
    vertices : type of Functor, optional
        Its ``cond_filter`` is called for each vertex, as in `minigr.operators.filter`. By default, all vertices stay.
    edges : type of Functor, optional
        Its ``cond_filter`` is called for each arc. An edge of an undirected graph stays if ``cond_filter`` returns true
        for one of its two arcs. By default, all edges stay.
    problem : Problem, optional
        Problem over this graph with the fields that the functors use.
    debug : bool
        If True, check the indices of all fields, as an `Enactor` in debug mode does.

    Raises
    ------
    GraphError
        If the graph is a `DynamicGraph`.
    ProblemError
        If the problem is over another graph.
    FunctorError
        If `minigr.operators.filter` refuses a functor.

    Examples
    --------
    >>> import minigr as mg
    >>> class Short(mg.Functor):
    ...     def cond_filter(weight):
    ...         return weight < 6
    >>> class Busy(mg.Functor):
    ...     def cond_filter(vertex, graph):
    ...         return graph.degree(vertex) > 1
    >>> roads = mg.Graph.from_edges([0, 0, 1, 1], [1, 2, 2, 3], [4.0, 9.0, 5.0, 1.0], device="cpu")
    >>> found = mg.filter_graph(roads, vertices=Busy, edges=Short)
    >>> found.vertices, found.graph.to_edges()
    (array([0, 1, 2], dtype=int32), (array([0, 1], dtype=int32), array([1, 2], dtype=int32), array([4., 5.])))
    """
    require_static(graph, "filter_graph")
    fields = Problem(graph) if problem is None else problem
    require(
        isinstance(fields, Problem) and fields.graph is graph, "filter_graph: problem= must be a Problem over graph"
    )
    with scope(graph._device):
        those, left = graph._device.xp.arange(graph.num_vertices, dtype=np.int32), graph
        if vertices is not None:
            chosen = filter(fields, Frontier.all_vertices(), vertices, debug=debug)
            those = those[chosen.mask(graph.num_vertices)]
        if edges is not None:
            left = graph.edge_subgraph(filter(fields, Frontier.all_edges(), edges, debug=debug).ids)
        return Subgraph(left if vertices is None else left.subgraph(those), those)


@takes_graph
def ego_graph(graph: Any, source: Any, radius: int = 1, *, driver: Driver = "auto") -> Subgraph:
    """The vertices within `radius` hops of `source`, and all edges between them.

    Edges are followed in their direction. The function takes the steps and the work of a search of `radius` levels and
    of `Graph.subgraph`. A `DynamicGraph` is copied.

    Parameters
    ----------
    graph : Graph or DynamicGraph
    source : int or sequence of int
        A vertex, or several vertices, whose neighborhoods are taken together.
    radius : int
        Maximum number of hops. 0 keeps `source` alone.
    driver : {"auto", "fused", "graph", "host"}
        The driver of the loop, as for an `Enactor`. The driver changes only the speed.

    Raises
    ------
    GraphError
        If the graph has no vertex `source`, or if `radius` is not an integer of at least 0.
    ProblemError
        If one of several vertices is given twice, or if `driver` is unknown.

    Examples
    --------
    >>> import minigr as mg
    >>> found = mg.ego_graph(mg.generate.path(6, device="cpu"), 3, 2)
    >>> found.vertices, found.graph.num_edges
    (array([1, 2, 3, 4, 5], dtype=int32), 4)
    """
    steps = whole_number(radius, "ego_graph: radius", 0, UNLIMITED)
    search = BFSEnactor(graph, max_iterations=steps, driver=driver)
    single = is_single(source)
    search.run(check_source(graph, source) if single else choose_sources(graph, source, None, 0, "ego_graph"))
    return _where(graph, search.problem.depth >= 0)


@takes_graph
def largest_component(graph: Any, *, strong: bool = False, driver: Driver = "auto") -> Subgraph:
    """The vertices of the largest connected component, and all edges between them.

    Among components of equal size, the component of the least vertex is taken. The function takes the steps and the
    work of `connected_components` and of `Graph.subgraph`. A `DynamicGraph` is copied.

    Parameters
    ----------
    graph : Graph or DynamicGraph
    strong : bool
        Whether to take a strongly connected component of a directed graph, rather than a weakly connected one.
    driver : {"auto", "fused", "graph", "host"}
        The driver of the loop, as for an `Enactor`. The driver changes only the speed.

    Raises
    ------
    ProblemError
        If `driver` is unknown.

    Examples
    --------
    >>> import minigr as mg
    >>> found = mg.largest_component(mg.Graph.from_edges([0, 1, 2], [4, 3, 3], device="cpu"))
    >>> found.vertices, found.graph.num_edges
    (array([1, 2, 3], dtype=int32), 2)
    """
    components = strongly_connected_components if strong else connected_components
    label = components(graph, driver=driver).label
    with scope(graph._device):
        sizes = graph._device.xp.bincount(label[label >= 0], minlength=graph.num_vertices + 1)
        return _where(graph, label == sizes.argmax())


def _where(graph: Any, mask: Any) -> Subgraph:
    with scope(graph._device):
        vertices = graph._device.xp.flatnonzero(mask).astype(np.int32)
        return Subgraph((graph if graph.layout == "csr" else graph.to_graph()).subgraph(vertices), vertices)
