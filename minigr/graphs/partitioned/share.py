"""Share: the edges of a graph in parts that one process has, and how all processes deal out their edges."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import numpy as np

from minigr.device import CPU, Device
from minigr.errors import GraphError
from minigr.graphs.checks import as_ids, as_ids_up_to, as_vector, as_vertex_count, as_weights
from minigr.graphs.graph import Graph
from minigr.graphs.partitioned.deal import Hashed, Ranges
from minigr.graphs.partitioned.exchange import Exchange
from minigr.graphs.partitioned.part import joined
from minigr.graphs.partitioned.team import Team

CHUNK = 1 << 22
"""The number of edges that are read at a time."""

Piece = tuple[Any, Any, Any]
"""Sources, targets and weights of some edges; the weights may be None."""


@dataclass(frozen=True)
class Counted:
    """The facts about a share that a process tells the others.

    Attributes
    ----------
    degrees : int64 array
        The number of its arcs that leave each vertex.
    pieces : int
    """

    degrees: Any
    pieces: int


class Share:
    """The edges that a process deals out. They are read in pieces, again for each use.

    Parameters
    ----------
    read : function
        A function without arguments that reads the edges once. It yields int32 ends, each of them a vertex, and
        weights.
    num_vertices : int
        The same in all processes.
    mirrored : bool
        Whether each edge is an arc in both directions.
    weight_dtype : dtype or None
        The same in all processes.
    device : Device
        The device of all these arrays.
    counted : Counted, optional
        The counts, if the edges were counted during another pass.
    """

    def __init__(
        self, read: Callable[[], Iterator[Piece]], num_vertices: int, mirrored: bool, weight_dtype: Any,
        device: Device = CPU, counted: Counted | None = None,
    ) -> None:  # fmt: skip
        self._read, self._mirrored, self._counted = read, mirrored, counted
        self.num_vertices, self.weight_dtype, self.device = num_vertices, weight_dtype, device

    def arcs(self) -> Iterator[Piece]:
        """The arcs of each piece. The arcs of one edge are adjacent."""
        for src, dst, weights in self._read():
            yield both_ways(self.device, src, dst, weights)[0] if self._mirrored else (src, dst, weights)

    def none(self) -> Piece:
        """A piece without edges."""
        ends, dtype = self.device.empty(0, np.int32), self.weight_dtype
        return ends, ends, None if dtype is None else self.device.empty(0, dtype)

    @property
    def counted(self) -> Counted:
        """The degrees and the number of pieces. Reads the edges, unless they were counted before."""
        if self._counted is None:
            degrees, pieces = self.device.full(self.num_vertices, 0, np.int64), 0
            for src, _, _ in self.arcs():
                degrees += self.device.xp.bincount(src, minlength=self.num_vertices)
                pieces += 1
            self._counted = Counted(degrees, pieces)
        return self._counted


def both_ways(device: Device, src: Any, dst: Any, weights: Any) -> tuple[Piece, Any]:
    """The arcs of undirected edges, adjacent for each edge, one for a self-loop; and bool: which arcs are first."""

    def in_turn(first: Any, second: Any) -> Any:
        found = device.empty(2 * len(first), first.dtype)
        found[::2], found[1::2] = first, second
        return found

    arcs, loops = (in_turn(src, dst), in_turn(dst, src)), src == dst
    twice, first = None if weights is None else in_turn(weights, weights), in_turn(loops | True, loops & False)
    if loops.any():
        kept = in_turn(loops | True, ~loops)
        arcs, first = (arcs[0][kept], arcs[1][kept]), first[kept]
        twice = None if twice is None else twice[kept]
    return (*arcs, twice), first


def rows_of_parts(
    share: Share, rounds: int, deal: Ranges | Hashed, homes: list[Device], exchange: Exchange, directed: bool
) -> list[Graph]:
    """Deal out the shares of all processes, a piece of each per round. Returns the rows of the parts that are here."""
    xp, there, pieces = share.device.xp, deal.on(share.device), share.arcs()
    kept: list[list[tuple[int, Piece]]] = [[] for _ in homes]  # pieces with the part that sent them
    for _ in range(max(rounds, 1)):
        src, dst, weights = next(pieces, None) or share.none()
        owners = there.owners(src)
        of_parts = [xp.flatnonzero(owners == part) for part in range(exchange.num_parts)]
        own = [(src[at], dst[at], None if weights is None else weights[at]) for at in of_parts]
        others = [[None] * exchange.num_parts for _ in homes[1:]]  # the edges are sent as if from the first part
        share.device.synchronize()  # other GPUs copy these arrays
        for arcs, device, received in zip(kept, homes, exchange.all_to_all([own, *others]), strict=True):
            arcs += [(part, _moved(each, device)) for part, each in enumerate(received) if each is not None]
            device.synchronize()
    next(pieces, None)  # there is no further piece, but the generator must run to its end

    def built(number: int) -> Graph:
        arcs, device = kept[number], homes[number]
        in_order = sorted(arcs, key=itemgetter(0))  # by part, not by round, to keep the order of parallel edges
        arcs.clear()
        src, dst, weights = joined([piece for _, piece in in_order], device.xp)
        in_order.clear()
        rows = Graph.from_edges(src, dst, weights, num_vertices=share.num_vertices, directed=True, device=device)
        return Graph(rows.out_edges, directed, device)

    return Team(homes, exchange.local).each(built)


def share_of(
    src: Any, dst: Any, weights: Any, num_vertices: int | None, directed: bool, exchange: Exchange, where: Device
) -> Share:
    """The share of edges in arrays. All edges are checked."""
    ends = {
        name: as_vector(where, ids, name) if hasattr(ids, "dtype") or len(ids) else where.empty(0, np.int32)
        for ids, name in ((src, "src"), (dst, "dst"))
    }
    count = len(ends["src"])
    if count != len(ends["dst"]):
        raise GraphError(f"src has length {count}, but dst has length {len(ends['dst'])}: an edge needs both")
    of_edges = None if weights is None else as_weights(where, weights, count)
    given = exchange.of_processes((count, None if of_edges is None else of_edges.dtype.name))
    kinds = sorted({str(kind) for edges, kind in given if edges})
    if len(kinds) > 1:
        raise GraphError(f"processes give weights of different dtypes, or not all of them: {', '.join(kinds)}")
    if kinds and count == 0:  # without edges, any dtype is right
        of_edges = None if kinds == ["None"] else where.empty(0, kinds[0])
    n = None if num_vertices is None else as_vertex_count(num_vertices)
    most = -1
    for told, at in _pieces_of(count):
        for name, ids in ends.items():
            most = max(most, as_ids_up_to(where, ids[at], name + told, n)[1])
    n = max(exchange.of_processes(most + 1)) if n is None else n

    def read() -> Iterator[Piece]:
        for told, at in _pieces_of(count):
            found = [as_ids(where, ids[at], name + told, n) for name, ids in ends.items()]
            yield found[0], found[1], None if of_edges is None else of_edges[at]

    return Share(read, n, not directed, None if of_edges is None else of_edges.dtype, where)


def _pieces_of(count: int) -> Iterator[tuple[str, slice]]:
    """For each piece of `count` edges, its name in messages and its range."""
    for first in range(0, count, CHUNK):
        last = min(first + CHUNK, count)
        yield "" if count <= CHUNK else f"[{first}:{last}]", slice(first, last)


def _moved(arcs: Piece, device: Device) -> Piece:
    src, dst, weights = arcs
    return device.asarray(src), device.asarray(dst), None if weights is None else device.asarray(weights)
