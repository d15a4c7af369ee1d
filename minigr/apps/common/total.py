"""Sums of weights."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.graphs.wide import in_64_bits


def total_of(weights: Any) -> int | float:
    """The sum of weights: exact, however large, if they are integers, and in float64 if they are floats."""
    if weights.dtype.kind == "f":
        with np.errstate(all="ignore"):  # the sum may be infinite, or NaN if there are both infinities
            return float(in_64_bits(weights).sum())
    high, low = (int(half.sum(dtype=np.int64)) for half in (weights >> 31, weights & (2**31 - 1)))
    return (high << 31) + low  # the sums of halves fit in int64
