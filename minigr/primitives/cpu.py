"""Runs a primitive on the CPU: compiles its program once, and then calls it in a team of threads."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any

import numpy as np

from minigr.dtypes import REAL
from minigr.errors import FunctorError
from minigr.jit import capture
from minigr.jit.arguments import Argument
from minigr.jit.facts import facts
from minigr.jit.functor import Bound
from minigr.jit.native.functors import argument_type
from minigr.jit.native.types import NOTHING
from minigr.jit.threads import get_num_threads
from minigr.jit.told import tell
from minigr.primitives.arguments import is_array
from minigr.primitives.program import Program, is_read_only

SOLO_WORK = 16384  # one thread does fewer items than this, because to start a team costs as much
_programs: dict[Hashable, Any] = {}
_returned: dict[Hashable, np.dtype | None] = {}


def team_size(work: int) -> int:
    """The number of threads for `work` items."""
    return 1 if work < SOLO_WORK else get_num_threads()


def compiled(program: Program) -> Any:
    """The function that each thread of a team calls; it is compiled if it is new."""
    from minigr.jit.compile_cpu import compile_program

    tell("primitive", program)
    key = program.key()
    if key not in _programs:
        _programs[key] = compile_program(program.cpu_text(), program.users())
    return _programs[key]


def run(program: Program, threads: int, *arguments: Any) -> None:
    """Run a program."""
    from minigr.jit.spmd import run_team

    fields, kernel = tuple(program.fields.values()), compiled(program)
    if not program.debug:
        run_team(kernel, threads, fields, *arguments)
        return
    words = program.checked.empty()
    program.checked.fill(words, words.ctypes.data, program.fields)
    try:
        run_team(kernel, threads, (*fields, words), *arguments)
    except Exception:
        program.checked.raise_first(words, program.fields)
        raise


def each_of(program: Program) -> Callable[..., None]:
    """A function that runs a program that handles each item by itself: ``(fields, length, *arguments)``."""
    if program.debug:
        return lambda fields, length, *arguments: run(program, team_size(length), length, *arguments)
    from minigr.jit.spmd import run_team

    kernel = compiled(program)
    return lambda fields, length, *arguments: run_team(kernel, team_size(length), fields, length, *arguments)


def _argument_types(bound: Bound, fields: Mapping[str, Any]) -> list[Any]:
    """The types with which a user function is called. Arrays count as arrays of the CPU, on any device."""
    found: list[Any] = []
    for kind, name in bound.arguments:
        field = fields.get(name)
        is_supplied, array = kind == "supplied", is_array(field)
        dtype = "int64" if is_supplied else fields[name].dtype.name
        writable = not (array and is_read_only(field))
        found.append(argument_type(Argument(dtype, not is_supplied and array, writable=writable)))
    return found


def returned_dtype(bound: Bound, fields: Mapping[str, Any]) -> np.dtype | None:
    """The dtype of the values that a function returns, None if it returns nothing. It is the same for both targets.

    Raises
    ------
    FunctorError
        If the function can't be compiled, or returns values that no array of a primitive can hold.
    """
    kinds = tuple((is_array(f), is_array(f) and is_read_only(f), f.dtype) for f in fields.values())
    key = (capture.digest(bound.function), bound.arguments, tuple(fields), kinds)
    if key not in _returned:
        kind = facts(bound, _argument_types(bound, fields)).returns
        if kind is not NOTHING and str(kind) not in (*REAL, "bool"):
            raise FunctorError(f"{bound.label} returns {kind}: choose one of {', '.join(REAL)} with dtype=")
        dtype = None if kind is NOTHING else np.dtype(str(kind))
        _returned[key] = dtype
    return _returned[key]
