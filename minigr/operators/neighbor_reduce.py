"""neighbor_reduce: for each vertex of a frontier, the values of its edges reduced to one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from minigr.errors import FunctorError, ProblemError
from minigr.graphs.checks import WEIGHT_DTYPES
from minigr.jit.functor import Bound, Functor
from minigr.operators.compute import scalar_start, text_of
from minigr.operators.options import PLACES, WAYS
from minigr.primitives import reduce_ops
from minigr.program.frontier import Handle
from minigr.program.node import (
    bind_functions,
    check_choice,
    check_in_edges,
    check_input,
    check_since,
    refuse_positions,
)
from minigr.program.operator import Operator
from minigr.program.scalar import Scalar
from minigr.program.supplied import arguments_of
from minigr.schedules import choice, starts
from minigr.schedules.rows import Rows
from minigr.schedules.schedule import Schedule, Walk

if TYPE_CHECKING:
    from minigr.program.cpu_text import CpuText
    from minigr.program.cuda_text import CudaText
    from minigr.program.problem import Problem


@dataclass
class NeighborReduce(Operator):
    """The recorded form; the options are those of `minigr.operators.neighbor_reduce`."""

    per_edge: ClassVar[bool] = True

    direction: str = "out"
    reduce: str | None = "add"
    initial: Any = None
    into: str | None = None
    by: str = "vertex"
    scalars: tuple[Scalar, ...] = ()
    balance: str = "block"
    schedule: Schedule = field(default_factory=Rows)  # the same for a GPU
    since: bool = False  # only edges that came since the mark

    def options(self) -> tuple[Any, ...]:
        initial = text_of(self.initial)
        scalars = tuple((scalar.name, scalar.reduce, text_of(scalar.initial)) for scalar in self.scalars)
        how = (self.balance, self.schedule, self.since)
        return (self.direction, self.reduce, initial, self.into, self.by, scalars, *how)

    @property
    def merges(self) -> bool:
        """Whether the edges of the frontier are cut into equal shares."""
        return self.balance == "merge"

    @property
    def inward(self) -> bool:
        """Whether in-edges are reduced over."""
        return self.direction == "in"

    def defers(self, graph: Any) -> bool:
        return self.schedule.defers(graph, self.inward)

    def is_one_phase(self, graph: Any) -> bool:
        return self.schedule.is_one_phase(graph, self.inward) and not self.scalars

    def _scans_on_cpu(self, graph: Any) -> bool:
        """Whether the CPU kernel must find out where rows begin: all rows are always dealt out evenly."""
        return (self.merges or self.input.everything) and starts.are_scanned(self.input, graph)

    def cpu_buffers(self, graph: Any) -> dict[str, tuple[Any, Any, Any]]:
        if not self._scans_on_cpu(graph):
            return {}
        begins = {} if self.merges else starts.buffers(self.input, graph)
        return begins | starts.sum_buffers(self.input, graph, lambda workers: workers)

    def gpu_buffers(self, graph: Any) -> dict[str, tuple[Any, Any, Any]]:
        held = {scalar.held: (1, scalar.dtype, None) for scalar in self.scalars}
        later = {} if self.schedule.is_one_phase(graph, self.inward) else held
        return self.schedule.buffers(self.input, graph, self.inward, self.initial.dtype) | later

    def cpu(self, text: CpuText) -> None:
        k = self.index
        text.use("reduce_cpu")
        value, apply = text.adapter(self, "map", ""), text.adapter(self, "apply_reduce", "nothing")
        if self.reduce is None:
            reduce = text.adapter(self, "reduce", "")
        else:
            combine, _ = text.reduction(self.reduce, self.initial.dtype)
            reduce = f"reduce_{k}"
            text.define(f"@kernel\ndef {reduce}(fields, a, b):\n    return {combine}(a, b)\n")
        rows, scans = (
            text.rows(inward=self.inward, ids=self.reads_in_ids, since=self.since),
            self._scans_on_cpu(text.graph),
        )
        called = [bound for name, bound in self.functions.items() if name != "apply_reduce"]
        grouped = text.graph.layout == "csr" and not any(map(text.writes, called))
        text.define(
            f"neighbor_reduce_{k} = reduce_cpu.make_neighbor_reduce(\n"
            f"    {value}, {reduce}, {apply}, {text.gather(self, self.scalars)}, {text.constant(self.initial)},\n"
            f"    {rows}, inward={self.inward}, everyone={self.input.everything}, by_vertex={self.by == 'vertex'}, "
            f"merged={scans},\n    stores={self.into is not None}, sums={bool(self.scalars)}, "
            f"weight={self.uses('weight')}, grouped={grouped})"
        )
        results = text.scalar_array(self.into) if self.into is not None else "no_items"
        partials = "".join(f"{text.buffer(self, scalar.partials)}, " for scalar in self.scalars)
        begins = starts.cpu(text, self) if scans else "no_items"
        frontier = f"{text.items(self.input)}, {text.length(self.input)}, {begins}"
        scan = starts.cpu_scan(text, self, rows) if scans else []
        arguments = f"{frontier}, {results}, ({partials})"
        text.body([*scan, f"neighbor_reduce_{k}(rank, size, control, graph, fields, {arguments})"])
        for scalar in self.scalars:
            combine, _ = text.reduction(scalar.reduce, scalar.dtype)
            text.fold(self, scalar.name, combine, scalar.initial, scalar.partials)

    def cuda(self, text: CudaText) -> None:
        k = self.index
        text.use("operators/neighbor_reduce.cuh")
        operand = text.c_name(self.initial.dtype)
        named = ""
        if self.reduce is not None:
            op, _ = text.reduction(self.reduce, self.initial.dtype)
            named = f"return {op}()(({operand})a...);"
        functor = text.functor(
            self,
            {"value": ("map", ""), "reduce": ("reduce", named), "apply": ("apply_reduce", "(void)0;")},
            fetches="apply_reduce",
        )
        rows, edges = text.rows(inward=self.inward, since=self.since)
        store = "n" if self.into is None else self.by[0]
        flags = ", ".join(str(x).lower() for x in (self.inward, self.reduce is not None))
        results = "nullptr" if self.into is None else text.field_array(self.into)
        done, keep, call = "Discard", [], "Discard{}"
        begin: list[str] = []
        if self.scalars:
            total = self._collect(text)
            begin = [f"{total} total_{k} = {total}::start();"]
            keep = [f"total_{k}.leave(grid, {', '.join(text.buffer(self, s.partials) for s in self.scalars)});"]
            done, call = f"Collect<{total}>", f"Collect<{total}>{{&total_{k}}}"
        make = (
            f"NeighborReduce<{functor}, W, {rows}, {operand}, {flags}, '{store}', {done}> reduce_{k}{{grid, {edges}, "
            f"{functor}{{fields}}, {text.constant(self.initial)}, {results}, {call}, iteration}};"
        )
        if self.input == text.plan.input and (self.direction == "out" or not text.graph.directed):
            text.fetch_ahead(self.functions["map"])  # for the step that begins with what this one puts out
        deals = self.schedule.deals(text, Walk(self, f"reduce_{k}", (rows, edges), self.initial.dtype), self.inward)
        phases = [(d.when, [*begin, make, d.line, *(keep if d.finishes else [])]) for d in deals]
        text.body(phases[0][1], *phases[1:])
        for scalar in self.scalars:
            self._fold(text, scalar, [place - len(deals) for place, deal in enumerate(deals) if deal.finishes])
        text.clear(self.schedule.resets(text.graph, self.inward))

    def _fold(self, text: CudaText, scalar: Scalar, phases: list[int]) -> None:
        """At the end of the phases that finish rows, fold what the blocks have into a scalar field."""
        op, start = text.reduction(scalar.reduce, scalar.dtype)
        partials, field = text.partials(self, scalar.partials), text.field_array(scalar.name)
        before = text.constant(scalar.initial)
        if len(phases) == 1:
            text.fold(-1, f"fold_blocks({partials}, {field}, {op}(), {start}, {before}, gridDim.x);")
            return
        # The rows that are finished later may still ask for what the field held before, and add to what is held.
        held = text.buffer(self, scalar.held)
        target = f"grid.word(WORD_HUBS) != 0 ? {held} : {field}" if self.defers(text.graph) else held
        text.fold(phases[0], f"fold_blocks({partials}, {target}, {op}(), {start}, {before}, gridDim.x);")
        text.fold(phases[1], f"fold_blocks({partials}, {field}, {op}(), {start}, load_fresh({held}), gridDim.x);")

    def _collect(self, text: CudaText) -> str:
        """Define what `apply_reduce` returns and how it is reduced; the name of the type."""
        name, several = f"Results_{self.index}", len(self.scalars) > 1
        known = [(f"x{i}", s, *text.reduction(s.reduce, s.dtype)) for i, s in enumerate(self.scalars)]
        members = " ".join(f"{text.c_name(s.dtype)} {x};" for x, s, _, _ in known)
        other = "const Results &y" if several else f"{text.c_name(self.scalars[0].dtype)} y"
        adds = " ".join(f"{x} = {op}()({x}, {f'y.{x}' if several else 'y'});" for x, _, op, _ in known)
        buffers = ", ".join(f"{text.c_name(s.dtype)} *p{x}" for x, s, _, _ in known)
        reduces = " ".join(f"{x} = block_reduce({x}, {op}(), {start});" for x, _, op, start in known)
        leaves = " ".join(f"grid.partials(p{x}, arguments.most_blocks)[blockIdx.x] = {x};" for x, *_ in known)
        text.define_first(
            f"struct {name} {{\n  {members}\n"
            f"  static __device__ __forceinline__ {name} start() {{ return {{{', '.join(k[3] for k in known)}}}; }}\n"
            f"  __device__ __forceinline__ void add({other.replace('Results', name)}) {{ {adds} }}\n"
            f"  __device__ void leave(const Grid &grid, {buffers}) {{\n"
            f"    {reduces}\n    if (threadIdx.x == 0) {{ {leaves} }}\n  }}\n}};"
        )
        return name


def record(
    index: int,
    problem: Problem,
    frontier: Handle,
    functor: type[Functor] | None,
    *,
    direction: str = "out",
    reduce: str | None = None,
    initial: Any = None,
    into: str | None = None,
    by: str = "vertex",
    dtype: Any = None,
    scalar: str | Sequence[str] | None = None,
    scalar_reduce: str | Sequence[str] = "add",
    scalar_initial: Any = None,
    balance: str = "auto",
    since: str | None = None,
) -> NeighborReduce:
    """Record a neighbor-reduce; the options are those of `minigr.operators.neighbor_reduce`."""
    check_input(frontier, "neighbor_reduce", ("vertices",))
    check_choice(direction, WAYS, "neighbor_reduce: direction")
    check_choice(by, PLACES, "neighbor_reduce: by")
    functions = bind_functions(functor, problem, ("map", "reduce", "apply_reduce"), ("map",), "neighbor_reduce")
    assert functor is not None
    if into is None and "apply_reduce" not in functions:
        raise ProblemError("neighbor_reduce has nowhere to put its results: give into='field', or an apply_reduce")
    if by == "position" and not frontier.distinct:
        raise ProblemError("neighbor_reduce by='position' needs a list of distinct vertices: remove duplicates first")
    vertex_fields = [name for name, field in problem._fields.items() if field.kind == "vertex"]
    if into is not None and into not in vertex_fields:
        raise ProblemError(
            f"neighbor_reduce: into={into!r} is not a vertex field of {type(problem).__name__}, which has "
            f"{', '.join(vertex_fields) or 'none'}"
        )
    if reduce is not None:
        functions.pop("reduce", None)
    elif "reduce" not in functions:
        raise FunctorError(
            "neighbor_reduce needs a reduction: reduce='add' (or 'min', 'max', 'or'), or a reduce(a, b) in functor "
            f"{functor.__name__}"
        )
    elif initial is None:
        raise ProblemError("neighbor_reduce with the functor's own reduce needs initial=, the value it starts from")
    refuse_positions([functions["map"]], problem, "neighbor_reduce")
    if direction == "in":
        check_in_edges(problem, "neighbor_reduce with direction='in'")
    needs_scan = functions["map"].uses("idx") and not frontier.everything
    balance = choice.resolve(balance, "neighbor_reduce", needs_scan, functor.__name__)
    kind = _reduced_dtype(dtype, into, functions["map"], problem)
    functions = {name: replace(b, operand=kind.name) for name, b in functions.items()}
    functions |= {name: replace(functions[name], reduced=kind.name) for name in ("map", "reduce") if name in functions}
    node = NeighborReduce(index, frontier, None, functions)
    node.direction, node.reduce, node.into, node.by = direction, reduce, into, by
    graph = problem.graph
    node.balance, node.schedule = balance, choice.schedule_for(balance, graph)
    if node.merges:
        node.buffers |= starts.buffers(frontier, graph)
    node.since = check_since(since, problem, "neighbor_reduce")
    node.initial = (
        reduce_ops.as_number(initial, kind, "neighbor_reduce: initial")
        if reduce is None
        else reduce_ops.start(reduce, initial, kind)
    )
    node.scalars = _scalars(problem, scalar, scalar_reduce, scalar_initial)
    if node.scalars:
        if "apply_reduce" not in functions:
            raise FunctorError(f"neighbor_reduce: scalar={scalar!r} needs {functor.__name__} to have apply_reduce")
        names = tuple(s.dtype.name for s in node.scalars)
        given = {"results": names} if len(names) > 1 else {"reduced": names[0]}
        functions["apply_reduce"] = replace(functions["apply_reduce"], **given)
    for target in node.scalars:
        node.buffers[target.partials] = (lambda workers: workers, target.dtype, 0)
    node.reads_in_edges = direction == "in"
    node.reads_in_ids = direction == "in" and node.uses("edge")
    return node


def _reduced_dtype(dtype: Any, into: str | None, map_function: Bound, problem: Problem) -> np.dtype:
    """The dtype that values are reduced in: the one asked for, or that of `into`, or what ``map`` returns."""
    if dtype is not None:
        try:
            kind = np.dtype(dtype)
        except TypeError:
            kind = None
        if kind is None or kind not in WEIGHT_DTYPES:
            raise ProblemError(f"neighbor_reduce: dtype={dtype!r} is not one of {', '.join(WEIGHT_DTYPES)}")
        return kind
    if into is not None:
        return problem._dtypes[into]
    from minigr.jit.facts import returned_type_of

    name = str(returned_type_of(map_function, arguments_of(map_function, problem)))
    if name == "uint64":
        raise FunctorError(
            f"{map_function.label} returns uint64, of which int64 does not hold all values: return np.int64(...), or "
            "say in which dtype to reduce, dtype='int64' or 'float64'"
        )
    return np.dtype(name if name in ("float32", "float64") else np.int64)


def _scalars(problem: Problem, names: Any, reduces: Any, initials: Any) -> tuple[Scalar, ...]:
    """The scalar fields to reduce into, checked."""
    listed = [names] if isinstance(names, str) else _listed(names or (), "scalar")
    one_reduce, one_initial = isinstance(reduces, str), initials is None or np.ndim(initials) == 0
    each = [reduces] * len(listed) if one_reduce else _listed(reduces, "scalar_reduce")
    starts = [initials] * len(listed) if one_initial else _listed(initials, "scalar_initial")
    for found, option in ((each, "scalar_reduce"), (starts, "scalar_initial")):
        if len(found) != len(listed):
            raise ProblemError(
                f"neighbor_reduce: {len(listed)} scalars but {len(found)} of {option}: give one for each"
            )
    if any(name in listed[:place] for place, name in enumerate(listed)):
        raise ProblemError(f"neighbor_reduce: scalar={names!r} names a field twice")
    return tuple(
        Scalar(name, reduce, scalar_start(problem, name, reduce, initial, "neighbor_reduce: scalar"))
        for name, reduce, initial in zip(listed, each, starts, strict=True)
    )


def _listed(values: Any, option: str) -> list[Any]:
    if not isinstance(values, Sequence):
        raise ProblemError(f"neighbor_reduce: {option}={values!r}: give one, or a tuple with one for each scalar field")
    return list(values)
