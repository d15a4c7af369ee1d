"""The arguments of primitives, checked before anything runs: arrays, numbers, functions, lengths."""

from __future__ import annotations

import difflib
import inspect
import operator
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from minigr import device as devices
from minigr.device import Device
from minigr.dtypes import REAL, WHOLE
from minigr.errors import ArrayError, DeviceError, FunctorError
from minigr.jit.capture import python_function
from minigr.jit.functor import Bound, Method, bind_function, check_parameters, where
from minigr.missing import is_masked
from minigr.primitives.reduce_ops import name_of, number_or_none
from minigr.signatures import unknown

COMBINE = Method(("a", "b"), "number", positional=True)
_INTERFACES = ("__cuda_array_interface__", "__array_interface__")


def is_array(value: Any) -> bool:
    """Whether primitives accept `value` as an array."""
    kind: Any = type(value)
    if kind is np.ndarray:  # first, because this is called for every field of every call
        return True
    if isinstance(value, (np.ndarray, np.generic, int, float)):
        return isinstance(value, np.ndarray)
    return _is_array_type(kind) or any(hasattr(value, name) for name in _INTERFACES)


@cache
def _is_array_type(kind: Any) -> bool:
    """Whether objects of this type are arrays. Objects are not checked, because CuPy's property takes long."""
    return any(hasattr(kind, name) for name in _INTERFACES)


def as_array(value: Any, name: str, dtypes: tuple[str, ...] = (*REAL, "bool")) -> Any:
    """`value` as a NumPy or CuPy array. It is never copied, so that writes reach the caller's array."""
    if not is_array(value):
        raise ArrayError(
            f"{name} must be a NumPy or CuPy array, got {type(value).__name__}: convert it, e.g. numpy.asarray"
        )
    if is_masked(value):
        raise ArrayError(f"{name} is a masked array: fill the masked elements first, with .filled(value)")
    array = devices.device_of(value).xp.asarray(value)
    if name_of(array.dtype) not in dtypes or not array.dtype.isnative:
        raise ArrayError(f"{name} has dtype {array.dtype}, but must have one of {', '.join(dtypes)}: use .astype")
    if array.ndim != 1 or not array.flags.c_contiguous:
        raise ArrayError(
            f"{name} must have one dimension and be contiguous, got shape {array.shape}: use .ravel() or .copy()"
        )
    return array


def as_number(value: Any, name: str) -> Any:
    """A number as a NumPy scalar of a type that functors take.

    The type is int64 or float64, unless it has another type.
    """
    if isinstance(value, np.generic) and name_of(value.dtype) in REAL:
        return value
    if isinstance(value, (bool, int, np.bool_, np.integer)) and -(2**63) <= int(value) < 2**63:
        return np.int64(value)
    if isinstance(value, (float, np.floating)):
        return np.float64(value)
    raise ArrayError(f"{name}={value!r}: give a NumPy or CuPy array, a float, or a whole number that 64 bits hold")


def as_fields(given: Mapping[str, Any]) -> dict[str, Any]:
    """The arrays and numbers that a function may use by their names."""
    return {n: as_array(v, n) if is_array(v) else as_number(v, n) for n, v in given.items()}


