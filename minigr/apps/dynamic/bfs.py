"""Breadth-first search that follows its graph.

A vertex's depth and parent stand in one word, its *place* in the tree, so that one atomic changes both. New arcs are
relaxed, and what they brought nearer goes on outwards, nearest first (Concessao, Cheramangalath, Dev, Nasre, Meerkat: A
framework for Dynamic Graph Algorithms on GPUs, arXiv 2305.17813, algorithm 6). Who loses the arc it hangs by looks for
the nearest place among its neighbors. If that is as near as before it is all there is to do; otherwise the vertex
*climbs* there, and those that hang by it look too. Depths only rise in this, and never beyond what they come to be
(Even, Shiloach, An On-Line Edge-Deletion Problem, Journal of the ACM 28, 1981).

What is cut off, or far from any other way, would climb for long. So after some steps those that still do are *lost*,
with all that hangs below them. They look for a place by those that are not, and are relaxed like new arcs: that is
Meerkat's way.
"""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from minigr.apps.common.checks import check_source
from minigr.apps.dynamic.common.changes import Changes
from minigr.apps.dynamic.common.maintained import Maintained, Recompute
from minigr.enactor.enactor import UNLIMITED, Enactor
from minigr.jit.atomics import atomic_add, atomic_cas, atomic_exch, atomic_min
from minigr.jit.functor import Functor
from minigr.primitives import transform
from minigr.program.control import Driver, Stop
from minigr.program.frontier import Frontier, Handle
from minigr.program.problem import Problem, array_field, parameter, vertex_field
from minigr.signatures import names_options

_BITS = 31  # of one more than the parent, below the depth
_FAR_DEPTH = np.iinfo(np.int32).max
_FAR = int(_FAR_DEPTH) << _BITS  # the place of vertices out of reach
_BATCHES = 1 << 29  # are numbered, and then again from 1
_CLIMBS = 4  # steps until those that climb still are lost
_STEPS, _STEPS_SHARE = 64, 4  # that a loop may have: so many, or a share of those of a search, whichever is more


class PlacesProblem(Problem):
    tree = vertex_field(np.int64, fill=_FAR)
    looked = vertex_field(np.int32)  # twice the number of the last batch that touched it; one more if it climbed
    lost = vertex_field(np.int32)  # those that this batch lost
    tails = array_field(np.int32)  # where the arcs of a batch begin, whose heads a loop starts with
    counts = array_field(np.int64)  # how many were touched, and how many lost, since a computation
    batch = parameter(np.int32, default=0)
    most = parameter(np.int64, default=0)  # what the count of touched may rise to
    before = parameter(np.int64, default=0)  # how many were lost by the batches before


def depth_of(place):
    return place >> _BITS


def parent_of(place):
    return (place & ((1 << _BITS) - 1)) - 1


def place_at(depth, parent):
    return np.int64(depth) << _BITS | (parent + 1)


def place_by(src, place):
    """The place of who hangs by `src`, which is at `place`."""
    return place_at(depth_of(place) + 1, src)


def touch(vertex, looked, counts, batch):
    """Count `vertex` if it is the first time in this batch."""
    if looked[vertex] >> 1 != batch and atomic_exch(looked, vertex, 2 * batch) >> 1 != batch:
        atomic_add(counts, 0, 1)


def comes_nearer(src, dst, tree, looked, counts, batch):
    """Whether the arc brings its head nearer; it is then there."""
    place = place_by(src, tree[src])
    if depth_of(place) >= depth_of(tree[dst]) or depth_of(place) >= depth_of(atomic_min(tree, dst, place)):
        return False
    touch(dst, looked, counts, batch)
    return True


class Search(Functor):
    def cond_target(dst, tree):
        return tree[dst] == _FAR

    def cond_advance(src, dst, iteration, tree):
        return atomic_cas(tree, dst, _FAR, place_at(iteration, src)) == _FAR


class SearchEnactor(Enactor, problem=PlacesProblem, functor=Search):
    """The search of `mg.bfs`, which puts depth and parent into one word; all vertices but the first are to be far."""

    def step(self, frontier: Handle) -> Handle:
        return self.advance(frontier, direction="auto", duplicates="impossible")


