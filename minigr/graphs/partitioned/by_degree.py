"""A graph in parts with the vertices of each part renumbered by decreasing degree."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.graphs.adjacency import Adjacency
from minigr.graphs.arcs import Arcs
from minigr.graphs.backend import builder
from minigr.graphs.graph import Graph
from minigr.graphs.partitioned.part import Part
from minigr.memory import require_rows, rows_fit


def fits(part: Part) -> bool:
    """Whether there is room for another copy of the rows of a part."""
    rows = part.graph
    return rows_fit(part.device, rows.num_vertices, rows.num_arcs, rows.weights)


def own_places(part: Part) -> Any:
    """int32[n]: a part's own vertices, by decreasing out-degree, get the ids that the part owns, in ascending order.

    So each vertex stays in its part, and the rule that says which part owns an id also holds for the new ids. The new
    numbers of other vertices are not known here.
    """
    xp, offsets, owned = part.xp, part.graph.offsets, part.owned
    degree = offsets[owned + 1] - offsets[owned]
    place = xp.arange(part.graph.num_vertices, dtype=np.int32)
    place[owned[xp.argsort(-degree, kind="stable")]] = owned
    return place


def learn_places(part: Part, place: Any, told: list[Any]) -> None:
    """Write the new numbers of a part's ghosts, which their owners sent, to `place`."""
    for ghosts, theirs in zip(part.ghosts, part.here(told), strict=True):
        if theirs is not None and len(ghosts):
            place[ghosts] = theirs


def renumbered(part: Part, place: Any) -> Graph:
    """The rows of a part, with its own vertices and ghosts renumbered by `place`."""
    rows = part.graph
    what = "a part of the graph with its vertices by degree"
    require_rows(part.device, rows.num_vertices, rows.num_arcs, rows.weights, what)
    arcs = Arcs(rows.indices, offsets=rows.offsets, weights=rows.weights, place=place, permutes=True)
    graph = Graph(Adjacency(*builder(part.device).rows(rows.num_vertices, arcs)[:3]), rows.directed, part.device)
    graph._structure, graph._max_degree = rows._structure, dict(rows._max_degree)
    return graph
