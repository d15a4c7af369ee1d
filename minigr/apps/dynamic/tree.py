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
from minigr.enactor.problem import Problem, vertex_field
from minigr.jit.functor import Functor
from minigr.operators import filter, neighbor_reduce
from minigr.operators.frontier import Frontier, Handle
from minigr.primitives import transform

LOST = -2  # stands for a parent that is to be found again


class TreeProblem(Problem):
    """Subclasses add ``distance``, and ``far``: what it is where there is no path."""

    parent = vertex_field(np.int32, fill=-1)


class Lose(Functor):
    def cond_advance(src, dst, parent):
        return parent[dst] == src  # of one arc only, so no other thread looks at this vertex

    def apply_advance(dst, parent, distance, far):
        parent[dst] = LOST
        distance[dst] = far


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
        return Frontier.of([], self.graph._device)

    def step(self, frontier: Handle) -> Handle:
        relax, seeds, width = self.options
        return self.near_far(self.advance(frontier, relax), relax, width=width, waiting=seeds)


class ShortestPathTree(Maintained):
    """Base of `BFS` and `SSSP`: `_compute` makes ``_problem``, and ``_width`` of the bands that are relaxed in turn."""

    _relax: type[Relax]  # along an arc, and over a vertex's in-edges
    _relax_arc: Callable[..., Any]  # along arc i of a batch; its head if that came nearer, otherwise -1
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
        """Relax along the arcs of a batch; the heads that came nearer."""
        fields = {"distance": self._problem.distance, "parent": self._problem.parent}
        if self._reads_weights:
            fields["weight"] = changes.weight
        ends = {"src": changes.src, "dst": changes.dst}
        heads = transform(self._relax_arc, count=len(changes.src), dtype=np.int32, **ends, **fields)
        return heads[heads >= 0]

    def _raised(self, changes: Changes) -> Any:
        """An index of the arcs of a batch that are gone or weigh more than before; None if none are."""
        return slice(None) if changes.deleted else None

    def _repair(self, changes: Changes, most: float) -> int | None:
        problem, xp = self._problem, self.graph._device.xp
        raised, seeds, everyone = self._raised(changes), [], Frontier.all_vertices()
        if raised is not None:
            src, dst = changes.src[raised], changes.dst[raised]
            cut = dst[problem.parent[dst] == src]
            if len(cut):
                roots = xp.unique(cut)
                problem.parent[roots] = LOST
                problem.distance[roots] = problem.far
                LoseEnactor(self.graph, problem=problem, driver=self._driver).run(_distinct(roots))
                lost = filter(problem, everyone, Lost)
                if len(lost) > most:
                    return None
                how = {"direction": "in", "reduce": "min", "dtype": self._sum_dtype}
                neighbor_reduce(problem, lost, self._relax, **how)
                seeds.append(filter(problem, lost, Reached).ids)
        if not changes.deleted:
            seeds.append(self._relax_batch(changes))
        nearer = xp.unique(xp.concatenate(seeds)) if seeds else ()
        if len(nearer):
            RelaxEnactor(self.graph, problem=problem, driver=self._driver).run(
                self._relax, _distinct(nearer), self._width
            )
        elif raised is None or not len(cut):
            return 0
        lost = filter(problem, everyone, Lost)
        neighbor_reduce(problem, lost, self._adopt, direction="in", reduce="max", initial=-1, dtype=np.int32)
        self._adopt_rest(lost)
        return len(lost)

    def _adopt_rest(self, lost: Frontier) -> None:
        """Find parents for those of `lost` that still have none; by default there are none."""


def _distinct(ids: Any) -> Frontier:
    return Frontier("vertices", ids=ids, distinct=True)
