"""Checks of a functor's function before it is compiled into a kernel, with messages that name it."""

from __future__ import annotations

import dis
import linecache
import re
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

from minigr.errors import FunctorError
from minigr.jit.capture import dependencies, python_function
from minigr.jit.functor import Bound

_REMEDY = (
    "a functor may use numbers, fields by index, math and NumPy scalar functions, the atomics of minigr, "
    "helper functions that keep to the same, and return a tuple of numbers where several are reduced"
)


def refuse_raise(bound: Bound) -> None:
    """Refuse ``raise`` and ``assert``: a GPU thread can't raise, and a CPU thread that left would hang its team."""
    _refuse_raise(bound, bound.function, ())


def _refuse_raise(bound: Bound, function: FunctionType, seen: tuple[FunctionType, ...]) -> None:
    line = _raising_line(function.__code__)
    if line is not None:
        raise FunctorError(
            f"{bound.label}: line {line} of {function.__code__.co_filename} raises or asserts, which device code "
            "can't: return a value that says so, or write it to a field"
        )
    for _, value in dependencies(function):
        helper = python_function(value)
        if helper is not None and helper is not function and helper not in seen:
            _refuse_raise(bound, helper, (*seen, function))


def _raising_line(code: CodeType) -> int | None:
    line: int | None = code.co_firstlineno
    for instruction in dis.get_instructions(code):
        starts = getattr(instruction, "line_number", None) or instruction.starts_line
        if starts and not isinstance(starts, bool):
            line = starts
        if instruction.opname == "RAISE_VARARGS":
            return line
    return None


def compile_checked(bound: Bound, compile_function: Callable[[], Any]) -> Any:
    """Run ``compile_function()``; an error becomes a FunctorError that names functor, line and remedy.

    The compiler's own error is its ``__context__``: a traceback that is printed leaves it out, for it has a hundred
    lines.
    """
    try:
        return compile_function()
    except Exception as error:  # Numba's own, and what it lets through: an AttributeError for np.no_such_function
        raise FunctorError(f"{bound.label} can't be compiled: {_summary(error)}\n({_REMEDY})") from None


_COLORS = re.compile(r"\x1b\[[0-9;]*m")  # of Numba's messages, where colorama is installed
_ADVICE = ("Failed in nopython", "This is not usually", "This error may")
_REASON = re.compile(r"(?:NumbaTypeError|TypingError|NumbaValueError|LoweringError): (.+)")
_PLACE = re.compile(r"(?:During: .* at |File \")(?P<file>.+?)(?: \(|\", line )(?P<line>\d+)\)?")
_OWN = (str(Path(__file__).parent.parent), "numba")


def _summary(error: Exception) -> str:
    """Of an error of Numba's what is wrong, with which types, why, and the line of the functor, a line each."""
    text = _COLORS.sub("", str(error))
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith(_ADVICE)]
    found = [lines[0] if lines else type(error).__name__]
    found += [f"  {line.removeprefix('>>> ')}" for line in lines if line.startswith(">>>")][:1]
    found += [f"  {match[1]}" for line in lines[1:] if (match := _REASON.search(line))][:1]
    for line in lines:
        place = _PLACE.search(line)
        if place and not any(part in place["file"] for part in _OWN):
            source = linecache.getline(place["file"], int(place["line"])).strip()
            return "\n".join([*found, f"  {place['file']}:{place['line']}: {source}"])
    return "\n".join(found)


def check_return(bound: Bound, returned: Any) -> None:
    """Refuse a return type that the operator can't take.

    Raises
    ------
    FunctorError
        Naming the functor, what it returns and what it should.
    """
    from numba.core import types

    numbers = (types.Integer, types.Float, types.Boolean)
    if bound.results:
        count = len(bound.results)
        parts: tuple[Any, ...] = getattr(returned, "types", ())
        if len(parts) != count or not all(isinstance(part, numbers) for part in parts):
            raise FunctorError(
                f"{bound.label} returns {returned}, but must return a tuple of {count} numbers, one for "
                "each scalar that they are reduced into"
            )
        for part, dtype in zip(parts, bound.results, strict=True):
            _refuse_lost_fraction(bound, part, dtype)
        return
    expected = "number" if bound.reduced else bound.method.returns
    is_number = isinstance(returned, numbers)
    is_nothing = isinstance(returned, types.NoneType) or returned == types.void
    fits = {
        "bool": isinstance(returned, types.Boolean),
        "number": is_number,
        "none": is_nothing,
        "any": is_number or is_nothing,
    }[expected]
    if not fits:
        wanted = {"bool": "a bool (compare, or wrap it in bool())", "number": "a number", "none": "nothing"}
        raise FunctorError(
            f"{bound.label} returns {returned}, but must return {wanted.get(expected, 'a number or nothing')}; "
            "check that every path returns the same kind of value"
        )
    if bound.reduced:
        _refuse_lost_fraction(bound, returned, bound.reduced)


def _refuse_lost_fraction(bound: Bound, returned: Any, dtype: str) -> None:
    from numba.core import types

    if isinstance(returned, types.Float) and dtype.startswith("int"):
        raise FunctorError(
            f"{bound.label} returns {returned}, but it is reduced in {dtype}, which drops fractions: reduce into a "
            "field of floats, or return a whole number, such as int(...)"
        )
