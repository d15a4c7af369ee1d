"""Calls in native code other than calls of Python functions: conversions, built-in and math functions, primitives."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from minigr.jit.native import operators
from minigr.jit.native.code import Known, Value, constant
from minigr.jit.native.function import Function
from minigr.jit.native.types import (
    BOOL,
    FLOAT32,
    FLOAT64,
    INT64,
    Array,
    Number,
    Tuple,
    Unknown,
    computed,
    join,
    number_of,
)

CALLS: dict[Any, Callable[[Function, list[Any]], Value]] = {}


def translates(*functions: Any) -> Callable[[Any], Any]:
    """Translate calls of `functions` by a handler ``(code, arguments) -> value``; a decorator."""

    def register(handler: Any) -> Any:
        for function in functions:
            CALLS[function] = handler
        return handler

    return register


def numbers(name: str, arguments: list[Any], *counts: int) -> list[Value]:
    """The arguments of a call, which must be numbers."""
    if len(arguments) not in counts:
        raise Unknown(f"{name} of {len(arguments)} arguments")
    for each in arguments:
        if isinstance(each, Known) or not isinstance(each.type, Number):
            raise Unknown(f"{name} of what is no number")
    return arguments


def cast_to(code: Function, called: type, arguments: list[Any]) -> Value:
    """A conversion such as ``int(x)``, ``float(x)``, ``bool(x)`` or ``np.int32(x)``."""
    (value,) = numbers(called.__name__, arguments, 1)
    if called is int:
        to = value.type if value.type.is_whole else INT64
    elif called is float and value.type is not BOOL:
        to = value.type if value.type.kind == "f" else FLOAT64
    elif called is bool:
        to = BOOL
    elif issubclass(called, np.generic):
        to = number_of(called)
    else:
        raise Unknown(f"a call of {called.__name__}")
    return code.cast(value, to)


@translates(len)
def _length(code: Function, arguments: list[Any]) -> Value:
    value = arguments[0] if len(arguments) == 1 else None
    if isinstance(value, Value) and isinstance(value.type, Tuple):
        return constant(len(value.type.items))
    if isinstance(value, Value) and isinstance(value.type, Array) and not code.strict:
        return Value(INT64, (value.parts[1],), None, True)
    raise Unknown("len of what has none")


def _fold_by(name: str) -> Callable[[Function, list[Any]], Value]:
    def fold(code: Function, arguments: list[Any]) -> Value:
        first, *rest = numbers(name, arguments, *range(2, 9))
        for each in rest:
            if BOOL in (first.type, each.type):
                raise Unknown(f"{name} of a bool")
            first = operators.least_or_most(code, name, first, each, join(first.type, each.type))
        return first

    return fold


CALLS[min], CALLS[max] = _fold_by("min"), _fold_by("max")


@translates(abs)
def _abs(code: Function, arguments: list[Any]) -> Value:
    return operators.absolute(code, *numbers("abs", arguments, 1))


def _as_float(code: Function, value: Value) -> Value:
    return value if value.type.kind == "f" else code.cast(value, FLOAT64)


def _math(name: str, count: int) -> Callable[[Function, list[Any]], Value]:
    def call(code: Function, arguments: list[Any]) -> Value:
        given = [_as_float(code, each) for each in numbers(f"math.{name}", arguments, count)]
        if count == 2:
            number = computed(arguments[0].type, arguments[1].type)
            if number.kind != "f" or (name == "pow" and arguments[1].type.kind != "f"):
                raise Unknown(f"math.{name} of {arguments[0].type} and {arguments[1].type}")
            given = [code.cast(each, number) for each in given]
        return operators.intrinsic(code, name, *given)

    return call


for _name in ("sqrt", "fabs", "exp", "log", "log2", "log10", "sin", "cos"):
    CALLS[getattr(math, _name)] = _math(_name, 1)
for _name in ("pow", "copysign"):
    CALLS[getattr(math, _name)] = _math(_name, 2)


def _from_libm(name: str) -> Callable[[Function, list[Any]], Value]:
    """A function of the platform's mathematical library."""

    def call(code: Function, arguments: list[Any]) -> Value:
        value = _as_float(code, *numbers(f"math.{name}", arguments, 1))
        kind, suffix = value.type.register, "f" if value.type is FLOAT32 else ""
        code.module.declare(f"declare {kind} @{name}{suffix}({kind})")
        return Value(value.type, (code.new(f"call {kind} @{name}{suffix}({kind} {value.parts[0]})"),))

    return call


for _name in ("log1p", "expm1", "tan", "atan"):
    CALLS[getattr(math, _name)] = _from_libm(_name)


def _rounded(name: str) -> Callable[[Function, list[Any]], Value]:
    def call(code: Function, arguments: list[Any]) -> Value:
        (value,) = numbers(f"math.{name}", arguments, 1)
        return code.cast(operators.intrinsic(code, name, value) if value.type.kind == "f" else value, INT64)

    return call


for _name in ("floor", "ceil", "trunc"):
    CALLS[getattr(math, _name)] = _rounded(_name)


def _classified(test: str) -> Callable[[Function, list[Any]], Value]:
    def call(code: Function, arguments: list[Any]) -> Value:
        (value,) = numbers("math", arguments, 1)
        if value.type.kind != "f":
            raise Unknown(f"a test for NaN of {value.type}")
        kind = value.type.register
        size = value if test == "uno" else operators.intrinsic(code, "fabs", value)
        infinity = "0.0" if test == "uno" else "0x7FF0000000000000"
        return Value(BOOL, (code.new(f"fcmp {test} {kind} {size.parts[0]}, {infinity}"),))

    return call


CALLS[math.isnan], CALLS[math.isinf] = _classified("uno"), _classified("oeq")
CALLS[math.isfinite] = _classified("olt")