class Relax(Functor):
    def cond_filter(vertex, idx, iteration, tails, tree, looked, counts, batch):
        return iteration > 1 or comes_nearer(tails[idx], vertex, tree, looked, counts, batch)

    def cond_advance(src, dst, tree, looked, counts, batch):
        return comes_nearer(src, dst, tree, looked, counts, batch)

    def priority(vertex, tree):
        return depth_of(tree[vertex])

    def until(most, counts):
        return counts[0] > most


class RelaxEnactor(Enactor, problem=PlacesProblem, functor=Relax, steady=True):
    """From the heads of a batch's arcs outwards, by whole levels, so that hardly a vertex is relaxed twice."""

    def step(self, frontier: Handle) -> Handle:
        return self.near_far(self.advance(self.filter(frontier)), width=1.0)


class Cut(Functor):
    def cond_filter(vertex, idx, iteration, tails, tree):
        return iteration > 1 or parent_of(tree[vertex]) == tails[idx]


class Climb(Functor):
    def map(src, dst, tree):
        return place_by(src, tree[src]) if src != dst else _FAR

    def apply_reduce(vertex, value, iteration, tree, looked, counts, lost, batch, before):
        place = min(value, _FAR)
        if iteration > _CLIMBS:
            lost[atomic_add(counts, 1, 1) - before] = vertex
            place = _FAR
        climbs = 1 if depth_of(place) > depth_of(tree[vertex]) else 0
        tree[vertex] = place
        touch(vertex, looked, counts, batch)
        looked[vertex] = 2 * batch + climbs

    def cond_filter(vertex, looked):
        return looked[vertex] & 1 != 0

    def cond_advance(src, dst, tree):
        return parent_of(tree[dst]) == src and depth_of(tree[dst]) != depth_of(tree[src]) + 1

    def until(most, counts):
        return counts[0] > most


class ClimbEnactor(Enactor, problem=PlacesProblem, functor=Climb, steady=True):
    """The heads of a batch's arcs, of those they hung by, look for other places; then who hangs by those that climbed.

    Neighbors may climb while a vertex looks at them: then it hangs by one that has climbed, and looks again. After some
    steps who looks is lost, and so are those that hang by it.
    """

    def step(self, frontier: Handle) -> Handle:
        looking = self.filter(frontier, Cut, duplicates="remove")
        self.neighbor_reduce(looking, reduce="min", direction="in", dtype=np.int64)
        return self.advance(self.filter(looking), duplicates="impossible")


class First(Functor):
    def cond_filter(vertex, iteration):
        return iteration == 1


class Reached(Functor):
    def cond_filter(vertex, tree):
        return tree[vertex] < _FAR


class ReturnEnactor(Enactor, problem=PlacesProblem, functor=Climb, steady=True):
    """Vertices that are lost hang by those that are not; from there it goes on outwards, by whole levels."""

    def step(self, frontier: Handle) -> Handle:
        self.neighbor_reduce(self.filter(frontier, First), reduce="min", direction="in", dtype=np.int64)
        return self.near_far(self.advance(self.filter(frontier, Reached), Relax), Relax, width=1.0)


def _depth(i, tree):
    return -1 if tree[i] == _FAR else depth_of(tree[i])


def _parent(i, tree):
    return parent_of(tree[i])


