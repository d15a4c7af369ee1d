"""Arrays of the emulated device: they behave like those of CuPy, and NumPy's functions compute with them."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from tests.emulator import memory

_DLPACK_CUDA = 2
Order = Literal["C", "F"]


class ndarray:
    """CuPy's array: it refuses NumPy's arrays as operands, and its results are on the device, too."""

    __array_priority__ = 100
    __hash__ = None  # type: ignore[assignment]

    def __init__(
        self, shape: Any, dtype: Any = float, memptr: Any = None, strides: Any = None, order: Order = "C"
    ) -> None:
        shape = (int(shape),) if isinstance(shape, (int, np.integer)) else tuple(int(n) for n in shape)
        dtype = np.dtype(dtype)
        size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
        self.data = memory.allocate(size) if memptr is None else memptr
        self._a = np.ndarray(shape, dtype, self.data.view(size), 0, strides, order)

    @classmethod
    def over(cls, array: Any, data: Any) -> ndarray:
        """Return an array of the device that shares the memory of a NumPy array."""
        made = object.__new__(cls)
        made._a = array
        made.data = data + (array.ctypes.data - data.ptr) if array.size and data.ptr else data
        return made

    # --- properties ---------------------------------------------------------------------------------------------------

    shape = property(lambda self: self._a.shape, lambda self, shape: setattr(self._a, "shape", shape))
    dtype = property(lambda self: self._a.dtype)
    size = property(lambda self: self._a.size)
    nbytes = property(lambda self: self._a.nbytes)
    ndim = property(lambda self: self._a.ndim)
    itemsize = property(lambda self: self._a.itemsize)
    strides = property(lambda self: self._a.strides)
    flags = property(lambda self: self._a.flags)
    T = property(lambda self: view(self, self._a.T))

    @property
    def device(self) -> Any:
        from cupy.cuda import Device

        return Device(0)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        strides = None if self._a.flags.c_contiguous else self._a.strides
        address = self.data.ptr if self._a.size else 0
        kind = self._a.dtype.str
        return {
            "shape": self.shape,
            "typestr": kind,
            "data": (address, False),
            "strides": strides,
            "version": 3,
            "stream": 1,
        }

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise TypeError("Implicit conversion to a NumPy array is not allowed. Please use `.get()`")

    def __dlpack__(self, **_: Any) -> Any:
        return self

    def __dlpack_device__(self) -> tuple[int, int]:
        return _DLPACK_CUDA, 0

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        return applied(getattr(ufunc, method), inputs, options, computes=True)

    def __array_function__(self, function: Any, types: Any, inputs: Any, options: Any) -> Any:
        return applied(function, inputs, options)

    # --- to and from the host ----------------------------------------------------------------------------------------

    def get(self, stream: Any = None, order: str = "C", out: Any = None, blocking: bool = True) -> Any:
        if out is not None:
            out[...] = self._a
            return out
        return self._a.copy()

    def set(self, array: Any, stream: Any = None) -> None:
        if not isinstance(array, np.ndarray):
            raise TypeError("Only numpy.ndarray can be set to cupy.ndarray")
        if array.dtype != self.dtype:
            raise TypeError(f"{array.dtype!r} array cannot be set to {self.dtype!r} array")
        if array.shape != self.shape:
            raise ValueError(f"Shape mismatch. Old shape: {self.shape}, new shape: {array.shape}")
        self._a[...] = array

    def __getitem__(self, key: Any) -> Any:
        where = _index(key)
        if not isinstance(where, tuple):
            where = (where,)
        if not any(each is Ellipsis for each in where):
            where = (*where, Ellipsis)  # so that the result is a view even for one element
        return view(self, self._a[where])

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(value, np.ndarray):
            if value.ndim and not (key is Ellipsis or key == slice(None)):
                raise TypeError("Unsupported type <class 'numpy.ndarray'>")
            self._a[...] = value
        else:
            self._a[_index(key)] = plain(value)

    def __len__(self) -> int:
        return len(self._a)

    def __iter__(self) -> Any:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        return repr(self._a)

    def __str__(self) -> str:
        return str(self._a)

    def __format__(self, form: str) -> str:
        return format(self._a, form)

    def __reduce__(self) -> Any:
        return copied, (self._a.copy(),)

    def __copy__(self) -> ndarray:
        return copied(self._a)

    def __deepcopy__(self, _: Any) -> ndarray:
        return copied(self._a)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if not callable(getattr(self._a, name)):
            raise AttributeError(name)

        def call(*inputs: Any, **options: Any) -> Any:
            computes = name in _COMPUTING or (name == "astype" and np.dtype(inputs[0]) != self.dtype)
            method = getattr(flushed(self._a) if computes else self._a, name)
            result = method(*map(plain, inputs), **{key: plain(value) for key, value in options.items()})
            if computes:
                return _made(flushed(result))
            return result if name in ("tolist", "item", "tobytes") else view(self, result)

        return call


def _operator(name: str) -> Callable[..., Any]:
    function = getattr(operator, f"__{name}__")

    def forward(self: ndarray, other: Any) -> Any:
        return applied(function, (self, other), {}, computes=True)

    return forward


def _reflected(name: str) -> Callable[..., Any]:
    function = getattr(operator, f"__{name}__")

    def backward(self: ndarray, other: Any) -> Any:
        return applied(function, (other, self), {}, computes=True)

    return backward


def _in_place(name: str) -> Callable[..., Any]:
    function = getattr(operator, f"__i{name}__")

    def change(self: ndarray, other: Any) -> ndarray:
        self._a[...] = flushed(self._a)
        function(self._a, flushed(plain(other)))
        self._a[...] = flushed(self._a)
        return self

    return change


def _unary(name: str) -> Callable[..., Any]:
    function = getattr(operator, f"__{name}__")
    return lambda self: applied(function, (self,), {}, computes=True)


def _cast(kind: Callable[[Any], Any]) -> Callable[..., Any]:
    return lambda self: kind(self._a)


_ARITHMETIC = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor", "lshift", "rshift"]
_ARITHMETIC += ["matmul"]
for _name in _ARITHMETIC:
    setattr(ndarray, f"__{_name}__", _operator(_name))
    setattr(ndarray, f"__r{_name}__", _reflected(_name))
    setattr(ndarray, f"__i{_name}__", _in_place(_name))
for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    setattr(ndarray, f"__{_name}__", _operator(_name))
for _name in ("neg", "pos", "invert", "abs"):
    setattr(ndarray, f"__{_name}__", _unary(_name))
for _name, _kind in (("int", int), ("float", float), ("bool", bool), ("index", operator.index), ("complex", complex)):
    setattr(ndarray, f"__{_name}__", _cast(_kind))
ndarray.__module__ = "cupy"


# Methods that compute with the values of an array.
_COMPUTING = {"sum", "prod", "mean", "min", "max", "argmin", "argmax", "any", "all", "cumsum", "clip", "round"}


def flushed(value: Any) -> Any:
    """Replace subnormal numbers of float32 by 0, as CuPy's kernels do in arithmetic, comparisons and conversions."""
    if getattr(value, "dtype", None) != np.float32:
        return value
    return np.where(np.abs(value) < np.finfo(np.float32).tiny, np.copysign(np.float32(0), value), value)


