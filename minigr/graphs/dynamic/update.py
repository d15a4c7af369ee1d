"""Applying batches of edges to all slabs of a graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from minigr.graphs.dynamic.edge_batch import MOST_PAIRS
from minigr.graphs.dynamic.growth import insert_keys
from minigr.graphs.dynamic.storage import Report, Slabs
from minigr.graphs.dynamic.transaction import Transaction
from minigr.graphs.dynamic.values import fill_new


@dataclass
class Direction:
    """Slabs, and the arcs of a pair that they hold: the arc of the pair, both arcs, or the reverse arc.

    Attributes
    ----------
    slabs : Slabs
    mirror, reverse : bool
    """

    slabs: Slabs
    mirror: bool
    reverse: bool


def insert(
    directions: list[Direction], src: Any, dst: Any, weights: Any, transaction: Transaction | None, *, loops: bool,
    with_mask: bool = False, sizes: tuple[Any, ...] | None = None,
) -> Report:  # fmt: skip
    """Insert pairs. The fields ``changed`` and ``loops`` of the report are those of the first direction.

    Of the other fields, only ``bad`` is valid. Keys are inserted first, into all directions, because this may move
    vertices. Weights are written afterwards, because this moves none. If an error is raised or the report has a bad
    pair, undoing the transaction undoes what was done. Without a transaction, the slabs must not be used then. `sizes`,
    for graphs without edges, says how many arcs each vertex gets in each direction.

    Returns
    -------
    Report
        With the ``mask``, if asked for.
    """
    weighted = weights is not None
    batches: list[tuple[Slabs, Any]] = []
    first: Any = None
    for one in directions:
        slabs, with_values = one.slabs, bool(one.slabs.values)
        batch = slabs.kernels.arcs(
            slabs.allocator, src, dst, slabs.num_vertices, mirror=one.mirror, reverse=one.reverse, loops=loops,
            with_slots=weighted or with_values, weights=weights,
            with_held=weighted and transaction is not None, with_mask=with_mask and first is None,
        )  # fmt: skip
        if transaction is not None:
            transaction.on_undo(_delete_again, slabs, batch)
        report = insert_keys(slabs, batch, sizes=None if sizes is None else sizes[len(batches)])
        if report.bad >= 0:
            return report
        if transaction is not None:
            transaction.on_undo(_book, slabs, -report.changed, -report.loops)
        _book(slabs, report.changed, report.loops)
        if with_values:
            fill_new(slabs, batch)
        if first is None:
            first, report.mask = report, slabs.kernels.mask(batch) if with_mask else None
        batches.append((slabs, batch))
    for slabs, batch in batches if weighted else ():
        slabs.kernels.put_weights(slabs, batch, weights)
        if transaction is not None:
            transaction.on_undo(slabs.kernels.restore_weights, slabs, batch)
    return first


def fill(directions: list[Direction], src: Any, dst: Any, weights: Any, sizes: tuple[Any, ...], *, loops: bool) -> None:
    """Insert any number of pairs into empty slabs; `sizes` as for `insert`."""
    counted = sizes if len(src) <= MOST_PAIRS else None  # with several pieces, `sizes` would not be those of a piece
    for first in range(0, len(src), MOST_PAIRS):
        piece = slice(first, first + MOST_PAIRS)
        values = None if weights is None else weights[piece]
        insert(directions, src[piece], dst[piece], values, None, loops=loops, sizes=counted)


def _book(slabs: Slabs, arcs: int, loops: int) -> None:
    """Count arcs that were inserted or, with negative numbers, removed without leaving a tombstone."""
    slabs.num_arcs += arcs
    slabs.num_loops += loops


def _delete_again(slabs: Slabs, batch: Any) -> None:
    """Delete the arcs that an insertion made and that are not counted."""
    slabs.num_tombstones += slabs.kernels.undo(slabs, batch).changed


def remove(directions: list[Direction], src: Any, dst: Any, transaction: Transaction, with_mask: bool) -> Report:
    """Delete pairs, until the transaction is undone. The report is like that of `insert`."""
    first: Any = None
    for one in directions:
        slabs = one.slabs
        batch = slabs.kernels.arcs(
            slabs.allocator, src, dst, slabs.num_vertices, mirror=one.mirror, reverse=one.reverse, with_states=False,
            with_slots=True, with_mask=with_mask and first is None,
        )  # fmt: skip
        report = slabs.kernels.remove(slabs, batch)
        transaction.on_undo(slabs.kernels.restore, slabs, batch)
        if report.bad >= 0:
            return report
        book_removed(slabs, report, transaction)
        if first is None:
            first, report.mask = report, slabs.kernels.mask(batch) if with_mask else None
    return first


def book_removed(slabs: Slabs, report: Report, transaction: Transaction) -> None:
    """Count the arcs that became tombstones, until the transaction is undone."""
    transaction.on_undo(_book_removed, slabs, -report.changed, -report.loops)
    _book_removed(slabs, report.changed, report.loops)


def _book_removed(slabs: Slabs, arcs: int, loops: int) -> None:
    _book(slabs, -arcs, -loops)
    slabs.num_tombstones += arcs


def edges_of(report: Report, directed: bool) -> int:
    """The number of edges whose arcs a report counts."""
    return report.changed if directed else (report.changed + report.loops) // 2
