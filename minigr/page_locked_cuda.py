"""Arrays in page-locked memory of the host, which kernels read without a copy.

A NumPy array and a CuPy array share the same memory. The memory is allocated at its exact size, because CuPy's pool of
page-locked memory rounds sizes up to powers of two and keeps freed memory.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import cupy
import numpy as np

from minigr.errors import OutOfMemoryError


class _Memory:
    """Page-locked bytes for `np.asarray`. The arrays over the bytes keep this object alive."""

    def __init__(self, size: int) -> None:
        runtime = cupy.cuda.runtime
        try:
            self._held = cupy.cuda.PinnedMemory(size, runtime.hostAllocPortable)
        except runtime.CUDARuntimeError as error:
            if error.status != runtime.errorMemoryAllocation:
                raise
            raise OutOfMemoryError(
                f"{size:,} bytes of the host's memory can't be page-locked: free some, or use a machine with more"
            ) from error
        self.__array_interface__ = {"shape": (size,), "typestr": "|u1", "data": (self._held.ptr, False), "version": 3}


class _Seen(cupy.cuda.UnownedMemory):
    """The memory of a NumPy array as a GPU sees it."""

    def __init__(self, array: Any, device: int) -> None:
        super().__init__(array.ctypes.data, array.nbytes, array, device)
        self.array = array.view(np.uint8)

    def __del__(self, is_finalizing: Callable[[], bool] = sys.is_finalizing) -> None:  # modules may be gone at exit
        if not is_finalizing():
            self.device.synchronize()  # a kernel may still read it


def empty(length: int, dtype: Any) -> Any:
    """A page-locked NumPy array with undefined content.

    Raises
    ------
    OutOfMemoryError
    """
    return np.asarray(_Memory(length * np.dtype(dtype).itemsize)).view(dtype)


def gpu_view(array: Any, device: int) -> Any:
    """A CuPy array over page-locked memory, made from any one-dimensional array; copied only if necessary."""
    held = host_view(array)
    if held is None:
        held = empty(len(array), array.dtype)
        if isinstance(array, np.ndarray):
            np.copyto(held, array)
        else:
            array.get(out=held)
    return cupy.ndarray(held.shape, held.dtype, cupy.cuda.MemoryPointer(_Seen(held, device), 0))


def copied(array: Any) -> Any:
    """A copy of an array that `gpu_view` made, also in page-locked memory."""
    held = empty(len(array), array.dtype)
    np.copyto(held, host_view(array))
    return gpu_view(held, array.device.id)


def on_gpu(array: Any) -> Any:
    """A copy of a page-locked NumPy array in the memory of the current GPU."""
    found = cupy.empty(array.shape, array.dtype)
    found.data.copy_from_host_async(array.ctypes.data, array.nbytes)
    cupy.cuda.get_current_stream().synchronize()
    return found


def host_view(array: Any) -> Any:
    """The NumPy array over the page-locked memory of an array of NumPy or CuPy; None if the array has other memory."""
    if isinstance(array, np.ndarray):
        base: Any = array
        while isinstance(base, np.ndarray):
            base = base.base
        return array if isinstance(base, _Memory) else None
    if not isinstance(array, cupy.ndarray) or not isinstance(array.data.mem, _Seen):
        return None
    begin = array.data.ptr - array.data.mem.ptr
    return array.data.mem.array[begin : begin + array.nbytes].view(array.dtype)
