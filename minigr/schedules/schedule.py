"""A schedule as a program sees it: how a GPU deals out the edges of a frontier, whatever is done with an edge.

An operator names the object that is called with each edge or row (``tiles.cuh``), and the schedule gives the phases
that call it. On a CPU schedules differ in one thing: whether threads claim vertices, or get equal shares of the edges.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from minigr.program.cuda_text import CudaText
    from minigr.program.frontier import Handle
    from minigr.program.node import Node

#: name to (shape, dtype, initial value or None), as in `minigr.program.node.Node`
Buffers = dict[str, tuple[Any, Any, Any]]


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
    reduced : dtype or None
        The dtype of the values that the operator reduces for each vertex, if it does.
    """

    node: Node
    work: str
    rows: tuple[str, str]
    reduced: Any = None

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
    """How a GPU deals out edges. Schedules are compared by value, because they are part of a program's key."""

    def defers(self, graph: Any, inward: bool) -> bool:
        """Whether vertices of one direction of `graph` are put off as hubs."""
        return False

    def is_one_phase(self, graph: Any, inward: bool) -> bool:
        """Whether all edges are dealt out in one phase."""
        return not self.defers(graph, inward)

    def buffers(self, frontier: Handle, graph: Any, inward: bool, reduced: Any) -> Buffers:
        """Arrays that the phases need; `reduced` is the dtype of what the operator reduces, or None."""
        return {}

    @abstractmethod
    def deals(self, text: CudaText, walk: Walk, inward: bool) -> list[Deal]:
        """The phases, of which the first is always due."""

    def resets(self, graph: Any, inward: bool) -> list[str]:
        """Control words that are cleared when the operator is done."""
        return ["HUBS", "CURSOR"] if self.defers(graph, inward) else []
