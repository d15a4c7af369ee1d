"""The types of values in native code, and the rules by which numbers of two types meet.

The rules are Numba's, because a functor may be compiled by either: whole numbers are computed in 64 bits, signed if one
of them is; a whole number and a float meet in float64, and one of 8 bits and a float in that float.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from minigr.dtypes import NUMBERS, Number


class Unknown(Exception):
    """A function contains what this compiler does not know; says what, and where."""


BOOL, INT32, INT64, UINT64 = (NUMBERS[name] for name in ("bool", "int32", "int64", "uint64"))
FLOAT32, FLOAT64 = NUMBERS["float32"], NUMBERS["float64"]


@dataclass(frozen=True, eq=False)
class Array:
    """A C-contiguous array: a pointer to elements, and the length of each dimension."""

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
    """A field with columns, which is indexed by two numbers: a pointer to its elements, row by row."""

    element: Number
    columns: int
    writable: bool

    def __str__(self) -> str:
        return f"{'' if self.writable else 'read-only '}{self.element}[:, {self.columns}]"

    parts = ("ptr",)


@dataclass(frozen=True, eq=False)
class Checked:
    """A field whose indexes are checked: a pointer to its words, see `minigr.jit.index_checks`.

    `columns` is 0 where it is indexed by one number.
    """

    element: Number
    columns: int
    writable: bool

    def __str__(self) -> str:
        return f"checked {self.element}[:{f', {self.columns}' if self.columns else ''}]"

    parts = ("ptr",)


@dataclass(frozen=True, eq=False)
class Tuple:
    """A tuple of values: the parts of all of them, one after the other."""

    items: tuple[Any, ...]

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.items))})"

    @property
    def parts(self) -> tuple[str, ...]:
        return tuple(part for item in self.items for part in item.parts)


class Nothing:
    """The type of None, and of what returns nothing."""

    parts = ()

    def __str__(self) -> str:
        return "nothing"


NOTHING = Nothing()


@cache
def array(element: Number, ndim: int, writable: bool = True) -> Array:
    """The type of arrays of such elements; there is one of each."""
    return Array(element, ndim, writable)


rows, checked, tuple_of = cache(Rows), cache(Checked), cache(Tuple)
"""The same of fields with columns, of checked fields and of tuples."""


def number_of(dtype: Any) -> Number:
    """The type of a NumPy dtype's elements."""
    name = dtype.__name__.removesuffix("_") if isinstance(dtype, type) else np.dtype(dtype).name
    if name not in NUMBERS or (isinstance(dtype, np.dtype) and not dtype.isnative):
        raise Unknown(f"elements of dtype {dtype}")
    return NUMBERS[name]


def join(a: Any, b: Any) -> Any:
    """The type of a variable that is assigned both, or of what ``min`` and conditional expressions give."""
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
        if min(a.bits, b.bits) == 8:  # either float holds all of these
            return a if a.kind == "f" else b
        if min(a.bits, b.bits) < 32:
            raise Unknown(f"{a} with {b}")
        return FLOAT64
    return UINT64 if a.kind == b.kind == "u" else INT64


def returned_text(kind: Any) -> str:
    """The type of what a function returns as text."""
    return ",".join(map(str, kind.items)) + "," if isinstance(kind, Tuple) else "" if kind is NOTHING else str(kind)


def returned_type(text: str) -> Any:
    """The type of that text."""
    if text.endswith(","):
        return tuple_of(tuple(NUMBERS[name] for name in text[:-1].split(",")))
    return NUMBERS[text] if text else NOTHING
