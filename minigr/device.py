"""Devices: selection of the device of a call, and arrays that are moved to a device and checked.

A device is named ``"cpu"``, ``"cuda"`` (the current GPU) or ``"cuda:1"``. The default is a GPU, if one exists; the
environment variable ``MINIGR_DEVICE`` overrides the default. Arrays on ``"cpu"`` are NumPy arrays, and arrays on
``"cuda"`` are CuPy arrays. CuPy is imported when a GPU is first requested, so a machine without a GPU never needs CuPy.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import sys
import threading
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import cache
from types import ModuleType
from typing import Any, ClassVar

import numpy as np

from minigr.errors import DeviceError

ENVIRONMENT_VARIABLE = "MINIGR_DEVICE"
_DLPACK_HOST = 1  # DLPack's kDLCPU
_NOTHING = nullcontext()

LOOKS = 1000 if platform.machine() in ("x86_64", "AMD64") else 0
"""The number of times that the host looks for the last store of a kernel before it asks the system to wait.

These looks take some tens of microseconds. A wait in the system lets other threads run. The number is 0 on other
processors than x86-64, because they may read earlier stores in another order.
"""


@dataclass(frozen=True)
class Device:
    """A place that holds arrays and runs kernels.

    Attributes
    ----------
    kind : str
        ``"cpu"`` or ``"cuda"``.
    index : int
        Ordinal of the GPU; 0 for the CPU.
    is_cuda : bool
    """

    kind: str
    index: int = 0
    is_cuda: bool = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "is_cuda", self.kind == "cuda")

    is_rehearsed: ClassVar[bool] = False
    """Whether arrays on this device are outlines; see `minigr.rehearsal`."""
    held: ClassVar[int] = 0
    """Bytes of the outlines on this device."""

    def __str__(self) -> str:
        return self.kind if self.kind == "cpu" else f"cuda:{self.index}"

    @property
    def real(self) -> Device:
        """The device itself, also in a rehearsal."""
        return self

    @property
    def xp(self) -> ModuleType:
        """The array module of this device: ``numpy`` or ``cupy``."""
        return _cupy() if self.is_cuda else np

    @property
    def host(self) -> Device:
        """The CPU, for data that an algorithm keeps on the host."""
        return self.beside(CPU)

    def beside(self, device: Device) -> Device:
        """`device`, for arrays that accompany arrays on this device; in a rehearsal, the outline of `device`."""
        return device

    def expect(self, mask: Any, count: int) -> Any:
        """`mask`. A rehearsal assumes that about `count` elements of `mask` will be true."""
        return mask

    def rounds(self, items: Iterable[Any]) -> Iterable[Any]:
        """`items`, for a loop on the host; in a rehearsal, the first two, because later items take no more memory."""
        return items

    def asarray(self, array: Any, dtype: Any = None) -> Any:
        """`array` as a contiguous array on this device, copied only if necessary.

        Accepts sequences and objects with ``__array_interface__``, ``__cuda_array_interface__`` or ``__dlpack__``.
        """
        if hasattr(array, "moved_to"):  # an outline, whatever the device
            return array.moved_to(self)
        if not self.is_cuda:
            if (view := host_view(array)) is not None:
                array = view
            elif hasattr(array, "__cuda_array_interface__"):
                array = array.get() if _is_cupys(array) else _cupy().asarray(array).get()
            elif hasattr(array, "__dlpack__") and not isinstance(array, np.ndarray):
                array = np.from_dlpack(array)
            return np.ascontiguousarray(array, dtype=dtype)
        cupy = _cupy()
        if _is_cupys(array) and array.device.id == self.index and dtype in (None, array.dtype):
            return array if array.flags.c_contiguous else cupy.ascontiguousarray(array)
        if _is_cupys(array) and array.flags.c_contiguous and dtype in (None, array.dtype):
            found = self.empty(array.shape, array.dtype)
            with self.as_current():
                found.data.copy_from_device_async(array.data, array.nbytes)  # CuPy itself would first make a copy there
            return found
        with cupy.cuda.Device(self.index):
            if (
                hasattr(array, "__dlpack__")
                and not hasattr(array, "__array_interface__")
                and not hasattr(array, "__cuda_array_interface__")
            ):
                on_host = int(array.__dlpack_device__()[0]) == _DLPACK_HOST
                array = np.from_dlpack(array) if on_host else cupy.from_dlpack(array)
            return cupy.ascontiguousarray(cupy.asarray(array), dtype=dtype)

    def as_current(self) -> AbstractContextManager:
        """A context in which CuPy makes its arrays on this GPU, the current GPU; on a CPU, the context does nothing."""
        if not self.is_cuda:
            return _NOTHING
        runtime = _cupy().cuda.runtime
        if self.index not in _bound.devices:
            with _cupy().cuda.Device(self.index):
                runtime.setDevice(self.index)
            _bound.devices.add(self.index)
        return _NOTHING if runtime.getDevice() == self.index else _cupy().cuda.Device(self.index)

    def empty(self, shape: Any, dtype: Any) -> Any:
        """An uninitialized array on this device."""
        if not self.is_cuda:
            return np.empty(shape, dtype)
        with self.as_current():
            return _cupy().ndarray(shape, dtype)

    def full(self, shape: Any, value: Any, dtype: Any) -> Any:
        """An array on this device, filled with `value`."""
        with self.as_current():
            array = self.empty(shape, dtype)
            self.fill(array, value)
        return array

    def fill(self, array: Any, value: Any) -> None:
        """Set every element of a contiguous array on this device. A GPU's driver does it if all bytes become equal."""
        if not self.is_cuda:
            array.fill(value)
        if not self.is_cuda or not array.size:
            return
        content = array.dtype.type(value).tobytes()
        with self.as_current():
            if content == content[:1] * len(content):
                array.data.memset_async(content[0], array.nbytes)
            else:
                # Filled as integers, because CuPy stores 0.0 instead of -0.0.
                bits = np.dtype(f"u{array.dtype.itemsize}")
                array.view(bits).fill(np.frombuffer(content, bits)[0])

    def put(self, array: Any, index: Any, value: int | float) -> None:
        """Set ``array[index] = value``. The driver sets one element of a GPU's array, which is faster than CuPy."""
        if not (isinstance(index, (int, np.integer)) and _is_cupys(array)):
            array[index] = value
            return
        content = array.dtype.type(value).tobytes()
        is_plain = array.ndim == 1 and 0 <= index < len(array) and array.strides[0] == len(content)
        if not is_plain or content != content[:1] * len(content):
            self.fill(array[index, ...], value)
            return
        with self.as_current():
            (array.data + int(index) * len(content)).memset_async(content[0], len(content))

    def number(self, array: Any, expected: int = 0) -> int | float:
        """The single number in an array on this device. A rehearsal has no numbers and uses `expected`."""
        (only,) = self.numbers(array)
        return only

    def numbers(self, array: Any) -> list[Any]:
        """The numbers in a small array on this device; copied from a GPU to page-locked memory in half the time."""
        if not self.is_cuda:
            return array.tolist()
        spot, view = _spot(array.dtype, array.size)
        with self.as_current():
            stream = _cupy().cuda.get_current_stream()
            array.data.copy_to_host_async(spot, array.nbytes, stream)
            stream.synchronize()
        return view.tolist()

    def synchronize(self) -> None:
        """Wait until all work submitted to this device is done."""
        if self.is_cuda:
            _cupy().cuda.Device(self.index).synchronize()