class BFS(Maintained):
    """Depths and a tree of parents from `source`, as `mg.bfs` finds them, kept up to date with the graph.

    `insert_edges` and `delete_edges` change graph and answer together. An insertion costs the vertices that come nearer
    and their edges; a deletion those whose path in the tree is cut and that have no other path as short, and their
    edges, both ways. Depths are those of `mg.bfs` after each batch, in every run; which of several possible parents a
    vertex gets is not the same. Takes up to 110 bytes of memory for each vertex, most of which its loops work in.

    Parameters
    ----------
    graph : DynamicGraph
        A directed one must keep its in-edges. Weights, if there are any, make no difference.
    source : int
        Where the paths start.
    recompute : {"auto", "measured", "always", "never"}
        When the answer is computed again and not repaired, as in `mg.dynamic.Maintained`.
    driver : {"auto", "fused", "graph", "host"}
        Who runs the loops, as for an `Enactor`. It changes the speed only.

    Attributes
    ----------
    graph : DynamicGraph
    source : int
    depth : int32[n]
        Edges on a shortest path from the source; -1 where there is none. A copy, made when it is asked for.
    parent : int32[n]
        The vertex before it on such a path; -1 for the source and where there is none. A copy.
    last_update : Update
        How the answer was last brought up to date.

    Raises
    ------
    GraphError
        If the graph is no DynamicGraph, lacks in-edges, or has no vertex `source`; also when the answer is asked for
        after the source was deleted.
    ProblemError
        For an unknown `recompute` or `driver`.

    Notes
    -----
    Concessao, Cheramangalath, Dev, Nasre, Meerkat: A framework for Dynamic Graph Algorithms on GPUs (arXiv 2305.17813),
    algorithm 6; Even, Shiloach, An On-Line Edge-Deletion Problem (Journal of the ACM 28, 1981). A repair is given up
    where an insertion touches more than a fourth of all vertices or a deletion more than an eighth, and where it takes
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
    # On roads and Kronecker graphs, on a CPU, a vertex that comes nearer costs as much as two or three of a search, and
    # one that is cut off as much as five.
    _insertion_share = 1 / 4

    @names_options
    def __init__(self, graph: Any, source: int, *, recompute: Recompute = "auto", driver: Driver = "auto") -> None:
        self._source = source
        self._problem: Any = None
        super().__init__(graph, recompute, driver)
        self._source = operator.index(source)  # as was checked

    @property
    def source(self) -> int:
        """Where the paths start."""
        return self._source

    @property
    def depth(self) -> Any:
        """int32[n], a copy: edges on a shortest path from the source; -1 where there is none."""
        self._be_current()
        return transform(_depth, tree=self._problem.tree, dtype=np.int32)

    @property
    def parent(self) -> Any:
        """int32[n], a copy: the vertex before it on a shortest path; -1 for the source and out of reach."""
        self._be_current()
        return transform(_parent, tree=self._problem.tree, dtype=np.int32)

    def _check_batch(self, weights: Any) -> None:
        if not self._is_current:
            check_source(self.graph, self._source)  # it may have been deleted

    def _compute(self) -> None:
        source = check_source(self.graph, self._source)
        if self._problem is None or len(self._problem.tree) != self.graph.num_vertices:
            self._begin()
        problem, device = self._problem, self.graph._device
        device.fill(problem.counts, 0)  # whatever a batch that failed left there
        self._touched, self._lost = 0, 0  # by all batches since
        device.fill(problem.tree, _FAR)
        problem.tree[source] = place_at(0, -1)
        search = SearchEnactor(self.graph, problem=problem, driver=self._driver)
        search.run(Frontier.of(source))
        self._steps = max(_STEPS, search.iterations // _STEPS_SHARE)

    def _begin(self) -> None:
        """Make the problem, and the loops over it, for a graph of so many vertices."""
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
        # A step takes about as long as one of a search, so after a share of those a repair is hardly quicker any more.
        steps = UNLIMITED if math.isinf(most) else self._steps
        is_done = self._is_done(self._climb if changes.deleted else self._relax, heads, steps)
        if is_done and self._lost > lost:
            vertices = Frontier.known("vertices", problem.lost[: self._lost - lost], self.graph, distinct=True)
            is_done = self._is_done(self._return, vertices, steps)
        return self._touched - before if is_done else None

    def _is_done(self, loop: Enactor, frontier: Frontier, steps: int) -> bool:
        """Run a loop; False where it is given up, in the middle of it, since it touches too many or takes too long."""
        loop.max_iterations = steps
        loop.run(frontier)
        self._touched, self._lost = self.graph._device.numbers(self._problem.counts)
        return loop.stopped is Stop.EMPTY
