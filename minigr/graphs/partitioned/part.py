"""Part: the rows of the vertices that one part owns, and the lists of ghosts and mirrors."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from minigr.device import Device
from minigr.graphs.adjacency import Adjacency
from minigr.graphs.backend import builder
from minigr.graphs.graph import Graph
from minigr.graphs.partitioned.deal import Hashed, Ranges
from minigr.graphs.partitioned.exchange import Exchange
from minigr.graphs.partitioned.team import Team
from minigr.held import arrays_in


@dataclass
class Part:
    """One part of a graph.

    All arrays of a part are on one device, and so are the arrays that its methods take and return.

    Attributes
    ----------
    index : int
    graph : Graph, or another graph that operators accept
        A graph with all vertices, but only with the rows of the vertices that the part owns. The other rows are empty.
    deal : Ranges or Hashed
        The rule that says which part owns which vertices.
    num_parts : int
        The number of parts of the whole graph.
    owned : int32 array
        The vertices of the part, in ascending order.
    ghosts : list of int32 arrays
        For each other part, the vertices of that part that the rows of this part lead to, in ascending order. Empty for
        this part itself.
    mirrors : list of int32 arrays
        For each part, the vertices of this part that are ghosts there.
    """

    index: int
    graph: Any
    deal: Ranges | Hashed
    num_parts: int
    owned: Any
    ghosts: list[Any] = field(default_factory=list)
    mirrors: list[Any] = field(default_factory=list)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Move the arrays to the part's device, because CuPy unpickles arrays on the current GPU."""
        device = state["graph"]._device
        self.__dict__.update(state)
        self.graph = self.graph._with_arrays(device.asarray)
        self.owned, self.deal = self.here(self.owned), self.deal.on(device)
        self.ghosts, self.mirrors = self.here(self.ghosts), self.here(self.mirrors)

    @property
    def device(self) -> Device:
        """The device of the arrays of the part."""
        return self.graph._device

    @property
    def xp(self) -> Any:
        """The array module of its device."""
        return self.graph._device.xp

    @property
    def live(self) -> Any:
        """The vertices of the part that are not deleted. In a static graph, all of them."""
        return self.owned

    @property
    def num_ghosts(self) -> int:
        """The number of ghosts."""
        return sum(len(each) for each in self.ghosts)

    @property
    def memory(self) -> int:
        """The size of its arrays in bytes."""
        return self.graph.memory + self.bytes_of_lists

    @property
    def bytes_of_lists(self) -> int:
        """The size of the lists of its vertices, ghosts and mirrors in bytes."""
        return sum(int(array.nbytes) for array in arrays_in((self.owned, self.ghosts, self.mirrors)).values())

    def split(self, ids: Any) -> list[Any]:
        """Split ids by owner. Ids of one owner keep their order."""
        owners = self.deal.owners(ids)
        return [ids[owners == part] for part in range(self.num_parts)]

    def none(self) -> Any:
        """An empty array of vertices."""
        return self.device.empty(0, np.int32)

    def here(self, message: Any) -> Any:
        """A message from another part, with all arrays moved to the device of this part."""
        if isinstance(message, (tuple, list)):
            return type(message)([self.here(each) for each in message])
        if isinstance(message, dict):
            return {name: self.here(each) for name, each in message.items()}
        return None if message is None else self.device.asarray(message)

    def static(self) -> Graph:
        """The rows of the part as a static graph."""
        rows: Graph = self.graph
        return rows

    def ends_of(self, vertices: Any) -> Any:
        """int32: the other ends of the arcs that leave these vertices, which the part must own."""
        rows = self.graph.out_edges
        return rows.indices[positions_of(rows.offsets, vertices, self.device)]

    def rows_at(self, vertices: Any) -> tuple[Any, Any]:
        """Neighbors and weights (or None) of some vertices of the part, which ascend: row by row, each row sorted."""
        rows = self.graph.out_edges
        at = positions_of(rows.offsets, vertices, self.device)
        return rows.indices[at], None if rows.weights is None else rows.weights[at]

    def ends(self) -> list[Any]:
        """The other ends of all arcs of the part: of arcs that leave its vertices, and of in-edges if it has them."""
        found = [self.graph.indices]
        if self.graph.directed and "in_edges" in self.graph.kept:
            found.append(self.graph.in_edges(ids=False).indices)
        return found

    def others_in(self, lists: list[Any], known: list[Any]) -> list[Any]:
        """By owner, the vertices of other parts in `lists` that are not in `known`: in ascending order, each once."""
        there = self.device.full(self.graph.num_vertices, False, np.bool_)
        for ids in lists:
            there[ids] = True
        for ids in (self.owned, *known):
            there[ids] = False
        return self.split(self.xp.flatnonzero(there).astype(np.int32))

    def find_ghosts(self, in_edges: Adjacency | None = None) -> None:
        """Find the vertices of other parts that the rows of the part, and its `in_edges`, lead to."""
        self.ghosts = self.others_in([*self.ends(), *([] if in_edges is None else [in_edges.indices])], [])

    def arcs_by_target(self) -> list[tuple[Any, Any, Any]]:
        """The arcs of the part, by the owners of the vertices that they lead to."""
        src, dst, weights = self.graph.to_edges(both_ways=True)
        owners = self.deal.owners(dst)
        arcs = [owners == part for part in range(self.num_parts)]
        return [(src[at], dst[at], None if weights is None else weights[at]) for at in arcs]

    def in_edges_of(self, received: list[tuple[Any, Any, Any]]) -> Adjacency:
        """The in-edges of the vertices of the part, from the arcs that all parts sent."""
        src, dst, weights = joined(self.here(received), self.xp)
        turned = Graph.from_edges(
            dst, src, weights, num_vertices=self.graph.num_vertices, directed=True, device=self.device
        )
        # Edges have no ids that all parts know, so the in-edges have no ids, either.
        return Adjacency(turned.offsets, turned.indices, turned.weights)


