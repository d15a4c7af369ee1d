"""How many triangles each edge is in.

In a skewed graph most triangles are those of hubs, which are counted by bits. On a GPU the others are found once each,
in the oriented graph, and added to their edges.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.apps.common.orientation import Oriented
from minigr.apps.common.undirected import both_ways
from minigr.graphs.adjacency import Adjacency
from minigr.graphs.backend import scope
from minigr.graphs.graph import Graph
from minigr.jit.atomics import atomic_add
from minigr.jit.functor import Functor
from minigr.operators.calls import compute, intersect
from minigr.program.fields import array_field, edge_field, parameter
from minigr.program.frontier import Frontier
from minigr.program.problem import Problem


class SupportProblem(Problem):
    """Over a graph whose vertices are the first of the one with each edge both ways, as are those of each row."""

    support = array_field(np.int32)  # of the arcs of that one
    before = array_field(np.int64)  # of each vertex: how many more arcs there are before its row in that one
    core = parameter(np.int64)


class MoveProblem(Problem):
    first = edge_field(np.int64)  # of the arcs of the same edge
    support = edge_field(np.int32)


class Count(Functor):
    """Triangles, at the first arc of each edge."""

    def cond_intersect(src, dst):
        return src < dst  # by falling degree, `src` has the longer row, which is marked

    def apply_count(edge, src, count, support, before):
        support[edge + before[src]] += count


class List(Functor):
    """Triangles whose greatest vertex is beyond the core, once each, at the arcs to the lesser vertex."""

    def cond_intersect(src, core):
        return src >= core

    def apply_intersect(src, dst, src_edge, dst_edge, support, before):
        atomic_add(support, src_edge + before[src], 1)
        atomic_add(support, dst_edge + before[dst], 1)

    def apply_count(edge, src, count, support, before):
        if count > 0:
            atomic_add(support, edge + before[src], count)


class Move(Functor):
    """What was found at an edge's other arc goes to the first."""

    def apply(edge, first, support):
        if first[edge] != edge:
            support[first[edge]] += support[edge]


def first_arcs(both: Graph) -> Any:
    """int64[arcs]: the first of the two arcs of each edge, for a graph that has each edge both ways."""
    with scope(both._device):
        first = both.in_edges(ids=True).edge_ids
        both.drop()  # nothing else needs them, so they may be overwritten
        numbers = both._device.xp.arange(both.num_arcs)
        return both._device.xp.minimum(first, numbers, out=first)


def support_of(way: Oriented, both: Graph, first: Any = None, core: int | None = None) -> Any:
    """int32[arcs]: how many triangles each edge is in, at the first of its arcs.

    Parameters
    ----------
    way : Oriented
    both : Graph
        The same graph with each edge both ways.
    first : array, optional
        What `first_arcs` finds, if it is there.
    core : int, optional
        The triangles of so many of the first vertices are counted edge by edge, all others are listed. By default on a
        GPU those of hubs, if there are any, else those of all: a CPU lists a triangle in more time than it takes to
        look again at what the edges of it share.
    """
    device, hubs = both._device, way.hubs
    if core is None:
        core = hubs if device.is_cuda and hubs else both.num_vertices
    with scope(device):
        lists = core < both.num_vertices
        if lists and first is None:
            first = first_arcs(both)
        support = device.full(both.num_arcs, 0, np.int32)
        if not lists:
            _add(Count, both, both, support, hubs)
        else:
            _add(List, way.graph, both, support, hubs, core)
            compute(MoveProblem(both, first=first, support=support), Frontier.all_edges(), Move)
            _add(Count, both_ways(_among(way.graph, core)), both, support, hubs)
        return support


def _add(functor: type[Functor], graph: Graph, both: Graph, support: Any, hubs: int, core: int = 0) -> None:
    """Add the triangles that a functor finds in a graph to the support of their edges."""
    before = both.offsets[: graph.num_vertices] - graph.offsets[:-1]
    intersect(
        SupportProblem(graph, support=support, before=before, core=core), Frontier.all_edges(), functor, hubs=hubs
    )


def _among(graph: Graph, core: int) -> Graph:
    """The first vertices of an oriented graph, and the edges among them, without a copy."""
    offsets = graph.offsets[: core + 1]
    rows = Adjacency(offsets, graph.indices[: int(offsets[-1])])
    return Graph(rows, True, graph._device, simple=True)
