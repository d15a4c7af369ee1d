"""scan: prefix reductions of a sequence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigr.dtypes import REAL
from minigr.errors import ArrayError
from minigr.memory import out_of_memory
from minigr.primitives import arguments as args
from minigr.primitives import cpu, reduction
from minigr.primitives.program import Program


@out_of_memory
def scan(
    f: Any,
    /,
    *,
    op: str | Callable[..., Any] = "add",
    initial: Any = None,
    inclusive: bool = False,
    with_total: bool = False,
    count: int | None = None,
    dtype: Any = None,
    out: Any = None,
    device: str | None = None,
    **fields: Any,
) -> Any:
    """Prefix reductions: element i of the result is `initial`, then the values of all items before i, combined by `op`.

    Parameters
    ----------
    f : array or function
        The values, or a function ``f(i, ...)`` that returns the values and asks for `fields` by name, as in
        `transform`. The function may be called twice for an item.
    op : {"add", "min", "max", "or"} or function
        The operation that combines two values; ``"min"`` and ``"max"`` ignore NaN. A function of two values must be
        associative, and need not be commutative.
    initial : number, optional
        Start value of the reduction; by default the identity of `op`. If `op` is a function, `initial` is required.
    inclusive : bool
        Whether element i includes item i.
    with_total : bool
        Whether to append the reduction of all items. The result then has `count` + 1 elements, such as offsets from
        lengths. Not available with `inclusive`, because the last element of an inclusive scan is this total.
    count, out, device, **fields
        As in `transform`; `out` may be the array of values.
    dtype : dtype, optional
        The dtype to which values are converted, and of the reduction and the result: int32, int64, float32 or float64.
        By default, the dtype of `out`, which must be able to hold the values (floats may be rounded). Without `out`,
        the default is the dtype of the values, and int64 for bools. Sums of int32 that don't fit need
        ``dtype=np.int64``. A function as `op` must not return a float if the reduction is in integers.

    Returns
    -------
    array
        Array of length `count`, or `count` + 1.

    Notes
    -----
    O(count) work. On the GPU, one pass: Merrill and Garland, Single-pass Parallel Prefix Scan with Decoupled Look-back
    (2016), section 4. Sums of floats may differ from run to run in the last bits, because the grouping of the terms
    depends on timing. On the CPU, two passes over static ranges; the grouping depends on the number of threads.

    Examples
    --------
    >>> import numpy as np
    >>> degrees = np.array([2, 0, 3])
    >>> scan(degrees, with_total=True)
    array([0, 2, 2, 5])
    >>> scan(lambda i, x: x[i] * x[i], x=degrees, inclusive=True)
    array([ 4,  4, 13])
    >>> scan(np.array([3, 0, 0, 5, 0]), op=lambda a, b: b if b != 0 else a, initial=0, inclusive=True)
    array([3, 3, 3, 5, 5])
    """
    if inclusive and with_total:
        raise ArrayError(
            "scan: with_total=True goes with inclusive=False; the last element of an inclusive scan is the total"
        )
    arrays = reduction.fields_of(scan, f, fields)
    out = args.as_out(out, REAL)
    where = args.place(arrays if out is None else {**arrays, "out": out}, device)
    length = args.as_count(count, arrays, "scan")
    if args.is_array(f) and length > arrays["values"].size:
        raise ArrayError(f"scan: count={length}, but there are {arrays['values'].size} values")
    r = reduction.resolve("scan", f, _element, ("i",), arrays, op, initial, dtype, out)
    result = args.room(out, length + with_total, r.dtype, where)
    if where.is_rehearsed:
        return result
    program = program_of(arrays, r, bool(inclusive), bool(with_total))
    if where.is_cuda:
        from minigr.primitives import cuda

        tiles = cuda.tiles(length + with_total)
        launch = cuda.Launch(program, where, tiles)
        launch.run(np.int64(length), r.initial, *launch.workspace(tiles).look_back, result)
    else:
        threads = cpu.team_size(length)
        cpu.run(program, threads, length, r.initial, np.empty(threads, r.dtype), result)
    return result


def program_of(fields: dict[str, Any], r: reduction.Reduction, inclusive: bool, with_total: bool) -> Program:
    """The program of a scan."""
    flags = f"{str(inclusive).lower()}, {str(with_total).lower()}"
    return Program(
        "scan",
        fields,
        r.functions,
        (f"make_scan(value, op, first_of, T, {inclusive}, {with_total})", "count, initial, partials, out"),
        (
            f"scan<THREADS, ITEMS, {flags}>(count, Value{{fields}}, Op(), initial, "
            "LookBack<T>(words, aggregates, prefixes), out);",
            "i64 count, T initial, u64 *words, T *aggregates, T *prefixes, T *out",
        ),
        op=r.op,
        types={"T": r.dtype},
    )


def _element(i, values):
    return values[i]
