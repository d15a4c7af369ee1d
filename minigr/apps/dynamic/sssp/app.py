"""Shortest paths that follow their graph; `loops.py` has the loops and the reference."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from minigr.apps.common.checks import check_source, require_nonnegative_batch
from minigr.apps.dynamic.common.changes import Changes
from minigr.apps.dynamic.common.maintained import Maintained, Recompute, up_to_date
from minigr.apps.dynamic.sssp.loops import AdoptEnactor, LengthsProblem, LoseEnactor, RelaxEnactor, ReturnEnactor
from minigr.apps.sssp import default_delta, sssp
from minigr.enactor.enactor import Enactor
from minigr.program.control import Driver, Stop
from minigr.program.frontier import Frontier
from minigr.signatures import names_options


class SSSP(Maintained):
    """Shortest paths from `source`, as `mg.sssp` finds them, kept up to date with the graph.

    `insert_edges` and `delete_edges` change graph and answer together. If an edge is inserted again with another
    weight, the edge counts as an insertion if the new weight is less, and as a deletion and an insertion if the new
    weight is greater. An insertion processes the vertices that come nearer to the source, and their edges. A deletion
    processes the vertices whose path in the tree is cut, and the edges of these vertices in both directions. After each
    batch, the distances are those of `mg.sssp`, to the last bit, in every run. If a vertex has several possible
    parents, the choice may differ from run to run. The answer takes up to 110 bytes of memory for each vertex. Most of
    this memory is working memory of the loops.

    Parameters
    ----------
    graph : DynamicGraph
        The weights must be at least 0. A directed graph must keep its in-edges.
    source : int
        Where the paths start.
    delta : float, optional
        Width of the bands of distance, as for `mg.sssp`. The width changes only the speed.
    recompute : {"auto", "always", "never"}
        When to recompute the answer instead of repairing it, as in `mg.dynamic.Maintained`.
    driver : {"auto", "fused", "graph", "host"}
        The driver of the loops, as for an `Enactor`. The driver changes only the speed.

    Attributes
    ----------
    graph : DynamicGraph
    source : int
    distance : float32 or float64 [n]
        Length of a shortest path from the source; inf if there is no path. A copy, made on access.
    parent : int32[n]
        The previous vertex on a shortest path; -1 for the source and if there is no path. A copy.
    last_update : Update
        How the answer was last brought up to date.

    Raises
    ------
    GraphError
        If the graph is not a DynamicGraph, has no weights or a negative or infinite weight, lacks in-edges, or has no
        vertex `source`; also on access to the answer after the source was deleted.
    ProblemError
        If `recompute` or `driver` is unknown, or if `delta` is not a finite number above 0.

    Notes
    -----
    Concessao, Cheramangalath, Dev, Nasre, Meerkat: A framework for Dynamic Graph Algorithms on GPUs (arXiv 2305.17813),
    algorithm 6; bands as in Davidson et al. (IPDPS 2014). A repair is given up if it cuts off more than a fourth of all
    vertices, or if an insertion touches more than two thirds.

    Examples
    --------
    >>> import minigr as mg
    >>> edges = [0, 1, 0], [1, 2, 2], [1.0, 1.0, 5.0]
    >>> graph = mg.DynamicGraph.from_edges(*edges, directed=False, device="cpu")
    >>> paths = mg.dynamic.SSSP(graph, 0, recompute="never")
    >>> paths.insert_edges([0], [1], [7.0])
    0
    >>> paths.distance, paths.parent
    (array([0., 6., 5.]), array([-1,  2,  0], dtype=int32))
    """

    _name = "dynamic.SSSP"
    # Measured on road networks on a CPU and on an H200: a vertex that is cut off costs as much as two or three vertices
    # of a search, and a vertex whose distance falls costs as much as one and a half.
    _insertion_share, _deletion_share = 2 / 3, 1 / 4
    _reads_weights = True

    @names_options
    def __init__(
        self,
        graph: Any,
        source: int,
        *,
        delta: float | None = None,
        recompute: Recompute = "auto",
        driver: Driver = "auto",
    ) -> None:
        self._source, self._delta = source, delta
        self._problem: Any = None
        super().__init__(graph, recompute, driver)
        self._source = operator.index(source)  # `_compute` has checked it

    @property
    def source(self) -> int:
        """Where the paths start."""
        return self._source

    @up_to_date
    def distance(self) -> Any:
        """float32 or float64 [n], a copy: length of a shortest path from the source; inf if there is no path."""
        return self._problem.distance.copy()

    @up_to_date
    def parent(self) -> Any:
        """int32[n], a copy: the previous vertex on a shortest path; -1 for the source and if there is no path."""
        return self._problem.parent.copy()

    def _check_batch(self, weights: Any) -> None:
        if not self._is_current:
            check_source(self.graph, self._source)  # it may have been deleted
        require_nonnegative_batch(weights, self._name)

    def _compute(self) -> None:
        default = default_delta(self.graph, self._name)
        width = default if self._delta is None else self._delta
        found = sssp(self.graph, check_source(self.graph, self._source), delta=width, driver=self._driver)
        if self._problem is None or len(self._problem.parent) != self.graph.num_vertices:
            self._begin(width)
        self._problem.distance, self._problem.parent = found.distance, found.parent
        self._problem.num_touched[:] = self._touched = 0  # a batch that failed may have left another value

    def _begin(self, width: float) -> None:
        """Make the problem and its loops for the current number of vertices.

        The loops keep this width of bands when the mean weight changes. The width affects only the speed.
        """
        device = self.graph._device
        batch = {"tails": device.empty(0, np.int32), "weights": device.empty(0, self.graph.weight_dtype)}
        self._problem = LengthsProblem(self.graph, num_touched=device.full(1, 0, np.int64), **batch)
        loop: dict[str, Any] = {"problem": self._problem, "driver": self._driver}
        self._relax, self._return = RelaxEnactor(self.graph, width, **loop), ReturnEnactor(self.graph, width, **loop)
        self._lose, self._adopt = LoseEnactor(self.graph, **loop), AdoptEnactor(self.graph, **loop)

    def _repair(self, changes: Changes, most: float) -> int | None:
        problem, before, everyone = self._problem, self._touched, self.graph.num_vertices
        problem.before, problem.most = before, before + int(min(most, self._most(deleted=True), everyone))
        raised = self._raised(changes)
        if raised is not None and not self._cut_and_return(changes.src[raised], changes.dst[raised]):
            return None
        if not changes.deleted:
            problem.most = before + int(min(most, everyone))
            problem.use(tails=changes.src, weights=changes.weight)
            self._touch(self._relax, changes.dst)
            if self._relax.stopped is Stop.UNTIL:
                return None
        if self._touched > before:
            self._adopt.run(self._list())
        return self._touched - before

    def _raised(self, changes: Changes) -> Any:
        """An index of the arcs of a batch that were deleted or whose weight grew; None if there are none."""
        if changes.deleted:
            return slice(None)
        raised = (changes.before >= 0) & (changes.weight > changes.before)
        return raised if bool(raised.any()) else None

    def _cut_and_return(self, tails: Any, heads: Any) -> bool:
        """Cut arcs, and reach the lost vertices again; stop early and return False if too many vertices are lost."""
        self._problem.use(tails=tails)
        self._touch(self._lose, heads)
        if self._lose.stopped is Stop.UNTIL:
            return False
        if self._touched > self._problem.before:
            self._return.run(self._list())
        return True

    def _touch(self, loop: Enactor, heads: Any) -> None:
        """Run a loop from the heads of arcs, and read the number of touched vertices."""
        loop.run(Frontier.known("vertices", heads, self.graph, distinct=False))
        self._touched = int(self.graph._device.number(self._problem.num_touched))

    def _list(self) -> Frontier:
        """The vertices that this batch has touched so far."""
        vertices = self._problem.touched[: self._touched - int(self._problem.before)]
        return Frontier.known("vertices", vertices, self.graph, distinct=True)
