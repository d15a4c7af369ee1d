"""Functions that Numba compiles in place of some of Python's, for both targets.

Numba rounds whole numbers as floats, so a number above 2**53 changes. On a GPU, it rounds floats to digits by an int64,
which does not hold all of them, and `math.floor` returns a float. In `math.pow`, a whole power raises exceptions on a
CPU, and makes a float32 of the result on a GPU.
"""

from __future__ import annotations

import math
from functools import cache
from types import BuiltinFunctionType, ModuleType
from typing import Any

import numpy as np
from numba import types
from numba.extending import lower_builtin, type_callable

from minigr.jit.numba_powers import power


def rounded(x: Any, digits: Any = None) -> Any:
    """`round`, as a function that Numba knows."""
    return round(x, digits)


def floor(x: Any) -> Any:
    """`math.floor`, as a function that Numba knows."""
    return math.floor(x)


def ceil(x: Any) -> Any:
    """`math.ceil`, as a function that Numba knows."""
    return math.ceil(x)


def trunc(x: Any) -> Any:
    """`math.trunc`, as a function that Numba knows."""
    return math.trunc(x)


def float_power(x: Any, y: Any) -> Any:
    """`math.pow`, as a function that Numba knows."""
    return math.pow(x, y)


REPLACED: dict[Any, Any] = {power: pow, rounded: round, floor: math.floor, ceil: math.ceil, trunc: math.trunc,
                            float_power: math.pow}  # fmt: skip
"""Python's function for each of these functions."""
_INSTEAD = {original: function for function, original in REPLACED.items()}
for _function, _original in REPLACED.items():
    _function.__name__ = _original.__name__  # the name in Numba's messages


def replaced(value: Any) -> Any:
    """What Numba shall compile in place of a function or module that a functor reads."""
    if value is math:
        return _math()
    return _INSTEAD.get(value, value) if isinstance(value, BuiltinFunctionType) else value


@cache
def _math() -> ModuleType:
    module = ModuleType("math")
    module.__dict__.update({name: replaced(value) for name, value in vars(math).items()})
    return module


_WHOLE = 2.0**52  # floats from here on are whole numbers


def _is_number(kind: Any) -> bool:
    return isinstance(kind, (types.Integer, types.Float, types.Boolean))


@type_callable(rounded)
def _type_rounded(context):
    def typer(x, digits=None):
        x = types.unliteral(x)
        if not _is_number(x):
            return None
        if digits is None:
            return types.int64(x)
        if not isinstance(digits, (types.Integer, types.Boolean)):
            return None
        return (x if isinstance(x, types.Float) else types.int64)(x, types.intp)

    return typer


@lower_builtin(rounded, types.Any)
def _lower_rounded(context, builder, signature, args):
    def nearest(x):
        return round(x) if abs(x) < _WHOLE else np.int64(x)

    return context.compile_internal(builder, nearest, signature, args)


@lower_builtin(rounded, types.Float, types.Integer)
def _lower_rounded_to_digits(context, builder, signature, args):
    def nearest(x, digits):  # as in CPython's float_round and double_round
        if math.isinf(x) or math.isnan(x) or digits > 323:
            return np.float64(x)
        if digits < -308:
            return x * 0.0
        more = 10.0 ** max(digits - 22, 0)
        scale = 10.0 ** min(abs(digits), 22 if digits > 0 else 308)  # 10.0**22 is the last power that is exact
        y = x * more * scale if digits >= 0 else x / scale
        if math.isinf(y):
            return np.float64(x)
        whole = np.float64(round(y)) if abs(y) < _WHOLE else y
        return whole / scale / more if digits >= 0 else whole * scale

    return context.compile_internal(builder, nearest, signature, args)


@lower_builtin(rounded, types.Any, types.Integer)
def _lower_rounded_to_tens(context, builder, signature, args):
    def nearest(x, digits):
        whole = np.int64(x)
        if digits >= 0:
            return whole
        if digits < -18:
            return np.int64(0)
        step = np.int64(10) ** -digits
        rest = whole % step
        above = 2 * rest > step or (2 * rest == step and (whole // step) % 2 == 1)
        return whole - rest + (step if above else 0)

    return context.compile_internal(builder, nearest, signature, args)


def _make_whole(function: Any, implementation: Any) -> None:
    """Make Numba compile calls of `function` of one number, whose result is a whole number, by a Python function."""

    @type_callable(function)
    def typed(context):
        return lambda x: types.int64(types.unliteral(x)) if _is_number(x) else None

    @lower_builtin(function, types.Any)
    def lowered(context, builder, signature, args):
        return context.compile_internal(builder, implementation, signature, args)


_make_whole(floor, lambda x: np.int64(x) - (np.int64(x) > x))
_make_whole(ceil, lambda x: np.int64(x) + (np.int64(x) < x))
_make_whole(trunc, lambda x: np.int64(x))


@type_callable(float_power)
def _type_float_power(context):
    def typer(x, y):
        if _is_number(x) and _is_number(y):
            return context.resolve_function_type(math.pow, (x, y if isinstance(y, types.Float) else types.float64), {})
        return None

    return typer


@lower_builtin(float_power, types.Float, types.Float)
def _lower_float_power(context, builder, signature, args):
    return context.get_function(math.pow, signature)(builder, args)
