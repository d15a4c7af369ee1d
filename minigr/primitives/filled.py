"""Arrays with an initial value, as large as a graph.

On a CPU, the system takes most of the time of the first stores, because it finds and clears memory for each page. In
the time that one thread takes for all pages, sixteen threads could search the graph. So threads share the stores. Zeros
of the largest arrays are left to the system, which provides cleared memory when a thread first uses it.

On a GPU, the call that fills a small array takes longer than the stores. So small arrays that are made together lie one
after the other in one piece of memory, and one copy fills all of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from minigr.device import MAPPED, Device
from minigr.jit.threads import get_num_threads

LEAST = 1 << 22  # bytes of an array for which it is worth waking threads
TOGETHER = 1 << 14  # maximum number of bytes of arrays that are made together on a GPU
_ALIGNED = 256  # bytes, as in CuPy's allocations


def full(device: Device, shape: tuple[int, ...], value: Any, dtype: np.dtype) -> Any:
    """An array on `device`, filled with `value`."""
    if value == 0 and _on_host(device) and math.copysign(1.0, value) > 0.0:  # a bit of -0.0 is set
        size = dtype.itemsize * math.prod(shape)
        if not LEAST <= size < MAPPED:
            return np.zeros(shape, dtype)
    array = device.empty(shape, dtype)
    fill(device, array, value)
    return array


class Together:
    """Arrays on a GPU that are made together repeatedly, each with its initial value.

    Parameters
    ----------
    device : Device
    arrays : sequence
        For each array its shape, its initial value (a NumPy number) and its dtype.
    """

    def __init__(self, device: Device, arrays: Sequence[tuple[tuple[int, ...], Any, Any]]) -> None:
        import cupyx

        self._device, self._places, size = device, [], 0
        for shape, _, dtype in arrays:
            self._places.append((shape, dtype, size))
            size += -(-math.prod(shape) * np.dtype(dtype).itemsize // _ALIGNED) * _ALIGNED
        # page-locked memory, because other memory would be copied twice
        self._host = cupyx.empty_pinned(size, np.uint8)
        self._host[:] = 0
        for (_, value, dtype), (shape, _, place) in zip(arrays, self._places, strict=True):
            self._host[place:].view(dtype)[: math.prod(shape)] = value
        self._size, self._from = size, self._host.ctypes.data

    def made(self) -> list[Any]:
        """New arrays, in their order."""
        with self._device.as_current():
            make = self._device.xp.ndarray
            first = make(self._size, np.uint8).data
            first.copy_from_host_async(self._from, self._size)
            return [make(shape, dtype, first + place) for shape, dtype, place in self._places]


def fill(device: Device, array: Any, value: Any) -> None:
    """Set every element of a contiguous array on `device`."""
    if not _on_host(device) or array.nbytes < LEAST or get_num_threads() == 1:
        device.fill(array, value)
        return
    from minigr.primitives import fill_cpu

    fill_cpu.fill(array, value, get_num_threads())


def _on_host(device: Device) -> bool:
    return not (device.is_cuda or device.is_rehearsed)