CPU = Device("cpu")
MAPPED = 1 << 25
"""The size in bytes from which the C library gets the memory of an array from the system and returns it when freed.

glibc begins with a much smaller size. It raises the size to that of each array that it returns, up to this maximum.
Until then, each call waits until the system has found memory and cleared it page by page, which can take longer than
the search of a graph. An array of about this size is therefore allocated and freed at once. Nothing writes to the
array, so the array takes no memory.
"""
np.empty(MAPPED - (1 << 16), np.uint8)


def resolve(device: str | Device | None = None) -> Device:
    """The `Device` with this name, or the default device for None.

    Raises
    ------
    DeviceError
        If the name is not a device, or names a GPU that this process can't use. The message gives the reason.

    Examples
    --------
    >>> resolve("cpu")
    Device(kind='cpu', index=0)
    """
    if isinstance(device, Device):
        return device
    name = device if device is not None else os.environ.get(ENVIRONMENT_VARIABLE)
    if name is None:
        return Device("cuda", 0) if gpu_count() > 0 else CPU
    kind, _, index = str(name).partition(":")
    if kind == "cpu" and not index:
        return CPU
    if kind != "cuda" or (index and not index.isdecimal()):
        raise DeviceError(f"unknown device {name!r}: use 'cpu', 'cuda' or 'cuda:N'")
    count = gpu_count()
    if count == 0:
        raise DeviceError(f"device {name!r} was asked for, but {_why_no_gpu()}; use device='cpu'")
    ordinal = int(index) if index else int(_cupy().cuda.runtime.getDevice())
    if ordinal >= count:
        raise DeviceError(f"device {name!r} was asked for, but this machine has {count} GPU(s), numbered from 0")
    return Device("cuda", ordinal)


