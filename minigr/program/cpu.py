"""Runs a plan on the CPU: compiles it once, then calls the compiled loop in a team of threads."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from minigr.device import CPU
from minigr.graphs.layouts import kernels_of
from minigr.jit.compile_cpu import compile_program
from minigr.jit.functor import GRAPH
from minigr.jit.index_checks import CheckedFields
from minigr.jit.spmd import run_team
from minigr.jit.threads import get_num_threads, threads_asked_for
from minigr.jit.told import tell
from minigr.primitives import filled
from minigr.program.control import Word, words
from minigr.program.cpu_text import CHECKS, OF_GRAPH, CpuText
from minigr.program.frontier import ITEM_DTYPES
from minigr.program.node import HUB
from minigr.program.output_cpu import STAGE
from minigr.program.plan import MOST_LEFT, Plan, bytes_of
from minigr.program.seen_graph import counted, value_of
from minigr.program.step_frontier import StepFrontier
from minigr.program.work_cpu import cursor_words

FIRST_SOLO = 2048  # a step with fewer edges is done by one thread, until the gain of sharing is measured
_MANY = 8  # a smaller team takes less time for a barrier, and shares steps with fewer edges
MOST_ROUNDS = 64  # rounds in a step, so that a loop can be stopped
_NOTHING = {  # for a list or bitmaps that an operator does not have
    "no_items": np.empty(0, np.int32),
    "no_bitmaps": np.empty((2, 0), np.int64),
}
_programs: dict[Hashable, tuple[Any, list[str], list[str], CheckedFields]] = {}


def text_of(plan: Plan) -> CpuText:
    """The text of a plan's program."""
    text = CpuText(plan)
    for node in plan.nodes:
        text.write(node)
    return text


def _program(plan: Plan) -> tuple[Any, list[str], list[str], CheckedFields]:
    """The compiled loop, the names of the fields and the buffers that it takes, and the fields that are checked."""
    key = plan.key()
    found = _programs.get(key)
    if found is None:
        text = text_of(plan)
        source = text.program()
        found = compile_program(source, text.users), text.fields, text.parameters, text.checked
        _programs[key] = found
    return found


def workers(plan: Plan) -> int:
    """The number of threads that run a plan."""
    graph = plan.problem.graph
    if graph.num_vertices + graph.num_arcs >= FIRST_SOLO:
        return get_num_threads()
    threads_asked_for()  # so that an invalid number of threads is refused on any graph
    return 1  # one thread would do all steps; more threads would only be woken up and sent to sleep again


def _stages(plan: Plan, threads: int) -> tuple[tuple[int, int], Any]:
    """Shape and dtype of the stages of a team's threads."""
    staged = {ITEM_DTYPES[node.output.kind] for node in plan.nodes if node.output is not None}
    return (threads, STAGE), np.int64 if np.int64 in staged else np.int32


def outlined(plan: Plan) -> dict[str, Any]:
    """Outlines of the arrays that a `CpuRun` allocates."""
    plan.fuse()
    device, threads = plan.problem.device, workers(plan)
    arrays = {name: array[:2] for name, array in plan.allocations(threads).items()}
    arrays["stages"] = _stages(plan, threads)
    return {name: device.empty(shape, dtype) for name, (shape, dtype) in arrays.items()}


def _array(shape: Any, dtype: Any, fill: Any) -> Any:
    """An array that begins with `fill`: a number, or a list of numbers. For None, the array is not initialised."""
    if isinstance(fill, (int, float)):
        return filled.full(CPU, shape if isinstance(shape, tuple) else (shape,), fill, np.dtype(dtype))
    array = np.empty(shape, dtype)
    if fill is not None:
        array[...] = fill
    return array


class _Shared:
    """The data that all runs of a plan share: its program, and the shapes of the arrays that each run allocates."""

    def __init__(self, plan: Plan, threads: int) -> None:
        self.threads = threads
        plan.fuse()
        self.loop, self.fields, self.names, self.checked = _program(plan)
        self.seen = [(name, name.removeprefix(OF_GRAPH)) for name in self.fields if name.startswith(OF_GRAPH)]
        arrays = plan.allocations(threads)
        self.size = bytes_of(arrays)
        self.makers = arrays.items()
        self.fills = [(name, fill) for name, (_, _, fill) in arrays.items() if fill is not None]
        self.stages = _stages(plan, threads)
        self.rooms: list[_Room] = []  # rooms of small runs that are done, for later runs
        is_handed_out = plan.levels is not None or plan.keeps_levels or plan.debug
        self.is_left = self.size <= MOST_LEFT and not is_handed_out
        self.in_edges = plan.reads_in_edges, plan.reads_in_ids
        # If no function uses weights, programs don't depend on the dtype of weights.
        self.is_weighted = plan.weight_dtype is not None
        self._first = -1, np.empty(0, np.int64)  # graph version, and the control block for it

    def room(self, plan: Plan) -> _Room:
        """A room for one run, with initial values in its buffers."""
        try:
            room = self.rooms.pop()
        except IndexError:
            return _Room(self, plan)
        self.clear(room)
        return room

    def clear(self, room: _Room) -> None:
        """Set the buffers of a room to their initial values."""
        for name, fill in self.fills:
            room.buffers[name][...] = fill

    def control(self, plan: Plan) -> Any:
        """The control block that a loop over the current graph starts with. The caller copies it."""
        graph = plan.problem.graph
        version, control = self._first
        if version != graph.version:
            control = np.zeros(words(plan.counters) + cursor_words(self.threads), np.int64)
            control[Word.LEAST_SOLO] = FIRST_SOLO // 8
            control[Word.SHARES_HUBS] = plan.shares_hubs and graph.longest_row() > HUB
            plan.first_words(control)
            self._first = graph.version, control
        return control


