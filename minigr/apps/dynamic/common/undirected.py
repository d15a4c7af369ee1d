"""A dynamic graph without the directions of its edges, for answers to which these are no matter."""

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
        Undirected. A copy has neither weights nor self-loops, and where the graph has edges both ways it has one.
    is_copy : bool
    """

    def __init__(self, graph: Any) -> None:
        self._original, self.is_copy = graph, graph.directed
        self.graph = _without_directions(graph) if graph.directed else graph

    def insert(self, changes: Changes) -> tuple[Any, Any, Any]:
        """Take the edges of a batch that the graph has taken: their ends, and which are new, of equal ones the first.

        To be called before anything else is asked of `graph`.
        """
        src, dst = changes.pairs
        new = changes.new
        if self.is_copy:
            _, new = self.graph.insert_edges(src, dst, return_mask=True)
        return src, dst, new

    def gone(self, changes: Changes) -> tuple[Any, Any]:
        """The ends of edges that the graph lost; of a copy, to which they are still to be `delete`\\ d, those to go."""
        src, dst = changes.pairs
        if self.is_copy:
            stays = self._original.has_edges(dst, src)
            src, dst = src[~stays], dst[~stays]
        return src, dst

    def delete(self, src: Any, dst: Any) -> None:
        """Take edges from a copy; from the graph itself they are gone already."""
        if self.is_copy:
            self.graph.delete_edges(src, dst)


def _without_directions(graph: Any) -> DynamicGraph:
    rows, n = graph.to_graph(), graph.num_vertices
    src = builder(graph._device).row_of_arcs(rows.offsets, rows.num_arcs)
    return DynamicGraph.from_edges(src, rows.indices, num_vertices=n, directed=False, device=graph._device)
