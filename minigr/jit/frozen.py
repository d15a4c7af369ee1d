"""Descriptions of values that compiled code freezes. The descriptions of two values differ if the compiled code could.

A value that could change unnoticed is refused.
"""

from __future__ import annotations

import struct
from enum import Enum
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from minigr.errors import FunctorError
from minigr.jit import private
from minigr.jit.functor import where
from minigr.jit.intrinsic import Intrinsic

# Modules whose versions or sources are in the key of every program.
_MODULES = ("builtins", "math", "minigr", "numba", "numpy", "operator")
_CONSTANTS = (bool, int, str, type(None), np.bool_, np.number, np.dtype)
_RANDOM = "device code has no random numbers: draw them before the run, and pass them in a field"
# Options of a Numba function that don't change its results, because helpers are compiled again with minigr's options.
_HARMLESS = {
    "_nrt", "debug", "device", "extensions", "forceinline", "inline", "launch_bounds", "lineinfo", "looplift", "lto",
    "max_registers", "no_cfunc_wrapper", "no_cpython_wrapper", "no_rewrites", "nogil", "nopython", "opt",
    "pipeline_class", "shared_memory_carveout",
}  # fmt: skip


def refusal(function: FunctionType, what: str) -> FunctorError:
    """The error for a function that can't be compiled as it is."""
    return FunctorError(f"{function.__qualname__} ({where(function)}) {what}")


def describe_code(code: CodeType) -> tuple[Any, ...]:
    """The code of a function, without its place in the source."""
    counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    handlers = getattr(code, "co_exceptiontable", b"")  # from Python 3.11 on
    return (code.co_name, code.co_code, handlers, tuple(map(_describe_constant, code.co_consts)), *counts, *names)


def _describe_constant(value: Any) -> Any:
    """A constant of a function's code."""
    if isinstance(value, CodeType):
        return describe_code(value)
    if isinstance(value, tuple):
        return tuple(map(_describe_constant, value))
    if isinstance(value, frozenset):  # its order depends on the process
        return ("frozenset", *sorted(map(repr, map(_describe_constant, value))))
    return _describe_number(value)


def _describe_number(value: Any) -> tuple[str, str]:
    """A number, text or other constant by its type and bits: 1, True and 1.0 differ, and so do 0.0 and -0.0."""
    if isinstance(value, float):
        bits = struct.pack("<d", value).hex()  # equal bits also for NaN
    else:
        bits = value.tobytes().hex() if isinstance(value, np.number) else repr(value)
    return type(value).__name__, bits


def describe(function: FunctionType, name: str, value: Any) -> Any:
    """A description of a value that compiled code freezes.

    Raises
    ------
    FunctorError
        If the value could change unnoticed.
    """
    if isinstance(value, Enum):
        return _describe_class(function, name, type(value)), value.name
    if isinstance(value, tuple):
        return _describe_class(function, name, type(value)), *(describe(function, name, item) for item in value)
    if isinstance(value, (float, *_CONSTANTS)):
        return _describe_number(value)
    if isinstance(value, type):
        return _describe_class(function, name, value)
    if isinstance(value, ModuleType):
        if _is_known(value.__name__):
            return "module", value.__name__
        if value.__name__ == "random":
            raise refusal(function, f"reads the module {name!r}, but {_RANDOM}")
        raise refusal(
            function,
            f"reads the module {name!r}: import what the function needs by name (from {value.__name__} import ...), so "
            "that minigr sees when it changes",
        )
    if isinstance(value, np.ufunc) or _is_builtin(value) or is_intrinsic(value):
        return type(value).__name__, getattr(value, "__module__", ""), value.__name__
    if isinstance(value, FunctionType) or private.is_dispatcher(value):
        raise refusal(function, f"reads {name!r}, which holds a function: call each function by a name of its own")
    if draws(value):
        raise refusal(function, f"reads {name!r}, but {_RANDOM}")
    raise refusal(
        function,
        f"reads {name!r}, a {type(value).__name__} from outside: make it a field of the Problem and ask for it as "
        "a parameter (only numbers, functions and modules may be outside)",
    )


def draws(value: Any) -> bool:
    """Whether a value is a generator of random numbers of Python or NumPy, or a method of such a generator."""
    module = type(getattr(value, "__self__", value)).__module__
    return module == "random" or module.startswith("numpy.random")


def _describe_class(function: FunctionType, name: str, kind: Any) -> tuple[Any, ...]:
    """An enum, a named tuple, or a class of a library. Other classes are refused: their attributes may change."""
    described = (kind.__module__, kind.__qualname__)
    if issubclass(kind, Enum):
        members = [(member, describe(function, name, kind[member].value)) for member in kind.__members__]
        return (*described, [base.__qualname__ for base in kind.__mro__], members)
    if issubclass(kind, tuple) and hasattr(kind, "_fields"):
        defaults = [(field, describe(function, name, value)) for field, value in kind._field_defaults.items()]
        return (*described, kind._fields, defaults)
    if _is_known(kind.__module__):
        return described
    raise refusal(
        function,
        f"reads {name!r}, which is the class {kind.__qualname__} or an instance of it: only numbers, enums and named "
        "tuples may be read from outside; assign the number that the function needs to a variable of its own",
    )


def _is_known(module: Any) -> bool:
    return str(module).partition(".")[0] in _MODULES


def _is_builtin(value: Any) -> bool:
    return isinstance(value, BuiltinFunctionType) and isinstance(value.__self__, (ModuleType, type(None)))


def is_intrinsic(value: Any) -> bool:
    """Whether `value` is an intrinsic of minigr or Numba, such as an atomic. Other intrinsics could change."""
    return (isinstance(value, Intrinsic) or private.is_intrinsic(value)) and _is_known(value.__module__)


def refuse_options(function: FunctionType, name: str, dispatcher: Any) -> None:
    """Refuse compiler options of a Numba function that functors are compiled without."""
    asked = {option: value for option, value in private.asked_of(dispatcher).items() if option not in _HARMLESS}
    if asked.get("error_model") == "numpy":  # the model of functors
        del asked["error_model"]
    if asked:
        options = ", ".join(f"{option}={value!r}" for option, value in asked.items())
        raise refusal(
            function,
            f"calls {name!r}, a Numba function with {options}, but functors are compiled without these options: pass "
            "the plain Python function, or leave the options out",
        )
