"""Whole searches with all options: directions, balances, and with vertices that may be found twice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

import minigr as mg
from minigr.apps.bfs import BFSProblem
from minigr.apps.sssp import SSSPFunctor, SSSPProblem
from minigr.bench.document import MINIGR, Row
from minigr.bench.measure import Tell, ignore
from minigr.bench.single_operators import Ways, layouts
from minigr.bench.timed import Call, timed_rows
from minigr.device import CPU
from minigr.enactor.enactor import Enactor
from minigr.errors import CapacityError, MeasurementError
from minigr.jit.functor import Functor
from minigr.operators.options import Balance
from minigr.program.frontier import Frontier, Handle


class Reach(Functor):
    """BFS without atomics: several edges may find a vertex in one step. All write one depth; any parent is valid."""

    def cond_advance(dst, depth):
        return depth[dst] < 0

    def apply_advance(src, dst, iteration, depth, parent):
        depth[dst] = iteration
        parent[dst] = src


class Found(Enactor):
    """A search that may find vertices twice. `duplicates` says what is done with these vertices."""

    balance: Balance = "auto"
    duplicates: str = "remove"

    def step(self, frontier: Handle) -> Handle:
        if self.duplicates == "remove":
            return self.advance(frontier, balance=self.balance)
        found = self.advance(frontier, balance=self.balance, duplicates="keep")
        return self.filter(found, duplicates="cull") if self.duplicates == "cull" else found


class Hops(Found, problem=BFSProblem, functor=Reach):
    def start(self, source: int) -> Frontier:
        self.problem.depth[source] = 0
        return Frontier.of(source)


class Lengths(Found, problem=SSSPProblem, functor=SSSPFunctor):
    def start(self, source: int) -> Frontier:
        self.problem.distance[source] = 0
        return Frontier.of(source)


def searches(graph: Any, source: int, ways: Ways) -> Iterator[Call]:
    """All searches that `ways` selects: the ready apps, and with `ways.duplicates` searches as in Mini-Gunrock.

    A call returns the depths or distances.

    ``bfs`` and ``sssp`` are the apps; the parents of ``sssp`` are not computed. ``bfs, idempotent`` claims no vertex by
    an atomic. ``sssp, one frontier`` does not put far vertices aside. The last two only push.
    """
    for direction in ways.directions:
        for balance in ways.balances if direction != "pull" else ["auto"]:
            how = {"direction": direction, "balance": balance}
            yield Call({"search": "bfs", **how}, partial(_depth, graph, source, **how))
    for balance in ways.balances:
        if graph.weighted:
            yield Call({"search": "sssp", "balance": balance}, partial(_distance, graph, source, balance=balance))
        for duplicates in ways.duplicates:
            own = {"balance": balance, "duplicates": duplicates}
            yield Call({"search": "bfs, idempotent", **own}, partial(_own, Hops, graph, source, own))
            if graph.weighted:
                yield Call({"search": "sssp, one frontier", **own}, partial(_own, Lengths, graph, source, own))


def _depth(graph: Any, source: int, **how: Any) -> Any:
    return mg.bfs(graph, source, **how).depth


def _distance(graph: Any, source: int, **how: Any) -> Any:
    return mg.sssp(graph, source, **how).distance


def _own(enactor: type[Found], graph: Any, source: int, how: Mapping[str, Any]) -> Any:
    search = enactor(graph)
    search.balance, search.duplicates = how["balance"], how["duplicates"]
    search.run(source)
    return search.problem.depth if enactor is Hops else search.problem.distance


def measure_searches(
    name: str,
    graph: Any,
    source: int,
    repeat: int,
    ways: Ways,
    tell: Tell = ignore,
    *,
    dynamic: bool = False,
    limit: float = float("inf"),
) -> tuple[list[Row], dict[str, str]]:
    """Time whole searches with all options, which take turns.

    Parameters
    ----------
    name : str
        The name of the graph in the rows' keys.
    graph : Graph
    source : int
    repeat : int
    ways : Ways
    tell : callable
    dynamic : bool
        Whether to time the searches over a `DynamicGraph` of the same edges, too.
    limit : float
        Seconds for each search in all rounds together.

    Returns
    -------
    rows : list of Row
        With ``first_ms``.
    left_out : dict of str to str
        The searches whose frontier outgrew its buffer, with the message of the error.

    Raises
    ------
    MeasurementError
        If two searches with different options differ in a depth or a distance.
    """
    found: list[Call] = []
    left_out: dict[str, str] = {}
    expected: dict[str, Any] = {}
    for by, subject in layouts(graph, dynamic).items():
        for search in searches(subject, source, ways):
            label = ", ".join([*search.key.values(), *([by] if by != MINIGR else [])]) + f" on {name}"
            tell(f"{label}, checked")
            try:
                answer = CPU.asarray(search.run())
            except CapacityError as error:
                left_out[label] = str(error)
                continue
            known = expected.setdefault(search.key["search"].split(",")[0], answer)
            if not np.array_equal(known, answer):
                raise MeasurementError(f"{label}: the answer differs from that of the first way of the search")
            found.append(replace(search, key={"graph": name, **search.key, "by": by}))
    return timed_rows(found, graph._device, repeat, limit=limit, tell=tell), left_out
