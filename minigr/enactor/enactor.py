"""Enactor: the loop of a graph program, recorded once and run on the device."""

from __future__ import annotations

import operator
import time
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any, ClassVar

from minigr.enactor.control import DRIVERS, Stop, Word
from minigr.enactor.plan import Plan, bytes_of
from minigr.enactor.problem import Problem
from minigr.enactor.steps import Steps
from minigr.enactor.trace import Trace
from minigr.errors import CapacityError, ProblemError
from minigr.graphs.given import require_graph
from minigr.graphs.guard import read
from minigr.jit.capture import digest
from minigr.jit.functor import Functor, bind
from minigr.jit.index_checks import is_on
from minigr.operators import RECORDERS
from minigr.operators.frontier import Frontier, Handle
from minigr.operators.levels import Levels
from minigr.signatures import names_options, unknown

UNLIMITED = 1 << 62
Progress = Callable[[int, int | None], None]
"""What is told how far a long run has come: how many steps, or searches, are done, and of how many if that is known."""
_OPTIONS = ("max_iterations", "trace", "driver", "progress", "problem", "debug")
_FIRST_BUDGET = 256  # steps of the first launch; later ones grow until a launch takes about _SECONDS
_SECONDS = 0.25


class Enactor(Steps):
    """Base of all enactors: how a graph program starts, and what one step does.

    A subclass names its Problem and its default Functor in the class statement, says in `start` which frontier the loop
    begins with, and in `step` which operators run. `step` is called before the loop starts, not in each iteration, with
    a symbol for the frontier; the operators it calls are compiled into one loop that runs on the device until the
    frontier is empty, until the functor's ``until`` holds, or until `max_iterations` steps are done.

    An enactor that is to run many times may be declared with ``steady=True``: its `step` is then recorded once, and
    must not depend on what a run starts with. Later runs take the plan and the buffers of the first, which saves most
    of what starting a run costs; in turn the enactor holds on to that memory.

    Parameters
    ----------
    graph : Graph or DynamicGraph
        Its layout, its device and the dtype of its weights are a part of the compiled program, on a GPU also whether a
        vertex has more than 512 edges: for a graph of another kind the program is compiled again.
    max_iterations : int, optional
        Stop after so many steps.
    trace : bool
        Run step by step from the host and keep a table of frontier sizes, directions and times in `trace`. Slower.
    driver : {"auto", "fused", "graph", "host"}
        Who runs the loop. ``"fused"``: persistent kernels on the GPU, one function for a team of threads on the CPU.
        ``"graph"``: a CUDA graph with a WHILE node (GPU only). ``"host"``: Python, step by step. ``"auto"``: on the GPU
        small steps are fused and large ones get kernels of their own, changing over on the device; on the CPU fused.
        The results are the same.
    progress : callable, optional
        Called a few times a second while the loop runs with the steps done and `max_iterations`, or None for that.
    problem : Problem, optional
        Work on this one instead of making one.
    debug : bool
        Check the index whenever a functor's function, or a helper of it, reads or writes an element of a field, or
        hands it to an atomic. The first index that is out of range ends the run with a `FieldIndexError` that names the
        line; the fields are then not to be used. A negative index is out of range. Slower. ``MINIGR_DEBUG=1`` in the
        environment does the same for every enactor and operator.
    **parameters
        Passed to the Problem.

    Attributes
    ----------
    problem : Problem
    iterations : int
        Steps done by the last run.
    stopped : Stop
        Why the last run ended: ``Stop.EMPTY``, ``Stop.UNTIL`` or ``Stop.BUDGET``.
    trace : Trace or None
    levels : Levels or None
        The frontiers of the last run one after the other, if the class was declared with ``keeps_levels=True``. No
        vertex may then be in the output of two steps of a run.

    Examples
    --------
    >>> import numpy as np
    >>> import minigr as mg
    >>> class Reach(mg.Problem):
    ...     seen = mg.vertex_field(np.int32, fill=0)
    >>> class Visit(mg.Functor):
    ...     def cond_advance(dst, seen):
    ...         return mg.atomic_exch(seen, dst, 1) == 0
    >>> class Reachable(mg.Enactor, problem=Reach, functor=Visit):
    ...     def start(self, source):
    ...         self.problem.seen[source] = 1
    ...         return mg.Frontier.of(source)
    ...     def step(self, frontier):
    ...         return self.advance(frontier)
    >>> enactor = Reachable(mg.generate.path(4, device="cpu"))
    >>> enactor.run(0)
    >>> enactor.problem.seen
    array([1, 1, 1, 1], dtype=int32)
    """

    _problem_class: ClassVar[type[Problem]] = Problem
    _functor: ClassVar[type[Functor] | None] = None
    _keeps_levels: ClassVar[bool] = False
    _skips_empty: ClassVar[bool] = True  # an empty first frontier ends the loop before its first step
    _steady: ClassVar[bool] = False

    def __init_subclass__(
        cls,
        problem: type[Problem] | None = None,
        functor: type[Functor] | None = None,
        keeps_levels: bool | None = None,
        steady: bool | None = None,
        **others: Any,
    ) -> None:
        super().__init_subclass__()
        for name in others:
            known = ("problem", "functor", "keeps_levels", "steady")
            raise TypeError(f"class {cls.__name__}: an Enactor has no option {name!r}; {unknown(name, known)}")
        for option, given, base in (("problem", problem, Problem), ("functor", functor, Functor)):
            if given is not None and not (isinstance(given, type) and issubclass(given, base)):
                kind = base.__name__
                raise ProblemError(f"class {cls.__name__}: {option}={given!r} must be a class, a subclass of mg.{kind}")
        if problem is not None:
            cls._problem_class = problem
        if functor is not None:
            cls._functor = functor
        if keeps_levels is not None:
            cls._keeps_levels = keeps_levels
        if steady is not None:
            cls._steady = steady

    def __init__(
        self,
        graph: Any,
        *,
        max_iterations: int | None = None,
        trace: bool = False,
        driver: str = "auto",
        progress: Progress | None = None,
        problem: Problem | None = None,
        debug: bool = False,
        **parameters: Any,
    ) -> None:
        require_graph(graph, type(self).__name__)
        self.graph = graph
        self.debug = is_on(debug)
        self.driver = check_driver(driver, graph, trace)
        if problem is not None:
            _check_given_problem(problem, graph, parameters)
        else:
            self._check_parameters(parameters)
        if progress is not None and not callable(progress):
            raise ProblemError(f"progress={progress!r}: give a function of two numbers, steps done and steps at most")
        self.problem: Any = self._problem_class(graph, **parameters) if problem is None else problem
        self.max_iterations = UNLIMITED if max_iterations is None else _as_count(max_iterations)
        self.trace = Trace() if trace else None
        self.progress = progress
        self.iterations = 0
        self.stopped = Stop.EMPTY
        self._has_run = False
        self.levels: Any = None
        self._plan: Plan | None = None
        # The run to take again, the frame it is for, and the functions that it calls, as they were.
        self._ready: tuple[Any, tuple[int, ...], list[tuple[FunctionType, str]]] | None = None

    def _check_parameters(self, parameters: dict[str, Any]) -> None:
        for name in parameters:
            if name not in self._problem_class._fields:
                known = [*_OPTIONS, *self._problem_class._fields]
                raise ProblemError(
                    f"{type(self).__name__} has no option {name!r}, and {self._problem_class.__name__} no field "
                    f"{name!r}; {unknown(name, known)}"
                )

    def __repr__(self) -> str:
        done = f"iterations={self.iterations}, stopped={self.stopped}" if self._has_run else "not run yet"
        return f"{type(self).__name__}({self.graph!r}, {done})"

    # --- what a subclass writes ------------------------------------------------------------------------------------

    def start(self, *arguments: Any, **options: Any) -> Frontier:
        """Set up the problem and return the first frontier, from what `run` was given.

        By default the frontier that `run` was given, or all vertices.
        """
        if len(arguments) > 1 or options:
            raise TypeError(
                f"{type(self).__name__} has no start of its own, so run takes a frontier or nothing: write "
                "start(self, ...) with the parameters that run is to have"
            )
        return arguments[0] if arguments else Frontier.all_vertices()

    def step(self, frontier: Handle) -> Handle | None:
        """Call the operators of one step and return the next frontier, or None to keep the one there is."""
        # What Python raises where a subclass left out what it must write; an abstract class could not say the remedy.
        raise NotImplementedError(f"{type(self).__name__} has no step(self, frontier): write one that calls operators")

    def _record(self, name: str, frontier: Handle, functor: type[Functor] | None, overlap: bool, **options: Any) -> Any:
        plan = self._plan
        if plan is None:
            raise ProblemError(f"{name} belongs in step; outside one, call minigr.operators.{name}")
        node = RECORDERS[name](len(plan.nodes), self.problem, frontier, functor or self._functor, **options)
        if overlap:
            plan.overlap(node)
        plan.nodes.append(node)
        return node.output

    # --- running -----------------------------------------------------------------------------------------------------

    @names_options
    def run(self, *arguments: Any, **options: Any) -> None:
        """Run the program: `start` with the arguments given, by position or by name, then steps until the end.

        Raises
        ------
        FunctorError
            If a functor can't be compiled for this problem.
        CapacityError
            If a frontier would have overflowed; the fields are then not to be used.
        FieldIndexError
            In debug mode, if an index was out of range for a field; the fields are then not to be used.
        GraphError
            If another thread is in the middle of a batch that changes the graph.
        OutOfMemoryError
            If the device has no room for the loop's frontiers and buffers; `start` was called, and no step.
        """
        read(self.graph, self._execute, self._started(arguments, options))

    @names_options
    def run_for_output(self, *arguments: Any, **options: Any) -> Frontier | None:
        """Run as `run` does; the frontier that the last step returned, or None where steps return none."""
        frontier = self._started(arguments, options)
        run = read(self.graph, self._execute, frontier)
        plan = run.plan
        if plan.output is None or plan.final_slot is None:
            return None
        return Frontier.known(plan.output.kind, run.output(), self.graph, distinct=plan.output.distinct or None)

    def _started(self, arguments: tuple[Any, ...], options: dict[str, Any]) -> Frontier:
        frontier = self.start(*arguments, **options)
        if not isinstance(frontier, Frontier):
            raise ProblemError(
                f"{type(self).__name__}.start must return a minigr.Frontier, got {type(frontier).__name__}: return, "
                "say, mg.Frontier.of(source)"
            )
        return frontier

    def memory(self, frontier: Frontier) -> int:
        """Bytes that a run from such a frontier allocates besides the problem's fields; it may have to be compiled.

        Of the fields `Problem.memory_on` tells.
        """
        plan = self.record(frontier)
        if plan.problem.device.is_cuda:
            from minigr.enactor.cuda import workers
        else:
            from minigr.enactor.cpu import workers
        return bytes_of(plan.allocations(workers(plan)))

    def record(self, frontier: Frontier) -> Plan:
        """The plan that `step` makes for a first frontier of this kind; compiles and runs nothing."""
        self.problem.check_graph()
        if frontier.levels is not None:
            frontier.levels.check_graph(self.graph)
        plan = self._recorded(frontier, frontier.distinct)
        repeats = plan.loops_back and plan.output is not None and not plan.output.distinct
        if repeats and not frontier.everything:
            # Its output may hold an id twice, so its input may too, and then as many as there are arcs.
            plan = self._recorded(frontier, False, self.problem.graph.num_arcs)
        if self._functor is not None:
            plan.until = bind(self._functor, "until", self.problem._fields)
        plan.check()
        ends = plan.final_slot is not None or plan.until is not None or plan.levels is not None
        if not ends and self.max_iterations == UNLIMITED:
            raise ProblemError(
                f"{type(self).__name__} would never stop: its step returns no new frontier, its functor has no until, "
                "and there is no max_iterations"
            )
        return plan

    def _recorded(self, frontier: Frontier, distinct: bool, least: int = 0) -> Plan:
        graph = self.problem.graph
        capacity = graph.num_vertices if frontier.kind == "vertices" else graph.num_arcs
        if not frontier.everything and self.max_iterations == 1 and not self._keeps_levels:
            capacity = len(frontier)  # there is no other step
        elif not distinct:
            capacity = max(capacity, least, len(frontier))
        symbol = Handle(frontier.kind, everything=frontier.everything, distinct=distinct, capacity=capacity)
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
            plan.output = self.step(symbol)
        finally:
            self._plan = None
        if plan.output is not None and not isinstance(plan.output, Handle):
            raise ProblemError(f"{type(self).__name__}.step must return what an operator returned, or None")
        return plan

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

    def _execute(self, frontier: Frontier) -> Any:
        if frontier.everything and frontier.kind == "vertices" and _has_deleted(self.graph):
            self.record(frontier)  # so that what is refused doesn't depend on it
            frontier = Frontier("vertices", ids=self.graph.live_vertices(), distinct=True)
        run = self._new_run(frontier)
        plan = run.plan
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


