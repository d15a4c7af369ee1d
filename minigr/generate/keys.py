"""Deriving the keys of independent random streams from a seed."""

from __future__ import annotations

from typing import Any

_MASK = 2**64 - 1


def stream_key(seed: Any, stream: Any) -> Any:
    """The key of a stream of a seed, an integer below 2**64. For uint64 arrays, the key of each element.

    Examples
    --------
    >>> stream_key(0, 0) != stream_key(0, 1) != stream_key(1, 0)
    True
    >>> import numpy as np
    >>> stream_key(7, np.uint64([2, 3])).tolist() == [stream_key(7, 2), stream_key(7, 3)]
    True
    """
    return _mix(_mix(seed + 0x9E3779B97F4A7C15) + (stream * 0xD1342543DE82EF95 & _MASK))


def _mix(z: Any) -> Any:
    z = z & _MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return z ^ (z >> 31)
