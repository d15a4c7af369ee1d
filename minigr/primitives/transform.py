"""transform: a function of each index."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigr.dtypes import REAL
from minigr.jit.functor import Method
from minigr.memory import out_of_memory
from minigr.primitives import arguments as args
from minigr.primitives import cpu, last_call
from minigr.primitives.program import Program

_DTYPES = (*REAL, "bool")


@out_of_memory
def transform(
    f: Callable[..., Any],
    /,
    *,
    count: int | None = None,
    out: Any = None,
    dtype: Any = None,
    device: str | None = None,
    **fields: Any,
) -> Any:
    """Call ``f(i, ...)`` for each i below `count`, all in parallel; the returned value becomes element i of the result.

    Parameters
    ----------
    f : function
        A plain function or lambda. The names of its parameters select its arguments: ``i``, and the names of `fields`.
        The function may use atomics and call helper functions. A function that returns nothing is called for its
        effects.
    count : int, optional
        Number of items; by default the common length of all arrays among `fields`.
    out : array, optional
        Array for the result, instead of a new array. An array of integers takes floats only if `dtype` asks for the
        conversion. `out` may be one of `fields` if ``f`` reads only element i of it.
    dtype : dtype, optional
        The dtype of the result; by default the dtype of `out`, or else the type that ``f`` returns. One of int32,
        int64, float32, float64, bool.
    device : str, optional
        The device to run on if there are no arrays; otherwise it must be the device of the arrays.
    **fields : array or number
        NumPy or CuPy arrays of these dtypes, all on one device, used in place; or numbers. ``count``, ``out``,
        ``dtype`` and ``device`` can't be names of fields.

    Returns
    -------
    array or None
        Array on the device of the arrays; None if ``f`` returns nothing.

    Notes
    -----
    O(count) work and no memory except the result. A function is compiled once for each set of dtypes; lengths and
    numbers do not cause another compilation.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([1.0, 2.0, 3.0])
    >>> transform(lambda i, x, k: k * x[i], x=x, k=10)
    array([10., 20., 30.])
    >>> def put(i, x):
    ...     x[i] = i
    >>> transform(put, x=x)
    >>> x
    array([0., 1., 2.])
    """
    like = None if out is not None or device is not None else last_call.find(f, fields, dtype)
    if like is not None:
        length = args.as_count(count, fields, "transform")
        result = () if like.dtype is None else (like.device.empty(length, like.dtype),)
        like.run(like.values(fields), length, *result)
        return result[0] if result else None
    arrays = args.fields_for(transform, f, fields)
    out = args.as_out(out, _DTYPES)
    where = args.place(arrays if out is None else {**arrays, "out": out}, device)
    length = args.as_count(count, arrays, "transform")
    wanted = args.as_dtype(dtype, out, _DTYPES)
    if wanted is None:
        wanted = cpu.returned_dtype(args.bind_to(f, "transform", Method(("i",), "any"), arrays), arrays)
    result = () if wanted is None else (args.room(out, length, wanted, where),)
    if where.is_rehearsed:
        return result[0] if result else None
    program = program_of(f, arrays, wanted, args.unasked(dtype, out))
    if where.is_cuda:
        from minigr.primitives.cuda import Kernel

        run = Kernel(program, where).run_each
    else:
        run = cpu.each_of(program)
    run(tuple(arrays.values()), length, *result)
    if out is None and device is None and not program.debug:
        last_call.keep(f, fields, dtype, wanted, where, run)
    return result[0] if result else None


def program_of(f: Callable[..., Any], fields: dict[str, Any], dtype: Any, kept_in: Any = None) -> Program:
    """The program of a transform; `dtype` is None for one without a result, `kept_in` is as for `args.bind_to`."""
    if dtype is None:
        bound = args.bind_to(f, "transform", Method(("i",), "none"), fields)
        run = ("make_for_each(value)", "count"), ("for_each(count, Value{fields});", "i64 count")
        return Program("transform", fields, {"value": bound}, *run)
    bound = args.bind_to(f, "transform", Method(("i",), "number"), fields, kept_in)
    run = (
        ("make_transform(value)", "count, out"),
        ("transform(count, Value{fields}, out);", "i64 count, Out *out"),
    )
    return Program("transform", fields, {"value": bound}, *run, types={"Out": dtype})
