"""A tree of shortest paths that follows its graph: what hop counts and distances have in common.

Concessao, Cheramangalath, Dev, Nasre, Meerkat: A framework for Dynamic Graph Algorithms on GPUs (arXiv 2305.17813),
algorithm 6. Where an arc of the tree is gone or weighs more, what hangs below it is *lost*: it has no distance any
more. Lost vertices are relaxed over their in-edges, from those that still have a distance; the heads of new arcs, and
of those that weigh less, over the batch; and what that gave a distance is relaxed outwards, nearest first.

Other than in the paper, parents are looked for at the end, for the lost and the relaxed alone: a distance and a parent
fit in one word, to be changed by one atomic, only if the distance is short.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from minigr.apps.common import check_source
from minigr.apps.dynamic.changes import Changes
from minigr.apps.dynamic.maintained import Maintained
from minigr.enactor.enactor import Enactor
from minigr.enactor.problem import Problem, array_field, parameter, vertex_field
from minigr.jit.atomics import atomic_add, atomic_cas
from minigr.jit.functor import Functor
from minigr.operators import filter, neighbor_reduce
from minigr.operators.frontier import Frontier, Handle
from minigr.primitives import transform

LOST = -2  # stands for a parent that is to be found again


class TreeProblem(Problem):
    """Subclasses add ``distance``, and ``far``: what it is where there is no path."""

    parent = vertex_field(np.int32, fill=-1)
    num_lost = array_field(np.int64)  # how many are lost below the arcs that were cut
    most = parameter(np.int64, default=0)


class Lose(Functor):
    def cond_advance(src, dst, parent):
        return parent[dst] == src  # of one arc only, so no other thread looks at this vertex

    def apply_advance(dst, parent, distance, far, num_lost):
        parent[dst] = LOST
        distance[dst] = far
        atomic_add(num_lost, 0, 1)

    def until(most, num_lost):
        return num_lost[0] > most


class LoseEnactor(Enactor, problem=TreeProblem, functor=Lose):
    def step(self, frontier: Handle) -> Handle:
        return self.advance(frontier, duplicates="impossible")


class Lost(Functor):
    def cond_filter(vertex, parent):
        return parent[vertex] == LOST


class Relax(Functor):
    """Subclasses add ``cond_advance``, which lowers ``distance[dst]``, and ``map``, the path by way of ``src``."""

    def apply_advance(dst, parent):
        parent[dst] = LOST

    def apply_reduce(vertex, value, distance):
        if value < distance[vertex]:
            distance[vertex] = value

    def priority(vertex, distance):
        return distance[vertex]


class Reached(Functor):
    def cond_filter(vertex, distance, far):
        return distance[vertex] < far


class RelaxEnactor(Enactor, problem=TreeProblem):
    """Relaxes outwards from vertices that wait, nearest first."""

    def start(self, relax: type[Functor], seeds: Frontier, width: float) -> Frontier:
        self.options = relax, seeds, width
        return Frontier.of([])

    def step(self, frontier: Handle) -> Handle:
        relax, seeds, width = self.options
        return self.near_far(self.advance(frontier, relax), relax, width=width, waiting=seeds)


def _cut(i, src, dst, parent, distance, far):
    """The head of arc i if it hangs by that arc, which it does no longer; otherwise -1."""
    head = dst[i]
    if parent[head] != src[i] or atomic_cas(parent, head, src[i], LOST) != src[i]:
        return -1
    distance[head] = far
    return head


class ShortestPathTree(Maintained):
    """Base of `BFS` and `SSSP`: `_compute` makes ``_problem``, and ``_width`` of the bands that are relaxed in turn."""

    _relax: type[Relax]  # along an arc, and over a vertex's in-edges
    _relax_arc: Callable[..., Any]  # along arc i of a batch; its head if that came nearer, once, otherwise -1
    _adopt: type[Functor]  # a parent from a vertex's in-edges
    _sum_dtype: Any  # in which paths to a vertex are compared
    _problem: Any
    _width: float

    def __init__(self, graph: Any, source: int, recompute: str, driver: str) -> None:
        self._source = source
        super().__init__(graph, recompute, driver)
        self._source = operator.index(source)  # as was checked

    @property
    def source(self) -> int:
        """Where the paths start."""
        return self._source

    @property
    def parent(self) -> Any:
        """int32[n], a copy: the vertex before it on a shortest path; -1 for the source and out of reach."""
        self._be_current()
        return self._problem.parent.copy()

    def _check_batch(self, weights: Any) -> None:
        if not self._is_current:
            check_source(self.graph, self._source)  # it may have been deleted

    def _relax_batch(self, changes: Changes) -> Any:
        """Relax along the arcs of a batch; the heads that came nearer, each once, but for those that are lost."""
        fields = {"distance": self._problem.distance, "parent": self._problem.parent}
        if self._reads_weights:
            fields["weight"] = changes.weight
        ends = {"src": changes.src, "dst": changes.dst}
        heads = transform(self._relax_arc, count=len(changes.src), dtype=np.int32, **ends, **fields)
        return heads[heads >= 0]

    def _raised(self, changes: Changes) -> Any:
        """An index of the arcs of a batch that are gone or weigh more than before; None if none are."""
        return slice(None) if changes.deleted else None

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
            neighbor_reduce(problem, lost, self._relax, direction="in", reduce="min", dtype=self._sum_dtype)
            seeds.append(filter(problem, lost, Reached).ids)
        nearer = xp.concatenate(seeds) if len(seeds) > 1 else seeds[0] if seeds else ()
        if len(nearer):
            RelaxEnactor(self.graph, problem=problem, driver=self._driver).run(
                self._relax, self._known(nearer), self._width
            )
            lost = filter(problem, Frontier.all_vertices(), Lost)
        if len(lost):
            neighbor_reduce(problem, lost, self._adopt, direction="in", reduce="max", initial=-1, dtype=np.int32)
            self._adopt_rest(lost)
        return len(lost)

    def _new_count(self) -> Any:
        return self.graph._device.full(1, 0, np.int64)

    def _known(self, vertices: Any) -> Frontier:
        return Frontier.known("vertices", vertices, self.graph, distinct=True)

    def _adopt_rest(self, lost: Frontier) -> None:
        """Find parents for those of `lost` that still have none; by default there are none."""
