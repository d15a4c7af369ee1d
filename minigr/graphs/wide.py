"""Weights, and sums of them, in 64 bits."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.device import device_of
from minigr.primitives.transform import transform


def as_float64(i, values):
    """Element i; called by a transform."""
    return np.float64(values[i])


def in_64_bits(values: Any) -> Any:
    """An array as int64 or float64: the array itself if it has this dtype, otherwise a copy.

    CuPy takes subnormal numbers of float32 for 0 when it compares, adds or converts them. So on a GPU, a kernel of
    minigr's own converts them. All of them are normal numbers of float64.
    """
    if values.dtype == np.float32 and device_of(values).is_cuda:
        return transform(as_float64, values=values)
    return values.astype(np.int64 if values.dtype.kind == "i" else np.float64, copy=False)
