"""Arithmetic, bit operations and comparisons of numbers, by Numba's rules."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from minigr.jit.native.code import Code, Known, Value, constant
from minigr.jit.native.function import Function
from minigr.jit.native.types import BOOL, FLOAT32, FLOAT64, INT64, NOTHING, UINT64, Number, Unknown, computed

_SIMPLE: dict[type, str] = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul"}
_BITS: dict[type, str] = {ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor"}
_COMPARE: dict[type, str] = {ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge", ast.Eq: "eq", ast.NotEq: "ne"}
PYTHON: dict[type, Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
    ast.Eq: operator.eq, ast.NotEq: operator.ne,
}  # fmt: skip
_FOLDED: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.LShift: lambda a, b: a << b if 0 <= b < 63 else None,
}


def binary(code: Code, op: ast.operator, left: Value, right: Value) -> Value:
    """``left op right``."""
    if not (isinstance(left.type, Number) and isinstance(right.type, Number)):
        raise Unknown(f"{type(op).__name__} of {left.type} and {right.type}")
    kind = type(op)
    if kind in _SIMPLE:
        return _simple(code, kind, left, right)
    if kind is ast.Div:
        return _divided(code, left, right)
    if kind in _BITS:
        return _bits(code, _BITS[kind], left, right)
    if kind in (ast.LShift, ast.RShift):
        return _shifted(code, kind, left, right)
    if kind in (ast.FloorDiv, ast.Mod):
        number = computed(left.type, right.type)
        if number.kind == "f":
            raise Unknown(f"{kind.__name__} of floats")
        return code.floor_divided(code.cast(left, number), code.cast(right, number), kind is ast.Mod)
    raise Unknown(kind.__name__)


def _simple(code: Code, kind: type, left: Value, right: Value) -> Value:
    number = computed(left.type, right.type)
    if folded := _folded(kind, number, left, right):
        return folded
    left, right = code.cast(left, number), code.cast(right, number)
    float_prefix = "f" if number.kind == "f" else ""
    text = code.new(f"{float_prefix}{_SIMPLE[kind]} {number.register} {left.parts[0]}, {right.parts[0]}")
    return Value(number, (text,), None, kind is not ast.Sub and left.nonnegative and right.nonnegative)


def _folded(kind: type, number: Number, left: Value, right: Value) -> Value | None:
    """The result for two known integers, if it has the required type."""
    if number is not INT64 or not (isinstance(left.known, int) and isinstance(right.known, int)):
        return None
    found = _FOLDED[kind](left.known, right.known)
    return constant(found) if found is not None and -(1 << 63) <= found < 1 << 63 else None


def _divided(code: Code, left: Value, right: Value) -> Value:
    number = computed(left.type, right.type)
    number = number if number.kind == "f" else FLOAT64
    left, right = code.cast(left, number), code.cast(right, number)
    return Value(number, (code.new(f"fdiv {number.register} {left.parts[0]}, {right.parts[0]}"),))


def _bits(code: Code, name: str, left: Value, right: Value) -> Value:
    if left.type is BOOL and right.type is BOOL:
        return Value(BOOL, (code.new(f"{name} i1 {left.parts[0]}, {right.parts[0]}"),))
    number = computed(left.type, right.type)
    if number.kind == "f":
        raise Unknown(f"{name} of floats")
    left, right = code.cast(left, number), code.cast(right, number)
    nonnegative = (left.nonnegative or right.nonnegative) if name == "and" else left.nonnegative and right.nonnegative
    return Value(number, (code.new(f"{name} {number.register} {left.parts[0]}, {right.parts[0]}"),), None, nonnegative)


def _shifted(code: Code, kind: type, left: Value, right: Value) -> Value:
    if not (left.type.kind in "iub" and right.type.is_whole):
        raise Unknown(f"{kind.__name__} of {left.type} by {right.type}")
    number = UINT64 if left.type.kind == "u" else INT64
    if kind is ast.LShift and (folded := _folded(kind, number, left, right)):
        return folded
    how = "shl" if kind is ast.LShift else "ashr" if number is INT64 else "lshr"
    left, right = code.cast(left, number), code.cast(right, number)
    text = code.new(f"{how} i64 {left.parts[0]}, {right.parts[0]}")
    return Value(number, (text,), None, how == "ashr" and left.nonnegative)


def unary(code: Code, op: ast.unaryop, value: Value) -> Value:
    """``-value``, ``+value`` or ``~value``."""
    if not isinstance(value.type, Number) or (value.type is BOOL and not isinstance(op, ast.UAdd)):
        raise Unknown(f"{type(op).__name__} of {value.type}")
    if isinstance(op, ast.USub) and value.known not in (None, -1 << 63) and value.type in (INT64, FLOAT64):
        return constant(-value.known)
    number = computed(value.type, value.type)
    if isinstance(op, ast.UAdd):
        return code.cast(value, number)
    kind, (text,) = value.type.register, value.parts
    if isinstance(op, ast.USub):
        negated = code.new(f"fneg {kind} {text}" if number.kind == "f" else f"sub {kind} 0, {text}")
    elif number.kind == "f":
        raise Unknown("~ of a float")
    else:
        negated = code.new(f"xor {kind} {text}, -1")
    return code.cast(Value(value.type, (negated,)), number)  # negated in its own width first, as Numba does


def compare(code: Code, op: ast.cmpop, left: Value | Known, right: Value | Known) -> Value:
    """A comparison of two values."""
    if isinstance(op, (ast.Is, ast.IsNot)):
        return _identity(isinstance(op, ast.Is), left, right)
    if isinstance(left, Known) and isinstance(right, Known) and isinstance(op, (ast.Eq, ast.NotEq)):
        return constant((left.value == right.value) is isinstance(op, ast.Eq))
    if isinstance(left, Known) or isinstance(right, Known) or type(op) not in _COMPARE:
        raise Unknown(f"{type(op).__name__} of what is known and what is not")
    if not (isinstance(left.type, Number) and isinstance(right.type, Number)):
        raise Unknown(f"{type(op).__name__} of {left.type} and {right.type}")
    return Value(BOOL, (_compared(code, _COMPARE[type(op)], left, right),))


def _identity(same: bool, left: Value | Known, right: Value | Known) -> Value:
    """A comparison by ``is`` with None, which is known when code is made."""
    nothing = [isinstance(each, Known) and each.value is None for each in (left, right)]
    nothing = [n or (isinstance(v, Value) and v.type is NOTHING) for n, v in zip(nothing, (left, right), strict=True)]
    if not any(nothing):
        raise Unknown("is of other than None")
    return constant(all(nothing) is same)


def _compared(code: Code, name: str, left: Value, right: Value) -> str:
    signs = left.type.kind, right.type.kind
    if signs in (("i", "u"), ("u", "i")):
        return _compared_over_signs(code, name, left, right)
    number = UINT64 if signs in (("b", "u"), ("u", "b")) else computed(left.type, right.type)
    left, right = code.cast(left, number), code.cast(right, number)
    if number.kind == "f":
        how = f"fcmp {'u' if name == 'ne' else 'o'}{name}"
    else:
        how = f"icmp {name if name in ('eq', 'ne') else ('u' if number is UINT64 else 's') + name}"
    return code.new(f"{how} {number.register} {left.parts[0]}, {right.parts[0]}")


def _compared_over_signs(code: Code, name: str, left: Value, right: Value) -> str:
    """A comparison of a signed and an unsigned number. A negative number is less than all unsigned numbers."""
    signed = left if left.type.kind == "i" else right
    (word,) = code.cast(signed, INT64).parts
    a, b = (code.cast(each, INT64 if each is signed else UINT64).parts[0] for each in (left, right))
    unsigned = code.new(f"icmp {name if name in ('eq', 'ne') else 'u' + name} i64 {a}, {b}")
    if signed.nonnegative:
        return unsigned
    negative = code.new(f"icmp slt i64 {word}, 0")
    holds = name == "ne" or ((name in ("lt", "le")) is (signed is left) and name != "eq")
    return code.new(f"select i1 {negative}, i1 {str(holds).lower()}, i1 {unsigned}")


def least_or_most(code: Code, name: str, first: Value, second: Value, number: Number) -> Value:
    """Python's ``min`` or ``max`` of two numbers, with Python's treatment of NaN."""
    first, second = code.cast(first, number), code.cast(second, number)
    replaces = _compared(code, "lt" if name == "min" else "gt", second, first)
    text = code.new(f"select i1 {replaces}, {number.register} {second.parts[0]}, {number.register} {first.parts[0]}")
    either = first.nonnegative or second.nonnegative
    return Value(number, (text,), None, either if name == "max" else first.nonnegative and second.nonnegative)


def absolute(code: Function, value: Value) -> Value:
    """``abs(value)``."""
    number = value.type
    if number.kind == "f":
        return intrinsic(code, "fabs", value)
    if number.kind != "i":
        raise Unknown(f"abs of {number}")
    (text,) = value.parts
    negative = code.new(f"icmp slt {number.register} {text}, 0")
    negated = code.new(f"sub {number.register} 0, {text}")
    return Value(number, (code.new(f"select i1 {negative}, {number.register} {negated}, {number.register} {text}"),))


def intrinsic(code: Function, name: str, *values: Value) -> Value:
    """A function of LLVM over floats."""
    number = values[0].type
    suffix = "f32" if number is FLOAT32 else "f64"
    code.module.declare(
        f"declare {number.register} @llvm.{name}.{suffix}({', '.join([number.register] * len(values))})"
    )
    given = ", ".join(f"{number.register} {value.parts[0]}" for value in values)
    return Value(number, (code.new(f"call {number.register} @llvm.{name}.{suffix}({given})"),))
