"""Checks of a functor's function before it is compiled into a kernel, for both targets. Messages name the function."""

from __future__ import annotations

import ast
import builtins
import dis
import linecache
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

from minigr.errors import FunctorError
from minigr.jit import capture, private, scalars
from minigr.jit.allowed import BUILTINS, REMEDY
from minigr.jit.functor import Bound
from minigr.jit.index_errors import wrong_index
from minigr.jit.native.source import definition
from minigr.jit.native.types import Unknown

#: instructions of Python, their meaning, and the remedy; None stands for the general remedy
_REFUSED: dict[str, tuple[str, str | None]] = {
    **dict.fromkeys(
        ("RAISE_VARARGS", "LOAD_ASSERTION_ERROR"),
        ("raises or asserts", "return a value that stands for the error, or write one to a field"),
    ),
    **dict.fromkeys(("SETUP_FINALLY", "PUSH_EXC_INFO"), ("has try", "test beforehand for what would raise")),
    **dict.fromkeys(("SETUP_WITH", "BEFORE_WITH"), ("has with", None)),
    **dict.fromkeys(("BUILD_LIST", "LIST_APPEND"), ("makes a list", None)),
    **dict.fromkeys(("BUILD_SET", "SET_ADD"), ("makes a set", None)),
    **dict.fromkeys(("BUILD_MAP", "BUILD_CONST_KEY_MAP", "MAP_ADD"), ("makes a dict", None)),
    **dict.fromkeys(("BUILD_STRING", "FORMAT_VALUE", "FORMAT_SIMPLE", "FORMAT_WITH_SPEC"), ("makes a string", None)),
    **dict.fromkeys(("YIELD_VALUE", "RETURN_GENERATOR"), ("yields", "return a value; a call is for one item")),
    "IMPORT_NAME": ("imports", "import above the functor"),
    "STORE_GLOBAL": ("assigns to a global variable", "write to a field"),
    "UNPACK_EX": ("unpacks with *", None),
    "LOAD_BUILD_CLASS": ("defines a class", None),
    **dict.fromkeys(
        ("MATCH_SEQUENCE", "MATCH_MAPPING", "MATCH_CLASS", "MATCH_KEYS"),
        ("matches more than a number", "match each number, or compare with if"),
    ),
    **dict.fromkeys(("DELETE_FAST", "DELETE_DEREF", "DELETE_SUBSCR"), ("has del", "leave it out")),
}
_WITH_KEYWORDS = ("CALL_FUNCTION_KW", "KW_NAMES", "CALL_KW")  # Python 3.10, 3.11, and 3.13
_PRINT = "write the values to a field and print the field, or call the function in Python, with arrays for the fields"


def refuse(bound: Bound) -> None:
    """Refuse what device code can't do and what the bytecode shows, such as ``raise``, ``print``, lists and strings.

    A GPU thread can't raise, and has no Python. A CPU thread that asks for Python could wait for a thread that
    waits for it.

    Raises
    ------
    FunctorError
        Naming the functor, the line and the remedy.
    """
    for function in capture.called(bound.function):
        found = _refused(function.__code__, function.__globals__) or _keyword_of_inner(function)
        if found is not None:
            line, what, remedy = found
            raise FunctorError(
                f"{bound.label}: line {line} of {function.__code__.co_filename} {what}, which device code doesn't "
                f"support: {remedy or REMEDY}"
            )


def _refused(code: CodeType, space: Mapping[str, Any]) -> tuple[int, str, str | None] | None:
    """The line of the first refused instruction, a description of it, and the remedy."""
    line = code.co_firstlineno
    for instruction in dis.get_instructions(code):
        starts = getattr(instruction, "line_number", None) or instruction.starts_line
        if starts and not isinstance(starts, bool):
            line = starts
        name = instruction.argval
        if instruction.opname in _REFUSED:
            return line, *_REFUSED[instruction.opname]
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME") and name not in space and name not in BUILTINS:
            if name == "print":
                return line, "prints", _PRINT
            if not isinstance(vars(builtins).get(name), (type(None), type(Ellipsis))) and not _raised(name):
                return line, f"uses {name}", None
    nested = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    for each in nested:
        if each.co_name in each.co_freevars:
            return each.co_firstlineno, "defines a function that calls itself", "write a loop"
    return next((found for each in nested if (found := _refused(each, space))), None)


@lru_cache(maxsize=256)
def _keyword_of_inner(function: FunctionType) -> tuple[int, str, str] | None:
    """The line of a call, with keywords, of a function that `function` defines. Numba would ignore the keywords."""
    code = function.__code__
    has_keywords = any(instruction.opname in _WITH_KEYWORDS for instruction in dis.get_instructions(code))
    if not (has_keywords and any(isinstance(constant, CodeType) for constant in code.co_consts)):
        return None  # the usual case; Numba, which takes time to import, is not needed
    try:
        blocks = private.run_frontend(function).blocks.values()
    except Exception:  # Numba also refuses it when it compiles the function
        return None
    assigned = {s.target.name: s.value for block in blocks for s in block.body if isinstance(s, private.ir.Assign)}
    for value in assigned.values():
        if getattr(value, "op", "") == "call" and value.kws:
            made = value.func
            while isinstance(made, private.ir.Var):
                made = assigned.get(made.name)
            if getattr(made, "op", "") == "make_function":
                given = ", ".join(f"{name}=" for name, _ in value.kws)
                return (
                    value.loc.line,
                    f"gives {given} by keyword to a function defined inside the function",
                    "give the arguments by position",
                )
    return None


def _raised(name: str) -> bool:
    """Whether a name is that of an exception of Python. A function that raises or catches exceptions is refused."""
    value = vars(builtins).get(name)
    return isinstance(value, type) and issubclass(value, BaseException)


