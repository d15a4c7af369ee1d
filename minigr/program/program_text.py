"""The parts of a program's text that both targets have, with the syntax of each target left to subclasses."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

from minigr.jit.elements_read import elements_read
from minigr.jit.facts import writes
from minigr.jit.functor import GRAPH, Bound
from minigr.primitives.functor_text import FunctorText
from minigr.primitives.reduce_ops import identity
from minigr.program.control import length_word
from minigr.program.frontier import Handle
from minigr.program.supplied import arguments_of

if TYPE_CHECKING:
    from minigr.program.node import Node
    from minigr.program.plan import Plan
    from minigr.program.step_frontier import StepFrontier


class ProgramText(FunctorText):
    """Collects the texts that the operators of a plan write.

    Parameters
    ----------
    plan : Plan
    """

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan.debug)
        self.plan = plan
        self._definitions: list[str] = []

    # --- methods for operators ---------------------------------------------------------------------------------------

    @property
    def graph(self) -> Any:
        """The graph that the program is for."""
        return self.plan.problem.graph

    def define(self, text: str) -> None:
        """Add a definition before the step, unless it is already there."""
        if text not in self._definitions:
            self._definitions.append(text)

    def items(self, handle: Handle) -> str:
        """The expression for a frontier's list."""
        if handle.everything:
            return self._no_items(handle.kind)
        if handle.fixed is not None:
            return f"fixed_{handle.fixed}"
        return self._own(handle).name("step_input") if handle.slot < 0 else self._slot_buffer(handle.slot)

    def length(self, handle: Handle) -> str:
        """The expression for a frontier's length."""
        if handle.everything:
            return "vertices" if handle.kind == "vertices" else "edge_ids"
        if handle.fixed is not None:
            return self._fixed_length(handle.fixed)
        return self._word(self.plan.input_word(self._own(handle)) if handle.slot < 0 else length_word(handle.slot))

    def length_word(self, slot: int) -> int:
        """Position of the length of an output in the control block."""
        return length_word(slot)

    def first_own_word(self, node: Node) -> int:
        """Position of the first of a node's own counters."""
        return self.plan.first_own_word(node)

    def buffer(self, node: Node, name: str) -> str:
        """The expression for a buffer that a node asked for."""
        return f"{name}_{node.index}"

    def reduction(self, name: str, dtype: Any) -> tuple[str, str]:
        """The expressions for a named reduction and for its start value."""
        return self.combination(name), self.constant(identity(name, dtype))

    @abstractmethod
    def constant(self, value: Any) -> str:
        """The text of a NumPy scalar."""

    def writes(self, bound: Bound) -> bool:
        """Whether a function may change anything."""
        return writes(bound, arguments_of(bound, self.plan.problem))

    def fields_read(self, node: Node, function: str, index: str) -> list[str]:
        """The vertex fields of which a function of a node reads the element at its parameter `index`."""
        bound, fields = node.functions.get(function), self.plan.problem._fields
        if bound is None:
            return []
        read = elements_read(bound.function, index)
        return [n for kind, n in bound.arguments if kind == "field" and n in read and fields[n].kind == "vertex"]

    @abstractmethod
    def steer(self, name: str, *arguments: Any) -> str:
        """The statement that calls a function of `minigr.program.loop` with the control block and these arguments."""

    # --- the program -------------------------------------------------------------------------------------------------

    def _own(self, handle: Handle) -> StepFrontier:
        """The frontier for which this symbol stands as an input of the step."""
        return self.plan.frontiers[-1 - handle.slot]

    def _slot_buffer(self, slot: int) -> str:
        final = (frontier.name("step_output") for frontier in self.plan.frontiers if frontier.slot == slot)
        return next(final, f"slot_{slot}")

    def _argument(self, label: str, bound: Bound, kind: str, name: str) -> str:
        return self._part_of_graph(label, bound, name) if kind == GRAPH else super()._argument(label, bound, kind, name)

    def _next_step(self) -> list[str]:
        """The statements by which one thread ends a step: set the next step's input, and decide whether to stop."""
        plan = self.plan
        lines = [self.steer("keep_level", "starts")] if plan.keeps_levels else []
        if plan.levels is not None:
            lines.append(self.steer("next_level", "starts", "levels", plan.reverse))
        sums, length = plan.end_of_step()
        lines += [*map(self._statement, sums), self.steer("end_step", length, "vertices")]
        return lines + self._no_lengths()

    def _no_lengths(self) -> list[str]:
        """The statements that empty all outputs."""
        return [
            self._statement(f"control[{length_word(n.index)}] = 0") for n in self.plan.nodes if n.output is not None
        ]

    @abstractmethod
    def _word(self, position: int) -> str:
        """The expression for a word of the control block."""

    @abstractmethod
    def _no_items(self, kind: str) -> str:
        """The expression for the list of a frontier without a list."""

    @abstractmethod
    def _fixed_length(self, number: int) -> str:
        """The expression for the length of a list that the step names."""

    @abstractmethod
    def _part_of_graph(self, label: str, bound: Bound, name: str) -> str:
        """The expression for a part of the graph that a function asks for."""
