"""Levels: the frontiers of a run, kept in their order, for another loop to go through."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from minigr.device import CPU
from minigr.errors import ProblemError


@dataclass(frozen=True)
class Levels:
    """The first frontier of a run and those that its steps put out, one after the other.

    An enactor that was declared with ``keeps_levels=True`` has it in `levels` after a run, and `Frontier.of_levels`
    makes them the frontiers of another loop.

    Attributes
    ----------
    vertices : int32 array
        Those of the first frontier, then those of each step.
    starts : int32 array
        Where each level begins in `vertices`, with one more for the end of the last.
    graph : Graph or DynamicGraph
        What they were kept on.
    version : int
        Of the graph then.
    """

    vertices: Any
    starts: Any
    graph: Any
    version: int

    def __len__(self) -> int:
        """How many levels there are."""
        return len(self.starts) - 1

    def level(self, number: int) -> Any:
        """The vertices of one level; counted from the last where `number` is negative."""
        if not -len(self) <= number < len(self):
            raise IndexError(f"level {number}: there are {len(self)}, numbered from 0")
        begin, end = CPU.asarray(self.starts[number % len(self) :][:2])
        return self.vertices[int(begin) : int(end)]

    def check_graph(self, graph: Any) -> None:
        """Raise `ProblemError` if they were kept on another graph, or on this one before it was changed."""
        if self.graph is not graph:
            raise ProblemError("the levels were kept on another graph: keep them on the one they are to be used with")
        if self.version != graph.version:
            raise ProblemError("the graph was changed since its levels were kept: keep them again")
