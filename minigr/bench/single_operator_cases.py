"""The operators that are measured by themselves, each with a functor."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import minigr as mg
from minigr.jit.functor import Functor
from minigr.program.fields import scalar_field, vertex_field
from minigr.program.frontier import Frontier
from minigr.program.problem import Problem

ALL, LIST, EDGES, REPEATS = "all", "list", "edges", "repeats"
INPUTS = (ALL, LIST, EDGES)
"""The inputs of an operator: all vertices or edges, a list of all vertices, or a list of edges.

`REPEATS` is a list of the destinations of all edges. Only operators that drop repeats start from it.
"""
DIRECTIONS = ("push", "pull", "auto")
DUPLICATES = ("remove", "cull", "keep")
"""What happens to a vertex that is found twice: it stays once, mostly once, or as often as it was found."""
USUAL = ("advance", "neighbor_reduce", "filter", "compute")
OPERATORS = (*USUAL, "intersect", "near_far")


class OperatorFields(Problem):
    value = vertex_field(np.float32, fill=1)
    result = vertex_field(np.float32)
    mark = vertex_field(np.int32, fill=-1)
    total = scalar_field(np.float64)
    common = scalar_field(np.int64)


class MarkTarget(Functor):
    def apply_advance(dst, mark):
        mark[dst] = 1


class AddSource(Functor):
    def cond_target(dst, value):  # always true, so that no search of a row ends early
        return value[dst] > 0

    def apply_advance(src, dst, value, result):  # lanes may race for `result`, but nobody reads it
        result[dst] += value[src]


class Keep(Functor):
    def cond_filter(vertex, value):
        return value[vertex] > 0


class KeepEdge(Functor):
    def cond_filter(dst, value):
        return value[dst] > 0


class OfTarget(Functor):
    def map(dst, value):
        return value[dst]


class OfSource(Functor):
    def map(src, value):
        return value[src]


class Scale(Functor):
    def apply(vertex, value, result):
        result[vertex] = 3 * value[vertex]


class ScaleEdge(Functor):
    def apply(dst, value, result):  # lanes may race for `result`, but all write the same value
        result[dst] = 3 * value[dst]


class AddUp(Functor):
    def apply(vertex, value):
        return value[vertex]


class AddUpEdges(Functor):
    def apply(dst, value):
        return value[dst]


class CountCommon(Functor):
    def apply_count(count):
        return count


class ByNumber(Functor):
    def priority(vertex):
        return vertex


@dataclass(frozen=True)
class Case:
    """An operator with a functor for it.

    Attributes
    ----------
    operator : str
    call : callable
        ``(problem, frontier, **options)``.
    counted : str
        The items in which the speed is counted if the input is vertices: ``"edges"`` or ``"vertices"``.
    inputs : tuple of str
    over_edges : callable, optional
        The call from a list of edges, if it differs from `call`.
    direction : str, optional
        The direction of an advance.
    balanced : bool
        Whether the operator takes ``balance``.
    duplicates : tuple of str
        The values for ``duplicates`` that the operator takes.
    """

    operator: str
    call: Callable[..., Any]
    counted: str
    inputs: tuple[str, ...] = (ALL, LIST)
    over_edges: Callable[..., Any] | None = None
    direction: str | None = None
    balanced: bool = False
    duplicates: tuple[str, ...] = ()


def _with(operator: str, functor: Any, **options: Any) -> Callable[..., Any]:
    def call(problem: Any, frontier: Frontier, **how: Any) -> Any:
        return getattr(mg.operators, operator)(problem, frontier, functor, **options, **how)

    return call


def _halves(problem: Any, frontier: Frontier) -> Any:
    width = max(problem.graph.num_vertices / 2, 1)
    return mg.operators.near_far(problem, frontier, ByNumber, width=width)


CASES = {
    "advance push": Case(
        "advance", _with("advance", MarkTarget, output=None), "edges", INPUTS, direction="push", balanced=True
    ),
    "advance push, output": Case(
        "advance",
        _with("advance", MarkTarget),
        "edges",
        INPUTS,
        direction="push",
        balanced=True,
        duplicates=("remove", "keep"),
    ),
    "advance pull": Case(
        "advance", _with("advance", AddSource, output=None, direction="pull"), "edges", direction="pull"
    ),
    "advance auto": Case(
        "advance", _with("advance", AddSource, direction="auto"), "edges", (LIST,), direction="auto", balanced=True
    ),
    "neighbor_reduce out": Case(
        "neighbor_reduce", _with("neighbor_reduce", OfTarget, reduce="add", into="result"), "edges", balanced=True
    ),
    "neighbor_reduce in": Case(
        "neighbor_reduce",
        _with("neighbor_reduce", OfSource, reduce="add", into="result", direction="in"),
        "edges",
        balanced=True,
    ),
    "filter": Case("filter", _with("filter", Keep), "vertices", INPUTS, _with("filter", KeepEdge)),
    "filter, repeats": Case("filter", _with("filter", Keep), "edges", (REPEATS,), duplicates=DUPLICATES),
    "compute": Case("compute", _with("compute", Scale), "vertices", INPUTS, _with("compute", ScaleEdge)),
    "compute, sum": Case(
        "compute",
        _with("compute", AddUp, into="total"),
        "vertices",
        INPUTS,
        _with("compute", AddUpEdges, into="total"),
    ),
    "intersect": Case("intersect", _with("intersect", CountCommon, into="common"), "edges", (ALL, EDGES)),
    "near_far": Case("near_far", _halves, "vertices"),
}
"""The cases by their names in rows."""
