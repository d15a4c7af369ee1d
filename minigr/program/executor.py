"""Executor: records a step, and runs it on the device until the loop ends."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any, ClassVar

from minigr.errors import CapacityError, FunctorError, ProblemError
from minigr.graphs.guard import read
from minigr.jit.capture import digest
from minigr.jit.functor import Functor
from minigr.program.control import DRIVERS, Driver, Stop, Word
from minigr.program.frontier import Frontier, Handle
from minigr.program.levels import Levels
from minigr.program.node import Node
from minigr.program.plan import Plan, bytes_of
from minigr.program.seen_graph import bind_to
from minigr.program.trace import Trace

UNLIMITED = 1 << 62
Progress = Callable[[int, int | None], None]
"""What is told how far a long run has come: how many steps, or searches, are done, and of how many if that is known."""
_FIRST_BUDGET = 256  # steps of the first launch; later ones grow until a launch takes about _SECONDS
_SECONDS = 0.25


class Executor(ABC):
    """A loop over one problem.

    Parameters
    ----------
    problem : Problem
    max_iterations : int
        At most so many steps; `UNLIMITED` for no limit.
    driver : str
        As `check_driver` gave it.
    debug : bool
    trace : Trace or None
    progress : Progress or None

    Attributes
    ----------
    iterations : int
        Steps done by the last run.
    stopped : Stop
        Why the last run ended.
    levels : Levels or None
        The frontiers of the last run, where these are kept.
    """

    _functor: ClassVar[type[Functor] | None] = None  # whose `until` ends the loop
    _keeps_levels: ClassVar[bool] = False
    _skips_empty: ClassVar[bool] = True  # an empty first frontier ends the loop before its first step
    _steady: ClassVar[bool] = False  # plan and buffers of the first run are kept for others

    def __init__(
        self,
        problem: Any,
        max_iterations: int,
        driver: Driver,
        debug: bool,
        trace: Trace | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.problem, self.graph = problem, problem.graph
        self.max_iterations, self.driver, self.debug = max_iterations, driver, debug
        self.trace, self.progress = trace, progress
        self.iterations = 0
        self.stopped = Stop.EMPTY
        self.levels: Any = None
        self._has_run = False
        self._plan: Plan | None = None
        # The run to take again, the frame it is for, and the functions that it calls, as they were.
        self._ready: tuple[Any, tuple[int, ...], list[tuple[FunctionType, str]]] | None = None

    @abstractmethod
    def step(self, frontier: Handle) -> Handle | None:
        """Record the operators of one step; the next frontier, or None to keep the one there is."""

    def _add(self, make: Callable[[int], Node], overlap: bool = False) -> Handle | None:
        """Record the operator that `make` returns for its number in the step; return the operator's output."""
        assert self._plan is not None
        node = make(len(self._plan.nodes))
        if overlap:
            self._plan.overlap(node)
        self._plan.nodes.append(node)
        return node.output

    def _shown(self, symbol: Handle) -> Handle:
        """A symbol as `step` gets it."""
        return symbol

    def _symbol_of(self, frontier: Frontier) -> Handle:
        """The symbol for a frontier that the step itself names, whose list is kept in the plan if it needs one."""
        plan, graph, kind = self._plan, self.graph, frontier.kind
        assert plan is not None
        if frontier.levels is not None:
            raise ProblemError("levels are gone through by a loop that starts with them: return them from start")
        if frontier.everything and not (kind == "vertices" and _has_deleted(graph)):
            return Handle(kind, everything=True, capacity=graph.num_vertices if kind == "vertices" else graph.num_arcs)
        ids = frontier.vertices_on(graph) if frontier.everything else frontier.ids_in(graph)
        plan.fixed.append(Frontier.known(kind, ids, graph, distinct=frontier.distinct))
        return Handle(kind, fixed=len(plan.fixed) - 1, distinct=frontier.distinct, capacity=len(ids))

    def memory(self, frontier: Frontier) -> int:
        """Bytes that a run from such a frontier allocates besides the problem's fields; it may have to be compiled.

        Of the fields `Problem.memory_on` tells.
        """
        plan = self.record(frontier)
        if plan.problem.device.is_cuda:
            from minigr.program.cuda import workers
        else:
            from minigr.program.cpu import workers
        return bytes_of(plan.allocations(workers(plan)))

    def record(self, frontier: Frontier) -> Plan:
        """The plan that `step` makes for a first frontier of this kind; compiles and runs nothing."""
        self.problem.check_graph()
        if frontier.levels is not None:
            frontier.levels.check_graph(self.graph)
        # Pairs are only ever dropped, so it does not matter whether any repeat, which would take a sort to find out.
        repeats_matter = frontier.kind != "pairs"
        if frontier.everything:
            plan = self._recorded_of_all(frontier)
        else:
            plan = self._recorded(frontier, repeats_matter and frontier.distinct)
        if repeats_matter and plan.loops_back and plan.output is not None and not plan.output.distinct:
            # Its output may hold an id twice, so its input may too, and then as many as there are arcs.
            plan = self._recorded(frontier, False, self.problem.graph.num_arcs)
        if self._functor is not None:
            plan.until = bind_to(self._functor, "until", self.problem)
        plan.check()
        ends = plan.final_slot is not None or plan.until is not None or plan.levels is not None
        if not ends and self.max_iterations == UNLIMITED:
            raise ProblemError(
                f"{type(self).__name__} would never stop: its step returns no new frontier, its functor has no until, "
                "and there is no max_iterations"
            )
        return plan

    def _recorded_of_all(self, frontier: Frontier) -> Plan:
        """The plan for all vertices or edges: for the list of them where the step returns a list."""
        try:
            plan = self._recorded(frontier, True, everything=True)
        except (ProblemError, FunctorError):
            plan = self._recorded(frontier, True)
            if plan.final_slot is None:
                raise  # because such a list is nothing that the user knows of
            return plan
        return self._recorded(frontier, True) if plan.loops_back else plan

    def _recorded(self, frontier: Frontier, distinct: bool, least: int = 0, *, everything: bool = False) -> Plan:
        """The plan for a frontier, which is a list unless it is to be `everything`."""
        graph = self.problem.graph
        capacity = total = graph.num_vertices if frontier.kind == "vertices" else graph.num_arcs
        if frontier.kind == "pairs":
            capacity = len(frontier)  # no step puts out more
        elif not frontier.everything and self.max_iterations == 1 and not self._keeps_levels:
            capacity = len(frontier)  # there is no other step
        elif not distinct:
            capacity = max(capacity, least, frontier.count(total))
        symbol = Handle(frontier.kind, everything=everything, distinct=distinct, capacity=capacity)
        keeps, levels = self._keeps_levels, frontier.levels
        self._plan = plan = Plan(
            self.problem,
            symbol,
            single=self.max_iterations == 1 and not keeps,
            keeps_levels=keeps,
            levels=levels,
            reverse=frontier.reverse,
            debug=self.debug,
        )
        try:
            plan.output = self.step(self._shown(symbol))
        finally:
            self._plan = None
        if plan.output is not None and not isinstance(plan.output, Handle):
            raise ProblemError(f"{type(self).__name__}.step must return what an operator returned, or None")
        return plan

    # --- running -----------------------------------------------------------------------------------------------------

    def _execute(self, frontier: Frontier) -> Any:
        """Run the loop from a frontier while no other thread changes the graph; the run."""
        return read(self.graph, self._execute_now, frontier)

    def _execute_for_output(self, frontier: Frontier) -> Frontier | None:
        """Run the loop; the frontier that the last step returned, or None where steps return none."""
        run = self._execute(frontier)
        plan = run.plan
        if plan.output is None or plan.final_slot is None:
            return None
        return Frontier.known(plan.output.kind, run.output(), self.graph, distinct=plan.output.distinct or None)

    def _execute_now(self, frontier: Frontier) -> Any:
        if frontier.everything and frontier.kind == "vertices" and _has_deleted(self.graph):
            self.record(frontier)  # so that what is refused doesn't depend on it
            frontier = frontier.listed_on(self.graph)
        run = self._new_run(frontier)
        plan = run.plan
        if frontier.everything and not plan.input.everything:
            frontier = frontier.listed_on(self.graph)
        control = first_control(plan, frontier, run)
        run.write_control(control)
        if self.trace is not None:
            self.trace.begin(control[Word.INPUT_LENGTH])
        waiting = control.get(Word.FAR_LENGTH, 0)
        empty = control[Word.INPUT_LENGTH] == 0 and waiting == 0 and self._skips_empty
        self.iterations, self.stopped, self._has_run = 0, Stop.EMPTY if empty else Stop.BUDGET, True
        for budget in self._budgets():
            if self.stopped is not Stop.BUDGET or budget == 0:
                break
            run.write_control({Word.BUDGET: budget, Word.STOP: Stop.RUNNING, Word.ITERATION: self.iterations + 1})
            started = time.perf_counter()
            run.launch()
            control = run.read_control()
            if self.trace is not None:
                self.trace.add(control, time.perf_counter() - started)
            self.iterations = int(control[Word.ITERATION])
            if self.progress is not None:
                self.progress(self.iterations, None if self.max_iterations == UNLIMITED else self.max_iterations)
            self.stopped = Stop(int(control[Word.STOP]))
            if self.stopped is Stop.OVERFLOW:
                raise CapacityError(_overflow_message(plan, int(control[Word.OVERFLOW]) - 1))
        if plan.keeps_levels:
            self.levels = self._kept(run)
        return run

    def _new_run(self, frontier: Frontier) -> Any:
        """A run from `frontier`: the last one once more, where that will do."""
        if self._ready is not None:
            run, frame, functions = self._ready
            same = all(digest(function) == before for function, before in functions)
            if same and run.plan.takes(frontier) and run.plan.frame() == frame:
                self.problem.check_graph()
                run.renew()
                return run
            self._ready = None  # so that there are not the buffers of both
        run = new_run(self.record(frontier), self.driver)
        if self._steady:
            called = [bound.function for bound in run.plan.functions()]
            self._ready = run, run.plan.frame(), [(function, digest(function)) for function in called]
        return run

    def _kept(self, run: Any) -> Levels:
        """The levels that a run has kept, with the one that a next step would have begun with."""
        (vertices, starts), control = run.order(), run.read_control()
        end, left, count = int(control[Word.INPUT_BEGIN]), int(control[Word.INPUT_LENGTH]), self.iterations
        if count == 0:
            starts[0] = 0
        if left > 0:
            end, count = end + left, count + 1
            starts[count] = end
        vertices, starts = vertices[:end], starts[: count + 1]
        if self._steady:
            vertices, starts = vertices.copy(), starts.copy()  # another run would put its own there
        return Levels(vertices, starts, self.graph, self.graph.version)

    def _budgets(self) -> Iterator[int]:
        """How many steps each launch may do: one when tracing, otherwise as many as take a fraction of a second.

        Whoever is to be told of progress hears of the first step, however long steps take.
        """
        budget = 1 if self.driver == "host" or self.progress is not None else _FIRST_BUDGET
        while True:
            budget = min(budget, self.max_iterations - self.iterations)
            started = time.perf_counter()
            yield budget
            seconds = max(time.perf_counter() - started, 1e-6)
            if self.driver != "host":
                budget = max(1, min(int(budget * _SECONDS / seconds), budget * 64, UNLIMITED))


