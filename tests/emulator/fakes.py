"""Modules with CuPy's names, over the emulated device."""

from __future__ import annotations

import itertools
import threading
import time
from functools import cache
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

import numpy as np

from tests.emulator import arrays, functions, launch, memory
from tests.emulator.settings import SETTINGS

_handles = itertools.count(0x1000)
_ATTRIBUTES = {
    "MultiProcessorCount": SETTINGS.processors,
    "MaxThreadsPerMultiProcessor": SETTINGS.threads,
    "MaxSharedMemoryPerBlockOptin": launch.MOST_SHARED,
    "MaxThreadsPerBlock": 1024,
    "WarpSize": 32,
    "CooperativeLaunch": 1,
    "L2CacheSize": 1 << 10,  # small enough that tests cover work that is divided into turns
}


class Device:
    """CuPy's device; there is one."""

    def __init__(self, device: Any = None) -> None:
        self.id = 0 if device is None else int(device)
        if self.id:
            raise CUDARuntimeError(101, "cudaErrorInvalidDevice: invalid device ordinal")

    attributes = _ATTRIBUTES
    compute_capability = "90"
    mem_info = property(lambda self: mem_get_info())
    pci_bus_id = "0000:00:00.0"

    def __enter__(self) -> Device:
        return self

    def __exit__(self, *_: Any) -> None:
        pass

    def __int__(self) -> int:
        return self.id

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, Device) and other.id == self.id

    def __hash__(self) -> int:
        return hash(self.id)

    def __repr__(self) -> str:
        return f"<CUDA Device {self.id}>"

    def use(self) -> None:
        pass

    def synchronize(self) -> None:
        pass


class CUDARuntimeError(RuntimeError):
    """CuPy's error of the CUDA runtime."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Stream:
    """CuPy's stream, which does all work immediately."""

    null: Stream

    def __init__(
        self, null: bool = False, non_blocking: bool = False, ptds: bool = False, priority: Any = None
    ) -> None:
        self.ptr = 0 if null else next(_handles)
        self.device_id = 0

    done = True

    def __enter__(self) -> Stream:
        _current.stack.append(self)
        return self

    def __exit__(self, *_: Any) -> None:
        _current.stack.pop()

    def use(self) -> Stream:
        _current.stack[-1] = self
        return self

    def synchronize(self) -> None:
        pass

    def record(self, event: Any = None) -> Event:
        event = event or Event()
        event.record(self)
        return event

    def wait_event(self, event: Any) -> None:
        pass

    def launch_host_func(self, function: Any, argument: Any) -> None:
        function(argument)


class Event:
    """CuPy's event, which records the time."""

    def __init__(self, *_: Any, **__: Any) -> None:
        self.at = 0.0

    done = True

    def record(self, stream: Any = None) -> None:
        self.at = time.perf_counter()

    def synchronize(self) -> None:
        pass


class _Current(threading.local):
    def __init__(self) -> None:
        self.stack = [Stream.null]


Stream.null = Stream(null=True)
_current = _Current()


def get_current_stream(device: Any = None) -> Stream:
    return _current.stack[-1]


def get_elapsed_time(begin: Event, end: Event) -> float:
    return (end.at - begin.at) * 1e3


def mem_get_info() -> tuple[int, int]:
    return memory.TOTAL - memory.used(), memory.TOTAL


class MemoryPool:
    """CuPy's pool, which keeps no memory here."""

    def used_bytes(self) -> int:
        return memory.pooled()

    def free_bytes(self) -> int:
        return 0

    def total_bytes(self) -> int:
        return memory.pooled()

    def get_limit(self) -> int:
        return 0

    def set_limit(self, **_: Any) -> None:
        pass

    def free_all_blocks(self, *_: Any, **__: Any) -> None:
        pass

    malloc = staticmethod(memory.malloc)


_loaded = cache(launch.Module)


