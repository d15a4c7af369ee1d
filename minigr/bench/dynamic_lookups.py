"""Queries and deletions of edges of a dynamic graph, and of pairs that are not edges."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import count
from typing import Any

import numpy as np

from minigr import DynamicGraph
from minigr.bench.document import MINIGR, Row
from minigr.bench.dynamic_calls import Plan, Subject, keyed, rows_of
from minigr.bench.timed import Call
from minigr.device import Device
from minigr.errors import MeasurementError
from minigr.graphs.backend import builder, scope

PRESENT, ABSENT = "present", "absent"
_GOLDEN = 0.6180339887  # steps of this fraction of a range visit its numbers in an order that looks random
_TRIES = 8  # the most batches of random pairs that are drawn to find enough that are not edges


class Batches:
    """Batches of edges of a graph, without repeats, and of pairs that are not edges."""

    def __init__(self, subject: Subject, original: DynamicGraph) -> None:
        self._subject, self._original, self._device = subject, original, subject.device
        rows = original.to_graph()
        with scope(self._device):
            src, dst = builder(self._device).row_of_arcs(rows.offsets, rows.num_arcs), rows.indices
            once = slice(None) if original.directed else src < dst
            self._src, self._dst = src[once], dst[once]
        self._numbers = count(1)

    def present(self, size: int) -> tuple[Any, Any]:
        """`size` edges, spread over the whole graph."""
        total = len(self._src)
        step = _coprime_step(total)
        with scope(self._device):
            at = (self._device.xp.arange(size, dtype=np.int64) * step + next(self._numbers)) % total
            return self._src[at], self._dst[at]

    def absent(self, size: int) -> tuple[Any, Any]:
        """`size` pairs of different vertices that are not edges."""
        device = self._device
        found: list[tuple[Any, Any]] = []
        missing = size
        for _ in range(_TRIES):
            src, dst = self._subject.recipe.edges(device, 2 * size, next(self._numbers))
            with scope(device):
                free = (src != dst) & ~self._original.has_edges(src, dst)
                found.append((src[free][:missing], dst[free][:missing]))
            missing -= len(found[-1][0])
            if missing == 0:
                with scope(device):
                    return tuple(map(device.xp.concatenate, zip(*found, strict=True)))
        raise MeasurementError(
            f"{self._subject.recipe.name}: {size:,} pairs that are no edges were not found: the graph is dense, so "
            "measure smaller batches with --to"
        )


def _coprime_step(total: int) -> int:
    """A step that visits each of `total` numbers once before it visits one again."""
    step = max(int(total * _GOLDEN), 1)
    while np.gcd(step, total) != 1:
        step += 1
    return step


def lookups(plan: Plan) -> list[Row]:
    """Rates at which edges of the graph, and pairs that are not edges, are found and deleted.

    A batch that is larger than the graph is left out.
    """
    return [found for values in plan.values for found in rows_of(plan, _calls(plan, values))]


def _calls(plan: Plan, values: str) -> Iterator[Call]:
    subject = Subject(plan.recipe, plan.device, values)
    original = subject.original()
    batches = Batches(subject, original)
    subject.few = batches.absent(len(subject.few[0]))  # absent pairs, so that a rehearsal does not change the graph
    sizes = [size for size in plan.batches if size <= original.num_edges]
    if not sizes:
        raise MeasurementError(
            f"{plan.recipe.name} has {original.num_edges:,} edges, fewer than a batch: measure smaller ones with --from"
        )

    def begin(edges: str, size: int, measure: str) -> None:
        subject.restore(original)
        subject.batch = batches.present(size) if edges == PRESENT else batches.absent(size)
        subject.rehearse(measure)

    for size in sizes:
        for edges in (PRESENT, ABSENT):
            key = keyed({"graph": plan.recipe.name, "part": "lookups", "edges": edges, "batch": size}, values)
            yield Call(
                {**key, "measure": "query", "by": MINIGR},
                subject.query,
                before=partial(begin, edges, size, "query"),
                after=partial(_check_found, subject.device, edges),
                count=size,
            )
            yield Call(
                {**key, "measure": "delete", "by": MINIGR},
                subject.delete,
                before=partial(begin, edges, size, "delete"),
                after=partial(_check_left, subject, original.num_edges - (size if edges == PRESENT else 0)),
                count=size,
            )


def _check_found(device: Device, edges: str, found: Any) -> None:
    right = found if edges == PRESENT else ~found
    with scope(device):
        if not bool(right.all()):
            raise MeasurementError(f"has_edges is wrong about edges that are {edges}: this is a defect of minigr")


def _check_left(subject: Subject, edges: int, _deleted: object) -> None:
    if subject.graph.num_edges != edges:
        raise MeasurementError("delete_edges deleted too many edges or too few: this is a defect of minigr")
