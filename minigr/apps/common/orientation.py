"""Acyclic orientations of graphs: each edge is stored once, in a direction that gives no vertex many out-edges."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from minigr.apps.common.undirected import both_ways
from minigr.graphs.adjacency import Adjacency
from minigr.graphs.arcs import Arcs
from minigr.graphs.backend import builder, scope
from minigr.graphs.graph import Graph
from minigr.memory import fits, require_rows, rows_fit
from minigr.operators.intersect import MOST_HUBS
from minigr.primitives.lbs import lbs

_SKEWED = 16  # times the mean degree: a graph with such a vertex is skewed, and its vertices are numbered by degree


@dataclass(frozen=True)
class Oriented:
    """A simple graph whose edges lead from the greater vertex to the lesser.

    Attributes
    ----------
    graph : Graph
        Directed. It has each edge of the original graph once, in one direction, without parallel edges and self-loops.
        If there was no memory for an oriented copy, `graph` is the original, undirected graph.
    place : int32[n] or None
        The number in `graph` of each vertex of the original graph; None if vertices keep their numbers.
    """

    graph: Graph
    place: Any

    def degree(self) -> Any:
        """int64[n]: the number of distinct neighbors of each vertex of `graph`."""
        return self.graph.out_degree() + self.graph.in_degree() if self.graph.directed else self.graph.out_degree()

    @property
    def hubs(self) -> int:
        """The number of first vertices whose rows are stored as bits, which take a quarter of the memory of the arcs.

        If a GPU visits neighbors, the bits take a fourth more. All vertices are hubs if the bits of all of them take at
        most a quarter of the memory of the arcs. Otherwise there are no hubs if vertices are not numbered by degree.
        There are none either if the bits do not fit in memory.
        """
        graph, hubs = self.graph, math.isqrt(8 * self.graph.num_arcs)
        if hubs < graph.num_vertices and self.place is None:
            return 0
        hubs = min(hubs, graph.num_vertices, MOST_HUBS)
        return hubs if fits(graph._device, hubs * hubs // 8 * 5 // 4) else 0

    def as_given(self, values: Any) -> Any:
        """Reorder values of the vertices of `graph` to the order of the original graph."""
        return values if self.place is None else values[self.place]

    def given(self, vertices: Any) -> Any:
        """The ids in the original graph of vertices of `graph`."""
        if self.place is None:
            return vertices
        xp = self.graph._device.xp
        found = xp.empty_like(self.place)
        found[self.place] = xp.arange(len(self.place), dtype=np.int32)
        return found[vertices]

    def both_ways(self, graph: Any) -> Graph:
        """The simple undirected graph with the edges of this one; `graph` is the original graph.

        The result shares the arrays of `graph` if both have the same rows.
        """
        is_same = self.place is None and graph.layout == "csr" and not graph.directed and graph.is_simple
        if is_same:
            return graph._with_rows(Adjacency(graph.offsets, graph.indices))
        return simple_both_ways(self.graph)

    def edges_in_order(self, both: Graph, edges: Any, values: Any) -> tuple[Any, Any, Any]:
        """Sort edges by their ends in the original graph; return the lesser ends, the greater ends and the values.

        `edges` holds the first arc of each edge, in the graph that `both_ways` makes.
        """

        def found() -> tuple[Any, Any, Any]:
            tails, heads = builder(both._device).row_of_arcs(both.offsets, both.num_arcs)[edges], both.indices[edges]
            if self.place is None:
                return tails, heads, values
            xp, given = both._device.xp, (self.given(tails), self.given(heads))
            del tails, heads
            return xp.minimum(*given), xp.maximum(*given), values

        return found() if self.place is None else self._in_order(found)

    def arcs_in_order(self, graph: Any, values: Any) -> tuple[Any, Any, Any]:
        """As `edges_in_order`, for all edges. `values` has one element per arc of the oriented graph.

        `graph` is the original graph. It keeps the order, because the order takes a sort: 4 bytes per edge.
        """
        order = graph._kept.get("edge_order", graph.version, lambda: self._order(self._ends))
        tails, heads = self._ends()
        return tails[order], heads[order], values[order]

    def first_arcs_in_order(self, graph: Any, tails: Any, heads: Any, values: Any) -> tuple[Any, Any, Any]:
        """As `arcs_in_order`, for edges in the order of their first arcs in the graph that `both_ways` makes.

        `tails` and `heads` are the lesser and the greater end of each edge in the original graph.
        """
        if self.place is None:
            return tails, heads, values
        order = graph._kept.get("first_arc_order", graph.version, lambda: self._order(lambda: (tails, heads)))
        return tails[order], heads[order], values[order]

    def _order(self, ends: Callable[[], tuple[Any, Any]]) -> Any:
        """The numbers of all edges, sorted by the ends that `ends` returns."""
        count, device = self.graph.num_arcs, self.graph._device
        numbers = device.xp.arange(count, dtype=np.int32 if count < 2**31 else np.int64)
        return self._in_order(lambda: (*ends(), numbers))[2]

    def _ends(self) -> tuple[Any, Any]:
        """The ends of all arcs in the original graph."""
        rows = self.graph
        xp = rows._device.xp
        tails, heads = (xp.empty(rows.num_arcs, np.int32) for _ in range(2))
        given = self.given(xp.arange(rows.num_vertices, dtype=np.int32))
        lbs(rows.offsets, note_arc, indices=rows.indices, given=given, tails=tails, heads=heads, validate=False)
        return tails, heads

    def _in_order(self, found: Callable[[], tuple[Any, Any, Any]]) -> tuple[Any, Any, Any]:
        """Sort the edges that `found` makes, and their values, by the ends of the edges."""
        tails, heads, values = found()
        build, arcs = builder(self.graph._device), Arcs(heads, src=tails, weights=values)
        del tails, heads, values
        offsets, heads, values, _ = build.rows(self.graph.num_vertices, arcs)
        del arcs
        return build.row_of_arcs(offsets, len(heads)), heads, values


def note_arc(idx, seg, indices, given, tails, heads):
    """Store the ends of the edge of an arc, the lesser end first."""
    a, b = given[seg], given[indices[idx]]
    tails[idx], heads[idx] = min(a, b), max(a, b)


def simple_both_ways(rows: Graph) -> Graph:
    """An oriented graph with each edge both ways. It is simple, because no edge leads back: no check is needed."""
    if not rows.directed:
        return rows
    made = both_ways(rows)
    made._structure = 0, False
    return made


def oriented(graph: Any) -> Oriented:
    """Orient a `Graph` or `DynamicGraph`. The result is kept with the graph until the graph changes.

    If some vertices have many times the mean degree, vertices are numbered by falling degree. Then no vertex has more
    than sqrt(2m) out-edges (Chiba, Nishizeki, Arboricity and Subgraph Listing Algorithms, SIAM Journal on Computing 14,
    1985), and all rows hold mostly small numbers. Otherwise vertices keep their numbers, because neighbors often have
    numbers that are close. Takes O(m + n log n) time, on a GPU a sort of the edges, and 4 bytes per edge.
    """
    return graph._kept.get("orientation", graph.version, lambda: _orient(graph))


def oriented_if_it_fits(graph: Any) -> Oriented | None:
    """As `oriented`, but None for a simple undirected graph if there is no memory for an oriented copy.

    The caller can use such a graph as it is. The check whether a `Graph` is simple takes O(m), and its result is kept.
    """
    if "orientation" in graph._kept or graph.directed or graph.layout != "csr" or _fits(graph) or not graph.is_simple:
        return oriented(graph)
    return None


def _fits(graph: Graph) -> bool:
    return rows_fit(graph._device, graph.num_vertices, graph.num_arcs, None, arcs_in=graph.arcs)


def _orient(graph: Any) -> Oriented:
    with scope(graph._device):
        return _oriented_rows(graph if graph.layout == "csr" else graph.to_graph())


def is_skewed(graph: Any) -> bool:
    """Whether some degree is so far above the mean that vertices must be numbered by degree."""
    ways = (False, True) if graph.directed else (False,)
    greatest = sum(graph.max_degree(inward=inward) for inward in ways)
    return greatest * graph.num_vertices > _SKEWED * len(ways) * graph.num_arcs


def _oriented_rows(graph: Graph) -> Oriented:
    xp = graph._device.xp
    require_rows(graph._device, graph.num_vertices, graph.num_arcs, None, "the oriented graph", arcs_in=graph.arcs)
    place = None
    if is_skewed(graph):
        place = by_falling(graph.out_degree() + graph.in_degree() if graph.directed else graph.out_degree(), xp)
    found = rows_down(graph, place)
    if graph._device.is_rehearsed and not graph.directed:  # an estimate reads no rows
        found._max_degree[True] = graph.max_degree()
    return Oriented(found, place)


def by_falling(degree: Any, xp: Any) -> Any:
    """int32[n]: the position of each vertex by falling degree."""
    place = xp.empty(len(degree), np.int32)
    place[xp.argsort(-degree, kind="stable")] = xp.arange(len(degree), dtype=np.int32)
    return place


def rows_down(graph: Graph, place: Any) -> Graph:
    """The edges of a graph, each once, from the end with the greater number in `place` to the other end."""
    build = builder(graph._device, graph.arcs)
    # A directed graph may have an edge in either direction, or in both.
    arcs = Arcs(graph.indices, offsets=graph.offsets, place=place, down="fold" if graph.directed else "keep")
    offsets, indices, _, _ = build.rows(graph.num_vertices, arcs)
    return Graph(Adjacency(*build.simplify(offsets, indices)), True, graph._device, simple=True)
