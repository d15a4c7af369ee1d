"""Missing elements in arrays of NumPy and Arrow."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.errors import GraphError


def is_masked(array: Any) -> bool:
    """Whether `array` is one of NumPy's masked arrays. Code that reads only the data would ignore the mask."""
    if type(array) is np.ndarray:  # the most frequent type
        return False
    return hasattr(array, "mask") and isinstance(array, np.ma.MaskedArray)  # NumPy imports np.ma on first use


def refuse_masked(array: Any, name: str) -> None:
    """Raise `GraphError` if an element of an array is masked. The message names the first masked element."""
    if is_masked(array) and np.ma.is_masked(array):
        position = int(np.ma.getmaskarray(array).argmax())
        raise GraphError(
            f"{name}[{position}] is masked, so it has no value: leave such elements out of all arrays, or fill them in "
            f"with {name}.filled(value)"
        )


def refuse_null(array: Any, name: str) -> None:
    """Raise `GraphError` if an element of an Arrow array is missing. The message names the first missing element."""
    if array.null_count:
        position = int(np.asarray(array.is_null()).argmax())
        raise GraphError(
            f"{name}[{position}] is missing (null): leave such elements out of all arrays, or fill them in with "
            f"{name}.fill_null(value)"
        )


def with_values(array: Any, name: str) -> Any:
    """`array`, in which each element has a value; an array of Arrow becomes one of NumPy.

    Raises
    ------
    GraphError
        If an element is masked or missing. The message names the first one.
    """
    refuse_masked(array, name)
    if hasattr(array, "to_pylist"):  # Arrow, whose DLPack has no place for what is missing, for bools and for text
        refuse_null(array, name)
        return np.asarray(array)
    return array
