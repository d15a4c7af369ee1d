"""The values that `neighbor_reduce` reduces for each vertex: numbers, or tuples of numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from minigr.dtypes import c_name
from minigr.errors import ProblemError
from minigr.operators.reduced import asked_dtype, returned_dtype, returned_dtypes
from minigr.primitives import reduce_ops
from minigr.program.cuda_text import several
from minigr.program.scalar import check_into
from minigr.schedules.schedule import Reduced

if TYPE_CHECKING:
    from collections.abc import Sequence

    from minigr.jit.functor import Bound
    from minigr.program.cpu_text import CpuText
    from minigr.program.cuda_text import CudaText
    from minigr.program.problem import Problem

_REMEDY = "return np.int64(...), or give the dtype to reduce in, dtype='int64' or 'float64'"


@dataclass(frozen=True)
class Operand:
    """The type of the values that are reduced, and the start value of each reduction.

    Attributes
    ----------
    initial : NumPy scalar or tuple of them
    """

    initial: Any

    @property
    def is_tuple(self) -> bool:
        return isinstance(self.initial, tuple)

    @property
    def numbers(self) -> tuple[Any, ...]:
        """The start value of the reduction of each number."""
        return self.initial if isinstance(self.initial, tuple) else (self.initial,)

    @property
    def names(self) -> str | tuple[str, ...]:
        """The names of the dtypes."""
        names = tuple(number.dtype.name for number in self.numbers)
        return names if self.is_tuple else names[0]

    def options(self) -> tuple[Any, ...]:
        """The properties that a program depends on, compared by bits: NaN equals itself, and 0.0 differs from -0.0."""
        return self.is_tuple, *((number.dtype.char, number.tobytes()) for number in self.numbers)

    # --- a CPU --------------------------------------------------------------------------------------------------------

    def cpu_convert(self, text: CpuText, index: int) -> str:
        """Define the function that converts a result of `map` or `reduce` to the operand; return its name."""
        kinds = [f"np.{number.dtype.name}" for number in self.numbers]
        if not self.is_tuple:
            return kinds[0]
        items = "".join(f"{kind}(values[{i}]), " for i, kind in enumerate(kinds))
        text.define(f"@kernel\ndef convert_{index}(values):\n    return ({items})\n")
        return f"convert_{index}"

    def cpu_store(self, text: CpuText, index: int, fields: Sequence[str]) -> tuple[str, str]:
        """The name of the function that stores a result, and the expression for the fields of results."""
        arrays = [text.scalar_array(name) for name in fields]
        if not arrays:
            return "nothing", "no_items"
        if not self.is_tuple:
            return "reduce_cpu.store", arrays[0]
        lines = "".join(f"    results[{i}][place] = values[{i}]\n" for i in range(len(arrays)))
        text.define(f"@kernel\ndef store_{index}(results, place, values):\n{lines}")
        return f"store_{index}", f"({''.join(f'{array}, ' for array in arrays)})"

    # --- a GPU --------------------------------------------------------------------------------------------------------

    def reduced(self, index: int) -> Reduced:
        """The type of the values in a GPU program, for operator `index`."""
        if self.is_tuple:
            return Reduced(several("reduce", index), np.dtype(np.int64), len(self.numbers))
        return Reduced(c_name(self.initial.dtype.name), self.initial.dtype)

    def cuda_define(self, text: CudaText, index: int) -> str:
        """If the type is a struct, define it in a GPU program. Return its name."""
        name = self.reduced(index).name
        if self.is_tuple:
            places = range(len(self.numbers))
            kinds = [text.c_name(number.dtype) for number in self.numbers]
            members = " ".join(f"{kind} x{i};" for i, kind in enumerate(kinds))
            arrays = " ".join(f"{kind} *x{i};" for i, kind in enumerate(kinds))
            stores = " ".join(f"x{i}[place] = x.x{i};" for i in places)
            text.define_first(
                f"struct {name} {{\n  {members}\n  template <class Each>\n"
                f"  static __device__ __forceinline__ {name} each(const {name} &x, Each each) {{\n"
                f"    return {{{', '.join(f'each(x.x{i})' for i in places)}}};\n  }}\n"
                f"  struct Arrays {{\n    {arrays}\n"
                f"    __device__ __forceinline__ void put(i64 place, const {name} &x) const {{ {stores} }}\n  }};\n}};"
            )
        return name

    def cuda_constant(self, text: CudaText, index: int) -> str:
        """The expression for the start value of reductions."""
        numbers = ", ".join(map(text.constant, self.numbers))
        return f"{self.reduced(index).name}{{{numbers}}}" if self.is_tuple else numbers

    def cuda_arrays(self, text: CudaText, fields: Sequence[str]) -> str:
        """The expression for the fields of results."""
        arrays = ", ".join(map(text.field_array, fields))
        return f"{{{arrays}}}" if self.is_tuple else arrays or "nullptr"


def numbers_reduced(reduce: str | None, initial: Any) -> int:
    """The number of numbers that are reduced together as a tuple; 0 if values are plain numbers."""
    if reduce is None and isinstance(initial, (tuple, list)):
        if len(initial) < 2:
            raise ProblemError(
                f"neighbor_reduce: initial={initial!r}: a tuple must have at least two numbers; give one number alone"
            )
        return len(initial)
    return 2 if isinstance(reduce, str) and reduce in reduce_ops.OF_PAIRS else 0


def fields_for(into: Any, count: int, problem: Problem) -> tuple[str, ...]:
    """The vertex fields that receive results, one for each number of a result.

    Raises
    ------
    ProblemError
        If there is no such field, or not one field for each of `count` numbers.
    """
    if into is None:
        return ()
    vertex_fields = [name for name, field in problem._fields.items() if field.kind == "vertex"]
    several = isinstance(into, (tuple, list))
    if several and not count:
        raise ProblemError(
            f"neighbor_reduce: into={into!r} names a field for each number of a tuple, but a result is one number: "
            "name one field; or reduce tuples, with reduce='argmin' or 'argmax', or with the functor's own reduce and "
            "a tuple as initial="
        )
    names = tuple(into) if several else (into,)
    for name in names:
        if not isinstance(name, str) or name not in vertex_fields:
            raise ProblemError(
                f"neighbor_reduce: into={name!r} is not a vertex field of {type(problem).__name__}, which has "
                f"{', '.join(vertex_fields) or 'none'}"
            )
        check_into(problem, name, "neighbor_reduce: into")
    if len(names) != max(count, 1) or len(set(names)) < len(names):
        raise ProblemError(
            f"neighbor_reduce: into={into!r}, but a result is {count} numbers: name {count} different vertex fields, "
            "or take the results in apply_reduce"
        )
    return names


def operand_of(
    reduce: str | None,
    initial: Any,
    count: int,
    dtype: Any,
    into: tuple[str, ...],
    map_function: Bound,
    problem: Problem,
) -> Operand:
    """The operand, in the requested dtypes, or in the dtypes of the fields `into`, or in the types of ``map``.

    Raises
    ------
    ProblemError
        If a dtype, a reduction or an initial value is invalid, or if a field of `into` can't hold a dtype.
    FunctorError
        If ``map`` returns values that can't be reduced.
    """
    if not count:
        if dtype is not None:
            kind = asked_dtype(dtype, "neighbor_reduce")
            _require_held((kind,), into, problem)
        elif into:
            kind = problem._dtypes[into[0]]
        else:
            kind = returned_dtype(map_function, problem, _REMEDY)
        if reduce is None:
            return Operand(reduce_ops.as_number(initial, kind, "neighbor_reduce: initial"))
        return Operand(reduce_ops.start(reduce, initial, kind))
    if dtype is not None:
        asked = dtype if isinstance(dtype, (tuple, list)) else [dtype] * count
        if len(asked) != count:
            raise ProblemError(f"neighbor_reduce: dtype={dtype!r}: give one dtype, or a tuple of {count}")
        kinds = tuple(asked_dtype(each, "neighbor_reduce") for each in asked)
        _require_held(kinds, into, problem)
    elif into:
        kinds = tuple(problem._dtypes[name] for name in into)
    else:
        kinds = returned_dtypes(map_function, count, problem, _REMEDY)
    if reduce is None:
        return Operand(reduce_ops.as_numbers(initial, kinds, "neighbor_reduce: initial"))
    return Operand(reduce_ops.start_of_pairs(reduce, initial, kinds))


def _require_held(kinds: tuple[np.dtype, ...], into: tuple[str, ...], problem: Problem) -> None:
    """Raise `ProblemError` unless the fields `into` can hold numbers of these dtypes; floats may be rounded."""
    for kind, name in zip(kinds, into, strict=False):
        held = problem._dtypes[name]
        if not np.can_cast(kind, held, "same_kind" if held.kind == "f" else "safe"):
            raise ProblemError(
                f"neighbor_reduce: results of dtype={str(kind)!r} don't fit into={name!r}, which is declared as {held}"
                f": leave out dtype=, or declare the field as {kind}"
            )
