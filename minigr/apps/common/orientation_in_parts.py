"""Graphs in parts oriented as whole graphs are: each part has its own rows, and those of its ghosts."""

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
    """What one part has of a graph that is oriented.

    Attributes
    ----------
    rows : Oriented
        The rows of the vertices that the part owns, and of its ghosts. Others are empty.
    owned : int32 array
        The vertices that it owns, by their numbers in `rows`, in ascending order.
    """

    rows: Oriented
    owned: Any

    def heads(self) -> Any:
        """int32: where the arcs of its own vertices lead, by the numbers in `rows`."""
        graph = self.rows.graph
        return graph.indices[positions_of(graph.offsets, self.owned, graph._device)]


def oriented_parts(graph: Any) -> tuple[OrientedPart, ...]:
    """The parts of an undirected graph that are in this process, oriented by one order of all vertices, as `oriented`.

    Kept with the graph until it changes. Takes as much work in each part as `oriented` takes for the part's rows, and
    memory for these rows and for those of its ghosts, each edge once. What travels are the degrees, if some are far
    above the mean, and the rows of ghosts.
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
    """int64[n]: the degrees of all vertices, from what all parts have."""
    found = part.device.full(part.graph.num_vertices, 0, np.int64)
    for message in degrees:
        ids, theirs = part.here(message)
        found[ids] = theirs
    return found


def _numbers(rows: Oriented, vertices: Any) -> Any:
    return vertices if rows.place is None else rows.place[vertices]


def _with_ghosts(part: Part, own: Oriented, received: list[Any]) -> OrientedPart:
    """A part's rows, and those of its ghosts that their owners sent."""
    rows, xp, n = own.graph, part.xp, part.graph.num_vertices
    owned = xp.sort(_numbers(own, part.owned))
    lots = [(owned, rows.out_edges.degrees_of(owned), rows.indices)]  # it has no other rows, and these are in order
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
    """The sum of what all parts have counted at each vertex, each part at vertices that it owns or has as ghosts.

    `counts` are arrays [n] of the parts in this process, which become those of the result.
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
