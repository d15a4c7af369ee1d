"""The union, the intersection and the difference of two frontiers in a step: ``a | b``, ``a & b`` and ``a - b``.

An id is stamped in an array with a place for each vertex or edge, as in a filter that removes duplicates. So the cost
of a set operation is proportional to the lengths of its frontiers, and nothing is sorted.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from minigr.errors import ProblemError
from minigr.program.frontier import Handle, require_alike
from minigr.program.operator import Operator

if TYPE_CHECKING:
    from minigr.program.cpu_text import CpuText
    from minigr.program.cuda_text import CudaText
    from minigr.program.problem import Problem


@dataclass
class Combination(Operator):
    """The recorded form of a set operation on two frontiers of one kind; the output has each id once."""

    operation: str = field(kw_only=True)
    other: Handle = field(kw_only=True)

    @property
    def inputs(self) -> tuple[Handle, ...]:
        return self.input, self.other

    @property
    def stays(self) -> bool:
        return self.input.stays or self.other.stays

    @property
    def marks(self) -> bool:
        """Whether the second frontier only selects ids of the first frontier. Otherwise its ids are put out too."""
        return self.operation != "union"

    def options(self) -> tuple[Any, ...]:
        return self.operation, self.other

    def cpu(self, text: CpuText) -> None:
        k = self.index
        text.use("sets_cpu")
        first, second = text.items(self.input), text.items(self.other)
        length, more = text.length(self.input), text.length(self.other)
        stamps, out = text.buffer(self, "stamps"), text.output(self)
        text.use("items_cpu")
        exists = f"{text.rows()}.is_edge" if self.input.kind == "edges" else "items_cpu.is_item"
        text.define(
            f"combine_{k} = sets_cpu.make_combine({exists}, marked={self.operation == 'intersection'}, "
            f"all_first={self.input.everything}, all_second={self.other.everything and not self.marks}, "
            f"slot={k}, length_word={text.length_word(k)})"
        )
        mark = []
        if self.marks:
            text.define(f"mark_{k} = sets_cpu.make_mark(all_items={self.other.everything})")
            mark = [f"mark_{k}(rank, size, control, {second}, {more}, {stamps})", "barrier(sync, size)"]
            second, more = "no_items", "0"
        lists = f"{first}, {length}, {second}, {more}"
        text.body([*mark, f"combine_{k}(rank, size, control, graph, {lists}, {out}, stages, {stamps})"])

    def cuda(self, text: CudaText) -> None:
        text.use("operators/sets.cuh")
        _, sink = text.sink(self)
        first, second = text.items(self.input), text.items(self.other)
        length, more = text.length(self.input), text.length(self.other)
        stamps, every = text.buffer(self, "stamps"), str(self.other.everything).lower()
        lines = []
        if self.marks:
            lines.append([f"mark_items<{every}>(grid, {second}, {more}, {stamps}, iteration);"])
            second, more, every = first, "0", "false"
        choices = (str(self.input.everything).lower(), every, str(self.operation == "intersection").lower())
        lists, rows = f"{first}, {length}, {second}, {more}", text.rows()[1]
        lines.append(
            [
                f"combine<'{self.input.kind[0]}', {', '.join(choices)}>(grid, {rows}, {lists}, {sink}, {stamps}, "
                "iteration);"
            ]
        )
        text.body(lines[0], *(("true", later) for later in lines[1:]))


def record(index: int, problem: Problem, first: Handle, second: Handle, operation: str) -> Combination:
    """Record ``"union"``, ``"intersection"`` or ``"difference"`` of two frontiers.

    Raises
    ------
    ProblemError
        If the frontiers are of different kinds, or frontiers of pairs.
    """
    require_alike(first.kind, second.kind)
    if first.kind == "pairs":
        raise ProblemError(
            "a step puts frontiers together by a stamp for each id, and pairs are too many for that: put frontiers of "
            "pairs together before the loop, or keep some of them by filter"
        )
    graph, kind = problem.graph, first.kind
    most = first.capacity + (second.capacity if operation == "union" else 0)
    capacity = min(most, graph.num_vertices if kind == "vertices" else graph.num_arcs)
    node = Combination(index, first, Handle(kind, index, capacity=capacity), operation=operation, other=second)
    node.capacity = capacity
    ids = graph.num_vertices if kind == "vertices" else graph.num_edge_ids
    node.buffers["stamps"] = (ids, np.int32, 0)
    return node
