"""The types of values in native code, and the rules for numbers of two types.

The rules are Numba's, because either compiler may compile a functor. Integers are computed in 64 bits, signed if one of
them is signed. An integer and a float are computed in float64, except that an 8-bit integer and a float are computed in
the type of the float.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from minigr.dtypes import NUMBERS, Number


class Unknown(Exception):
    """A function contains something that this compiler does not know; the message gives the content and the place."""


BOOL, INT32, INT64, UINT64 = (NUMBERS[name] for name in ("bool", "int32", "int64", "uint64"))
FLOAT32, FLOAT64 = NUMBERS["float32"], NUMBERS["float64"]


@dataclass(frozen=True, eq=False)
class Array:
    """The type of C-contiguous arrays: a pointer to elements, and the length of each dimension."""

    element: Number
    ndim: int
    writable: bool

    def __str__(self) -> str:
        return f"{'' if self.writable else 'read-only '}{self.element}[{', '.join(':' * self.ndim)}]"

    @property
    def parts(self) -> tuple[str, ...]:
        return ("ptr", *["i64"] * self.ndim)


@dataclass(frozen=True, eq=False)
class Rows:
    """The type of fields with columns, which have two indexes: a pointer to the elements, row by row."""

    element: Number
    columns: int
    writable: bool

    def __str__(self) -> str:
        return f"{'' if self.writable else 'read-only '}{self.element}[:, {self.columns}]"

    parts = ("ptr",)


@dataclass(frozen=True, eq=False)
class Checked:
    """The type of checked fields: a pointer to the field's words, see `minigr.jit.index_checks`.

    `columns` is 0 if the field has one index.
    """

    element: Number
    columns: int
    writable: bool

    def __str__(self) -> str:
        return f"checked {self.element}[:{f', {self.columns}' if self.columns else ''}]"

    parts = ("ptr",)


@dataclass(frozen=True, eq=False)
class Tuple:
    """The type of tuples: the parts of all items in order."""

    items: tuple[Any, ...]

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.items))})"

    @property
    def parts(self) -> tuple[str, ...]:
        return tuple(part for item in self.items for part in item.parts)


class Nothing:
    """The type of None, and of functions without a result."""

    parts = ()

    def __str__(self) -> str:
        return "nothing"


NOTHING = Nothing()


@cache
def array(element: Number, ndim: int, writable: bool = True) -> Array:
    """The type of arrays of such elements. There is one object for each type."""
    return Array(element, ndim, writable)


rows, checked, tuple_of = cache(Rows), cache(Checked), cache(Tuple)
"""The types of fields with columns, of checked fields and of tuples, also one object for each type."""


def number_of(dtype: Any) -> Number:
    """The type of a NumPy dtype's elements."""
    name = dtype.__name__.removesuffix("_") if isinstance(dtype, type) else np.dtype(dtype).name
    if name not in NUMBERS or (isinstance(dtype, np.dtype) and not dtype.isnative):
        raise Unknown(f"elements of dtype {dtype}")
    return NUMBERS[name]


def join(a: Any, b: Any) -> Any:
    """The joint type of two types, for a variable with both, for ``min``, and for conditional expressions."""
    if a is b:
        return a
    if isinstance(a, Number) and isinstance(b, Number):
        if a.is_whole and a.kind == b.kind:
            return a if a.bits > b.bits else b
        if a.kind == b.kind == "f":
            return FLOAT64
        if {a.kind, b.kind} in ({"i", "f"}, {"u", "f"}) and min(a.bits, b.bits) >= 32:
            return FLOAT64
    if isinstance(a, Tuple) and isinstance(b, Tuple) and len(a.items) == len(b.items):
        return tuple_of(tuple(map(join, a.items, b.items)))
    if isinstance(a, Array) and isinstance(b, Array) and (a.element, a.ndim) == (b.element, b.ndim):
        return array(a.element, a.ndim, False)
    raise Unknown(f"{a} and {b} in one place")


def computed(a: Number, b: Number) -> Number:
    """The type in which ``+``, ``-``, ``*`` and comparisons of two numbers are computed."""
    if a.kind == "f" or b.kind == "f":
        if a.kind == b.kind:
            return a if a is b else FLOAT64
        if min(a.bits, b.bits) == 8:  # either float type holds all of these integers
            return a if a.kind == "f" else b
        if min(a.bits, b.bits) < 32:
            raise Unknown(f"{a} with {b}")
        return FLOAT64
    return UINT64 if a.kind == b.kind == "u" else INT64


def returned_text(kind: Any) -> str:
    """The return type of a function as text."""
    return ",".join(map(str, kind.items)) + "," if isinstance(kind, Tuple) else "" if kind is NOTHING else str(kind)


def returned_type(text: str) -> Any:
    """The return type that `returned_text` wrote."""
    if text.endswith(","):
        return tuple_of(tuple(NUMBERS[name] for name in text[:-1].split(",")))
    return NUMBERS[text] if text else NOTHING
