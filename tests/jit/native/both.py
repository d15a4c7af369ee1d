"""One function compiled both ways: as functions of functors are by `minigr.jit.native`, and by Numba."""

from __future__ import annotations

import itertools
import linecache
import math
import struct
from types import FunctionType
from typing import Any
from unittest import mock

import numpy as np
from numba import njit
from numba.core import config, types

import minigr as mg
from minigr.jit import capture, numba_passes, private
from minigr.jit.native import machine
from minigr.jit.native.entry import Compiled, Entry, _type_of
from minigr.jit.native.module import Module
from minigr.jit.native.types import NOTHING, Number, Tuple, array, number_of, tuple_of
from minigr.jit.numba_functions import replaced

_numbers = itertools.count()
_QUICK = config._OptLevel(0)


class _Functors(Module):
    """A module in which each function keeps to what a functor may contain."""

    def specialize(self, function: Any, types: Any, strict: bool = False) -> Any:
        return super().specialize(function, types, strict=True)


def types_of(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """The types of arguments in native code."""
    return tuple(map(_type_of, arguments))


def returned(function: FunctionType, *arguments: Any) -> Any:
    """The type that a function returns; raises `Unknown` if the native compiler does not take it."""
    return _Functors().specialize(function, types_of(arguments)).returns


class Native(Entry):
    """A function compiled by the native compiler, for arguments such as these; `alone` as for `Alone`."""

    def __init__(self, function: FunctionType, *arguments: Any, alone: bool = False) -> None:
        super().__init__(function, "tests")
        self._alone = alone
        self.returns = self._packed(arguments)[0].returns

    def _compile(self, types: tuple[Any, ...]) -> Compiled:
        module = _Functors()
        module.alone = self._alone
        returns = module.add_entry(self.__wrapped__, types).returns
        run = machine.load(machine.machine_code(module.text()), f"tests.{next(_numbers)}")
        return Compiled(run, returns, types)


class Numba:
    """A function compiled by Numba, which refuses what a functor may not contain."""

    def __init__(self, function: FunctionType, *arguments: Any) -> None:
        self._run = _dispatcher(capture.rebuild(function, _dispatcher, replaced))
        signature = tuple(map(_numba_type, types_of(arguments)))
        with private.wrapping_integers("numba"), mock.patch.object(config, "OPT", _QUICK):
            self._run.compile(signature)
        self._run.disable_compile()
        self.returns = _native_type(self._run.overloads[signature].signature.return_type)

    def __call__(self, *arguments: Any) -> Any:
        return self._run(*arguments)


def _dispatcher(function: Any) -> Any:
    import minigr.jit.numba_intrinsics  # noqa: F401 (Numba knows them from then on)

    return njit(error_model="numpy", pipeline_class=numba_passes.FunctorCompiler)(function)


def _numba_type(kind: Any) -> Any:
    if isinstance(kind, Number):
        return types.boolean if kind.name == "bool" else getattr(types, kind.name)
    if isinstance(kind, Tuple):
        return types.Tuple(tuple(map(_numba_type, kind.items)))
    return types.Array(_numba_type(kind.element), kind.ndim, "C", readonly=not kind.writable)


def _native_type(kind: Any) -> Any:
    kind = types.unliteral(kind)
    if isinstance(kind, types.BaseTuple):
        return tuple_of(tuple(map(_native_type, kind)))
    if isinstance(kind, types.NoneType):
        return NOTHING
    if isinstance(kind, types.Array):
        return array(number_of(str(kind.dtype)), kind.ndim, kind.mutable)
    return number_of("bool" if isinstance(kind, types.Boolean) else str(kind))


def bits(value: Any) -> Any:
    """What tells values apart bit by bit, except which NaN it is."""
    if isinstance(value, (tuple, list)):
        return tuple(map(bits, value))
    if isinstance(value, np.ndarray):
        return bits(value.tolist())
    if isinstance(value, float):
        return "nan" if math.isnan(value) else struct.pack("<d", value).hex()
    return value


def copied(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments again, with arrays of their own."""
    return tuple(each.copy() if isinstance(each, np.ndarray) else each for each in arguments)


def run_both(native: Any, numba: Any, arguments: tuple[Any, ...]) -> tuple[Any, Any]:
    """What each returns, and leaves in its arrays."""
    found = []
    for compiled in (native, numba):
        given = copied(arguments)
        result = compiled(*given)
        found.append((bits(result), bits([each for each in given if isinstance(each, np.ndarray)])))
    return found[0], found[1]


_MODULES = itertools.count()


def written(text: str, **more: Any) -> dict[str, Any]:
    """The names of a module that has `text` as its source."""
    file = f"<written {next(_MODULES)}>"
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    space: dict[str, Any] = {"np": np, "math": math, "mg": mg, "__name__": __name__, **more}
    exec(compile(text, file, "exec"), space)
    return space
