"""One operator that runs at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigr.errors import ProblemError
from minigr.jit.index_checks import is_on
from minigr.operators.partitioned.loop import PartsExecutor
from minigr.operators.recorders import RECORDERS
from minigr.program.frontier import Frontier, Handle
from minigr.program.operator import Operator
from minigr.program.problem import Problem
from minigr.program.recordings import key_of


class SingleOperator(PartsExecutor):
    """A loop of one step with one operator, over a problem that exists already."""

    _lists_all = False  # if an operator takes only lists, the caller gets an error
    _skips_empty = False  # a reduction of no items has a result too

    def __init__(
        self, problem: Any, record: Callable[..., Operator], functor: Any, options: dict[str, Any], debug: bool = False
    ) -> None:
        super().__init__(problem, 1, "auto", is_on(debug))
        self._record, self._options = record, {"functor": functor, **options}

    def _seen(self) -> tuple[Any, ...] | None:
        return key_of(self._record, (), self._options)

    def step(self, frontier: Handle) -> Handle | None:
        return self._add(self._record, (frontier,), self._options)


def run_single(
    operator: str, problem: Any, frontier: Frontier, functor: Any, debug: bool, **options: Any
) -> Frontier | None:
    """Record one operator and run it. Return the frontier that it returns, or None if it returns none.

    Raises
    ------
    ProblemError
        If `problem` is not a Problem, or `frontier` is not a Frontier.
    FieldIndexError
        In debug mode, if an index was out of range for a field.
    """
    check_call(problem, frontier)
    return SingleOperator(problem, RECORDERS[operator], functor, options, debug)._execute_for_output(frontier)


def check_call(problem: Any, frontier: Any) -> None:
    """Raise `ProblemError` if an operator is called without a problem or a frontier."""
    if not isinstance(problem, Problem):
        if isinstance(problem, type) and issubclass(problem, Problem):
            name = problem.__name__
            raise ProblemError(f"an operator runs on a minigr.Problem, got the class {name}: make one, {name}(graph)")
        raise ProblemError(f"an operator runs on a minigr.Problem, got {type(problem).__name__}")
    if isinstance(frontier, Handle):
        raise ProblemError(
            "functions of mg.operators run at once, but a step is recorded: in a step, call the enactor's method of "
            "the same name, such as self.advance(frontier)"
        )
    if not isinstance(frontier, Frontier):
        raise ProblemError(
            f"an operator takes a minigr.Frontier, got {type(frontier).__name__}: make one with Frontier.of(ids)"
        )
