"""What an atomic does when plain Python calls it: the same as in compiled code, to one element of an array.

So a functor's function can be called by hand, for one edge or one vertex. Nothing else may change the array meanwhile.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from minigr.dtypes import REAL, WHOLE
from minigr.errors import FieldIndexError, FunctorError
from minigr.jit.index_checks import elements
from minigr.jit.intrinsic import Intrinsic

# By the name of an atomic: the new value of an element, from its old one and the values that the atomic is given.
_NEW_VALUE: dict[str, Callable[..., Any]] = {
    "atomic_min": lambda old, value: value if value < old else old,
    "atomic_max": lambda old, value: value if value > old else old,
    "atomic_add": lambda old, value: old + value,
    "atomic_or": lambda old, value: old | value,
    "atomic_exch": lambda old, value: value,
    "atomic_cas": lambda old, expected, value: value if old.tobytes() == expected.tobytes() else old,
}


class Atomic(Intrinsic):
    """An atomic, by its signature and docstring; a decorator.

    Compilers know it by its identity: `minigr.jit.native.memory` and `minigr.jit.numba_atomics`.
    """

    atomic = True

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        array, index, *values = self.__signature__.bind(*args, **kwargs).arguments.values()
        _require_field(self._name, array)
        position = _position(self._name, array, index)
        with np.errstate(all="ignore"):  # whole numbers wrap around
            old = array.dtype.type(array[position].item())
            array[position] = _NEW_VALUE[self._name](old, *(_converted(self._name, v, array.dtype) for v in values))
        return old


def allowed_elements(name: str) -> tuple[str, ...]:
    """The dtypes of fields that an atomic takes."""
    return WHOLE if name == "atomic_or" else REAL


def _require_field(name: str, array: Any) -> None:
    is_array = isinstance(array, np.ndarray) or hasattr(array, "__cuda_array_interface__")
    if not is_array or array.ndim != 1 or array.dtype.name not in allowed_elements(name):
        shown = f"an array of {array.dtype} with {array.ndim} dimensions" if is_array else type(array).__name__
        allowed = ", ".join(allowed_elements(name))
        raise FunctorError(f"{name} needs a field, an array of {allowed} with one dimension, got {shown}")


def _position(name: str, array: Any, index: Any) -> int:
    try:
        position = int(index) if isinstance(index, np.bool_) else operator.index(index)
    except TypeError:
        raise FunctorError(f"{name} needs a whole number as the index, got {index!r}") from None
    if not 0 <= position < array.size:
        raise FieldIndexError(
            f"{name}: the index {position} is out of range for an array that has {elements(array.size)}"
        )
    return position


def _converted(name: str, value: Any, dtype: np.dtype) -> Any:
    """`value` as an element of a field, in the way that compiled code converts it."""
    given = np.asarray(value.item() if hasattr(value, "__cuda_array_interface__") else value)
    if given.ndim or given.dtype.kind not in "biuf":
        raise FunctorError(f"{name} needs a number as the value, got {value!r}")
    return given.astype(dtype)[()]
