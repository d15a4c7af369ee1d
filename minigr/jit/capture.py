"""The inputs of a function's compiled code: its bytecode and defaults, and the globals and closure cells it reads.

`called` finds a function's helpers, their helpers, and so on. `digest` is a key of everything that the compiler sees of
these functions, and is the same in every process. `rebuild` makes the function again with helpers compiled for a
target.
"""

from __future__ import annotations

import builtins
import dis
import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any

from minigr.jit.frozen import describe, describe_code, is_intrinsic, refusal, refuse_options
from minigr.jit.intrinsic import Intrinsic, Provided
from minigr.jit.private import is_dispatcher

# --- the walk ---------------------------------------------------------------------------------------------------------


@cache
def _global_names(code: CodeType) -> tuple[str, ...]:
    """The names that `code`, or code nested in it, reads as globals."""
    names = {i.argval for i in dis.get_instructions(code) if i.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names.update(_global_names(constant))
    return tuple(sorted(names))


def python_function(value: Any) -> FunctionType | None:
    """The Python function behind a plain function or a Numba dispatcher."""
    function = value.py_func if is_dispatcher(value) else value
    return function if isinstance(function, FunctionType) else None


def dependencies(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """Each (name, value) that the code of `function` reads from outside the function."""
    for name in _global_names(function.__code__):
        if name in function.__globals__:
            yield name, function.__globals__[name]
        elif not hasattr(builtins, name):
            raise refusal(
                function, f"reads {name!r}, which is not defined: correct it, or ask for a field as a parameter"
            )
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            yield name, cell.cell_contents
        except ValueError:
            raise refusal(
                function, f"reads {name!r} of the function around it, which has no value yet: assign it first"
            ) from None


def called(function: FunctionType) -> tuple[FunctionType, ...]:
    """The function, its Python helpers, their helpers, and so on; each function once.

    Raises
    ------
    FunctorError
        If one of them calls itself, reads a name that is not defined, or has keyword-only parameters.
    """
    found: dict[FunctionType, None] = {}
    _visit(function, (), found)
    return tuple(found)


def _visit(function: FunctionType, callers: tuple[FunctionType, ...], found: dict[FunctionType, None]) -> None:
    if function in callers:
        raise refusal(function, "calls itself: functors can't recurse, write a loop")
    if function in found:
        return
    if function.__code__.co_kwonlyargcount:
        raise refusal(function, "has keyword-only parameters, which Numba can't pass: write them before the star")
    found[function] = None
    for _, value in dependencies(function):
        helper = python_function(value)
        if helper is not None:
            _visit(helper, (*callers, function), found)


# --- the key ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Known:
    """The digest of a function, and all inputs that were read to compute it."""

    digest: str
    functions: tuple[tuple[FunctionType, CodeType, tuple[Any, ...] | None], ...]
    names: tuple[tuple[dict[str, Any], str, Any], ...]
    cells: tuple[tuple[CellType, Any], ...]

    @property
    def holds(self) -> bool:
        """Whether all inputs are still the same."""
        for function, code, defaults in self.functions:
            if function.__code__ is not code or function.__defaults__ is not defaults:
                return False
        for space, name, value in self.names:
            if space.get(name, _ABSENT) is not value:
                return False
        return not self.cells or all(_contents(cell) is value for cell, value in self.cells)


_ABSENT = object()
_known: dict[FunctionType, _Known] = {}
_MOST_KNOWN = 4096  # when there are so many, all are dropped, because unused functions would stay in memory


def _contents(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return _ABSENT


def digest(function: FunctionType) -> str:
    """A hex digest of everything that the compiled code of `function` depends on. It is the same in every process.

    A call is fast: the digest is computed again only if an input has changed.

    Raises
    ------
    FunctorError
        If the function reads something that can't be frozen into compiled code, such as a global array or list.
    """
    known = _known.get(function)
    if known is None or not known.holds:
        functions = called(function)
        seen = (  # before the digest, so that the next call sees changes by other threads in the meantime
            tuple((f, f.__code__, f.__defaults__) for f in functions),
            tuple(
                (f.__globals__, n, f.__globals__.get(n, _ABSENT)) for f in functions for n in _global_names(f.__code__)
            ),
            tuple((cell, _contents(cell)) for f in functions for cell in f.__closure__ or ()),
        )
        known = _Known(hashlib.sha256(repr(_description(functions)).encode()).hexdigest(), *seen)
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        _known[function] = known
    return known.digest


def _description(functions: tuple[FunctionType, ...]) -> tuple[Any, ...]:
    """A description of functions that call each other. A helper is described by its position among them."""
    places = {function: place for place, function in enumerate(functions)}
    parts = []
    for function in functions:
        reads = []
        for name, value in dependencies(function):
            helper = python_function(value)
            if helper is None:
                reads.append((name, describe(function, name, value)))
            else:
                if is_dispatcher(value):
                    refuse_options(function, name, value)
                reads.append((name, places[helper]))
        defaults = [(name, describe(function, name, value)) for name, value in _defaults(function)]
        parts.append((describe_code(function.__code__), reads, defaults))
    return tuple(parts)


def _defaults(function: FunctionType) -> list[tuple[str, Any]]:
    """The parameters with default values, the last one first."""
    parameters = function.__code__.co_varnames[: function.__code__.co_argcount]
    return list(zip(reversed(parameters), reversed(function.__defaults__ or ()), strict=False))


# --- uses -------------------------------------------------------------------------------------------------------------


def calls_atomics(function: FunctionType) -> bool:
    """Whether `function`, or one of its helpers, may call an atomic."""
    return any(_may_be_atomic(value) for each in called(function) for _, value in dependencies(each))


def intrinsics_called(function: FunctionType) -> Iterator[Intrinsic]:
    """The intrinsics that `function`, or one of its helpers, may call. Intrinsics of a module are found by name."""
    for each in called(function):
        for _, value in dependencies(each):
            found = [value]
            if isinstance(value, ModuleType) and value.__name__.partition(".")[0] == "minigr":
                found = [getattr(value, name, None) for name in _attribute_names(each.__code__)]
            for one in found:
                if isinstance(one, Provided):
                    yield from intrinsics_called(one.function)
                elif isinstance(one, Intrinsic):
                    yield one


def _attribute_names(code: CodeType) -> Iterator[str]:
    """The names of attributes that `code`, or code nested in it, reads; other names are included."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _attribute_names(constant)


def _may_be_atomic(value: Any) -> bool:
    if isinstance(value, ModuleType):  # its functions are called as attributes, such as mg.atomic_add
        return value.__name__.partition(".")[0] in ("minigr", "numba")
    return is_intrinsic(value) and getattr(value, "atomic", True)


def rebuild(
    function: FunctionType, compile_helper: Callable[[FunctionType], Any], replace: Callable[[Any], Any] = lambda x: x
) -> FunctionType:
    """`function` with each plain Python function that it calls replaced by ``compile_helper(helper)``, recursively.

    All other values that it reads from outside, among them Python's own functions, are replaced by ``replace(value)``.

    The result belongs to this module. Numba imports the modules of functions when it loads compiled code, and the
    module of a functor may be missing in another process.
    """
    replaced: dict[str, Any] = {}
    builtin = [name for name in _global_names(function.__code__) if name not in function.__globals__]
    for name, value in (*dependencies(function), *((name, getattr(builtins, name)) for name in builtin)):
        helper = python_function(value)
        if helper is not None:
            replaced[name] = compile_helper(rebuild(helper, compile_helper, replace))
        elif isinstance(value, ModuleType) and value.__name__.partition(".")[0] == "minigr":
            replaced[name] = _with_compiled(value, lambda found: _compiled(found, compile_helper, replace))
        elif (other := _compiled(value, compile_helper, replace)) is not value:
            replaced[name] = other
    closure = tuple(
        CellType(replaced.get(name, cell.cell_contents))
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    )
    namespace = {**function.__globals__, **replaced, "__name__": __name__}
    return FunctionType(function.__code__, namespace, function.__name__, function.__defaults__, closure)


def _compiled(value: Any, compile_helper: Callable[[FunctionType], Any], replace: Callable[[Any], Any]) -> Any:
    """The replacement of an outside value that is neither a helper nor a module of the package."""
    if isinstance(value, Provided):
        return compile_helper(rebuild(value.function, compile_helper, replace))
    return replace(value)


def _with_compiled(module: ModuleType, compiled: Callable[[Any], Any]) -> ModuleType:
    """A module of the package whose functions for functors are replaced by their compiled forms."""
    made = ModuleType(module.__name__)
    made.__dict__["__getattr__"] = cache(lambda name: compiled(getattr(module, name)))  # one function per name
    return made
