"""Memory of the emulated device: aligned like CuPy's, filled with garbage, and known to the checks of the runtime."""

from __future__ import annotations

import ctypes
import threading
import weakref
from typing import Any

import numpy as np

_ALIGNED = 512
_FRESH, _FREED = 0xA5, 0xDB
TOTAL = 4 << 30

_lock = threading.RLock()
_live: dict[int, int] = {}  # from the begin to the end of each piece
_pieces: weakref.WeakSet[Memory] = weakref.WeakSet()
_table: Any = None


class OutOfMemoryError(MemoryError):
    """CuPy's error for lack of memory."""

    __module__ = "cupy.cuda.memory"

    def __init__(self, size: int, total: int, limit: int = 0) -> None:
        super().__init__(f"Out of memory allocating {size:,} bytes (allocated so far: {total:,} bytes).")


def used() -> int:
    """Return how many bytes are allocated."""
    with _lock:
        return sum(end - begin for begin, end in _live.copy().items())


def pooled() -> int:
    """Return how many bytes are allocated by `malloc`."""
    return sum(piece.size for piece in list(_pieces))


def note(begin: int, size: int) -> None:
    """Allow kernels to access a piece of memory."""
    global _table
    if size:
        with _lock:
            _live[begin] = begin + size
            _table = None


def forget(begin: int) -> None:
    """Forbid kernels to access a piece of memory any longer."""
    global _table
    with _lock:
        if _live.pop(begin, None) is not None:
            _table = None


def table() -> Any:
    """Return the beginning and the end of each piece, in order."""
    global _table
    with _lock:
        if _table is None:
            _table = np.array(sorted(_live.copy().items()), np.uint64).reshape(-1, 2)
        return _table


def buffer(size: int, aligned: int = _ALIGNED) -> Any:
    """Return bytes that kernels may access as long as the array exists."""
    whole = np.empty(size + aligned, np.uint8)
    skip = -whole.ctypes.data % aligned
    found = whole[skip : skip + size]
    found.fill(_FRESH)
    address = found.ctypes.data
    note(address, size)
    weakref.finalize(whole, forget, address)
    return found


class Memory:
    """A piece of the device's memory."""

    def __init__(self, size: int) -> None:
        if size > TOTAL:
            raise OutOfMemoryError(size, used())
        self.size, self.device_id = size, 0
        self.bytes = buffer(size)
        self.ptr = self.bytes.ctypes.data if size else 0
        _pieces.add(self)
        weakref.finalize(self, self.bytes.fill, _FREED)


class PinnedMemory:
    """Memory of the host, which kernels may access, too."""

    def __init__(self, size: int, flags: int = 0) -> None:
        self.size = size
        self._bytes = buffer(size)
        self.ptr = self._bytes.ctypes.data if size else 0


class UnownedMemory:
    """A piece of the device's memory that belongs to another owner."""

    def __init__(self, ptr: int, size: int, owner: Any, device_id: int) -> None:
        self.ptr, self.size, self.device_id = ptr, size, device_id
        self._owner = owner
        self.bytes = host_bytes(ptr, size)

    @property
    def device(self) -> Any:
        from cupy.cuda import Device

        return Device(self.device_id)


class MemoryPointer:
    """CuPy's pointer: a piece of memory and an offset in it."""

    def __init__(self, mem: Any, offset: int) -> None:
        self.mem, self.ptr, self.device_id = mem, mem.ptr + offset if mem.ptr else 0, 0
        self._offset = offset

    @property
    def device(self) -> Any:
        from cupy.cuda import Device

        return Device(0)

    def __add__(self, offset: int) -> MemoryPointer:
        return MemoryPointer(self.mem, self._offset + int(offset))

    __radd__ = __add__

    def __int__(self) -> int:
        return self.ptr

    def view(self, size: int) -> Any:
        """Return the next `size` bytes."""
        if size and self._offset + size > self.mem.size:
            raise RuntimeError(
                f"{size} bytes at {self._offset} of {self.mem.size}: past the end of the allocated memory"
            )
        return self.mem.bytes[self._offset : self._offset + size]

    def memset(self, value: int, size: int) -> None:
        self.view(size).fill(value)

    def memset_async(self, value: int, size: int, stream: Any = None) -> None:
        self.memset(value, size)

    def copy_from_host_async(self, address: int, size: int, stream: Any = None) -> None:
        self.view(size)[:] = host_bytes(_address(address), size)

    copy_from_host = copy_from_host_async

    def copy_to_host_async(self, address: int, size: int, stream: Any = None) -> None:
        host_bytes(_address(address), size)[:] = self.view(size)

    copy_to_host = copy_to_host_async

    def copy_from_device_async(self, source: MemoryPointer, size: int, stream: Any = None) -> None:
        self.view(size)[:] = source.view(size).copy()

    copy_from_device = copy_from = copy_from_async = copy_from_device_async


def _address(address: Any) -> int:
    return int(getattr(address, "value", address))


def host_bytes(address: int, size: int) -> Any:
    """Return `size` bytes of the host's memory at an address."""
    return np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(address)) if size else np.empty(0, np.uint8)


class Global:
    """A variable of a loaded module, as memory."""

    def __init__(self, address: int, size: int) -> None:
        self.ptr, self.size, self.device_id = address, size, 0
        self.bytes = host_bytes(address, size)


def malloc(size: int) -> MemoryPointer:
    """Allocate memory; this is the default allocator."""
    return MemoryPointer(Memory(int(size)), 0)


_allocator = malloc


def get_allocator() -> Any:
    return _allocator


def set_allocator(allocator: Any = None) -> None:
    global _allocator
    _allocator = allocator or malloc


def allocate(size: int) -> MemoryPointer:
    """Allocate memory by the current allocator."""
    found: MemoryPointer = _allocator(int(size))
    return found
