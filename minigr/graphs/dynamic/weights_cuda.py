"""Minimum, sum and maximum of the weights in slabs on a GPU."""

from __future__ import annotations

import numpy as np

from minigr.graphs.dynamic.launch_cuda import blocks_for, graph_arguments, launch
from minigr.graphs.dynamic.layout import LANES
from minigr.graphs.dynamic.storage import Slabs


def summarize(slabs: Slabs) -> tuple[float, float, float]:
    """See `weights_cpu.summarize`."""
    blocks = max(1, blocks_for(LANES * slabs.bump))
    parts = slabs.allocator.empty(3 * blocks, np.float64)
    launch(f"summarize_{slabs.weights.dtype.name}", blocks, *graph_arguments(slabs), slabs.weights, parts)
    least, total, greatest = parts.get().reshape(3, blocks)
    return float(least.min()), float(total.sum()), float(greatest.max())
