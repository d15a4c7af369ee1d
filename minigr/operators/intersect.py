"""intersect: finds the common neighbors of the two ends of each edge, or pair of vertices, of a frontier."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, get_args

import numpy as np

from minigr.errors import FunctorError, ProblemError
from minigr.graphs.dynamic.layout import LANES
from minigr.jit.functor import Functor
from minigr.operators.options import Listed
from minigr.operators.reduced import ReducesInto
from minigr.program.frontier import Handle
from minigr.program.node import (
    SLICE,
    bind_functions,
    check_choice,
    check_input,
    check_item_names,
    check_since,
)

if TYPE_CHECKING:
    from minigr.program.cpu_text import CpuText
    from minigr.program.cuda_text import CudaText
    from minigr.program.problem import Problem

# Over all edges: a GPU's block marks the neighbors of a vertex with at least so many positions.
WIDE_ROW = 64
# Over a list: the maximum number of edges for which all warps of a GPU share edges whose rows are both long.
LISTED_EDGES = 1 << 16


# Maximum number of vertices with rows as bits: a GPU's block has room for so many marks. Bits that a lane reads at
# once.
MOST_HUBS, BITS_IN_PART = 1 << 17, 128


@dataclass
class Intersect(ReducesInto):
    """The recorded form of an intersect; the options are those of `minigr.operators.intersect`."""

    per_edge: ClassVar[bool] = True

    simple: bool = False  # over edges: the graph has neither self-loops nor parallel edges
    repeats: bool = False  # the graph has parallel edges
    since: bool = False  # over all edges: visit only edges inserted since the mark
    hubs: int | None = None  # over all edges: so many of the first vertices have their rows as bits

    def options(self) -> tuple[Any, ...]:
        return (self.into and self.into.options(), self.simple, self.repeats, self.since, self.hubs is not None)

    def numbers(self) -> dict[str, int]:
        return {} if self.hubs is None else {"hubs": self.hubs}

    def _row_bits(self) -> dict[str, tuple[Any, Any, Any]]:
        """The rows of hubs as bits, each a whole number of parts, and where in rows other vertices begin."""
        if self.hubs is None:
            return {}
        words = self.hubs * -(-self.hubs // BITS_IN_PART) * (BITS_IN_PART // 32)
        return {"row_bits": (words, np.uint32, 0), "bit_ends": (self.hubs, np.int64, None)}

    def _bit_firsts(self) -> dict[str, tuple[Any, Any, Any]]:
        """The positions in a hub's row of the first neighbor of each part, if a GPU visits neighbors by bits."""
        if self.hubs is None or not self.visits:
            return {}
        return {"bit_firsts": (self.hubs * -(-self.hubs // BITS_IN_PART), np.int32, None)}

    @property
    def _cpu_counts_bits(self) -> bool:
        """Whether a CPU uses bits. It visits common neighbors one by one, so it uses bits only to count them."""
        return self.hubs is not None and not self.visits

    def _ranks(self, graph: Any) -> bool:
        """Whether a CPU finds the edge from the source by the number of neighbors that are marked before."""
        return self.uses("src_edge") and graph.layout == "csr" and not self.repeats

    def frame(self, graph: Any) -> Any:
        return self._is_simple(graph)

    def _is_simple(self, graph: Any) -> bool:
        # If an edge's source has one neighbor, it is the edge's destination. The neighbor of a pair's source may be any
        # vertex.
        return self.input.kind == "edges" and not self.repeats and graph.num_self_loops == 0

    @property
    def visits(self) -> bool:
        """Whether the functor gets each common neighbor, and not only their number."""
        return "apply_intersect" in self.functions

    def _wide(self, graph: Any) -> int:
        """The number of positions from which on rows, or edges of a list, are put off on a GPU; 0 if none are."""
        part, least = (WIDE_ROW, WIDE_ROW) if self.input.everything else _slices(graph)
        return least if graph.longest_row() >= part else 0

    def cpu_buffers(self, graph: Any) -> dict[str, tuple[Any, Any, Any]]:
        words = graph.num_vertices // 32 + 1
        ranked = words if self._ranks(graph) else 0
        marks = {"marks": (lambda workers: (workers, words), np.uint32, 0)}
        before = {"before": (lambda workers: (workers, ranked), np.uint32, None)}
        return marks | before | (self._row_bits() if self._cpu_counts_bits else {})

    def gpu_buffers(self, graph: Any) -> dict[str, tuple[Any, Any, Any]]:
        wide = self._wide(graph)
        held = self._row_bits() | self._bit_firsts()
        held |= {} if self.into is None else self.into.gpu_buffers(2 if wide else 1)
        if not wide:
            return held
        if self.input.everything:
            return held | {"wide_rows": (graph.most_edge_ids // WIDE_ROW, np.int32, None)}
        kinds = {"places": np.int64, "ends": np.uint64, "firsts": np.int64, "counts": np.uint64}
        return held | {name: (LISTED_EDGES, kind, None) for name, kind in kinds.items()}

    def cpu(self, text: CpuText) -> None:
        k = self.index
        text.use("intersect_cpu")
        cond, apply = text.adapter(self, "cond_intersect", "yes"), text.adapter(self, "apply_intersect", "nothing")
        keep, counted = text.adapter(self, "cond_count", "nothing"), text.adapter(self, "apply_count", "nothing")
        sums = self.into is not None
        combine, start = "nothing", "np.int64(0)"
        if self.into is not None:
            combine, start = text.reduction(self.into.reduce, self.into.dtype)
        more = ", pairs=True" if self.input.kind == "pairs" else ""
        more += ", hubs=True" if self._cpu_counts_bits else ""
        bits = ["0", "no_items", "no_items"]
        if self._cpu_counts_bits:
            bits = [text.buffer(self, name) for name in ("hubs", "row_bits", "bit_ends")]
        text.define(
            f"intersect_{k} = intersect_cpu.make_intersect(\n"
            f"    {cond}, {apply}, {keep}, {counted}, {text.rows()}, {text.rows(since=self.since)},\n"
            f"    {combine}, {start}, everything={self.input.everything}, sums={sums}, visits={self.visits},\n"
            f"    finds={self.uses('src_edge')}, ranks={self._ranks(text.graph)}, repeats={self.repeats},\n"
            f"    simple={self.simple}, puts={self.output is not None}, slot={k},\n"
            f"    length_word={text.length_word(k)}{more})"
        )
        first = []
        if self._cpu_counts_bits:
            text.define(f"set_bits_{k} = intersect_cpu.make_row_bits({text.rows()})")
            first = [f"set_bits_{k}(rank, size, graph, {', '.join(bits)})", "barrier(sync, size)"]
        partials = "no_items" if self.into is None else text.buffer(self, self.into.partials)
        frontier = f"{text.items(self.input)}, {text.length(self.input)}"
        marks = f"{text.buffer(self, 'marks')}, {text.buffer(self, 'before')}"
        buffers = f"{marks}, {partials}, {text.output(self)}, stages, {', '.join(bits)}"
        text.body([*first, f"intersect_{k}(rank, size, control, graph, fields, {frontier}, {buffers})"])
        if self.into is not None:
            text.fold(self, self.into)

    def cuda(self, text: CudaText) -> None:
        k = self.index
        text.use("operators/intersect.cuh")
        functor = text.functor(
            self,
            {
                "cond": ("cond_intersect", "return true;"),
                "apply": ("apply_intersect", "(void)0;"),
                "count": ("apply_count", "(void)0;"),
                "keep": ("cond_count", "return false;"),
            },
        )
        (rows, neighbors), (edge_rows, edges) = text.rows(), text.rows(since=self.since)
        sink_type, sink = text.sink(self)
        wide = self._wide(text.graph)
        options = (self.input.everything, self.visits, self.repeats, self.simple, self.hubs is not None)
        flags = ", ".join(str(x).lower() for x in options)
        flags += f", {wide}, {_slices(text.graph)[0]}, {LISTED_EDGES}"
        wide_rows = text.buffer(self, "wide_rows") if wide and self.input.everything else "nullptr"
        late = ("places", "ends", "firsts", "counts") if wide and not self.input.everything else ()
        later = f"LongEdges{{{', '.join(text.buffer(self, name) for name in late)}}}"
        firsts = f"bit_firsts_{k}" if self.visits else "nullptr"
        bits = "" if self.hubs is None else f"row_bits_{k}, bit_ends_{k}, {firsts}, hubs_{k}"
        total, start, keep = "NoTotal", "", []
        if self.into is not None:
            op, start = text.reduction(self.into.reduce, self.into.dtype)
            total = f"Total<{op}, {text.c_name(self.into.dtype)}>"
            keep = [f"total_{k}.leave({start}, {text.partials(self, self.into.partials)});"]
        make = [
            f"{total} total_{k}{{{start}}};",
            f"Intersect<{functor}, {rows}, {edge_rows}, {total}, {sink_type}, {flags}> intersect_{k}{{grid, "
            f"{neighbors}, {edges}, {functor}{{fields}}, total_{k}, {sink}, {wide_rows}, {later}, "
            f"RowBits{{{bits}}}, iteration}};",
        ]
        walk = [*make, f"intersect_{k}.run({text.items(self.input)}, {text.length(self.input)});", *keep]
        if self.input.everything:
            placed = f"{str(self.visits and not self.repeats).lower()} && !{rows}::GAPS"
            rest = f"run_wide({text.scratch(f'BlockMarks<{placed}>')})" if wide else ""
        else:
            rest = f"run_slices({text.items(self.input)})"
        text.body(walk, *([("control[WORD_HUBS] != 0", [*make, f"intersect_{k}.{rest};", *keep])] if wide else []))
        if self.into is not None:
            text.fold(self, self.into, (-2, -1) if wide else (-1,), "grid.word_of_all(WORD_HUBS) != 0")
        if wide:
            text.completion(["control[WORD_HUBS] = 0;", "control[WORD_CURSOR] = 0;"])


def _slices(graph: Any) -> tuple[int, int]:
    """Positions in a slice of a listed edge's shorter row, and the least positions of a row whose edge warps share."""
    return (8 * LANES, 2 * LANES) if graph.layout == "slabs" else (SLICE, SLICE)


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
    output: str | None = None,
    since: str | None = None,
    hubs: int | None = None,
) -> Intersect:
    """Record an intersect; the options are those of `minigr.operators.intersect`."""
    check_input(frontier, "intersect", ("edges", "pairs"))
    check_choice(output, (None, *get_args(Listed)), "intersect: output")
    if output not in (None, frontier.kind):
        raise ProblemError(
            f"intersect: output={output!r}, but the frontier is one of {frontier.kind}: use output={frontier.kind!r}"
        )
    names = ("cond_intersect", "apply_intersect", "apply_count", *(("cond_count",) if output else ()))
    functions = bind_functions(functor, problem, names, names[1:], "intersect")
    check_item_names(functions, frontier.kind)
    assert functor is not None
    if output and "cond_count" not in functions:
        raise FunctorError(f"intersect: output={output!r} needs functor {functor.__name__} to have cond_count")
    graph = problem.graph
    node = Intersect(index, frontier, None, functions)
    if into is not None and "apply_count" not in functions:
        raise FunctorError(f"intersect: into={into!r} needs functor {functor.__name__} to have apply_count")
    node.reduce_into(problem, "intersect", "apply_count", into, reduce, initial, accumulate)
    node.since = check_since(since, problem, "intersect")
    if node.since and not frontier.everything:
        raise ProblemError("intersect: since='mark' goes with all edges, but the frontier is a list: leave since= out")
    if hubs is not None:
        _check_hubs(hubs, frontier, graph)
    if output:
        each_edge_once = frontier.kind == "edges" and frontier.distinct
        node.capacity = graph.num_arcs if each_edge_once else frontier.capacity
        node.output = Handle(frontier.kind, index, distinct=frontier.distinct, capacity=node.capacity)
    node.repeats = graph.layout == "csr" and graph.has_parallel_edges
    node.simple = node._is_simple(graph)
    if hubs is not None and not node.repeats:  # bits don't show where parallel edges stand
        node.hubs = min(int(hubs), graph.num_vertices)
    return node


def _check_hubs(hubs: Any, frontier: Handle, graph: Any) -> None:
    if not isinstance(hubs, (int, np.integer)) or isinstance(hubs, bool) or not 0 <= hubs <= MOST_HUBS:
        raise ProblemError(f"intersect: hubs={hubs!r} must be a whole number from 0 to {MOST_HUBS:,}")
    if not frontier.everything:
        raise ProblemError("intersect: hubs= goes with all edges, but the frontier is a list: leave hubs= out")
    if graph.layout != "csr":
        raise ProblemError("intersect: hubs= needs a Graph, whose rows begin with hubs: use graph.to_graph()")
