"""intersect: the common neighbors of the two ends of each edge of a frontier."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from minigr.errors import FunctorError, ProblemError
from minigr.graphs.dynamic.layout import LANES
from minigr.jit.functor import Functor
from minigr.operators.compute import scalar_start, text_of
from minigr.primitives.reduce_ops import name_of
from minigr.program.frontier import Handle
from minigr.program.node import SLICE, bind_functions, check_input
from minigr.program.operator import Operator

if TYPE_CHECKING:
    from minigr.program.cpu_text import CpuText
    from minigr.program.cuda_text import CudaText
    from minigr.program.problem import Problem

# Positions of a vertex from which on a GPU's block marks its neighbors, where all edges are visited.
WIDE_ROW = 64
# Of a list, by the graph's layout: positions in a slice of an edge's shorter row, and those of the row from which on
# all warps of a GPU share the edge; and the most edges for that.
SLICES, LISTED_EDGES = {"csr": (SLICE, SLICE), "slabs": (8 * LANES, 2 * LANES)}, 1 << 16


@dataclass
class Intersect(Operator):
    """The recorded form; the options are those of `minigr.operators.intersect`."""

    per_edge: ClassVar[bool] = True

    into: str | None = None
    reduce: str = "add"
    initial: Any = None  # where the reduction starts
    simple: bool = False  # the graph has neither self-loops nor parallel edges
    repeats: bool = False  # it has parallel edges

    def options(self) -> tuple[Any, ...]:
        return (self.into, self.reduce, text_of(self.initial), self.simple, self.repeats)

    @property
    def visits(self) -> bool:
        """Whether the functor is told of each common neighbor, not only of their number."""
        return "apply_intersect" in self.functions

    def _wide(self, graph: Any) -> int:
        """From how many positions on rows, or edges of a list, are put off on a GPU; 0 if none are."""
        part, least = (WIDE_ROW, WIDE_ROW) if self.input.everything else SLICES[graph.layout]
        return least if graph.longest_row() >= part else 0

    def cpu_buffers(self, graph: Any) -> dict[str, tuple[Any, Any, Any]]:
        return {"marks": (lambda workers: (workers, graph.num_vertices // 32 + 1), np.uint32, 0)}

    def gpu_buffers(self, graph: Any) -> dict[str, tuple[Any, Any, Any]]:
        if not self._wide(graph):
            return {}
        held = {} if self.into is None else {"held": (1, self.initial.dtype, None)}
        if self.input.everything:
            return held | {"wide_rows": (graph.most_edge_ids // WIDE_ROW, np.int32, None)}
        kinds = {"places": np.int64, "ends": np.uint64, "firsts": np.int64, "counts": np.uint64}
        return held | {name: (LISTED_EDGES, kind, None) for name, kind in kinds.items()}

    def cpu(self, text: CpuText) -> None:
        k = self.index
        text.use("intersect_cpu")
        cond, apply = text.adapter(self, "cond_intersect", "yes"), text.adapter(self, "apply_intersect", "nothing")
        counted, sums = text.adapter(self, "apply_count", "nothing"), self.into is not None
        combine, start = text.reduction(self.reduce, self.initial.dtype) if sums else ("nothing", "np.int64(0)")
        text.define(
            f"intersect_{k} = intersect_cpu.make_intersect(\n"
            f"    {cond}, {apply}, {counted}, {text.rows()}, {combine}, {start}, everything={self.input.everything}, "
            f"sums={sums},\n    visits={self.visits}, finds={self.uses('src_edge')}, repeats={self.repeats}, "
            f"simple={self.simple})"
        )
        partials = text.buffer(self, "partials") if sums else "no_items"
        frontier = f"{text.items(self.input)}, {text.length(self.input)}"
        text.body(
            [f"intersect_{k}(rank, size, control, graph, fields, {frontier}, {text.buffer(self, 'marks')}, {partials})"]
        )
        if self.into is not None:
            text.fold(self, self.into, combine, self.initial)

    def cuda(self, text: CudaText) -> None:
        k = self.index
        text.use("operators/intersect.cuh")
        functor = text.functor(
            self,
            {
                "cond": ("cond_intersect", "return true;"),
                "apply": ("apply_intersect", "(void)0;"),
                "count": ("apply_count", "(void)0;"),
            },
        )
        rows, edges = text.rows()
        wide = self._wide(text.graph)
        flags = ", ".join(str(x).lower() for x in (self.input.everything, self.visits, self.repeats, self.simple))
        flags += f", {wide}, {SLICES[text.graph.layout][0]}, {LISTED_EDGES}"
        wide_rows = text.buffer(self, "wide_rows") if wide and self.input.everything else "nullptr"
        late = ("places", "ends", "firsts", "counts") if wide and not self.input.everything else ()
        later = f"LongEdges{{{', '.join(text.buffer(self, name) for name in late)}}}"
        total, start, keep = "NoTotal", "", []
        if self.into is not None:
            op, start = text.reduction(self.reduce, self.initial.dtype)
            total = f"Total<{op}, {text.c_name(self.initial.dtype)}>"
            keep = [f"total_{k}.leave({start}, {text.partials(self)});"]
        make = [
            f"{total} total_{k}{{{start}}};",
            f"Intersect<{functor}, {rows}, {total}, {flags}> intersect_{k}{{grid, {edges}, {functor}{{fields}}, "
            f"total_{k}, {wide_rows}, {later}, iteration}};",
        ]
        walk = [*make, f"intersect_{k}.run({text.items(self.input)}, {text.length(self.input)});", *keep]
        rest = "run_wide()" if self.input.everything else f"run_slices({text.items(self.input)})"
        text.body(walk, *([("control[WORD_HUBS] != 0", [*make, f"intersect_{k}.{rest};", *keep])] if wide else []))
        if self.into is not None:
            self._cuda_fold(text, text.field_array(self.into), op, start, wide > 0)
        if wide:
            text.completion(["control[WORD_HUBS] = 0;", "control[WORD_CURSOR] = 0;"])

    def _cuda_fold(self, text: CudaText, field: str, op: str, start: str, wide: bool) -> None:
        partials, before = text.partials(self), text.constant(self.initial)
        if not wide:
            text.fold(-1, f"fold_blocks({partials}, {field}, {op}(), {start}, {before}, gridDim.x);")
            return
        # Where rows or slices are to come, their edges may still ask what the field held before, so the sum is held.
        held = text.buffer(self, "held")
        target = f"grid.word(WORD_HUBS) != 0 ? {held} : {field}"
        text.fold(-2, f"fold_blocks({partials}, {target}, {op}(), {start}, {before}, gridDim.x);")
        text.fold(-1, f"fold_blocks({partials}, {field}, {op}(), {start}, load_fresh({held}), gridDim.x);")


def record(
    index: int,
    problem: Problem,
    frontier: Handle,
    functor: type[Functor] | None,
    *,
    into: str | None = None,
    reduce: str = "add",
    initial: Any = None,
) -> Intersect:
    """Record an intersect; the options are those of `minigr.operators.intersect`."""
    check_input(frontier, "intersect", ("edges",))
    names = ("cond_intersect", "apply_intersect", "apply_count")
    functions = bind_functions(functor, problem, names, names[1:], "intersect")
    assert functor is not None
    graph = problem.graph
    node = Intersect(index, frontier, None, functions, into=into, reduce=reduce)
    if into is not None:
        node.initial = scalar_start(problem, into, reduce, initial, "intersect: into")
        if "apply_count" not in functions:
            raise FunctorError(f"intersect: into={into!r} needs functor {functor.__name__} to have apply_count")
        functions["apply_count"] = replace(functions["apply_count"], reduced=name_of(node.initial.dtype))
        node.buffers["partials"] = (lambda workers: workers, node.initial.dtype, 0)
    elif initial is not None or reduce != "add":
        raise ProblemError("intersect reduces nothing: name a scalar field, into=, or leave out reduce= and initial=")
    node.repeats = graph.layout == "csr" and graph.has_parallel_edges
    node.simple = not node.repeats and graph.num_self_loops == 0
    return node
