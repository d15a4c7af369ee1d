"""Arrays that a user gives for a field."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.errors import ProblemError
from minigr.missing import is_masked

_INTERFACES = ("__array_interface__", "__cuda_array_interface__", "__dlpack__")
_KINDS = "biuf"  # kinds of the dtypes of numbers


def as_values(device: Any, given: Any, dtype: np.dtype, name: str) -> Any:
    """`given` as an array on `device` of numbers that `dtype` can hold; floats may be rounded."""
    try:
        # Other objects become NumPy arrays first: CuPy takes no strings and objects, and a NumPy dtype reveals these.
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
            raise ProblemError(
                f"{name}: {values[beyond].reshape(-1)[0]} is out of the range of {dtype}: declare another dtype"
            )
    if not np.can_cast(values.dtype, dtype, "same_kind" if dtype.kind == "f" else "safe"):
        with np.errstate(invalid="ignore"):
            held = values.astype(dtype) == values
        if values.dtype.kind == "f" and dtype.kind in "iu":
            # A GPU casts a greater float to the greatest integer, which the comparison rounds to that float.
            held &= values < float(np.iinfo(dtype).max) + 1.0
        if not bool(held.all()):
            raise ProblemError(
                f"{name}: {values[~held].reshape(-1)[0]} is no {dtype}: convert it, or declare another dtype"
            )
    return values


def misfit(given: Any, array: Any, dtype: np.dtype, rows: int | None, columns: int) -> str:
    """The requirements of a field that `array` misses, with a remedy, for messages; empty if `array` fits.

    A field has `rows` rows, or any number if None, and each row has `columns` columns, or is one element if 0.
    """
    shape = (len(array) if rows is None and array.ndim else rows, *([columns] if columns else []))
    is_whole, is_writeable = array.flags.c_contiguous, getattr(array.flags, "writeable", True)
    if array.shape == shape and array.dtype == dtype and is_whole and is_writeable and not is_masked(given):
        return ""
    wanted = f"{dtype} of shape ({'n' if rows is None else rows},{f' {columns}' if columns else ''})"
    if is_masked(given):
        return f"{wanted}, got {described(given, array)}"
    if array.shape != shape:
        remedy = ""
        if columns and array.ndim == 1 and array.size % columns == 0 and rows in (None, array.size // columns):
            remedy = f": use .reshape(-1, {columns})"
        elif not columns and array.ndim == 2 and rows in (None, len(array)):
            remedy = f": declare the field with columns={array.shape[1]}, or use .ravel()"
        return f"{wanted}, got {described(given, array)}{remedy}"
    if array.dtype != dtype:
        return f"{wanted}, got {described(given, array)}: use .astype({str(dtype)!r}), or declare another dtype"
    return f"{wanted}, got one that is {'read-only' if is_whole else 'not contiguous'}: use .copy()"


def described(given: Any, array: Any) -> str:
    """A description of an array that was refused, for a message."""
    if is_masked(given):
        return "a masked array: fill the masked elements first, with .filled(value)"
    return f"{array.shape} of {array.dtype}"
