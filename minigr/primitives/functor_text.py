"""The expressions of a program for functions of functors and for reductions, in the language of each target.

The programs of primitives and of recorded steps share these expressions.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from minigr.jit.functor import Bound
from minigr.jit.index_checks import CheckedFields, first_word, source_lines

_CPU_NAMES = {"min": "minimum", "max": "maximum", "or": "bit_or"}
_CUDA_NAMES = {"add": "Add", "min": "Min", "max": "Max", "or": "Or", "argmin": "ArgMin", "argmax": "ArgMax"}


class FunctorText(ABC):
    """The calls of functors' functions in a program.

    Parameters
    ----------
    debug : bool
        The indexes of fields are checked.

    Attributes
    ----------
    users : dict
        The functions that the program calls, by their names in the text.
    checked : CheckedFields
        The fields whose indexes are checked.
    """

    _comment: str  # the characters that begin a comment

    def __init__(self, debug: bool) -> None:
        self.debug = debug
        self.users: dict[str, Bound] = {}
        self.checked = CheckedFields()

    @abstractmethod
    def combination(self, name: str) -> str:
        """The expression for a named reduction of numbers or pairs."""

    def _arguments(self, label: str, bound: Bound) -> list[str]:
        """The expressions for the arguments of a function."""
        return [self._argument(label, bound, kind, name) for kind, name in bound.arguments]

    def _argument(self, label: str, bound: Bound, kind: str, name: str) -> str:
        return self._supplied(bound, name) if kind == "supplied" else self._indexed(label, bound, name)

    def _supplied(self, bound: Bound, name: str) -> str:
        """The expression for a value that an operator or a primitive supplies to a function."""
        return name

    @abstractmethod
    def _indexed(self, label: str, bound: Bound, name: str) -> str:
        """The expression for a field as an argument of a function."""

    def _checked_lines(self) -> list[str]:
        """Comments with the source lines of the functions, which are compiled in."""
        users = self.users.items() if self.debug else ()
        return [self._statement(f"{self._comment} {name}: {source_lines(bound.function)!r}") for name, bound in users]

    @abstractmethod
    def _statement(self, text: str) -> str:
        """A statement that both languages have, with the end that this language needs."""


class CpuFunctorText(FunctorText):
    """The expressions in Python, for a CPU."""

    _comment = "#"
    _CHECKED = "from minigr.jit.native.memory import checked_field"
    """The import that `_checked_field` needs; `combination` needs the module ``minigr.primitives.combine_cpu``."""

    def combination(self, name: str) -> str:
        return f"combine_cpu.{_CPU_NAMES.get(name, name)}"

    def _checked_field(self, label: str, bound: Bound, name: str, words: str, array: str, columns: int = 0) -> str:
        """The expression for a checked field, with an array of the field's element type."""
        return f"checked_field({words}, {self.checked.number(label, bound, name)}, {array}, {columns})"

    def _statement(self, text: str) -> str:
        return text


class CudaFunctorText(FunctorText):
    """The expressions in CUDA C++. `combination` needs the header ``primitives/fold.cuh``."""

    _comment = "//"

    def combination(self, name: str) -> str:
        return _CUDA_NAMES[name]

    def _checked_field(self, label: str, bound: Bound, name: str, words: str) -> str:
        """The expression for a checked field."""
        return f"{words} + {first_word(self.checked.number(label, bound, name))}"

    def _statement(self, text: str) -> str:
        return f"{text};"
