"""neighbor_reduce: for each vertex of a frontier, reduces the values of its edges to one value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from minigr.errors import FunctorError, ProblemError
from minigr.jit.elements_read import reads_only_at
from minigr.jit.functor import Functor
from minigr.operators.claims_apart import ClaimsApart
from minigr.operators.operand import Operand, fields_for, numbers_reduced, operand_of
from minigr.operators.options import PLACES, WAYS
from minigr.program.frontier import Handle
from minigr.program.node import (
    bind_functions,
    check_choice,
    check_flag,
    check_in_edges,
    check_input,
    check_since,
    refuse_positions,
)
from minigr.program.scalar import Scalar, scalar_of
from minigr.schedules import choice, starts
from minigr.schedules.rows import Rows
from minigr.schedules.schedule import Schedule, Walk

if TYPE_CHECKING:
    from minigr.program.cpu_text import CpuText
    from minigr.program.cuda_text import CudaText
    from minigr.program.problem import Problem


@dataclass
class NeighborReduce(ClaimsApart):
    """The recorded form of a neighbor-reduce; the options are those of `minigr.operators.neighbor_reduce`."""

    per_edge: ClassVar[bool] = True

    direction: str = "out"
    reduce: str | None = "add"
    operand: Operand = field(default_factory=lambda: Operand(np.int64(0)))
    into: tuple[str, ...] = ()  # a field for each number of the operand; or empty
    by: str = "vertex"
    scalars: tuple[Scalar, ...] = ()
    schedule: Schedule = field(default_factory=Rows)
    since: bool = False  # reduce over edges inserted since the mark only

    @property
    def scalar_results(self) -> tuple[Scalar, ...]:
        return self.scalars

    def options(self) -> tuple[Any, ...]:
        scalars = tuple(scalar.options() for scalar in self.scalars)
        how = (self.schedule, self.since)
        return (self.direction, self.reduce, self.operand.options(), self.into, self.by, scalars, *how)

    @property
    def merges(self) -> bool:
        """Whether the edges of the frontier are cut into equal shares."""
        return self.schedule.scans

    @property
    def inward(self) -> bool:
        """Whether the reduction is over in-edges."""
        return self.direction == "in"

    def defers(self, graph: Any) -> bool:
        return self.schedule.defers(graph, self.inward)

    def is_one_phase(self, graph: Any) -> bool:
        return self.schedule.is_one_phase(graph, self.inward) and not self.scalars and self.output is None

    @property
    def _by_starts(self) -> bool:
        """Whether a CPU's threads claim pieces of rows by the starts of rows.

        All rows are always assigned in this way.
        """
        return self.merges or self.input.everything

    def cpu_buffers(self, graph: Any) -> dict[str, tuple[Any, Any, Any]]:
        found = super().cpu_buffers(graph)
        if not self._by_starts:
            return found
        begins = {} if self.merges else starts.buffers(self.input, graph)
        return found | begins | starts.sum_buffers(self.input, graph, lambda workers: workers)

    def gpu_buffers(self, graph: Any) -> dict[str, tuple[Any, Any, Any]]:
        found = self.schedule.buffers(self.input, graph, self.inward, self.operand.reduced(self.index))
        for scalar in self.scalars:
            found |= scalar.gpu_buffers(1 if self.schedule.is_one_phase(graph, self.inward) else 2)
        return found

    def cpu(self, text: CpuText) -> None:
        k = self.index
        text.use("reduce_cpu")
        value, apply = text.adapter(self, "map", ""), text.adapter(self, "apply_reduce", "nothing")
        keep = text.adapter(self, "cond_reduce", "nothing")
        if self.reduce is None:
            reduce = text.adapter(self, "reduce", "")
        else:
            reduce, combine = f"reduce_{k}", text.combination(self.reduce)
            text.define(f"@kernel\ndef {reduce}(fields, a, b):\n    return {combine}(a, b)\n")
        rows = text.rows(inward=self.inward, ids=self.reads_in_ids, since=self.since)
        deal = "rows" if self._by_starts else "even" if self.scalars else "claimed"
        text.use("tiles_cpu", "schedules")
        text.define(f"shares_{k} = tiles_cpu.make_shares({deal!r})")
        text.define(
            f"tiles_{k} = tiles_cpu.make_tiles({rows}, source={'all' if self.input.everything else 'vertices'!r}, "
            f"weight={self.uses('weight')}, deal={deal!r})"
        )
        called = [bound for name, bound in self.functions.items() if name in ("map", "reduce")]
        convert = self.operand.cpu_convert(text, k)
        store, results = self.operand.cpu_store(text, k, self.into)
        own = "dst" if self.inward else "src"
        listed = not self.input.everything
        fetch = text.fetches(self, {"map": own, "apply_reduce": "vertex"}) if listed else "nothing"
        grouped = text.graph.layout == "csr" and not any(map(text.writes, called))
        freely = not self.uses("edge") and all(reads_only_at(each.function, ("src", "dst")) for each in called)
        adds = self.reduce == "add" and not self.operand.is_tuple and self.operand.initial.dtype.kind == "f"
        adds = adds and not (self.operand.initial == 0 and np.signbit(self.operand.initial))
        text.define(
            f"neighbor_reduce_{k} = reduce_cpu.make_neighbor_reduce(\n"
            f"    {value}, {reduce}, {keep}, {apply}, {text.gather(self, self.scalars)},\n"
            f"    {text.constant(self.operand.initial)}, {convert}, {store}, {rows}, shares_{k}, tiles_{k},\n"
            f"    fetch={fetch}, listed={listed},\n"
            f"    inward={self.inward}, by_vertex={self.by == 'vertex'}, sums={bool(self.scalars)},\n"
            f"    weight={self.uses('weight')}, grouped={grouped}, freely={freely}, adds={adds},\n"
            f"    puts={self.output is not None}, slot={k}, length_word={text.length_word(k)})"
        )
        partials = "".join(f"{text.buffer(self, scalar.partials)}, " for scalar in self.scalars)
        begins = starts.cpu(text, self, self.inward) if self._by_starts else "no_items"
        frontier = f"{text.items(self.input)}, {text.length(self.input)}, {begins}"
        scan = starts.cpu_scan(text, self, rows) if self._by_starts else []
        arguments = f"{frontier}, {results}, ({partials}), {text.output(self)}, stages"
        call = f"neighbor_reduce_{k}(rank, size, control, graph, fields, {{}}, {arguments})"
        self.cpu_body(text, lambda cursor: [*scan, call.format(cursor)])
        pieces = f"pieces_of({begins})" if self._by_starts else f"pieces_for({text.length(self.input)})"
        for scalar in self.scalars:
            text.fold(self, scalar, pieces)

    def cuda(self, text: CudaText) -> None:
        k = self.index
        text.use("operators/neighbor_reduce.cuh")
        operand = self.operand.cuda_define(text, k)
        named = f"return {text.combination(self.reduce)}()(({operand})a...);" if self.reduce else ""
        functor = text.functor(
            self,
            {
                "value": ("map", ""),
                "reduce": ("reduce", named),
                "apply": ("apply_reduce", "(void)0;"),
                "keep": ("cond_reduce", "return false;"),
            },
            fetches="apply_reduce",
        )
        rows, edges = text.rows(inward=self.inward, since=self.since)
        store = self.by[0] if self.into else "n"
        flags = ", ".join(str(x).lower() for x in (self.inward, self.reduce is not None))
        results = self.operand.cuda_arrays(text, self.into)
        done, keep, call = "Discard", [], "Discard{}"
        begin: list[str] = []
        if self.scalars:
            total = self._collect(text)
            begin = [f"{total} total_{k} = {total}::start();"]
            keep = [f"total_{k}.leave(grid, {', '.join(text.buffer(self, s.partials) for s in self.scalars)});"]
            done, call = f"Collect<{total}>", f"Collect<{total}>{{&total_{k}}}"
        sink_type, sink = text.sink(self)
        initial = self.operand.cuda_constant(text, k)
        types = f"{functor}, W, {rows}, {operand}, {flags}, '{store}', {done}, {sink_type}"
        make = (
            f"NeighborReduce<{types}> reduce_{k}{{grid, {edges}, {functor}{{fields}}, {initial}, "
            f"{results}, {call}, {sink}, iteration}};"
        )
        is_given = any(self.input == frontier.input for frontier in text.plan.frontiers)
        if is_given and (self.direction == "out" or not text.graph.directed):
            text.fetch_ahead(self.functions["map"])  # for the step that begins with the output of this operator
        deals = self.schedule.deals(
            text, Walk(self, f"reduce_{k}", (rows, edges), self.operand.reduced(k)), self.inward
        )
        phases = [(d.when, [*begin, make, d.line, *(keep if d.finishes else [])]) for d in deals]
        text.body(phases[0][1], *phases[1:])
        holds = "grid.word_of_all(WORD_HUBS) != 0" if self.defers(text.graph) else "true"
        for scalar in self.scalars:
            finishing = [place - len(deals) for place, deal in enumerate(deals) if deal.finishes]
            text.fold(self, scalar, finishing, holds)
        text.clear(self.schedule.resets(text.graph, self.inward))

    def _collect(self, text: CudaText) -> str:
        """Define the struct of `apply_reduce`'s results and their reduction; return the name of the type."""
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
    into: str | Sequence[str] | None = None,
    by: str = "vertex",
    dtype: Any = None,
    scalar: str | Sequence[str] | None = None,
    scalar_reduce: str | Sequence[str] = "add",
    scalar_initial: Any = None,
    scalar_accumulate: bool = False,
    output: str | None = None,
    balance: str = "auto",
    since: str | None = None,
) -> NeighborReduce:
    """Record a neighbor-reduce; the options are those of `minigr.operators.neighbor_reduce`."""
    check_input(frontier, "neighbor_reduce", ("vertices",))
    check_choice(direction, WAYS, "neighbor_reduce: direction")
    check_choice(by, PLACES, "neighbor_reduce: by")
    check_choice(output, (None, "vertices"), "neighbor_reduce: output")
    names = ("map", "reduce", "apply_reduce", *(("cond_reduce",) if output else ()))
    functions = bind_functions(functor, problem, names, ("map",), "neighbor_reduce")
    assert functor is not None
    if output and "cond_reduce" not in functions:
        raise FunctorError(f"neighbor_reduce: output='vertices' needs functor {functor.__name__} to have cond_reduce")
    if into is None and not output and "apply_reduce" not in functions:
        raise ProblemError(
            "neighbor_reduce has nowhere to put its results: give into='field', output='vertices', or an apply_reduce"
        )
    if by == "position" and not frontier.distinct:
        raise ProblemError("neighbor_reduce by='position' needs a list of distinct vertices: remove duplicates first")
    count = numbers_reduced(reduce, initial)
    fields = fields_for(into, count, problem)
    if reduce is not None:
        functions.pop("reduce", None)
    elif "reduce" not in functions:
        raise FunctorError(
            "neighbor_reduce needs a reduction: reduce='add' (or 'min', 'max', 'or', 'argmin', 'argmax'), or a "
            f"reduce(a, b) in functor {functor.__name__}"
        )
    elif initial is None:
        raise ProblemError(
            "neighbor_reduce with the functor's own reduce needs initial=, the value it starts from: a number, or a "
            "tuple of numbers"
        )
    refuse_positions([functions["map"]], problem, "neighbor_reduce")
    if direction == "in":
        check_in_edges(problem, "neighbor_reduce with direction='in'")
    needs_scan = functions["map"].uses("idx") and not frontier.everything
    graph = problem.graph
    schedule = choice.choose(balance, "neighbor_reduce", needs_scan, functor.__name__, graph)
    operand = operand_of(reduce, initial, count, dtype, fields, functions["map"], problem)
    functions = {name: replace(b, operand=operand.names) for name, b in functions.items()}
    returns: Any = {"results" if operand.is_tuple else "reduced": operand.names}
    functions |= {name: replace(functions[name], **returns) for name in ("map", "reduce") if name in functions}
    node = NeighborReduce(index, frontier, None, functions)
    node.direction, node.reduce, node.operand, node.into, node.by = direction, reduce, operand, fields, by
    node.schedule = schedule
    if node.merges:
        node.buffers |= starts.buffers(frontier, graph)
    node.since = check_since(since, problem, "neighbor_reduce")
    if output:
        node.capacity = problem.graph.num_vertices if frontier.distinct else frontier.capacity
        node.output = Handle("vertices", index, distinct=frontier.distinct, capacity=node.capacity)
    scalar_accumulate = check_flag(scalar_accumulate, "neighbor_reduce: scalar_accumulate")
    asked = not isinstance(scalar_reduce, str) or scalar_reduce != "add" or scalar_initial is not None
    if scalar is None and (asked or scalar_accumulate):
        raise ProblemError(
            "neighbor_reduce reduces into no scalar field: name one with scalar=, or leave out scalar_reduce=, "
            "scalar_initial= and scalar_accumulate="
        )
    node.scalars = _scalars(problem, scalar, scalar_reduce, scalar_initial, scalar_accumulate)
    if node.scalars:
        if "apply_reduce" not in functions:
            raise FunctorError(f"neighbor_reduce: scalar={scalar!r} needs {functor.__name__} to have apply_reduce")
        names = tuple(s.dtype.name for s in node.scalars)
        given = {"results": names} if len(names) > 1 else {"reduced": names[0]}
        functions["apply_reduce"] = replace(functions["apply_reduce"], **given)
    for target in node.scalars:
        node.buffers |= target.buffers(problem.device)
    node.reads_in_edges = direction == "in"
    node.reads_in_ids = direction == "in" and node.uses("edge")
    return node


