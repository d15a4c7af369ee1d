"""Runs a plan on the CPU: compiles it once, then calls the compiled loop in a team of threads."""

from __future__ import annotations

from collections.abc import Hashable
from functools import cache
from typing import Any

import numpy as np

from minigr.jit.compile_cpu import compile_program
from minigr.jit.functor import GRAPH
from minigr.jit.index_checks import CheckedFields
from minigr.jit.told import tell
from minigr.program.control import Word, words
from minigr.program.cpu_text import CHECKS, OF_GRAPH, CpuText
from minigr.program.frontier import ITEM_DTYPES
from minigr.program.node import HUB
from minigr.program.operator import Operator
from minigr.program.plan import Plan
from minigr.program.seen_graph import counted, value_of
from minigr.program.step_frontier import StepFrontier

FIRST_SOLO = 2048  # edges of a step; with fewer it is one thread's, until it is seen how much sharing gains
_programs: dict[Hashable, tuple[Any, list[str], list[str], CheckedFields]] = {}


def _program(plan: Plan) -> tuple[Any, list[str], list[str], CheckedFields]:
    """The compiled loop, the names of the fields and the buffers that it takes, and the fields that are checked."""
    tell("plan", plan)
    key = plan.key()
    found = _programs.get(key)
    if found is None:
        text = CpuText(plan)
        for node in plan.nodes:
            assert isinstance(node, Operator)
            node.cpu(text)
        source = text.program()
        found = compile_program(source, text.users), text.fields, text.parameters, text.checked
        _programs[key] = found
    return found


def workers(plan: Plan) -> int:
    """Threads that run a plan."""
    from minigr.jit.spmd import num_threads

    graph, threads = plan.problem.graph, num_threads()
    # A team whose steps are all one thread's would only have to be woken up, and sent home again.
    return threads if graph.num_vertices + graph.num_arcs >= FIRST_SOLO else 1


@cache
def _arrays_of(layout: str) -> Any:
    """What hands a program the arrays of a graph of this layout."""
    from minigr.graphs import adjacency_cpu
    from minigr.graphs.dynamic import adjacency_cpu as slab_adjacency_cpu

    return {"csr": adjacency_cpu, "slabs": slab_adjacency_cpu}[layout].arrays


class CpuRun:
    """One run of a plan: its buffers and its control block."""

    def __init__(self, plan: Plan) -> None:
        from minigr.program.output_cpu import STAGE

        self.plan = plan
        self._loop, self._fields, names, self._checked = _program(plan)
        self._seen = [name.removeprefix(OF_GRAPH) for name in self._fields if name.startswith(OF_GRAPH)]
        self._checks = self._checked.empty() if plan.debug else None
        self.threads = workers(plan)
        staged = {ITEM_DTYPES[node.output.kind] for node in plan.nodes if node.output is not None}
        self._stages = np.empty((self.threads, STAGE), np.int64 if np.int64 in staged else np.int32)
        arrays = plan.allocations(self.threads)
        plan.require_memory(arrays)
        self.buffers = self._allocate(arrays)
        self._fills = [(name, fill) for name, (_, _, fill) in arrays.items() if fill is not None]
        self._arguments = [self.buffers[name] for name in names]
        self._begin()

    def renew(self) -> None:
        """Make it as it was before its first launch, over the graph as it is now."""
        for name, fill in self._fills:
            self.buffers[name][...] = fill
        self._begin()

    def _begin(self) -> None:
        """Have a control block to start with, and the graph's arrays."""
        plan, graph = self.plan, self.plan.problem.graph
        self.control = np.zeros(words(plan.counters), np.int64)
        self.control[Word.LEAST_SOLO] = FIRST_SOLO // 8
        self.control[Word.SHARES_HUBS] = plan.shares_hubs and graph.longest_row() > HUB
        self._out = into = graph.out_edges
        if plan.reads_in_edges:
            into = graph.in_edges(ids=plan.reads_in_ids)
        self._parts = {OF_GRAPH + part: value_of(part, graph) for part in self._seen}
        # Without weights that are asked for, programs need not differ by their dtype.
        self._graph = _arrays_of(graph.layout)(self._out, into, plan.weight_dtype is not None)

    def _allocate(self, arrays: dict[str, tuple[Any, Any, Any]]) -> dict[str, Any]:
        buffers: dict[str, Any] = {
            **self.plan.given(),
            "no_items": np.empty(0, np.int32),  # stands for a list or a field that an operator does without
            "no_bitmaps": np.empty((2, 0), np.int64),
        }
        for name, (shape, dtype, fill) in arrays.items():
            buffers[name] = np.zeros(shape, dtype) if isinstance(fill, int) and fill == 0 else np.empty(shape, dtype)
            if fill:
                buffers[name][...] = fill
        return buffers

    def order(self) -> tuple[Any, Any]:
        """The vertices of all levels that were kept, and where each of them begins."""
        return self.buffers["first"], self.buffers["starts"]

    def put_items(self, buffer: str, items: Any) -> None:
        """Store what stands at the beginning of a buffer when the loop starts; items may be a GPU's."""
        self.buffers[buffer].reshape(-1)[: items.size] = self.plan.problem.device.asarray(items)

    def output(self, frontier: StepFrontier) -> Any:
        """The items of one of the current frontiers."""
        return self._input(frontier).copy()

    def _input(self, frontier: StepFrontier) -> Any:
        """The items of one of the coming step's inputs."""
        second = self.control[Word.TOGGLE] and frontier.slot is not None and not self.plan.in_order
        begin = self.control[Word.INPUT_BEGIN]
        items = self.buffers[frontier.name("second" if second else "first")]
        return items[begin:][: self.control[self.plan.input_word(frontier)]]

    def read_control(self) -> Any:
        """The control block on the host."""
        return self.control

    def write_control(self, changes: dict[int, int]) -> None:
        """Set words of the control block."""
        for word, value in changes.items():
            self.control[word] = value

    def launch(self) -> None:
        """Run until the loop stops or its budget of steps is used up."""
        from minigr.jit.spmd import run_team

        control = self.control
        control[Word.SOLO] = FIRST_SOLO  # who was in the way before may have gone
        if control[Word.SHARES_HUBS] and control[Word.WORK] < control[Word.SOLO]:
            for frontier in self.plan.weighed:  # as `weigh_few` does
                edges = int(self._out.degrees_of(self._input(frontier)).sum())
                control[Word.WORK] = max(control[Word.WORK], edges)
        problem = self.plan.problem
        values = {**problem._values, **self._parts} if self._parts else problem._values
        if self._checks is not None:
            self._checked.fill(self._checks, self._checks.ctypes.data, {**values, GRAPH: counted(problem.graph)})
            values = {**values, CHECKS: self._checks}
        fields = tuple(values[name] for name in self._fields)
        try:
            run_team(self._loop, self.threads, self.control, self._graph, fields, self._stages, *self._arguments)
        except Exception:
            if self._checks is not None:
                self._checked.raise_first(self._checks, problem._values, problem._fields)
            raise
