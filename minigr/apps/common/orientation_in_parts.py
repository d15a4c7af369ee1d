"""Orientation of partitioned graphs: each part has the rows of its own vertices and of its ghosts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from minigr.apps.common.orientation import Oriented, by_falling, is_skewed, rows_down
from minigr.graphs.adjacency import Adjacency
from minigr.graphs.graph import Graph
from minigr.graphs.partitioned.array import Known, PartitionedArray
from minigr.graphs.partitioned.part import Part, positions_of


@dataclass(frozen=True)
class OrientedPart:
    """One part of an oriented graph.

    Attributes
    ----------
    rows : Oriented
        The rows of the vertices that the part owns, and of its ghosts. Other rows are empty.
    owned : int32 array
        The vertices that the part owns, by their numbers in `rows`, in ascending order.
    """

    rows: Oriented
    owned: Any

    def heads(self) -> Any:
        """int32: the heads of the arcs of owned vertices, by their numbers in `rows`."""
        graph = self.rows.graph
        return graph.indices[positions_of(graph.offsets, self.owned, graph._device)]


def oriented_parts(graph: Any) -> tuple[OrientedPart, ...]:
    """The parts of an undirected graph in this process, all oriented by the same order of vertices, as by `oriented`.

    The result is kept with the graph until the graph changes. Each part takes as much work as `oriented` takes for the
    rows of the part, and memory for these rows and for the rows of its ghosts, with each edge once. The parts exchange
    the rows of ghosts and, if some degrees are far above the mean, all degrees.
    """

    def make() -> tuple[OrientedPart, ...]:
        with graph._exchange.together():
            return tuple(_oriented(graph))

    return graph._kept.get("orientation", graph.version, make)


def _oriented(graph: Any) -> list[OrientedPart]:
    parts, team, exchange, skewed = graph.parts, graph._team, graph._exchange, is_skewed(graph)
    degrees = exchange.all_gather(team.each(lambda i: _degrees(parts[i]) if skewed else None))

    def orient(index: int) -> Oriented:
        part = parts[index]
        place = by_falling(_put_together(part, degrees), part.xp) if skewed else None
        return Oriented(rows_down(part.static(), place), place)

    own = team.each(orient)

    def rows_for_others(index: int) -> list[Any]:
        rows, device = own[index].graph, parts[index].device
        numbers = [_numbers(own[index], mirrors) for mirrors in parts[index].mirrors]
        return [(rows.out_edges.degrees_of(of), rows.indices[positions_of(rows.offsets, of, device)]) for of in numbers]

    received = exchange.all_to_all(team.each(rows_for_others))
    return team.each(lambda index: _with_ghosts(parts[index], own[index], received[index]))


def _degrees(part: Part) -> tuple[Any, Any]:
    return part.owned, part.graph.out_degree()[part.owned]


def _put_together(part: Part, degrees: list[Any]) -> Any:
    """int64[n]: the degrees of all vertices, from the messages of all parts."""
    found = part.device.full(part.graph.num_vertices, 0, np.int64)
    for message in degrees:
        ids, theirs = part.here(message)
        found[ids] = theirs
    return found


def _numbers(rows: Oriented, vertices: Any) -> Any:
    return vertices if rows.place is None else rows.place[vertices]


def _with_ghosts(part: Part, own: Oriented, received: list[Any]) -> OrientedPart:
    """The rows of a part, together with the rows of its ghosts, which their owners sent."""
    rows, xp, n = own.graph, part.xp, part.graph.num_vertices
    owned = xp.sort(_numbers(own, part.owned))
    lots = [(owned, rows.out_edges.degrees_of(owned), rows.indices)]  # all rows of `own`, in the order of `owned`
    for ghosts, message in zip(part.ghosts, received, strict=True):
        if len(ghosts):
            lots.append((_numbers(own, ghosts), *part.here(message)))
    degree = part.device.full(n, 0, np.int64)
    for ids, degrees, _ in lots:
        degree[ids] = degrees
    offsets = part.device.full(n + 1, 0, np.int64)
    xp.cumsum(degree, out=offsets[1:])
    indices = part.device.empty(int(offsets[-1]), np.int32)
    for ids, _, ends in lots:
        indices[positions_of(offsets, ids, part.device)] = ends
    return OrientedPart(Oriented(Graph(Adjacency(offsets, indices), True, part.device, simple=True), own.place), owned)


def summed(graph: Any, counts: list[Any]) -> PartitionedArray:
    """The sum of the counts of all parts at each vertex. A part counts at vertices that it owns or has as ghosts.

    `counts` are arrays [n] of the parts in this process. They are changed, and the result holds them.
    """
    parts, team = graph.parts, graph._team
    with graph._exchange.together():
        found = team.each(lambda index: [counts[index][ghosts] for ghosts in parts[index].ghosts])
        received = graph._exchange.all_to_all(found)

        def add(index: int) -> None:
            part = parts[index]
            for mirrors, theirs in zip(part.mirrors, part.here(received[index]), strict=True):
                counts[index][mirrors] += theirs

        team.each(add)
    return PartitionedArray(graph, counts, Known.OWN)
