"""The plan of a step as one part runs it in its own loop: the same operators, over the vertices that the part owns."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any

import numpy as np

from minigr.graphs.partitioned.part import Part
from minigr.operators.advance import ARRIVED
from minigr.operators.partitioned.across import Across
from minigr.operators.partitioned.rules import may_pull, pulls_all
from minigr.program.frontier import Frontier, Handle
from minigr.program.node import Node
from minigr.program.plan import Plan
from minigr.program.step_frontier import StepFrontier


def over_present_parts(problem: Any) -> Any:
    """`problem` over the parts that its graph has now.

    Another thread may make the in-edges of the graph in the middle of a run, and the graph then has other parts, with
    more ghosts.
    """
    view = copy(problem)
    view.__dict__["graph"] = copy(problem.graph)
    return view


def dealt(frontier: Frontier, parts: Sequence[Part], graph: Any) -> list[Any]:
    """For some parts, the vertices of a frontier of `graph` that each part owns. Listed ids are on the CPU."""
    if frontier.everything:
        return [part.live for part in parts]
    ids = frontier.items_on(graph)
    owners = graph.deal.owners(ids)
    if len(ids) == 1:  # the common case of a search from one vertex is handled quickly
        return [ids if owners[0] == part.index else ids[:0] for part in parts]
    return [np.ascontiguousarray(ids[owners == part.index]) for part in parts]


def shares_of(frontier: Frontier, parts: Sequence[Part], graph: Any) -> list[Frontier]:
    """The same as frontiers of the parts."""
    distinct = frontier.everything or frontier.distinct
    shares = zip(dealt(frontier, parts, graph), parts, strict=True)
    return [Frontier.known("vertices", ids, part.graph, distinct=distinct) for ids, part in shares]


class PartPlan:
    """Makes the plan of one part from the plan of the whole step.

    Parameters
    ----------
    plan : Plan
        The plan of the step, over the partitioned problem.
    across : Across
    view : Problem
        The problem on the part.
    part : Part
    """

    def __init__(self, plan: Plan, across: Across, view: Any, part: Part) -> None:
        self._plan, self._across, self._view, self._part = plan, across, view, part
        self._fixed = [self._share(each) for each in plan.fixed]
        self._live: Handle | None = None  # the list of all vertices of the part, if the step needs this list
        self._inputs = [self._input(own) for own in plan.frontiers]
        self._nodes: list[Node] = []
        for node in plan.nodes:
            self._nodes.append(self._recorded(node))
        frontiers = [self._frontier(own, given) for own, given in zip(plan.frontiers, self._inputs, strict=True)]
        self.made = Plan(view, frontiers, plan.final_slots, self._nodes, self._fixed, plan.until, whole=True)
        self.made.across, self.made.part = across, part.index

    def _share(self, frontier: Frontier) -> Frontier:
        """The part's share of a frontier."""
        return shares_of(frontier, [self._part], self._plan.problem.graph)[0]

    def _input(self, own: StepFrontier) -> Handle:
        given = own.input
        if given.everything:
            return self._everything()
        return Handle("vertices", -1 - own.number, distinct=given.distinct, capacity=given.capacity)

    def _everything(self) -> Handle:
        """The list of all vertices of the part."""
        if self._live is None:
            live = self._part.live
            self._live = Handle("vertices", fixed=len(self._fixed), distinct=True, capacity=len(live))
            self._fixed.append(Frontier.known("vertices", live, self._part.graph, distinct=True))
        return self._live

    def _frontier(self, own: StepFrontier, given: Handle) -> StepFrontier:
        found = StepFrontier(own.number, given, own.repeats)
        if own.output is not None:
            output = given if own.slot is None else self._nodes[own.slot].output
            assert output is not None
            found.end_with(output)
        return found

    def _recorded(self, node: Node) -> Node:
        """The operator, recorded again over the part."""
        record, options = node.recorded
        options = dict(options)
        if node.name == "advance":
            if pulls_all(node):  # each part handles its own vertices
                return record(node.index, self._view, *node.inputs, **options)
            pulls = may_pull(node, self._across.rules[node.index], self._plan.problem.graph)
            options["direction"] = "auto" if pulls else "push"
            if node.output is not None:
                options["duplicates"] = "remove"  # for vertices of other parts, the stamps tell which ones were put out
        if options.get("waiting") is not None:
            options["waiting"] = self._share(options["waiting"])
        found: Node = record(node.index, self._view, *map(self._symbol, node.inputs), **options)
        if "bitmaps" in found.buffers:
            words = found.buffers["bitmaps"][0][1]
            found.buffers[ARRIVED] = ((self._across.num_parts, words), np.int64, None)
        return found

    def _symbol(self, handle: Handle) -> Handle:
        """The symbol in the part's plan for a symbol of the whole step."""
        if handle.everything:
            return self._everything()
        if handle.fixed is not None:
            share = self._fixed[handle.fixed]
            return Handle("vertices", fixed=handle.fixed, distinct=handle.distinct, capacity=len(share))
        if handle.slot < 0:
            return self._inputs[-1 - handle.slot]
        output = self._nodes[handle.slot].output
        assert output is not None
        return output
