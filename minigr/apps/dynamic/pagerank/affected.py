"""The ranks of the vertices that a batch affects, computed before the iterations over all vertices."""

from __future__ import annotations

from math import isinf
from typing import Any

from minigr.apps.dynamic.common.changes import Changes
from minigr.apps.dynamic.common.patience import Patience
from minigr.apps.dynamic.pagerank.loops import AT_A_TIME, AffectedEnactor, Resume, Spread
from minigr.operators.calls import advance, compute
from minigr.program.control import Stop
from minigr.program.frontier import Frontier

_MANY = 8  # the least number of iterations over all vertices that a loop over the affected vertices must save


class AffectedRanks:
    """Updates the ranks of affected vertices if this may save many iterations.

    Parameters
    ----------
    graph : DynamicGraph
    patience : Patience
        Decides whether a batch is tried.
    problem : FollowedRanks
    loop
        The other options of the enactor.
    """

    def __init__(self, graph: Any, patience: Patience, problem: Any, **loop: Any) -> None:
        self._graph, self._patience, self._problem = graph, patience, problem
        self._enactor = AffectedEnactor(graph, problem=problem, **loop)

    def follow(self, changes: Changes, moved: float, limit: float, most: float) -> int | None:
        """Update the ranks that a batch affects; return the number of changed ranks, or None if this is not tried.

        `moved` is what the batches added to the residual, `limit` the greatest residual that may be left, and `most`
        the most that a repair may look at.
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
        problem.rank[:] /= problem.rank.sum()  # iterations keep a sum of 1, but converge to it slowly
        self._patience.note(work, 0.0 if self._enactor.stopped is Stop.EMPTY else None)
        return touched

    def _spread(self, sources: Any, heads: Any) -> int:
        """Propagate the changes at the arcs of `sources` as far as they matter; return the number of changed ranks.

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
