"""Bit sets of the searches that are at a vertex."""

from __future__ import annotations

from typing import Any

import numpy as np

TOGETHER = 64  # searches in one int64, a bit for each


def lowest_bit(bits):
    """The number of the lowest bit that is set; `bits` must not be 0."""
    number, half = 0, 32
    while half > 0:
        if bits & ((1 << half) - 1) == 0:
            bits >>= half
            number += half
        half >>= 1
    return number


def count_bits(bits):
    """The number of bits that are set."""
    count = 0
    while bits != 0:
        bits &= bits - 1
        count += 1
    return count


def every_bit(count: int) -> int:
    """An int64 with the bits of `count` searches, at most 64."""
    return -1 if count == TOGETHER else (1 << count) - 1


def marks_of(sources: Any) -> tuple[Any, Any]:
    """The distinct vertices of `sources`, at most 64; and for each an int64 with a bit for each of its positions."""
    vertices, place = np.unique(sources, return_inverse=True)
    bits = np.zeros(len(vertices), np.int64)
    np.bitwise_or.at(bits, place, np.int64(1) << np.arange(len(sources)))
    return vertices, bits
