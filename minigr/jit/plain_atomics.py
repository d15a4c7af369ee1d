"""The effect of an atomic that plain Python calls: the same as in compiled code, on one element of an array.

A functor's function can thus be called by hand, for one edge or one vertex. No other code may change the array
meanwhile.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from minigr.dtypes import REAL, WHOLE
from minigr.errors import FieldIndexError, FunctorError
from minigr.jit.index_checks import out_of_range
from minigr.jit.intrinsic import Intrinsic

# For each operation: the new value of an element, from the old value and the values that the atomic gets.
_NEW_VALUE: dict[str, Callable[..., Any]] = {
    "min": lambda old, value: value if value < old else old,
    "max": lambda old, value: value if value > old else old,
    "add": lambda old, value: old + value,
    "or": lambda old, value: old | value,
    "exch": lambda old, value: value,
    "cas": lambda old, expected, value: value if old.tobytes() == expected.tobytes() else old,
}


class Atomic(Intrinsic):
    """An atomic, defined by its signature and docstring; a decorator. The last part of its name is the operation.

    Compilers recognize the atomic by identity; see `minigr.jit.native.memory` and `minigr.jit.numba_atomics`.
    """

    atomic = True

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        array, index, *values = self.__signature__.bind(*args, **kwargs).arguments.values()
        _require_field(self._name, array)
        position = _position(self._name, array, index)
        with np.errstate(all="ignore"):  # integers wrap around
            old = array.dtype.type(array[position].item())
            array[position] = _NEW_VALUE[operation_of(self._name)](
                old, *(_converted(self._name, v, array.dtype) for v in values)
            )
        return old


def operation_of(name: str) -> str:
    """The operation of an atomic, such as ``"add"``."""
    return name.rpartition("_")[2]


def allowed_elements(name: str) -> tuple[str, ...]:
    """The dtypes of fields that an atomic takes."""
    return WHOLE if operation_of(name) == "or" else REAL


def wrong_elements(name: str, dtype: Any) -> str:
    """The message for a field whose dtype an atomic does not take."""
    return f"{name} needs a field of {', '.join(allowed_elements(name))}, got one of {dtype}: declare it as int32, say"


def _require_field(name: str, array: Any) -> None:
    if not (isinstance(array, np.ndarray) or hasattr(array, "__cuda_array_interface__")):
        raise FunctorError(f"{name} needs a field, an array, got {type(array).__name__}")
    if array.dtype.name not in allowed_elements(name):
        raise FunctorError(wrong_elements(name, array.dtype))
    if array.ndim not in (1, 2):
        raise FunctorError(f"{name} needs a field, an array with one or two dimensions, got {array.ndim}")


def _position(name: str, array: Any, index: Any) -> tuple[int, ...]:
    """The index of an element in each dimension."""
    indexes = index if isinstance(index, tuple) else (index,)
    try:
        place = tuple([int(each) if isinstance(each, np.bool_) else operator.index(each) for each in indexes])
    except TypeError:
        place = ()
    if len(place) != array.ndim:
        wanted = "a whole number" if array.ndim == 1 else "two whole numbers"
        raise FunctorError(f"{name} needs {wanted} as the index, got {index!r}")
    if wrong := out_of_range(place, array.shape, "an array"):
        raise FieldIndexError(f"{name}: {wrong}")
    return place


def _converted(name: str, value: Any, dtype: np.dtype) -> Any:
    """`value` as an element of a field, converted as in compiled code."""
    given = np.asarray(value.item() if hasattr(value, "__cuda_array_interface__") else value)
    if given.ndim or given.dtype.kind not in "biuf":
        raise FunctorError(f"{name} needs a number as the value, got {value!r}")
    return given.astype(dtype)[()]
