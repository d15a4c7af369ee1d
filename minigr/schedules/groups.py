"""Schedules "thread", "tile" and "warp": a group of lanes takes a vertex; ``groups.cuh``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from minigr.schedules.hubs import Deferring
from minigr.schedules.schedule import Deal, Walk

if TYPE_CHECKING:
    from minigr.program.cuda_text import CudaText


@dataclass(frozen=True)
class Groups(Deferring):
    """A group of `lanes` lanes takes a vertex; the number is a power of two, at most 32."""

    lanes: int

    def deals(self, text: CudaText, walk: Walk, inward: bool) -> list[Deal]:
        text.use("schedules/frontier.cuh", "schedules/hubs.cuh", "schedules/groups.cuh")
        arguments = f"{walk.rows[1]}, {walk.vertices(text)}, {self.hubs(text, walk, inward)}, {walk.work}"
        return self.with_hubs(text, walk, inward, f"by_groups<{self.lanes}>(grid, {arguments});")
