"""The support of each edge: the number of triangles that contain it.

In a skewed graph, most triangles are among hubs, and these triangles are counted with bits. A GPU finds each other
triangle once, in the oriented graph, and adds it to its three edges.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.apps.common.orientation import Oriented, simple_both_ways
from minigr.graphs.adjacency import Adjacency
from minigr.graphs.backend import scope
from minigr.graphs.graph import Graph
from minigr.jit.atomics import atomic_add
from minigr.jit.functor import Functor
from minigr.operators.calls import intersect
from minigr.program.fields import array_field, parameter
from minigr.program.frontier import Frontier
from minigr.program.problem import Problem


class SupportProblem(Problem):
    support = array_field(np.int32)  # by id of an arc


class CoreProblem(SupportProblem):
    """The first vertices of an oriented graph, with each edge both ways."""

    before = array_field(np.int64)  # of each vertex: the offset of its row in the oriented graph minus the offset here


class ListProblem(SupportProblem):
    core = parameter(np.int64)


class Count(Functor):
    """Counts triangles at the first arc of each edge."""

    def cond_intersect(src, dst):
        return src < dst  # by falling degree, `src` has the longer row, which is marked

    def apply_count(edge, count, support):
        support[edge] += count


class CountInCore(Functor):
    """Counts triangles among the first vertices, at the oriented arc of each edge.

    The row of a vertex begins with its oriented arcs, so an offset per vertex gives their ids.
    """

    def cond_intersect(src, dst):
        return src > dst

    def apply_count(edge, src, count, support, before):
        support[edge + before[src]] += count


class List(Functor):
    """Lists each triangle once whose greatest vertex is outside the core."""

    def cond_intersect(src, core):
        return src >= core

    def apply_intersect(src_edge, dst_edge, support):
        atomic_add(support, src_edge, 1)
        atomic_add(support, dst_edge, 1)

    def apply_count(edge, count, support):
        if count > 0:
            atomic_add(support, edge, count)


def first_arcs(both: Graph) -> Any:
    """int64[arcs]: the first of the two arcs of each edge, for a graph that has each edge both ways."""
    with scope(both._device):
        first = both.in_edges(ids=True).edge_ids
        both.drop()  # nothing else needs the in-edges, so their ids may be overwritten
        numbers = both._device.xp.arange(both.num_arcs)
        return both._device.xp.minimum(first, numbers, out=first)


def is_listed(way: Oriented) -> bool:
    """Whether `listed_support` is faster than `counted_support`.

    On a CPU, counting the common neighbors of all three edges of a triangle takes less time than listing the triangle.
    """
    return way.graph._device.is_cuda


def counted_support(way: Oriented, both: Graph) -> Any:
    """int32[arcs]: the number of triangles of each edge, at the first of its arcs; 0 at the second arc.

    Parameters
    ----------
    way : Oriented
    both : Graph
        The same graph with each edge both ways.
    """
    with scope(both._device):
        support = both._device.full(both.num_arcs, 0, np.int32)
        intersect(SupportProblem(both, support=support), Frontier.all_edges(), Count, hubs=way.hubs)
        return support


def listed_support(way: Oriented, core: int | None = None) -> Any:
    """int32[arcs of `way.graph`]: the number of triangles of each edge.

    Triangles among the first `core` vertices are counted edge by edge, and all others are listed. By default, the core
    is the hubs.
    """
    rows, hubs = way.graph, way.hubs
    core = hubs if core is None else core
    with scope(rows._device):
        support = rows._device.full(rows.num_arcs, 0, np.int32)
        if core < rows.num_vertices:
            intersect(ListProblem(rows, support=support, core=core), Frontier.all_edges(), List, hubs=hubs)
        if core > 0:
            both = simple_both_ways(_among(rows, core))
            before = rows.offsets[:core] - both.offsets[:-1]
            problem = CoreProblem(both, support=support, before=before)
            intersect(problem, Frontier.all_edges(), CountInCore, hubs=min(hubs, core))
        return support


def _among(graph: Graph, core: int) -> Graph:
    """The first vertices of an oriented graph, and the edges among them, without a copy."""
    offsets = graph.offsets[: core + 1]
    rows = Adjacency(offsets, graph.indices[: int(offsets[-1])])
    return Graph(rows, True, graph._device, simple=True)
