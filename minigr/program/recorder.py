"""Recorder: calls a step to find its operators, and makes a plan of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from minigr.errors import FunctorError, ProblemError
from minigr.jit.functor import Functor
from minigr.program.frontier import Frontier, Handle
from minigr.program.node import Node, check_flag
from minigr.program.plan import UNLIMITED, Plan
from minigr.program.recordings import Functions, Place, beginning, key_of, may_pull, recordings_of
from minigr.program.seen_graph import bind_to
from minigr.program.step_frontier import StepFrontier

First = Frontier | tuple[Frontier, ...]
"""The frontier with which a loop starts, or several frontiers. Its step takes and returns the same number."""


class Recorder(ABC):
    """A step over one problem.

    Parameters
    ----------
    problem : Problem
    max_iterations : int
        Maximum number of steps; `UNLIMITED` for no limit.
    debug : bool
    """

    _functor: type[Functor] | None = None  # functor whose `until` ends the loop
    _keeps_levels: ClassVar[bool] = False
    _lists_all: ClassVar[bool] = True  # if a step refuses all vertices or edges, it is given a list of them

    def __init__(self, problem: Any, max_iterations: int, debug: bool) -> None:
        self.problem, self.graph = problem, problem.graph
        self.max_iterations, self.debug = max_iterations, debug
        self._nodes: list[Node] | None = None  # nodes of the step that is being recorded
        self._fixed: list[Frontier] = []  # the lists that this step has named
        self._named: list[tuple[Frontier, Handle]] = []  # all frontiers that this step has named, with their symbols
        self._place: Place | None = None  # what was recorded so far, among kept recordings; None if it is not kept
        self._end: tuple[Any, ...] = ()  # tells the ends that are kept at one place apart
        self._recordings = 0  # number of times that the step was recorded

    @abstractmethod
    def step(self, *frontiers: Any, **_: Any) -> Any:
        """Record the operators of one step; return the next frontier, or None to keep the current frontier.

        If the loop starts with several frontiers, the step takes as many frontiers, and returns as many in a tuple.
        """

    def _add(
        self, record: Callable[..., Node], inputs: tuple[Any, ...], options: dict[str, Any], overlap: bool = False
    ) -> Handle | None:
        """Record the operator that `record` makes from the inputs and options. Return the operator's output."""
        nodes, place = self._nodes, self._place
        assert nodes is not None
        overlap = check_flag(overlap, "overlap")
        pulls = may_pull(options) and self.graph.has_room_for_in_edges
        key = None if place is None else key_of(record, inputs, options, overlap, pulls)
        after = None if place is None or key is None else place.after(key)
        node = record(len(nodes), self.problem, *inputs, **options) if after is None else after.node
        if after is None:
            node.recorded = record, options
            if overlap:
                _check_overlap(node, nodes)
                node.overlaps = True
            if place is not None and key is not None:
                after = place.keep(key, node, options.get("functor"))
        self._place = after
        nodes.append(node)
        return None if node.output is None else node.output.of_step(self, self._recordings)

    def _combine(self, operation: str, first: Handle | Frontier, second: Handle | Frontier) -> Handle:
        """Record a set operation on two frontiers."""
        raise ProblemError("frontiers can be combined only in the step of an enactor")

    def _taken(self, frontier: Any, taker: str) -> Any:
        """Return what the operator `taker` gets in the step: the symbol of a `Frontier`; other values unchanged.

        Raises
        ------
        ProblemError
            If it is the symbol of another step, or of an earlier recording of this step.
        """
        if isinstance(frontier, Frontier):
            return self._symbol_of(frontier)
        if isinstance(frontier, Handle) and not frontier.is_of(self, self._recordings):
            raise ProblemError(
                f"{type(self).__name__}.step: {taker} is given a frontier of another step, or of an earlier call of "
                "this step: use a frontier that this call got, one that an operator returned in it, or a mg.Frontier"
            )
        return frontier

    def _symbol_of(self, frontier: Frontier) -> Handle:
        """The symbol for a frontier that the step itself names.

        The plan keeps the list of the frontier, if it needs one.
        """
        graph, kind = self.graph, frontier.kind
        for named, symbol in self._named:
            if named is frontier or (named.everything and frontier.everything and named.kind == kind):
                return symbol
        if frontier.levels is not None:
            raise ProblemError("only a loop that starts with levels can go through them: return the levels from start")
        if frontier.everything and not (kind == "vertices" and has_deleted(graph)):
            return Handle(kind, everything=True, capacity=graph.num_vertices if kind == "vertices" else graph.num_arcs)
        ids = frontier.vertices_on(graph) if frontier.everything else frontier.ids_in(graph)
        distinct = kind != "pairs" and frontier.distinct
        symbol = Handle(kind, fixed=len(self._fixed), distinct=distinct, capacity=len(ids))
        self._place = None  # a recording with a list is not kept
        self._fixed.append(Frontier.known(kind, ids, graph, distinct=distinct))
        self._named.append((frontier, symbol))
        return symbol

    def record(self, frontier: First) -> Plan:
        """Return the plan that `step` makes for first frontiers of this kind, without compiling or running it.

        `frontier`: one frontier, or a tuple of several frontiers.
        """
        self.problem.check_graph()
        kept, key = recordings_of(self.graph), self._key(frontier)
        plan = None if key is None else kept.plan(key, self.problem)
        if plan is None:
            plan = self._whole(self._settled(frontier))
            if key is not None and self._place is not None:
                kept.keep(key, plan, self._functor)
        ends = plan.final_slots or plan.until is not None or plan.levels is not None
        if not ends and self.max_iterations == UNLIMITED:
            raise ProblemError(
                f"{type(self).__name__} would never stop: its step returns no new frontier, its functor has no until, "
                "and there is no max_iterations"
            )
        return plan

    def _seen(self) -> tuple[Any, ...] | None:
        """The values that the step reads besides the graph and its frontiers; None if they are not known."""
        return None

    def _key(self, first: First) -> Any:
        """All values that the plan for a first frontier depends on; None if they are not known."""
        seen = self._seen()
        if seen is None:
            return None
        single = self.max_iterations == 1 and not self._keeps_levels
        key: list[Any] = [type(self), self._functor, single, self.debug, self.problem._form, *seen]
        for frontier in several(first):
            if frontier.levels is not None:
                return None
            key += (frontier.kind, frontier.everything, *self._size(frontier, None, single))
        return tuple(key)

    def _whole(self, plan: Plan) -> Plan:
        """Return a plan with the end of its loop. It is checked, and kept for the next time."""
        if plan.whole:
            return plan
        plan.nodes = [node.copied() for node in plan.nodes]  # the nodes that are kept must not change
        if self._functor is not None:
            plan.until = bind_to(self._functor, "until", self.problem)
        plan.check()
        plan.whole = True
        if self._place is not None:
            _ = plan.is_of_all, plan.input_capacities, plan.reads_in_edges, plan.reads_in_ids  # each run uses them
            self._place.plans[self._end] = plan.over(None, None), Functions((self._functor, ("until",)))
        return plan

    def _settled(self, first: First) -> Plan:
        """The plan whose inputs fit its outputs.

        If the step starts with all vertices or edges and returns a list, the input is a list too. If the output may
        hold an id twice, the input may too.
        """
        repeated: dict[int, int] = {}
        plan, listed = self._first_plan(first)
        while not plan.whole and plan.loops_back and (asking := [own for own in plan.frontiers if own.asks]):
            listed |= {own.number for own in asking}
            repeated |= {own.number: own.room for own in asking if own.repeats_ids or own.outgrows}
            plan = self._recorded(first, listed, repeated)
        return plan

    def _first_plan(self, first: First) -> tuple[Plan, set[int]]:
        """A first plan, and the numbers of the frontiers of all vertices or edges that are lists in the plan.

        They are lists if the step refuses all vertices or edges, but takes and returns lists.
        """
        try:
            return self._recorded(first, set(), {}), set()
        except (ProblemError, FunctorError) as error:
            refused = error
        listed = {number for number, frontier in enumerate(several(first)) if frontier.everything}
        while listed and self._lists_all:
            try:
                plan = self._recorded(first, listed, {})
            except (ProblemError, FunctorError):
                break
            kept = {number for number in listed if plan.frontiers[number].slot is None}
            if not kept:
                return plan, listed
            listed -= kept  # the user does not know of a list that the step does not return
        raise refused

    def _recorded(self, first: First, listed: set[int], repeated: dict[int, int]) -> Plan:
        """The plan in which the frontiers with the numbers `listed` are lists.

        The frontiers with the numbers `repeated` may hold ids twice, and get room for at least that many items.
        """
        self._recordings += 1
        problem, keeps, levels, reverse, given = self.problem, self._keeps_levels, None, False, []
        single = self.max_iterations == 1 and not keeps
        for number, frontier in enumerate(several(first)):
            everything = frontier.everything and number not in listed
            given.append((frontier.kind, everything, *self._size(frontier, repeated.get(number), single)))
            if frontier.levels is not None:
                levels, reverse = frontier.levels, frontier.reverse
                levels.check_graph(self.graph)
        how = (single, keeps, levels is not None, reverse, self.debug)
        self._place = place = beginning(self.graph, (*how, problem._form, *given))
        if not place.inputs:
            place.inputs = [
                Handle(kind, -1 - number, everything, None, distinct, capacity)
                for number, (kind, everything, distinct, capacity) in enumerate(given)
            ]
        nodes: list[Node] = []
        self._nodes, self._fixed = nodes, []
        try:
            returned = self.step(*[symbol.of_step(self, self._recordings) for symbol in place.inputs])
        finally:
            self._nodes = None
            self._named.clear()
        outputs = self._outputs(first, returned)
        self._end = (self._functor, *[None if output is None else output.place for output in outputs])
        if self._place is not None and (kept := self._place.plans.get(self._end)) is not None and kept[1].hold:
            return kept[0].over(problem, levels)
        frontiers = [StepFrontier(number, symbol, number in repeated) for number, symbol in enumerate(place.inputs)]
        for own, output in zip(frontiers, outputs, strict=True):
            if output is not None:
                own.end_with(output)
        slots = [own.slot for own in frontiers if own.slot is not None]
        return Plan(
            problem, frontiers, slots, nodes, self._fixed, single=single, keeps_levels=keeps, levels=levels,
            reverse=reverse, debug=self.debug,
        )  # fmt: skip

    def _size(self, frontier: Frontier, repeated: int | None, single: bool) -> tuple[bool, int]:
        """Whether a first frontier holds each id once in all steps, and the maximum number of its items.

        `repeated`: the number of items that it must have room for, if it may hold ids twice in later steps.
        """
        graph = self.problem.graph
        capacity = total = graph.num_vertices if frontier.kind == "vertices" else graph.num_arcs
        # Whether pairs repeat does not matter, and a sort would be needed to find out.
        distinct = frontier.kind != "pairs" and frontier.distinct and repeated is None
        if frontier.kind == "pairs" or (single and not frontier.everything):  # there is no second step
            capacity = len(frontier)
        elif not distinct:
            capacity = max(capacity, frontier.count(total))
        return distinct, max(capacity, repeated or 0)

    def _outputs(self, first: First, returned: Any) -> tuple[Handle | None, ...]:
        """The symbol, or None, that a step returned for each of its input frontiers."""
        outputs: Any = (returned,)
        if isinstance(first, tuple):
            outputs = (None,) * len(first) if returned is None else returned
            if not isinstance(outputs, tuple) or len(outputs) != len(first):
                raise ProblemError(
                    f"{type(self).__name__}.step is given {len(first)} frontiers and must return a tuple of "
                    f"{len(first)}: for each frontier what an operator returned, or None to keep the frontier"
                )
        for output in outputs:
            if output is not None and not isinstance(output, Handle):
                raise ProblemError(f"{type(self).__name__}.step must return what an operator returned, or None")
            self._taken(output, "the loop")
        return outputs


def _check_overlap(node: Node, before: list[Node]) -> None:
    """Refuse an operator, not added yet, that can't run at the same time as the operator before it."""
    if not before:
        raise ProblemError("overlap=True needs another operator before this one: leave it out of the first operator")
    if not (node.input.stays or node.input.slot < 0 or node.input in before[-1].inputs):
        raise ProblemError(
            "overlap=True takes the frontier that the step was given, a mg.Frontier, or the frontier that the operator "
            "before takes: the output of the operator before is not there yet"
        )


def several(first: First) -> Sequence[Frontier]:
    """The frontiers that a loop starts with."""
    return first if isinstance(first, tuple) else (first,)


def has_deleted(graph: Any) -> bool:
    """Whether vertices of a graph were deleted, so that a list of the live vertices is needed."""
    return bool(graph.num_live_vertices < graph.num_vertices)
