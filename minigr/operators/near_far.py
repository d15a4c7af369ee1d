"""near_far: a two-level priority queue. What is due now goes on; the rest waits in a far pile.

Davidson, Baxter, Garland, Owens, Work-Efficient Parallel GPU Methods for Single-Source Shortest Paths (IPDPS 2014),
section 5.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from minigr.errors import ProblemError
from minigr.jit.functor import Functor
from minigr.program.control import Word
from minigr.program.frontier import Frontier, Handle
from minigr.program.node import bind_functions, check_input
from minigr.program.operator import Operator

if TYPE_CHECKING:
    from minigr.program.cpu_text import CpuText
    from minigr.program.cuda_text import CudaText
    from minigr.program.problem import Problem


@dataclass
class NearFar(Operator):
    """The recorded form; the options are those of `minigr.operators.near_far`."""

    width: float = 1.0
    waiting: Frontier | None = None  # what stands in the far pile at the start
    falling: bool = False  # priorities of what waits may fall unseen
    fused: bool = False  # the advance before it puts its vertices straight into the split (GPU only)
    levels: tuple[float, ...] = ()  # threshold, width, the threshold before, the least priority parked (enactor.loop)

    def options(self) -> tuple[Any, ...]:
        return (self.fused, self.falling)

    def cpu_buffers(self, graph: Any) -> dict[str, tuple[Any, Any, Any]]:
        return {"levels": (4, np.float64, self.levels)}

    def first_items(self, graph: Any) -> dict[str, tuple[Any, int]]:
        return {} if self.waiting is None else {"piles": (self.waiting.vertices_on(graph), Word.FAR_LENGTH)}

    def control_words(self) -> dict[int, int]:
        bits = np.array(self.levels).view(np.int64)
        return {Word.LEVELS + i: int(value) for i, value in enumerate(bits)}

    def cpu(self, text: CpuText) -> None:
        k = self.index
        text.use("near_far_cpu")
        word = text.length_word(k)
        priority = text.adapter(self, "priority", "")
        text.define(f"park_{k}, draw_{k} = near_far_cpu.make_near_far({priority}, slot={k}, length_word={word})")
        out, items, length = text.output(self), text.items(self.input), text.length(self.input)
        piles, stamps, levels = (text.buffer(self, name) for name in ("piles", "far_stamps", "levels"))
        text.body(
            [f"park_{k}(rank, size, control, fields, {items}, {length}, {out}, stages, {piles}, {stamps}, {levels})"]
        )
        begin = f"begin_draw(control, {levels}, {word}, {self.falling})"
        text.completion([begin])
        draw = f"draw_{k}(rank, size, control, fields, {out}, stages, {piles}, {stamps}, {levels})"
        text.repeat("DRAWING", [draw], ["turn_piles(control)", begin])

    def cuda(self, text: CudaText) -> None:
        word, piles = text.length_word(self.index), text.buffer(self, "piles")
        if not self.fused:
            _, split = self.cuda_split(text, "false", "grid.word(WORD_FAR_TOGGLE)", "grid.word(WORD_DRAWS)", _NO_LOW)
            text.body([f"deal(grid, {split}, {text.items(self.input)}, {text.length(self.input)});"])
        begin = f"minigr_begin_draw(control, (double *)(control + WORD_LEVELS), {word}, {int(self.falling)});"
        text.completion([begin])
        toggle = "grid.word(WORD_FAR_TOGGLE)"
        before = "grid.real(WORD_LEVELS + 2)"
        _, split = self.cuda_split(text, "false", f"(1 - {toggle})", "grid.word(WORD_DRAWS) + 1", before)
        far_length = f"grid.word(WORD_FAR_LENGTH + {toggle} * FAR_STEP)"
        draw = f"deal(grid, {split}, {piles} + {toggle} * vertices, {far_length});"
        text.repeat("DRAWING", [draw], ["minigr_turn_piles(control);", begin])

    def cuda_split(
        self, text: CudaText, unique: str, pile: str, stamp: str, low: str, stamps: str = "nullptr"
    ) -> tuple[str, str]:
        """The type of a sink that splits into the near output and far pile number `pile`, and what makes one."""
        text.use("operators/near_far.cuh")
        functor = text.functor(self, {"priority": ("priority", "")})
        near_type, near = text.sink(self)
        piles, far_stamps = text.buffer(self, "piles"), text.buffer(self, "far_stamps")
        far_length = f"WORD_FAR_LENGTH + {pile} * FAR_STEP"
        far_type, far = text.sink_into(self, "far", f"{piles} + {pile} * vertices", "vertices", far_length)
        kind = f"Split<{functor}, {near_type}, {far_type}, {unique}>"
        make = (
            f"{kind}{{{functor}{{fields}}, {near}, {far}, {stamps}, {far_stamps}, (i32)({stamp}), iteration, "
            f"{low}, 0.0, 0.0}}"
        )
        return kind, make

    def cuda_sink(self, text: CudaText, stamps: str) -> tuple[str, str]:
        """The same for an advance that puts its vertices straight into the split."""
        return self.cuda_split(text, "true", "grid.word(WORD_FAR_TOGGLE)", "grid.word(WORD_DRAWS)", _NO_LOW, stamps)


_NO_LOW = "-__longlong_as_double(0x7ff0000000000000ll)"


def record(
    index: int,
    problem: Problem,
    frontier: Handle,
    functor: type[Functor] | None,
    *,
    width: float,
    waiting: Frontier | None = None,
    falling: bool = False,
) -> NearFar:
    """Record a near-far split; the options are those of `minigr.operators.near_far`."""
    check_input(frontier, "near_far", ("vertices",))
    if frontier.everything or not frontier.distinct:
        raise ProblemError("near_far needs a list of distinct vertices: remove duplicates first")
    if not (math.isfinite(width) and width > 0):
        raise ProblemError(f"near_far: width={width!r} must be a finite number above 0")
    if waiting is not None and not (isinstance(waiting, Frontier) and waiting.kind == "vertices" and waiting.distinct):
        raise ProblemError(f"near_far: waiting={waiting!r} must be a minigr.Frontier of distinct vertices")
    functions = bind_functions(functor, problem, ("priority",), ("priority",), "near_far")
    vertices = problem.graph.num_vertices
    output = Handle("vertices", index, capacity=vertices)
    node = NearFar(index, frontier, output, functions, width=float(width), waiting=waiting, falling=bool(falling))
    node.capacity, node.sole = vertices, "near_far"
    node.buffers["piles"] = ((2, vertices), np.int32, None)
    node.buffers["far_stamps"] = (vertices, np.int32, 0)
    # What waits from the start is drawn from with the same first threshold: 0 stands for the least of its priorities.
    node.levels = (node.width, node.width, -math.inf, math.inf)
    if waiting is not None:
        node.levels = (-math.inf, node.width, -math.inf, 0.0)
    return node
