"""The module that builds graphs on a device, and the context in which its functions must be called."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from minigr.device import Device, device_of, host_view
from minigr.outline import Outline


def builder(device: Device, arcs: str = "device") -> Any:
    """Return `build_cpu`, `build_cuda` or, for arcs on the host, `build_host_cuda`. They have the same functions.

    This imports Numba or CuPy. In a rehearsal, the function returns an `OutlineBuilder`, which has these functions,
    too.
    """
    if device.is_rehearsed:
        from minigr.graphs.build_outline import HostOutlineBuilder, OutlineBuilder

        return HostOutlineBuilder(device) if device.is_cuda and arcs == "host" else OutlineBuilder(device)
    if device.is_cuda and arcs == "host":
        from minigr.graphs import build_host_cuda

        return build_host_cuda
    if device.is_cuda:
        from minigr.graphs import build_cuda

        return build_cuda
    from minigr.graphs import build_cpu

    return build_cpu


def empty_arcs(device: Device) -> Callable[..., Any]:
    """A function that makes uninitialized NumPy arrays, of a length and a dtype, for arcs that `device` will read."""
    if not device.is_cuda:
        return np.empty
    from minigr.page_locked_cuda import empty

    return empty


def new_arcs(device: Device, arcs: str, length: int, dtype: Any) -> Any:
    """An uninitialized array for arcs: on a device, or on the host so that a GPU can read it."""
    if not device.is_cuda or arcs == "device":
        return device.empty(length, dtype)
    if device.is_rehearsed:
        return Outline(device, length, dtype, locked=True)
    from minigr.page_locked_cuda import empty, gpu_view

    return gpu_view(empty(length, dtype), device.index)


def moved_arcs(array: Any, device: Device, arcs: str) -> Any:
    """An array with an element for each arc, moved to a device, or to the host so that a GPU can read it."""
    held = host_view(array)
    if not device.is_cuda or (held is None and arcs == "device"):
        return device.asarray(array)
    if device.is_rehearsed:
        return device.asarray(held) if arcs == "device" else array.locked_for(device)
    from minigr.page_locked_cuda import gpu_view, on_gpu

    return on_gpu(held) if arcs == "device" else gpu_view(array, device.index)


def copied_arcs(array: Any) -> Any:
    """A copy of an array with an element for each arc, in memory of the same kind."""
    where = device_of(array)
    if not where.is_cuda or host_view(array) is None:
        return array.copy()
    if where.is_rehearsed:
        return array.like(locked=True)
    from minigr.page_locked_cuda import copied

    return copied(array)


def scope(device: Device) -> AbstractContextManager:
    """Make `device` the current GPU, so that CuPy allocates temporaries and results there; no effect for the CPU."""
    return device.as_current()
