"""Modules of kernels, and launches by CuPy and by the driver."""

from __future__ import annotations

import ctypes
import os
import shutil
import tempfile
import threading
from typing import Any

import numpy as np

from tests.emulator import memory
from tests.emulator.build import runtime
from tests.emulator.settings import SETTINGS

_STATIC_SHARED, MOST_SHARED = 48 << 10, 227 << 10
_kernels: dict[int, Kernel] = {}
_lock = threading.Lock()


class EmulationError(RuntimeError):
    """A kernel did something wrong. The message says what, in which thread and in which line."""


class _Handle:
    def __init__(self, ptr: int) -> None:
        self.ptr = ptr


class Module:
    """A loaded library of kernels with its own variables."""

    def __init__(self, path: str, enable_cooperative_groups: bool = False) -> None:
        runtime()
        folder = tempfile.mkdtemp(prefix="minigr-emulated-")
        copy = os.path.join(folder, os.path.basename(path) + ".so")  # a copy, because the loader loads a path only once
        shutil.copy(path, copy)
        self.library = ctypes.CDLL(copy)
        shutil.rmtree(folder)
        self.cooperative = enable_cooperative_groups
        self.source = ctypes.c_char.in_dll(self.library, "source")
        count = ctypes.c_uint64.in_dll(self.library, "memory_count").value
        pieces = (ctypes.c_uint64 * (2 * count)).in_dll(self.library, "memory")
        for begin, end in zip(pieces[::2], pieces[1::2], strict=True):
            memory.note(begin, end - begin)

    def get_function(self, name: str) -> Kernel:
        return Kernel(self, name)

    def get_global(self, name: str) -> Any:
        address = ctypes.addressof(ctypes.c_char.in_dll(self.library, f"g_{name}"))
        (size,) = (int(end - begin) for begin, end in memory.table() if begin == address)
        return memory.MemoryPointer(memory.Global(address, size), 0)


class Kernel:
    """CuPy's Function: a kernel of a module."""

    def __init__(self, module: Module, name: str) -> None:
        self.module, self.name = module, name
        self.function = getattr(module.library, f"g_{name}")
        self.kernel = _Handle(ctypes.cast(self.function, ctypes.c_void_p).value or 0)
        _kernels[self.kernel.ptr] = self
        layout = (ctypes.c_uint32 * 3).in_dll(module.library, f"layout_{name}")
        self._shared, self.size, count = layout
        places = (ctypes.c_uint32 * (3 + 2 * count)).in_dll(module.library, f"layout_{name}")[3:]
        self.places = list(zip(places[::2], places[1::2], strict=True))
        self.max_dynamic_shared_size_bytes = _STATIC_SHARED - self._shared

    def __call__(self, grid: Any, block: Any, args: Any, shared_mem: int = 0, stream: Any = None, **_: Any) -> None:
        if len(args) != len(self.places):
            raise EmulationError(f"{self.name} takes {len(self.places)} arguments, got {len(args)}")
        packed = bytearray(max(self.size, 1))
        for number, (value, (place, size)) in enumerate(zip(args, self.places, strict=True)):
            content = _content(value)
            if len(content) != size:
                raise EmulationError(
                    f"{self.name}: argument {number} has {size} bytes, got {value!r} of {len(content)}"
                )
            packed[place : place + size] = content
        self.run(grid, block, bytes(packed), shared_mem)

    def run(self, grid: Any, block: Any, packed: bytes, shared: int) -> None:
        """Launch the kernel and wait for its end."""
        if shared > self.max_dynamic_shared_size_bytes:
            raise EmulationError(
                f"{self.name}: {shared} bytes of shared memory, allowed {self.max_dynamic_shared_size_bytes}"
            )
        _run([self], grid, block, packed, shared)


def run_together(kernels: list[Kernel], blocks: int, threads: int) -> None:
    """Launch kernels without arguments at the same time, as if each had a device of its own, and wait for their end."""
    _run(kernels, (blocks,), (threads,), b"", 0)


def _run(kernels: list[Kernel], grid: Any, block: Any, packed: bytes, shared: int) -> None:
    first = kernels[0]
    grid, block = (tuple(int(n) for n in (*each, 1, 1)[:3]) for each in (grid, block))
    threads = int(np.prod(block))
    resident = most_blocks(threads) * SETTINGS.processors
    if threads > 1024 or (first.module.cooperative and int(np.prod(grid)) > resident):
        raise EmulationError(f"{first.name}: {grid} blocks of {threads} threads are too many at once ({resident})")
    known = memory.table()
    given = ctypes.create_string_buffer(packed, max(len(packed), 1) + 16)
    sizes = [(ctypes.c_uint32 * 3)(*each) for each in (grid, block)]
    functions = (ctypes.c_void_p * len(kernels))(*[kernel.kernel.ptr for kernel in kernels])
    with _lock:
        wrong = runtime().launch_kernels(
            functions, ctypes.c_uint32(len(kernels)), given, *sizes, ctypes.c_uint32(first._shared + shared),
            ctypes.c_uint32(resident), SETTINGS.order, ctypes.c_uint64(SETTINGS.seed), ctypes.c_int64(SETTINGS.turn),
            ctypes.c_double(SETTINGS.seconds), ctypes.c_void_p(known.ctypes.data), ctypes.c_uint64(len(known)),
            int(SETTINGS.checks_loads),
        )  # fmt: skip
    if wrong:
        path = ctypes.string_at(ctypes.addressof(first.module.source)).decode()
        raise EmulationError(f"kernel {first.name} of {path}: {wrong.decode()}")


def _content(value: Any) -> bytes:
    """Return the bytes of an argument, as CuPy passes them."""
    if hasattr(value, "__cuda_array_interface__"):
        return int(value.data.ptr).to_bytes(8, "little")
    if isinstance(value, memory.MemoryPointer):
        return value.ptr.to_bytes(8, "little")
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tobytes()
    if isinstance(value, bool):
        return bytes([value])
    if isinstance(value, int):
        return np.int64(value).tobytes()
    if isinstance(value, float):
        return np.float64(value).tobytes()
    raise TypeError(f"Unsupported type {type(value)}")


def most_blocks(threads: int) -> int:
    """Return how many blocks of `threads` threads a multiprocessor holds."""
    return max(SETTINGS.threads // threads, 1)


def kernel_at(handle: int) -> Kernel:
    """Return the kernel that has this handle."""
    return _kernels[int(handle)]


def launch_kernel(
    handle: int, gx: int, gy: int, gz: int, bx: int, by: int, bz: int, shared: int, stream: int, given: int,
    extra: int = 0,
) -> None:  # fmt: skip
    """Launch a kernel by a list of addresses of arguments, like the driver."""
    kernel = kernel_at(handle)
    pointers = memory.host_bytes(given, 8 * len(kernel.places)).view(np.uint64)
    packed = bytearray(max(kernel.size, 1))
    for (place, size), pointer in zip(kernel.places, pointers, strict=True):
        packed[place : place + size] = memory.host_bytes(int(pointer), size).tobytes()
    kernel.run((gx, gy, gz), (bx, by, bz), bytes(packed), shared)
