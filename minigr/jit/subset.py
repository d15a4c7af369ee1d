"""The allowed contents of a functor: numbers, tuples, elements of fields, loops over ranges, and calls for GPUs.

Both targets accept the same functors. Numba's front end finds the types of a functor for the CPU. A pass then checks
the result: the type of each variable, each operation and each call. A thread of a team must not wait for Python, must
not raise, and can't allocate; on a GPU there is no Python. Everything that is not listed here is therefore refused.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Iterator
from types import FunctionType
from typing import Any

import numpy as np
from numba import types

from minigr.jit.allowed import CALLABLE, INSTEAD, MATH, OPERATORS, REMEDY
from minigr.jit.frozen import draws, is_intrinsic
from minigr.jit.numba_fields import Field
from minigr.jit.numba_functions import REPLACED
from minigr.jit.plain_atomics import Atomic
from minigr.jit.private import FunctionPass, ir, pipeline_of, register_pass

_SCALARS = (types.Integer, types.Float, types.Boolean, types.EnumMember)
_FIELDS = (types.Array, Field)
_CODE = (types.Function, types.Dispatcher, types.Module, types.NumberClass, types.NamedTupleClass, types.EnumClass)
_LOOPS = (types.RangeType, types.RangeIteratorType, types.EnumerateType, types.ZipType, types.Pair, types.SliceType)
_ITERABLE = (types.RangeType, types.EnumerateType, types.ZipType)
_FLOW = (ir.Assign, ir.Jump, ir.Branch, ir.Return, ir.Del)
_NAMED_NUMBERS = {"inf": "math.inf", "infinity": "math.inf", "nan": "math.nan"}
_ELEMENTS = "read and write a field one element at a time, by an integer index"


class Refused(Exception):
    """A forbidden content of a functor: its place, and the remedy."""


@register_pass(mutates_CFG=False, analysis_only=True)
class RefuseOthers(FunctionPass):
    """A pass over a function after Numba has found its types; raises `Refused`."""

    _name = "minigr_refuse_others"

    def __init__(self):  # because Numba's method is abstract
        super().__init__()

    def run_pass(self, state):
        _Function(state).check()
        return False


class _Function:
    """A typed function during Numba's compilation."""

    def __init__(self, state: Any) -> None:
        self._blocks, self._types, self._calls = state.func_ir.blocks, state.typemap, state.calltypes
        self._returned = {s.value.name for s in self._statements() if isinstance(s, ir.Return)}
        self._names = set(self._names_of_keywords())

    def _statements(self) -> Iterator[Any]:
        for _, block in sorted(self._blocks.items()):
            yield from block.body

    def _names_of_keywords(self) -> Iterator[str]:
        """Variables with the names of a call's keywords. From Python 3.13 on, Numba makes an unused tuple of them."""
        assigned = [s for s in self._statements() if isinstance(s, ir.Assign)]
        values = {s.target.name: s.value for s in assigned}
        mentions = Counter(v.name for s in self._statements() if not isinstance(s, ir.Del) for v in s.list_vars())
        for name, value in values.items():
            if isinstance(value, ir.Expr) and value.op == "build_tuple" and name[0] == "$" and mentions[name] == 1:
                items = [item.name for item in value.items]
                constants = [values.get(item) for item in items]
                if items and all(isinstance(each, ir.Const) and isinstance(each.value, str) for each in constants):
                    yield from (name, *items)

    def _type(self, variable: Any) -> Any:
        return self._types[variable.name]

    def check(self) -> None:
        """Raise `Refused` for the first statement that a functor may not contain."""
        for statement in self._statements():
            found = self._complaint(statement)
            if found:
                what, remedy = found
                raise Refused(f"line {statement.loc.line} of {statement.loc.filename} {what}: {remedy}")

    def _complaint(self, statement: Any) -> tuple[str, str] | None:
        """The error in a statement and the remedy; None if there is no error."""
        if isinstance(statement, (ir.SetItem, ir.StaticSetItem)):
            index = statement.index if isinstance(statement, ir.SetItem) else statement.index_var
            constant = getattr(statement, "index", None) if isinstance(statement, ir.StaticSetItem) else None
            container, value = self._type(statement.target), self._type(statement.value)
            found = self._element(container, self._type(index), constant)
            if found or (_is_number(value) and not isinstance(value, types.EnumMember)):
                return found
            fits = isinstance(value, types.IntEnumMember) and isinstance(container.dtype, types.Integer)
            return None if fits else (f"stores {described(value)}", "a field holds numbers of its dtype")
        if not isinstance(statement, _FLOW):
            return f"has a statement that device code doesn't support ({type(statement).__name__.lower()})", REMEDY
        if not isinstance(statement, ir.Assign) or statement.target.name in self._names:
            return None
        if isinstance(statement.value, ir.Expr):
            found = self._expression(statement.value)
            if found:
                return found
        return self._variable(statement.target)

    def _variable(self, variable: Any) -> tuple[str, str] | None:
        kind = self._type(variable)
        if isinstance(kind, types.Optional):
            if variable.name in self._returned:
                return None  # the operator decides whether it may be returned
            return "has a variable that is None on one path and a number on another", "give it a number on every path"
        if _may_be(kind):
            return None
        text = getattr(kind, "literal_value", None)
        number = _NAMED_NUMBERS.get(text.strip().lstrip("+-").lower()) if isinstance(text, str) else None
        return f"has {described(kind)}, which device code doesn't support", f"use {number}" if number else REMEDY

    def _of(self, kind: Any, fits: Any, verb: str, remedy: str) -> tuple[str, str] | None:
        return None if fits(kind) else (f"{verb} {described(kind)}", remedy)

    def _element(self, container: Any, index: Any, constant: Any = None) -> tuple[str, str] | None:
        """The error in an index of a field; None if there is no error."""
        if not isinstance(container, _FIELDS):
            return f"indexes {described(container)}", REMEDY
        if not (container.takes(index) if isinstance(container, Field) else isinstance(index, types.Integer)):
            return f"indexes a field by {described(index)}", _ELEMENTS
        return self._constants(container, index, constant)

    def _constants(self, container: Any, index: Any, constant: Any = None) -> tuple[str, str] | None:
        """The error if a constant is no index of a field; `constant` is a constant that the type `index` lacks."""
        kinds = getattr(index, "types", (index,))
        known = [constant, *(getattr(kind, "literal_value", None) for kind in kinds)]
        for each in known:
            if isinstance(each, int) and each < 0:
                return f"indexes a field by {each}", "count indexes from the beginning of the field"
        columns, last = getattr(container, "columns", 0), known[-1]
        if columns and isinstance(last, int) and last >= columns:
            has = "1 column, which is 0" if columns == 1 else f"{columns} columns, 0 to {columns - 1}"
            return f"reads or writes the column {last} of a field", f"the field has {has}"
        return None

    def _expression(self, expression: Any) -> tuple[str, str] | None:
        check = getattr(self, f"_{expression.op}", None)
        if check is not None:
            return check(expression)
        allowed = ("cast", "phi", "undef", "null", "iternext", "pair_first", "pair_second", "build_tuple")
        if expression.op in allowed:
            return None
        made = expression.op.replace("build_", "a ").replace("map", "dict")
        return f"has {made}, which device code doesn't support", REMEDY

    def _getattr(self, expression: Any) -> tuple[str, str] | None:
        kind = self._type(expression.value)
        if isinstance(kind, _FIELDS):
            return f"reads .{expression.attr} of a field", f"{_ELEMENTS}; make its length a parameter of the Problem"
        plain = (types.Module, types.EnumClass, types.BaseNamedTuple)
        if isinstance(kind, plain) or (isinstance(kind, types.EnumMember) and expression.attr == "value"):
            return None
        return f"reads .{expression.attr} of {described(kind)}", REMEDY

    def _getitem(self, expression: Any) -> tuple[str, str] | None:
        if isinstance(self._type(expression.value), types.BaseTuple):
            return "indexes a tuple by a variable", "use constants, or compare and choose"
        return self._element(self._type(expression.value), self._type(expression.index))

    def _static_getitem(self, expression: Any) -> tuple[str, str] | None:
        if isinstance(self._type(expression.value), types.BaseTuple):
            return None
        index = types.intp if expression.index_var is None else self._type(expression.index_var)
        return self._element(self._type(expression.value), index, expression.index)

    _typed_getitem = _getitem

    def _getiter(self, expression: Any) -> tuple[str, str] | None:
        kind = self._type(expression.value)
        if isinstance(kind, _ITERABLE):
            return None
        return f"loops over {described(kind)}", "loop over a range"

    def _exhaust_iter(self, expression: Any) -> tuple[str, str] | None:
        return self._of(
            self._type(expression.value), lambda kind: isinstance(kind, types.BaseTuple), "unpacks", _ELEMENTS
        )

    def _unary(self, expression: Any) -> tuple[str, str] | None:
        return self._operands(expression.fn, [self._type(expression.value)])

    def _binop(self, expression: Any) -> tuple[str, str] | None:
        return self._operands(expression.fn, [self._type(expression.lhs), self._type(expression.rhs)])

    _inplace_binop = _binop

    def _operands(self, function: Any, kinds: list[Any]) -> tuple[str, str] | None:
        identity = function in (operator.is_, operator.is_not)
        for kind in kinds:
            if isinstance(kind, _FIELDS):
                return "computes with a whole field", _ELEMENTS
            if not (_is_number(kind) or _is_tuple_of_numbers(kind) or (identity and isinstance(kind, types.NoneType))):
                return f"computes with {described(kind)}", REMEDY
        return None

    def _call(self, expression: Any) -> tuple[str, str] | None:
        function = self._type(expression.func)
        given = [self._type(v) for v in (*expression.args, *dict(expression.kws).values())]
        if expression.vararg is not None:
            return "calls a function with *arguments", "write out each argument"
        if isinstance(function, types.Dispatcher):
            passes = getattr(pipeline_of(function.dispatcher), "refuses_others", False)
            return None if passes else (f"calls {function.dispatcher.__name__}", REMEDY)
        if isinstance(function, types.NamedTupleClass):
            return None
        if isinstance(function, types.NumberClass):
            return self._numbers(str(function.instance_type), given)
        if not isinstance(function, types.Function):
            return f"calls {described(function)}", REMEDY
        return self._atomic(function.typing_key, expression) or self._builtin(function.typing_key, given)

    def _atomic(self, key: Any, expression: Any) -> tuple[str, str] | None:
        """The error in the index argument of an atomic; None if there is no error."""
        if not isinstance(key, Atomic):
            return None
        given = key.__signature__.bind(*expression.args, **dict(expression.kws)).arguments
        return self._constants(self._type(given["array"]), self._type(given["index"]))

    def _builtin(self, key: Any, given: list[Any]) -> tuple[str, str] | None:
        key = REPLACED.get(key, key) if isinstance(key, FunctionType) else key
        name = getattr(key, "__name__", str(key))
        if is_intrinsic(key) and key.__module__.startswith("minigr."):
            return None  # they check themselves which fields and numbers they take
        if not _is_hashable(key) or key not in CALLABLE:
            return self._unknown(key, name)
        if key in OPERATORS:
            return self._operands(key, given)
        if key is enumerate:
            given = given[:1]  # the start is an integer, because Numba would have refused other types
        if key is slice or (key in (enumerate, zip) and all(isinstance(kind, _ITERABLE) for kind in given)):
            return None
        if key is len and all(isinstance(kind, (types.BaseTuple, types.RangeType)) for kind in given):
            return None
        if key in (min, max) and any(isinstance(kind, types.Boolean) for kind in given):
            return f"gives a bool to {name}", "convert it with int() first"
        return self._numbers(name, given)

    def _unknown(self, key: Any, name: str) -> tuple[str, str]:
        if isinstance(key, np.ufunc):
            name = f"np.{name}"
        module = getattr(key, "__module__", None)
        if isinstance(module, str) and module not in ("builtins", "math", "_operator") and "." not in name:
            name = f"{module}.{name}"
        if draws(key):
            return (
                f"calls {name}, which device code doesn't support",
                "draw before the run, and pass the numbers in a field",
            )
        plain = name.rpartition(".")[2]
        instead = f"math.{plain}" if plain in MATH.split() and not name.startswith("math") else INSTEAD.get(plain)
        return f"calls {name}, which device code doesn't support", f"use {instead}" if instead else REMEDY

    def _numbers(self, name: str, given: list[Any]) -> tuple[str, str] | None:
        """The error in the arguments of a function that takes numbers; None if there is no error."""
        for kind in given:
            if isinstance(kind, _FIELDS):
                return f"gives a whole field to {name}", _ELEMENTS
            if not _is_number(kind):
                return f"gives {described(kind)} to {name}", REMEDY
        return None


