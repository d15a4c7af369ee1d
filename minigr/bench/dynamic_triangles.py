"""Triangles of a dynamic graph: by lookups of edges in its slabs, and by rows that are sorted first."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import minigr as mg
from minigr import Frontier, Functor, Problem, scalar_field, vertex_field
from minigr.bench.document import MINIGR, Row
from minigr.bench.dynamic_calls import Plan, rows_of
from minigr.bench.timed import Call, drop
from minigr.errors import MeasurementError
from minigr.operators.calls import intersect, neighbor_reduce

SORTING = "sorting"


class _Found(Problem):
    found = vertex_field(np.int64)


class _LookUp(Functor):
    """Find each triangle once, from the edge of its two lowest vertices: walk the shorter row, look up in the other."""

    def map(src, dst, graph):
        if src > dst:
            return 0
        few, many = src, dst
        if graph.degree(dst) < graph.degree(src):
            few, many = dst, src
        found = 0
        for third in graph.neighbors(few):
            if third > dst and graph.has_edge(many, third):
                found += 1
        return found


def looked_up(graph: Any) -> int:
    """Count triangles by `has_edge`, as SlabGraph and Meerkat do: at most m sqrt(m) lookups of O(1) each."""
    problem = _Found(graph)
    neighbor_reduce(problem, Frontier.all_vertices(), _LookUp, reduce="add", into="found")
    return int(problem.found.sum())


class _Common(Problem):
    total = scalar_field(np.int64)


class _Count(Functor):
    def cond_intersect(src, dst):
        return src < dst

    def apply_count(count):
        return count


def intersected(graph: Any) -> int:
    """Count triangles by `intersect` over the unsorted edges. Each triangle is found from its three edges."""
    problem = _Common(graph)
    intersect(problem, Frontier.all_edges(), _Count, into="total")
    return int(graph._device.number(problem.total)) // 3


def sorted_rows(graph: Any) -> int:
    """Count triangles by `mg.triangle_count`, which sorts rows by rank and keeps the sorted rows."""
    return mg.triangle_count(graph).total


def triangles(plan: Plan) -> list[Row]:
    """Times to count triangles: in slabs by hashing, and in sorted rows, with the sorting and without it.

    Directed graphs are made undirected first. All methods must find the same number.
    """
    source = plan.recipe.undirected()
    graph = source.built(plan.device, source.edges(plan.device))
    rows = graph.to_graph()
    counts: set[int] = set()
    fresh: list[Any] = []  # a graph without cached facts and sorted rows

    def renew(make: Callable[[], Any]) -> None:
        fresh[:] = [make()]

    def call(measure: str, way: Callable[[], Any], make: Callable[[], Any] | None = None) -> Call:
        key = {"graph": source.name, "part": "triangles", "measure": measure, "by": MINIGR}
        before = None if make is None else partial(renew, make)
        return Call(key, way, before, drop if measure == SORTING else counts.add, graph.num_edges)

    found = rows_of(
        plan,
        [
            call("slabs, has_edge", lambda: looked_up(graph)),
            call("slabs, intersect", lambda: intersected(graph)),
            call("slabs, sorted first", lambda: sorted_rows(fresh[0]), graph.copy),
            call(SORTING, graph.to_graph),
            call("sorted rows, oriented first", lambda: sorted_rows(fresh[0]), graph.to_graph),
            call("sorted rows", lambda: sorted_rows(rows)),
        ],
    )
    if len(counts) > 1:
        raise MeasurementError(f"{source.name}: the ways found {counts} triangles: this is a defect of minigr")
    return [{**each, "triangles": next(iter(counts))} for each in found]
