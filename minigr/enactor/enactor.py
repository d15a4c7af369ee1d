"""Enactor: the loop of a graph program, recorded once and run on the device."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, ClassVar

from minigr.enactor.steps import Steps
from minigr.errors import ProblemError
from minigr.graphs.given import require_graph
from minigr.jit.functor import Functor
from minigr.jit.index_checks import is_on
from minigr.memory import out_of_memory
from minigr.operators import sets
from minigr.operators.partitioned.loop import PartsExecutor
from minigr.operators.recorders import RECORDERS
from minigr.program.control import Driver
from minigr.program.executor import UNLIMITED, Progress, check_driver
from minigr.program.frontier import Frontier, Handle
from minigr.program.problem import Problem
from minigr.program.recordings import key_of_values
from minigr.program.trace import Trace
from minigr.signatures import check_names, names_options, unknown

_OPTIONS = ("max_iterations", "trace", "driver", "progress", "problem", "debug")


class Enactor(Steps, PartsExecutor):
    """Base of all enactors: how a graph program starts, and what one step does.

    A subclass names its Problem and its default Functor in the class statement. `start` returns the frontier with which
    the loop begins, and `step` calls the operators of one step. `step` is called before the loop starts, and not in
    each iteration. The argument of `step` is a symbol for the frontier. An operator takes this symbol, the output of
    another operator, or a `Frontier` that is the same in each step. The operators that `step` calls are compiled into
    one loop. The loop runs on the device until the frontier is empty, until the functor's ``until`` holds, or until
    `max_iterations` steps are done.

    A step may take several frontiers. Then `start` returns a tuple of frontiers, and `step` has one parameter for each
    frontier and returns a tuple of the same length. The loop ends when all frontiers that the step returns are empty. A
    frontier for which the step returns None stays unchanged.

    Each run calls `step` once. Operators that `step` has called before over the same graph are looked up. On a small
    graph, this call takes much of the time of a run. Two options of the class statement avoid the call:

    - ``looks_at=("width",)`` names the attributes of the enactor that `step` reads; ``looks_at=()`` states that `step`
      reads no attributes. A run over the same graph with the same values of these attributes then reuses the recording
      of an earlier run of the class, and does not call `step`. Besides these attributes, `step` may read only the
      graph. A subclass does not inherit the option.
    - ``steady=True``: the first run of an enactor calls `step`. Later runs of this enactor reuse the plan and the
      buffers of the first run, even after the graph has changed. So the step must not depend on anything that changes,
      and the enactor holds the memory of the buffers. This option is for an enactor that runs again and again.

    Parameters
    ----------
    graph : Graph, DynamicGraph or PartitionedGraph
        The graph. The compiled program depends on the layout and the device of the graph and on the dtype of its
        weights. On a GPU, the program also depends on whether a vertex has more than 512 edges. For a graph of another
        kind, the program is compiled again.
    max_iterations : int, optional
        Maximum number of steps.
    trace : bool
        If True, run step by step from the host, and keep a table of frontier sizes, directions and times in `trace`.
        Slower.
    driver : {"auto", "fused", "graph", "host"}
        How the loop runs. ``"fused"``: persistent kernels on the GPU, one function for a team of threads on the CPU.
        ``"graph"``: a CUDA graph with a WHILE node (GPU only). ``"host"``: Python, step by step. ``"auto"``: on the
        GPU, small steps are fused, large steps get kernels of their own, and the device switches between the two; on
        the CPU, fused. The results are the same.
    progress : callable, optional
        Function that is called a few times a second while the loop runs. The arguments are the number of finished
        steps, and `max_iterations` or None.
    problem : Problem, optional
        The problem to use, instead of a new one.
    debug : bool
        If True, check the index each time that a functor's function, or a helper of the function, reads or writes an
        element of a field, or passes an element to an atomic. The first index that is out of range ends the run with a
        `FieldIndexError` that names the line. Do not use the fields after this error. A negative index is out of range.
        Slower. ``MINIGR_DEBUG=1`` in the environment has the same effect for every enactor and operator.
    **parameters
        Arguments of the Problem.

    Attributes
    ----------
    problem : Problem
    iterations : int
        Number of steps of the last run. If an exception or Ctrl-C ended the run, the steps that were done before.
    stopped : Stop or None
        Why the last run ended: ``Stop.EMPTY``, ``Stop.UNTIL`` or ``Stop.BUDGET``. None before the first run, and after
        a run that an exception or Ctrl-C ended. After a `CapacityError`, ``Stop.OVERFLOW``.
    trace : Trace or None
    levels : Levels or None
        The frontiers of the last run in their order, if the class was declared with ``keeps_levels=True``. No vertex
        may then be in the output of two steps of a run.

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
    _looks_at: ClassVar[tuple[str, ...] | None] = None  # attributes that `step` reads, if they are known

    def __init_subclass__(
        cls,
        problem: type[Problem] | None = None,
        functor: type[Functor] | None = None,
        keeps_levels: bool | None = None,
        steady: bool | None = None,
        looks_at: Sequence[str] | None = None,
        **others: Any,
    ) -> None:
        super().__init_subclass__()
        for name in others:
            known = ("problem", "functor", "keeps_levels", "steady", "looks_at")
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
        cls._looks_at = None if looks_at is None else _as_names(looks_at, cls.__name__)

    @out_of_memory
    def __init__(
        self,
        graph: Any,
        *,
        max_iterations: int | None = None,
        trace: bool = False,
        driver: Driver = "auto",
        progress: Progress | None = None,
        problem: Problem | None = None,
        debug: bool = False,
        **parameters: Any,
    ) -> None:
        require_graph(graph, type(self).__name__, parts=True)
        driver = check_driver(driver, graph, trace)
        if problem is not None:
            _check_given_problem(problem, graph, parameters)
        else:
            self._check_parameters(parameters)
        if progress is not None and not callable(progress):
            raise ProblemError(f"progress={progress!r}: give a function of two numbers, steps done and most steps")
        PartsExecutor.__init__(
            self,
            self._problem_class(graph, **parameters) if problem is None else problem,
            UNLIMITED if max_iterations is None else _as_count(max_iterations),
            driver,
            is_on(debug),
            Trace() if trace else None,
            progress,
        )

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

    # --- methods of a subclass -------------------------------------------------------------------------------------

    def start(self, *arguments: Any, **options: Any) -> Frontier | tuple[Frontier, ...]:
        """Set up the problem and return the first frontier, from the arguments of `run`.

        By default, `start` returns the frontier that was passed to `run`, or all vertices. If the loop starts with all
        vertices or edges, it continues with the list that `step` returns, if `step` returns a list.
        """
        if len(arguments) > 1 or options:
            raise TypeError(
                f"{type(self).__name__} has no start of its own, so run takes a frontier or nothing: write "
                "start(self, ...) with the parameters that run should have"
            )
        return arguments[0] if arguments else Frontier.all_vertices()

    def step(self, *frontiers: Any, **_: Any) -> Any:
        """Call the operators of one step and return the next frontier, or None to keep the current frontier.

        Write ``step(self, frontier)``. If `start` returns a tuple of frontiers, write one parameter for each frontier,
        e.g. ``step(self, forward, backward)``, and return a tuple of the same length.
        """
        raise NotImplementedError(  # not an abstract method, because Python's error for one names no remedy
            f"{type(self).__name__} has no step(self, frontier): write one that calls operators"
        )

    def _record(
        self, name: str, frontier: Handle | Frontier, functor: type[Functor] | None, overlap: bool, **options: Any
    ) -> Any:
        if self._nodes is None:
            raise ProblemError(f"{name} can be called only in step: elsewhere call minigr.operators.{name}")
        frontier = self._taken(frontier, name)
        return self._add(RECORDERS[name], (frontier,), {"functor": functor or self._functor, **options}, overlap)

    def _combine(self, operation: str, first: Handle | Frontier, second: Handle | Frontier) -> Handle:
        if self._nodes is None:
            raise ProblemError("a frontier of a step can be combined with others only in the same call of step")
        one, other = (self._taken(each, operation) for each in (first, second))
        output = self._add(sets.record, (one, other), {"operation": operation})
        assert output is not None
        return output

    def _seen(self) -> tuple[Any, ...] | None:
        names = self._looks_at
        return None if names is None else key_of_values([getattr(self, name) for name in names])

    # --- running -----------------------------------------------------------------------------------------------------

    @names_options
    def run(self, *arguments: Any, **options: Any) -> None:
        """Run the program: `start`, then steps until the end.

        Parameters
        ----------
        *arguments, **options
            Arguments of `start`, by position or by name.

        Raises
        ------
        FunctorError
            If a functor can't be compiled for this problem.
        CapacityError
            If a frontier would have overflowed. Do not use the fields after this error.
        FieldIndexError
            In debug mode, if an index was out of range for a field. Do not use the fields after this error.
        GraphError
            If another thread is in the middle of a batch that changes the graph.
        OutOfMemoryError
            If the device has no room for the frontiers and buffers of the loop. `start` was called, and no step ran.
        """
        self._finish(self._execute(self._started(arguments, options)))

    @names_options
    def run_for_output(self, *arguments: Any, **options: Any) -> Any:
        """Run as `run` does, and return the output of the last step.

        Parameters
        ----------
        *arguments, **options
            Arguments of `start`, by position or by name.

        Returns
        -------
        Frontier or None
            The last frontier; None if steps return no frontier. If `start` returns a tuple of frontiers, a tuple of
            these.
        """
        return self._execute_for_output(self._started(arguments, options))

    def _started(self, arguments: tuple[Any, ...], options: dict[str, Any]) -> Frontier | tuple[Frontier, ...]:
        if options:
            check_names(f"{type(self).__name__}.run", self.start, options)
        try:
            first = self.start(*arguments, **options)  # may read the results of the last run
        finally:
            self.iterations, self.stopped, self.levels = 0, None, None
        if isinstance(first, Frontier):
            return first
        for frontier in first if isinstance(first, tuple) and first else (first,):
            if not isinstance(frontier, Frontier):
                raise ProblemError(
                    f"{type(self).__name__}.start must return a minigr.Frontier, got {type(frontier).__name__}: "
                    "return a frontier, e.g. mg.Frontier.of(source), or a tuple of frontiers"
                )
        return first


def _as_names(looks_at: Any, called: str) -> tuple[str, ...]:
    names = looks_at if isinstance(looks_at, (tuple, list)) else (looks_at,)
    if isinstance(looks_at, str) or not all(isinstance(name, str) for name in names):
        raise ProblemError(
            f"class {called}: looks_at={looks_at!r} must be a tuple of names of attributes, or () for a step that "
            "looks at none"
        )
    return tuple(names)


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
        raise ProblemError(
            f"{', '.join(parameters)}: set parameters when the problem is made, because problem= is given"
        )
