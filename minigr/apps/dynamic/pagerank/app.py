"""PageRank that follows its graph.

The *residual* of the ranks is the total change that another iteration would make. The answer always knows an upper
bound of the residual. After an iteration, the residual is at most the damping times the change that the iteration made.
What a batch adds is summed over the vertices whose out-edges the batch changed (see
`minigr.apps.dynamic.pagerank.drift`). `mg.pagerank` stops when the residual is below its tolerance. So no iterations
are due while the bound is below the tolerance.
"""

from __future__ import annotations

from copy import copy
from math import inf, isinf
from typing import Any

import numpy as np

from minigr.apps.common.checks import require_summable_batch
from minigr.apps.dynamic.common.changes import Changes
from minigr.apps.dynamic.common.decision import arcs_per_start
from minigr.apps.dynamic.common.maintained import Maintained, Recompute, up_to_date
from minigr.apps.dynamic.common.patience import Patience
from minigr.apps.dynamic.pagerank.affected import AffectedRanks
from minigr.apps.dynamic.pagerank.drift import Drift
from minigr.apps.dynamic.pagerank.loops import ResumingEnactor, ranks_to_follow
from minigr.apps.pagerank import check_parameters
from minigr.apps.pagerank.pull import GatherEnactor, PageRankEnactor
from minigr.apps.pagerank.transition import random_walk
from minigr.program.control import Driver, Stop
from minigr.signatures import names_options

# Even if the tolerance is coarse, iterations are due when batches have added more to the residual than the greater of
# these: the damping times 1/100 of all ranks, and 1/16 of the residual that was left when the answer was computed.
_DRIFT, _SHARE_OF_LAST = 1 / 100, 1 / 16
_STARTS = 8  # loops and operators that a computation starts besides its iterations
_ROUNDING = 8  # rounding error of an iteration, in units in the last place of the shares of vertices


