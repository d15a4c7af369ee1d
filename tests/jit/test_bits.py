"""Sums of bits, many at a time: what NumPy finds."""

import numpy as np
import pytest

from minigr.jit.bits import common_of, marked_of
from tests.jit.helpers import own_entry

N = 500


@own_entry
def sum_of_marked(bits, ids, begin, count, found):
    found[0] = marked_of(bits, ids, begin, count)


@own_entry
def sum_of_common(left, right, begin, count, found):
    found[0] = common_of(left, right, begin, count)


@pytest.mark.parametrize("begin", [0, 1, 7])
@pytest.mark.parametrize("count", [-1, 0, 1, 3, 15, 16, 17, 31, 32, 33, 250])
def test_sums_of_some_elements(begin, count):
    """The arrays end with the last element that counts, and all around it would count, too."""
    rng = np.random.default_rng((count + 1, begin))
    is_set = rng.random(N) < 0.6
    bits = np.packbits(np.pad(is_set, (0, -N % 32)), bitorder="little").view(np.uint32)
    ids = rng.integers(0, N, begin + max(count, 0)).astype(np.int32)
    ids[:begin] = np.flatnonzero(is_set)[0]
    found = np.zeros(1, np.int64)
    sum_of_marked(bits, ids, begin, count, found)
    assert found[0] == is_set[ids[begin:]].sum()
    left = rng.integers(0, 2**32, max(count, 0), np.uint32)
    right = rng.integers(0, 2**32, begin + max(count, 0), np.uint32)
    sum_of_common(left, right, begin, count, found)
    assert found[0] == sum((int(a) & int(b)).bit_count() for a, b in zip(left, right[begin:], strict=True))
