"""Functors' functions that Numba compiles for the CPU, because `minigr.jit.native` can't translate them."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any, NamedTuple

from numba import njit, types

from minigr.jit import capture, check, numba_passes, private
from minigr.jit.functor import Bound
from minigr.jit.native import types as native
from minigr.jit.numba_fields import CheckedField, PlainField
from minigr.jit.numba_functions import replaced
from minigr.signals import deferred

_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", **private.LEAN}
PACKAGES = ("numba", "llvmlite", "numpy")


class Compiled(NamedTuple):
    """A function in LLVM's language, with all functions that it calls.

    Attributes
    ----------
    text : str
    name : str
        The name of the function in the text.
    returns : type
        The return type, as one of `minigr.jit.native.types`.
    writes : bool
        Whether the function may change memory, as far as LLVM can tell.
    """

    text: str
    name: str
    returns: Any
    writes: bool


def functor_kernel(function: Any) -> Any:
    """Make Numba compile a user's function, if the function contains only what a functor may contain."""
    return _whole(njit(**_OPTIONS, pipeline_class=numba_passes.FunctorCompiler)(function))


def _whole(dispatcher: Any) -> Any:
    """Defer signals while a dispatcher compiles, because Numba can't continue after an exception in a compilation."""
    compile_now = dispatcher.compile

    def compile_whole(signature: Any) -> Any:
        with deferred(), private.wrapping_integers("numba"):
            return compile_now(signature)

    dispatcher.compile = compile_whole
    return dispatcher


def numba_type(kind: Any) -> Any:
    """Numba's type for one of `minigr.jit.native.types`."""
    if isinstance(kind, native.Number):
        return types.boolean if kind is native.BOOL else getattr(types, kind.name)
    if isinstance(kind, native.Tuple):
        return types.Tuple(tuple(map(numba_type, kind.items)))
    if isinstance(kind, (native.Rows, native.Checked)):
        field = PlainField if isinstance(kind, native.Rows) else CheckedField
        return field(numba_type(kind.element), kind.columns, on_gpu=False, mutable=kind.writable)
    return types.Array(numba_type(kind.element), kind.ndim, "C", readonly=not kind.writable)


def _native_type(kind: Any) -> Any:
    """The type in `minigr.jit.native.types` for a return type of Numba."""
    kind = types.unliteral(kind)
    if isinstance(kind, (types.Tuple, types.UniTuple, types.NamedTuple, types.NamedUniTuple)):
        return native.tuple_of(tuple(map(_native_type, kind.types)))
    if isinstance(kind, types.NoneType) or kind == types.void:
        return native.NOTHING
    return native.NUMBERS["bool" if isinstance(kind, types.Boolean) else str(kind)]


def compiled(bound: Bound, kinds: Sequence[Any]) -> Compiled:
    """Compile a function of a functor.

    Raises
    ------
    FunctorError
        If the function contains what a functor may not, or returns the wrong type.
    """
    check.refuse(bound)
    import_module("minigr.jit.numba_intrinsics")  # Numba must know the intrinsics before it finds one in a module
    dispatcher = functor_kernel(capture.rebuild(bound.function, functor_kernel, replaced))
    arguments = tuple(map(numba_type, kinds))
    returned = check.check_types(bound, dispatcher, arguments)
    name, _ = private.compiled_as(dispatcher, arguments)
    text = dispatcher.inspect_llvm(arguments)
    return Compiled(text, name, _native_type(returned), private.may_write(text, name))
