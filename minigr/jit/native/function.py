"""The frame of a translated function: facts about the function and its program, and its exits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from types import FunctionType, ModuleType
from typing import Any, NamedTuple, Protocol

import numpy as np

from minigr.jit.functor import Bound
from minigr.jit.native import source
from minigr.jit.native.code import Known, Value, constant, tuple_value
from minigr.jit.native.types import Unknown
from minigr.jit.native.variables import Restart, Variables

UNLIKELY = ", !prof !2"
_FAIL = "fail"  # a placeholder for the instructions that leave a function with an error


class Signature(NamedTuple):
    """The facts about a translated function."""

    name: str
    returns: Any
    raises: bool
    writes: bool

    @property
    def parts(self) -> tuple[str, ...]:
        """The returned parts in LLVM's language: a status, if the function may raise, and the parts of its result."""
        return ("i64", *self.returns.parts) if self.raises else self.returns.parts


class Program(Protocol):
    """The interface of a program that the translation of a function uses.

    Attributes
    ----------
    functors : mapping
        The functions of functors in the program.
    alone : bool
        Whether no other thread uses the data of the code that is translated now.
    has_wide_rows : bool
        Whether there are fields with so many columns that vector instructions pay for loops over the columns.
    """

    functors: Mapping[FunctionType, Bound]
    alone: bool
    has_wide_rows: bool

    def declare(self, line: str) -> None:
        """Declare a function from outside, or define a function in LLVM's language."""

    def called(self, function: FunctionType, types: Sequence[Any], strict: bool) -> Signature:
        """The translation of a called function for these types. A known argument is given by its value."""


@dataclass(frozen=True)
class Scope:
    """The place where names are looked up: the translated function, or a generator that it loops over.

    Attributes
    ----------
    function : FunctionType
    outside : mapping
        The values of names from enclosing functions.
    own : set of str
        The variables of the function.
    once : frozenset of str
        The variables that are assigned in one place, through which all later code has passed.
    prefix : str
        The prefix of the variables' names among those of the translated function.
    """

    function: FunctionType
    outside: Mapping[str, Any]
    own: set[str]
    once: frozenset[str]
    prefix: str

    @classmethod
    def of(cls, function: FunctionType, prefix: str = "") -> Scope:
        """The scope of a function's names."""
        code = function.__code__
        once = source.assigned_once(code)
        return cls(function, source.free_names(function), {*code.co_varnames, *code.co_cellvars}, once, prefix)


class Function(Variables):
    """The translation of a function.

    Attributes
    ----------
    module : the program
    returns : return type, None until it is known
    raises : whether the function may end with an error; it then returns a status first
    writes : whether the function may change memory
    strict : whether the function contains only what a functor may contain on every device
    in_doubt : whether Numba may know a condition and remove a branch, with the types of the branch
    """

    def __init__(
        self, module: Program, function: FunctionType, merged: dict[Any, Any], returns: Any, strict: bool
    ) -> None:
        super().__init__(merged, strict)
        self.module, self.function, self.returns = module, function, returns
        self.fixed: dict[str, Value] = {}
        self.scope = Scope.of(function)
        self.raises = self.writes = self.in_doubt = False
        self._constants: set[str] = set()  # variables that may hold known numbers at some place
        self._line = 0

    def outer(self, value: Any) -> Value | Known:
        """The translation of a value from outside the function."""
        if self.strict and isinstance(value, (str, bytes, Enum)):  # Numba knows which of their uses GPUs support
            raise Unknown(f"{value!r} in line {self._line}")
        if isinstance(value, (bool, int, float, np.bool_, np.number)):
            return constant(int(value) if isinstance(value, int) and type(value) not in (bool, int) else value)
        if type(value) is tuple:
            items = [each for each in map(self.outer, value) if isinstance(each, Value)]
            if len(items) == len(value):
                return tuple_value(items)
        if self.strict and not (value is None or callable(value) or isinstance(value, (ModuleType, tuple))):
            raise Unknown(f"a {type(value).__name__} in line {self._line}")
        return Known(value)

    def leave(self, value: Value) -> None:
        """Return a value."""
        parts = list(zip(value.type.parts, value.parts, strict=True))
        if self.raises:
            parts.insert(0, ("i64", "0"))
        self._return(parts)

    def _return(self, parts: list[tuple[str, str]]) -> None:
        if len(parts) < 2:
            self.do(f"ret {' '.join(parts[0])}" if parts else "ret void")
        else:
            kind = "{" + ", ".join(kind for kind, _ in parts) + "}"
            made = "undef"
            for place, part in enumerate(parts):
                made = self.new(f"insertvalue {kind} {made}, {' '.join(part)}, {place}")
            self.do(f"ret {kind} {made}")
        self.ended = True

    def fail(self, status: str) -> None:
        """Leave the function with an error. The instructions are written at the end, when the return type is known."""
        if not self.raises:
            self.raises = True
            raise Restart
        self.do(f"{_FAIL} {self.label('%f')} {status}")
        self.ended = True

    def finish(self) -> None:
        """Write the instructions of the exits with errors."""
        made = "{" + ", ".join(["i64", *self.returns.parts]) + "}"
        for place, line in enumerate(self.lines):
            if line.startswith(f"  {_FAIL}"):
                _, name, status = line.split()
                self.lines[place] = f"  ret i64 {status}"
                if self.returns.parts:
                    whole = f"  {name} = insertvalue {made} zeroinitializer, i64 {status}, 0"
                    self.lines[place] = f"{whole}\n  ret {made} {name}"

    def fail_if(self, condition: str, status: str) -> None:
        """Leave the function with an error if a condition holds."""
        failing, after = self.label("fail"), self.label("go")
        self.branch(condition, failing, after, UNLIKELY)
        self.begin(failing)
        self.fail(status)
        self.begin(after)
