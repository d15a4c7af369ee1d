"""Operators whose threads claim work on a CPU by their own cursor, if they run together with the operator before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from minigr.program.control import Word
from minigr.program.operator import Operator
from minigr.program.work_cpu import cursor_words

if TYPE_CHECKING:
    from minigr.program.cpu_text import CpuText


@dataclass
class ClaimsApart(Operator):
    """An operator that leaves the cursor of the control block to the operator before it, if the two run together."""

    claims_apart: ClassVar[bool] = True

    def cpu_buffers(self, graph: Any) -> dict[str, tuple[Any, Any, Any]]:
        if not self.overlaps:
            return {}
        return {"cursor": (lambda workers: Word.CURSOR + 1 + cursor_words(workers), np.int64, 0)}

    def cpu_body(self, text: CpuText, lines: Callable[[str], list[str]]) -> None:
        """Add a phase. `lines` maps the expression for the array with the cursor to the lines of the phase."""
        if not self.overlaps:
            text.body(lines("control"))
            return
        cursor = text.buffer(self, "cursor")
        text.body(lines(cursor))
        text.completion([f"rewind({cursor}, size)"])
