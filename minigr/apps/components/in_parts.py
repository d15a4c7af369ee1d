"""Components of a graph in parts: each part joins its own edges by the program of one device, then the parts meet."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.apps.components.programs import ComponentsProblem, Join, joining
from minigr.graphs.partitioned.array import Known, PartitionedArray
from minigr.operators.calls import advance
from minigr.operators.options import Balance
from minigr.operators.partitioned.forest import Forest, join_together
from minigr.program.control import Driver
from minigr.program.frontier import Frontier


def join_parts(graph: Any, samples: bool, balance: Balance, driver: Driver) -> tuple[PartitionedArray, int]:
    """The least vertex of the component of each vertex, and how many components there are.

    With `samples` a part leaves out the rows of the component that most of its sample is in. An edge from there is seen
    from its other end, unless that is a vertex of another part which is left out there. So the edges that nobody has
    seen join what is left out in different parts. Where that is one component in the end, nothing is missing; where it
    is not, each part joins all of its edges.
    """
    parts, team, exchange = graph.parts, graph._team, graph._exchange

    def run(index: int) -> Any:
        enactor = joining(parts[index].graph, samples, balance, driver=driver)
        enactor.run()
        return enactor.problem

    with exchange.together():
        problems = team.each(run)
        forests = team.each(lambda index: Forest(parts[index], problems[index].label))
        left_out = team.each(lambda index: _left_out(parts[index], problems[index])) if samples else []
        join_together(graph, forests)
        if samples:
            roots = team.each(lambda index: [int(v) for v in forests[index].roots(left_out[index])])
            if len({root for of_part in exchange.all_gather(roots) for root in of_part}) > 1:
                team.each(lambda index: advance(problems[index], Frontier.all_vertices(), Join, output=None))
                join_together(graph, forests)
        found = team.each(lambda index: _roots(parts[index], forests[index]))
        count = sum(exchange.all_gather([own for _, own in found]))
    return PartitionedArray(graph, [roots for roots, _ in found], Known.OWN), count


def _left_out(part: Any, problem: ComponentsProblem) -> Any:
    """A vertex of the component whose rows a part has left out; none, if it has no such rows."""
    giant = problem.left_out()
    has_some = (problem.label[part.owned] == problem.label[giant]).any()
    return part.device.asarray(np.array([giant] if has_some else [], np.int32))


def _roots(part: Any, forest: Forest) -> tuple[Any, int]:
    """int32[n]: the roots of the part's own vertices, and -1 for others; and how many of its vertices are roots."""
    roots = part.device.full(part.graph.num_vertices, -1, np.int32)
    owned = forest.begun(part.owned)
    roots[owned] = forest.roots(owned)
    return roots, int((roots[owned] == owned).sum())
