"""Components of a graph in parts: each part joins its own edges by the program of one device, then the parts meet."""

from __future__ import annotations

from typing import Any

import numpy as np

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
        joined = team.each(lambda index: PartJoined(graph.parts[index], samples, balance, driver))
        sent = exchange.all_gather([of_part.sent for of_part in joined])
        team.each(lambda index: joined[index].meet(sent))
        giants = exchange.all_gather([of_part.giant for of_part in joined])
        if len({giant for giant in giants if giant is not None}) > 1:
            team.each(lambda index: joined[index].join_all())
            join_together(graph, [of_part.forest for of_part in joined])
            team.each(lambda index: joined[index].find_roots())
        count = sum(exchange.all_gather([of_part.count for of_part in joined]))
    return PartitionedArray(graph, [of_part.roots for of_part in joined], Known.OWN), count


class PartJoined:
    """A part whose own edges are joined, except for rows that a sample has left out.

    Attributes
    ----------
    forest : Forest
    sent : tuple
        What other parts must know of the forest.
    giant : int or None
        Once parts have met: the root of the component whose rows are left out. None if the part has no such rows.
    roots : int32[n]
        Once parts have met: the roots of the part's own vertices, and -1 for others.
    count : int
        Once parts have met: how many of its vertices are roots.
    """

    giant: int | None
    roots: Any
    count: int

    def __init__(self, part: Any, samples: bool, balance: Balance, driver: Driver) -> None:
        enactor = joining(part.graph, samples, balance, driver=driver)
        enactor.run()
        self._part, self._samples, self._problem = part, samples, enactor.problem
        self.forest = Forest(part, self._problem.label)
        self.sent = self.forest.sent(flat=True)

    def meet(self, sent: list[Any]) -> None:
        """Join what all parts have sent, and find the roots."""
        label, owned = self._problem.label, self._part.owned
        left_out = self._problem.left_out() if self._samples else -1
        has_some = self._samples and bool((label[owned] == label[left_out]).any())
        self.forest.take(sent)
        self.find_roots()
        vertices = self._part.device.asarray(np.array([left_out] if has_some else [], np.int32))
        self.giant = next((int(root) for root in self.forest.roots(vertices)), None)

    def join_all(self) -> None:
        """Join all edges of the part."""
        advance(self._problem, Frontier.all_vertices(), Join, output=None)

    def find_roots(self) -> None:
        """Find the roots of the part's own vertices."""
        self.roots = self._part.device.full(self._part.graph.num_vertices, -1, np.int32)
        owned = self.forest.begun(self._part.owned)
        self.roots[owned] = found = self.forest.roots(owned)
        self.count = int((found == owned).sum())
