"""Searches for augmenting paths from all unmatched vertices of one side at once.

Azad, Buluc, Pothen, Computing Maximum Cardinality Matchings in Parallel on Bipartite Graphs via Tree-Grafting (IEEE
TPDS 28, 2017), without the grafting: a tree grows from each unmatched vertex of one side, and no vertex is in two
trees. A tree that reaches an unmatched vertex of the other side has an augmenting path, and stops growing. Paths of
different trees have no common vertex, so the matching is augmented along all of them at once. If several edges reach a
vertex in the same step, the edge from the least vertex is used. If a tree reaches several unmatched vertices in the
same step, the least vertex is used. So the matching is the same in every run.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.enactor.enactor import Enactor
from minigr.jit.atomics import atomic_min
from minigr.jit.functor import Functor
from minigr.operators.calls import filter
from minigr.program.fields import vertex_field
from minigr.program.frontier import Frontier, Handle
from minigr.program.problem import Problem

NONE = 2**63 - 1
_NO_VERTEX, _VERTEX = 2**31 - 1, 2**32 - 1


class AugmentingProblem(Problem):
    """Trees of alternating paths. They begin on one side, and reach vertices on the other side."""

    mate = vertex_field(np.int32)
    root = vertex_field(np.int32)  # of a vertex on the side where trees begin: the root of its tree, or -1
    reached = vertex_field(np.int64)  # on the other side: the step, and in the lower bits the previous vertex; or NONE
    last = vertex_field(np.int32)  # of a root: the unmatched vertex on the other side that its tree reached


class Reach(Functor):
    """Extends trees from the side where they begin to the other side."""

    def cond_advance(dst, src, iteration, root, reached, last):
        if last[root[src]] != _NO_VERTEX or reached[dst] >> 32 < iteration:
            return False
        return atomic_min(reached, dst, np.int64(iteration) << 32 | src) == NONE


class Meet(Functor):
    """Ends the tree that reached an unmatched vertex, or extends it along the edge of the matching."""

    def cond_filter(vertex, mate, root, reached, last):
        tree = root[reached[vertex] & _VERTEX]
        if mate[vertex] < 0:
            atomic_min(last, tree, vertex)
            return False
        root[mate[vertex]] = tree
        return True

    def cond_advance(src, dst, mate):
        return mate[src] == dst


class Augment(Functor):
    """Augments along the path of a root, from its end back to the root. Keeps the roots that have no path."""

    def cond_filter(vertex, mate, reached, last):
        end = last[vertex]
        if end == _NO_VERTEX:
            return True
        while end >= 0:
            near = np.int32(reached[end] & _VERTEX)
            before = mate[near]
            mate[end], mate[near] = near, end
            end = before
        return False


class AugmentingEnactor(Enactor, problem=AugmentingProblem, functor=Meet, looks_at=()):
    def start(self, roots: Any) -> Frontier:
        problem, fill = self.problem, self.graph._device.fill
        for field, value in ((problem.root, -1), (problem.reached, NONE), (problem.last, _NO_VERTEX)):
            fill(field, value)
        problem.root[roots] = roots
        return Frontier("vertices", ids=roots, distinct=True)

    def step(self, frontier: Handle) -> Handle:
        return self.advance(self.filter(self.advance(frontier, Reach, duplicates="impossible")))


def augment(search: AugmentingEnactor, roots: Any) -> Any:
    """Find augmenting paths from the `roots` and augment along them; return the roots without such a path."""
    search.run(roots)
    return filter(search.problem, Frontier("vertices", ids=roots, distinct=True), Augment).ids
