"""reduce_by_key: for each vertex of a frontier, groups the values of its edges by a key, and picks the best group."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from minigr.errors import FunctorError
from minigr.jit.functor import Bound, Functor
from minigr.operators.options import WAYS
from minigr.operators.reduced import asked_dtype, returned_dtype
from minigr.primitives import reduce_ops
from minigr.program.frontier import Handle
from minigr.program.node import (
    SLICE,
    bind_functions,
    check_choice,
    check_in_edges,
    check_input,
    check_since,
    refuse_positions,
)
from minigr.program.operator import Operator
from minigr.program.supplied import arguments_of

if TYPE_CHECKING:
    from minigr.program.cpu_text import CpuText
    from minigr.program.cuda_text import CudaText
    from minigr.program.problem import Problem

_TABLE = 1024  # bytes of a warp's table in shared memory
_MORE_PLACES = 16  # of a hub's table in GPU memory, besides five for four edges: two buckets of `hash_table.cuh`
_LEAST_GROUPS = 16  # minimum number of groups for which a CPU's thread has room
_SPARSE = 4  # places in the thread's table for each group


@dataclass
class ReduceByKey(Operator):
    """The recorded form of a reduction by key; the options are those of `minigr.operators.reduce_by_key`."""

    per_edge: ClassVar[bool] = True

    direction: str = "out"
    reduce: str = "add"
    key: Any = None  # dtype of the keys
    value: Any = None  # dtype of the reduction
    score: Any = None  # dtype of the scores by which the best group is chosen
    scores: bool = False  # whether `apply_group` returns the score
    since: bool = False  # use only edges inserted since the mark

    def options(self) -> tuple[Any, ...]:
        return self.direction, self.reduce, self.key.str, self.value.str, self.score.str, self.scores, self.since

    @property
    def picks(self) -> bool:
        """Whether the functor gets the best group."""
        return "apply_best" in self.functions

    def frame(self, graph: Any) -> Any:
        return self._groups(graph), self.defers(graph)

    def _inward(self) -> bool:
        return self.direction == "in"

    # --- on a CPU ------------------------------------------------------------------------------------------------

    def _groups(self, graph: Any) -> int:
        """Number of groups for which a thread has room: a power of two."""
        return max(1 << graph.max_degree(inward=self._inward()).bit_length(), _LEAST_GROUPS)

    def cpu_buffers(self, graph: Any) -> dict[str, tuple[Any, Any, Any]]:
        groups = self._groups(graph)
        kinds = {"keys": self.key, "values": self.value, "slots": np.int64}
        tables = {name: (lambda workers: (workers, groups), kind, None) for name, kind in kinds.items()}
        return {"places": (lambda workers: (workers, _SPARSE * groups), np.int32, 0), **tables}

    def cpu(self, text: CpuText) -> None:
        k = self.index
        text.use("reduce_by_key_cpu")
        key, value = text.adapter(self, "key", ""), text.adapter(self, "map", "reduce_by_key_cpu.one")
        group, best = text.adapter(self, "apply_group", "nothing"), text.adapter(self, "apply_best", "nothing")
        own, other = ("dst", "src") if self._inward() else ("src", "dst")
        listed = not self.input.everything
        at_own = {"key": own, "map": own, "apply_group": "vertex", "apply_best": "vertex"}
        fetch = text.fetches(self, at_own) if listed else "nothing"
        fetch_other = text.fetches(self, {"key": other, "map": other}, "fetch_other") if listed else "nothing"
        combine, _ = text.reduction(self.reduce, self.value)
        rows = text.rows(inward=self._inward(), ids=self.reads_in_ids, since=self.since)
        kinds = f"key=np.{self.key.name}, value=np.{self.value.name}, score=np.{self.score.name}"
        text.define(
            f"reduce_by_key_{k} = reduce_by_key_cpu.make_reduce_by_key(\n"
            f"    {key}, {value}, {group}, {best}, {combine}, {rows}, {kinds},\n"
            f"    fetch={fetch}, fetch_other={fetch_other},\n"
            f"    sparse={_SPARSE}, inward={self._inward()}, everyone={self.input.everything}, "
            f"weight={self.uses('weight')}, scores={self.scores}, picks={self.picks})"
        )
        tables = ", ".join(text.buffer(self, name) for name in ("places", "keys", "values", "slots"))
        frontier = f"{text.items(self.input)}, {text.length(self.input)}"
        text.body([f"reduce_by_key_{k}(rank, size, control, graph, fields, {frontier}, no_items, ({tables}))"])

    # --- on a GPU ------------------------------------------------------------------------------------------------

    @property
    def _shared(self) -> int:
        """Places of a warp's table in shared memory. The table has one more place."""
        return _TABLE // (self.key.itemsize + self.value.itemsize) - 1

    @property
    def _most(self) -> int:
        """The most edges of a vertex that a single warp handles: as many keys as its table finds quickly."""
        return self._shared * 3 // 4

    def defers(self, graph: Any) -> bool:
        inward = self._inward()
        return graph.max_degree(inward=inward) > self._most or graph.longest_row(inward=inward) > SLICE

    def _hubs(self, edges: Any) -> Any:
        """The maximum number of vertices that are put off."""
        return edges // self._most + edges // SLICE

    @property
    def counters(self) -> int:
        return 1  # for rows that are put off for blocks

    def gpu_buffers(self, graph: Any) -> dict[str, tuple[Any, Any, Any]]:
        if not self.defers(graph):
            return {}
        edges = graph.most_edge_ids
        hubs = self._hubs(edges)
        slices, places = hubs + edges // SLICE, edges + edges // 4 + _MORE_PLACES * hubs
        kinds = {"vertices": np.int32, "begins": np.int64, "segs": np.int64, "tables": np.int64}
        if self.picks:
            kinds |= {"any": np.int32, "keys": self.key, "values": self.value, "scores": self.score}
        tables = {"table_keys": (places, self.key, 0), "table_values": (places, self.value, 0)}
        late = {"late_rows": (hubs, np.int32, None), "late_segs": (hubs, np.int64, None)}
        return tables | late | {f"slice_{name}": (slices, kind, None) for name, kind in kinds.items()}

    def cuda(self, text: CudaText) -> None:
        k = self.index
        text.use("operators/reduce_by_key.cuh")
        functor = text.functor(
            self,
            {
                "key": ("key", ""),
                "value": ("map", "return 1;"),
                "group": ("apply_group", "(void)0;"),
                "best": ("apply_best", "(void)0;"),
            },
            fetches="apply_best",
        )
        tables = text.scratch(f"KeyTables<{_TABLE // 8}>")
        rows, edges = text.rows(inward=self._inward(), since=self.since)
        op, _ = text.reduction(self.reduce, self.value)
        kinds = ", ".join(text.c_name(kind) for kind in (self.key, self.value, self.score))
        flags = (self._inward(), self.input.everything, self.scores, self.picks)
        name = f"reduce_{k}"
        options = ", ".join(str(x).lower() for x in flags)
        make = [
            f"ReduceByKey<{functor}, W, {rows}, {op}, {kinds}, {options}, {_TABLE // 8}, {self._most}> {name}{{grid, "
            f"{edges}, {functor}{{fields}}, {tables}, {self._late(text)}, iteration}};"
        ]
        walk = [*make, f"{name}.run({text.items(self.input)}, {text.length(self.input)});"]
        if not text.defers(self):
            text.body(walk)
            return
        late, hubs = f"control[{text.first_own_word(self)}]", "control[WORD_HUBS]"
        steps = ["run_slices", "visit_tables", *(["pick"] if self.picks else [])]
        later = [(late, "run_rows"), *((hubs, step) for step in steps)]
        text.body(walk, *[(f"{count} != 0", [*make, f"{name}.{step}();"]) for count, step in later])
        counters = late, hubs, "control[WORD_CURSOR]", f"control[{text.length_word(k)}]"
        text.completion([f"{count} = 0;" for count in counters])

    def _late(self, text: CudaText) -> str:
        """The expression for the object that collects put-off rows."""
        kinds = ", ".join(text.c_name(kind) for kind in (self.key, self.value, self.score))
        if not text.defers(self):
            return f"LateGroups<{kinds}>{{}}"
        found = {name: text.buffer(self, name) for name in self.gpu_buffers(text.graph)}
        rows = f"edge_ids / {self._most} + edge_ids / SLICE"
        slices = ", ".join(found[f"slice_{name}"] for name in ("vertices", "begins", "segs"))
        tables = ", ".join(found[name] for name in ("slice_tables", "table_keys", "table_values"))
        best = ", ".join(found.get(f"slice_{name}", "nullptr") for name in ("any", "keys", "values", "scores"))
        return (
            f"LateGroups<{kinds}>{{{found['late_rows']}, {found['late_segs']}, {rows}, {text.first_own_word(self)}, "
            f"Slices{{{slices}, {rows} + edge_ids / SLICE, {text.late_slot(self)}}}, {tables}, "
            f"edge_ids + edge_ids / 4 + {_MORE_PLACES} * ({rows}), {text.length_word(self.index)}, {best}}}"
        )


