"""Sums over searches from several sources: for each search, from the last level back to the first."""

from __future__ import annotations

from typing import Any

from minigr.apps.betweenness.path_counts import PathsProblem
from minigr.apps.common.sources import in_turn
from minigr.enactor.enactor import Enactor
from minigr.operators.options import Balance, Direction
from minigr.program.control import Driver
from minigr.program.executor import Progress
from minigr.program.frontier import Frontier, Handle
from minigr.program.levels import Levels


class DependentsEnactor(Enactor, problem=PathsProblem, looks_at=("balance", "dependents")):
    """Sums from the last level of a search to the first, along tight edges, with the functor `search.dependents`."""

    balance: Balance = "auto"

    def __init__(self, search: Any, **options: Any) -> None:
        super().__init__(search.graph, problem=search.problem, **options)
        self.dependents = search.dependents

    def start(self, levels: Levels) -> Frontier:
        return Frontier.of_levels(levels, reverse=True)

    def step(self, frontier: Handle) -> None:
        self.neighbor_reduce(frontier, self.dependents, initial=0.0, dtype="float64", balance=self.balance)


def sum_over(
    search: Any,
    sources: Any,
    direction: Direction,
    balance: Balance,
    progress: Progress | None,
    trace: bool,
    driver: Driver,
) -> int:
    """Search from each of `sources` and sum in a backward pass; return the number of steps.

    After this, ``search.trace`` has the steps of both passes for the last source.
    """
    back = DependentsEnactor(search, trace=trace, driver=driver)
    search.direction, search.balance, back.balance = direction, balance, balance
    iterations = 0
    for source in in_turn(search.graph, sources, progress):
        search.run(source)
        back.run(search.levels)
        iterations += search.iterations + back.iterations
    if search.trace is not None and back.trace is not None:
        search.trace.rows.extend(back.trace.rows)
    return iterations


def scale_of_sums(counted: int, others: int, *, normalized: bool, directed: bool) -> float:
    """The factor that turns a sum over `counted` sources into the sum over all pairs, or into the fraction of pairs.

    `others`: the number of vertices at which paths can begin.
    """
    return 1 / (counted * (others - 1)) if normalized else others / (counted * (1 if directed else 2))
