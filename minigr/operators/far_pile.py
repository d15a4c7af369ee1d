"""near_far with a near part and a far pile: a priority queue of two levels.

Davidson, Baxter, Garland, Owens, Work-Efficient Parallel GPU Methods for Single-Source Shortest Paths (IPDPS 2014),
section 5.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from minigr.graphs.backend import scope
from minigr.program.control import Word
from minigr.program.frontier import Frontier
from minigr.program.operator import Operator

if TYPE_CHECKING:
    from minigr.program.cpu_text import CpuText
    from minigr.program.cuda_text import CudaText


@dataclass
class NearFar(Operator):
    """The recorded form of a near-far split; the options are those of `minigr.operators.near_far`."""

    width: float = 1.0
    bins: int = 2  # the near bin, and bins of waiting vertices
    waiting: Frontier | None = None  # vertices in the far pile at the start
    falling: bool = False  # priorities of waiting vertices may fall unseen
    fused: bool = False  # the advance before this split puts its vertices straight into the split
    levels: tuple[float, ...] = ()  # threshold, width, threshold before, least waiting priority (see program.loop)

    waits: ClassVar[str] = "far_stamps"  # the buffer that says for each vertex whether it waits; 1 at the start

    def options(self) -> tuple[Any, ...]:
        return (self.fused, self.falling)

    def cpu_buffers(self, graph: Any) -> dict[str, tuple[Any, Any, Any]]:
        of_rounds = 0.0, 0.0, self.width  # see `weigh_rounds`
        return {"levels": (len(self.levels) + len(of_rounds), np.float64, (*self.levels, *of_rounds))}

    def first_items(self, graph: Any) -> dict[str, tuple[Any, int | None]]:
        if self.waiting is None:
            return {}
        vertices = self.waiting.vertices_on(graph)
        found: dict[str, tuple[Any, int | None]] = {"piles": (vertices, Word.FAR_LENGTH)}
        if self.first_words(graph):
            return found
        with scope(graph._device):
            waits = graph._device.xp.zeros(graph.num_vertices, np.int32)
            waits[vertices] = 1
        return found | {self.waits: (waits, None)}

    def first_words(self, graph: Any) -> dict[int, int]:
        if self.waiting is None or not self.waiting.everything or graph.num_live_vertices < graph.num_vertices:
            return {}
        return {Word.DRAWS: 0}  # stamps begin with 0, so all vertices count as waiting

    def control_words(self, first_own: int) -> dict[int, int]:
        bits = np.array(self.levels).view(np.int64)
        return {Word.LEVELS + i: int(value) for i, value in enumerate(bits)}

    def cpu(self, text: CpuText) -> None:
        k = self.index
        text.use("near_far_cpu")
        word = text.length_word(k)
        priority = text.adapter(self, "priority", "")
        text.define(f"park_{k}, draw_{k} = near_far_cpu.make_near_far({priority}, slot={k}, length_word={word})")
        out = text.output(self)
        piles, stamps, levels = (text.buffer(self, name) for name in ("piles", "far_stamps", "levels"))
        if not self.fused:
            items, length = text.items(self.input), text.length(self.input)
            park = (
                f"park_{k}(rank, size, control, fields, {items}, {length}, {out}, stages, {piles}, {stamps}, {levels})"
            )
            text.body([park])
        begin = text.steer("begin_draw", levels, word, self.falling)
        text.completion([begin])
        draw = f"draw_{k}(rank, size, control, fields, {out}, stages, {piles}, {stamps}, {levels})"
        text.repeat("DRAWING", [draw], [text.steer("turn_piles"), begin])

    def cuda(self, text: CudaText) -> None:
        word, piles = text.length_word(self.index), text.buffer(self, "piles")
        if not self.fused:
            _, split = self.cuda_split(text, "false", "grid.word(WORD_FAR_TOGGLE)", "grid.word(WORD_DRAWS)", NO_LOW)
            text.body([f"deal(grid, {split}, {text.items(self.input)}, {text.length(self.input)});"])
        begin = text.steer("begin_draw", "(double *)(control + WORD_LEVELS)", word, self.falling)
        text.completion([begin])
        toggle = "grid.word(WORD_FAR_TOGGLE)"
        before = "grid.real(WORD_LEVELS + 2)"
        _, split = self.cuda_split(text, "false", f"(1 - {toggle})", "grid.word(WORD_DRAWS) + 1", before)
        far_length = f"grid.word(WORD_FAR_LENGTH + {toggle} * FAR_STEP)"
        draw = f"deal(grid, {split}, {piles} + {toggle} * vertices, {far_length});"
        text.repeat("DRAWING", [draw], [text.steer("turn_piles"), begin])

    def cuda_split(
        self, text: CudaText, unique: str, pile: str, stamp: str, low: str, stamps: str = "nullptr"
    ) -> tuple[str, str]:
        """The type and the expression of a sink that splits into the near output and far pile number `pile`."""
        text.use("operators/near_far.cuh")
        functor = text.functor(self, {"priority": ("priority", "")})
        near_type, near = text.sink(self)
        piles, far_stamps = text.buffer(self, "piles"), text.buffer(self, "far_stamps")
        far_length = f"WORD_FAR_LENGTH + {pile} * FAR_STEP"
        far_type, far = text.sink_beside(self, f"{piles} + {pile} * vertices", "vertices", far_length)
        kind = f"Split<{functor}, {near_type}, {far_type}, {unique}>"
        make = (
            f"{kind}{{{functor}{{fields}}, {near}, {far}, {stamps}, {far_stamps}, (i32)({stamp}), iteration, "
            f"{low}, 0.0, 0.0}}"
        )
        return kind, make

    def cuda_sink(self, text: CudaText, stamps: str) -> tuple[str, str]:
        """The type and the expression of the sink for an advance that puts its vertices straight into the split."""
        return self.cuda_split(text, "true", "grid.word(WORD_FAR_TOGGLE)", "grid.word(WORD_DRAWS)", NO_LOW, stamps)


NO_LOW = "-__longlong_as_double(0x7ff0000000000000ll)"
