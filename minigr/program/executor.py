"""Executor: runs a recorded step on the device until the loop ends."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import cache
from types import FunctionType
from typing import Any, ClassVar, cast

from minigr.errors import CapacityError, ProblemError
from minigr.graphs.guard import read
from minigr.jit.capture import digest
from minigr.program.control import DRIVERS, Driver, Stop, Word
from minigr.program.frontier import Frontier
from minigr.program.levels import Levels
from minigr.program.plan import UNLIMITED, Plan, bytes_of
from minigr.program.recorder import First, Recorder, has_deleted, several
from minigr.program.step_frontier import StepFrontier
from minigr.program.trace import Trace

Progress = Callable[[int, int | None], None]
"""Function that is told the progress of a long run: the steps or searches done, and the total if it is known."""
_FIRST_BUDGET = 256  # steps of the first launch; later launches get more steps until a launch takes about _SECONDS
_SECONDS = 0.25
_STOPS = tuple(Stop)  # by their values
_RAISED = (Stop.OVERFLOW, Stop.INDEX)  # stops that the device detects and that raise an exception on the host


_steps = 0


def steps_run() -> int:
    """The number of steps that the loops of this process have run; two calls differ by the steps between them."""
    return _steps


def note_steps(count: int) -> None:
    """Add the steps of a loop to the number of steps run."""
    global _steps
    _steps += count


class Executor(Recorder):
    """A loop over one problem.

    Parameters
    ----------
    problem : Problem
    max_iterations : int
        Maximum number of steps; `UNLIMITED` for no limit.
    driver : str
        The result of `check_driver`.
    debug : bool
    trace : Trace or None
    progress : Progress or None

    Attributes
    ----------
    iterations : int
        Steps done by the last run.
    stopped : Stop or None
        Why the last run ended. None before the first run, and if an exception without a `Stop` ended the run.
    levels : Levels or None
        The frontiers of the last run, if they are kept.
    """

    _skips_empty: ClassVar[bool] = True  # an empty first frontier ends the loop before its first step
    _steady: ClassVar[bool] = False  # later runs reuse the plan and the buffers of the first run

    def __init__(
        self,
        problem: Any,
        max_iterations: int,
        driver: Driver,
        debug: bool,
        trace: Trace | None = None,
        progress: Progress | None = None,
    ) -> None:
        super().__init__(problem, max_iterations, debug)
        self.driver, self.trace, self.progress = driver, trace, progress
        self.iterations = 0
        self.stopped: Stop | None = None
        self.levels: Any = None
        self._has_run = False
        self._done_before = 0  # steps of a longer loop that were done before this loop; `iteration` counts from there
        # The run to reuse, its frame, and the functions that it calls, with their digests.
        self._ready: tuple[Any, tuple[int, ...], list[tuple[FunctionType, str]]] | None = None
        self._accepted: set[Any] = set()  # kinds of first frontiers, some all vertices, that the step accepts

    def memory(self, frontier: First) -> int:
        """Return the bytes that a run from `frontier` allocates, in addition to the problem's fields.

        `Problem.memory_on` returns the bytes of the fields.
        """
        plan = self.record(self._without_deleted(frontier))
        if plan.problem.device.is_cuda:
            from minigr.program.cuda import workers
        else:
            from minigr.program.cpu import workers
        return bytes_of(plan.allocations(workers(plan)))

    def _without_deleted(self, first: First) -> First:
        """The frontiers that a loop starts with; after deletions, all vertices become a list of the live vertices."""
        graph = self.graph
        if not (has_deleted(graph) and any(each.everything for each in several(first))):
            return first
        kinds = tuple((each.kind, each.everything) for each in several(first))
        if not (self._steady and kinds in self._accepted):
            self.record(first)  # so that a refusal doesn't depend on whether vertices were deleted
            self._accepted.add(kinds)
        listed = [
            each.listed_on(graph) if each.everything and each.kind == "vertices" else each for each in several(first)
        ]
        return tuple(listed) if isinstance(first, tuple) else listed[0]

    # --- running -----------------------------------------------------------------------------------------------------

    def _execute(self, frontier: First) -> Any:
        """Run the loop from a frontier, and return the run. Meanwhile, no other thread may change the graph."""
        try:
            return read(self.graph, self._execute_now, frontier)
        except BaseException:
            if self.stopped not in _RAISED:
                self.stopped = None
            raise

    def _execute_for_output(self, frontier: First) -> Any:
        """Run the loop, and return the frontier that the last step returned; None if steps return no frontier.

        If the loop starts with a tuple of frontiers, return a tuple.
        """
        run = self._execute(frontier)
        outputs = tuple([self._output(run, own) for own in run.plan.frontiers])
        self._finish(run)
        return outputs if isinstance(frontier, tuple) else outputs[0]

    def _finish(self, run: Any) -> None:
        """End the use of a run, unless a later run reuses it."""
        if not self._steady:
            run.retire()

    def _output(self, run: Any, own: StepFrontier) -> Frontier | None:
        if own.output is None or own.slot is None:
            return None
        return Frontier.known(own.output.kind, run.output(own), self.graph, distinct=own.output.distinct or None)

    def _execute_now(self, first: First) -> Any:
        first = self._without_deleted(first)
        run = self._new_run(first)
        put_fixed(run.plan, run)
        put_first(run.plan, several(first), run)
        return self._run_loop(run)

    def _run_loop(self, run: Any) -> Any:
        """Run the loop of `run`, whose first frontier is stored, and return `run`."""
        plan, control = run.plan, run.control
        length = control[Word.INPUT_LENGTH]
        if self.trace is not None:
            self.trace.begin(length)
        empty = length == 0 and self._skips_empty and not control[Word.FAR_LENGTH]
        before = self._done_before
        self.iterations, self.stopped, self._has_run = before, Stop.EMPTY if empty else Stop.BUDGET, True
        end = before + self.max_iterations
        # The first launch does one step, so that `progress` is called after the first step even if steps take long.
        by_step = self.driver == "host"
        budget = 1 if by_step or self.progress is not None else _FIRST_BUDGET
        try:
            while self.stopped is Stop.BUDGET and self.iterations < end:
                budget = min(budget, end - self.iterations)
                control[Word.BUDGET], control[Word.STOP], control[Word.ITERATION] = budget, 0, self.iterations + 1
                started = time.perf_counter()
                run.launch()
                seconds = time.perf_counter() - started
                if self.trace is not None:
                    self.trace.add(control, seconds)
                self.iterations, self.stopped = control[Word.ITERATION], _STOPS[control[Word.STOP]]
                if self.progress is not None:
                    self.progress(self.iterations, None if self.max_iterations == UNLIMITED else self.max_iterations)
                if self.stopped is Stop.OVERFLOW:
                    raise CapacityError(overflow_message(plan, control[Word.OVERFLOW] - 1))
                if self.stopped is Stop.BUDGET and not by_step:  # launches take a fraction of a second
                    budget = max(1, min(int(budget * _SECONDS / max(seconds, 1e-6)), budget * 64, UNLIMITED))
        except BaseException:  # also an interruption, which may come after steps that were not counted yet
            self.stopped = _STOPS[control[Word.STOP]]
            self.iterations = max(self.iterations, control[Word.ITERATION] - (self.stopped is Stop.RUNNING))
            raise
        finally:
            note_steps(self.iterations - before)
        if plan.keeps_levels:
            self.levels = self._kept(run)
        return run

    def _new_run(self, frontier: First) -> Any:
        """A run from one or several frontiers. The last run is reused if it fits."""
        if self._ready is not None:
            run, frame, functions = self._ready
            same = all(digest(function) == before for function, before in functions)
            if same and run.plan.takes(several(frontier)) and run.plan.frame() == frame:
                self.problem.check_graph()
                run.renew()
                return run
            self._ready = None  # so that the buffers of both runs don't exist at the same time
        run = new_run(self.record(frontier), self.driver)
        run.counts_steps = self.max_iterations != UNLIMITED
        if self._steady:
            called = [bound.function for bound in run.plan.functions()]
            self._ready = run, run.plan.frame(), [(function, digest(function)) for function in called]
        return run

    def _kept(self, run: Any) -> Levels:
        """The levels that a run has kept, with the level that the next step would have started with."""
        (vertices, starts), control = run.order(), run.control
        end, left, count = control[Word.INPUT_BEGIN], control[Word.INPUT_LENGTH], self.iterations
        if count == 0:
            starts[0] = 0
        if left > 0:
            end, count = end + left, count + 1
            starts[count] = end
        vertices, starts = vertices[:end], starts[: count + 1]
        if self._steady:
            vertices, starts = vertices.copy(), starts.copy()  # because another run would overwrite them
        return Levels(vertices, starts, self.graph, self.graph.version)


def check_driver(driver: Any, graph: Any, trace: bool) -> Driver:
    """Return `driver` if a run can use it; "host" for a trace.

    Raises
    ------
    ProblemError
        If the driver doesn't exist, is not for the graph's device, or can't trace.
    """
    if not isinstance(driver, str) or driver not in DRIVERS:
        raise ProblemError(f"driver={driver!r}: use one of {', '.join(map(repr, DRIVERS))}")
    if driver == "graph" and not graph._device.is_cuda and graph.layout != "parts":
        raise ProblemError(
            "driver='graph' is a CUDA graph, and the graph is on the CPU: use 'fused' or 'host', or "
            "move it with graph.to('cuda')"
        )
    if trace and driver not in ("auto", "host"):
        raise ProblemError(f"driver={driver!r} can't be traced, because its loop doesn't run on the host: use 'host'")
    return "host" if trace else cast(Driver, driver)


def new_run(plan: Plan, driver: str) -> Any:
    """A run of the plan on its device, with its buffers.

    Raises
    ------
    ProblemError
        If the graph was changed since the step was recorded.
    """
    if plan.version != plan.problem.graph.version:
        raise ProblemError("the graph was changed since the step was recorded: record it again")
    device = plan.problem.device
    return _runs_on(device.is_cuda, device.is_rehearsed)(plan, driver)


@cache
def _runs_on(gpu: bool, rehearsed: bool) -> type:
    if rehearsed:
        from minigr.program.rehearsed import RehearsedRun

        return RehearsedRun
    if gpu:
        from minigr.program.cuda import CudaRun

        return CudaRun
    from minigr.program.cpu import CpuRun

    return CpuRun


def put_first(plan: Plan, frontiers: Sequence[Frontier], run: Any) -> None:
    """Store the items that the loop starts with in the buffers of `run`, and their number in its control block."""
    graph, control = plan.problem.graph, run.control
    returned, kept = 0, 0
    for own, frontier in zip(plan.frontiers, frontiers):  # noqa: B905  # equal lengths; strict= slows small calls
        if own.input.everything:
            length = graph.num_vertices if frontier.kind == "vertices" else graph.num_arcs
        elif own.input.fixed is not None:
            length = len(frontier)
        elif frontier.levels is None:
            items = (frontier.listed_on(graph) if frontier.everything else frontier).ids_in(graph)
            run.put_items(own.name("first"), items)
            length = items.size
        else:
            length = len(frontier)
            control[Word.INPUT_BEGIN] = len(frontier.levels.vertices) - length if frontier.reverse else 0
            control[Word.LEVELS_LEFT] = len(frontier.levels)
        if len(frontiers) > 1:
            control[plan.input_word(own)] = length
        if own.slot is None and plan.final_slots:
            kept += 0 if own.input.everything else length
        else:
            returned += length
    control[Word.INPUT_LENGTH] = returned
    if not plan.is_of_all:
        per_item = control[Word.WORK_PER_ITEM]
        if kept:
            control[Word.LEAST_WORK] = max(control[Word.LEAST_WORK], kept * per_item)
        control[Word.WORK] = max(returned * per_item, control[Word.LEAST_WORK])
    for node in plan.nodes:
        for name, (items, length_word) in node.first_items(graph).items():
            run.put_items(f"{name}_{node.index}", items)
            if length_word is not None:
                control[length_word] = items.size
                control[Word.WORK] = max(control[Word.WORK], items.size)


def put_fixed(plan: Plan, run: Any) -> None:
    """Store the lists that the step itself names in the buffers of `run`."""
    for k, ids in enumerate(plan.fixed):
        run.put_items(f"fixed_{k}", ids.ids)


def overflow_message(plan: Plan, slot: int) -> str:
    """The message of the error if an output, or the room for shared hubs, was too small in `slot`."""
    node = plan.nodes[slot % len(plan.nodes)]
    if plan.keeps_levels and slot in plan.final_slots:
        why = "the run keeps its levels, which hold each vertex once, but a vertex was put out in two steps"
        return f"{node.name} put out more vertices than the graph's {node.capacity}: {why}"
    why = "its frontier holds an id more than once, or several edges that lead to one vertex"
    if slot >= len(plan.nodes):
        without = "balance='merge', which needs no such room, or " if hasattr(node, "balance") else ""
        remedy = f"use {without}a filter with duplicates='remove' before {node.name}"
        return f"{node.name} has no room to share out vertices of many edges that are repeated: {why}; {remedy}"
    if getattr(node, "duplicates", None) == "impossible":
        why = "its functor's condition held twice for one vertex in one step, but duplicates='impossible' was given"
    what = f"{node.name} put out more items than the {node.capacity} that its buffer holds"
    return f"{what}: {why}; use duplicates='remove'"
