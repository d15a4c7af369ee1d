"""Components of a graph in parts: each part joins its own edges by the program of one device, then the parts meet."""

from __future__ import annotations

from typing import Any

from minigr.apps.components.programs import Join, joining
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
    team, exchange = graph._team, graph._exchange
    with exchange.together():
        parts = team.each(lambda index: PartJoined(graph.parts[index], samples, balance, driver))
        join_together(graph, [part.forest for part in parts])
        giants = exchange.all_gather(team.each(lambda index: parts[index].find_roots()))
        if len({giant for giant in giants if giant is not None}) > 1:
            team.each(lambda index: parts[index].join_all())
            join_together(graph, [part.forest for part in parts])
            team.each(lambda index: parts[index].find_roots())
        count = sum(exchange.all_gather([part.count for part in parts]))
    return PartitionedArray(graph, [part.roots for part in parts], Known.OWN), count


class PartJoined:
    """A part whose own edges are joined, except for rows that a sample has left out.

    Attributes
    ----------
    forest : Forest
    roots : int32[n]
        Once they are found: the roots of the part's own vertices, and -1 for others.
    count : int
        Once they are found: how many of its vertices are roots.
    """

    roots: Any
    count: int

    def __init__(self, part: Any, samples: bool, balance: Balance, driver: Driver) -> None:
        enactor = joining(part.graph, samples, balance, driver=driver)
        enactor.run()
        self._problem = enactor.problem
        self._left_out = enactor.problem.left_out() if samples and len(part.owned) else None
        self.forest = Forest(part, self._problem.label)

    def join_all(self) -> None:
        """Join all edges of the part."""
        advance(self._problem, Frontier.all_vertices(), Join, output=None)

    def find_roots(self) -> int | None:
        """Find the roots of the part's own vertices; that of the component which is left out, None if there is none."""
        self.roots, self.count = self.forest.of_own()
        return None if self._left_out is None else self.forest.root(self._left_out)