def record(
    index: int,
    problem: Problem,
    frontier: Handle,
    functor: type[Functor] | None,
    *,
    direction: str = "out",
    reduce: str = "add",
    dtype: Any = None,
    since: str | None = None,
) -> ReduceByKey:
    """Record a reduction by key; the options are those of `minigr.operators.reduce_by_key`."""
    check_input(frontier, "reduce_by_key", ("vertices",))
    check_choice(direction, WAYS, "reduce_by_key: direction")
    names = ("key", "map", "apply_group", "apply_best")
    functions = bind_functions(functor, problem, names, names[:1], "reduce_by_key")
    assert functor is not None
    if not functions.keys() & {"apply_group", "apply_best"}:
        raise FunctorError(
            f"reduce_by_key needs functor {functor.__name__} to have apply_group or apply_best, which get the results"
        )
    edges = [functions[name] for name in ("key", "map") if name in functions]
    for bound in edges:
        if bound.uses("idx"):
            raise FunctorError(f"{bound.label} asks for 'idx', which reduce_by_key doesn't know: use 'edge' or 'seg'")
    refuse_positions(edges, problem, "reduce_by_key")
    if direction == "in":
        check_in_edges(problem, "reduce_by_key with direction='in'")
    node = ReduceByKey(index, frontier, None, functions, direction=direction, reduce=reduce)
    node.key = _key_dtype(functions["key"], problem)
    node.value = _value_dtype(dtype, functions.get("map"), problem)
    reduce_ops.identity(reduce, node.value)  # refuses reductions that this dtype does not have
    if "map" in functions:
        functions["map"] = replace(functions["map"], reduced=node.value.name)
    node.score, kinds = node.value, {"key": node.key.name, "value": node.value.name}
    for name in ("apply_group", "apply_best"):
        if name in functions:
            kinds["score"] = node.score.name
            functions[name] = replace(functions[name], kinds=tuple(kinds.items()))
        if name == "apply_group" and name in functions and (score := _score_dtype(functions[name], problem)):
            node.score, node.scores = score, True
            functions[name] = replace(functions[name], reduced=score.name)
    node.since = check_since(since, problem, "reduce_by_key")
    node.reads_in_edges = direction == "in"
    node.reads_in_ids = direction == "in" and node.uses("edge")
    return node