def meet(parts: list[Part], team: Team, exchange: Exchange, in_edges: list[Adjacency] | None = None) -> None:
    """Find the ghosts of each part, also the ghosts that `in_edges` bring, and tell their owners."""
    team.each(lambda index: parts[index].find_ghosts(None if in_edges is None else in_edges[index]))
    received = exchange.all_to_all([part.ghosts for part in parts])

    def take(index: int) -> None:
        parts[index].mirrors = parts[index].here(received[index])

    team.each(take)


def turn_rows(parts: list[Part], team: Team, exchange: Exchange) -> tuple[list[Part], list[Adjacency]]:
    """Build the in-edges of each part of a directed graph. The parts that have the arcs send them.

    Returns parts that also know the ghosts of the in-edges, and the in-edges. The given parts are not changed.
    """
    received = exchange.all_to_all(team.each(lambda index: parts[index].arcs_by_target()))
    in_edges = team.each(lambda index: parts[index].in_edges_of(received[index]))
    found = [replace(part) for part in parts]
    meet(found, team, exchange, in_edges)
    return found, in_edges


def held_in(ids: Any, wanted: Any, xp: Any) -> Any:
    """bool: which of `wanted` are in `ids`, which must be ascending."""
    if not len(ids):
        return xp.zeros(len(wanted), np.bool_)
    places = xp.searchsorted(ids, wanted)
    places[places == len(ids)] = 0
    return ids[places] == wanted


def joined(arcs: list[tuple[Any, Any, Any]], xp: Any) -> tuple[Any, Any, Any]:
    """Join several lists of arcs."""
    src, dst, weights = zip(*arcs, strict=True)
    return xp.concatenate(src), xp.concatenate(dst), None if weights[0] is None else xp.concatenate(weights)


def positions_of(offsets: Any, vertices: Any, device: Device) -> Any:
    """The positions of the arcs of these vertices in rows that begin at `offsets`, row by row."""
    xp, begins = device.xp, offsets[vertices]
    starts = xp.zeros(len(vertices) + 1, np.int64)
    xp.cumsum(offsets[vertices + 1] - begins, out=starts[1:])
    count = int(starts[-1])
    return xp.arange(count) + (begins - starts[:-1])[builder(device).row_of_arcs(starts, count)]
