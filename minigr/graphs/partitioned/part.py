"""Part: the rows of the vertices that one part owns, and who knows of which vertices of whom."""

from __future__ import annotations

from dataclasses import dataclass, field
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

    All its arrays are on one device, and so are those that its methods take and return.

    Attributes
    ----------
    index : int
    graph : Graph, or another that operators take
        All vertices, with the rows of those that the part owns; the other rows are empty.
    deal : Ranges or Hashed
        Who owns which vertices.
    num_parts : int
        Of the whole graph.
    owned : int32 array
        Its vertices, in ascending order.
    ghosts : list of int32 arrays
        By part, the vertices of that part which its rows lead to, in ascending order; its own place is empty.
    mirrors : list of int32 arrays
        By part, its own vertices which are ghosts there.
    """

    index: int
    graph: Any
    deal: Ranges | Hashed
    num_parts: int
    owned: Any
    ghosts: list[Any] = field(default_factory=list)
    mirrors: list[Any] = field(default_factory=list)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Arrays of CuPy's are unpickled on whichever GPU is the current one."""
        device = state["graph"]._device
        self.__dict__.update(state)
        self.graph = self.graph._with_arrays(device.asarray)
        self.owned, self.deal = self.here(self.owned), self.deal.on(device)
        self.ghosts, self.mirrors = self.here(self.ghosts), self.here(self.mirrors)

    @property
    def device(self) -> Device:
        """Where its arrays are."""
        return self.graph._device

    @property
    def xp(self) -> Any:
        """The array module of its device."""
        return self.graph._device.xp

    @property
    def live(self) -> Any:
        """Those of its vertices that were not deleted: in a static graph all."""
        return self.owned

    @property
    def num_ghosts(self) -> int:
        """How many vertices of others it has a copy of."""
        return sum(len(each) for each in self.ghosts)

    @property
    def memory(self) -> int:
        """Bytes of its arrays."""
        return self.graph.memory + self.bytes_of_lists

    @property
    def bytes_of_lists(self) -> int:
        """Bytes of the lists of its vertices, ghosts and mirrors."""
        return sum(int(array.nbytes) for array in arrays_in((self.owned, self.ghosts, self.mirrors)).values())

    def split(self, ids: Any) -> list[Any]:
        """Ids by their owners, in the order in which they come."""
        owners = self.deal.owners(ids)
        return [ids[owners == part] for part in range(self.num_parts)]

    def none(self) -> Any:
        """No vertices."""
        return self.device.empty(0, np.int32)

    def here(self, message: Any) -> Any:
        """What came from another part, with all arrays in it on this part's device."""
        if isinstance(message, (tuple, list)):
            return type(message)([self.here(each) for each in message])
        if isinstance(message, dict):
            return {name: self.here(each) for name, each in message.items()}
        return None if message is None else self.device.asarray(message)

    def static(self) -> Graph:
        """Its rows as a static graph."""
        rows: Graph = self.graph
        return rows

    def ends_of(self, vertices: Any) -> Any:
        """int32: the other ends of the arcs that leave these vertices, which it owns."""
        rows = self.graph.out_edges
        return rows.indices[positions_of(rows.offsets, vertices, self.device)]

    def rows_at(self, vertices: Any) -> tuple[Any, Any]:
        """Neighbors and weights, or None, of some vertices that it owns, which ascend: row by row, each sorted."""
        rows = self.graph.out_edges
        at = positions_of(rows.offsets, vertices, self.device)
        return rows.indices[at], None if rows.weights is None else rows.weights[at]

    def ends(self) -> list[Any]:
        """The other ends of all its arcs: of those that leave its vertices, and of in-edges, if it holds them."""
        found = [self.graph.indices]
        if self.graph.directed and "in_edges" in self.graph.kept:
            found.append(self.graph.in_edges(ids=False).indices)
        return found

    def others_in(self, lists: list[Any], known: list[Any]) -> list[Any]:
        """By owner, the vertices of others in some lists and not among those that are known: ascending, each once."""
        there = self.device.full(self.graph.num_vertices, False, np.bool_)
        for ids in lists:
            there[ids] = True
        for ids in (self.owned, *known):
            there[ids] = False
        return self.split(self.xp.flatnonzero(there).astype(np.int32))

    def find_ghosts(self) -> None:
        """Look for the vertices of others that its rows lead to."""
        self.ghosts = self.others_in(self.ends(), [])

    def arcs_by_target(self) -> list[tuple[Any, Any, Any]]:
        """Its arcs by the owners of the vertices that they lead to."""
        src, dst, weights = self.graph.to_edges(both_ways=True)
        owners = self.deal.owners(dst)
        arcs = [owners == part for part in range(self.num_parts)]
        return [(src[at], dst[at], None if weights is None else weights[at]) for at in arcs]

    def keep_in_edges(self, received: list[tuple[Any, Any, Any]]) -> None:
        """Have the in-edges of its vertices, which all parts sent."""
        src, dst, weights = joined(self.here(received), self.xp)
        turned = Graph.from_edges(
            dst, src, weights, num_vertices=self.graph.num_vertices, directed=True, device=self.device
        )
        # Edges have no ids that all parts know, so their in-edges have none.
        rows = Adjacency(turned.offsets, turned.indices, turned.weights)
        self.graph.drop(*self.graph.kept)
        self.graph._kept.get("in_edges", self.graph.version, lambda: rows)


def meet(parts: list[Part], team: Team, exchange: Exchange) -> None:
    """Find the ghosts of each part, and have their owners know of them."""
    team.each(lambda index: parts[index].find_ghosts())
    received = exchange.all_to_all([part.ghosts for part in parts])

    def take(index: int) -> None:
        parts[index].mirrors = parts[index].here(received[index])

    team.each(take)


def turn_rows(parts: list[Part], team: Team, exchange: Exchange) -> None:
    """Have each part of a directed graph hold the in-edges of its vertices: those who have the arcs send them."""
    received = exchange.all_to_all(team.each(lambda index: parts[index].arcs_by_target()))
    team.each(lambda index: parts[index].keep_in_edges(received[index]))
    meet(parts, team, exchange)


def held_in(ids: Any, wanted: Any, xp: Any) -> Any:
    """bool: which of the wanted ids are among `ids`, which ascend."""
    if not len(ids):
        return xp.zeros(len(wanted), np.bool_)
    places = xp.searchsorted(ids, wanted)
    places[places == len(ids)] = 0
    return ids[places] == wanted


def joined(arcs: list[tuple[Any, Any, Any]], xp: Any) -> tuple[Any, Any, Any]:
    """Several lots of arcs as one."""
    src, dst, weights = zip(*arcs, strict=True)
    return xp.concatenate(src), xp.concatenate(dst), None if weights[0] is None else xp.concatenate(weights)


def positions_of(offsets: Any, vertices: Any, device: Device) -> Any:
    """Where the arcs of these vertices stand in rows that begin at `offsets`, row by row."""
    xp, begins = device.xp, offsets[vertices]
    starts = xp.zeros(len(vertices) + 1, np.int64)
    xp.cumsum(offsets[vertices + 1] - begins, out=starts[1:])
    count = int(starts[-1])
    return xp.arange(count) + (begins - starts[:-1])[builder(device).row_of_arcs(starts, count)]