def _key_dtype(bound: Bound, problem: Problem) -> np.dtype:
    """int32 if ``key`` returns int32, or else int64."""
    from minigr.jit.facts import returned_type_of

    name = str(returned_type_of(bound, arguments_of(bound, problem)))
    if name.startswith("float"):
        raise FunctorError(
            f"{bound.label} returns {name}, but a key is a whole number: return np.int64(...), or a number of the group"
        )
    if name == "int32":
        return np.dtype(np.int32)
    return returned_dtype(bound, problem, "return np.int64(...)")


def _value_dtype(dtype: Any, bound: Bound | None, problem: Problem) -> np.dtype:
    """The dtype of the reduction: the requested dtype, or the type that ``map`` returns, or int64 for counts."""
    if dtype is not None:
        return asked_dtype(dtype, "reduce_by_key")
    if bound is None:
        return np.dtype(np.int64)
    return returned_dtype(
        bound, problem, "return np.int64(...), or give the dtype to reduce in, dtype='int64' or 'float64'"
    )


def _score_dtype(bound: Bound, problem: Problem) -> np.dtype | None:
    """The dtype of the score that ``apply_group`` returns; None if it returns nothing."""
    from minigr.jit.facts import returned_type_of
    from minigr.jit.native.types import NOTHING

    if returned_type_of(bound, arguments_of(bound, problem)) is NOTHING:
        return None
    return returned_dtype(bound, problem, "return np.int64(...) or np.float64(...)")
