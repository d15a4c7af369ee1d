"""What a function's compiled code depends on: its bytecode, and the globals and closure cells it reads.

`identity` is the cheap form, compared on every call; `digest` the one for disk, stable from process to process;
`rebuild` makes the function anew with its Python helpers compiled for a target.
"""

from __future__ import annotations

import builtins
import dis
import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import EnumMeta
from functools import cache
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from minigr.errors import FunctorError
from minigr.jit.functor import where

_MODULES = ("math", "minigr", "numba", "numpy", "operator")
_INTRINSICS = ("Atomic", "_Intrinsic")  # minigr's atomics, and what Numba's decorator `intrinsic` makes
_CALLABLES = (*_INTRINSICS, "builtin_function_or_method")
_CONSTANTS = (bool, int, float, str, type(None), np.bool_, np.number, np.dtype)


@cache
def _global_names(code: CodeType) -> tuple[str, ...]:
    """Names that `code`, or code nested in it, reads as globals."""
    names = {i.argval for i in dis.get_instructions(code) if i.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names.update(_global_names(constant))
    return tuple(sorted(names))


def python_function(value: Any) -> FunctionType | None:
    """The Python function behind a plain function or a Numba dispatcher."""
    function = getattr(value, "py_func", value)
    return function if isinstance(function, FunctionType) else None


def dependencies(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """Each (name, value) that `function` reads from outside itself."""
    for name in _global_names(function.__code__):
        if name in function.__globals__:
            yield name, function.__globals__[name]
        elif not hasattr(builtins, name):
            raise _error(
                function, f"reads {name!r}, which is not defined: correct it, or ask for a field as a parameter"
            )
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            yield name, cell.cell_contents
        except ValueError:
            raise _error(function, f"reads {name!r} of the function around it before that has a value") from None


def _error(function: FunctionType, what: str) -> FunctorError:
    return FunctorError(f"{function.__qualname__} ({where(function)}) {what}")


@dataclass(frozen=True)
class _Known:
    """The identity of a function, and all that was read to find it."""

    parts: tuple[Any, ...]
    codes: tuple[tuple[FunctionType, CodeType], ...]
    names: tuple[tuple[dict[str, Any], str, Any], ...]
    cells: tuple[tuple[CellType, Any], ...]

    @property
    def holds(self) -> bool:
        """Whether all of it is the same still."""
        for function, code in self.codes:
            if function.__code__ is not code:
                return False
        for space, name, value in self.names:
            if space.get(name, _ABSENT) is not value:
                return False
        return all(_contents(cell) is value for cell, value in self.cells)


_ABSENT = object()
_known: dict[FunctionType, _Known] = {}
_MOST_KNOWN = 4096  # functions that are no longer used are kept in memory no longer than until there are so many


def _contents(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return _ABSENT


def identity(function: FunctionType) -> tuple[Any, ...]:
    """A hashable value that changes when anything the compiled code depends on does, within this process."""
    known = _known.get(function)
    if known is None or not known.holds:
        parts = _identity(function)
        called = list(all_called(function))
        known = _Known(
            parts,
            tuple((f, f.__code__) for f in called),
            tuple((f.__globals__, n, f.__globals__.get(n, _ABSENT)) for f in called for n in _global_names(f.__code__)),
            tuple((cell, _contents(cell)) for f in called for cell in f.__closure__ or ()),
        )
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        _known[function] = known
    return known.parts


def all_called(function: FunctionType) -> Iterator[FunctionType]:
    """The function, its Python helpers, theirs, and so on."""
    yield function
    for helper in _helpers(function):
        yield from all_called(helper)


def _identity(function: FunctionType, callers: tuple[FunctionType, ...] = ()) -> tuple[Any, ...]:
    parts: list[Any] = [function.__code__]
    callers = (*callers, function)
    for name, value in dependencies(function):
        helper = python_function(value)
        if helper is not None and helper in callers:
            raise _recursion(helper)
        if helper is not None:
            parts.append(_identity(helper, callers))
        elif isinstance(value, _CONSTANTS):
            parts.append(_constant(value))
        elif isinstance(value, tuple):
            parts.append(tuple(_constant(item) for item in value))
        else:
            _refuse_unknown(function, name, value)
            parts.append(value)  # itself and not its id, which another object may get
    return tuple(parts)


def _constant(value: Any) -> tuple[str, str]:
    return type(value).__name__, repr(value)  # repr: NaN equals itself, 0.0 differs from -0.0


def _recursion(function: FunctionType) -> FunctorError:
    return _error(function, "calls itself: functors can't recurse, write a loop")


def _describe_code(code: CodeType) -> tuple[Any, ...]:
    constants = []
    for value in code.co_consts:
        if isinstance(value, CodeType):
            constants.append(_describe_code(value))
        elif isinstance(value, frozenset):  # its order depends on the process
            constants.append(("frozenset", *sorted(map(_constant, value))))
        else:
            constants.append(_constant(value))
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    return (code.co_name, code.co_code, tuple(constants), *names)


def _describe(function: FunctionType, callers: tuple[FunctionType, ...] = ()) -> tuple[Any, ...]:
    parts: list[Any] = [_describe_code(function.__code__)]
    callers = (*callers, function)
    for name, value in dependencies(function):
        helper = python_function(value)
        if helper is not None and helper in callers:
            raise _recursion(helper)
        if helper is not None:
            parts.append((name, _describe(helper, callers)))
        elif isinstance(value, _CONSTANTS):
            parts.append((name, *_constant(value)))
        elif isinstance(value, tuple) and all(isinstance(item, _CONSTANTS) for item in value):
            parts.append((name, *map(_constant, value)))
        else:
            _refuse_unknown(function, name, value)
            parts.append((name, *_describe_known(value)))
    return tuple(parts)


def _refuse_unknown(function: FunctionType, name: str, value: Any) -> None:
    """Raise for what compiled code would freeze without a way to tell when it changes."""
    if isinstance(value, ModuleType):
        if value.__name__.partition(".")[0] not in _MODULES:
            raise _error(
                function,
                f"reads the module {name!r}: import what it needs by name (from {value.__name__} import ...), so that "
                "changes to it are seen",
            )
    elif not isinstance(value, (type, np.ufunc)) and type(value).__name__ not in _CALLABLES:
        raise _error(
            function,
            f"reads {name!r}, a {type(value).__name__} from outside: make it a field of the Problem and ask for it as "
            "a parameter (numbers, functions and modules may stay)",
        )


def _describe_known(value: Any) -> tuple[Any, ...]:
    """What `_refuse_unknown` lets through: modules, types, ufuncs, built-in functions, intrinsics."""
    if isinstance(value, ModuleType):
        return "module", value.__name__, getattr(value, "__version__", "")
    listed: list[Any] = list(value) if isinstance(value, EnumMeta) else []
    members = [(member.name, *_constant(member.value)) for member in listed]
    return getattr(value, "__module__", ""), getattr(value, "__qualname__", None) or value.__name__, *members


def writes(function: FunctionType) -> bool:
    """Whether `function`, or a helper of it, may change anything: it assigns to an element, or may call an atomic."""
    stores = any(i.opname.startswith("STORE_SUBSCR") for i in dis.get_instructions(function.__code__))
    return stores or _may_call_atomics(function) or any(map(writes, _helpers(function)))


def calls_atomics(function: FunctionType) -> bool:
    """Whether `function`, or a helper of it, may call an atomic."""
    return _may_call_atomics(function) or any(map(calls_atomics, _helpers(function)))


def _helpers(function: FunctionType) -> list[FunctionType]:
    return [helper for _, value in dependencies(function) if (helper := python_function(value)) is not None]


def _may_call_atomics(function: FunctionType) -> bool:
    return any(_may_be_atomic(value) for _, value in dependencies(function))


def _may_be_atomic(value: Any) -> bool:
    if isinstance(value, ModuleType):  # whose functions are called by attribute, such as mg.atomic_add
        return value.__name__.partition(".")[0] in ("minigr", "numba")
    return type(value).__name__ in _INTRINSICS


def digest(function: FunctionType) -> str:
    """A hex digest of all that the compiled code of `function` depends on, the same in every process.

    Raises
    ------
    FunctorError
        If the function reads something that can't be frozen into compiled code, such as a global array or list.
    """
    return hashlib.sha256(repr(_describe(function)).encode()).hexdigest()


def rebuild(function: FunctionType, compile_helper: Callable[[FunctionType], Any]) -> FunctionType:
    """`function` with each plain Python function it calls replaced by ``compile_helper(helper)``, recursively.

    It belongs to this module: Numba imports the modules of functions when it loads what it compiled, and that of a
    functor need not be there in another process.
    """
    replaced: dict[str, Any] = {}
    for name, value in dependencies(function):
        helper = python_function(value)
        if helper is not None:
            replaced[name] = compile_helper(rebuild(helper, compile_helper))
    closure = tuple(
        CellType(replaced.get(name, cell.cell_contents))
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    )
    namespace = {**function.__globals__, **replaced, "__name__": __name__}
    return FunctionType(function.__code__, namespace, function.__name__, function.__defaults__, closure)