def _is_hashable(key: Any) -> bool:
    try:
        hash(key)
    except TypeError:
        return False
    return True


def _is_number(kind: Any) -> bool:
    return isinstance(kind, _SCALARS) and kind != types.float16


def _is_tuple_of_numbers(kind: Any) -> bool:
    parts: tuple[Any, ...] | None = getattr(kind, "types", None) if isinstance(kind, types.BaseTuple) else None
    return parts is not None and all(_is_number(part) or _is_tuple_of_numbers(part) for part in parts)


def _may_be(kind: Any) -> bool:
    """Whether a variable of a functor may have a type of Numba."""
    if isinstance(kind, types.BaseTuple):
        return all(_may_be(part) for part in getattr(kind, "types", ()))
    if isinstance(kind, types.Array):
        return kind.ndim == 1
    if isinstance(kind, Field):
        return True
    nothing = (types.NoneType, types.Omitted)
    return _is_number(kind) or isinstance(kind, (*nothing, *_CODE, *_LOOPS))


def described(kind: Any) -> str:
    """A type of Numba in Python's terms, or its own name if it is the type of a number."""
    if isinstance(kind, types.Number) and not isinstance(kind, types.Complex):
        return str(types.unliteral(kind))
    if isinstance(kind, types.BaseTuple):
        return f"a tuple of {len(kind)}"
    words: tuple[tuple[Any, str], ...] = (
        ((types.UnicodeType, types.StringLiteral), "a string"),
        (_FIELDS, "a whole field"),
        (types.Boolean, "a bool"),
        (types.Complex, "a complex number"),
        (types.NoneType, "None"),
        (types.SliceType, "a slice"),
        ((types.List, types.ListType), "a list"),
        (types.Set, "a set"),
        ((types.DictType, types.LiteralStrKeyDict), "a dict"),
        (types.Generator, "a generator"),
        (types.BoundFunction, "a method"),
        (types.Bytes, "bytes"),
        ((types.Function, types.Dispatcher), "a function"),
        (types.EnumMember, "a member of an enumeration"),
        (types.Optional, "a number on one path and nothing on another"),
    )
    return next((word for classes, word in words if isinstance(kind, classes)), f"a value of type {kind}")