def fields_for(primitive: Callable[..., Any], function: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a call, as `as_fields` returns them.

    Raises
    ------
    TypeError
        If the function doesn't use a name, and the name is similar to the name of an option of `primitive`.
    """
    plain = python_function(function)
    asked = () if plain is None else plain.__code__.co_varnames  # not the signature, which takes long to make
    if spare := [name for name in given if name not in asked]:
        options = [
            name for name, each in inspect.signature(primitive).parameters.items() if each.kind is each.KEYWORD_ONLY
        ]
        for name in spare:
            if difflib.get_close_matches(name, options, 1):
                raise TypeError(
                    f"{primitive.__name__} has no option {name!r}, and the function does not ask for it; "
                    f"{unknown(name, options)}"
                )
    return as_fields(given)


def place(arrays: Mapping[str, Any], device: str | None) -> Device:
    """The device that all arrays are on; without arrays, the named device or the default device.

    Raises
    ------
    DeviceError
        If the arrays are not all on one device, or not on the named device.
    """
    homes = {name: devices.device_of(array) for name, array in arrays.items() if is_array(array)}
    wanted = devices.resolve(device) if device is not None or not homes else next(iter(homes.values()))
    for name, home in homes.items():
        if home is wanted:  # in most cases, equal devices are the same object
            continue
        if home.real == wanted.real:
            wanted = home if home.is_rehearsed else wanted
        else:
            other = f"device={str(device)!r} was asked for" if device else f"{next(iter(homes))} is on {wanted}"
            raise DeviceError(f"{name} is on {home}, but {other}: move one, with cupy.asarray or cupy.asnumpy")
    return wanted


def as_count(count: Any, fields: Mapping[str, Any], primitive: str) -> int:
    """The number of items: `count`, or otherwise the common length of all arrays."""
    if count is not None:
        try:
            number = operator.index(count)
        except TypeError:
            raise ArrayError(f"{primitive}: count={count!r} must be a whole number") from None
        if not 0 <= number < 2**62:
            raise ArrayError(f"{primitive}: count={number} must be at least 0 and below 2**62")
        return number
    lengths = {array.size for array in fields.values() if is_array(array)}
    if len(lengths) == 1:
        return lengths.pop()
    found = ", ".join(f"{name} has {array.size}" for name, array in fields.items() if is_array(array))
    raise ArrayError(
        f"{primitive}: the number of items is unclear, because {found or 'there is no array'}: give count="
    )


def bind_to(function: Any, primitive: str, method: Method, fields: Mapping[str, Any], kept_in: Any = None) -> Bound:
    """`function` with its parameters resolved to the values that `method` supplies and to `fields`.

    If there is a dtype `kept_in`, the returned values are stored in it. They must be integers if it is an integer
    dtype.
    """
    plain = python_function(function)
    if plain is None:
        raise FunctorError(
            f"{primitive} needs a plain Python function or a lambda, got {function!r}: wrap it in a lambda"
        )
    name = f"primitives.{primitive}"
    check_parameters(f"functor {name}.{plain.__name__} ({where(plain)})", plain, method)
    bound = bind_function(plain, name, plain.__name__, method, fields, "this call")
    return bound if kept_in is None or kept_in.kind != "i" else replace(bound, reduced=name_of(kept_in))


def as_initial(initial: Any, dtype: np.dtype) -> Any:
    """The start value of a reduction in its dtype, which must hold the value exactly (floats may be rounded)."""
    value = number_or_none(initial, dtype)
    if value is None:
        raise ArrayError(f"initial={initial!r} is no value of dtype {dtype}: give another value, or another dtype=")
    return value


def as_dtype(dtype: Any, out: Any, allowed: tuple[str, ...]) -> np.dtype | None:
    """The dtype that `dtype` or `out` asks for; None if there is neither."""
    if dtype is None:
        return None if out is None else out.dtype
    try:
        wanted = np.dtype(dtype)
    except (TypeError, ValueError):
        raise ArrayError(f"dtype={dtype!r} is no dtype: use one of {', '.join(allowed)}") from None
    if name_of(wanted) not in allowed:
        raise ArrayError(f"dtype={wanted}: use one of {', '.join(allowed)}")
    if out is not None and out.dtype != wanted:
        raise ArrayError(f"out has dtype {out.dtype}, but dtype={wanted} was asked for: leave one of them out")
    return wanted


def unasked(dtype: Any, out: Any) -> np.dtype | None:
    """The dtype of `out` if no `dtype` was passed: then values must not be changed on the way to it."""
    return out.dtype if dtype is None and out is not None else None


def as_out(out: Any, dtypes: tuple[str, ...]) -> Any:
    """`out` as an array that is writeable, or None."""
    if out is None:
        return None
    array = as_array(out, "out", dtypes)
    if not devices.device_of(array).is_cuda and not array.flags.writeable:
        raise ArrayError("out is read-only: give an array that can be written to")
    return array


def room(out: Any, length: int, dtype: Any, device: Device) -> Any:
    """The first `length` elements of `out`, or a new array."""
    if out is None:
        return device.empty(length, dtype)
    if out.size < length:
        raise ArrayError(f"out has room for {out.size} values, but the result has {length}: make out longer")
    return out[:length]


def as_offsets(offsets: Any, validate: bool) -> tuple[Any, int]:
    """Offsets of segments as an array, and the total number of items of the segments.

    Raises
    ------
    ArrayError
        If the offsets are not integers that begin with 0 and, if `validate`, never decrease.
    """
    array = as_array(offsets, "offsets", WHOLE)
    if array.size == 0:
        raise ArrayError("offsets is empty, but needs one element more than there are segments: give [0] for none")
    first, last = (int(x) for x in devices.CPU.asarray(array[:: max(array.size - 1, 1)][:2])[[0, -1]])
    if first != 0 or last < 0:
        raise ArrayError(f"offsets must go from 0 to the number of items, got {first} to {last}")
    if validate and bool((array[1:] < array[:-1]).any()):
        at = int((array[1:] < array[:-1]).argmax())
        raise ArrayError(f"offsets[{at + 1}] is less than offsets[{at}]: offsets must not fall")
    return array, last
