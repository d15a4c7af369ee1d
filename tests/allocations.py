"""Make allocations of arrays fail, one at a time: each that NumPy or CuPy makes, whoever calls them.

Those of NumPy are intercepted by its allocation handler (NEP 49), those of CuPy by its allocator. So allocations of
operators, indexing and methods count, too. The libraries then raise their own errors.
"""

from __future__ import annotations

import ctypes
import math
from typing import Any

from minigr.device import resolve

try:
    from numpy._core import multiarray
except ImportError:  # before NumPy 2
    from numpy.core import multiarray

_SIZE, _ADDRESS = ctypes.c_size_t, ctypes.c_void_p
_ALLOCATIONS = {"malloc": (_ADDRESS, _SIZE), "calloc": (_ADDRESS, _SIZE, _SIZE), "realloc": (_ADDRESS, _ADDRESS, _SIZE)}
"""The types of each function's parameters; the first is the context of the handler."""
_NAME = b"mem_handler"


class _Handler(ctypes.Structure):
    """NumPy's PyDataMem_Handler."""

    _fields_ = (
        ("name", ctypes.c_char * 127),
        ("version", ctypes.c_uint8),
        ("context", _ADDRESS),
        *((name, _ADDRESS) for name in _ALLOCATIONS),
        ("free", _ADDRESS),
    )


def _pointer(capsule: Any, name: bytes | None) -> int:
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = _ADDRESS, (ctypes.py_object, ctypes.c_char_p)
    return get(capsule, name)


def _capsule(handler: _Handler) -> Any:
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, (_ADDRESS, ctypes.c_char_p, _ADDRESS)
    return new(ctypes.addressof(handler), _NAME, None)


_TABLE = ctypes.cast(_pointer(multiarray._ARRAY_API, None), ctypes.POINTER(_ADDRESS))
_set_handler = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object)(_TABLE[304])  # PyDataMem_SetHandler
_get_handler = ctypes.PYFUNCTYPE(ctypes.py_object)(_TABLE[305])  # PyDataMem_GetHandler


class Failing:
    """A context in which the allocation with this number fails, of all allocations on a device.

    Parameters
    ----------
    number : int
        Numbers begin at 0.
    device : str or Device
    lasting : bool
        Whether all later allocations fail, too.
    least : int
        On a CPU, the size in bytes from which allocations count. Kernels get small arrays of a few words, which are as
        unavoidable as Python's own objects.

    Attributes
    ----------
    failed : bool
        Whether there were enough allocations for one to fail.
    """

    def __init__(self, number: int, device: Any, *, lasting: bool = False, least: int = 512) -> None:
        self._left, self._lasting, self._least = number, lasting, least
        self._on_gpu, self.failed = resolve(device).is_cuda, False

    def __enter__(self) -> Failing:
        if self._on_gpu:
            import cupy

            self._before = cupy.cuda.get_allocator()
            cupy.cuda.set_allocator(self._allocate)
        else:
            _now.append(self)
            self._before = _set_handler(_CAPSULE)
        return self

    def __exit__(self, *_: Any) -> None:
        if self._on_gpu:
            import cupy

            cupy.cuda.set_allocator(self._before)
        else:
            _set_handler(self._before)
            _now.remove(self)

    def _allocate(self, size: int) -> Any:
        if self.is_due(size):
            from cupy.cuda.memory import OutOfMemoryError

            raise OutOfMemoryError(size, 0)
        return self._before(size)

    def is_due(self, size: int) -> bool:
        """Count an allocation of `size` bytes, and return whether it fails."""
        if not self._on_gpu and size < self._least:
            return False
        self._left -= 1
        fails = self._left < 0 if self._lasting else self._left == -1
        self.failed |= fails
        return fails


_now: list[Failing] = []
_default = _Handler.from_address(_pointer(_get_handler(), _NAME))


def _counted(name: str) -> Any:
    """An allocation function of NumPy that first asks whether it must fail."""
    types = _ALLOCATIONS[name]
    # PYFUNCTYPE calls with the GIL held, because NumPy's function may release it and take it again.
    allocate = ctypes.PYFUNCTYPE(_ADDRESS, *types)(getattr(_default, name))

    def call(*given: int) -> int | None:
        size = math.prod(given[1:]) if name == "calloc" else given[-1]
        return None if _now and _now[-1].is_due(size) else allocate(*given)

    return ctypes.CFUNCTYPE(_ADDRESS, *types)(call)


_functions = [_counted(name) for name in _ALLOCATIONS]
_addresses = [ctypes.cast(function, _ADDRESS).value for function in _functions]
# The function that frees is NumPy's own, so that no Python code runs when the interpreter ends.
_HANDLER = _Handler(b"failing", _default.version, _default.context, *_addresses, _default.free)
_CAPSULE = _capsule(_HANDLER)
