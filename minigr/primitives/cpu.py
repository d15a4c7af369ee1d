"""Runs a primitive on the CPU: its program compiled once, then called in a team of threads."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from functools import partial
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
from minigr.jit.told import tell
from minigr.primitives.arguments import is_array
from minigr.primitives.program import Program, is_read_only

SOLO_WORK = 16384  # fewer items than this are left to one thread: starting a team costs as much
_programs: dict[Hashable, Any] = {}
_returned: dict[Hashable, np.dtype | None] = {}


def team_size(work: int) -> int:
    """How many threads to give `work` items to."""
    from minigr.jit.threads import get_num_threads

    return 1 if work < SOLO_WORK else get_num_threads()


def compiled(program: Program) -> Any:
    """What each thread of a team calls; compiled if it is new."""
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
    """What runs a program that does each item by itself: ``(fields, length, *arguments)``."""
    if program.debug:
        return lambda fields, length, *arguments: run(program, team_size(length), length, *arguments)
    return partial(run_each, compiled(program))


def run_each(kernel: Any, fields: tuple[Any, ...], length: int, *arguments: Any) -> None:
    """Run what was compiled with as many threads as so many items are worth."""
    from minigr.jit.spmd import run_team

    run_team(kernel, team_size(length), fields, length, *arguments)


def _argument_types(bound: Bound, fields: Mapping[str, Any]) -> list[Any]:
    """The types that a user function is called with; arrays are the CPU's, wherever they are."""
    found: list[Any] = []
    for kind, name in bound.arguments:
        field = fields.get(name)
        is_supplied, array = kind == "supplied", is_array(field)
        dtype = "int64" if is_supplied else fields[name].dtype.name
        writable = not (array and is_read_only(field))
        found.append(argument_type(Argument(dtype, not is_supplied and array, writable=writable)))
    return found


def returned_dtype(bound: Bound, fields: Mapping[str, Any]) -> np.dtype | None:
    """The dtype of what a function returns, None if it returns nothing. The same for both targets.

    Raises
    ------
    FunctorError
        If it can't be compiled, or returns what no array of a primitive can hold.
    """
    kinds = tuple((is_array(f), is_array(f) and is_read_only(f), f.dtype) for f in fields.values())
    key = (capture.digest(bound.function), bound.arguments, tuple(fields), kinds)
    if key not in _returned:
        kind = facts(bound, _argument_types(bound, fields)).returns
        if kind is not NOTHING and str(kind) not in (*REAL, "bool"):
            raise FunctorError(f"{bound.label} returns {kind}: say in which of {', '.join(REAL)} with dtype=")
        dtype = None if kind is NOTHING else np.dtype(str(kind))
        _returned[key] = dtype
    return _returned[key]