def _has_deleted(graph: Any) -> bool:
    return bool(graph.num_live_vertices < graph.num_vertices)


def check_driver(driver: Any, graph: Any, trace: bool) -> Driver:
    """`driver` as a run takes it.

    Raises
    ------
    ProblemError
        For a driver that doesn't exist, or not on the graph's device, or can't trace.
    """
    if not isinstance(driver, str) or driver not in DRIVERS:
        raise ProblemError(f"driver={driver!r}: use one of {', '.join(map(repr, DRIVERS))}")
    if driver == "graph" and not graph._device.is_cuda:
        raise ProblemError(
            "driver='graph' is a CUDA graph, and the graph is on the CPU: use 'fused' or 'host', or "
            "move it with graph.to('cuda')"
        )
    if trace and driver not in ("auto", "host"):
        raise ProblemError(f"driver={driver!r} can't be traced, because its loop isn't the host's: use 'host'")
    return "host" if trace else driver  # type: ignore[return-value]  # as was checked


def new_run(plan: Plan, driver: str) -> Any:
    """A run of the plan on its device, with its buffers.

    Raises
    ------
    ProblemError
        If the graph was changed since the step was recorded.
    """
    if plan.version != plan.problem.graph.version:
        raise ProblemError("the graph was changed since the step was recorded: record it again")
    if plan.problem.device.is_cuda:
        from minigr.program.cuda import CudaRun

        return CudaRun(plan, driver)
    from minigr.program.cpu import CpuRun

    return CpuRun(plan)


