"""The machine code of a function: from the cache, or translated, optimized and stored in the cache."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any

from minigr.jit import cache
from minigr.jit.functor import Bound
from minigr.jit.native import machine
from minigr.jit.native.module import Module
from minigr.jit.native.types import returned_text, returned_type
from minigr.jit.notice import compiling, program_name

PACKAGES = ("llvmlite", "numpy")
_numbers = itertools.count()
_NUMBA = b"numba"  # in place of code: Numba made a part, so the key of the code has Numba's version and settings


def compiled(
    function: FunctionType, name: str, types: tuple[Any, ...], functors: Mapping[FunctionType, Bound]
) -> tuple[Callable[[Any], int], Any]:
    """A function for arguments of these types, called with the address of its words; and its return type."""
    key = _key(name, types)
    kept = cache.read("cpu", key)
    if kept == _NUMBA:
        key = _key(name, types, packages=("numba", *PACKAGES))
        kept = cache.read("cpu", key)
    if kept is None:
        with compiling(f"{program_name(functors.values(), function.__name__)} for the CPU"):
            module = Module(functors)
            signature = module.add_entry(function, types)
            code = machine.machine_code(module.text(), module.foreign, module.has_wide_rows)
        kept = returned_text(signature.returns).encode() + b"\n" + code
        if module.foreign:
            cache.write("cpu", _key(name, types), _NUMBA)
            key = _key(name, types, packages=("numba", *PACKAGES))
        cache.write("cpu", key, kept)
    returns, _, code = kept.partition(b"\n")
    return machine.load(code, f"minigr.{next(_numbers)}"), returned_type(returns.decode())


def _key(name: str, types: tuple[Any, ...], packages: tuple[str, ...] = PACKAGES) -> str:
    """The key of a function's code in the cache."""
    return cache.key(name, ", ".join(map(str, types)), machine.processor(), packages=packages)
