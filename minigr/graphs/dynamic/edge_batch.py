"""Batches of edges: checks, and conversion to arrays on the device of the graph."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.device import Device
from minigr.errors import GraphError
from minigr.graphs.checks import WEIGHT_DTYPES, as_ids, as_weights

_INT32 = np.dtype(np.int32)
_LEAST_LOAD = 1e-6  # a vertex with a thousand neighbors then has tens of millions of slabs
MOST_PAIRS = 2**30
"""int32 numbers the arcs of a batch, and an undirected edge has two arcs."""


def as_pairs(device: Device, src: Any, dst: Any, num_vertices: int) -> tuple[Any, Any]:
    """Convert to two int32 arrays of one length on `device`.

    Ids that are already on the GPU as int32 are not checked here. The kernels check them, because another pass and a
    wait for its result would take longer than a small batch. All other ids are in range.
    """
    source = src if _is_ready(device, src) else as_ids(device, src, "src", num_vertices)
    target = dst if _is_ready(device, dst) else as_ids(device, dst, "dst", num_vertices)
    check_lengths(source, target)
    return source, target


def as_pairs_with_new(device: Device, src: Any, dst: Any, num_vertices: int, new: int) -> tuple[Any, Any]:
    """Convert to two int32 arrays of one length on `device`, in which ``~j`` is vertex j of the new vertices."""
    source, target = (as_ids(device, ids, name, num_vertices, new) for ids, name in ((src, "src"), (dst, "dst")))
    check_lengths(source, target)
    return source, target


def check_lengths(src: Any, dst: Any) -> None:
    """Raise `GraphError` if there are not as many sources as destinations, or too many of them."""
    if src.size != dst.size:
        raise GraphError(f"src has length {src.size}, but dst has length {dst.size}: an edge needs both")
    if src.size > MOST_PAIRS:
        raise GraphError(f"a batch may have {MOST_PAIRS:,} edges, but this one has {src.size:,}: split it")


def _is_ready(device: Device, array: Any, dtype: Any = _INT32) -> bool:
    return (
        device.is_cuda
        and isinstance(array, device.xp.ndarray)
        and array.dtype == dtype
        and array.strides == (dtype.itemsize,)  # one-dimensional and contiguous
        and array.data.device_id == device.index
    )


def refuse_ids(device: Device, src: Any, dst: Any, num_vertices: int) -> None:
    """Raise `GraphError` for the first id that is out of range, if there is one."""
    as_ids(device, src, "src", num_vertices)
    as_ids(device, dst, "dst", num_vertices)


def refuse_dead(dead: Any, src: Any, dst: Any) -> None:
    """Raise `GraphError` if an edge has an end that was deleted. Ends below 0 are vertices that will be inserted."""
    for name, ids in (("src", src), ("dst", dst)):
        is_old = ids >= 0
        gone = dead[ids * is_old] & is_old
        if bool(gone.any()):
            position = int(gone.argmax())
            raise GraphError(
                f"{name}[{position}] is {int(ids[position])}, a vertex that was deleted: "
                "insert_vertices() brings deleted ids into use again"
            )


def as_batch_weights(device: Device, weights: Any, count: int, dtype: Any, *, with_nan: bool = False) -> Any:
    """Return `weights` as `count` numbers of the graph's dtype, or None for a graph without weights.

    With `with_nan`, weights that are already on the GPU in this dtype may contain NaN. The kernels check for it, as
    they check ids for `as_pairs`.
    """
    if dtype is None:
        if weights is not None:
            raise GraphError("the graph has no weights: leave out weights=, or make the graph with weighted=True")
        return None
    if weights is None:
        raise GraphError(f"the graph has {dtype} weights: give one weight to each edge with weights=")
    if with_nan and _is_ready(device, weights, dtype) and weights.size == count:
        return weights
    given = as_weights(device, weights, count)
    is_array = hasattr(weights, "dtype")
    if given.dtype == dtype:
        return given
    if not given.size and not is_array:
        return device.empty(0, dtype)  # an empty list has no dtype to be wrong about
    if np.can_cast(given.dtype, dtype, "safe" if is_array else "same_kind") or (given.dtype.kind, dtype.kind) == (
        "i",
        "f",
    ):
        return _exactly(given, dtype)
    raise GraphError(
        f"weights has dtype {given.dtype}, but the graph's weights are {dtype}: convert it, "
        f"e.g. weights.astype({dtype.name!r})"
    )


def _exactly(given: Any, dtype: Any) -> Any:
    """`given` as `dtype`, which must hold whole numbers as they are, and finite ones as finite ones."""
    with np.errstate(over="ignore"):
        cast = given.astype(dtype)
    if given.dtype.kind == "f":
        changed = (abs(cast) == np.inf) & (abs(given) != np.inf)
    else:
        back = cast
        if dtype.kind == "f":  # the greatest may be rounded up to a number that is no whole number of their dtype
            back = cast * (cast < -float(np.iinfo(given.dtype).min))
        changed = back.astype(given.dtype) != given
    if bool(changed.any()):
        position = int(changed.argmax())
        raise GraphError(f"weights[{position}] is {given[position]}, which {dtype} can't hold")
    return cast


def as_weight_dtype(weighted: Any) -> Any:
    """The dtype that `weighted` means: None for False, float32 for True, or the given dtype."""
    if isinstance(weighted, (bool, np.bool_)):
        return np.dtype(np.float32) if weighted else None
    try:
        dtype = None if weighted is None else np.dtype(weighted).newbyteorder("=")
    except TypeError:
        dtype = None
    if dtype is None or dtype.name not in WEIGHT_DTYPES:
        raise GraphError(f"weighted must be True, False or one of {', '.join(WEIGHT_DTYPES)}, got {weighted!r}")
    return dtype


def as_load_factor(value: Any) -> float:
    """Return `value` as a load factor. Refuses factors that are so small that a graph would need far too many slabs."""
    try:
        factor = float(value)
    except (TypeError, ValueError, OverflowError):
        factor = float("nan")
    if not factor >= _LEAST_LOAD:
        raise GraphError(f"load_factor must be a number of at least {_LEAST_LOAD}, or math.inf, got {value!r}")
    return factor
