"""A schedule as a program uses it: how a GPU assigns the edges of a frontier to lanes, for any operation on an edge.

An operator names the object that is called with each edge or row (``tiles.cuh``), and the schedule provides the phases
that call this object. On a CPU, schedules differ only in whether threads claim vertices, or get equal shares of edges.
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
        Name of the type in CUDA C++.
    dtype : dtype
        The dtype of the words in a buffer for such values.
    words : int
        Number of words of a value.
    """

    name: str
    dtype: Any
    words: int = 1

    def buffer(self, count: int) -> tuple[Any, Any, Any]:
        """A buffer for `count` values."""
        return count * self.words, self.dtype, None

    def array(self, buffer: str) -> str:
        """The expression for a buffer as an array of values."""
        return buffer if self.words == 1 else f"({self.name} *){buffer}"


class Walk(NamedTuple):
    """The edges that a schedule reads in a GPU program, and the object that gets them.

    Attributes
    ----------
    node : Node
        The operator, whose input is the frontier.
    work : str
        The name of the object.
    rows : tuple of str
        The type and the name of the rows.
    reduced : Reduced or None
        The values that the operator reduces for each vertex; None if it does not reduce.
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
    """A phase that reads edges: its line, its condition, and whether results of rows may become final in it."""

    line: str
    when: str = "true"
    finishes: bool = True


class Schedule(ABC):
    """How a GPU assigns edges to lanes. Schedules are compared by value, because they are part of a program's key.

    Attributes
    ----------
    scans : bool
        Whether the schedule scans the degrees of the frontier, so that each edge has a number among all edges. On a
        CPU, threads then get equal shares of the edges; otherwise they claim vertices.
    """

    scans: ClassVar[bool] = False

    def defers(self, graph: Any, inward: bool) -> bool:
        """Whether vertices of one direction of `graph` are put off as hubs."""
        return False

    def is_one_phase(self, graph: Any, inward: bool) -> bool:
        """Whether all edges are read in one phase."""
        return not self.defers(graph, inward)

    def buffers(self, frontier: Handle, graph: Any, inward: bool, reduced: Reduced | None) -> Buffers:
        """Arrays that the phases need. `reduced`: the values that the operator reduces for each vertex, or None."""
        return {}

    @abstractmethod
    def deals(self, text: CudaText, walk: Walk, inward: bool) -> list[Deal]:
        """The phases. The first phase always runs."""

    def resets(self, graph: Any, inward: bool) -> list[str]:
        """Control words to clear when the operator is done."""
        return ["HUBS", "CURSOR"] if self.defers(graph, inward) else []
