"""filter: the items of a frontier for which a condition holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from minigr.errors import ProblemError
from minigr.jit.functor import Bound, Functor
from minigr.operators.options import REPEATED
from minigr.program.cuda_text import ITEM_TYPES
from minigr.program.frontier import Handle
from minigr.program.node import bind_functions, check_choice, check_input, check_item_names
from minigr.program.operator import Operator

if TYPE_CHECKING:
    from minigr.program.cpu_text import CpuText
    from minigr.program.cuda_text import CudaText
    from minigr.program.problem import Problem

RECENT = 256  # number of ids that a CPU's thread remembers if it culls


@dataclass
class Filter(Operator):
    """The recorded form of a filter; the options are those of `minigr.operators.filter`."""

    duplicates: str = "keep"

    @property
    def unique(self) -> bool:
        return self.duplicates == "remove"

    @property
    def culls(self) -> bool:
        return self.duplicates == "cull"

    def options(self) -> tuple[Any, ...]:
        return (self.duplicates,)

    def cpu_buffers(self, graph: Any) -> dict[str, tuple[Any, Any, Any]]:
        return {"recent": (lambda workers: (workers, RECENT), np.int64, None)} if self.culls else {}

    def cpu(self, text: CpuText) -> None:
        k = self.index
        text.use("items_cpu")
        cond, apply = text.adapter(self, "cond_filter", "yes"), text.adapter(self, "apply_filter", "nothing")
        text.define(
            f"keep_{k} = items_cpu.make_filter({cond}, {apply}, {text.endpoints(self)}, "
            f"all_items={self.input.everything}, unique={self.unique}, culls={self.culls}, slot={k}, "
            f"length_word={text.length_word(k)})"
        )
        recent = text.buffer(self, "recent") if self.culls else "stages"
        stamps = text.buffer(self, "stamps") if self.unique else "no_items"
        items, length, out = text.items(self.input), text.length(self.input), text.output(self)
        text.body(
            [f"keep_{k}(rank, size, control, graph, fields, {items}, {length}, {out}, stages, {stamps}, {recent})"]
        )

    def cuda(self, text: CudaText) -> None:
        text.use("operators/filter.cuh")
        functor = text.functor(self, {"cond": ("cond_filter", "return true;"), "apply": ("apply_filter", "(void)0;")})
        _, sink = text.sink(self)
        stamps = text.buffer(self, "stamps") if self.unique else "nullptr"
        recent = f"Recent<{ITEM_TYPES[self.input.kind]}>"
        table = text.scratch(recent) if self.culls else f"({recent} *)nullptr"
        choices = (self.input.everything, self.unique, self.culls)
        kind, flags = f"'{self.input.kind[0]}'", ", ".join(str(choice).lower() for choice in choices)
        items, length = text.items(self.input), text.length(self.input)
        text.body(
            [
                f"filter<{functor}, W, {kind}, {flags}>(grid, {text.rows()[1]}, {functor}{{fields}}, {items}, "
                f"{length}, {sink}, {stamps}, {table}, iteration);"
            ]
        )


def record(
    index: int,
    problem: Problem,
    frontier: Handle,
    functor: type[Functor] | None,
    *,
    duplicates: str = "keep",
) -> Filter:
    """Record a filter; the options are those of `minigr.operators.filter`."""
    check_input(frontier, "filter", ("vertices", "edges", "pairs"))
    check_choice(duplicates, REPEATED, "filter: duplicates")
    if duplicates == "remove" and frontier.kind == "pairs":
        raise ProblemError(
            "filter: duplicates='remove' has a stamp for each id, and pairs are too many for that: use "
            "duplicates='cull', or before the loop frontier | frontier, which holds each pair once"
        )
    names = ("cond_filter", "apply_filter")
    functions: dict[str, Bound] = {}
    if functor is not None or duplicates == "keep":
        functions = bind_functions(functor, problem, names, names if duplicates == "keep" else (), "filter")
    check_item_names(functions, frontier.kind)
    graph = problem.graph
    total = graph.num_vertices if frontier.kind == "vertices" else graph.num_arcs
    distinct = frontier.distinct or duplicates == "remove"  # not known for pairs
    capacity = total if distinct else frontier.capacity
    output = Handle(frontier.kind, index, distinct=distinct, capacity=capacity)
    node = Filter(index, frontier, output, functions, duplicates=duplicates)
    node.capacity = capacity
    if node.unique:
        ids = graph.num_vertices if frontier.kind == "vertices" else graph.num_edge_ids
        node.buffers["stamps"] = (ids, np.int32, 0)
    return node
