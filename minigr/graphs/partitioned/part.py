"""Part: the rows of the vertices that one part owns, and who knows of which vertices of whom."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from minigr.graphs.adjacency import Adjacency
from minigr.graphs.graph import Graph
from minigr.graphs.partitioned.deal import Hashed, Ranges
from minigr.graphs.partitioned.exchange import Exchange
from minigr.held import arrays_in


@dataclass
class Part:
    """One part of a graph.

    Attributes
    ----------
    index : int
    graph : Graph
        All vertices, with the rows of those that the part owns; the other rows are empty.
    owned : int32 array
        Its vertices, in ascending order.
    ghosts : list of int32 arrays
        By part, the vertices of that part which its rows lead to, in ascending order; its own place is empty.
    mirrors : list of int32 arrays
        By part, its own vertices which are ghosts there.
    """

    index: int
    graph: Graph
    owned: Any
    ghosts: list[Any] = field(default_factory=list)
    mirrors: list[Any] = field(default_factory=list)

    @property
    def num_ghosts(self) -> int:
        """How many vertices of others it has a copy of."""
        return sum(len(each) for each in self.ghosts)

    @property
    def memory(self) -> int:
        """Bytes of its arrays."""
        arrays = arrays_in((self.owned, self.ghosts, self.mirrors)).values()
        return self.graph.memory + sum(int(array.nbytes) for array in arrays)


def meet(parts: list[Part], deal: Ranges | Hashed, exchange: Exchange) -> None:
    """Find the ghosts of each part, and have their owners know of them."""
    for part in parts:
        rows = [part.graph.indices]
        if part.graph.directed and "in_edges" in part.graph.kept:
            rows.append(part.graph.in_edges(ids=False).indices)
        there = np.zeros(part.graph.num_vertices, np.bool_)
        for indices in rows:
            there[indices] = True
        there[part.owned] = False
        part.ghosts = split(np.flatnonzero(there).astype(np.int32), deal, exchange.num_parts)
    received = exchange.all_to_all([part.ghosts for part in parts])
    for part, mirrors in zip(parts, received, strict=True):
        part.mirrors = mirrors


def split(ids: Any, deal: Ranges | Hashed, num_parts: int) -> list[Any]:
    """Ids by their owners, in the order in which they come."""
    owners = deal.owners(ids)
    return [ids[owners == part] for part in range(num_parts)]


def turn_rows(parts: list[Part], deal: Ranges | Hashed, exchange: Exchange) -> None:
    """Have each part of a directed graph hold the in-edges of its vertices: those who have the arcs send them."""
    sent = []
    for part in parts:
        src, dst, weights = part.graph.to_edges(both_ways=True)
        owners = deal.owners(dst)
        arcs = [owners == q for q in range(exchange.num_parts)]
        sent.append([(src[at], dst[at], None if weights is None else weights[at]) for at in arcs])
    for part, received in zip(parts, exchange.all_to_all(sent), strict=True):
        src, dst, weights = joined(received)
        turned = Graph.from_edges(
            dst, src, weights, num_vertices=part.graph.num_vertices, directed=True, device=part.graph._device
        )
        # Edges have no ids that all parts know, so their in-edges have none.
        rows = Adjacency(turned.offsets, turned.indices, turned.weights)
        part.graph.drop(*part.graph.kept)
        part.graph._kept.get("in_edges", part.graph.version, lambda rows=rows: rows)  # type: ignore[misc]
    meet(parts, deal, exchange)


def joined(arcs: list[tuple[Any, Any, Any]]) -> tuple[Any, Any, Any]:
    """Several lots of arcs as one."""
    src, dst, weights = zip(*arcs, strict=True)
    return np.concatenate(src), np.concatenate(dst), None if weights[0] is None else np.concatenate(weights)
