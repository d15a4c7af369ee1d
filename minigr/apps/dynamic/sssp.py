"""Shortest paths that follow their graph.

Concessao, Cheramangalath, Dev, Nasre, Meerkat: A framework for Dynamic Graph Algorithms on GPUs (arXiv 2305.17813),
algorithm 6. Where an arc of the tree is gone or weighs more, what hangs below it is *lost*: it has no distance any
more. Lost vertices are relaxed over their in-edges, from those that still have a distance; the heads of new arcs, and
of those that weigh less, over the batch; and what that gave a distance is relaxed outwards, nearest first.

Other than in the paper, parents are looked for at the end, for the lost and the relaxed alone: a distance and a parent
fit in one word, to be changed by one atomic, only if the distance is short.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from minigr.apps.common import check_source, require_nonnegative_batch
from minigr.apps.dynamic.changes import Changes
from minigr.apps.dynamic.maintained import Maintained
from minigr.apps.sssp import default_delta, distance_dtype, sssp
from minigr.enactor.enactor import Enactor
from minigr.enactor.problem import Problem, array_field, parameter, vertex_field
from minigr.jit.atomics import atomic_add, atomic_cas, atomic_exch, atomic_min
from minigr.jit.functor import Functor
from minigr.operators import filter, neighbor_reduce
from minigr.operators.frontier import Frontier, Handle
from minigr.primitives import transform

_LOST = -2  # stands for a parent that is to be found again


class LengthsProblem(Problem):
    distance = vertex_field(distance_dtype, fill=np.inf)
    far = parameter(distance_dtype, default=np.inf)  # where there is no path
    parent = vertex_field(np.int32, fill=-1)
    num_lost = array_field(np.int64)  # how many are lost below the arcs that were cut
    most = parameter(np.int64, default=0)


class Lose(Functor):
    def cond_advance(src, dst, parent):
        return parent[dst] == src  # of one arc only, so no other thread looks at this vertex

    def apply_advance(dst, parent, distance, far, num_lost):
        parent[dst] = _LOST
        distance[dst] = far
        atomic_add(num_lost, 0, 1)

    def until(most, num_lost):
        return num_lost[0] > most


class LoseEnactor(Enactor, problem=LengthsProblem, functor=Lose):
    def step(self, frontier: Handle) -> Handle:
        return self.advance(frontier, duplicates="impossible")


class Lost(Functor):
    def cond_filter(vertex, parent):
        return parent[vertex] == _LOST


class Relax(Functor):
    def cond_advance(src, dst, weight, distance):
        through = distance[src] + weight
        return through < distance[dst] and through < atomic_min(distance, dst, through)

    def apply_advance(dst, parent):
        parent[dst] = _LOST

    def map(src, weight, distance):
        return distance[src] + weight

    def apply_reduce(vertex, value, distance):
        if value < distance[vertex]:
            distance[vertex] = value

    def priority(vertex, distance):
        return distance[vertex]


class Reached(Functor):
    def cond_filter(vertex, distance, far):
        return distance[vertex] < far


class RelaxEnactor(Enactor, problem=LengthsProblem, functor=Relax):
    """Relaxes outwards from vertices that wait, nearest first."""

    def start(self, seeds: Frontier, width: float) -> Frontier:
        self.seeds, self.width = seeds, width
        return Frontier.of([])

    def step(self, frontier: Handle) -> Handle:
        return self.near_far(self.advance(frontier), width=self.width, waiting=self.seeds)


class Adopt(Functor):
    def map(src, dst, weight, distance, parent):
        tight = distance[src] < np.inf and distance[src] + weight == distance[dst]
        # One as near as the vertex itself may be its child, or come to be. One that has a parent by now hangs from the
        # source already, without this vertex.
        return src if tight and (distance[src] < distance[dst] or parent[src] != _LOST) else -1

    def apply_reduce(vertex, value, distance, parent):
        if value >= 0 or distance[vertex] == np.inf:
            parent[vertex] = value


class AdoptEqual(Functor):
    def cond_advance(src, dst, weight, distance, parent):
        if parent[dst] != _LOST or parent[src] == _LOST:
            return False
        tight = distance[src] == distance[dst] and distance[src] + weight == distance[dst]
        return tight and atomic_cas(parent, dst, _LOST, src) == _LOST


class AdoptEqualEnactor(Enactor, problem=LengthsProblem, functor=AdoptEqual):
    def step(self, frontier: Handle) -> Handle:
        return self.advance(frontier, duplicates="impossible")


def _cut(i, src, dst, parent, distance, far):
    """The head of arc i if it hangs by that arc, which it does no longer; otherwise -1."""
    head = dst[i]
    if parent[head] != src[i] or atomic_cas(parent, head, src[i], _LOST) != src[i]:
        return -1
    distance[head] = far
    return head


def _relax_arc(i, src, dst, weight, distance, parent):
    through, head = distance[src[i]] + weight[i], dst[i]
    if weight[i] >= 0 and through < distance[head] and through < atomic_min(distance, head, through):
        return head if atomic_exch(parent, head, _LOST) != _LOST else -1
    return -1


class SSSP(Maintained):
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
    _reads_weights = True

    def __init__(
        self, graph: Any, source: int, *, recompute: str = "auto", delta: float | None = None, driver: str = "auto"
    ) -> None:
        self._source, self._delta = source, delta
        super().__init__(graph, recompute, driver)
        self._source = operator.index(source)  # as was checked

    @property
    def source(self) -> int:
        """Where the paths start."""
        return self._source

    @property
    def distance(self) -> Any:
        """float32 or float64 [n], a copy: length of a shortest path; inf where there is none."""
        self._be_current()
        return self._problem.distance.copy()

    @property
    def parent(self) -> Any:
        """int32[n], a copy: the vertex before it on a shortest path; -1 for the source and out of reach."""
        self._be_current()
        return self._problem.parent.copy()

    def _check_batch(self, weights: Any) -> None:
        if not self._is_current:
            check_source(self.graph, self._source)  # it may have been deleted
        require_nonnegative_batch(weights, self._name)

    def _compute(self) -> None:
        default = default_delta(self.graph, self._name)
        self._width = default if self._delta is None else self._delta
        found = sssp(self.graph, self._source, delta=self._width, driver=self._driver)
        none_lost = self.graph._device.full(1, 0, np.int64)
        fields = {"distance": found.distance, "parent": found.parent, "num_lost": none_lost}
        self._problem: Any = LengthsProblem(self.graph, **fields)

    def _relax_batch(self, changes: Changes) -> Any:
        """Relax along the arcs of a batch; the heads that came nearer, each once, but for those that are lost."""
        arcs = {"src": changes.src, "dst": changes.dst, "weight": changes.weight}
        fields = {"distance": self._problem.distance, "parent": self._problem.parent}
        heads = transform(_relax_arc, dtype=np.int32, **arcs, count=len(changes.src), **fields)
        return heads[heads >= 0]

    def _raised(self, changes: Changes) -> Any:
        """An index of the arcs of a batch that are gone or weigh more than before; None if none are."""
        if changes.deleted:
            return slice(None)
        raised = (changes.before >= 0) & (changes.weight > changes.before)
        return raised if bool(raised.any()) else None

    def _cut_off(self, src: Any, dst: Any, most: float) -> Frontier | None:
        """Lose what hangs below these arcs; None, in the middle of it, where that is more than `most` vertices."""
        problem = self._problem
        fields = {name: problem._values[name] for name in ("parent", "distance", "far")}
        roots = transform(_cut, count=len(src), src=src, dst=dst, dtype=np.int32, **fields)
        roots = roots[roots >= 0]
        if len(roots):
            problem.num_lost[:] = len(roots)
            problem.most = int(min(most, self.graph.num_vertices))
            LoseEnactor(self.graph, problem=problem, driver=self._driver).run(self._known(roots))
            if int(problem.num_lost[0]) > most:
                return None
        return filter(problem, Frontier.all_vertices(), Lost) if len(roots) else self._known(roots)

    def _repair(self, changes: Changes, most: float) -> int | None:
        problem, xp = self._problem, self.graph._device.xp
        raised, seeds = self._raised(changes), []
        lost: Any = ()
        if raised is not None:
            lost = self._cut_off(changes.src[raised], changes.dst[raised], most)
            if lost is None:
                return None
        if not changes.deleted:  # before lost vertices are looked at, or what the batch brings them would not go on
            seeds.append(self._relax_batch(changes))
        if len(lost):
            neighbor_reduce(problem, lost, Relax, direction="in", reduce="min", dtype=np.float64)
            seeds.append(filter(problem, lost, Reached).ids)
        nearer = xp.concatenate(seeds) if len(seeds) > 1 else seeds[0] if seeds else ()
        if len(nearer):
            RelaxEnactor(self.graph, problem=problem, driver=self._driver).run(self._known(nearer), self._width)
            lost = filter(problem, Frontier.all_vertices(), Lost)
        if len(lost):
            neighbor_reduce(problem, lost, Adopt, direction="in", reduce="max", initial=-1, dtype=np.int32)
            if len(filter(problem, lost, Lost)):
                AdoptEqualEnactor(self.graph, problem=problem, driver=self._driver).run(lost)
        return len(lost)

    def _known(self, vertices: Any) -> Frontier:
        return Frontier.known("vertices", vertices, self.graph, distinct=True)
