"""Functions of CuPy over arrays of the emulated device, where a function of NumPy can't be used."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.emulator.arrays import Order, copied, ndarray, plain


def array(obj: Any, dtype: Any = None, copy: bool = True, order: Order = "C", ndmin: int = 0, **_: Any) -> Any:
    if isinstance(obj, ndarray):
        same = dtype is None or np.dtype(dtype) == obj.dtype
        if same and not copy:
            return obj
        return copied(obj._a.astype(obj.dtype if dtype is None else dtype))
    if hasattr(obj, "__cuda_array_interface__"):
        given = obj.__cuda_array_interface__
        held = getattr(obj, "_array", None)
        if held is None:
            raise NotImplementedError("arrays of others on the emulated device")
        assert given["data"][0] == held.data.ptr or not held.size
        return array(held, dtype, copy)
    if isinstance(obj, (list, tuple)) and any(isinstance(each, ndarray) for each in obj):
        obj = [each._a if isinstance(each, ndarray) else each for each in obj]
    return copied(np.array(obj, dtype, ndmin=ndmin))


def asarray(obj: Any, dtype: Any = None, order: Any = None, **_: Any) -> Any:
    return array(obj, dtype, copy=False)


def ascontiguousarray(obj: Any, dtype: Any = None) -> Any:
    found = asarray(obj, dtype)
    return found if found.flags.c_contiguous else copied(found._a)


def asnumpy(obj: Any, *_: Any, **__: Any) -> Any:
    return obj.get() if isinstance(obj, ndarray) else np.asarray(obj)


def from_dlpack(obj: Any, **_: Any) -> Any:
    found = obj.__dlpack__()
    if not isinstance(found, ndarray):
        raise NotImplementedError("arrays of others by DLPack")
    return ndarray.over(found._a, found.data)


def empty(shape: Any, dtype: Any = float, order: Order = "C") -> ndarray:
    return ndarray(shape, dtype, order=order)


def zeros(shape: Any, dtype: Any = float, order: Order = "C") -> ndarray:
    return full(shape, 0, dtype)


def ones(shape: Any, dtype: Any = float) -> ndarray:
    return full(shape, 1, dtype)


def full(shape: Any, value: Any, dtype: Any = None) -> ndarray:
    made = ndarray(shape, np.asarray(plain(value)).dtype if dtype is None else dtype)
    made._a.fill(plain(value))
    return made


def empty_like(a: Any, dtype: Any = None, shape: Any = None) -> ndarray:
    return ndarray(a.shape if shape is None else shape, a.dtype if dtype is None else dtype)


def zeros_like(a: Any, dtype: Any = None) -> ndarray:
    return zeros(a.shape, a.dtype if dtype is None else dtype)


def ones_like(a: Any, dtype: Any = None) -> ndarray:
    return ones(a.shape, a.dtype if dtype is None else dtype)


def full_like(a: Any, value: Any, dtype: Any = None) -> ndarray:
    return full(a.shape, value, a.dtype if dtype is None else dtype)


def arange(*bounds: Any, dtype: Any = None) -> ndarray:
    return copied(np.arange(*(int(b) if isinstance(b, ndarray) else b for b in bounds), dtype=dtype))


def count_nonzero(a: Any, axis: Any = None) -> ndarray:
    return copied(np.asarray(np.count_nonzero(plain(a), axis)))


def copyto(into: ndarray, of: Any, **_: Any) -> None:
    into._a[...] = plain(of)
