"""compact: the items for which a predicate holds."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.device import Device
from minigr.dtypes import REAL
from minigr.errors import ArrayError, CapacityError
from minigr.jit.functor import Method
from minigr.memory import out_of_memory
from minigr.primitives import arguments as args
from minigr.primitives import cpu, reduction
from minigr.primitives.program import Program


@out_of_memory
def compact(
    f: Any,
    /,
    *,
    values: Any = None,
    count: int | None = None,
    dtype: Any = None,
    out: Any = None,
    device: str | None = None,
    **fields: Any,
) -> Any:
    """Return the indices for which a predicate holds, or the values at these indices, in their order.

    Parameters
    ----------
    f : array or function
        A mask, or a predicate ``f(i, ...)`` that returns a bool and asks for `fields` by name, as in `transform`. A
        mask has bools, or numbers that count as true unless they are 0. The predicate may also ask for ``values``, if
        `values` is passed. The predicate may be called twice for an item, so it should have no side effects.
    values : array, optional
        If passed, output ``values[i]`` instead of i.
    count, device, **fields
        As in `transform`.
    dtype : dtype, optional
        The dtype of indices, int64 or int32; by default int64. Not available with `values`; the result then has the
        dtype of `values`.
    out : array, optional
        Array for the result, which shares no memory with the mask, `values` or an array among `fields`. By default,
        memory for `count` items is allocated first, and the unused memory is freed.

    Returns
    -------
    array
        One element for each item that is found; a part of `out` if `out` was passed.

    Raises
    ------
    CapacityError
        If `out` is too short; `out` then holds the first items.

    Notes
    -----
    O(count) work. On the GPU, one pass with decoupled look-back (see `scan`), and the host reads one length. On the
    CPU, one pass that counts and one pass that writes.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([4.0, -1.0, 2.5, -3.0])
    >>> compact(lambda i, x: x[i] < 0, x=x)
    array([1, 3])
    >>> compact(x > 0, values=x)
    array([4. , 2.5])
    """
    arrays = {"mask": args.as_array(f, "mask")} if args.is_array(f) or not callable(f) else {}
    if arrays and fields:
        reduction.fields_of(compact, f, fields)
    arrays |= args.fields_for(compact, f, fields)
    if values is not None:
        arrays["values"] = args.as_array(values, "values", REAL)
    out = args.as_out(out, REAL)
    where = args.place(arrays if out is None else {**arrays, "out": out}, device)
    length = args.as_count(count, arrays, "compact")
    for name in ("mask", "values"):
        if name in arrays and length > arrays[name].size:
            raise ArrayError(f"compact: count={length}, but {name} has {arrays[name].size} elements")
    wanted = _item_dtype(arrays.get("values"), dtype, out)
    if wanted == np.int32 and values is None and length > 2**31:
        raise ArrayError(f"compact: indices below count={length} don't fit into int32: use dtype=np.int64")
    if out is not None and not where.is_rehearsed:
        _require_apart(out, arrays, where)
    buffer = where.empty(length, wanted) if out is None else out
    if where.is_rehearsed:
        return buffer[: length // 2].copy() if out is None else buffer[: length // 2]
    program = program_of(_holds if args.is_array(f) else f, arrays, wanted)
    if where.is_cuda:
        from minigr.primitives import cuda

        tiles = cuda.tiles(length)
        launch = cuda.Launch(program, where, tiles)
        workspace = launch.workspace(tiles)
        launch.run(np.int64(length), *workspace.look_back, buffer, np.int64(buffer.size), workspace.number)
        kept = int(where.number(workspace.number))
    else:
        threads = cpu.team_size(length)
        counts = np.zeros(threads + 1, np.int64)
        cpu.run(program, threads, length, arrays.get("values", counts), counts, buffer)
        kept = int(counts[0])
    if kept > buffer.size:
        raise CapacityError(
            f"compact: the predicate holds for {kept} items, but out has room for {buffer.size}: make out longer"
        )
    return buffer[:kept].copy() if out is None and kept < length else buffer[:kept]


def program_of_mask(dtype: Any) -> Program:
    """The program of a compact by a mask of bools, with indices of this dtype."""
    return program_of(_holds, {"mask": np.zeros(0, np.bool_)}, np.dtype(dtype))


def program_of(f: Any, fields: dict[str, Any], dtype: Any) -> Program:
    """The program of a compact."""
    has_values = "values" in fields
    bound = args.bind_to(f, "compact", Method(("i",), "bool"), fields)
    item = "fields.f_values[i]" if has_values else "i"
    return Program(
        "compact",
        fields,
        {"value": bound},
        (f"make_compact(value, compact_cpu.{'element' if has_values else 'index'})", "count, values, kept, out"),
        (
            f"compact<THREADS, ITEMS>(count, Value{{fields}}, [&](i64 i) {{ return {item}; }}, "
            "LookBack<i64>(words, aggregates, prefixes), out, capacity, kept);",
            "i64 count, u64 *words, i64 *aggregates, i64 *prefixes, Out *out, i64 capacity, i64 *kept",
        ),
        types={"Out": dtype},
    )


def _require_apart(out: Any, arrays: dict[str, Any], where: Device) -> None:
    """Raise `ArrayError` if `out` shares memory with an array: a thread may overwrite items that another one reads."""
    for name, array in arrays.items():
        if args.is_array(array) and where.xp.may_share_memory(out, array):
            raise ArrayError(f"compact: out shares memory with {name}: give another array, or leave out= away")


def _item_dtype(values: Any, dtype: Any, out: Any) -> np.dtype:
    wanted = args.as_dtype(dtype, out, REAL)
    if values is not None:
        if wanted not in (None, values.dtype):
            raise ArrayError(
                f"compact: the result has the dtype of values, {values.dtype}, not {wanted}: use that dtype"
            )
        return values.dtype
    if wanted is not None and wanted.kind != "i":
        raise ArrayError(f"compact: indices can be int64 or int32, not {wanted}")
    return np.dtype(np.int64) if wanted is None else wanted


def _holds(i, mask):
    return bool(mask[i])
