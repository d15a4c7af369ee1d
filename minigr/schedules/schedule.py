"""A schedule as a program sees it: how a GPU deals out the edges of a frontier, whatever is done with an edge.

An operator names the object that is called with each edge or row (``tiles.cuh``), and the schedule gives the phases
that call it. On a CPU schedules differ in one thing: whether threads claim vertices, or get equal shares of the edges.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

if TYPE_CHECKING:
    from minigr.program.cuda_text import CudaText
    from minigr.program.frontier import Handle
    from minigr.program.node import Node

#: name to (shape, dtype, initial value or None), as in `minigr.program.node.Node`
Buffers = dict[str, tuple[Any, Any, Any]]


class Reduced(NamedTuple):
    """The type of the values that an operator reduces for each vertex, in a GPU program.

    Attributes
    ----------
    name : str
        In CUDA C++.
    dtype : dtype
        Of the words that a buffer for such values has.
    words : int
        Words of a value.
    """

    name: str
    dtype: Any
    words: int = 1

    def buffer(self, count: int) -> tuple[Any, Any, Any]:
        """A buffer for so many values."""
        return count * self.words, self.dtype, None

    def array(self, buffer: str) -> str:
        """The expression for a buffer as an array of values."""
        return buffer if self.words == 1 else f"({self.name} *){buffer}"


class Walk(NamedTuple):
    """What a schedule deals out in a GPU program, and to whom.

    Attributes
    ----------
    node : Node
        The operator, whose input is the frontier.
    work : str
        The name of the object that is called.
    rows : tuple of str
        The type of the rows, and their name.
    reduced : Reduced or None
        What the operator reduces for each vertex, if it does.
    """

    node: Node
    work: str
    rows: tuple[str, str]
    reduced: Reduced | None = None

    def vertices(self, text: CudaText) -> str:
        """The expression for the frontier's vertices."""
        frontier = self.node.input
        items, length = text.items(frontier), text.length(frontier)
        if frontier.everything:
            return f"Everyone{{{length}}}"
        if frontier.kind == "vertices":
            return f"Listed{{{items}, {length}}}"
        kind, rows = self.rows
        return f"Destinations<{kind}>{{{rows}, {items}, {length}}}"


class Deal(NamedTuple):
    """A phase that deals out edges: its line, when it is due, and whether rows may be finished in it."""

    line: str
    when: str = "true"
    finishes: bool = True


class Schedule(ABC):
    """How a GPU deals out edges. Schedules are compared by value, because they are part of a program's key.

    Attributes
    ----------
    scans : bool
        Whether it scans the degrees of the frontier, so that each edge has a number among all of them. On a CPU threads
        then get equal shares of the edges, and otherwise they claim vertices.
    """

    scans: ClassVar[bool] = False

    def defers(self, graph: Any, inward: bool) -> bool:
        """Whether vertices of one direction of `graph` are put off as hubs."""
        return False

    def is_one_phase(self, graph: Any, inward: bool) -> bool:
        """Whether all edges are dealt out in one phase."""
        return not self.defers(graph, inward)

    def buffers(self, frontier: Handle, graph: Any, inward: bool, reduced: Reduced | None) -> Buffers:
        """Arrays that the phases need; `reduced` is what the operator reduces for each vertex, if it does."""
        return {}

    @abstractmethod
    def deals(self, text: CudaText, walk: Walk, inward: bool) -> list[Deal]:
        """The phases, of which the first is always due."""

    def resets(self, graph: Any, inward: bool) -> list[str]:
        """Control words that are cleared when the operator is done."""
        return ["HUBS", "CURSOR"] if self.defers(graph, inward) else []
