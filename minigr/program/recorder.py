"""Recorder: has a step say which operators it is made of, and makes a plan of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from minigr.errors import FunctorError, ProblemError
from minigr.jit.functor import Functor
from minigr.program.frontier import Frontier, Handle
from minigr.program.node import Node
from minigr.program.plan import Plan
from minigr.program.seen_graph import bind_to
from minigr.program.step_frontier import StepFrontier

UNLIMITED = 1 << 62
First = Frontier | tuple[Frontier, ...]
"""What a loop starts with: a frontier, or several, which its step then takes and returns together."""


class Recorder(ABC):
    """A step over one problem.

    Parameters
    ----------
    problem : Problem
    max_iterations : int
        At most so many steps; `UNLIMITED` for no limit.
    debug : bool
    """

    _functor: ClassVar[type[Functor] | None] = None  # whose `until` ends the loop
    _keeps_levels: ClassVar[bool] = False

    def __init__(self, problem: Any, max_iterations: int, debug: bool) -> None:
        self.problem, self.graph = problem, problem.graph
        self.max_iterations, self.debug = max_iterations, debug
        self._plan: Plan | None = None  # that is being recorded

    @abstractmethod
    def step(self, *frontiers: Any, **_: Any) -> Any:
        """Record the operators of one step; the next frontier, or None to keep the one there is.

        Where the loop starts with several frontiers, the step takes as many, and returns as many in a tuple.
        """

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
        if frontier.everything and not (kind == "vertices" and has_deleted(graph)):
            return Handle(kind, everything=True, capacity=graph.num_vertices if kind == "vertices" else graph.num_arcs)
        ids = frontier.vertices_on(graph) if frontier.everything else frontier.ids_in(graph)
        plan.fixed.append(Frontier.known(kind, ids, graph, distinct=frontier.distinct))
        return Handle(kind, fixed=len(plan.fixed) - 1, distinct=frontier.distinct, capacity=len(ids))

    def record(self, frontier: First) -> Plan:
        """The plan that `step` makes for a first frontier of this kind; compiles and runs nothing.

        `frontier`: one, or a tuple of several.
        """
        self.problem.check_graph()
        for each in several(frontier):
            if each.levels is not None:
                each.levels.check_graph(self.graph)
        plan = self._settled(frontier)
        if self._functor is not None:
            plan.until = bind_to(self._functor, "until", self.problem)
        plan.check()
        ends = plan.final_slots or plan.until is not None or plan.levels is not None
        if not ends and self.max_iterations == UNLIMITED:
            raise ProblemError(
                f"{type(self).__name__} would never stop: its step returns no new frontier, its functor has no until, "
                "and there is no max_iterations"
            )
        return plan

    def _settled(self, first: First) -> Plan:
        """The plan whose inputs are as its outputs ask for.

        The frontier of all vertices or edges is a list where the step returns a list for it. An input may hold an id
        twice where the output may.
        """
        frontiers = several(first)
        everything, repeats = [each.everything for each in frontiers], [False] * len(frontiers)
        try:
            plan = self._recorded(first, everything, repeats)
        except (ProblemError, FunctorError):
            if not any(everything):
                raise
            plan = self._recorded(first, [False] * len(frontiers), repeats)
            if any(own.slot is None and each.everything for own, each in zip(plan.frontiers, frontiers, strict=True)):
                raise  # because such a list is nothing that the user knows of
            everything = [False] * len(frontiers)
        while plan.loops_back:
            before = everything, repeats
            everything = [every and own.slot is None for every, own in zip(everything, plan.frontiers, strict=True)]
            repeats = [
                repeat or (own.slot is not None and own.output is not None and not own.output.distinct)
                for repeat, own in zip(repeats, plan.frontiers, strict=True)
            ]
            if before == (everything, repeats):
                break
            plan = self._recorded(first, everything, repeats)
        return plan

    def _recorded(self, first: First, everything: list[bool], repeats: list[bool]) -> Plan:
        """The plan where some of the frontiers are `everything`, and some of the others may hold ids twice."""
        frontiers, keeps = several(first), self._keeps_levels
        symbols = [
            self._symbol(number, each, every, repeat)
            for number, (each, every, repeat) in enumerate(zip(frontiers, everything, repeats, strict=True))
        ]
        self._plan = plan = Plan(
            self.problem,
            [StepFrontier(number, symbol) for number, symbol in enumerate(symbols)],
            single=self.max_iterations == 1 and not keeps,
            keeps_levels=keeps,
            levels=next((each.levels for each in frontiers if each.levels is not None), None),
            reverse=any(each.reverse for each in frontiers),
            debug=self.debug,
        )
        try:
            returned = self.step(*map(self._shown, symbols))
        finally:
            self._plan = None
        for own, output in zip(plan.frontiers, self._outputs(first, returned), strict=True):
            own.output = output
        return plan

    def _symbol(self, number: int, frontier: Frontier, everything: bool, repeats: bool) -> Handle:
        """The symbol for one of the first frontiers."""
        graph = self.problem.graph
        capacity = total = graph.num_vertices if frontier.kind == "vertices" else graph.num_arcs
        # Pairs are only ever dropped, so it does not matter whether any repeat, which would take a sort to find out.
        distinct = frontier.kind != "pairs" and frontier.distinct and not repeats
        if frontier.kind == "pairs":
            capacity = len(frontier)
        elif not frontier.everything and self.max_iterations == 1 and not self._keeps_levels:
            capacity = len(frontier)  # there is no other step
        elif not distinct:  # what holds an id twice may hold as many as there are arcs
            capacity = max(capacity, graph.num_arcs if repeats else 0, frontier.count(total))
        return Handle(frontier.kind, -1 - number, everything, distinct=distinct, capacity=capacity)

    def _outputs(self, first: First, returned: Any) -> list[Handle | None]:
        """What a step returned for each of its frontiers."""
        name = type(self).__name__
        if not isinstance(first, tuple):
            returned = (returned,)
        elif returned is None:
            returned = (None,) * len(first)
        elif not isinstance(returned, tuple) or len(returned) != len(first):
            raise ProblemError(
                f"{name}.step is given {len(first)} frontiers and must return a tuple of as many: for each what an "
                "operator returned, or None to keep it"
            )
        for output in returned:
            if output is not None and not isinstance(output, Handle):
                raise ProblemError(f"{name}.step must return what an operator returned, or None")
        return list(returned)


def several(first: First) -> Sequence[Frontier]:
    """The frontiers that a loop starts with."""
    return first if isinstance(first, tuple) else (first,)


def has_deleted(graph: Any) -> bool:
    """Whether vertices of a graph were deleted, so that a list must say which there are."""
    return bool(graph.num_live_vertices < graph.num_vertices)
