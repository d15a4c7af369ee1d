"""The restart distribution of a random walk over vertices, made from a user's preferences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from minigr.device import CPU
from minigr.errors import ProblemError
from minigr.graphs.checks import readable
from minigr.missing import refuse_masked


def teleport_distribution(graph: Any, personalization: Any) -> Any:
    """`personalization` as an array that sums to 1, on the host.

    Raises
    ------
    ProblemError
        If `personalization` has the wrong length, a vertex that does not exist or was deleted, a negative weight or
        NaN, or if it sums to 0.
    """
    count, host = graph.num_vertices, graph._device.host
    if isinstance(personalization, Mapping):
        weights = host.xp.zeros(count)
        for vertex, weight in personalization.items():
            if not (isinstance(vertex, (int, np.integer)) and 0 <= vertex < count):
                raise ProblemError(
                    f"personalization names vertex {vertex!r}, but the graph has {count} vertices, numbered from 0"
                )
            weights[vertex] = weight
    else:
        refuse_masked(personalization, "personalization")
        weights = host.asarray(readable(personalization, "personalization")).astype(np.float64)
    if weights.shape != (count,):
        raise ProblemError(f"personalization needs one weight for each of {count} vertices, got shape {weights.shape}")
    if graph.num_live_vertices < count and np.delete(weights, CPU.asarray(graph.live_vertices())).any():
        raise ProblemError("personalization gives weight to a vertex that was deleted: give the vertex 0")
    if not count:
        return weights
    greatest = weights.max()
    if not (weights.min() >= 0 and 0 < greatest < np.inf):
        raise ProblemError("personalization weights must be finite, at least 0, and not all 0")
    weights = np.ldexp(weights, -np.frexp(greatest)[1])  # to at most 1, so that their sum is finite
    return weights / weights.sum()
