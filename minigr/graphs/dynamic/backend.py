"""The module of kernels for a device."""

from __future__ import annotations

from functools import cache
from types import ModuleType
from typing import Any

from minigr.device import Device


def kernels(device: Device) -> Any:
    """Return `kernels_cpu` or `kernels_cuda`, which have the same functions. This imports Numba or CuPy.

    In a rehearsal, return `kernels_outline`, which has some of these functions.
    """
    if device.is_rehearsed:
        from minigr.graphs.dynamic import kernels_outline

        return kernels_outline
    return _kernels(device.is_cuda)


@cache
def _kernels(on_gpu: bool) -> ModuleType:
    if on_gpu:
        from minigr.graphs.dynamic import kernels_cuda

        return kernels_cuda
    from minigr.graphs.dynamic import kernels_cpu

    return kernels_cpu
