"""The named reductions: their identities for each dtype, on both targets."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from minigr.errors import ProblemError

NAMES = ("add", "min", "max", "or")
#: reductions of pairs (value, id), and the reduction of the values in each
OF_PAIRS = {"argmin": "min", "argmax": "max"}


def identity(name: str, dtype: np.dtype) -> Any:
    """The value that changes nothing when reduced with `name`.

    Raises
    ------
    ProblemError
        If the name is unknown, or for ``"or"`` on floats.

    Examples
    --------
    >>> identity("min", np.dtype("int32"))
    np.int32(2147483647)
    """
    if isinstance(name, str) and name in OF_PAIRS:
        raise ProblemError(
            f"reduction {name!r} takes pairs (value, id), which only reduce= of neighbor_reduce has: use one of "
            f"{', '.join(NAMES)}"
        )
    if not isinstance(name, str) or name not in NAMES:
        raise ProblemError(
            f"unknown reduction {name!r}: use one of {', '.join(NAMES)}, or give a function reduce(a, b)"
        )
    return _identity(name, dtype)


@lru_cache(maxsize=64)
def _identity(name: str, dtype: np.dtype) -> Any:
    is_float = dtype.kind == "f"
    if name == "or" and is_float:
        raise ProblemError(f"reduction 'or' works on the bits of integers, not on {dtype}")
    if name in ("add", "or"):
        return dtype.type(0)
    if is_float:
        return dtype.type(np.inf if name == "min" else -np.inf)
    limits = np.iinfo(dtype)
    return dtype.type(limits.max if name == "min" else limits.min)


@lru_cache(maxsize=64)
def name_of(dtype: np.dtype) -> str:
    """A dtype's name. NumPy builds this string on each access."""
    return str(dtype.name)


def start(name: str, initial: Any, dtype: np.dtype) -> Any:
    """The start value of a reduction: `initial` as a number of `dtype`, or the identity if it is None.

    Raises
    ------
    ProblemError
        If `dtype` has no such reduction, or if it can't hold `initial`.

    Examples
    --------
    >>> start("max", 0, np.dtype("int64")), start("max", None, np.dtype("float32"))
    (np.int64(0), np.float32(-inf))
    """
    least = identity(name, dtype)
    return least if initial is None else as_number(initial, dtype, "initial")


def start_of_pairs(name: str, initial: Any, dtypes: tuple[np.dtype, ...]) -> tuple[Any, ...]:
    """The start value of a reduction of pairs: `initial` as numbers of `dtypes`, or the identity with the id -1.

    Raises
    ------
    ProblemError
        If `initial` is not such a pair.

    Examples
    --------
    >>> start_of_pairs("argmin", None, (np.dtype("float32"), np.dtype("int64")))
    (np.float32(inf), np.int64(-1))
    """
    if initial is None:
        return identity(OF_PAIRS[name], dtypes[0]), dtypes[1].type(-1)
    return as_numbers(initial, dtypes, "initial")


def as_numbers(values: Any, dtypes: tuple[np.dtype, ...], name: str) -> tuple[Any, ...]:
    """`values` as NumPy scalars of `dtypes`; see `as_number`."""
    if not isinstance(values, (tuple, list)) or len(values) != len(dtypes):
        raise ProblemError(f"{name}={values!r}: give a tuple of {len(dtypes)} numbers")
    return tuple(as_number(value, dtype, name) for value, dtype in zip(values, dtypes, strict=True))


def as_number(value: Any, dtype: np.dtype, name: str) -> Any:
    """`value` as a NumPy scalar of `dtype`, if it is a single number that the dtype holds; floats may be rounded.

    Raises
    ------
    ProblemError
        If it is not. The message calls the value `name`.
    """
    number = number_or_none(value, dtype)
    if number is None:
        raise ProblemError(f"{name}={value!r} is no number of dtype {dtype}: give one that the dtype holds")
    return number


def number_or_none(value: Any, dtype: np.dtype) -> Any:
    """The result of `as_number`, or None in place of an error."""
    kind = type(value)
    if kind is float and dtype.char == "d":
        return np.float64(value)
    try:
        if kind is int:
            return dtype.type(value) if _holds(dtype, value) else None
        plain = value.item() if getattr(value, "shape", None) == () else value
        if not isinstance(plain, (int, float, np.floating)):
            return None
        if isinstance(plain, int) and not _holds(dtype, plain):
            return None
        with np.errstate(over="ignore", invalid="ignore"):
            number = dtype.type(plain)
    except (TypeError, ValueError, OverflowError):
        return None
    held = number == plain if dtype.kind != "f" else np.isinf(number) == math.isinf(plain)
    return number if held else None


def _holds(dtype: np.dtype, value: int) -> bool:
    """Whether an integer is in the range of an integer dtype. NumPy 1.26 would wrap it around."""
    kind, bits = dtype.kind, 8 * dtype.itemsize
    if kind == "i":
        return value >> (bits - 1) in (0, -1)
    return kind == "f" or 0 <= value < (2 if kind == "b" else 1 << bits)
