"""compute: an action for each item of a frontier, whose results may be reduced to one number."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from minigr.errors import ProblemError
from minigr.jit.functor import Functor
from minigr.operators.frontier import Handle
from minigr.operators.node import Node, bind_functions, check_input, check_item_names
from minigr.primitives import reduce_ops

if TYPE_CHECKING:
    from minigr.enactor.cpu_text import CpuText
    from minigr.enactor.cuda_text import CudaText
    from minigr.enactor.problem import Problem


@dataclass
class Compute(Node):
    """The recorded form; see `record` for the options."""

    into: str | None = None
    reduce: str = "add"
    dtype: Any = None

    def options(self) -> tuple[Any, ...]:
        return (self.into, self.reduce)

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
        combine, start = text.reduction(self.reduce, self.dtype)
        text.define(
            f"visit_{k} = items_cpu.make_compute_reduce({apply}, {endpoints}, {combine}, {start}, {everything})"
        )
        text.body([f"{call}, {text.buffer(self, 'partials')})"])
        text.fold(self, self.into, combine, start)

    def cuda(self, text: CudaText) -> None:
        text.use("operators/items.cuh")
        functor = text.functor(self, {"apply": ("apply", "")})
        kind, every = f"'{self.input.kind[0]}'", str(self.input.everything).lower()
        items, length = text.items(self.input), text.length(self.input)
        shared = f"(grid, out_edges, {functor}{{fields}}, {items}, {length}, iteration"
        if self.into is None:
            text.body([f"compute<{functor}, W, {kind}, {every}>{shared});"])
            return
        op, start = text.reduction(self.reduce, self.dtype)
        partials, total = text.partials(self), text.field_array(self.into)
        text.body([f"compute_reduce<{functor}, W, {kind}, {every}>{shared}, {op}(), {start}, {partials});"])
        text.fold(-1, f"fold_blocks({partials}, {total}, {op}(), {start}, {start}, gridDim.x);")


def scalar_target(problem: Problem, name: str | None, operator: str) -> Any:
    """The dtype of the scalar field `name`, or None if there is no name.

    Raises
    ------
    ProblemError
        If the problem has no scalar field of this name.
    """
    if name is None:
        return None
    declared = problem._fields.get(name)
    if declared is None or declared.kind != "scalar":
        scalars = [n for n, f in problem._fields.items() if f.kind == "scalar"]
        raise ProblemError(
            f"{operator}: {name!r} is not a scalar field of {type(problem).__name__}, which has "
            f"{', '.join(scalars) or 'none'}: declare {name} = mg.scalar_field(dtype)"
        )
    return problem._dtypes[name]


def record(
    index: int,
    problem: Problem,
    frontier: Handle,
    functor: type[Functor] | None,
    *,
    into: str | None = None,
    reduce: str = "add",
) -> Compute:
    """Record a compute.

    Parameters
    ----------
    frontier : Handle
        Vertices or edges, a list or all of them.
    functor : Functor
        ``apply`` runs for each item.
    into : str, optional
        Name of a scalar field that gets what ``apply`` returns, reduced over all items, anew in each step. The order of
        the reduction depends only on the number of workers.
    reduce : {"add", "min", "max", "or"}
    """
    check_input(frontier, "compute")
    functions = bind_functions(functor, problem, ("apply",), ("apply",), "compute")
    check_item_names(functions, frontier.kind)
    functions["apply"] = replace(functions["apply"], reduced=into is not None)
    dtype = scalar_target(problem, into, "compute: into")
    node = Compute(index, frontier, None, functions, into=into, reduce=reduce, dtype=dtype)
    if into is not None:
        reduce_ops.identity(reduce, dtype)  # refuses a name that isn't known, and 'or' on floats
        node.buffers["partials"] = (lambda workers: workers, dtype, 0)
    return node
