"""Batches of edges put into all the slabs of a graph, or into none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from minigr.graphs.dynamic.growth import insert_keys
from minigr.graphs.dynamic.storage import Report, Slabs


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

    def arcs(self, src: Any, dst: Any, **options: Any) -> Any:
        """The arcs of these pairs, for the kernels."""
        n, allocator = self.slabs.num_vertices, self.slabs.allocator
        return self.slabs.kernels.arcs(allocator, src, dst, n, mirror=self.mirror, reverse=self.reverse, **options)


def insert(
    directions: list[Direction], src: Any, dst: Any, weights: Any, *, loops: bool, with_mask: bool = False,
    sizes: tuple[Any, ...] | None = None,
) -> Report:  # fmt: skip
    """Insert pairs; of the report only ``changed`` and ``loops``, those of the first direction, and ``bad`` count.

    Keys go in first, into every direction; weights are written when nothing can fail any more. If something does before
    that, what was inserted is deleted again. `sizes`, for graphs without edges, says how many arcs each vertex gets in
    each direction.

    Returns
    -------
    Report
        With the ``mask``, if wanted.
    """
    options = {"loops": loops, "with_slots": weights is not None}
    batches = [
        (one.slabs, one.arcs(src, dst, with_mask=with_mask and one is directions[0], **options)) for one in directions
    ]
    reports: list[Report] = []
    try:
        for number, (slabs, batch) in enumerate(batches):
            reports.append(insert_keys(slabs, batch, sizes=None if sizes is None else sizes[number]))
            if reports[0].bad >= 0:
                break
    except BaseException:
        _take_back(batches[: len(reports) + 1])
        raise
    if reports[0].bad >= 0:
        _take_back(batches[:1])
        return reports[0]
    for (slabs, batch), report in zip(batches, reports, strict=True):
        slabs.num_arcs += report.changed
        slabs.num_loops += report.loops
        if weights is not None:
            slabs.kernels.put_weights(slabs, batch, weights)
    slabs, batch = batches[0]
    reports[0].mask = slabs.kernels.mask(batch) if with_mask else None
    return reports[0]


def _take_back(batches: list[tuple[Slabs, Any]]) -> None:
    """Delete again what unfinished insertions made; it was not booked yet."""
    for slabs, batch in batches:
        slabs.num_tombstones += slabs.kernels.undo(slabs, batch).changed


def remove(directions: list[Direction], src: Any, dst: Any, with_mask: bool) -> Report:
    """Delete pairs; the report is as that of `insert`."""
    batches = [
        (one.slabs, one.arcs(src, dst, with_states=False, with_mask=with_mask and number == 0))
        for number, one in enumerate(directions)
    ]
    reports = []
    for slabs, batch in batches:
        report = slabs.kernels.remove(slabs, batch)
        reports.append(report)
        if report.bad >= 0:
            break
        book_removed(slabs, report)
    slabs, batch = batches[0]
    if with_mask and reports[0].bad < 0:
        reports[0].mask = slabs.kernels.mask(batch)
    return reports[0]


def book_removed(slabs: Slabs, report: Report) -> None:
    """Count the arcs that became tombstones."""
    slabs.num_arcs -= report.changed
    slabs.num_loops -= report.loops
    slabs.num_tombstones += report.changed


def edges_of(report: Report, directed: bool) -> int:
    """Edges that a report's arcs are."""
    return report.changed if directed else (report.changed + report.loops) // 2
