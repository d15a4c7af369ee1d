"""A run in a rehearsal: it has the buffers that a run has, and runs nothing."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.program.control import Stop, Word, words
from minigr.program.plan import Plan
from minigr.program.step_frontier import StepFrontier


class RehearsedRun:
    """One run of a plan over outlines: its buffers, and a control block as after its last step.

    The loop is taken to have reached all vertices, and to put out half of the items that it can.
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
        """Have what a run has of the graph and the host before its first launch."""
        plan = self.plan
        if plan.reads_in_edges:
            plan.in_rows()
        self.control = np.zeros(words(plan.counters), np.int64).data

    def retire(self) -> None:
        """Do nothing."""

    def order(self) -> tuple[Any, Any]:
        """The vertices of all levels, and where each of them begins."""
        return self.buffers["first"], self.buffers["starts"]

    def put_items(self, buffer: str, items: Any) -> None:
        """Do nothing."""

    def output(self, frontier: StepFrontier) -> Any:
        """A list half as long as there is room for."""
        buffer = self.buffers[frontier.name("first" if self.plan.in_order else "second")]
        return buffer[: -(-len(buffer) // 2)].copy()

    def launch(self) -> None:
        """Stop at once, as if all vertices had been reached."""
        control = self.control
        control[Word.STOP], control[Word.ITERATION] = Stop.EMPTY, 0
        control[Word.INPUT_BEGIN], control[Word.INPUT_LENGTH] = self.plan.problem.graph.num_vertices, 0