def raw_module(*, path: str, enable_cooperative_groups: bool = False) -> launch.Module:
    """Return a module of kernels from a compiled file; like CuPy, make only one for each file."""
    return _loaded(path, enable_cooperative_groups)


def empty_pinned(shape: Any, dtype: Any = float) -> Any:
    """Return an array of the host that kernels may access."""
    shape = (int(shape),) if isinstance(shape, (int, np.integer)) else tuple(shape)
    size = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
    return np.frombuffer(memory.buffer(max(size, 1))[:size], dtype).reshape(shape)


def _module(name: str, **content: Any) -> ModuleType:
    made = ModuleType(name)
    made.__spec__ = ModuleSpec(name, None)
    made.__dict__.update(content)
    return made


class _Function:
    """A function of NumPy on arrays of the device, with its methods, such as ``add.reduceat``."""

    def __init__(self, function: Any) -> None:
        self._function = function

    def __call__(self, *inputs: Any, **options: Any) -> Any:
        return arrays.applied(self._function, inputs, options)

    def __getattr__(self, name: str) -> Any:
        return _Function(getattr(self._function, name))


class _Cupy(ModuleType):
    """The module `cupy`; what is not emulated comes from NumPy."""

    __version__ = "14.0.0"
    __path__: list[str] = []  # noqa: RUF012 - the name is Python's

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        found = getattr(np, name)
        made = found if isinstance(found, type) or not callable(found) else _Function(found)
        setattr(self, name, made)
        return made


def modules() -> dict[str, ModuleType]:
    """Return the modules by name."""
    runtime = _module(
        "cupy.cuda.runtime",
        CUDARuntimeError=CUDARuntimeError,
        getDeviceCount=lambda: 1,
        getDevice=lambda: 0,
        setDevice=lambda device: None,
        deviceSynchronize=lambda: None,
        hostAllocPortable=1,
        errorMemoryAllocation=2,
        driverGetVersion=lambda: 13000,
        runtimeGetVersion=lambda: 13000,
        memGetInfo=mem_get_info,
        getDeviceProperties=lambda device: {"name": b"minigr's emulator", "uuid": bytes(16)},
    )
    driver = _module(
        "cupy.cuda.driver",
        occupancyMaxActiveBlocksPerMultiprocessor=lambda handle, threads, shared: launch.most_blocks(threads),
        launchKernel=launch.launch_kernel,
        launchCooperativeKernel=launch.launch_kernel,
    )
    cuda = _module(
        "cupy.cuda",
        runtime=runtime,
        driver=driver,
        Device=Device,
        Stream=Stream,
        Event=Event,
        MemoryPointer=memory.MemoryPointer,
        MemoryPool=MemoryPool,
        PinnedMemory=memory.PinnedMemory,
        UnownedMemory=memory.UnownedMemory,
        get_current_stream=get_current_stream,
        get_elapsed_time=get_elapsed_time,
        alloc=memory.allocate,
        get_allocator=memory.get_allocator,
        set_allocator=memory.set_allocator,
        is_available=lambda: True,
    )
    cuda.memory = _module("cupy.cuda.memory", OutOfMemoryError=memory.OutOfMemoryError)  # type: ignore[attr-defined]
    cupy = _Cupy("cupy")
    cupy.__spec__ = ModuleSpec("cupy", None)
    pool = MemoryPool()
    own = {
        name: value for name, value in vars(functions).items() if getattr(value, "__module__", "") == functions.__name__
    }
    cupy.__dict__.update(own, ndarray=arrays.ndarray)
    cupy.__dict__.update(cuda=cuda, RawModule=raw_module, get_default_memory_pool=lambda: pool)
    cupyx = _module("cupyx", empty_pinned=empty_pinned)
    return {
        "cupy": cupy, "cupyx": cupyx, "cupy.cuda": cuda, "cupy.cuda.runtime": runtime, "cupy.cuda.driver": driver,
        "cupy.cuda.memory": cuda.memory,
    }  # fmt: skip