def _scalars(problem: Problem, names: Any, reduces: Any, initials: Any, accumulate: bool) -> tuple[Scalar, ...]:
    """The scalar fields that receive reduced results, after checks."""
    listed = [names] if isinstance(names, str) else [] if names is None else _listed(names, "scalar")
    one_reduce, one_initial = isinstance(reduces, str), initials is None or np.ndim(initials) == 0
    each = [reduces] * len(listed) if one_reduce else _listed(reduces, "scalar_reduce")
    starts = [initials] * len(listed) if one_initial else _listed(initials, "scalar_initial")
    for found, option in ((each, "scalar_reduce"), (starts, "scalar_initial")):
        if len(found) != len(listed):
            raise ProblemError(
                f"neighbor_reduce: {len(listed)} scalars but {len(found)} of {option}: give one for each"
            )
    if names is not None and not listed:
        raise ProblemError(f"neighbor_reduce: scalar={names!r} names no field: name one, or leave scalar= out")
    if any(name in listed[:place] for place, name in enumerate(listed)):
        raise ProblemError(f"neighbor_reduce: scalar={names!r} names a field twice")
    return tuple(
        scalar_of(problem, name, reduce, initial, accumulate, "neighbor_reduce: scalar")
        for name, reduce, initial in zip(listed, each, starts, strict=True)
    )


def _listed(values: Any, option: str) -> list[Any]:
    if not isinstance(values, Sequence):
        raise ProblemError(f"neighbor_reduce: {option}={values!r}: give one value, or a tuple of one per scalar field")
    return list(values)