def _as_count(max_iterations: Any) -> int:
    try:
        count = operator.index(max_iterations)
    except TypeError:
        count = -1
    if count < 0:
        raise ProblemError(f"max_iterations={max_iterations!r}: give a whole number of steps, at least 0, or None")
    return min(count, UNLIMITED)


def _check_given_problem(problem: Any, graph: Any, parameters: dict[str, Any]) -> None:
    if not isinstance(problem, Problem):
        raise ProblemError(f"problem= takes an instance of a minigr.Problem, got {problem!r}")
    if problem.graph is not graph:
        raise ProblemError("problem= was made for another graph: pass the graph that it was made for")
    if parameters:
        raise ProblemError(f"{', '.join(parameters)}: set parameters where the problem is made, problem= is given here")


def check_driver(driver: Any, graph: Any, trace: bool) -> str:
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
    return "host" if trace else driver


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
        from minigr.enactor.cuda import CudaRun

        return CudaRun(plan, driver)
    from minigr.enactor.cpu import CpuRun

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
        words[Word.LEAST_WORK] = max((node.least_work(graph) for node in plan.over_everything), default=0)
        words[Word.WORK_PER_ITEM] = 1 + graph.num_arcs // max(graph.num_vertices, 1)
        words[Word.WORK] = max(length * words[Word.WORK_PER_ITEM], words[Word.LEAST_WORK])
    for node in plan.nodes:
        for name, (items, length_word) in node.first_items(graph).items():
            run.put_items(f"{name}_{node.index}", items)
            words[length_word] = items.size
            words[Word.WORK] = max(words[Word.WORK], items.size)
    return words


def _overflow_message(plan: Plan, slot: int) -> str:
    node = plan.nodes[slot]
    if plan.keeps_levels and slot == plan.final_slot:
        why = "its levels are kept, which have room for every vertex once, and one was put out in two steps"
        return f"{type(node).__name__.lower()} put out more than the {node.capacity} vertices there are: {why}"
    if getattr(node, "duplicates", None) == "impossible":
        why = "its functor's condition held twice for one vertex in one step although duplicates='impossible' was said"
    else:
        why = "its frontier holds an id more than once, or edges that lead to one vertex"
    name = type(node).__name__.lower()
    return f"{name} put out more items than the {node.capacity} there is room for: {why}; use duplicates='remove'"
