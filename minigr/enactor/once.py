"""One operator, run at once."""

from __future__ import annotations

from typing import Any

from minigr.enactor.enactor import Enactor
from minigr.enactor.problem import Problem
from minigr.errors import ProblemError
from minigr.operators.frontier import Frontier, Handle


class _Once(Enactor):
    """A loop of one step with one operator, over a problem that exists already."""

    _skips_empty = False  # a reduction over nothing has a result too

    def __init__(self, problem: Any, operator: str, functor: Any, options: dict[str, Any], debug: bool = False) -> None:
        super().__init__(problem.graph, max_iterations=1, problem=problem, debug=debug)
        self._call = operator, functor, options

    def step(self, frontier: Handle) -> Handle | None:
        operator, functor, options = self._call
        return self._record(operator, frontier, functor, False, **options)


def run_once(
    operator: str, problem: Any, frontier: Frontier, functor: Any, options: dict[str, Any], debug: bool
) -> Frontier | None:
    """Record one operator and run it; the frontier that it returns, or None if it returns none.

    Raises
    ------
    ProblemError
        If `problem` or `frontier` is not one.
    FieldIndexError
        In debug mode, if an index was out of range for a field.
    """
    if not isinstance(problem, Problem):
        raise ProblemError(f"an operator runs on a minigr.Problem, got {type(problem).__name__}")
    if not isinstance(frontier, Frontier):
        raise ProblemError(
            f"an operator takes a minigr.Frontier, got {type(frontier).__name__}: make one with Frontier.of(ids)"
        )
    return _Once(problem, operator, functor, options, debug).run_for_output(frontier)
