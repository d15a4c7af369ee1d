"""compute: an action for each item of a frontier, whose results may be reduced to one number."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from minigr.errors import ProblemError
from minigr.jit.functor import Functor
from minigr.primitives import reduce_ops
from minigr.primitives.reduce_ops import name_of
from minigr.program.frontier import Handle
from minigr.program.node import bind_functions, check_input, check_item_names
from minigr.program.operator import Operator

if TYPE_CHECKING:
    from minigr.program.cpu_text import CpuText
    from minigr.program.cuda_text import CudaText
    from minigr.program.problem import Problem


@dataclass
class Compute(Operator):
    """The recorded form; the options are those of `minigr.operators.compute`."""

    into: str | None = None
    reduce: str = "add"
    initial: Any = None  # where the reduction starts

    def options(self) -> tuple[Any, ...]:
        return (self.into, self.reduce, text_of(self.initial))

    def is_one_phase(self, graph: Any) -> bool:
        return self.into is None

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
        combine, start = text.reduction(self.reduce, self.initial.dtype)
        text.define(
            f"visit_{k} = items_cpu.make_compute_reduce({apply}, {endpoints}, {combine}, {start}, {everything})"
        )
        text.body([f"{call}, {text.buffer(self, 'partials')})"])
        text.fold(self, self.into, combine, self.initial)

    def cuda(self, text: CudaText) -> None:
        text.use("operators/items.cuh")
        functor = text.functor(self, {"apply": ("apply", "")})
        kind, every = f"'{self.input.kind[0]}'", str(self.input.everything).lower()
        items, length = text.items(self.input), text.length(self.input)
        shared = f"(grid, out_edges, {functor}{{fields}}, {items}, {length}, iteration"
        if self.into is None:
            text.body([f"compute<{functor}, W, {kind}, {every}>{shared});"])
            return
        op, start = text.reduction(self.reduce, self.initial.dtype)
        partials, total = text.partials(self), text.field_array(self.into)
        text.body([f"compute_reduce<{functor}, W, {kind}, {every}>{shared}, {op}(), {start}, {partials});"])
        text.fold(-1, f"fold_blocks({partials}, {total}, {op}(), {start}, {text.constant(self.initial)}, gridDim.x);")


def text_of(number: Any) -> Any:
    """A NumPy scalar as a part of a program's key, or None: NaN equals itself, and 0.0 differs from -0.0."""
    return None if number is None else (number.dtype.char, number.tobytes())


def scalar_start(problem: Problem, name: Any, reduce: Any, initial: Any, option: str) -> Any:
    """Where a reduction into the scalar field `name` starts, in the field's dtype.

    Raises
    ------
    ProblemError
        If the problem has no scalar field of this name, `reduce` is no reduction of its dtype, or `initial` is no value
        of it; calls the name by `option`.
    """
    declared = problem._fields.get(name) if isinstance(name, str) else None
    if declared is None or declared.kind != "scalar":
        scalars = [n for n, f in problem._fields.items() if f.kind == "scalar"]
        raise ProblemError(
            f"{option}={name!r} is not a scalar field of {type(problem).__name__}, which has "
            f"{', '.join(scalars) or 'none'}: declare one with mg.scalar_field(dtype)"
        )
    return reduce_ops.start(reduce, initial, problem._dtypes[name])


def record(
    index: int,
    problem: Problem,
    frontier: Handle,
    functor: type[Functor] | None,
    *,
    into: str | None = None,
    reduce: str = "add",
    initial: Any = None,
) -> Compute:
    """Record a compute; the options are those of `minigr.operators.compute`."""
    check_input(frontier, "compute")
    functions = bind_functions(functor, problem, ("apply",), ("apply",), "compute")
    check_item_names(functions, frontier.kind)
    node = Compute(index, frontier, None, functions, into=into, reduce=reduce)
    if into is not None:
        node.initial = scalar_start(problem, into, reduce, initial, "compute: into")
        functions["apply"] = replace(functions["apply"], reduced=name_of(node.initial.dtype))
        node.buffers["partials"] = (lambda workers: workers, node.initial.dtype, 0)
    elif initial is not None or reduce != "add":
        raise ProblemError("compute reduces nothing: name a scalar field, into=, or leave out reduce= and initial=")
    return node
