"""The priority of each vertex of a frontier, for a `near_far` that the host splits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from minigr.jit.functor import Functor
from minigr.program.frontier import Handle
from minigr.program.node import bind_functions, check_input
from minigr.program.operator import Operator

if TYPE_CHECKING:
    from minigr.program.cpu_text import CpuText
    from minigr.program.cuda_text import CudaText
    from minigr.program.problem import Problem


@dataclass
class Priorities(Operator):
    """The recorded form: stores the priority of each vertex of a frontier at the vertex's position in the frontier."""

    def cpu(self, text: CpuText) -> None:
        k = self.index
        text.use("items_cpu")
        priority = text.adapter(self, "priority", "")
        text.define(
            f"@kernel\ndef keep_{k}(given, vertex, edge, src, dst, weight, idx, iteration):\n"
            f"    given[1][idx] = np.float64({priority}(given[0], vertex, iteration))\n"
        )
        text.define(
            f"visit_{k} = items_cpu.make_compute(keep_{k}, {text.endpoints(self)}, all_items={self.input.everything})"
        )
        given, items, length = (
            f"(fields, {text.buffer(self, 'values')})",
            text.items(self.input),
            text.length(self.input),
        )
        text.body([f"visit_{k}(rank, size, control, graph, {given}, control, {items}, {length}, no_items)"])

    def cuda(self, text: CudaText) -> None:
        k = self.index
        text.use("operators/compute.cuh")
        functor = text.functor(self, {"priority": ("priority", "")})
        text.define(
            f"struct Keep_{k} : {functor} {{\n"
            "  double *values;\n"
            "  __device__ __forceinline__ void apply(i32 vertex, i64, i32, i32, W, i64 idx, i32 iteration) const {\n"
            "    values[idx] = (double)this->priority(vertex, iteration);\n"
            "  }\n"
            "};"
        )
        keep = f"Keep_{k}{{{{fields}}, {text.buffer(self, 'values')}}}"
        every, items, length = str(self.input.everything).lower(), text.items(self.input), text.length(self.input)
        text.body(
            [f"compute<Keep_{k}, W, 'v', {every}>(grid, {text.rows()[1]}, {keep}, {items}, {length}, iteration);"]
        )


def record(index: int, problem: Problem, frontier: Handle, functor: type[Functor] | None) -> Priorities:
    """Record the computation of priorities."""
    check_input(frontier, "near_far", ("vertices",))
    functions = bind_functions(functor, problem, ("priority",), ("priority",), "near_far")
    node = Priorities(index, frontier, None, functions)
    size = problem.graph.num_vertices if frontier.everything else frontier.capacity
    node.buffers["values"] = (size, np.float64, None)
    return node
