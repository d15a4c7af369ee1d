"""compute: calls a function for each item of a frontier; the results may be reduced to one number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from minigr.jit.functor import Functor
from minigr.operators.claims_apart import ClaimsApart
from minigr.operators.reduced import ReducesInto
from minigr.program.frontier import Handle
from minigr.program.node import bind_functions, check_input, check_item_names

if TYPE_CHECKING:
    from minigr.program.cpu_text import CpuText
    from minigr.program.cuda_text import CudaText
    from minigr.program.problem import Problem


@dataclass
class Compute(ClaimsApart, ReducesInto):
    """The recorded form of a compute; the options are those of `minigr.operators.compute`."""

    def options(self) -> tuple[Any, ...]:
        return () if self.into is None else self.into.options()

    def is_one_phase(self, graph: Any) -> bool:
        return self.into is None

    def gpu_buffers(self, graph: Any) -> dict[str, tuple[Any, Any, Any]]:
        return {} if self.into is None else self.into.gpu_buffers(1)

    def cpu(self, text: CpuText) -> None:
        k = self.index
        text.use("items_cpu")
        apply, endpoints = text.adapter(self, "apply", "nothing"), text.endpoints(self)
        items, length = text.items(self.input), text.length(self.input)
        everything = f"all_items={self.input.everything}"
        reduction, partials = "", "no_items"
        if self.into is not None:
            reduction = ", ".join(text.reduction(self.into.reduce, self.into.dtype)) + ", "
            partials = text.buffer(self, self.into.partials)
        text.define(f"visit_{k} = items_cpu.make_compute({apply}, {endpoints}, {reduction}{everything})")
        call = f"visit_{k}(rank, size, control, graph, fields, {{}}, {items}, {length}, {partials})"
        self.cpu_body(text, lambda cursor: [call.format(cursor)])
        if self.into is not None:
            text.fold(self, self.into, f"pieces_for({length})")

    def cuda(self, text: CudaText) -> None:
        text.use("operators/compute.cuh")
        functor = text.functor(self, {"apply": ("apply", "")})
        kind, every = f"'{self.input.kind[0]}'", str(self.input.everything).lower()
        items, length = text.items(self.input), text.length(self.input)
        shared = f"(grid, {text.rows()[1]}, {functor}{{fields}}, {items}, {length}, iteration"
        if self.into is None:
            text.body([f"compute<{functor}, W, {kind}, {every}>{shared});"])
            return
        op, start = text.reduction(self.into.reduce, self.into.dtype)
        partials = text.partials(self, self.into.partials)
        text.body([f"compute_reduce<{functor}, W, {kind}, {every}>{shared}, {op}(), {start}, {partials});"])
        text.fold(self, self.into)


def record(
    index: int,
    problem: Problem,
    frontier: Handle,
    functor: type[Functor] | None,
    *,
    into: str | None = None,
    reduce: str = "add",
    initial: Any = None,
    accumulate: bool = False,
) -> Compute:
    """Record a compute; the options are those of `minigr.operators.compute`."""
    check_input(frontier, "compute", ("vertices", "edges", "pairs"))
    functions = bind_functions(functor, problem, ("apply",), ("apply",), "compute")
    check_item_names(functions, frontier.kind)
    node = Compute(index, frontier, None, functions)
    node.reduce_into(problem, "compute", "apply", into, reduce, initial, accumulate)
    return node
