"""What a function's compiled code depends on: its bytecode, and the globals and closure cells it reads.

`identity` is the cheap form, compared on every call; `digest` the one for disk, stable from process to process;
`rebuild` makes the function anew with its Python helpers compiled for a target.
"""

from __future__ import annotations

import builtins
import dis
import hashlib
from collections.abc import Callable, Iterator
from functools import lru_cache
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from minigr.errors import FunctorError
from minigr.jit.functor import where

_MODULES = ("math", "minigr", "numba", "numpy", "operator")
_CONSTANTS = (bool, int, float, str, type(None), np.bool_, np.number, np.dtype)


@lru_cache(maxsize=None)
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
            raise FunctorError(f"{function.__name__} ({where(function)}) reads {name!r}, which is not defined")
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        yield name, cell.cell_contents


def identity(function: FunctionType) -> tuple[Any, ...]:
    """A hashable value that changes when anything the compiled code depends on does, within this process."""
    parts: list[Any] = [function.__code__]
    for _, value in dependencies(function):
        helper = python_function(value)
        if helper is not None and helper is not function:
            parts.append(identity(helper))
        elif isinstance(value, (bool, int, float, np.number)):
            parts.append((type(value), repr(value)))  # repr: NaN equals itself, 0.0 differs from -0.0
        else:
            parts.append(id(value))
    return tuple(parts)


def _describe_code(code: CodeType) -> tuple[Any, ...]:
    constants = tuple(_describe_code(c) if isinstance(c, CodeType) else (type(c).__name__, repr(c)) for c in code.co_consts)
    return (code.co_name, code.co_code, constants, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)


def _describe(function: FunctionType, seen: tuple[FunctionType, ...]) -> tuple[Any, ...]:
    parts: list[Any] = [_describe_code(function.__code__)]
    for name, value in dependencies(function):
        helper = python_function(value)
        if helper is not None:
            if helper in seen:
                raise FunctorError(f"{helper.__name__} ({where(helper)}) calls itself: functors can't recurse")
            parts.append((name, _describe(helper, (*seen, helper))))
        elif isinstance(value, ModuleType) and value.__name__.partition(".")[0] in _MODULES:
            parts.append((name, "module", value.__name__, getattr(value, "__version__", "")))
        elif isinstance(value, ModuleType):
            raise FunctorError(
                f"{function.__name__} ({where(function)}) reads the module {name!r}: import the function it needs by "
                f"name (from {value.__name__} import ...), so that changes to it are seen"
            )
        elif isinstance(value, _CONSTANTS):
            parts.append((name, type(value).__name__, repr(value)))
        elif isinstance(value, tuple) and all(isinstance(item, _CONSTANTS) for item in value):
            parts.append((name, repr(value)))
        elif isinstance(value, type) or _is_known_callable(value):
            parts.append((name, getattr(value, "__module__", ""), getattr(value, "__qualname__", repr(value))))
        else:
            raise FunctorError(
                f"{function.__name__} ({where(function)}) reads {name!r}, a {type(value).__name__} from outside: "
                "make it a field of the Problem and ask for it as a parameter (numbers, functions and modules may stay)"
            )
    return tuple(parts)


def _is_known_callable(value: Any) -> bool:
    """Numba intrinsics (the atomics among them), NumPy ufuncs and built-in functions."""
    return isinstance(value, np.ufunc) or type(value).__name__ in ("_Intrinsic", "builtin_function_or_method")


def digest(function: FunctionType) -> str:
    """A hex digest of all that the compiled code of `function` depends on, the same in every process.

    Raises
    ------
    FunctorError
        If the function reads something that can't be frozen into compiled code, such as a global array or list.
    """
    return hashlib.sha256(repr(_describe(function, (function,))).encode()).hexdigest()


def rebuild(function: FunctionType, compile_helper: Callable[[FunctionType], Any]) -> FunctionType:
    """`function` with each plain Python function it calls replaced by ``compile_helper(helper)``, recursively."""
    replaced: dict[str, Any] = {}
    for name, value in dependencies(function):
        helper = python_function(value)
        if helper is not None:
            replaced[name] = compile_helper(rebuild(helper, compile_helper))
    closure = tuple(
        CellType(replaced.get(name, cell.cell_contents))
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    )
    namespace = {**function.__globals__, **replaced}
    return FunctionType(function.__code__, namespace, function.__name__, function.__defaults__, closure)
