"""Functions of functors in a program: translated if they are plain, compiled by Numba if not.

Numba also says what is wrong with a function, in the words that it has for both targets. So a function that is refused
here goes to Numba, even if Numba will refuse it too.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from minigr.jit.functor import Bound
from minigr.jit.index_checks import CHECKED
from minigr.jit.native.types import BOOL, NOTHING, Number, Tuple, Unknown, array, checked, number_of

if TYPE_CHECKING:
    from minigr.jit.native.module import Module, Signature


def argument_type(dtype: str, is_array: bool, writable: bool = True) -> Any:
    """The type of an argument, which is told as by `minigr.program.supplied`."""
    element = number_of(np.dtype(dtype.removeprefix(CHECKED)))
    if dtype.startswith(CHECKED):
        return checked(element, writable)
    return array(element, 1, writable) if is_array else element


def translated(module: Module, function: FunctionType, bound: Bound, types: Sequence[Any]) -> Signature:
    """A function of a functor, or a copy of it, as a part of a module.

    Raises
    ------
    Unknown
        If it is not plain, or returns the wrong type.
    """
    signature = module.specialize(function, types, strict=True)
    if not _fits(bound, signature.returns):
        raise Unknown(f"{bound.label}, which returns {signature.returns}")
    return signature


def _fits(bound: Bound, kind: Any) -> bool:
    """Whether an operator takes what a function returns; why it does not is for `minigr.jit.check` to say."""
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
    """Whether a number may be reduced in a dtype: no fraction is dropped."""
    return isinstance(kind, Number) and not (kind.kind == "f" and dtype.startswith("int"))
