"""Random bits that depend only on a key and a counter, so that all threads and devices agree; see also `random.cuh`."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.jit.kernel import kernel

_WEYL = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_30, _27, _31, _32, _1 = (np.uint64(k) for k in (30, 27, 31, 32, 1))


@kernel
def random_bits(key: Any, counter: Any) -> Any:
    """64 random bits: splitmix64 after `counter` steps from `key`. All values are uint64."""
    z = key + counter * _WEYL
    z = (z ^ (z >> _30)) * _FIRST
    z = (z ^ (z >> _27)) * _SECOND
    return z ^ (z >> _31)


@kernel
def shuffled_label(x: Any, bits: int, key: Any) -> Any:
    """The image of x under a random permutation of ``0 .. 2**bits - 1``. Each step of the permutation can be undone."""
    mask = (_1 << np.uint64(bits)) - _1
    shift = np.uint64(bits // 2 + 1)
    for i in range(4):
        bits_of_round = random_bits(key, np.uint64(i))
        x = (x * (bits_of_round | _1) + (bits_of_round >> _32)) & mask
        x ^= x >> shift
    return x