def check_types(bound: Bound, dispatcher: Any, arguments: tuple[Any, ...]) -> Any:
    """Compile a user function with one of the dispatchers for functors, and return the type that the function returns.

    Raises
    ------
    FunctorError
        If the function contains what a functor may not, or returns the wrong type.
    """
    from numba import types

    import_module("minigr.jit.numba_intrinsics")  # Numba must know the intrinsics before it finds one in a module
    scalars.refuse_writes(bound)
    compile_checked(bound, lambda: dispatcher.compile(arguments))
    returned = types.unliteral(private.compiled_as(dispatcher, arguments)[1])
    check_return(bound, returned)
    return returned


def compile_checked(bound: Bound, compile_function: Callable[[], Any]) -> Any:
    """Run ``compile_function()``. An error becomes a FunctorError that names the functor, the line and the remedy.

    The compiler's error is only the ``__context__``. A printed traceback leaves it out, because it has a hundred lines.
    """
    from minigr.jit.subset import Refused

    try:
        return compile_function()
    except Refused as refused:
        raise FunctorError(f"{bound.label}: {refused}") from None
    except Exception as error:  # of Numba, or what Numba lets through: an AttributeError for np.no_such_function
        if wrong := wrong_index(bound.function, str(error)):
            raise FunctorError(f"{bound.label}: {wrong}") from None
        if "cannot be determined" in str(error) and (line := _assigning_expression(bound.function)):
            raise FunctorError(
                f"{bound.label}: {line} assigns within an expression (:=), which device code doesn't support: assign "
                "in a statement before"
            ) from None
        raise FunctorError(
            f"{bound.label} can't be compiled: {_summary(bound.function, str(error))}\n({REMEDY})"
        ) from None


def _assigning_expression(function: FunctionType) -> str | None:
    """The line in a function or in one of its helpers that has ``:=``, if the source exists."""
    for each in capture.called(function):
        with suppress(Unknown):
            for node in ast.walk(definition(each.__code__)):
                if isinstance(node, ast.NamedExpr):
                    return f"line {node.lineno} of {each.__code__.co_filename}"
    return None


# Colors, if colorama is installed; the ends of the names of kernels; addresses.
_NOISE = re.compile(r"\x1b\[[0-9;]*m|_[0-9a-f]{16}\b| at 0x[0-9a-f]+")


_COLUMNS = re.compile(r"\bfield\((\w+)\[:, (\d+)\], cpu\)")  # in Numba's form; see `minigr.jit.numba_fields`
_REASON = re.compile(r"(?:NumbaTypeError|TypingError|NumbaValueError|LoweringError): (.+)")


def _summary(function: FunctionType, message: str) -> str:
    """The error in a message of Numba, which may have a hundred lines, and the line of the functor."""
    message = _COLUMNS.sub(r"a field of \1 with \2 columns", _NOISE.sub("", message))
    lines = [line.strip() for line in message.splitlines() if line.strip() and not line.startswith("Failed in")]
    call = re.search(r">>> (.+)", message)
    what = f"there is no {call[1]}" if call else next(iter(lines), "no reason is given")
    reason = _REASON.search(message)
    if reason:
        what += f"; {_usage(call, reason[1]) or reason[1].strip()}"
    files = {Path(each.__code__.co_filename).name for each in capture.called(function)}
    for path, line in re.findall(r'File "([^"]+)", line (\d+)', message):
        if Path(path).name in files:
            source = linecache.getline(path, int(line)).strip()
            return f"line {line} of {path}: {what}{source and f'{chr(10)}  {source}'}"
    return what


def _usage(call: re.Match[str] | None, reason: str) -> str | None:
    """How to write a call of an atomic that has too few or too many arguments; None for another reason."""
    from minigr.jit import atomics
    from minigr.jit.plain_atomics import Atomic

    name = call[1].partition("(")[0] if call else ""
    atomic = getattr(atomics, name, None)
    if "argument" not in reason or not isinstance(atomic, Atomic):
        return None
    return f"write {name}({', '.join(atomic.__signature__.parameters)}), where array is a field"


def check_return(bound: Bound, returned: Any) -> None:
    """Refuse a return type that the operator doesn't take.

    Raises
    ------
    FunctorError
        Naming the functor, what it returns and what it should.
    """
    from numba import types

    from minigr.jit.subset import described

    numbers = (types.Integer, types.Float, types.Boolean)
    if bound.results:
        count = len(bound.results)
        parts: tuple[Any, ...] = getattr(returned, "types", ())
        if len(parts) != count or not all(isinstance(part, numbers) for part in parts):
            use = "which are reduced together" if bound.operand else "one for each scalar that they are reduced into"
            raise FunctorError(
                f"{bound.label} returns {described(returned)}, but must return a tuple of {count} numbers, {use}"
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
        remedy = "check that every path returns the same kind of value"
        if bound.name in ("map", "reduce") and isinstance(returned, types.BaseTuple):
            remedy = "neighbor_reduce takes tuples only if initial= is a tuple, or with reduce='argmin' or 'argmax'"
        raise FunctorError(
            f"{bound.label} returns {described(returned)}, but must return "
            f"{wanted.get(expected, 'a number or nothing')}; {remedy}"
        )
    if bound.reduced:
        _refuse_lost_fraction(bound, returned, bound.reduced)


def _refuse_lost_fraction(bound: Bound, returned: Any, dtype: str) -> None:
    from numba import types

    if isinstance(returned, types.Float) and dtype.startswith("int"):
        raise FunctorError(
            f"{bound.label} returns {returned}, but it becomes {dtype}, which drops fractions: use a field "
            "or a dtype= of floats, or return a whole number, such as int(...)"
        )
