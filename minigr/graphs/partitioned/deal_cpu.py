"""The owner of a vertex in CPU kernels; `deal.py` has the same rules for arrays."""

import numpy as np

from minigr.jit.kernel import kernel

_ODD, _LOW, _SHIFT = np.uint64(0x9E3779B1), np.uint64((1 << 32) - 1), np.uint64(8)  # as in `deal.py`


@kernel
def owner_of(bounds, parts, vertex):
    """The part that owns a vertex: by ranges that begin at `bounds`, or by a hash if `bounds` is empty."""
    if bounds.size == 0:
        product = (np.uint64(vertex) * _ODD) & _LOW  # kernels compute with 64 bits
        return np.int64((product >> _SHIFT) % np.uint64(parts))
    low, high = np.int64(0), np.int64(parts)
    while high - low > 1:
        middle = (low + high) // 2
        if bounds[np.uint64(middle)] <= vertex:
            low = middle
        else:
            high = middle
    return low
