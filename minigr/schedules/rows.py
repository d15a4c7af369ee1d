"""Schedule "block": a warp takes consecutive vertices, and its lanes share the edges; ``rows.cuh``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from minigr.schedules.hubs import Deferring
from minigr.schedules.schedule import Deal, Walk

if TYPE_CHECKING:
    from minigr.program.cuda_text import CudaText


@dataclass(frozen=True)
class Rows(Deferring):
    """A warp takes consecutive vertices, and each lane gets a row."""

    def deals(self, text: CudaText, walk: Walk, inward: bool) -> list[Deal]:
        text.use("schedules/frontier.cuh", "schedules/hubs.cuh", "schedules/rows.cuh")
        arguments = f"{walk.rows[1]}, {walk.vertices(text)}, {self.hubs(text, walk, inward)}, {walk.work}"
        return self.with_hubs(text, walk, inward, f"by_rows(grid, {arguments});")
