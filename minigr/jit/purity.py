"""Whether a function only reads, so that it may be called more often than it was asked for, or for too many items."""

from __future__ import annotations

import math
from collections.abc import Iterable
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
from numba.core import ir
from numba.core.compiler import run_frontend

from minigr.jit import capture

# What neither assigns to an element or attribute nor raises. What isn't here counts as writing.
_STATEMENTS = (ir.Assign, ir.Branch, ir.Del, ir.Jump, ir.Return)
_EXPRESSIONS = {
    "binop", "build_tuple", "call", "cast", "exhaust_iter", "getattr", "getitem", "getiter", "inplace_binop",
    "iternext", "null", "pair_first", "pair_second", "phi", "static_getitem", "unary", "undef",
}  # fmt: skip
_NUMBERS = (bool, float, int)
_BUILTINS = (abs, divmod, enumerate, len, max, min, pow, range, round, slice, zip)
_MATH = {value for value in vars(math).values() if callable(value)}
_found: dict[str, bool] = {}  # by digest
_MOST_FOUND = 4096


def writes(function: FunctionType) -> bool:
    """Whether `function`, or a helper of it, may change anything, by Numba's intermediate code of it.

    Only what is known to read counts as reading: True for a function that does not write costs time, and False for one
    that does would be wrong.

    Examples
    --------
    >>> def read(x, i):
    ...     return x[i] + 1
    >>> def write(x, i):
    ...     x[i:] = 1
    >>> writes(read), writes(write)
    (False, True)
    """
    digest = capture.digest(function)
    if digest not in _found:
        if len(_found) >= _MOST_FOUND:
            _found.clear()
        _found[digest] = any(map(_writes, capture.called(function)))
    return _found[digest]


def _writes(function: FunctionType) -> bool:
    """Whether a function may write, its helpers apart."""
    try:
        blocks = run_frontend(function).blocks.values()
    except Exception:  # what Numba can't read is refused when it is compiled, with the functor's name and line
        return True
    statements = [statement for block in blocks for statement in block.body]
    if not all(isinstance(statement, _STATEMENTS) for statement in statements):
        return True
    definitions = _Definitions(s for s in statements if isinstance(s, ir.Assign))
    return not all(map(definitions.only_reads, (s.value for s in statements if isinstance(s, ir.Assign))))


class _Definitions:
    """What the variables of a function stand for."""

    def __init__(self, assignments: Iterable[Any]) -> None:
        self._values: dict[str, list[Any]] = {}
        for assignment in assignments:
            self._values.setdefault(assignment.target.name, []).append(assignment.value)
        self._own = set(self._values)  # variables that can't be, or be a part of, an array from outside
        while True:
            others = {name for name in self._own if not all(map(self._is_own, self._values[name]))}
            if not others:
                break
            self._own -= others

    def only_reads(self, value: Any) -> bool:
        if not isinstance(value, ir.Expr):
            return isinstance(value, (ir.Arg, ir.Const, ir.FreeVar, ir.Global, ir.Var))
        if value.op == "inplace_binop":
            return value.lhs.name in self._own
        if value.op == "call":
            return self._calls_what_reads(value)
        return value.op in _EXPRESSIONS

    def _is_own(self, value: Any) -> bool:
        if isinstance(value, ir.Var):
            return value.name in self._own
        if not isinstance(value, ir.Expr):
            return isinstance(value, ir.Const)
        if value.op == "inplace_binop":
            return value.lhs.name in self._own
        return value.op in ("binop", "unary") or (value.op == "call" and _makes_numbers(self._callee(value.func)))

    def _callee(self, variable: Any) -> Any:
        """What a variable always is: a global, or an attribute of a module; None where that can't be told."""
        values = self._values.get(variable.name, [])
        if len(values) != 1:
            return None
        (value,) = values
        if isinstance(value, (ir.FreeVar, ir.Global)):
            return value.value
        if isinstance(value, ir.Expr) and value.op == "getattr":
            module = self._callee(value.value)
            found = getattr(module, value.attr, None) if isinstance(module, ModuleType) else None
            return None if capture.python_function(found) else found  # which is not among the functions looked at
        return None

    def _calls_what_reads(self, call: Any) -> bool:
        callee = self._callee(call.func)
        if call.vararg is not None:
            return False
        if isinstance(callee, np.ufunc):
            return not call.kws and len(call.args) <= callee.nin  # and no out
        named = isinstance(callee, type) and issubclass(callee, tuple) and hasattr(callee, "_fields")
        return (
            named
            or capture.python_function(callee) is not None
            or any(callee is each for each in _BUILTINS)
            or _makes_numbers(callee)
        )


def _makes_numbers(callee: Any) -> bool:
    """Whether what it returns is new, if it is called without a place for that."""
    is_type = isinstance(callee, type) and (callee in _NUMBERS or issubclass(callee, np.generic))
    return is_type or isinstance(callee, np.ufunc) or any(callee is each for each in _MATH)
