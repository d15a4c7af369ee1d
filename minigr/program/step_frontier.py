"""A frontier that a step takes and returns: its symbols, and the names that it has in a program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from minigr.program.frontier import Frontier, Handle


@dataclass
class StepFrontier:
    """One of the frontiers of a step. Most steps have only one.

    Attributes
    ----------
    number : int
        Position of this frontier among all frontiers of the step.
    input : Handle
        The frontier that the step takes: a list of vertices, edges or pairs, or everything.
    repeats : bool
        Whether the input may hold an id twice because the output may.
    output : Handle or None
        The frontier that the step returned for this one.
    slot : int or None
        The slot that becomes the next step's input; None if the frontier stays the same.
    """

    number: int
    input: Handle
    repeats: bool = False
    output: Handle | None = None
    slot: int | None = None

    def end_with(self, output: Handle) -> None:
        """Store the frontier that the step returned."""
        self.output = output
        if output.slot >= 0:
            self.slot = output.slot

    @property
    def repeats_ids(self) -> bool:
        """Whether the output may hold an id twice. For pairs this does not matter, because pairs are only dropped."""
        return self.output is not None and not self.output.distinct and self.output.kind != "pairs"

    @property
    def asks(self) -> bool:
        """Whether the recorded input does not fit the output: it is everything, has distinct ids, or has less room."""
        repeats = self.repeats_ids and not self.repeats
        return self.slot is not None and (self.input.everything or repeats or self.outgrows)

    @property
    def room(self) -> int:
        """The maximum number of items after a step."""
        return self.input.capacity if self.output is None else self.output.capacity

    @property
    def outgrows(self) -> bool:
        """Whether a step may return more items than the input has room for, from a list that the step names."""
        return self.room > self.input.capacity

    @property
    def output_kind(self) -> str:
        """The kind of the frontier after a step."""
        return self.input.kind if self.output is None else self.output.kind

    def takes(self, frontier: Frontier, capacity: int, graph: Any) -> bool:
        """Whether `frontier` can be its input, which has room for `capacity` items, without another recording."""
        if frontier.kind != self.input.kind or frontier.levels is not None:
            return False
        if self.input.everything:
            return frontier.everything
        if frontier.everything:  # it becomes a list if the next step's frontier is one
            total = graph.num_vertices if frontier.kind == "vertices" else graph.num_arcs
            return self.slot is not None and total <= capacity
        return len(frontier) <= capacity and (not self.input.distinct or frontier.distinct)

    @property
    def distinct(self) -> bool:
        """Whether neither its input nor its output holds an item twice."""
        return self.input.distinct and (self.output is None or self.output.distinct)

    def name(self, what: str) -> str:
        """The name of `what` for this frontier in a program; for a step's only frontier, the name is `what` itself.

        The names are ``first`` and ``second``, the two buffers, and ``step_input`` and ``step_output``, which are the
        same buffers and in most programs change places after each step.
        """
        return what if self.number == 0 else f"{what}_{self.number}"
