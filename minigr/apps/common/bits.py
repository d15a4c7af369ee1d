"""Bits that tell which of several searches are at a vertex."""

from __future__ import annotations

from typing import Any

import numpy as np

TOGETHER = 64  # searches, a bit for each


def lowest_bit(bits):
    """The number of the lowest bit that is set; one is."""
    number, half = 0, 32
    while half > 0:
        if bits & ((1 << half) - 1) == 0:
            bits >>= half
            number += half
        half >>= 1
    return number


def count_bits(bits):
    """How many bits are set."""
    count = 0
    while bits != 0:
        bits &= bits - 1
        count += 1
    return count


def every_bit(count: int) -> int:
    """The bits of so many searches, at most 64, as int64 has them."""
    return -1 if count == TOGETHER else (1 << count) - 1


def marks_of(sources: Any) -> tuple[Any, Any]:
    """Each vertex of `sources`, at most 64, once; and int64 with a bit for each place at which it stands there."""
    vertices, place = np.unique(sources, return_inverse=True)
    bits = np.zeros(len(vertices), np.int64)
    np.bitwise_or.at(bits, place, np.int64(1) << np.arange(len(sources)))
    return vertices, bits
