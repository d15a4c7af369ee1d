"""Which module builds graphs on a device, and the context its calls run in."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from types import ModuleType

from minigr.device import Device

_NOTHING = nullcontext()


def builder(device: Device) -> ModuleType:
    """`build_cpu` or `build_cuda`: two modules with the same functions. Numba or CuPy is imported here."""
    if device.is_cuda:
        from minigr.graphs import build_cuda

        return build_cuda
    from minigr.graphs import build_cpu

    return build_cpu


def scope(device: Device) -> AbstractContextManager:
    """Makes `device` the current GPU, so that CuPy's temporaries and results land there; does nothing for the CPU."""
    if not device.is_cuda or device.xp.cuda.runtime.getDevice() == device.index:
        return _NOTHING
    return device.xp.cuda.Device(device.index)