class PageRank(Maintained):
    """PageRank, as `mg.pagerank` finds it, kept up to date with the graph.

    `insert_edges` and `delete_edges` change graph and answer together. The answer keeps an upper bound of the distance
    of its ranks from the ranks of the graph. Each batch adds to the bound the distance that the batch may have caused,
    which is computed from the vertices of the batch alone. While the bound is at most the error that `mg.pagerank`
    would leave, the ranks stay unchanged, and a batch costs only one look at the batch: ``iterations`` and ``touched``
    are 0. Otherwise, iterations over all vertices continue from the current ranks until the criterion of `mg.pagerank`
    holds. The bound then restarts from the error that the iterations leave.

    If many iterations would be due but few vertices are *affected*, the ranks of the affected vertices are computed
    first. A vertex is affected if an arc to the vertex was inserted or deleted, or if the vertex is a neighbor of a
    vertex whose arcs changed. A vertex whose rank moves by more than half of `tol` affects its neighbors. This phase
    ends when no vertex is affected, or when more than an eighth of all vertices are affected at a time. So a rank is as
    accurate as a rank computed from the start, but not identical. If iterations have taken as long as the last
    computation and are not done, they are given up, and the ranks are computed again: ranks that begin equal may settle
    sooner than ranks that a batch moved.

    On large graphs, `tol` may be too coarse: with two million vertices, the default accepts any change, because two
    rankings differ by at most 2. So iterations are also due when batches move more than a hundredth of all ranks, or
    more than a sixteenth of the change in the last iteration of the last computation, whichever is greater. The ranks
    stay about as close as `mg.pagerank` comes in its few iterations, and closer after one more iteration.

    The answer takes 32 bytes of memory for each vertex, or 24 bytes with such a coarse `tol` and without weights, and
    more during an update. On one device with the same number of workers, the same batches give the same result in every
    run.

    Parameters
    ----------
    graph : DynamicGraph
        A directed graph must keep its in-edges. If the graph has edge weights, they are the chances to follow an edge.
    damping : float
        Chance to follow an edge, from 0 up to but not including 1.
    tol : float
        Tolerance at which iterations end, as for `mg.pagerank`. The tolerance also determines the precision.
    max_iter : int
        Maximum number of iterations in an update.
    personalization : array or mapping, optional
        Distribution of the targets of jumps, as for `mg.pagerank`.
    recompute : {"auto", "always", "never"}
        When to recompute the answer instead of repairing it, as in `mg.dynamic.Maintained`.
    driver : {"auto", "fused", "graph", "host"}
        The driver of the loops, as for an `Enactor`. The driver changes only the speed.

    Attributes
    ----------
    graph : DynamicGraph
    rank : float64[n]
        Ranks, which sum to 1. A copy, made on access.
    iterations : int
        Number of iterations over all vertices in the last update; 0 if none was due.
    converged : bool
        False if `max_iter` ended the last iterations.
    residual : float
        Upper bound of the total change of the ranks in another iteration.
    last_update : Update
        How the answer was last brought up to date. ``touched`` counts the vertices whose ranks changed because the
        vertices were affected, or all vertices if only iterations were due.

    Raises
    ------
    GraphError
        If the graph is not a DynamicGraph, lacks in-edges, or has a negative or infinite weight; also if a batch has a
        weight above 1e290, or a nonzero weight below 1e-290.
    ProblemError
        If a parameter is out of range.

    Notes
    -----
    Sahu, Efficient GPU Implementation of Static and Incrementally Expanding DF-P PageRank for Dynamic Graphs (arXiv
    2404.08299): the dynamic frontier with pruning. Unlike in the paper, changes that a vertex withholds from its
    neighbors are not lost, dead ends are kept, and iterations over all vertices make the final decision. The bound is
    sound, except for rounding; `minigr.apps.dynamic.pagerank.drift` derives the bound.

    Examples
    --------
    >>> import minigr as mg
    >>> graph = mg.DynamicGraph.from_graph(mg.generate.star(3, device="cpu"))
    >>> ranks = mg.dynamic.PageRank(graph, recompute="never")
    >>> ranks.insert_edges([1], [2])
    1
    >>> ranks.rank.round(3), ranks.converged
    (array([0.333, 0.333, 0.333]), True)
    """

    _name = "dynamic.PageRank"
    _reads_weights = True
    _left: float  # the bound on the residual after the last iterations
    _residual: float  # the bound now
    _room: float  # the most that batches may add to the bound, even if the tolerance is coarse
    _moved: float  # what batches have added to the bound since the last iterations
    _is_due: bool  # whether iterations are due after the last batch
    _worth: int  # iterations that take as long as the last computation

    @names_options
    def __init__(
        self,
        graph: Any,
        damping: float = 0.85,
        tol: float = 1e-6,
        max_iter: int = 100,
        personalization: Any = None,
        *,
        recompute: Recompute = "auto",
        driver: Driver = "auto",
    ) -> None:
        check_parameters(self._name, damping, tol)
        self._damping, self._tol, self._max_iter = damping, tol, max_iter
        self._preferences = copy(personalization)  # the caller may change an array
        self._patience = Patience()  # with loops over affected vertices
        super().__init__(graph, recompute, driver)

    @up_to_date
    def rank(self) -> Any:
        """float64[n], a copy: ranks, which sum to 1."""
        return self._problem.rank.copy()

    @up_to_date
    def iterations(self) -> int:
        """Number of iterations over all vertices in the last update; 0 if none was due."""
        return self._iterations

    @up_to_date
    def converged(self) -> bool:
        """False if `max_iter` ended the last iterations."""
        return self._converged

    @up_to_date
    def residual(self) -> float:
        """Upper bound of the total change of the ranks in another iteration."""
        return float(self._residual)

    def _check_batch(self, weights: Any) -> None:
        require_summable_batch(weights, self._name)

    def _compute(self) -> None:
        walk = random_walk(self.graph, self._preferences, self._name)
        self._problem: Any = ranks_to_follow(self.graph, walk, self._damping, self._tol)
        self._drift = Drift(self.graph, self._problem.rank, walk.chance)
        loop = {"problem": self._problem, "max_iterations": self._max_iter, "driver": self._driver}
        self._resume = ResumingEnactor(self.graph, **loop)
        self._affected = AffectedRanks(self.graph, self._patience, **loop)
        self._iterate(PageRankEnactor(self.graph, **loop), walk.dead_ends)
        self._room = max(self._damping * _DRIFT, _SHARE_OF_LAST * self._left)
        starts = _STARTS * arcs_per_start(self.graph._device)
        self._worth = self._iterations + int(starts / max(self.graph.num_arcs, 1))

    def _work(self, changes: Changes) -> float:
        """The bound on the residual, which determines the number of iterations; 0 if no iterations are due."""
        self._iterations, self._is_due = 0, False
        if not len(changes.src):
            return 0.0
        self._moved = self._damping * self._drift.follow(changes)
        self._residual = self._left + self._moved
        self._is_due = self._residual > self._limit or self._moved > self._room
        return float(self._residual) if self._is_due else 0.0

    @property
    def _limit(self) -> float:
        """The greatest residual that `mg.pagerank` may leave."""
        return float(self._damping * self._problem.tolerance)

    def _repair(self, changes: Changes, most: float) -> int | None:
        if not self._is_due:
            return 0
        touched = self._affected.follow(changes, self._moved, self._limit, most)
        self._resume.max_iterations = self._max_iter if isinf(most) else min(self._worth, self._max_iter)
        self._iterate(self._resume)
        if not self._converged and self._iterations < self._max_iter:
            return None
        return self.graph.num_live_vertices if touched is None else touched

    def _share(self, touched: int, most: float) -> float:
        return self._iterations / max(self._worth, 1)

    def _iterate(self, enactor: GatherEnactor, *start: int) -> None:
        """Iterate over all vertices until the change is below the tolerance. `start`: the arguments of the enactor."""
        enactor.run(*start)
        problem, self._iterations = self._problem, enactor.iterations
        problem.rank[:] = enactor.rank()
        self._converged = enactor.stopped is not Stop.BUDGET
        changed = self.graph._device.number(problem.error) + _ROUNDING * float(np.finfo(problem.share.dtype).eps)
        self._left = self._residual = self._damping * changed if self._iterations else inf
        self._drift.forget()