def first_control(plan: Plan, frontier: Frontier, run: Any) -> dict[int, int]:
    """Store the items that the loop starts with in the buffers of `run`; the control words it starts with."""
    graph = plan.problem.graph
    words: dict[int, int] = {Word.DRAWS: 1, Word.UNEXPLORED: graph.num_arcs, Word.WORK: UNLIMITED}
    if frontier.everything:
        words[Word.INPUT_LENGTH] = graph.num_vertices if frontier.kind == "vertices" else graph.num_arcs
    else:
        if frontier.levels is None:
            items = frontier.ids_in(graph)
            run.put_items("first", items)
            length = items.size
        else:
            length = len(frontier)
            words[Word.INPUT_BEGIN] = len(frontier.levels.vertices) - length if frontier.reverse else 0
            words[Word.LEVELS_LEFT] = len(frontier.levels)
        words[Word.INPUT_LENGTH] = length
        words[Word.LEAST_WORK] = max((node.least_work(graph) for node in plan.over_what_stays), default=0)
        words[Word.WORK_PER_ITEM] = 1 + graph.num_arcs // max(graph.num_vertices, 1)
        words[Word.WORK] = max(length * words[Word.WORK_PER_ITEM], words[Word.LEAST_WORK])
    for k, ids in enumerate(plan.fixed):
        run.put_items(f"fixed_{k}", ids.ids)
    for node in plan.nodes:
        words |= node.first_words(graph)
        for name, (items, length_word) in node.first_items(graph).items():
            run.put_items(f"{name}_{node.index}", items)
            if length_word is not None:
                words[length_word] = items.size
                words[Word.WORK] = max(words[Word.WORK], items.size)
    return words


def _overflow_message(plan: Plan, slot: int) -> str:
    node = plan.nodes[slot]
    if plan.keeps_levels and slot == plan.final_slot:
        why = "the run keeps its levels, the levels hold each vertex once, and one was put out in two steps"
        return f"{type(node).__name__.lower()} put out more vertices than the graph's {node.capacity}: {why}"
    if getattr(node, "duplicates", None) == "impossible":
        why = "its functor's condition held twice for one vertex in one step although duplicates='impossible' was said"
    else:
        why = "its frontier holds an id more than once, or edges that lead to one vertex"
    name = type(node).__name__.lower()
    return f"{name} put out more items than the {node.capacity} that its buffer holds: {why}; use duplicates='remove'"
