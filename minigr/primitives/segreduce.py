"""segreduce: the values of each segment, reduced to one value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigr.dtypes import REAL
from minigr.errors import ArrayError
from minigr.memory import out_of_memory
from minigr.primitives import arguments as args
from minigr.primitives import cpu, reduction
from minigr.primitives.lbs import SUPPLIED
from minigr.primitives.program import Program


@out_of_memory
def segreduce(
    f: Any,
    offsets: Any,
    /,
    *,
    op: str | Callable[..., Any] = "add",
    initial: Any = None,
    dtype: Any = None,
    out: Any = None,
    validate: bool = True,
    device: str | None = None,
    **fields: Any,
) -> Any:
    """Reduce each segment: element s of the result is `initial`, then the values of segment s, combined by `op`.

    Parameters
    ----------
    f : array or function
        The values, or a function ``f(idx, seg, rank, ...)`` that returns the values, as in `lbs`.
    offsets, validate
        As in `lbs`.
    op, initial, dtype
        As in `scan`. `initial` is the result of a segment without items, and counts once for each other segment.
    out, device, **fields
        As in `transform`.

    Returns
    -------
    array
        One element for each segment.

    Notes
    -----
    O(items + segments) work, dealt out evenly, in one pass that computes and reduces the values: Merrill and Garland
    (SC 2016), section 3. Carries are combined in the order of their items, so `op` need not be commutative. Results are
    the same from run to run on one device with one number of workers.

    Examples
    --------
    >>> import numpy as np
    >>> offsets = np.array([0, 2, 2, 5])
    >>> segreduce(np.array([1, 2, 3, 4, 5]), offsets)
    array([ 3,  0, 12])
    >>> segreduce(lambda idx, x, seg: x[idx] * seg, offsets, op="max", initial=-1, x=np.array([1, 2, 3, 4, 5]))
    array([ 0, -1, 10])
    """
    arrays = reduction.fields_of(segreduce, f, fields)
    out = args.as_out(out, REAL)
    placed = {"offsets": offsets, **arrays}
    where = args.place(placed if out is None else {**placed, "out": out}, device)
    ends, length = args.as_offsets(offsets, validate)
    if args.is_array(f) and length != arrays["values"].size:
        raise ArrayError(f"segreduce: offsets end at {length}, but there are {arrays['values'].size} values")
    r = reduction.resolve("segreduce", f, _element, SUPPLIED, arrays, op, initial, dtype, out)
    result = args.room(out, ends.size - 1, r.dtype, where)
    if where.is_rehearsed:
        return result
    program = program_of(arrays, r, ends.dtype)
    if where.is_cuda:
        from minigr.primitives import cuda

        launch = cuda.Launch(program, where, cuda.tiles(length + ends.size - 1))
        workspace = launch.workspace(0)
        launch.run(np.int64(ends.size - 1), workspace.arrived, ends, r.initial, *workspace.carries, result)
    else:
        threads = cpu.team_size(length + ends.size)
        parts, marks = np.empty((threads, 2), r.dtype), np.empty((threads, 3), np.int64)
        cpu.run(program, threads, ends, r.initial, parts, marks, result)
    return result


def program_of(fields: dict[str, Any], r: reduction.Reduction, offsets: np.dtype) -> Program:
    """The program of a segmented reduction."""
    return Program(
        "segreduce",
        fields,
        r.functions,
        ("make_segreduce(value, op, first_of, T)", "offsets, initial, carries, marks, out"),
        (
            "const BlockCarries<T> carries{heads, tails, head_segments, any}; "
            "segreduce<THREADS, ITEMS>(segments, offsets, Value{fields}, Op(), initial, carries, out); "
            "if (is_last_block((u32 *)arrived)) segreduce_carries<THREADS>(Op(), initial, carries, out);",
            "i64 segments, u64 *arrived, const O *offsets, "
            "T initial, T *heads, T *tails, i64 *head_segments, i32 *any, T *out",
        ),
        op=r.op,
        types={"O": offsets, "T": r.dtype},
    )


def _element(idx, values):
    return values[idx]
