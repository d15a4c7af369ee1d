"""The programs that a GPU needs for what runs on the CPU."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from minigr.prepare.program import Program, of_plan, of_primitive


class Recorded:
    """The programs of plans and primitives that it was told of, each once.

    Attributes
    ----------
    programs : dict
        By what tells them from each other on graphs of one kind.
    """

    def __init__(self) -> None:
        self.programs: dict[Any, Program] = {}

    def note(self, what: str, of: Any) -> None:
        """Take note of what `minigr.jit.told` tells."""
        if what == "plan":
            plan = replace(of, nodes=[node.copied() for node in of.nodes])  # which are changed when made for a GPU
            self.programs.setdefault(plan.key(), partial(of_plan, plan))
        elif what == "primitive":
            self.programs.setdefault(of.key(), partial(of_primitive, of))
