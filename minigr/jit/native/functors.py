"""The argument types and allowed return types of functors' functions, as types of native code."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.jit.arguments import Argument
from minigr.jit.functor import Bound
from minigr.jit.native.types import BOOL, NOTHING, Number, Tuple, array, checked, number_of, rows, tuple_of


def argument_type(argument: Argument) -> Any:
    """The type of an argument."""
    if isinstance(argument.dtype, tuple):
        return tuple_of(tuple(map(argument_type, argument.numbers())))
    element = number_of(np.dtype(argument.dtype))
    if argument.is_checked:
        return checked(element, argument.columns, argument.writable)
    if argument.columns:
        return rows(element, argument.columns, argument.writable)
    return array(element, 1, argument.writable) if argument.is_array else element


def fits(bound: Bound, kind: Any) -> bool:
    """Whether an operator accepts a return type; `minigr.jit.check` gives the reason if it does not."""
    if bound.results:
        items = kind.items if isinstance(kind, Tuple) else ()
        return len(items) == len(bound.results) and all(map(_reducible, items, bound.results))
    if bound.reduced:
        return _reducible(kind, bound.reduced)
    is_number = isinstance(kind, Number)
    nothing = kind is NOTHING
    return {"bool": kind is BOOL, "number": is_number, "none": nothing, "any": is_number or nothing}[
        bound.method.returns
    ]


def _reducible(kind: Any, dtype: str) -> bool:
    """Whether a number may be reduced in a dtype, without the loss of a fraction."""
    return isinstance(kind, Number) and not (kind.kind == "f" and dtype.startswith("int"))
