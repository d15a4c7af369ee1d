"""Arrays with an initial value, as large as a graph.

Most of the time that a first store takes is the system's, which looks for memory for each page and clears it. While one
thread has that done for all pages, sixteen threads could search the graph. So threads share the stores. Zeros of the
largest arrays are left to the system, which gives memory that is full of them when a thread first comes there.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigr.device import MAPPED, Device
from minigr.jit.threads import get_num_threads

LEAST = 1 << 22  # bytes of an array that is worth waking threads for


def full(device: Device, shape: Any, value: Any, dtype: Any) -> Any:
    """An array on `device`, filled with `value`."""
    if _on_host(device):
        kind, count = np.dtype(dtype), math.prod(shape) if isinstance(shape, tuple) else shape
        is_zero = value == 0 and not kind.type(value).tobytes().strip(b"\0")  # -0.0 has a bit set
        if is_zero and not LEAST <= kind.itemsize * count < MAPPED:
            return np.zeros(shape, kind)
    array = device.empty(shape, dtype)
    fill(device, array, value)
    return array


def fill(device: Device, array: Any, value: Any) -> None:
    """Set every element of a contiguous array on `device`."""
    if not _on_host(device) or array.nbytes < LEAST or get_num_threads() == 1:
        device.fill(array, value)
        return
    from minigr.primitives import fill_cpu

    fill_cpu.fill(array, value, get_num_threads())


def _on_host(device: Device) -> bool:
    return not (device.is_cuda or device.is_rehearsed)
