"""compute: an action for each item of a frontier, whose results may be reduced to one number."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from minigr.errors import ProblemError
from minigr.jit.functor import Functor
from minigr.primitives.reduce_ops import name_of
from minigr.program.frontier import Handle
from minigr.program.node import bind_functions, check_flag, check_input, check_item_names
from minigr.program.operator import Operator
from minigr.program.scalar import Scalar, scalar_of

if TYPE_CHECKING:
    from minigr.program.cpu_text import CpuText
    from minigr.program.cuda_text import CudaText
    from minigr.program.problem import Problem


@dataclass
class Compute(Operator):
    """The recorded form; the options are those of `minigr.operators.compute`."""

    into: Scalar | None = None

    @property
    def scalar_results(self) -> tuple[Scalar, ...]:
        return () if self.into is None else (self.into,)

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
        call = f"visit_{k}(rank, size, control, graph, fields, {items}, {length}"
        if self.into is None:
            text.define(f"visit_{k} = items_cpu.make_compute({apply}, {endpoints}, {everything})")
            text.body([f"{call})"])
            return
        combine, start = text.reduction(self.into.reduce, self.into.dtype)
        text.define(
            f"visit_{k} = items_cpu.make_compute_reduce({apply}, {endpoints}, {combine}, {start}, {everything})"
        )
        text.body([f"{call}, {text.buffer(self, self.into.partials)})"])
        text.fold(self, self.into)

    def cuda(self, text: CudaText) -> None:
        text.use("operators/compute.cuh")
        functor = text.functor(self, {"apply": ("apply", "")})
        kind, every = f"'{self.input.kind[0]}'", str(self.input.everything).lower()
        items, length = text.items(self.input), text.length(self.input)
        shared = f"(grid, out_edges, {functor}{{fields}}, {items}, {length}, iteration"
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
    accumulate = check_flag(accumulate, "compute: accumulate")
    if into is not None:
        node.into = scalar_of(problem, into, reduce, initial, accumulate, "compute: into")
        functions["apply"] = replace(functions["apply"], reduced=name_of(node.into.dtype))
        node.buffers |= node.into.buffers()
    elif initial is not None or not isinstance(reduce, str) or reduce != "add" or accumulate:
        raise ProblemError(
            "compute reduces nothing: name a scalar field, into=, or leave out reduce=, initial= and accumulate="
        )
    return node