def plain(value: Any) -> Any:
    """Return a value that NumPy computes with; refuse NumPy's own arrays, as CuPy does."""
    if isinstance(value, ndarray):
        return value._a
    if isinstance(value, np.ndarray) and value.ndim:
        raise TypeError(f"Unsupported type {type(value)}")
    if isinstance(value, (tuple, list)):
        return type(value)(map(plain, value))
    return value


def _index(key: Any) -> Any:
    """Return an index for NumPy; NumPy's own arrays are allowed."""
    if isinstance(key, tuple):
        return tuple(map(_index, key))
    return key._a if isinstance(key, ndarray) else key


def applied(function: Any, inputs: Any, options: dict[str, Any], *, computes: bool = False) -> Any:
    """Call a function of NumPy on arrays of the device; `computes`: it computes with values, and doesn't only copy."""
    out = options.get("out")
    given = (flushed(plain(value)) if computes else plain(value) for value in inputs)
    result = function(*given, **{key: plain(value) for key, value in options.items()})
    if out is not None:
        return out[0] if isinstance(out, tuple) and len(out) == 1 else out
    return _made(flushed(result) if computes else result)


def _made(result: Any) -> Any:
    """Move a result of NumPy to the device."""
    if isinstance(result, (tuple, list)):
        return type(result)(map(_made, result)) if type(result) in (tuple, list) else tuple(map(_made, result))
    if isinstance(result, (np.ndarray, np.generic)):
        return copied(np.asarray(result))
    return result


def copied(array: Any, order: Order = "C") -> ndarray:
    """Return a copy of a NumPy array on the device."""
    made = ndarray(array.shape, array.dtype, order=order)
    made._a[...] = array
    return made


def view(of: ndarray, result: Any) -> Any:
    """Return the result of an array's method; it is a view if it shares the array's memory."""
    if result is None or isinstance(result, (int, float, bool, str, bytes)):
        return result
    if isinstance(result, tuple):
        return tuple(view(of, each) for each in result)
    is_part = isinstance(result, np.ndarray) and result.base is not None
    if is_part and (not result.size or np.may_share_memory(result, of._a)):
        return ndarray.over(result, of.data)
    return _made(result)
