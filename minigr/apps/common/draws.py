"""Random draws of edges of a vertex, evenly or in proportion to weights: functions for `transform` and `lbs`.

Random bits depend only on a key, an item and a number, so all devices draw the same edges. A draw by weight searches
the prefix sums of a row. One thread computes the prefix sums of a row in the order of its edges, so that they are the
same on all devices, too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr import memory
from minigr.generate.keys import stream_key
from minigr.graphs.checks import whole_number
from minigr.primitives.random_cpu import random_bits
from minigr.primitives.transform import transform

_32, _11 = np.uint64(32), np.uint64(11)
_UNIT = 2.0**-53
_SMALL, _UP, _DOWN = 2.0**-900, 2.0**128, 2.0**-64  # sums below `_SMALL` are scaled by `_UP`; infinite sums by `_DOWN`


def key_of(seed: Any, stream: int) -> Any:
    """The key of one of the bit streams of a seed, as a value of a field.

    Raises
    ------
    GraphError
        If `seed` is not a whole number of 64 bits.
    """
    return np.uint64(stream_key(whole_number(seed, "seed", -(2**63), 2**64 - 1), stream)).astype(np.int64)


def bits_of(key, item, number):
    """64 random bits."""
    return random_bits(np.uint64(key), (np.uint64(item) << _32) + np.uint64(number))


def part_of(bits):
    """A float64 that is at least 0 and below 1."""
    return np.float64(bits >> _11) * _UNIT


def pick_evenly(bits, count):
    """A whole number below `count`, which is at most 2**32."""
    return np.int64(((bits >> _32) * np.uint64(count)) >> _32)


def pick_by_sums(bits, low, high, sums):
    """The position of an edge of the row that ends at `high`; sums[high] must be above 0."""
    return first_above(part_of(bits) * sums[high], low, high, sums)


def first_above(wanted, low, high, sums):
    """The first position from `low` to `high` whose sum is above `wanted`."""
    while low < high:
        middle = (low + high) >> 1
        if sums[middle] > wanted:
            high = middle
        else:
            low = middle + 1
    return low


def sum_row(i, offsets, weights, sums):
    """Compute the sums of the weights of vertex i up to each of its edges.

    If float64 cannot hold the sums, or holds few of their digits, the weights are scaled.
    """
    scale, total = 1.0, np.inf
    while total == np.inf or 0.0 < total < _SMALL:
        total = 0.0
        for edge in range(offsets[i], offsets[i + 1]):
            total += weights[edge] * scale
            sums[edge] = total
        if scale != 1.0:
            return
        scale = _DOWN if total == np.inf else _UP


def kept_sums(graph: Any, *, inward: bool = False) -> Any:
    """float64[m]: the prefix sums of each row of the out-edges or the in-edges of a `Graph`, kept with the graph."""
    turned = inward and graph.directed

    def make() -> Any:
        rows = graph.in_edges() if turned else graph.out_edges
        memory.require(graph._device, 8 * graph.num_arcs, "the sums of weights along rows")
        sums = graph._device.empty(graph.num_arcs, np.float64)
        transform(sum_row, count=graph.num_vertices, offsets=rows.offsets, weights=rows.weights, sums=sums)
        return sums

    return graph._kept.get("in_sums" if turned else "sums", graph.version, make)
