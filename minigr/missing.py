"""Elements that have no value, in arrays of NumPy and Arrow; each check raises `GraphError` naming the first one."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.errors import GraphError


def refuse_masked(array: Any, name: str) -> None:
    """Raise `GraphError` if an element of an array is masked."""
    if hasattr(array, "mask") and np.ma.is_masked(array):  # NumPy imports np.ma at its first use
        position = int(np.ma.getmaskarray(array).argmax())
        raise GraphError(
            f"{name}[{position}] is masked, so it has no value: leave such elements out of all arrays, or fill them in "
            f"with {name}.filled(value)"
        )


def refuse_null(array: Any, name: str) -> None:
    """Raise `GraphError` if an element of an array of Arrow is missing."""
    if array.null_count:
        position = int(np.asarray(array.is_null()).argmax())
        raise GraphError(
            f"{name}[{position}] is missing (null): leave such elements out of all arrays, or fill them in with "
            f"{name}.fill_null(value)"
        )
