"""A program's text and its user functions, compiled into one function for the CPU."""

from __future__ import annotations

import linecache
from collections.abc import Mapping
from types import FunctionType, ModuleType

from minigr.jit import cache, capture, check
from minigr.jit.functor import Bound
from minigr.jit.native.compile import PACKAGES
from minigr.jit.native.entry import Entry

_entries: dict[str, Entry] = {}


def compile_program(text: str, users: Mapping[str, Bound]) -> Entry:
    """Return the function ``run`` of `text`. It is compiled when its arguments are known.

    Parameters
    ----------
    text : str
        A module that defines ``run`` and calls each function of `users` by its name in the text.
    users : mapping
        Name in the text to bound functor function.

    Raises
    ------
    FunctorError
        If a user function can't be compiled or frozen, or, on compilation, if it returns the wrong type.
    """
    parts = [text]
    for name, bound in sorted(users.items()):
        check.refuse(bound)
        parts += [name, capture.digest(bound.function), bound.reduced]  # the check of the result depends on `reduced`
    name = f"minigr_{cache.key(*parts, packages=PACKAGES)}"
    if name in _entries:  # another program has the same text and functions
        return _entries[name]
    module, file = ModuleType(name), f"<{name}>"
    # Operators may share a function and take different results of it. So each operator has a copy, which is checked
    # alone.
    functions = {name: _copied(bound.function) for name, bound in users.items()}
    module.__dict__.update(functions)
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file  # for translation and messages
    exec(compile(text, file, "exec"), module.__dict__)
    functors = {functions[name]: bound for name, bound in users.items()}
    return _entries.setdefault(name, Entry(module.__dict__["run"], name, functors))


def _copied(function: FunctionType) -> FunctionType:
    made = FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    made.__kwdefaults__ = function.__kwdefaults__
    return made
