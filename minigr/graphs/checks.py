"""Checks of the arrays from which graphs are built. Each raises `GraphError` that names the first bad position."""

from __future__ import annotations

import operator
from numbers import Real
from typing import Any

import numpy as np

from minigr.device import Device
from minigr.dtypes import REAL
from minigr.errors import GraphError
from minigr.missing import with_values

MAX_VERTICES = 2**31 - 1
"""Vertex ids are int32, and the largest int32 is no id, so that the number of vertices also fits."""

WEIGHT_DTYPES = REAL
_LOSSLESS = {"bool": "int32", "int8": "int32", "int16": "int32", "uint8": "int32", "uint16": "int32", "uint32": "int64"}


def as_whole(value: Any, name: str) -> int:
    """`value` as an integer."""
    try:
        return operator.index(value)
    except TypeError:
        raise GraphError(f"{name} must be a whole number, got {value!r}") from None


def whole_number(value: Any, name: str, lowest: int, highest: int) -> int:
    """`value` as an int. Raises `GraphError` if it is not an integer in ``lowest .. highest``."""
    number = as_whole(value, name)
    if not lowest <= number <= highest:
        raise GraphError(f"{name} must be between {lowest} and {highest}, got {number}")
    return number


def as_real(value: Any, name: str) -> Any:
    """`value`, if it is a real number."""
    number = value.item() if getattr(value, "ndim", None) == 0 else value
    if not isinstance(number, Real):
        raise GraphError(f"{name} must be a number, got {value!r}")
    return number


def as_vertex_count(value: Any, name: str = "num_vertices") -> int:
    """`value` as a number of vertices."""
    count = as_whole(value, name)
    if not 0 <= count <= MAX_VERTICES:
        raise GraphError(f"{name} must be between 0 and {MAX_VERTICES} (vertex ids are int32), got {count}")
    return count


def as_flag(value: Any, name: str) -> bool:
    """`value` as True or False."""
    try:
        return bool(value)
    except (TypeError, ValueError):  # an array of several elements
        raise GraphError(f"{name} must be True or False, got {value!r}") from None


def check_arcs(arcs: Any) -> None:
    """Refuse values that are not a place for the arcs of a graph on a GPU."""
    if arcs not in ("device", "host"):
        raise GraphError(f"arcs={arcs!r} is neither 'device' (the GPU's memory) nor 'host' (the host's memory)")


def is_single(value: Any) -> bool:
    """Whether a value is a single one. Arrays, and sequences of any content, are not; their checks come later."""
    try:
        return np.ndim(value) == 0
    except ValueError:  # a ragged list
        return False


def readable(array: Any, name: str) -> Any:
    """`array`, or a sequence as an array of NumPy. Raises `GraphError` for a sequence that is no array."""
    if not hasattr(array, "__cuda_array_interface__") and not hasattr(array, "__dlpack__"):
        try:
            return np.asarray(array)
        except ValueError as error:  # a ragged list
            raise GraphError(f"{name} can't be read as an array: {error}") from error
    return array


def as_vector(device: Device, array: Any, name: str) -> Any:
    """`array` as a contiguous one-dimensional array on `device`."""
    array = readable(with_values(array, name), name)
    if getattr(getattr(array, "dtype", None), "kind", "f") not in "biuf":  # the error of CuPy would not be clear
        raise GraphError(f"{name} must hold numbers, but its dtype is {array.dtype}")
    vector = device.asarray(array)
    if vector.ndim != 1:
        raise GraphError(f"{name} must have one dimension, but has shape {tuple(vector.shape)}")
    return vector


def as_ids(device: Device, array: Any, name: str, num_vertices: int | None = None, new: int = 0) -> Any:
    """`array` as int32 vertex ids on `device`, each in ``0 .. num_vertices - 1``, or any int32 id if that is None.

    If there are `new` vertices, which have no ids yet, ``~j`` is new vertex j.
    """
    return as_ids_up_to(device, array, name, num_vertices, new)[0]


def as_ids_up_to(
    device: Device, array: Any, name: str, num_vertices: int | None = None, new: int = 0
) -> tuple[Any, int]:
    """The result of `as_ids`, and the largest id, or -1 if there is none."""
    ids, largest = as_vector(device, array, name), -1
    if ids.size == 0 and not hasattr(array, "dtype"):
        return device.empty(0, np.int32), largest  # an empty list has no dtype to check
    if ids.dtype.kind == "b":  # converted to integers, a mask would name vertices 0 and 1
        raise GraphError(f"{name} must hold integer vertex ids, got a mask of bools: pass np.flatnonzero({name})")
    if ids.dtype.kind not in "iu":
        raise GraphError(
            f"{name} must hold integer vertex ids, but its dtype is {ids.dtype}; "
            f"convert it, e.g. {name}.astype('int32')"
        )
    if ids.size:
        limit, largest = MAX_VERTICES if num_vertices is None else num_vertices, int(ids.max())
        if int(ids.min()) < -new or largest >= limit:
            raise GraphError(_first_bad_id(ids, name, limit, num_vertices, new))
    return ids.astype(np.int32, copy=False), largest


def _first_bad_id(ids: Any, name: str, limit: int, num_vertices: int | None, new: int) -> str:
    ids = getattr(ids, "values", ids)  # the values of an outline
    bad = (ids < -new) | (ids >= limit)
    position = int(bad.argmax())
    value = int(ids[position])
    if value < 0 and new:
        return f"{name}[{position}] is {value}, which is ~{~value}: the new vertices are ~0 to ~{new - 1}"
    if value < 0:
        return f"{name}[{position}] is {value}: vertex ids must not be negative"
    if num_vertices is None:
        return f"{name}[{position}] is {value}: vertex ids must be below {MAX_VERTICES} (int32); relabel the vertices"
    remedy = "pass ids below num_vertices, or make the graph with more vertices"
    return f"{name}[{position}] is {value}, but num_vertices is {num_vertices}: {remedy}"


def as_weights(device: Device, array: Any, count: int, per: str = "src", *, trusted: bool = False) -> Any:
    """`array` as `count` weights on `device`, of one of `WEIGHT_DTYPES`. Narrower dtypes are widened.

    NaN is refused, unless the array is `trusted`.
    """
    weights = as_vector(device, array, "weights")
    if len(weights) != count:
        raise GraphError(f"weights has length {len(weights)}, but {per} has length {count}: give one weight to each")
    dtype = _LOSSLESS.get(weights.dtype.name, weights.dtype.name)
    if dtype not in WEIGHT_DTYPES:
        raise GraphError(
            f"weights has dtype {weights.dtype}; the supported dtypes are {', '.join(WEIGHT_DTYPES)}: "
            "convert it, e.g. weights.astype('float32')"
        )
    if weights.dtype.kind == "f" and not trusted:
        refuse_nan(weights)
    return weights.astype(dtype, copy=False)


def refuse_nan(weights: Any) -> None:
    """Raise `GraphError` for the first weight that is NaN, if there is one."""
    nan = weights != weights
    if bool(nan.any()):
        raise GraphError(f"weights[{int(nan.argmax())}] is NaN: every edge needs a weight that is a number")
