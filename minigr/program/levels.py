"""Levels: the frontiers of a run, kept in their order, for another loop to visit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from minigr.device import CPU
from minigr.errors import ProblemError


@dataclass(frozen=True)
class Levels:
    """The first frontier of a run and the outputs of its steps, one after the other.

    After a run, an enactor that was declared with ``keeps_levels=True`` has this object in `levels`.
    `Frontier.of_levels` makes the levels the frontiers of another loop.

    Attributes
    ----------
    vertices : int32 array
        The vertices of the first frontier, then the vertices of each step.
    starts : int32 array
        The position in `vertices` at which each level begins, and the end of the last level.
    graph : Graph or DynamicGraph
        The graph of the run.
    version : int
        The version of the graph at the time of the run.
    """

    vertices: Any
    starts: Any
    graph: Any
    version: int

    def __len__(self) -> int:
        """How many levels there are."""
        return len(self.starts) - 1

    def level(self, number: int) -> Any:
        """Return the vertices of level `number`; a negative `number` counts from the last level."""
        if not -len(self) <= number < len(self):
            raise IndexError(f"there is no level {number}: there are {len(self)} levels, numbered from 0")
        begin, end = CPU.asarray(self.starts[number % len(self) :][:2])
        return self.vertices[int(begin) : int(end)]

    def check_graph(self, graph: Any) -> None:
        """Raise `ProblemError` if the levels are of another graph, or if the graph has changed since the run."""
        if self.graph is not graph:
            raise ProblemError("the levels were kept on another graph: keep levels on the graph on which they are used")
        if self.version != graph.version:
            raise ProblemError("the graph was changed since its levels were kept: keep the levels again")
