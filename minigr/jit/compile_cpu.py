"""A program's text and its user functions, made into one compiled function for the CPU.

The text becomes a module that is named by the digest of everything that went into the program. Under the same digest
the cache holds the text, once its user functions were checked, and what Numba compiled.
"""

from __future__ import annotations

import linecache
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from minigr.jit import cache, capture, check
from minigr.jit.functor import Bound
from minigr.jit.index_checks import CHECKED


def compile_program(text: str, users: Mapping[str, Bound], signatures: Mapping[str, Sequence[Any]]) -> Any:
    """Compile `text` and return its function ``run``, which Python calls.

    Parameters
    ----------
    text : str
        A module that defines ``run`` and calls each of `users` under its name.
    users : mapping
        Name in the text to bound functor function.
    signatures : mapping
        The same names to the Numba types of the arguments.

    Raises
    ------
    FunctorError
        If a user function can't be compiled, can't be frozen, or returns the wrong type.
    """
    parts = [text]
    for name, bound in sorted(users.items()):
        check.refuse(bound)
        parts += [name, capture.digest(bound.function), str(list(signatures[name]))]
    from minigr.jit.numba_cache import PACKAGES

    key = cache.key(*parts, packages=PACKAGES)
    functions = {name: _compile_function(bound.function) for name, bound in users.items()}
    if cache.read("cpu", key) is None:
        for name, dispatcher in functions.items():
            check.check_types(users[name], dispatcher, tuple(signatures[name]))
        cache.write("cpu", key, text.encode())
    return _load(f"minigr_{key}", text, functions)


def numba_types(arguments: Sequence[tuple[str, bool]]) -> list[Any]:
    """The Numba types of arguments, which are told as by `minigr.operators.supplied`."""
    return [_numba_type(dtype, is_array) for dtype, is_array in arguments]


def _numba_type(dtype: str, is_array: bool) -> Any:
    from numba import from_dtype, types

    from minigr.jit.checked_field import CheckedField

    element = from_dtype(np.dtype(dtype.removeprefix(CHECKED)))
    if dtype.startswith(CHECKED):
        return CheckedField(element, on_gpu=False)
    return types.Array(element, 1, "C") if is_array else element


def _compile_function(function: FunctionType) -> Any:
    import_module("minigr.jit.atomics")  # Numba must know them before it meets one as an attribute of a module
    from minigr.jit.kernel import functor_kernel

    return functor_kernel(capture.rebuild(function, functor_kernel))


def _load(name: str, text: str, functions: Mapping[str, Any]) -> Any:
    from minigr.jit.kernel import entry

    if name not in sys.modules:
        module, file = ModuleType(name), f"<{name}>"
        module.__dict__.update(functions)
        linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file  # for messages, and debuggers
        exec(compile(text, file, "exec"), module.__dict__)
        module.__dict__["run"] = entry(module.__dict__["run"])
        sys.modules[name] = module  # Numba looks up the module of a function that it loads from the cache
    return sys.modules[name].run
