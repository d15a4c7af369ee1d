"""DynamicPart: one part of a dynamic graph, whose ghosts become more over time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from minigr.device import Device
from minigr.graphs.backend import scope
from minigr.graphs.dynamic import export, vertices
from minigr.graphs.dynamic.transaction import Transaction
from minigr.graphs.graph import Graph
from minigr.graphs.partitioned.deal import Hashed, Ranges
from minigr.graphs.partitioned.exchange import Exchange
from minigr.graphs.partitioned.part import Part, held_in
from minigr.graphs.partitioned.share import Piece
from minigr.graphs.partitioned.team import Team

_MANY = 16  # with more than one in this many vertices, a pass over all of them is faster than sorting


@dataclass
class DynamicPart(Part):
    """A `Part` whose rows are changed by batches.

    A ghost stays a ghost when the last edge to it is deleted, because a copy that is never read does no harm.

    Attributes
    ----------
    graph : DynamicRows
    """

    @property
    def live(self) -> Any:
        dead = self.graph._dead
        if not self.graph._num_dead:
            return self.owned
        with scope(self.device):
            return self.owned[~dead[self.owned]]

    @property
    def memory(self) -> int:
        return self.graph.memory().total + self.bytes_of_lists

    def static(self) -> Graph:
        return self.graph.to_graph()

    def ends_of(self, vertices: Any) -> Any:
        return export.arcs_of(self.graph._out, vertices)[1]

    def rows_at(self, vertices: Any) -> tuple[Any, Any]:
        return export.rows_at(self.graph._out, vertices)

    def ends(self) -> list[Any]:
        return [export.rows_of(one.slabs).indices for one in self.graph._directions]

    def unknown(self, ends: list[Any]) -> list[Any]:
        """By part, those of these vertices that become ghosts: in ascending order, each once."""
        if _MANY * sum(map(len, ends)) > self.graph.num_vertices:
            return self.others_in(ends, self.ghosts)
        ids = self.xp.unique(self.xp.concatenate(ends))
        return [
            each[~held_in(known, each, self.xp)] if part != self.index else self.none()
            for part, (known, each) in enumerate(zip(self.ghosts, self.split(ids), strict=True))
        ]

    def know(self, ghosts: list[Any], mirrors: list[Any]) -> None:
        """Add ghosts and mirrors. Lists without new vertices stay the same objects."""
        self.ghosts, self.mirrors = self._joined(self.ghosts, ghosts), self._joined(self.mirrors, mirrors)

    def _joined(self, lists: list[Any], new: list[Any]) -> list[Any]:
        if not any(map(len, new)):
            return lists
        return [self._merged(*pair) if len(pair[1]) else pair[0] for pair in zip(lists, new, strict=True)]

    def _merged(self, ids: Any, new: Any) -> Any:
        """Merge two ascending arrays without common elements into one ascending array."""
        xp, count = self.xp, len(ids) + len(new)
        found, is_old = self.device.empty(count, ids.dtype), self.device.full(count, True, np.bool_)
        places = xp.searchsorted(ids, new) + xp.arange(len(new))
        is_old[places] = False
        found[places], found[is_old] = new, ids
        return found

    def append(self, transaction: Transaction, count: int, deal: Ranges | Hashed, with_edges: bool) -> Any:
        """Insert vertices, until the transaction is undone. `deal` assigns the new ids. Returns the ids."""
        self.deal = deal.on(self.device)
        before, self.owned = len(self.owned), self.deal.owned(self.index)
        n = self.graph.num_vertices
        has_row = self.device.full(deal.num_vertices - n, False, np.bool_)
        has_row[self.owned[before:] - n] = True
        return self.graph.append(transaction, count, has_row, with_edges)

    def arcs_at(self, ids: Any) -> tuple[Device, Piece]:
        """The arcs from and to those of `ids` that the part owns, on its device; both arcs of undirected edges."""
        gone = vertices.there_of(self.graph, self.device.asarray(ids))
        src, dst = vertices.arcs_at(self.graph, gone[self.deal.owners(gone) == self.index])
        if not self.graph.directed:
            src, dst = self.xp.concatenate([src, dst]), self.xp.concatenate([dst, src])
        return self.device, (src, dst, None)

    def bury(self, transaction: Transaction, lots: Sequence[Piece], ids: Any) -> None:
        """Delete arcs, and then vertices that only arcs of other parts lead to, until the transaction is undone."""
        gone = vertices.there_of(self.graph, self.device.asarray(ids))
        self.graph.bury(transaction, lots, gone, gone[self.deal.owners(gone) == self.index])

    def kept(self) -> dict[str, Any]:
        """The attributes, besides rows, that a batch may change, to restore them in `__dict__`."""
        return {name: getattr(self, name) for name in ("deal", "owned", "ghosts", "mirrors")}


def introduce(parts: list[DynamicPart], ends: list[list[Any]], team: Team, exchange: Exchange) -> None:
    """Tell parts about the vertices at the ends of new arcs, and the owners of these vertices where they are ghosts."""
    new = team.each(lambda index: parts[index].unknown(ends[index]))
    received = exchange.all_to_all(new)
    team.each(lambda index: parts[index].know(new[index], parts[index].here(received[index])))
