"""Graphs without the directions of their edges, for algorithms that ignore directions."""

from __future__ import annotations

from functools import partial
from typing import Any

from minigr.errors import GraphError
from minigr.graphs.adjacency import Adjacency
from minigr.graphs.arcs import Arcs
from minigr.graphs.backend import builder, copied_arcs, scope
from minigr.graphs.edit import long_rows_both_ways
from minigr.graphs.graph import Graph
from minigr.memory import require_rows
from minigr.program.frontier import Frontier


def undirected(graph: Any, *, simple: bool = False) -> tuple[Any, Frontier]:
    """The graph without directions, and a frontier of its vertices that were not deleted.

    An undirected graph is returned as it is, unless it must be `simple` and has self-loops or parallel edges. Otherwise
    the result is a copy: a simple `Graph` without weights, which is made in O(n + m). The copy does not need the
    in-edges of the graph, because a graph may not keep them.
    """
    if not graph.directed and (not simple or _is_simple(graph)):
        return graph, Frontier.all_vertices()
    live = Frontier.all_vertices()
    if graph.num_live_vertices < graph.num_vertices:
        live = Frontier("vertices", ids=graph.live_vertices(), distinct=True)
    of = graph if graph.layout == "csr" else graph.to_graph()
    rows = of.out_edges
    with scope(graph._device):
        build = builder(graph._device, rows.arcs)
        count, what = rows.num_arcs * (2 if graph.directed else 1), "a copy of the graph without directions"
        require_rows(graph._device, graph.num_vertices, count, None, what, arcs_in=rows.arcs)
        if graph.directed:
            arcs = Arcs(rows.indices, offsets=rows.offsets, mirror=True, long_rows=partial(long_rows_both_ways, of))
            offsets, indices, _, _ = build.rows(graph.num_vertices, arcs)
        else:
            offsets, indices = rows.offsets, copied_arcs(rows.indices)
        return Graph(Adjacency(*build.simplify(offsets, indices)), False, graph._device), live


def _is_simple(graph: Any) -> bool:
    return graph.num_self_loops == 0 and not (graph.layout == "csr" and graph.has_parallel_edges)


def both_ways(graph: Any) -> Any:
    """A graph that has each edge of a directed graph both ways, with its weight. Parallel edges are kept.

    An undirected `Graph` or `PartitionedGraph` is returned as it is. A `DynamicGraph` is copied to a `Graph`. Takes
    O(n + m).

    Raises
    ------
    GraphError
        For a `PartitionedGraph` that is directed.
    """
    if graph.layout == "parts":
        if graph.directed:
            raise GraphError(
                "edges are needed in both directions, but the PartitionedGraph is directed: make it undirected"
            )
        return graph
    rows = graph if graph.layout == "csr" else graph.to_graph()
    return rows.without_columns().to_undirected("each")
