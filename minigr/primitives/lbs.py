"""lbs, the load-balanced search: for each item of many segments, its segment and its rank in the segment."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigr.dtypes import REAL
from minigr.jit.functor import Method
from minigr.memory import out_of_memory
from minigr.primitives import arguments as args
from minigr.primitives import cpu
from minigr.primitives.program import Program

SUPPLIED = ("idx", "seg", "rank")
_DTYPES = (*REAL, "bool")


@out_of_memory
def lbs(
    offsets: Any,
    f: Callable[..., Any] | None = None,
    /,
    *,
    out: Any = None,
    dtype: Any = None,
    validate: bool = True,
    device: str | None = None,
    **fields: Any,
) -> Any:
    """Call ``f(idx, seg, rank, ...)`` for each item of all segments, with the same amount of work for each worker.

    Segment s has the items ``offsets[s] .. offsets[s + 1] - 1``. ``idx`` is the item, ``seg`` is its segment, and
    ``rank`` is its position in the segment: ``idx - offsets[seg]``.

    Parameters
    ----------
    offsets : array
        Array of int64 or int32, with one more element than there are segments. The offsets start at 0, never decrease,
        and end at the number of items.
    f : function, optional
        As in `transform`: the returned value becomes element ``idx`` of the result, and a function that returns nothing
        is called for its effects. By default, the result is the segment of each item.
    out, dtype, device, **fields
        As in `transform`.
    validate : bool
        Whether to check that the offsets never decrease. Without the check, decreasing offsets lead to undefined
        results.

    Returns
    -------
    array or None
        One element for each item; None if ``f`` returns nothing.

    Notes
    -----
    O(items + segments) work, dealt out evenly for segments of all lengths: Merrill and Garland, Merge-based Parallel
    Sparse Matrix-Vector Multiplication (SC 2016), section 3, as in moderngpu's load-balancing search.

    Examples
    --------
    >>> import numpy as np
    >>> offsets = np.array([0, 2, 2, 5])
    >>> lbs(offsets)
    array([0, 0, 2, 2, 2])
    >>> lbs(offsets, lambda rank: rank)
    array([0, 1, 0, 1, 2])
    """
    arrays = args.fields_for(lbs, f, fields)
    out = args.as_out(out, _DTYPES)
    placed = {"offsets": offsets, **arrays}
    where = args.place(placed if out is None else {**placed, "out": out}, device)
    function = _segment if f is None else f
    wanted = args.as_dtype(dtype, out, _DTYPES)
    if wanted is None:
        wanted = cpu.returned_dtype(args.bind_to(function, "lbs", Method(SUPPLIED, "any"), arrays), arrays)
    if where.is_rehearsed and wanted is None:
        return None
    ends, length = args.as_offsets(offsets, validate)
    result = None if wanted is None else args.room(out, length, wanted, where)
    if where.is_rehearsed:
        return result
    program = program_of(function, arrays, ends.dtype, wanted, args.unasked(dtype, out))
    if where.is_cuda:
        from minigr.primitives import cuda

        launch = cuda.Launch(program, where, cuda.tiles(length + ends.size - 1))
        launch.run(np.int64(ends.size - 1), ends, *(() if result is None else (result,)))
    else:
        cpu.run(program, cpu.team_size(length + ends.size), ends, np.empty(0) if result is None else result)
    return result


def program_of(
    f: Callable[..., Any], fields: dict[str, Any], offsets: np.dtype, dtype: np.dtype | None, kept_in: Any = None
) -> Program:
    """The program of a load-balanced search; `dtype` is None for a search without a result.

    `kept_in` is an argument of `args.bind_to`.
    """
    bound = args.bind_to(f, "lbs", Method(SUPPLIED, "none" if dtype is None else "number"), fields, kept_in)
    stores = "value" if dtype is None else "[&](i64 idx, i64 seg, i64 rank) { out[idx] = (Out)value(idx, seg, rank); }"
    parameters = "i64 segments, const O *offsets"
    return Program(
        "lbs",
        fields,
        {"value": bound},
        (f"make_lbs(value, lbs_cpu.{'drop' if dtype is None else 'store'})", "offsets, out"),
        (
            f"const Value value{{fields}}; lbs<THREADS, ITEMS>(segments, offsets, {stores});",
            parameters if dtype is None else f"{parameters}, Out *out",
        ),
        types={"O": offsets} if dtype is None else {"O": offsets, "Out": dtype},
    )


def _segment(seg):
    return seg
