"""What the text of a program says of functions of functors and of reductions, in the language of each target.

Programs of primitives and those of recorded steps say it in the same way.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from minigr.jit.functor import Bound
from minigr.jit.index_checks import CheckedFields, first_word, source_lines

_CPU_NAMES = {"min": "minimum", "max": "maximum", "or": "bit_or"}
_CUDA_NAMES = {"add": "Add", "min": "Min", "max": "Max", "or": "Or", "argmin": "ArgMin", "argmax": "ArgMax"}


class FunctorText(ABC):
    """How a program calls functions of functors.

    Parameters
    ----------
    debug : bool
        The indexes of fields are checked.

    Attributes
    ----------
    users : dict
        The functions that are called, by their names in the text.
    checked : CheckedFields
        The fields whose indexes are checked.
    """

    _comment: str  # what begins a comment

    def __init__(self, debug: bool) -> None:
        self.debug = debug
        self.users: dict[str, Bound] = {}
        self.checked = CheckedFields()

    @abstractmethod
    def combination(self, name: str) -> str:
        """The expression for a reduction known by name, of numbers or of pairs."""

    def _arguments(self, label: str, bound: Bound) -> list[str]:
        """The expressions for what a function gets for its parameters."""
        return [self._argument(label, bound, kind, name) for kind, name in bound.arguments]

    def _argument(self, label: str, bound: Bound, kind: str, name: str) -> str:
        return self._supplied(bound, name) if kind == "supplied" else self._indexed(label, bound, name)

    def _supplied(self, bound: Bound, name: str) -> str:
        """The expression for what an operator or a primitive supplies to a function."""
        return name

    @abstractmethod
    def _indexed(self, label: str, bound: Bound, name: str) -> str:
        """The expression for a field as a function gets it."""

    def _checked_lines(self) -> list[str]:
        """Comments with the lines of the functions that are compiled with them."""
        users = self.users.items() if self.debug else ()
        return [self._statement(f"{self._comment} {name}: {source_lines(bound.function)!r}") for name, bound in users]

    @abstractmethod
    def _statement(self, text: str) -> str:
        """A statement that both languages have, as this one ends it."""


class CpuFunctorText(FunctorText):
    """The same in Python, for a CPU."""

    _comment = "#"
    _CHECKED = "from minigr.jit.native.memory import checked_field"
    """The import that `_checked_field` needs; `combination` needs the module ``minigr.primitives.combine_cpu``."""

    def combination(self, name: str) -> str:
        return f"combine_cpu.{_CPU_NAMES.get(name, name)}"

    def _checked_field(self, label: str, bound: Bound, name: str, words: str, array: str, columns: int = 0) -> str:
        """The expression for a checked field, with an array that has elements of its type."""
        return f"checked_field({words}, {self.checked.number(label, bound, name)}, {array}, {columns})"

    def _statement(self, text: str) -> str:
        return text


class CudaFunctorText(FunctorText):
    """The same in CUDA C++; `combination` needs the header ``primitives/fold.cuh``."""

    _comment = "//"

    def combination(self, name: str) -> str:
        return _CUDA_NAMES[name]

    def _checked_field(self, label: str, bound: Bound, name: str, words: str) -> str:
        """The expression for a checked field."""
        return f"{words} + {first_word(self.checked.number(label, bound, name))}"

    def _statement(self, text: str) -> str:
        return f"{text};"
