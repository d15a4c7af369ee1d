"""The summary of all weights of a dynamic graph for algorithms."""

from __future__ import annotations

from minigr.graphs.dynamic.storage import Slabs


def weight_summary(slabs: Slabs) -> tuple[float, float, float]:
    """Minimum, mean and maximum weight of the arcs; all 0 without arcs. O(slabs)."""
    if slabs.num_arcs == 0:
        return 0.0, 0.0, 0.0
    least, total, greatest = slabs.kernels.summarize(slabs)
    return least, total / slabs.num_arcs, greatest
