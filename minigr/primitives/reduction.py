"""The common part of `scan` and `segreduce`: values from a function or an array, and their reduction."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from minigr.dtypes import REAL
from minigr.errors import ArrayError
from minigr.jit.functor import Bound, Method
from minigr.primitives import arguments as args
from minigr.primitives import cpu, reduce_ops


@dataclass
class Reduction:
    """A reduction ready to be compiled.

    Attributes
    ----------
    functions : mapping
        ``value``, and ``op`` if the user passed a function.
    op : str
        The name of the reduction; ``""`` if the user passed a function.
    dtype : numpy.dtype
        The dtype of the values, of the reduction and of the result.
    initial : NumPy scalar
    """

    functions: Mapping[str, Bound]
    op: str
    dtype: np.dtype
    initial: Any


def fields_of(primitive: Callable[..., Any], f: Any, fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a call whose first argument is a function, or an array of values."""
    if callable(f) and not args.is_array(f):
        return args.fields_for(primitive, f, fields)
    if fields:
        raise ArrayError(
            f"{primitive.__name__}: {', '.join(fields)} can be given with a function only, not with an array of values"
        )
    return {"values": args.as_array(f, "values")}


def resolve(
    primitive: str,
    f: Any,
    element: Callable[..., Any] | None,
    supplied: tuple[str, ...],
    fields: Mapping[str, Any],
    op: Any,
    initial: Any,
    dtype: Any,
    out: Any,
) -> Reduction:
    """Check and bind the functions of a reduction of the values of `f`; `element` reads the values if `f` is an array.

    Raises
    ------
    ArrayError
        If `dtype` or `initial` is invalid, or if no `dtype` was passed and `out` can't hold the values of the array.
    """
    wanted, kept_in = args.as_dtype(dtype, out, REAL), args.unasked(dtype, out)
    if args.is_array(f):
        given, f = fields["values"].dtype, element
        if kept_in is not None and not np.can_cast(given, kept_in, "same_kind" if kept_in.kind == "f" else "safe"):
            raise ArrayError(
                f"{primitive}: out has dtype {kept_in}, which can't hold the values, of {given}: give an out of "
                f"{given}, or dtype={str(kept_in)!r} to convert the values first"
            )
    value = args.bind_to(f, primitive, Method(supplied, "number"), fields, kept_in)
    if wanted is None:
        wanted = cpu.returned_dtype(value, fields)
        if wanted is None or wanted.kind == "b":
            # bools are counted; a function that returns nothing is refused when it is compiled
            wanted = np.dtype(np.int64)
    if isinstance(op, str):
        identity = reduce_ops.identity(op, wanted)
        start = identity if initial is None else args.as_initial(initial, wanted)
        return Reduction({"value": value}, op, wanted, start)
    if initial is None:
        raise ArrayError(f"{primitive}: a function as op= needs initial=, where the reduction starts")
    combine = args.bind_to(op, primitive, args.COMBINE, {}, wanted)
    return Reduction({"value": value, "op": combine}, "", wanted, args.as_initial(initial, wanted))
