"""The ranks of vertices that a batch affects, worked out before the iterations over all vertices."""

from __future__ import annotations

from math import isinf
from typing import Any

from minigr.apps.dynamic.common.changes import Changes
from minigr.apps.dynamic.common.patience import Patience
from minigr.apps.dynamic.pagerank.loops import AT_A_TIME, AffectedEnactor, Resume, Spread
from minigr.operators.calls import advance, compute
from minigr.program.control import Stop
from minigr.program.frontier import Frontier

_MANY = 8  # iterations over all vertices, that a look at the affected ones may spare


class AffectedRanks:
    """Follows the affected vertices where that may spare many iterations.

    Parameters
    ----------
    graph : DynamicGraph
    patience : Patience
        With following them.
    problem : FollowedRanks
    loop
        The other options of the enactor.
    """

    def __init__(self, graph: Any, patience: Patience, problem: Any, **loop: Any) -> None:
        self._graph, self._patience, self._problem = graph, patience, problem
        self._enactor = AffectedEnactor(graph, problem=problem, **loop)

    def follow(self, changes: Changes, moved: float, limit: float, most: float) -> int | None:
        """Follow the vertices that a batch affects; how many ranks changed, None where they are not followed.

        `moved`: what the batches added to the residual; `limit`: the residual that may be left; `most`: what a repair
        may look at.
        """
        graph, problem = self._graph, self._problem
        if moved * float(problem.damping) ** _MANY <= limit:
            return None
        sources = graph._device.xp.unique(changes.src)
        work = int(graph.out_edges.degrees[sources].sum()) + len(changes.dst)
        if work > AT_A_TIME * graph.num_live_vertices:
            return None
        if not isinf(most) and not self._patience.is_tried(work):
            return None
        touched = self._spread(sources, changes.dst)
        problem.rank[:] /= problem.rank.sum()  # iterations keep a sum of 1, but are slow to find it
        self._patience.note(work, 0.0 if self._enactor.stopped is Stop.EMPTY else None)
        return touched

    def _spread(self, sources: Any, heads: Any) -> int:
        """Let what changed at the arcs of `sources` go round where it affects a vertex; how many ranks changed.

        `heads`: the vertices to which arcs were inserted or deleted.
        """
        problem, xp = self._problem, self._graph._device.xp
        told = advance(problem, Frontier("vertices", ids=sources, distinct=True), Spread)
        assert told is not None
        affected = xp.unique(xp.concatenate([told.ids, heads]))
        before = problem.rank.copy()
        compute(problem, Frontier.all_vertices(), Resume, into="dangling")
        self._enactor.run(Frontier("vertices", ids=affected, distinct=True))
        return int(xp.count_nonzero(problem.rank != before))
