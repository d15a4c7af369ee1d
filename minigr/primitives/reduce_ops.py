"""The reductions known by name: their identity for each dtype, on both targets."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.errors import ProblemError

NAMES = ("add", "min", "max", "or")


def identity(name: str, dtype: np.dtype) -> Any:
    """The value that changes nothing when reduced with `name`.

    Raises
    ------
    ProblemError
        For a name that isn't known, or ``"or"`` on floats.

    Examples
    --------
    >>> identity("min", np.dtype("int32"))
    np.int32(2147483647)
    """
    if name not in NAMES:
        raise ProblemError(
            f"unknown reduction {name!r}: use one of {', '.join(NAMES)}, or give a function reduce(a, b)"
        )
    is_float = dtype.kind == "f"
    if name == "or" and is_float:
        raise ProblemError(f"reduction 'or' works on the bits of integers, not on {dtype}")
    if name in ("add", "or"):
        return dtype.type(0)
    if is_float:
        return dtype.type(np.inf if name == "min" else -np.inf)
    limits = np.iinfo(dtype)
    return dtype.type(limits.max if name == "min" else limits.min)
