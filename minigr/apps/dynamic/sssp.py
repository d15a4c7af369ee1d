"""Shortest paths that follow their graph."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.apps.common import require_nonnegative_batch
from minigr.apps.dynamic.changes import Changes
from minigr.apps.dynamic.tree import LOST, Lost, Relax, ShortestPathTree, TreeProblem
from minigr.apps.sssp import default_delta, distance_dtype, sssp
from minigr.enactor.enactor import Enactor
from minigr.enactor.problem import parameter, vertex_field
from minigr.jit.atomics import atomic_cas, atomic_exch, atomic_min
from minigr.jit.functor import Functor
from minigr.operators import filter
from minigr.operators.frontier import Frontier, Handle


class LengthsProblem(TreeProblem):
    distance = vertex_field(distance_dtype, fill=np.inf)
    far = parameter(distance_dtype, default=np.inf)


class RelaxLength(Relax):
    def cond_advance(src, dst, weight, distance):
        through = distance[src] + weight
        return through < distance[dst] and through < atomic_min(distance, dst, through)

    def map(src, weight, distance):
        return distance[src] + weight


class AdoptLength(Functor):
    def map(src, dst, weight, distance, parent):
        tight = distance[src] < np.inf and distance[src] + weight == distance[dst]
        # One as near as the vertex itself may be its child, or come to be. One that has a parent by now hangs from the
        # source already, without this vertex.
        return src if tight and (distance[src] < distance[dst] or parent[src] != LOST) else -1

    def apply_reduce(vertex, value, distance, parent):
        if value >= 0 or distance[vertex] == np.inf:
            parent[vertex] = value


class AdoptEqual(Functor):
    def cond_advance(src, dst, weight, distance, parent):
        if parent[dst] != LOST or parent[src] == LOST:
            return False
        tight = distance[src] == distance[dst] and distance[src] + weight == distance[dst]
        return tight and atomic_cas(parent, dst, LOST, src) == LOST


class AdoptEqualEnactor(Enactor, problem=LengthsProblem, functor=AdoptEqual):
    def step(self, frontier: Handle) -> Handle:
        return self.advance(frontier, duplicates="impossible")


def _relax_arc(i, src, dst, weight, distance, parent):
    through, head = distance[src[i]] + weight[i], dst[i]
    if weight[i] >= 0 and through < distance[head] and through < atomic_min(distance, head, through):
        return head if atomic_exch(parent, head, LOST) != LOST else -1
    return -1


class SSSP(ShortestPathTree):
    """Shortest paths from `source`, as `mg.sssp` finds them, kept up to date with the graph.

    `insert_edges` and `delete_edges` change graph and answer together; an edge that is inserted again with another
    weight counts as an insertion if it weighs less than before, and as a deletion and an insertion if it weighs more.
    An insertion costs the vertices that come nearer and their edges; a deletion those whose path in the tree is cut and
    their edges, both ways; and each a few passes over all vertices. Distances are those of `mg.sssp` after each batch,
    to the last bit, in every run; which of several possible parents a vertex gets is not the same. Takes 8 or 12 bytes
    of memory for each vertex, and more while it works.

    Parameters
    ----------
    graph : DynamicGraph
        With weights of at least 0. A directed one must keep its in-edges.
    source : int
    recompute : {"auto", "always", "never"}
        Whether batches are repaired into the answer or have it computed anew. ``"auto"``: anew if the batch has more
        than an eighth as many edges as the graph, if it cuts off more than an eighth of all vertices, or if that was
        found to be quicker.
    delta : float, optional
        The width of the bands of distance, as for `mg.sssp`; it changes the speed only.
    driver : str
        As for `mg.sssp`.

    Attributes
    ----------
    graph : DynamicGraph
    source : int
    distance : float32 or float64 [n]
        Length of a shortest path from the source; inf where there is none. A copy, made when it is asked for.
    parent : int32[n]
        The vertex before it on such a path; -1 for the source and where there is none. A copy.
    last_update : Update
        How the answer was last brought up to date: ``kind``, ``reason``, ``edges``, ``touched``, ``seconds``.

    Raises
    ------
    GraphError
        If the graph is no DynamicGraph, has no weights or a negative or infinite one, lacks in-edges, or has no vertex
        `source`; also when the answer is asked for after the source was deleted.
    ProblemError
        For an unknown `recompute` or `driver`, or a `delta` that is not a finite number above 0.

    Notes
    -----
    Concessao, Cheramangalath, Dev, Nasre, Meerkat: A framework for Dynamic Graph Algorithms on GPUs (arXiv 2305.17813),
    algorithm 6; bands as in Davidson et al. (IPDPS 2014). Where the graph was changed by its own methods or another
    answer, which ``graph.version`` tells, the answer is computed anew when it is asked for, or with the next batch.

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
    _relax_arc = staticmethod(_relax_arc)
    _relax, _adopt = RelaxLength, AdoptLength
    _sum_dtype = np.float64  # holds the sums of either type
    _reads_weights = True

    def __init__(
        self, graph: Any, source: int, *, recompute: str = "auto", delta: float | None = None, driver: str = "auto"
    ) -> None:
        self._delta = delta
        super().__init__(graph, source, recompute, driver)

    @property
    def distance(self) -> Any:
        """float32 or float64 [n], a copy: length of a shortest path; inf where there is none."""
        self._be_current()
        return self._problem.distance.copy()

    def _check_batch(self, weights: Any) -> None:
        super()._check_batch(weights)
        require_nonnegative_batch(weights, self._name)

    def _compute(self) -> None:
        default = default_delta(self.graph, self._name)
        self._width = default if self._delta is None else self._delta
        found = sssp(self.graph, self._source, delta=self._width, driver=self._driver)
        fields = {"distance": found.distance, "parent": found.parent, "num_lost": self._new_count()}
        self._problem = LengthsProblem(self.graph, **fields)

    def _raised(self, changes: Changes) -> Any:
        if changes.deleted:
            return super()._raised(changes)
        raised = (changes.before >= 0) & (changes.weight > changes.before)
        return raised if bool(raised.any()) else None

    def _adopt_rest(self, lost: Frontier) -> None:
        if len(filter(self._problem, lost, Lost)):
            AdoptEqualEnactor(self.graph, problem=self._problem, driver=self._driver).run(lost)
