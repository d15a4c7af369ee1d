"""The dtype that what a functor's function returns is reduced in."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from minigr.errors import FunctorError, ProblemError
from minigr.graphs.checks import WEIGHT_DTYPES
from minigr.jit.functor import Bound
from minigr.program.problem import Problem
from minigr.program.supplied import arguments_of


def asked_dtype(dtype: Any, operator: str) -> np.dtype:
    """The dtype that was asked for, if values can be reduced in it.

    Raises
    ------
    ProblemError
        If they can't.
    """
    try:
        kind = np.dtype(dtype)
    except TypeError:
        kind = None
    if kind is None or kind not in WEIGHT_DTYPES:
        raise ProblemError(f"{operator}: dtype={dtype!r} is not one of {', '.join(WEIGHT_DTYPES)}")
    return kind


def returned_dtype(bound: Bound, problem: Problem, remedy: str) -> np.dtype:
    """The dtype of the numbers that a function returns: float32 or float64, or int64 for all others.

    Raises
    ------
    FunctorError
        If it returns uint64; `remedy` says what to do then.
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
    """The dtype that numbers of a dtype are reduced in."""
    if name == "uint64":
        raise FunctorError(f"{bound.label} returns uint64, of which int64 does not hold all values: {remedy}")
    return np.dtype(name if name in ("float32", "float64") else np.int64)
