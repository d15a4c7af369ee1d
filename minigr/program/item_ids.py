"""Ids of a frontier's items: conversion of the values that a user gives, and checks that they exist in a graph.

A pair of vertices is also one int64, ``source << 32 | destination``.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

import numpy as np

from minigr.device import CPU, Device, device_of, resolve
from minigr.errors import ProblemError
from minigr.missing import is_masked

_INT32 = np.iinfo(np.int32)
_FEW = 32  # so few ids take less time in Python than in NumPy
_MOST = {dtype: np.iinfo(dtype).max for dtype in (np.int32, np.int64)}


def ids_of(values: Any, dtype: Any, device: str | Device | None) -> Any:
    """One id, or a sequence or array of ids, as an array of `dtype` with one dimension.

    Raises
    ------
    ProblemError
        If `values` are not integers, or don't fit.
    """
    if type(values) is int and device is None and 0 <= values <= _MOST[dtype]:  # the most common case
        found = np.empty(1, dtype)
        found[0] = values
        return found
    return _as_ids(_read(values, device), dtype).reshape(-1)


def require_below(ids: Any, size: int, kind: str) -> None:
    """Raise `ProblemError` unless all `ids` are at least 0 and below `size`, the number of items of a `kind`."""
    if ids.size == 0:
        return
    if type(ids) is np.ndarray and ids.size <= _FEW:
        listed = ids.tolist()
        if min(listed) >= 0 and max(listed) < size:
            return
    elif int(ids.view(f"u{ids.itemsize}").max()) < size:  # one pass: a negative id is large if unsigned
        return
    low, high = int(ids.min()), int(ids.max())
    if low < 0 or high >= size:
        raise ProblemError(
            f"frontier holds id {low if low < 0 else high}, but there are {size} {kind}, numbered from 0"
        )


def id_of(item: Any, dtype: Any, kind: str) -> int | None:
    """An integer as an id of a `kind`; None if the integer does not fit `dtype`.

    Raises
    ------
    ProblemError
        If `item` is not an integer, or is a bool.
    """
    try:
        number = _whole(item)
    except TypeError:
        raise ProblemError(f"a frontier of {kind} holds ids, which are whole numbers, but {item!r} is none") from None
    limits = np.iinfo(dtype)
    return number if limits.min <= number <= limits.max else None


def _whole(number: Any) -> int:
    """Return an integer as an int; raise TypeError for anything else."""
    if getattr(number, "dtype", type(number)) in (bool, np.bool_):
        raise TypeError
    return operator.index(number)


# --- pairs of vertices ---------------------------------------------------------------------------------------------


def pairs_of(sources: Any, destinations: Any, device: str | Device | None) -> Any:
    """Pairs from two arrays of ids or, if `destinations` is None, from one array with a row for each pair.

    Raises
    ------
    ProblemError
        If ids are not integers or don't fit int32, or if the arrays don't make pairs.
    """
    if destinations is None:
        rows = _as_ids(_read(sources, device), np.int32)
        if rows.size and (rows.ndim != 2 or rows.shape[1] != 2):
            raise ProblemError(
                f"an array of pairs must have shape (n, 2), got shape {rows.shape}: give a row of two ids per pair, "
                "or two arrays, sources and destinations"
            )
        rows = rows.reshape(-1, 2)
        return _packed(rows[:, 0], rows[:, 1])
    near = ids_of(sources, np.int32, device)
    far = ids_of(destinations, np.int32, device_of(near))
    if near.size != far.size:
        raise ProblemError(
            f"pairs need as many sources as destinations, got {near.size} sources and {far.size} destinations"
        )
    return _packed(near, far)


def pair_of(item: Any) -> int | None:
    """A pair given as ``(source, destination)``; None if a number does not fit int32.

    Raises
    ------
    ProblemError
        If `item` is not two integers.
    """
    try:
        source, destination = map(_whole, item)
    except (TypeError, ValueError):
        raise ProblemError(f"a frontier of pairs holds pairs (source, destination), but {item!r} is none") from None
    if min(source, destination) < _INT32.min or max(source, destination) > _INT32.max:
        return None
    return source << 32 | destination & 0xFFFFFFFF


def ends_of(pairs: Any) -> tuple[Any, Any]:
    """The sources and the destinations of `pairs`, as two int32 arrays."""
    return (pairs >> 32).astype(np.int32), pairs.astype(np.int32)


def tuples_of(pairs: Any) -> Iterator[tuple[int, int]]:
    """`pairs` as tuples, on the host."""
    sources, destinations = ends_of(CPU.asarray(pairs))
    return zip(sources.tolist(), destinations.tolist(), strict=True)


def require_ends_below(pairs: Any, vertices: int) -> None:
    """Raise `ProblemError` if a pair has an end that is not a vertex; the error names the first such pair."""
    sources, destinations = ends_of(pairs)
    wrong = (sources < 0) | (sources >= vertices) | (destinations < 0) | (destinations >= vertices)
    if bool(wrong.any()):
        first = int(wrong.argmax())
        pair = int(sources[first]), int(destinations[first])
        raise ProblemError(
            f"frontier holds the pair {pair} at position {first}, but there are {vertices} vertices, numbered from 0"
        )


def _packed(sources: Any, destinations: Any) -> Any:
    # Negative ids keep their values, so that the check against a graph can name them.
    return sources.astype(np.int64) << 32 | destinations.astype(np.int64) & 0xFFFFFFFF


# --- reading ---------------------------------------------------------------------------------------------------------


def refuse_masked(values: Any, what: str) -> None:
    """Raise `ProblemError` if `values` is a NumPy masked array. The message calls it `what`."""
    if is_masked(values):
        raise ProblemError(f"{what} is a masked array: fill the masked elements first, with .filled(value)")


def _read(values: Any, device: str | Device | None) -> Any:
    refuse_masked(values, "the array of frontier ids")
    place = resolve(device) if device is not None else device_of(values)
    try:
        return place.asarray(values)
    except (TypeError, ValueError) as error:
        raise ProblemError(f"{type(values).__name__} can't be read as an array of frontier ids: {error}") from None


def _as_ids(array: Any, dtype: Any) -> Any:
    if array.dtype == np.bool_:
        raise ProblemError(
            "frontier ids must be integers, got bool: pass a mask of vertices to Frontier.from_mask(mask), or a mask "
            "of edges to Frontier.from_mask(mask, 'edges')"
        )
    if array.size and array.dtype.kind not in "iu":
        raise ProblemError(
            f"frontier ids must be integers, got {array.dtype}: give one id, or a sequence or array of ids"
        )
    if array.size and not np.can_cast(array.dtype, dtype):
        low, high = int(array.min()), int(array.max())
        if low < 0 or high > np.iinfo(dtype).max:
            raise ProblemError(
                f"frontier ids must be at least 0 and fit {np.dtype(dtype)}, got {low if low < 0 else high}"
            )
    return array.astype(dtype)
