"""Breadth-first search that follows its graph; `loops.py` has the loops and the references."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from minigr.apps.common.checks import check_source
from minigr.apps.dynamic.bfs.loops import (
    FAR,
    ClimbEnactor,
    PlacesProblem,
    RelaxEnactor,
    ReturnEnactor,
    SearchEnactor,
    depth_at,
    parent_at,
    place_at,
)
from minigr.apps.dynamic.common.changes import Changes
from minigr.apps.dynamic.common.maintained import Maintained, Recompute, up_to_date
from minigr.enactor.enactor import UNLIMITED, Enactor
from minigr.primitives import transform
from minigr.program.control import Driver, Stop
from minigr.program.frontier import Frontier
from minigr.signatures import names_options

_BATCHES = 1 << 29  # numbers of batches; after these, numbers begin at 1 again
_STEPS, _STEPS_SHARE = 64, 4  # a loop may take 64 steps or 1/4 of the steps of a search, whichever is more


class BFS(Maintained):
    """Depths and a tree of parents from `source`, as `mg.bfs` finds them, kept up to date with the graph.

    `insert_edges` and `delete_edges` change graph and answer together. An insertion processes the vertices that come
    nearer to the source, and their edges. A deletion processes the vertices whose path in the tree is cut and that have
    no other path of the same length, and the edges of these vertices in both directions. After each batch, the depths
    are those of `mg.bfs`, in every run. If a vertex has several possible parents, the choice may differ from run to
    run. The answer takes up to 110 bytes of memory for each vertex. Most of this memory is working memory of the loops.

    Parameters
    ----------
    graph : DynamicGraph
        A directed graph must keep its in-edges. Edge weights are ignored.
    source : int
        Where the paths start.
    recompute : {"auto", "always", "never"}
        When to recompute the answer instead of repairing it, as in `mg.dynamic.Maintained`.
    driver : {"auto", "fused", "graph", "host"}
        The driver of the loops, as for an `Enactor`. The driver changes only the speed.

    Attributes
    ----------
    graph : DynamicGraph
    source : int
    depth : int32[n]
        Number of edges on a shortest path from the source; -1 if there is no path. A copy, made on access.
    parent : int32[n]
        The previous vertex on a shortest path; -1 for the source and if there is no path. A copy.
    last_update : Update
        How the answer was last brought up to date.

    Raises
    ------
    GraphError
        If the graph is not a DynamicGraph, lacks in-edges, or has no vertex `source`; also on access to the answer
        after the source was deleted.
    ProblemError
        If `recompute` or `driver` is unknown.

    Notes
    -----
    Concessao, Cheramangalath, Dev, Nasre, Meerkat: A framework for Dynamic Graph Algorithms on GPUs (arXiv 2305.17813),
    algorithm 6; Even, Shiloach, An On-Line Edge-Deletion Problem (Journal of the ACM 28, 1981). A repair is given up if
    an insertion touches more than a fourth of all vertices or a deletion more than an eighth, or if the repair takes
    more than a fourth of a search's steps.

    Examples
    --------
    >>> import minigr as mg
    >>> graph = mg.DynamicGraph.from_edges([0, 1, 2, 0], [1, 2, 3, 4], num_vertices=5, directed=False, device="cpu")
    >>> search = mg.dynamic.BFS(graph, 0, recompute="never")
    >>> search.insert_edges([4], [3])
    1
    >>> search.depth, search.parent
    (array([0, 1, 2, 2, 1], dtype=int32), array([-1,  0,  1,  4,  0], dtype=int32))
    >>> search.delete_edges([0], [1])
    1
    >>> search.depth, search.last_update.kind, search.last_update.touched
    (array([0, 4, 3, 2, 1], dtype=int32), 'repair', 2)
    """

    _name = "dynamic.BFS"
    # Measured on road and Kronecker graphs on a CPU: a vertex whose depth falls costs as much as two or three vertices
    # of a search, and a vertex that is cut off costs as much as five.
    _insertion_share = 1 / 4

    @names_options
    def __init__(self, graph: Any, source: int, *, recompute: Recompute = "auto", driver: Driver = "auto") -> None:
        self._source = source
        self._problem: Any = None
        super().__init__(graph, recompute, driver)
        self._source = operator.index(source)  # `_compute` has checked it

    @property
    def source(self) -> int:
        """Where the paths start."""
        return self._source

    @up_to_date
    def depth(self) -> Any:
        """int32[n], a copy: number of edges on a shortest path from the source; -1 if there is no path."""
        return transform(depth_at, tree=self._problem.tree, dtype=np.int32)

    @up_to_date
    def parent(self) -> Any:
        """int32[n], a copy: the previous vertex on a shortest path; -1 for the source and if there is no path."""
        return transform(parent_at, tree=self._problem.tree, dtype=np.int32)

    def _check_batch(self, weights: Any) -> None:
        if not self._is_current:
            check_source(self.graph, self._source)  # it may have been deleted

    def _compute(self) -> None:
        source = check_source(self.graph, self._source)
        if self._problem is None or len(self._problem.tree) != self.graph.num_vertices:
            self._begin()
        problem, device = self._problem, self.graph._device
        device.fill(problem.counts, 0)  # a batch that failed may have left other values
        self._touched, self._lost = 0, 0  # by all batches since this computation
        device.fill(problem.tree, FAR)
        problem.tree[source] = place_at(0, -1)
        search = SearchEnactor(self.graph, problem=problem, driver=self._driver)
        search.run(Frontier.of(source))
        self._steps = max(_STEPS, search.iterations // _STEPS_SHARE)

    def _begin(self) -> None:
        """Make the problem and its loops for the current number of vertices."""
        device = self.graph._device
        arrays = {"tails": device.empty(0, np.int32), "counts": device.full(2, 0, np.int64)}
        self._problem = PlacesProblem(self.graph, **arrays)
        loop: dict[str, Any] = {"problem": self._problem, "driver": self._driver}
        self._relax = RelaxEnactor(self.graph, **loop)
        self._climb, self._return = ClimbEnactor(self.graph, **loop), ReturnEnactor(self.graph, **loop)

    def _repair(self, changes: Changes, most: float) -> int | None:
        problem, before = self._problem, self._touched
        problem.batch = int(problem.batch) % _BATCHES + 1
        problem.most = before + int(min(most, self.graph.num_vertices))
        problem.before = lost = self._lost
        problem.use(tails=changes.src)
        heads = Frontier.known("vertices", changes.dst, self.graph, distinct=False)
        # A step takes about as long as a step of a search. So a repair with many steps is hardly faster than a search.
        steps = UNLIMITED if math.isinf(most) else self._steps
        is_done = self._is_done(self._climb if changes.deleted else self._relax, heads, steps)
        if is_done and self._lost > lost:
            vertices = Frontier.known("vertices", problem.lost[: self._lost - lost], self.graph, distinct=True)
            is_done = self._is_done(self._return, vertices, steps)
        return self._touched - before if is_done else None

    def _is_done(self, loop: Enactor, frontier: Frontier, steps: int) -> bool:
        """Run a loop; return False if it stopped early because it touched too many vertices or took too many steps."""
        loop.max_iterations = steps
        loop.run(frontier)
        self._touched, self._lost = self.graph._device.numbers(self._problem.counts)
        return loop.stopped is Stop.EMPTY
