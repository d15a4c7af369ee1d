"""What an algorithm wants to know about all weights of a dynamic graph."""

from __future__ import annotations

from minigr.graphs.dynamic.storage import Slabs


def weight_summary(slabs: Slabs) -> tuple[float, float, float]:
    """Least, mean and greatest weight of the arcs; all 0 where there are none. O(slabs)."""
    if slabs.num_arcs == 0:
        return 0.0, 0.0, 0.0
    least, total, greatest = slabs.kernels.summarize(slabs)
    return least, total / slabs.num_arcs, greatest
