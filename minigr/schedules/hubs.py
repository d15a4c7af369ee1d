"""Hubs: vertices with many edges, which a schedule puts off as slices; ``hubs.cuh``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minigr.program.node import SLICE
from minigr.schedules.schedule import Buffers, Deal, Reduced, Schedule, Walk

if TYPE_CHECKING:
    from minigr.program.cuda_text import CudaText
    from minigr.program.frontier import Handle

_SLICES = {"slice_vertices": np.int32, "slice_begins": np.int64, "slice_segs": np.int64}
_HUBS = {"hub_vertices": np.int32, "hub_segs": np.int64, "hub_slices": np.int64}


class Deferring(Schedule):
    """A schedule that puts off hubs."""

    def defers(self, graph: Any, inward: bool) -> bool:
        return graph.longest_row(inward=inward) > SLICE

    def buffers(self, frontier: Handle, graph: Any, inward: bool, reduced: Reduced | None) -> Buffers:
        if not self.defers(graph, inward):
            return {}
        # A hub of d positions has ceil(d / SLICE) slices, fewer than 2 * d / SLICE.
        count = 2 * graph.most_edge_ids // SLICE + 1
        found: Buffers = {name: (count, dtype, None) for name, dtype in _SLICES.items()}
        if reduced is not None:
            found["slice_values"] = reduced.buffer(count)
            found |= {name: (count, dtype, None) for name, dtype in _HUBS.items()}
        return found

    def hubs(self, text: CudaText, walk: Walk, inward: bool) -> str:
        """The expression for the object that collects hubs."""
        if not self.defers(text.graph, inward):
            return "NoHubs{}"
        node = walk.node
        arrays = ", ".join(text.buffer(node, name) for name in _SLICES)
        slices = f"Slices{{{arrays}, 2 * edge_ids / SLICE + 1, {text.late_slot(node)}}}"
        if walk.reduced is None:
            return slices
        values = walk.reduced.array(text.buffer(node, "slice_values"))
        more = ", ".join([values, *(text.buffer(node, name) for name in _HUBS)])
        return f"ReducedSlices<{walk.reduced.name}>{{{slices}, {more}}}"

    def with_hubs(self, text: CudaText, walk: Walk, inward: bool, line: str) -> list[Deal]:
        """A phase, and the phases for the hubs that it has put off."""
        if not self.defers(text.graph, inward):
            return [Deal(line)]
        slices, due = self.hubs(text, walk, inward), "control[WORD_HUBS] != 0"
        arguments = f"(grid, {walk.rows[1]}, {slices}, {walk.work});"
        deals = [Deal(line), Deal(f"by_slices{arguments}", due, finishes=walk.reduced is None)]
        return deals if walk.reduced is None else [*deals, Deal(f"finish_hubs{arguments}", due)]
