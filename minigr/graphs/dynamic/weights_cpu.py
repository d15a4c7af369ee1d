"""Minimum, sum and maximum of the weights in slabs on the CPU."""

from __future__ import annotations

import math

import numpy as np

from minigr.graphs.dynamic.layout import KEYS, LANES
from minigr.graphs.dynamic.storage import Slabs

_SLABS_AT_A_TIME = 1 << 14  # so that the copies stay in the caches


def summarize(slabs: Slabs) -> tuple[float, float, float]:
    """Minimum, sum and maximum of the arcs' weights. Without arcs: infinity, 0 and minus infinity."""
    least, total, greatest = math.inf, 0.0, -math.inf
    step = LANES * _SLABS_AT_A_TIME
    for begin in range(0, LANES * slabs.bump, step):
        end = min(begin + step, LANES * slabs.bump)
        keys, weights = (array[begin:end].reshape(-1, LANES)[:, :KEYS] for array in (slabs.pool, slabs.weights))
        held = weights[keys >= 0]
        if held.size:
            least, greatest = min(least, float(held.min())), max(greatest, float(held.max()))
            with np.errstate(over="ignore", invalid="ignore"):  # the sum may be infinite or undefined
                total += float(held.sum(dtype=np.float64))
    return least, total, greatest
