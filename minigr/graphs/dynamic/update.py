"""Batches of edges put into all the slabs of a graph."""

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
    """Slabs, and which arcs of a pair they hold: the pair's own, both, or the reverse one.

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
    """Insert pairs; of the report only ``changed`` and ``loops``, those of the first direction, and ``bad`` count.

    Keys go in first, into every direction, because vertices may have to move for them; then weights, for which they
    don't. What was done until an error, or until the report says that a pair is bad, is undone with the transaction;
    without one the slabs are then not to be used. `sizes`, for graphs without edges, says how many arcs each vertex
    gets in each direction.

    Returns
    -------
    Report
        With the ``mask``, if wanted.
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
    """Insert pairs, however many, into slabs that hold nothing yet; `sizes`: as for `insert`."""
    counted = sizes if len(src) <= MOST_PAIRS else None  # are those of a piece only
    for first in range(0, len(src), MOST_PAIRS):
        piece = slice(first, first + MOST_PAIRS)
        values = None if weights is None else weights[piece]
        insert(directions, src[piece], dst[piece], values, None, loops=loops, sizes=counted)


def _book(slabs: Slabs, arcs: int, loops: int) -> None:
    """Count arcs that came, or with numbers below 0 went without leaving a tombstone."""
    slabs.num_arcs += arcs
    slabs.num_loops += loops


def _delete_again(slabs: Slabs, batch: Any) -> None:
    """Delete what an insertion made that is not booked."""
    slabs.num_tombstones += slabs.kernels.undo(slabs, batch).changed


def remove(directions: list[Direction], src: Any, dst: Any, transaction: Transaction, with_mask: bool) -> Report:
    """Delete pairs, until the transaction is undone; the report is as that of `insert`."""
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
    """Edges that a report's arcs are."""
    return report.changed if directed else (report.changed + report.loops) // 2
