"""Each operator by itself over a whole graph: from several inputs, with several options, over both layouts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np

import minigr as mg
from minigr.bench.apps import DYNAMIC
from minigr.bench.document import MINIGR, Row
from minigr.bench.measure import Tell, Timing, ignore
from minigr.bench.single_operator_cases import ALL, CASES, EDGES, REPEATS, USUAL, Case, OperatorFields
from minigr.bench.timed import Call, drop, timed_rows
from minigr.jit.atomics import atomic_cas
from minigr.jit.functor import Functor
from minigr.program.frontier import Frontier


@dataclass(frozen=True)
class Ways:
    """The inputs and options with which operators are called.

    An option with several values here is part of the rows' keys. An option with one value is not, so that files with
    different values can be compared.

    Attributes
    ----------
    operators, inputs, directions, balances : sequence of str
        Values of `OPERATORS`, `INPUTS`, `DIRECTIONS` and `BALANCES`.
    duplicates : sequence of str
        Values of `DUPLICATES`. If it is empty, operators use their defaults. Otherwise `filter` also starts from the
        destinations of all edges, to drop repeats from them.
    """

    operators: Sequence[str] = USUAL
    inputs: Sequence[str] = (ALL,)
    directions: Sequence[str] = ("push", "pull")
    balances: Sequence[str] = ("auto",)
    duplicates: Sequence[str] = ()


class ClaimTarget(Functor):
    def cond_advance(dst, mark):
        return atomic_cas(mark, dst, -1, 0) == -1


class Every(Functor):
    def cond_advance(src):
        return True


class Inputs:
    """The frontiers that operators start from over a graph. Each frontier is made once.

    Parameters
    ----------
    graph : Graph or DynamicGraph
    """

    def __init__(self, graph: Any):
        self.graph, self.problem = graph, OperatorFields(graph)
        self._made: dict[str, tuple[Frontier, int]] = {}

    def of(self, case: Case, name: str) -> tuple[Frontier, int]:
        """The input `name` for a case, and the number of edges or vertices that the case goes over with this input."""
        edges = self.graph.num_arcs
        count = edges if case.counted == "edges" else self.graph.num_vertices
        if name == ALL:
            return (Frontier.all_edges() if case.operator == "intersect" else Frontier.all_vertices()), count
        if name == EDGES and case.operator == "advance":
            return self._once("one edge into each vertex", self._into_each)
        if name == EDGES:
            return self._once(name, lambda: (self._visited(Every, output="edges"), edges))
        if name == REPEATS:
            return self._once(name, lambda: (self._visited(Every, duplicates="keep"), edges))
        return self._once(name, self._listed)[0], count

    def _once(self, name: str, make: Callable[[], tuple[Frontier, int]]) -> tuple[Frontier, int]:
        if name not in self._made:
            self._made[name] = make()
        return self._made[name]

    def _listed(self) -> tuple[Frontier, int]:
        count = self.graph.num_vertices
        return Frontier.of(self.graph._device.asarray(np.arange(count, dtype=np.int32))), count

    def _into_each(self) -> tuple[Frontier, int]:
        """An edge into each vertex that has one, so that an advance goes once over the edges of these vertices."""
        self.problem.mark = -1
        found = self._visited(ClaimTarget, output="edges")
        return found, int(self.graph.degree()[self.problem.mark == 0].sum())

    def _visited(self, functor: Any, **options: Any) -> Any:
        return mg.operators.advance(self.problem, Frontier.all_vertices(), functor, **options)


def calls(graph: Any, ways: Ways) -> Iterator[Call]:
    """The calls over a graph that `ways` selects."""
    inputs = Inputs(graph)
    for name, case in CASES.items():
        asked = _asked(case, ways)
        for values in product(*asked.values()):
            chosen = dict(zip(asked, values, strict=True))
            key = {option: value for option, value in chosen.items() if value is not None and _several(ways, option)}
            at = chosen.pop("input")
            frontier, count = inputs.of(case, at)
            call = case.over_edges if at == EDGES and case.over_edges is not None else case.call
            how = {option: value for option, value in chosen.items() if value is not None}
            run = partial(call, inputs.problem, frontier, **how)
            counted = "edges" if at == EDGES else case.counted
            yield Call({"operator": name, **key}, run, after=drop, count=count, counted=counted)


def _asked(case: Case, ways: Ways) -> dict[str, Sequence[Any]]:
    """The values of each option for a case: None for the operator's default; no values if it is not measured."""
    there = (*ways.inputs, *([REPEATS] if ways.duplicates else []))
    wanted = case.operator in ways.operators and (case.direction is None or case.direction in ways.directions)
    return {
        "input": [each for each in there if wanted and each in case.inputs],
        "balance": ways.balances if case.balanced else [None],
        "duplicates": (
            [each for each in ways.duplicates if each in case.duplicates]
            if case.duplicates and ways.duplicates
            else [None]
        ),
    }


def _several(ways: Ways, option: str) -> bool:
    """Whether rows differ in an option, so that their keys must contain it."""
    return len({"input": ways.inputs, "balance": ways.balances, "duplicates": ways.duplicates}[option]) > 1


def layouts(graph: Any, dynamic: bool) -> dict[str, Any]:
    """The graph, and with `dynamic` a `DynamicGraph` of the same edges, by their names in rows."""
    subjects = {MINIGR: graph}
    if dynamic:
        subjects[DYNAMIC] = mg.DynamicGraph.from_graph(graph, in_edges=graph.directed, allow_self_loops=True)
    return subjects


def measure_single_operators(
    name: str,
    graph: Any,
    repeat: int,
    tell: Tell = ignore,
    ways: Ways | None = None,
    *,
    dynamic: bool = False,
    limit: float = float("inf"),
) -> list[Row]:
    """Time operators by their public calls, over all of a graph's vertices or edges.

    Parameters
    ----------
    name : str
        The name of the graph in the rows' keys.
    graph : Graph
    repeat : int
    tell : callable
    ways : Ways, optional
    dynamic : bool
        Whether to time the operators over a `DynamicGraph` of the same edges, too. All calls take turns.
    limit : float
        Seconds for each call in all rounds together.

    Returns
    -------
    list of Row
        With ``counted`` (``"edges"`` or ``"vertices"``), ``count`` and ``per_s``. Samples include the recording of the
        call's step and the allocation of its output, which each call repeats.
    """
    ways = ways or Ways()
    found = [
        replace(call, key={"graph": name, **call.key, "by": by})
        for by, subject in layouts(graph, dynamic).items()
        for call in calls(subject, ways)
    ]
    return timed_rows(found, graph._device, repeat, limit=limit, facts=_speed, tell=tell)


def _speed(call: Call, timing: Timing) -> dict[str, Any]:
    assert call.count is not None
    return {"counted": call.counted, "count": call.count, "per_s": call.count / (timing.median / 1e3)}