def _shared(plan: Plan) -> _Shared:
    threads = workers(plan)
    found = plan.shared.get("cpu")
    if found is None or found.threads != threads:
        found = plan.shared["cpu"] = _Shared(plan, threads)
    return found


class _Room:
    """The memory of a run: its buffers, its control block, and the arguments of the loop."""

    def __init__(self, shared: _Shared, plan: Plan) -> None:
        plan.require_memory(shared.size)
        self.stages = np.empty(*shared.stages)
        made = {name: _array(shape, dtype, fill) for name, (shape, dtype, fill) in shared.makers}
        self.buffers = {**plan.given(), **_NOTHING, **made}
        self.arguments = tuple(map(self.buffers.__getitem__, shared.names))
        self.words = np.empty_like(shared.control(plan))
        self.control = self.words.data  # a memoryview, whose elements Python reads in half the time


class CpuRun:
    """One run of a plan: its buffers and its control block. For any driver, one function runs the whole loop.

    Attributes
    ----------
    counts_steps : bool
        Whether the number of steps matters, so that no thread may work ahead in a step.
    """

    counts_steps = True

    def __init__(self, plan: Plan, driver: str) -> None:
        tell("plan", plan)
        self.plan, self._shared = plan, _shared(plan)
        self._checks = self._shared.checked.empty() if plan.debug else None
        self._room = self._shared.room(plan)
        self.buffers, self.control = self._room.buffers, self._room.control
        self._begin()

    def renew(self) -> None:
        """Reset the run to its state before the first launch, over the current graph."""
        self._shared.clear(self._room)
        self._begin()

    def go_on(self) -> None:
        """Prepare the run for a later step of the loop that it is a part of. Its buffers keep their contents.

        This step has another number, and stamps depend on the number, so nothing has to be cleared.
        """
        self._room.words[:] = self._shared.control(self.plan)

    def retire(self) -> None:
        """End the use of this run, and let a later run of the plan use its memory, if possible."""
        if self._shared.is_left:
            self._shared.rooms.append(self._room)

    def _begin(self) -> None:
        """Set the control block to its first state, and get the graph's arrays."""
        graph, shared = self.plan.problem.graph, self._shared
        self._room.words[:] = shared.control(self.plan)
        out = into = graph.out_edges
        inward, ids = shared.in_edges
        if inward:
            into = graph.in_edges(ids=ids)
        self._parts = {name: value_of(part, graph) for name, part in shared.seen}
        self._graph = kernels_of(graph.layout).arrays(out, into, shared.is_weighted)

    def order(self) -> tuple[Any, Any]:
        """The vertices of all levels that were kept, and the beginnings of the levels."""
        return self.buffers["first"], self.buffers["starts"]

    def put_items(self, buffer: str, items: Any) -> None:
        """Store the first items of a buffer before the loop starts. Items may be on a GPU."""
        host = items if type(items) is np.ndarray else CPU.asarray(items)
        self.buffers[buffer].reshape(-1)[: host.size] = host

    def output(self, frontier: StepFrontier) -> Any:
        """The items of one of the current frontiers."""
        return self._input(frontier).copy()

    def _input(self, frontier: StepFrontier) -> Any:
        """The items of one of the coming step's inputs."""
        second = self.control[Word.TOGGLE] and frontier.slot is not None and not self.plan.in_order
        begin = self.control[Word.INPUT_BEGIN]
        items = self.buffers[frontier.name("second" if second else "first")]
        return items[begin:][: self.control[self.plan.input_word(frontier)]]

    def launch(self) -> None:
        """Run until the loop stops or its budget of steps is used up."""
        control = self.control
        control[Word.ROUNDS] = 0 if self.counts_steps else MOST_ROUNDS
        # Other programs that took cores during an earlier launch may have ended.
        control[Word.SOLO] = FIRST_SOLO * min(self._shared.threads, _MANY) // _MANY
        if control[Word.SHARES_HUBS] and control[Word.WORK] < control[Word.SOLO]:
            rows = self.plan.problem.graph.out_edges
            for frontier in self.plan.weighed:  # as `weigh_few` does
                edges = int(rows.degrees_of(self._input(frontier)).sum())
                control[Word.WORK] = max(control[Word.WORK], edges)
        problem = self.plan.problem
        values = {**problem._values, **self._parts} if self._parts else problem._values
        if self._checks is not None:
            self._shared.checked.fill(self._checks, self._checks.ctypes.data, {**values, GRAPH: counted(problem.graph)})
            values = {**values, CHECKS: self._checks}
        shared = self._shared
        fields = tuple(map(values.__getitem__, shared.fields))
        alone = self.plan.single and control[Word.WORK] < control[Word.SOLO]  # then no other thread must be woken
        try:
            run_team(
                shared.loop,
                1 if alone else shared.threads,
                self._room.words,
                self._graph,
                fields,
                self._room.stages,
                *self._room.arguments,
            )
        except Exception:
            if self._checks is not None:
                shared.checked.raise_first(self._checks, problem._values, problem._fields)
            raise
