"""Graphs oriented without cycles: each edge once, in a direction that leaves no vertex many of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from minigr.graphs.adjacency import Adjacency
from minigr.graphs.arcs import Arcs
from minigr.graphs.backend import builder, scope
from minigr.graphs.graph import Graph
from minigr.memory import require_rows

_SKEWED = 16  # times the mean degree: with such a vertex there is, ids say too little of degrees
# Of graphs that were oriented, as long as they are there: with the version they had then.
_kept: WeakKeyDictionary[Any, tuple[int, Oriented]] = WeakKeyDictionary()


@dataclass(frozen=True)
class Oriented:
    """A simple graph whose edges lead from the greater vertex to the lesser.

    Attributes
    ----------
    graph : Graph
        Directed. Each edge of the graph that was oriented is there once, whatever its direction and however many are
        parallel to it; self-loops are not.
    place : int32[n] or None
        The number of each vertex in it; None where that is the same.
    """

    graph: Graph
    place: Any

    def degree(self) -> Any:
        """int64[n]: how many distinct neighbors each of its vertices has."""
        return self.graph.out_degree() + self.graph.in_degree()

    def as_given(self, values: Any) -> Any:
        """Values of its vertices in the order of the graph that was oriented."""
        return values if self.place is None else values[self.place]

    def given(self, vertices: Any) -> Any:
        """The ids that its vertices have in the graph that was oriented."""
        return vertices if self.place is None else self.graph._device.xp.argsort(self.place).astype(np.int32)[vertices]


def oriented(graph: Any) -> Oriented:
    """`graph`, of either layout, oriented; found once and kept as long as the graph is there and doesn't change.

    Where some vertices have many times the mean degree, they are numbered by falling degree. Then no vertex has more
    than sqrt(2m) edges that leave it (Chiba, Nishizeki, Arboricity and Subgraph Listing Algorithms, SIAM Journal on
    Computing 14, 1985), and all rows hold mostly small numbers. Otherwise vertices keep their numbers, by which
    neighbors often lie close together. Takes O(m + n log n) time, on a GPU a sort of the edges, and 4 bytes an edge.
    """
    if graph not in _kept or _kept[graph][0] != graph.version:
        with scope(graph._device):
            _kept[graph] = graph.version, _orient(graph if graph.layout == "csr" else graph.to_graph())
    return _kept[graph][1]


def _orient(graph: Graph) -> Oriented:
    xp, build, n = graph._device.xp, builder(graph._device, graph.arcs), graph.num_vertices
    require_rows(graph._device, n, graph.num_arcs, None, "the oriented graph", arcs_in=graph.arcs)
    degree = graph.out_degree() + graph.in_degree() if graph.directed else graph.out_degree()
    place = None
    if n and int(degree.max()) * n > _SKEWED * int(degree.sum()):
        place = xp.empty(n, np.int32)
        place[xp.argsort(-degree, kind="stable")] = xp.arange(n, dtype=np.int32)
    # An edge of a directed graph may be there in either direction, or in both.
    arcs = Arcs(graph.indices, offsets=graph.offsets, place=place, down="fold" if graph.directed else "keep")
    offsets, indices, _, _ = build.rows(n, arcs)
    rows = Adjacency(*build.simplify(offsets, indices))
    return Oriented(Graph(rows, True, graph._device, simple=True), place)
