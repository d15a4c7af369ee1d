"""Bridges, articulation points and biconnected components; `cycles.py` has the algorithm and the references."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from minigr.apps.biconnected.cycles import cycles_of, lower_end
from minigr.apps.common.checks import takes_graph
from minigr.apps.common.tables import EdgeTable, VertexTable
from minigr.jit.atomics import atomic_min
from minigr.jit.functor import Functor
from minigr.operators.calls import advance
from minigr.program.control import Driver
from minigr.program.fields import edge_field, vertex_field
from minigr.program.frontier import Frontier
from minigr.program.problem import Problem


class LabelProblem(Problem):
    depth = vertex_field(np.int32)
    above = vertex_field(np.int32)
    first = vertex_field(np.int64, fill=2**63 - 1)  # of a root: the first edge of its component
    label = edge_field(np.int64, fill=-1)


class First(Functor):
    def cond_advance(src, dst):
        return src < dst

    def apply_advance(src, dst, edge, depth, above, first):
        root = above[lower_end(depth, src, dst)]
        if edge < first[root]:
            atomic_min(first, root, edge)


class Label(Functor):
    def cond_advance(src, dst):
        return src != dst

    def apply_advance(src, dst, edge, depth, above, first, label):
        label[edge] = first[above[lower_end(depth, src, dst)]]


@dataclass(frozen=True)
class BiconnectedResult:
    """Biconnected components.

    Attributes
    ----------
    label : int64 array, one for each id of an arc
        The first edge of the component of the arc: the least id among the component's arcs that lead from the lesser
        end to the greater end. Both arcs of an edge have the same label. -1 for self-loops, which are in no component,
        and for ids at which a `DynamicGraph` has no arc.
    num_components : int
        The number of components. A bridge counts as a component.
    """

    label: Any
    num_components: int


@takes_graph
def biconnected_components(graph: Any, *, driver: Driver = "auto") -> BiconnectedResult:
    """The biconnected component of each edge; two edges are in one component if a simple cycle contains both.

    A simple cycle visits no vertex twice. Parallel edges form a simple cycle. An edge in no cycle is a component of its
    own. The result is the same in every run. The algorithm runs a search by hops, with as many steps as there are
    levels, and takes nearly O(vertices + edges) work. Memory is 8 bytes for each arc and 41 for each vertex.

    Parameters
    ----------
    graph : Graph or DynamicGraph
        Undirected.
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
    >>> g = mg.Graph.from_edges([0, 1, 2, 2, 3], [1, 2, 0, 3, 4], device="cpu")
    >>> result = mg.biconnected_components(g)
    >>> result.label, result.num_components
    (array([0, 0, 0, 0, 0, 0, 6, 6, 8, 8]), 3)
    """
    cycles = cycles_of(graph, "biconnected_components", driver)
    problem = LabelProblem(graph, depth=cycles.depth, above=cycles.above)
    advance(problem, Frontier.all_vertices(), First, output=None)
    advance(problem, Frontier.all_vertices(), Label, output=None)
    return BiconnectedResult(problem.label, int(graph._device.number(cycles.num_components)))


@dataclass(frozen=True)
class BridgesResult(EdgeTable, columns=("edges", "src", "dst"), vertices=("src", "dst")):
    """The bridges of a graph.

    Attributes
    ----------
    edges : int64 array, one for each bridge
        Ids of the arcs from the lesser end to the greater end, in increasing order.
    src, dst : int32 arrays, one for each bridge
        The ends.
    """

    edges: Any
    src: Any
    dst: Any


@takes_graph
def bridges(graph: Any, *, driver: Driver = "auto") -> BridgesResult:
    """The edges that are in no cycle: removing such an edge adds one connected component.

    An edge that has a parallel edge is not a bridge, and a self-loop is not a bridge. Time and memory are as in
    `biconnected_components`, without the memory for arcs.

    Parameters
    ----------
    graph : Graph or DynamicGraph
        Undirected.
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
    >>> g = mg.Graph.from_edges([0, 1, 2, 2, 3], [1, 2, 0, 3, 4], device="cpu")
    >>> result = mg.bridges(g)
    >>> result.edges, result.src, result.dst
    (array([6, 8]), array([2, 3], dtype=int32), array([3, 4], dtype=int32))
    """
    cycles = cycles_of(graph, "bridges", driver)
    xp = graph._device.xp
    child = xp.flatnonzero((cycles.above == xp.arange(graph.num_vertices)) & cycles.alone & (cycles.parallel == 1))
    edges = cycles.edge_up[child]
    order = xp.argsort(edges)
    child = child[order].astype(np.int32)
    parent = cycles.parent[child]
    return BridgesResult(edges[order], xp.minimum(child, parent), xp.maximum(child, parent))


@dataclass(frozen=True)
class ArticulationResult(VertexTable, columns=("member",)):
    """The articulation points of a graph.

    Attributes
    ----------
    member : bool array, one for each vertex
    size : int
        The number of articulation points.
    """

    member: Any
    size: int


@takes_graph
def articulation_points(graph: Any, *, driver: Driver = "auto") -> ArticulationResult:
    """The vertices in more than one biconnected component: removing such a vertex adds connected components.

    Time and memory are as in `biconnected_components`, without the memory for arcs.

    Parameters
    ----------
    graph : Graph or DynamicGraph
        Undirected.
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
    >>> g = mg.Graph.from_edges([0, 1, 2, 2, 3], [1, 2, 0, 3, 4], device="cpu")
    >>> mg.articulation_points(g).member
    array([False, False,  True,  True, False])
    """
    cycles = cycles_of(graph, "articulation_points", driver)
    member = cycles.below + (cycles.parent >= 0) > 1
    return ArticulationResult(member, int(member.sum()))
