"""Schedule over all edges of slabs, in the order of the pool; ``edge_parallel.cuh``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from minigr.schedules.schedule import Deal, Schedule, Walk

if TYPE_CHECKING:
    from minigr.program.cuda_text import CudaText


@dataclass(frozen=True)
class EdgeParallel(Schedule):
    """A warp takes one slab after the other, for any vertices."""

    def deals(self, text: CudaText, walk: Walk, inward: bool) -> list[Deal]:
        text.use("schedules/edge_parallel.cuh")
        return [Deal(f"by_slabs(grid, {walk.rows[1]}, {walk.work});")]
