"""A dynamic graph without the directions of its edges, for answers that ignore directions."""

from __future__ import annotations

from typing import Any

from minigr.apps.dynamic.common.changes import Changes
from minigr.graphs.backend import builder
from minigr.graphs.dynamic.graph import DynamicGraph


class Undirected:
    """The edges of a graph without their directions: the graph itself if it is undirected, otherwise a copy.

    Attributes
    ----------
    graph : DynamicGraph
        Undirected. A copy has no weights and no self-loops. Two opposite edges of the graph are one edge of the copy.
    is_copy : bool
    """

    def __init__(self, graph: Any) -> None:
        self._original, self.is_copy = graph, graph.directed
        self.graph = _without_directions(graph) if graph.directed else graph

    def insert(self, changes: Changes) -> tuple[Any, Any, Any]:
        """Insert a batch that the original graph has applied; return the ends of the edges, and which of them are new.

        Of equal edges in the batch, the first may be new. Must be called before `graph` is used.
        """
        src, dst = changes.pairs
        new = changes.new
        if self.is_copy:
            _, new = self.graph.insert_edges(src, dst, return_mask=True)
        return src, dst, new

    def gone(self, changes: Changes) -> tuple[Any, Any]:
        """The ends of the edges that `graph` loses. From a copy, they must still be deleted by `delete`."""
        src, dst = changes.pairs
        if self.is_copy:
            stays = self._original.has_edges(dst, src)
            src, dst = src[~stays], dst[~stays]
        return src, dst

    def delete(self, src: Any, dst: Any) -> None:
        """Delete edges from a copy. The original graph has already deleted them."""
        if self.is_copy:
            self.graph.delete_edges(src, dst)


def _without_directions(graph: Any) -> DynamicGraph:
    rows, n = graph.to_graph(), graph.num_vertices
    src = builder(graph._device).row_of_arcs(rows.offsets, rows.num_arcs)
    return DynamicGraph.from_edges(src, rows.indices, num_vertices=n, directed=False, device=graph._device)