def device_of(array: Any) -> Device:
    """The device that holds an array. An object without a CUDA interface counts as on the CPU."""
    if isinstance(array, np.ndarray):
        return CPU
    if _is_cupys(array):  # checked first, because the property that identifies other arrays takes long to compute
        return _gpu(array.device.id)
    if hasattr(array, "__cuda_array_interface__"):
        return _gpu(_cupy().asarray(array).device.id)
    return array.device if hasattr(array, "moved_to") else CPU


def host_view(array: Any) -> Any:
    """A NumPy array over the memory of `array`, if minigr has page-locked this memory for a GPU; otherwise None."""
    if hasattr(array, "moved_to"):  # an outline
        return array.moved_to(CPU) if array.is_locked else None
    if "cupy" not in sys.modules:
        return None
    from minigr.page_locked_cuda import host_view as view

    return view(array)


def _is_cupys(array: Any) -> bool:
    """Whether `array` is an array of CuPy. This check does not import CuPy."""
    cupy = sys.modules.get("cupy")
    return cupy is not None and isinstance(array, cupy.ndarray)


class _Bound(threading.local):
    """The GPUs whose context the calling thread has. Direct calls of the driver need this context.

    CuPy gives a thread the context when it allocates or launches. But a new thread may get its memory from CuPy's pool,
    and call the driver before CuPy has given it the context.
    """

    def __init__(self) -> None:
        self.devices: set[int] = set()


_bound = _Bound()


class _Spots(threading.local):
    """Where the calling thread copies numbers of GPUs to: an address and an array there, by dtype and size."""

    def __init__(self) -> None:
        self.by_kind: dict[tuple[Any, int], tuple[int, Any]] = {}


_spots = _Spots()


def _spot(dtype: Any, size: int) -> tuple[int, Any]:
    kind = dtype, size
    if kind not in _spots.by_kind:
        import cupyx

        view = cupyx.empty_pinned(size, dtype)
        _spots.by_kind[kind] = view.ctypes.data, view
    return _spots.by_kind[kind]


@cache
def _gpu(index: int) -> Device:
    return Device("cuda", index)


def require_on(array: Any, device: Device, name: str) -> None:
    """Raise `DeviceError` unless `array` is on `device`."""
    where = device_of(array)
    if where is not device and where.real != device.real:  # devices that are equal but not the same object are rare
        raise DeviceError(
            f"{name} is on {where}, but the graph is on {device}: move one of them, e.g. graph.to({str(where)!r})"
        )


@cache
def gpu_count() -> int:
    """The number of GPUs that this process can use; 0 if CuPy or the driver is missing."""
    if importlib.util.find_spec("cupy") is None:
        return 0
    cupy = _cupy()
    try:
        return int(cupy.cuda.runtime.getDeviceCount())
    except cupy.cuda.runtime.CUDARuntimeError:
        return 0  # the driver is missing or too old; _why_no_gpu tells which


def _why_no_gpu() -> str:
    if importlib.util.find_spec("cupy") is None:
        return "CuPy is not installed (pip install 'minigr[cuda13]' or 'minigr[cuda12]')"
    cupy = _cupy()
    try:
        cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        return f"the CUDA driver reports: {error}"
    return "no GPU is visible (is CUDA_VISIBLE_DEVICES set?)"


@cache
def _cupy() -> ModuleType:
    import cupy

    return cupy
