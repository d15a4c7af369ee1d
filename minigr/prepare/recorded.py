"""The programs that a GPU needs for the same work as a run on the CPU."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from minigr.prepare.program import Program, of_plan, of_primitive


class Recorded:
    """The programs of the plans and primitives in the noted events, each once.

    Attributes
    ----------
    programs : dict
        By the keys that distinguish programs on graphs of one kind.
    """

    def __init__(self) -> None:
        self.programs: dict[Any, Program] = {}

    def note(self, what: str, of: Any) -> None:
        """Note an event of `minigr.jit.told`."""
        if what == "plan":
            plan = replace(of, nodes=[node.copied() for node in of.nodes])  # they are changed when made for a GPU
            self.programs.setdefault(plan.key(), partial(of_plan, plan))
        elif what == "primitive":
            self.programs.setdefault(of.key(), partial(of_primitive, of))
