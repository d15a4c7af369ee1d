"""near_far with more than two bins: waiting vertices are kept by bands of priority.

The bins for the next bands, and an overflow for vertices beyond them, follow Dhulipala, Blelloch, Shun, Julienne: A
Framework for Parallel Graph Algorithms using Work-efficient Bucketing (SPAA 2017), section 3.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from minigr.operators.far_pile import NO_LOW, NearFar
from minigr.program.control import WORDS_PER_COUNTER

if TYPE_CHECKING:
    from minigr.program.cpu_text import CpuText
    from minigr.program.cuda_text import CudaText


@dataclass
class Bins(NearFar):
    """The recorded form of a split with more than two bins.

    The first two piles are the far pile, which changes places when it is split. The other piles are the bins of the
    bands that follow the near band, in their order. A vertex may be in several piles, once in each: it is put into the
    bin of its priority. If it is found in a bin into which it was put before its priority fell, it was near in the
    meantime.

    The operator's own counters are the lengths of the bins from number 2 on. On a GPU, the ends of the bands follow.
    """

    waits: ClassVar[str] = "waits_in"  # for each vertex, a bit for each pile that holds the vertex

    def options(self) -> tuple[Any, ...]:
        return (self.fused, self.bins)

    @property
    def counters(self) -> int:
        return self._listed + -(-(self.bins - 1) // WORDS_PER_COUNTER)

    @property
    def _listed(self) -> int:
        """Number of bins whose lengths are among the operator's own counters."""
        return self.bins - 2

    @property
    def _ends(self) -> tuple[float, ...]:
        """The ends of the bands at first. There are none yet if vertices wait from the start."""
        if self.waiting is not None:
            return (-math.inf,) * (self.bins - 1)
        return tuple(self.width + band * self.width for band in range(self.bins - 1))

    def first_words(self, graph: Any) -> dict[int, int]:
        return {}

    def cpu_buffers(self, graph: Any) -> dict[str, tuple[Any, Any, Any]]:
        ends = {"ends": (self.bins - 1, np.float64, self._ends)}
        return super().cpu_buffers(graph) | ends | {"counts": (lambda workers: (workers, self.bins), np.int64, None)}

    def control_words(self, first_own: int) -> dict[int, int]:
        first, bits = self._first_end(first_own), np.array(self._ends).view(np.int64)
        return super().control_words(first_own) | {first + i: int(value) for i, value in enumerate(bits)}

    def _first_end(self, first_own: int) -> int:
        """The control word with the first end (GPU)."""
        return first_own + self._listed * WORDS_PER_COUNTER

    def cpu(self, text: CpuText) -> None:
        k, first = self.index, text.first_own_word(self)
        text.use("bins_cpu")
        word, priority = text.length_word(k), text.adapter(self, "priority", "")
        text.define(
            f"park_{k}, draw_{k} = bins_cpu.make_bins({priority}, bins={self.bins}, slot={k}, length_word={word}, "
            f"first_own={first})"
        )
        out, items, length = text.output(self), text.items(self.input), text.length(self.input)
        levels, ends = text.buffer(self, "levels"), text.buffer(self, "ends")
        own = ", ".join(text.buffer(self, name) for name in ("piles", self.waits, "levels", "ends", "counts"))
        text.body([f"park_{k}(rank, size, control, fields, {items}, {length}, {out}, stages, {own})"])
        begin = text.steer("begin_bin", levels, ends, word, first, self.bins)
        text.completion([begin])
        draw = f"draw_{k}(rank, size, control, fields, {out}, stages, {own})"
        text.repeat("DRAWING", [draw], [text.steer("empty_bin", first), begin])

    def cuda(self, text: CudaText) -> None:
        word, first = text.length_word(self.index), text.first_own_word(self)
        if not self.fused:
            _, split = self._cuda_bins(text, "false", "PARKED", NO_LOW)
            text.body([f"deal(grid, {split}, {text.items(self.input)}, {text.length(self.input)});"])
        levels, ends = (f"(double *)(control + {at})" for at in ("WORD_LEVELS", self._first_end(first)))
        begin = text.steer("begin_bin", levels, ends, word, first, self.bins)
        text.completion([begin])
        _, split = self._cuda_bins(text, "false", "drawn", "grid.real(WORD_LEVELS + 2)")
        items = f"{text.buffer(self, 'piles')} + drawn * vertices"
        draw = [
            "const int drawn = drawn_pile(grid);",
            f"deal(grid, {split}, {items}, grid.word(pile_word(drawn, {first})));",
        ]
        text.repeat("DRAWING", draw, [text.steer("empty_bin", first), begin])

    def cuda_sink(self, text: CudaText, stamps: str) -> tuple[str, str]:
        return self._cuda_bins(text, "true", "PARKED", NO_LOW, stamps)

    def _cuda_bins(self, text: CudaText, unique: str, drawn: str, low: str, stamps: str = "nullptr") -> tuple[str, str]:
        """The type of a sink that splits vertices from a pile or from a frontier, and the expression for a sink."""
        text.use("operators/bins.cuh")
        functor = text.functor(self, {"priority": ("priority", "")})
        near_type, near = text.sink(self)
        first, piles, waits = text.first_own_word(self), text.buffer(self, "piles"), text.buffer(self, self.waits)
        sink = f"PileSink{{grid, {piles}, vertices, {first}, {self.index}, {text.scratch('PileMemory')}, 0}}"
        kind = f"BinSplit<{functor}, {near_type}, {self.bins}, {unique}>"
        make = (
            f"{kind}{{{functor}{{fields}}, {near}, {sink}, {stamps}, {waits}, {drawn}, {self._first_end(first)}, "
            f"iteration, {low}, 0.0, 0.0}}"
        )
        return kind, make
