"""Arrays that a user gives for a field."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.errors import ProblemError

_INTERFACES = ("__array_interface__", "__cuda_array_interface__", "__dlpack__")
_KINDS = "biuf"  # of the dtypes of numbers


def as_values(device: Any, given: Any, dtype: np.dtype, name: str) -> Any:
    """`given` as an array on `device` of numbers that `dtype` can hold; floats may be rounded."""
    try:
        # What is no array becomes one of NumPy's, because CuPy takes no strings and objects, of which a dtype tells.
        values = given if any(hasattr(given, name) for name in _INTERFACES) else np.asarray(given)
        if not isinstance(values, np.ndarray) or values.dtype.kind in _KINDS:
            values = device.asarray(values)
    except (TypeError, ValueError) as error:
        raise ProblemError(f"{name}: {type(given).__name__} can't be read as an array of numbers: {error}") from None
    if values.dtype.kind not in _KINDS or is_masked(given):
        raise ProblemError(f"{name} takes numbers of dtype {dtype}, got {described(given, values)}")
    if dtype.kind == values.dtype.kind == "f" and dtype.itemsize < values.dtype.itemsize:
        with np.errstate(over="ignore"):
            beyond = (abs(values.astype(dtype)) == np.inf) & (abs(values) != np.inf)
        if bool(beyond.any()):
            raise ProblemError(f"{name}: {values[beyond].reshape(-1)[0]} is beyond {dtype}: declare another dtype")
    if not np.can_cast(values.dtype, dtype, "same_kind" if dtype.kind == "f" else "safe"):
        with np.errstate(invalid="ignore"):
            held = values.astype(dtype) == values
        if not bool(held.all()):
            raise ProblemError(
                f"{name}: {values[~held].reshape(-1)[0]} is no {dtype}: convert it, or declare another dtype"
            )
    return values


def is_masked(array: Any) -> bool:
    return type(array) is not np.ndarray and isinstance(array, np.ma.MaskedArray)


def described(given: Any, array: Any) -> str:
    """An array that was not taken, for a message."""
    if is_masked(given):
        return "a masked array: fill what is masked first, by .filled(value)"
    return f"{array.shape} of {array.dtype}"
