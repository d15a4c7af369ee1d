"""The sets of a union-find over parts: each part joins what its arcs tell it, and then the parts tell each other.

Each part has a parent of every vertex of the graph, and `minigr.jit.union_find` works on these parents alone. Two
vertices are in one set of a part if its arcs say so. Arcs of several parts may say so together: then a path leads
through these parts, and it goes from one into the next at a vertex that both know, as a ghost of one of them. So it is
enough that each part tells all others the root of every vertex that it shares with another part, and that they join the
two. The least vertex of a set is the root in its owner, and so in all parts that the set reaches.

Parts of one process hand on a copy of all their parents, which is no more than one pass over an array on each side. It
has to be a copy: where a part is read while it joins, a vertex may have left the tree that its neighbors were read in.
Other processes are sent the roots of shared vertices alone, 8 bytes for each that is no root itself. Either way an
operator that joins costs a join for each vertex that another part tells of.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from minigr.graphs.partitioned.part import Part
from minigr.jit.functor import Functor
from minigr.jit.union_find import find, join
from minigr.operators.partitioned.local import Applied
from minigr.primitives.compact import compact
from minigr.program.fields import scalar_field, vertex_field
from minigr.program.problem import Problem

Message = tuple[Any, Any]
"""Vertices, or None for all, and for each of them one of the same set, or -1."""


class Sets(Problem):
    parent = vertex_field(np.int32)
    root = vertex_field(np.int32)
    num_roots = scalar_field(np.int64)


class LongSets(Problem):
    parent = vertex_field(np.int64)
    root = vertex_field(np.int64)
    num_roots = scalar_field(np.int64)


class Root(Functor):
    def apply(vertex, parent, root):
        if parent[vertex] < 0:
            return 0
        root[vertex] = find(parent, vertex)
        return 1 if root[vertex] == vertex else 0


class Hang(Functor):
    def apply(vertex, parent, root):
        # Nobody else stores to this parent here, so no root is hung below two others: that would take an atomic.
        if root[vertex] >= 0 and root[vertex] < vertex and parent[vertex] == vertex:
            parent[vertex] = root[vertex]


class Join(Functor):
    def apply(vertex, parent, root):
        other = root[vertex]
        if other >= 0 and other != vertex and other != parent[vertex]:
            join(parent, vertex, other)


class Forest:
    """The sets that one part knows of.

    Parameters
    ----------
    part : Part
    parent : int32 or int64 array
        The part's copy of the parents. Elements below 0 are in no set.
    """

    def __init__(self, part: Part, parent: Any) -> None:
        self._part, self._parent = part, parent
        self._sets = (Sets if parent.dtype == np.int32 else LongSets)(part.graph, parent=parent)
        self._find, self._join = Applied(self._sets, Root, into="num_roots"), Applied(self._sets, Hang, Join)

    @cached_property
    def _shared(self) -> Any:
        """The vertices that other parts know of, too."""
        shared = self._part.device.full(len(self._parent), False, np.bool_)
        for ids in (*self._part.ghosts, *self._part.mirrors):
            shared[ids] = True
        return compact(shared, dtype=np.int32)

    def roots(self, vertices: Any) -> Any:
        """The roots of distinct vertices."""
        self._find.over(vertices)
        return self._sets.root[vertices]

    def root(self, vertex: int) -> int:
        """The root of one vertex, which is in some set."""
        while (above := int(self._part.device.number(self._parent[vertex : vertex + 1]))) < vertex:
            vertex = above
        return vertex

    def of_own(self) -> tuple[Any, int]:
        """The roots of the part's own vertices, and -1 for others; and how many of its vertices are roots.

        The array is written to again by the next call of any method.
        """
        self._part.device.fill(self._sets.root, -1)
        self._find.over(self._part.owned)
        return self._sets.root, int(self._part.device.number(self._sets.num_roots))

    def sent(self, in_one_process: bool) -> Message:
        """What other parts are to know. Where all are in one process, they get a copy of all parents."""
        if in_one_process:
            return None, self._parent.copy()
        parents = self._parent[self._shared]
        below = compact((parents >= 0) & (parents != self._shared), values=self._shared)
        return below, self.roots(below)

    def take(self, messages: list[Message]) -> None:
        """Join what all parts, by their numbers, have sent."""
        for number, message in enumerate(messages):
            if number == self._part.index:
                continue
            ids, others = self._part.here(message)
            if ids is None:
                own = self._sets.root
                self._sets.use(root=others)
                self._join.over_all()
                self._sets.use(root=own)
            else:
                self._sets.root[ids] = others
                self._join.over(ids)


def join_together(graph: Any, forests: list[Forest]) -> None:
    """Have all parts know of the sets that each of them has joined; `forests` are those of this process."""
    exchange = graph._exchange
    found = exchange.all_gather(graph._team.each(lambda index: forests[index].sent(exchange.in_one_process)))
    graph._team.each(lambda index: forests[index].take(found))
