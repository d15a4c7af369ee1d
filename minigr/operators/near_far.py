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
from minigr.operators.frontier import Handle
from minigr.operators.node import Node, bind_functions, check_input

if TYPE_CHECKING:
    from minigr.enactor.cpu_text import CpuText
    from minigr.enactor.cuda_text import CudaText
    from minigr.enactor.problem import Problem


@dataclass
class NearFar(Node):
    """The recorded form; see `record` for the options."""

    width: float = 1.0

    def options(self) -> tuple[Any, ...]:
        return ()

    def cpu(self, text: CpuText) -> None:
        k = self.index
        text.use("near_far_cpu")
        word = text.length_word(k)
        priority = text.adapter(self, "priority", "")
        text.define(f"park_{k}, draw_{k} = near_far_cpu.make_near_far({priority}, slot={k}, length_word={word})")
        out, items, length = text.output(self), text.items(self.input), text.length(self.input)
        piles, stamps, levels = (text.buffer(self, name) for name in ("piles", "far_stamps", "levels"))
        text.body([f"park_{k}(rank, size, control, fields, {items}, {length}, {out}, stages, {piles}, {stamps}, {levels})"])
        begin = [f"begin_draw(control, {levels}, {word})"]
        text.completion(begin)
        text.body(
            [
                "while control[DRAWING] != 0:",
                f"    draw_{k}(rank, size, control, fields, {out}, stages, {piles}, {stamps}, {levels})",
                "    if arrive(sync, size):",
                "        control[CURSOR] = 0",
                "        turn_piles(control)",
                *("        " + line for line in begin),
                "        release(sync, size)",
            ]
        )

    def cuda(self, text: CudaText) -> None:
        k = self.index
        text.use("operators/near_far.cuh")
        functor = text.functor(self, {"priority": ("priority", "")})
        word = text.length_word(k)
        near_type, near = text.sink(self)
        levels, piles, stamps = (text.buffer(self, name) for name in ("levels", "piles", "far_stamps"))

        def split(into: str, stamp: str, items: str, length: str, drops: str) -> list[str]:
            pile, far_length = f"{piles} + {into} * vertices", f"WORD_FAR_LENGTH + {into} * FAR_STEP"
            far_type, far = text.sink_into(self, "far", pile, "vertices", far_length)
            split_type = f"NearFar<{functor}, {near_type}, {far_type}>"
            return [
                f"{split_type} split{{grid, {functor}{{fields}}, {near}, {far}, {stamps}, {levels}, iteration}};",
                f"split.deal({items}, {length}, (i32)({stamp}), {drops});",
            ]

        toggle, draws = "grid.word(WORD_FAR_TOGGLE)", "grid.word(WORD_DRAWS)"
        begin = f"minigr_begin_draw(control, {levels}, {word});"
        text.define("constexpr int FAR_STEP = WORD_FAR_LENGTH_NEXT - WORD_FAR_LENGTH;")
        park = split(toggle, draws, text.items(self.input), text.length(self.input), "false")
        text.body(["{", *("  " + line for line in park), "}"])
        text.completion([begin])
        far_items, far_length = f"{piles} + {toggle} * vertices", f"grid.word(WORD_FAR_LENGTH + {toggle} * FAR_STEP)"
        draw = split(f"(1 - {toggle})", f"{draws} + 1", far_items, far_length, "true")
        text.body(
            [
                "while (grid.word(WORD_DRAWING)) {",
                *("  " + line for line in draw),
                "  " + text.last_block([], ["minigr_turn_piles(control);", begin]),
                "}",
            ]
        )


def record(
    index: int,
    problem: Problem,
    frontier: Handle,
    functor: type[Functor] | None,
    *,
    width: float,
) -> NearFar:
    """Record a near-far split.

    Vertices whose priority is below a threshold go on; others wait. When none goes on, the threshold rises past the
    least priority waiting and the far pile is split again. A vertex waits at most once, with the priority it has when
    it is looked at; one whose priority fell below an earlier threshold since is dropped, because it went on then. So
    priorities may only fall, and whoever lowers one must put the vertex into `frontier`. Priorities that are infinite
    or NaN are dropped.

    Parameters
    ----------
    frontier : Handle
        Vertices, distinct.
    functor : Functor
        ``priority`` of a vertex, least first.
    width : float
        How far the threshold rises each time; more than 0.
    """
    check_input(frontier, "near_far", ("vertices",))
    if frontier.everything or not frontier.distinct:
        raise ProblemError("near_far needs a list of distinct vertices: remove duplicates first")
    if not (math.isfinite(width) and width > 0):
        raise ProblemError(f"near_far: width={width!r} must be a finite number above 0")
    functions = bind_functions(functor, problem, ("priority",), ("priority",), "near_far")
    vertices = problem.graph.num_vertices
    node = NearFar(index, frontier, Handle("vertices", index), functions, width=float(width))
    node.buffers["piles"] = ((2, vertices), np.int32, None)
    node.buffers["far_stamps"] = (vertices, np.int32, 0)
    # threshold, width, the threshold before, the least priority parked (see enactor.loop)
    node.buffers["levels"] = (4, np.float64, (node.width, node.width, -math.inf, math.inf))
    return node
