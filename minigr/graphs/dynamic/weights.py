"""What an algorithm wants to know about all weights of a dynamic graph."""

from __future__ import annotations

import math

import numpy as np

from minigr.graphs.dynamic.layout import KEYS, LANES
from minigr.graphs.dynamic.storage import Slabs

_SLABS_AT_A_TIME = {"cpu": 1 << 14, "cuda": 1 << 20}  # so that the copies stay in the caches, or are few launches


def weight_summary(slabs: Slabs) -> tuple[float, float, float]:
    """Least, mean and greatest weight of the arcs; all 0 where there are none. O(slabs)."""
    if slabs.num_arcs == 0:
        return 0.0, 0.0, 0.0
    least, total, greatest = math.inf, 0.0, -math.inf
    step = LANES * _SLABS_AT_A_TIME[slabs.device.kind]
    for begin in range(0, LANES * slabs.bump, step):
        end = min(begin + step, LANES * slabs.bump)
        keys, weights = (array[begin:end].reshape(-1, LANES)[:, :KEYS] for array in (slabs.pool, slabs.weights))
        held = weights[keys >= 0]
        if held.size:
            least, greatest = min(least, float(held.min())), max(greatest, float(held.max()))
            total += float(held.sum(dtype=np.float64))
    return least, total / slabs.num_arcs, greatest
