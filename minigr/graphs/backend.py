"""Which module builds graphs on a device, and the context its calls run in."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from types import ModuleType

from minigr.device import Device


def builder(device: Device) -> ModuleType:
    """`build_cpu` or `build_cuda`: two modules with the same functions. Numba or CuPy is imported here."""
    if device.is_cuda:
        from minigr.graphs import build_cuda

        return build_cuda
    from minigr.graphs import build_cpu

    return build_cpu


def scope(device: Device) -> AbstractContextManager:
    """Makes `device` the current GPU, so that CuPy's temporaries and results land there; does nothing for the CPU."""
    return device.xp.cuda.Device(device.index) if device.is_cuda else nullcontext()
