"""Searches for augmenting paths, from all unmatched vertices of one side at once.

Azad, Buluc, Pothen, Computing Maximum Cardinality Matchings in Parallel on Bipartite Graphs via Tree-Grafting (IEEE
TPDS 28, 2017), without the grafting: a tree grows from each unmatched vertex of one side, and no vertex is in two
trees. A tree that reaches an unmatched vertex of the other side has an augmenting path, and grows no more. Paths of
different trees have no vertex in common, so all are augmented at once. Of several edges that reach a vertex in the same
step the one from the least vertex counts, and of several unmatched vertices that a tree reaches in the same step the
least counts. So the matching is the same in every run.
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
    """Trees begin on one side, and what they reach is on the other."""

    mate = vertex_field(np.int32)
    root = vertex_field(np.int32)  # of a vertex on the side where trees begin: that of its tree, or -1
    reached = vertex_field(np.int64)  # on the other side: in which step, and in the lower bits from where; or NONE
    last = vertex_field(np.int32)  # of a root: an unmatched vertex on the other side that its tree reached


class Reach(Functor):
    """From the side where trees begin to the other one."""

    def cond_advance(dst, src, iteration, root, reached, last):
        if last[root[src]] != _NO_VERTEX or reached[dst] >> 32 < iteration:
            return False
        return atomic_min(reached, dst, np.int64(iteration) << 32 | src) == NONE


class Meet(Functor):
    """Where a tree reached a vertex: at the end of its path, or of an edge of the matching."""

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
    """From the end of a root's path back to the root, if it has one; roots that have none are kept."""

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
    """Find augmenting paths from the `roots` and augment along them; those of the roots that have none."""
    search.run(roots)
    return filter(search.problem, Frontier("vertices", ids=roots, distinct=True), Augment).ids
