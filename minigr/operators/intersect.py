"""intersect: the common neighbors of the two ends of each edge of a frontier."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from minigr.errors import FunctorError
from minigr.graphs.dynamic.layout import LANES
from minigr.jit.functor import Functor
from minigr.operators.compute import scalar_target
from minigr.operators.frontier import Handle
from minigr.operators.node import SLICE, Node, bind_functions, check_input
from minigr.primitives import reduce_ops

if TYPE_CHECKING:
    from minigr.enactor.cpu_text import CpuText
    from minigr.enactor.cuda_text import CudaText
    from minigr.enactor.problem import Problem

# Positions of a vertex from which on a GPU's block marks its neighbors, where all edges are visited.
WIDE_ROW = 64
# Of a list, by the graph's layout: positions in a slice of an edge's shorter row, and those of the row from which on
# all warps of a GPU share the edge; and the most edges for that.
SLICES, LISTED_EDGES = {"csr": (SLICE, SLICE), "slabs": (8 * LANES, 2 * LANES)}, 1 << 16


@dataclass
class Intersect(Node):
    """The recorded form; see `record` for the options."""

    per_edge: ClassVar[bool] = True

    into: str | None = None
    reduce: str = "add"
    dtype: Any = None
    simple: bool = False  # the graph has neither self-loops nor parallel edges
    repeats: bool = False  # it has parallel edges

    def options(self) -> tuple[Any, ...]:
        return (self.into, self.reduce, self.simple, self.repeats)

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
        held = {} if self.into is None else {"held": (1, self.dtype, None)}
        if self.input.everything:
            return held | {"wide_rows": (graph.most_edge_ids // WIDE_ROW, np.int32, None)}
        kinds = {"places": np.int64, "ends": np.uint64, "firsts": np.int64, "counts": np.uint64}
        return held | {name: (LISTED_EDGES, kind, None) for name, kind in kinds.items()}

    def cpu(self, text: CpuText) -> None:
        k = self.index
        text.use("intersect_cpu")
        cond, apply = text.adapter(self, "cond_intersect", "yes"), text.adapter(self, "apply_intersect", "nothing")
        counted, sums = text.adapter(self, "apply_count", "nothing"), self.into is not None
        combine, start = text.reduction(self.reduce, self.dtype) if sums else ("nothing", "np.int64(0)")
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
            text.fold(self, self.into, combine, start)

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
            op, start = text.reduction(self.reduce, self.dtype)
            total = f"Total<{op}, {text.c_name(self.dtype)}>"
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
        partials = text.partials(self)
        if not wide:
            text.fold(-1, f"fold_blocks({partials}, {field}, {op}(), {start}, {start}, gridDim.x);")
            return
        # Where rows or slices are to come, their edges may still ask what the field held before, so the sum is held.
        held = text.buffer(self, "held")
        target = f"grid.word(WORD_HUBS) != 0 ? {held} : {field}"
        text.fold(-2, f"fold_blocks({partials}, {target}, {op}(), {start}, {start}, gridDim.x);")
        text.fold(-1, f"fold_blocks({partials}, {field}, {op}(), {start}, load_fresh({held}), gridDim.x);")


def record(
    index: int,
    problem: Problem,
    frontier: Handle,
    functor: type[Functor] | None,
    *,
    into: str | None = None,
    reduce: str = "add",
) -> Intersect:
    """Record an intersect.

    A common neighbor of an edge is a vertex to which an edge leads from both its ends: in an undirected graph the third
    corner of a triangle. Each is found once, whatever parallel edges there are; that of the edges which is named is
    then the first. In a graph with self-loops an end of an edge may be one of them.

    Parameters
    ----------
    frontier : Handle
        Edges, a list or all of them.
    functor : Functor
        ``cond_intersect`` decides for each edge whether it is looked at. ``apply_intersect`` runs for each common
        neighbor ``common``; ``src_edge`` and ``dst_edge`` are the edges that lead to it from ``src`` and ``dst``.
        ``apply_count`` runs once for each edge, with their number ``count``. ``idx`` is an edge's position in the
        frontier, and of all edges its id.
    into : str, optional
        Name of a scalar field that gets what ``apply_count`` returns, reduced over the edges that were looked at, anew
        in each step; in no fixed order, so that the rounding of floats may differ.
    reduce : {"add", "min", "max", "or"}

    Notes
    -----
    An edge takes no more than O(d log D) work for a `Graph` and O(d) for a `DynamicGraph`, where d is the smaller
    degree of its ends and D the greater. Over all edges the neighbors of a vertex may instead be marked, and those of
    each of its neighbors looked up, in O(1) each.
    """
    check_input(frontier, "intersect", ("edges",))
    names = ("cond_intersect", "apply_intersect", "apply_count")
    functions = bind_functions(functor, problem, names, names[1:], "intersect")
    assert functor is not None
    dtype = scalar_target(problem, into, "intersect: into")
    if into is not None:
        if "apply_count" not in functions:
            raise FunctorError(f"intersect: into={into!r} needs functor {functor.__name__} to have apply_count")
        reduce_ops.identity(reduce, dtype)  # refuses a name that isn't known, and 'or' on floats
        functions["apply_count"] = replace(functions["apply_count"], reduced=True)
    graph = problem.graph
    node = Intersect(index, frontier, None, functions, into=into, reduce=reduce, dtype=dtype)
    node.repeats = graph.layout == "csr" and graph.has_parallel_edges
    node.simple = not node.repeats and graph.num_self_loops == 0
    if into is not None:
        node.buffers["partials"] = (lambda workers: workers, dtype, 0)
    return node
