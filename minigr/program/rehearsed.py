"""A run in a rehearsal: it has the buffers of a run, and runs nothing."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.program.control import Stop, Word, words
from minigr.program.plan import Plan
from minigr.program.step_frontier import StepFrontier


class RehearsedRun:
    """One run of a plan over outlines: its buffers, and a control block in the state after its last step.

    The loop counts as having reached all vertices, and its output has half of the items that fit.
    """

    def __init__(self, plan: Plan, driver: str) -> None:
        self.plan = plan
        if plan.problem.device.is_cuda:
            from minigr.program.cuda import outlined
        else:
            from minigr.program.cpu import outlined
        self.buffers = {**plan.given(), **outlined(plan)}
        self.renew()

    def renew(self) -> None:
        """Make the parts of the graph, and the control block, that a run needs before its first launch."""
        plan = self.plan
        if plan.reads_in_edges:
            plan.in_rows()
        self.control = np.zeros(words(plan.counters), np.int64).data

    def retire(self) -> None:
        """Do nothing."""

    def order(self) -> tuple[Any, Any]:
        """The vertices of all levels, and the beginnings of the levels."""
        return self.buffers["first"], self.buffers["starts"]

    def put_items(self, buffer: str, items: Any) -> None:
        """Do nothing."""

    def output(self, frontier: StepFrontier) -> Any:
        """A list of half as many items as fit."""
        buffer = self.buffers[frontier.name("first" if self.plan.in_order else "second")]
        return buffer[: -(-len(buffer) // 2)].copy()

    def launch(self) -> None:
        """Stop at once, as if all vertices had been reached."""
        control = self.control
        control[Word.STOP], control[Word.ITERATION] = Stop.EMPTY, 0
        control[Word.INPUT_BEGIN], control[Word.INPUT_LENGTH] = self.plan.problem.graph.num_vertices, 0
