"""DynamicRows: the rows of a dynamic graph that one part has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from minigr.graphs.adjacency import Adjacency
from minigr.graphs.backend import builder
from minigr.graphs.dynamic import edge_batch, update, vertices
from minigr.graphs.dynamic.backend import kernels
from minigr.graphs.dynamic.changes import Changes
from minigr.graphs.dynamic.hints import Hints
from minigr.graphs.dynamic.layout import LANES
from minigr.graphs.dynamic.storage import Slabs
from minigr.graphs.dynamic.transaction import Transaction
from minigr.graphs.dynamic.update import Direction
from minigr.graphs.graph import Graph

Arcs = tuple[Any, Any, Any]
"""int32 sources and destinations on the part's device, and weights or None."""


class DynamicRows(Changes):
    """The slabs of the vertices that a part owns. Other vertices have no slabs, and take twelve bytes.

    Operators can use this object like a `DynamicGraph`. A batch has one list of arcs for each direction: the arcs that
    leave vertices of the part and, if the part keeps in-edges, the arcs that end at them. An undirected edge is two
    arcs, which may be in different parts.

    Parameters
    ----------
    rows : Graph
        The first rows.
    owned : int32 array
    load_factor, in_edges, allow_self_loops
        As for `DynamicGraph`.
    hints : Hints
        The hints, on the device of the rows.
    """

    def __init__(
        self, rows: Graph, owned: Any, load_factor: float, in_edges: bool, allow_self_loops: bool, hints: Hints
    ) -> None:
        self._start(rows._device, rows.directed, load_factor, allow_self_loops)
        self._directions: list[Direction] = []
        self._add(rows.out_edges, owned, hints.degrees, hints.room, False)
        if in_edges and rows.directed:
            self._add(rows.in_edges(ids=False), owned, hints.in_degrees, hints.room, True)

    def _add(self, rows: Adjacency, owned: Any, expected: Any, room: int, reverse: bool) -> None:
        """Make the slabs of one direction with the arcs of `rows`. Of parallel arcs, the last one is kept."""
        device = self._device
        degrees = device.xp.diff(rows.offsets).astype(np.int32)
        sizes = device.full(rows.num_vertices, -1, np.int32)
        sizes[owned] = (degrees if expected is None else device.xp.maximum(degrees, expected))[owned]
        dtype = None if rows.weights is None else rows.weights.dtype
        slabs = Slabs.sized(self._allocator, kernels(device), sizes, dtype, self._load_factor, room)
        ends = builder(device).row_of_arcs(rows.offsets, rows.num_arcs), rows.indices
        one = Direction(slabs, False, reverse)
        pairs = ends[::-1] if reverse else ends
        update.fill([one], *pairs, rows.weights, (degrees,), loops=self.allow_self_loops)
        self._directions.append(one)

    def change(self, transaction: Transaction, lots: Sequence[Arcs], insert: bool, with_mask: bool) -> Any:
        """Insert or delete a list of arcs for each direction, until the transaction is undone; the first list's mask.

        All ids must be in range, the part must own the vertices, and no weight may be NaN.

        Raises
        ------
        GraphError
            If a list has more arcs than kernels can number.
        OutOfMemoryError
        """
        for src, dst, _ in lots:
            edge_batch.check_lengths(src, dst)
        with self._in_batch(transaction):
            self._begin()
            masks = []
            for one, (src, dst, weights) in zip(self._directions, lots, strict=True):
                wanted = with_mask and not one.reverse
                if insert:
                    loops = self.allow_self_loops
                    report = update.insert([one], src, dst, weights, transaction, loops=loops, with_mask=wanted)
                else:
                    report = update.remove([one], src, dst, transaction, wanted)
                masks.append(report.mask)
            return masks[0]

    def append(self, transaction: Transaction, count: int, has_row: Any, with_edges: bool) -> Any:
        """Insert vertices until the transaction is undone; see `vertices.insert`."""
        with self._in_batch(transaction):
            return vertices.insert(self, count, self._begin(), with_edges, has_row)

    def bury(self, transaction: Transaction, lots: Sequence[Arcs], gone: Any, own: Any) -> None:
        """Delete a list of arcs for each direction, then see `vertices.bury`, until the transaction is undone."""
        self.change(transaction, lots, False, False)
        vertices.bury(self, gone, own, transaction)

    def mark(self, transaction: Transaction) -> None:
        """Set the mark after all existing arcs, until the transaction is undone."""
        with self._in_batch(transaction):
            self._mark()

    def rehash(self, transaction: Transaction, load_factor: float | None) -> None:
        """Rehash all arcs, until the transaction is undone."""
        with self._in_batch(transaction):
            self._rehash(load_factor)

    @contextmanager
    def _in_batch(self, transaction: Transaction) -> Iterator[None]:
        """Make `transaction` the current batch."""
        self._guard.batch = transaction
        try:
            yield
        finally:
            self._guard.batch = None

    def _assume_row(self, longest: int, *, inward: bool) -> None:
        """Assume a longest row of this length, so that all parts of a partitioned graph are handled alike."""
        self.longest_row(inward=inward)  # makes it known
        self._side(inward).note_widest(longest // LANES)
