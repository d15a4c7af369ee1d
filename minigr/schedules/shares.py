"""Schedule "merge": equal shares of all edges, by the merge path of rows and their edges; ``shares.cuh``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from minigr.schedules import starts
from minigr.schedules.schedule import Buffers, Deal, Reduced, Schedule, Walk

if TYPE_CHECKING:
    from minigr.program.cuda_text import CudaText
    from minigr.program.frontier import Handle

_MOST_SHARES = 1 << 16  # if an operator reduces; this is several shares for each warp of the largest GPUs


@dataclass(frozen=True)
class Shares(Schedule):
    """Every warp gets an equal share of all edges."""

    scans: ClassVar[bool] = True

    def is_one_phase(self, graph: Any, inward: bool) -> bool:
        return False

    def resets(self, graph: Any, inward: bool) -> list[str]:
        return ["HUBS"]

    def buffers(self, frontier: Handle, graph: Any, inward: bool, reduced: Reduced | None) -> Buffers:
        found = starts.sum_buffers(frontier, graph)
        if reduced is None:
            return found
        found["heads"] = reduced.buffer(_MOST_SHARES)
        found["shared_rows"] = _MOST_SHARES, np.int64, None
        found["tails"] = reduced.buffer(_MOST_SHARES)
        if graph.layout == "slabs":  # a piece of a row may hold no edge
            found["has_piece"] = _MOST_SHARES, np.int32, None
        return found

    def deals(self, text: CudaText, walk: Walk, inward: bool) -> list[Deal]:
        text.use("schedules/frontier.cuh", "schedules/row_starts.cuh", "schedules/shares.cuh")
        node, (_, rows), vertices = walk.node, walk.rows, walk.vertices(text)
        begins = text.buffer(node, "starts") if starts.are_scanned(node.input, text.graph) else f"{rows}.offsets"
        pieces = "NoPieces{}"
        if walk.reduced is not None:
            heads, tails = (walk.reduced.array(text.buffer(node, name)) for name in ("heads", "tails"))
            any_of = text.buffer(node, "has_piece") if text.graph.layout == "slabs" else "nullptr"
            arrays = f"{heads}, {text.buffer(node, 'shared_rows')}, {tails}, {any_of}"
            pieces = f"Pieces<{walk.reduced.name}>{{{arrays}, {_MOST_SHARES}}}"
        deals = [Deal(line, finishes=False) for line in starts.cuda_scan(text, node, walk.rows, vertices)]
        deals.append(Deal(f"by_shares(grid, {rows}, {vertices}, {begins}, {pieces}, {walk.work});"))
        if walk.reduced is not None:
            deals.append(Deal(f"finish_pieces(grid, {vertices}, {begins}, {pieces}, {walk.work});"))
        return deals
