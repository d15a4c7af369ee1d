"""One operator of a step on one part: it is recorded over the part once, and runs in each step of the loop."""

from __future__ import annotations

from typing import Any

from minigr.errors import CapacityError, FieldIndexError
from minigr.graphs.guard import read
from minigr.graphs.partitioned.part import Part
from minigr.jit.functor import Functor
from minigr.operators.compute import record as record_compute
from minigr.operators.partitioned.rules import pulls_all
from minigr.operators.priorities import record as record_priorities
from minigr.program.control import Stop, Word
from minigr.program.executor import Executor, overflow_message, put_first
from minigr.program.frontier import Frontier, Handle
from minigr.program.node import Node

_NAMED = (CapacityError, FieldIndexError)  # errors that are made of a message only
_OF_SCALARS = {  # options that count only once for all parts
    "compute": {"initial", "accumulate"},
    "neighbor_reduce": {"scalar_initial", "scalar_accumulate"},
}


class LocalOperator(Executor):
    """A loop of one step with one operator over a part. It keeps its buffers from step to step."""

    _lists_all = False
    _skips_empty = False

    def __init__(self, problem: Any, node: Node, direction: str, debug: bool, counts: bool) -> None:
        super().__init__(problem, 1, "host" if counts else "auto", debug)  # a loop that the host runs counts edges
        self._record, options = node.recorded
        self._run: Any = None  # the only run, which continues from step to step
        left_out = _OF_SCALARS.get(node.name, ())
        self._options = {name: value for name, value in options.items() if name not in left_out}
        if node.name == "near_far":
            self._record, self._options = record_priorities, {"functor": options["functor"]}
        self._everything = pulls_all(node)
        if node.name == "advance" and not self._everything:
            self._options["direction"] = direction

    def step(self, *frontiers: Handle) -> Any:
        output = self._add(self._record, frontiers, self._options)
        return output if len(frontiers) == 1 else (output, *[None] * (len(frontiers) - 1))

    def _size(self, frontier: Frontier, repeated: int | None, single: bool) -> tuple[bool, int]:
        """Room for any frontier, so that the first recording is valid for all steps."""
        return frontier.distinct, max(self.graph.num_vertices, 0 if self._everything else len(frontier))

    def run(self, part: Part, iteration: int, lists: list[Any], distinct: list[bool], *, pull: bool = False) -> Any:
        """Run over some vertices that the part knows, in step `iteration`, and return the run.

        `pull`: whether the part's vertices search for sources among these vertices, if the direction is ``"auto"``.
        """
        frontiers = [
            Frontier.all_vertices() if self._everything else Frontier.known("vertices", ids, self.graph, distinct=once)
            for ids, once in zip(lists, distinct, strict=True)
        ]
        try:
            return read(self.graph, self._go_on, frontiers, iteration, pull)
        except _NAMED as error:
            raise type(error)(f"part {part.index} ({part.graph.device}): {error}") from error

    def _go_on(self, frontiers: list[Frontier], iteration: int, pull: bool) -> Any:
        if self._run is None:
            self._run = self._new_run(frontiers[0] if len(frontiers) == 1 else tuple(frontiers))
        else:
            self._run.go_on()
        run, control = self._run, self._run.control
        put_first(run.plan, frontiers, run)
        control[Word.BUDGET], control[Word.STOP], control[Word.ITERATION] = 1, 0, iteration
        if pull:
            control[Word.PULL], control[Word.WORK] = 1, max(control[Word.WORK], self.graph.num_vertices)
        run.launch()
        if control[Word.STOP] == Stop.OVERFLOW:
            raise CapacityError(overflow_message(run.plan, control[Word.OVERFLOW] - 1))
        return run

    def output(self, run: Any) -> Any:
        """The vertices in the output of the run, as int32."""
        return run.output(run.plan.frontiers[0])


class OverPart(Executor):
    """One step of operators over vertices of one part."""

    _lists_all = False
    _skips_empty = False

    def __init__(self, problem: Any) -> None:
        super().__init__(problem, 1, "auto", False)

    def _size(self, frontier: Frontier, repeated: int | None, single: bool) -> tuple[bool, int]:
        """Room for any frontier, so that one program serves all frontiers."""
        return frontier.distinct, self.graph.num_vertices

    def _list(self, vertices: Any) -> Frontier:
        """A frontier of distinct vertices."""
        return Frontier.known("vertices", vertices, self.graph, distinct=True)


class Applied(OverPart):
    """Runs the functions ``apply`` of functors over given vertices of one part, one functor after the other."""

    _steady = True

    def __init__(self, problem: Any, *functors: type[Functor]) -> None:
        super().__init__(problem)
        self._functors = functors

    def step(self, frontier: Handle) -> None:
        for functor in self._functors:
            self._add(record_compute, (frontier,), {"functor": functor})

    def over(self, vertices: Any) -> None:
        """Run the functors over distinct vertices."""
        if len(vertices):
            self._execute(self._list(vertices))


class Nothing(Functor):
    """For a step that only checks whether the loop ends."""

    def apply(vertex):
        pass


class Until(Executor):
    """A step that only checks whether the loop must end. All parts get the same result."""

    _steady = True

    def __init__(self, problem: Any, functor: type[Functor], debug: bool) -> None:
        super().__init__(problem, 1, "auto", debug)
        self._functor = functor

    def step(self, frontier: Handle) -> None:
        self._add(record_compute, (frontier,), {"functor": Nothing})

    def holds(self, iteration: int) -> bool:
        """Whether the functor's ``until`` holds after step `iteration`."""
        self._done_before = iteration - 1
        self._execute(Frontier.of([0]))
        return self.stopped is Stop.UNTIL
