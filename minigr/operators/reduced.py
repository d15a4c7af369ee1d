"""Reductions of the values that a functor's function returns: their dtype, and the scalar field for the result."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from minigr.errors import FunctorError, ProblemError
from minigr.graphs.checks import WEIGHT_DTYPES
from minigr.jit.functor import Bound
from minigr.primitives.reduce_ops import name_of
from minigr.program.node import check_flag
from minigr.program.operator import Operator
from minigr.program.problem import Problem
from minigr.program.scalar import Scalar, scalar_of
from minigr.program.supplied import arguments_of


@dataclass
class ReducesInto(Operator):
    """An operator with a function whose returned values may be reduced into a scalar field, over all items."""

    into: Scalar | None = None

    @property
    def scalar_results(self) -> tuple[Scalar, ...]:
        return () if self.into is None else (self.into,)

    def reduce_into(
        self, problem: Problem, operator: str, function: str, name: Any, reduce: Any, initial: Any, accumulate: Any
    ) -> None:
        """Reduce the values that `function` returns into the field `name`; no reduction for None.

        Raises
        ------
        ProblemError
            If there is no such field, if an option doesn't fit it, or if there are options and no field.
        """
        accumulate = check_flag(accumulate, f"{operator}: accumulate")
        if name is not None:
            self.into = scalar_of(problem, name, reduce, initial, accumulate, f"{operator}: into")
            self.functions[function] = replace(self.functions[function], reduced=name_of(self.into.dtype))
            self.buffers |= self.into.buffers(problem.device)
        elif initial is not None or not isinstance(reduce, str) or reduce != "add" or accumulate:
            raise ProblemError(
                f"{operator} reduces nothing: name a scalar field with into=, or leave out reduce=, initial= and "
                "accumulate="
            )


def asked_dtype(dtype: Any, operator: str) -> np.dtype:
    """The requested dtype, if values can be reduced in it.

    Raises
    ------
    ProblemError
        If values can't be reduced in it.
    """
    try:
        kind = np.dtype(dtype)
    except (TypeError, ValueError):  # a tuple raises ValueError
        kind = None
    if kind is None or kind not in WEIGHT_DTYPES:
        raise ProblemError(f"{operator}: dtype={dtype!r} is not one of {', '.join(WEIGHT_DTYPES)}")
    return kind


def returned_dtype(bound: Bound, problem: Problem, remedy: str) -> np.dtype:
    """The dtype of the numbers that a function returns: float32 or float64, or int64 for all others.

    Raises
    ------
    FunctorError
        If the function returns uint64. The message gives `remedy`.
    """
    from minigr.jit.facts import returned_type_of

    return _holding(str(returned_type_of(bound, arguments_of(bound, problem))), bound, remedy)


def returned_dtypes(bound: Bound, count: int, problem: Problem, remedy: str) -> tuple[np.dtype, ...]:
    """The same for each number of the tuple that a function returns."""
    from minigr.jit.facts import returned_type_of

    anything = ("float64",) * count
    bound = replace(bound, operand=anything, results=anything)
    found = returned_type_of(bound, arguments_of(bound, problem))
    return tuple(_holding(str(item), bound, remedy) for item in found.items)


def _holding(name: str, bound: Bound, remedy: str) -> np.dtype:
    """The dtype in which numbers of a dtype are reduced."""
    if name == "uint64":
        raise FunctorError(f"{bound.label} returns uint64, but int64 does not hold all its values: {remedy}")
    return np.dtype(name if name in ("float32", "float64") else np.int64)
