"""The sets of a union-find over parts: each part joins what its arcs tell it, and then the parts tell each other.

Each part has a parent of every vertex of the graph, and `minigr.jit.union_find` works on these parents alone. Two
vertices are in one set of a part if its arcs say so. Arcs of several parts may say so together: then a path leads
through these parts, and it goes from one into the next at a vertex that both know, as a ghost of one of them. So it is
enough that each part tells all others the root of every vertex that it shares with another part, and that they join the
two. The least vertex of a set is the root in its owner, and so in all parts that the set reaches.

As a rule most vertices are in one set. A part that shares many vertices tells by a bit of each vertex whether it is in
the largest set of the part, and lists the vertices of all other sets with their roots, 8 bytes each. A part that shares
few vertices lists them all.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from minigr.device import CPU
from minigr.graphs.partitioned.part import Part
from minigr.jit.functor import Functor
from minigr.jit.union_find import find, join
from minigr.operators.partitioned.local import Applied, Kept
from minigr.primitives.compact import compact
from minigr.primitives.transform import transform
from minigr.program.fields import parameter, scalar_field, vertex_field
from minigr.program.problem import Problem

Message = tuple[int, Any, Any, Any]
"""A root, and packed bits that say which vertices are in its set, or None; other vertices, and the root of each."""

_FEW = 64  # as many bits as a vertex that is listed takes
_SAMPLE = 1 << 10  # of so many vertices the largest set is that of most


class Sets(Problem):
    parent = vertex_field(np.int32)
    root = vertex_field(np.int32)
    within = vertex_field(np.bool_)  # whether a vertex is in the largest set of the part that tells
    largest = parameter(np.int64, default=-1)  # the root of that set
    own_largest = parameter(np.int64, default=-1)  # that of the largest set of the part that is told
    num_roots = scalar_field(np.int64)
    num_common = scalar_field(np.int64)  # vertices of both largest sets


class LongSets(Problem):
    parent = vertex_field(np.int64)
    root = vertex_field(np.int64)
    within = vertex_field(np.bool_)
    largest = parameter(np.int64, default=-1)
    own_largest = parameter(np.int64, default=-1)
    num_roots = scalar_field(np.int64)
    num_common = scalar_field(np.int64)


class Root(Functor):
    def apply(vertex, parent, root):
        if parent[vertex] < 0:
            return 0
        root[vertex] = find(parent, vertex)
        return 1 if root[vertex] == vertex else 0


def bit(i, words):
    """One of NumPy's packed bits, from words of four bytes."""
    return words[i >> 5] >> ((i & 24) + 7 - (i & 7)) & 1 != 0


class Listed(Functor):
    """Vertices that are no roots, except for those of the largest set, which are marked."""

    def cond_filter(vertex, parent, root, within, largest):
        found = find(parent, vertex) if parent[vertex] >= 0 else -1
        root[vertex] = found
        within[vertex] = found == largest
        return found >= 0 and found != vertex and found != largest


class HangWithin(Functor):
    """Returns whether a vertex is in the part's own largest set, too."""

    def apply(vertex, parent, within, largest, own_largest):
        above = parent[vertex]
        # Nobody else stores to this parent here, so no root is hung below two others: that would take an atomic.
        if within[vertex] and largest < vertex and above == vertex:
            parent[vertex] = largest
        return 1 if within[vertex] and above == own_largest else 0


class JoinWithin(Functor):
    """Where the two largest sets are joined already."""

    def apply(vertex, parent, within, largest, own_largest):
        if within[vertex] and parent[vertex] != largest and parent[vertex] != own_largest:
            join(parent, vertex, largest)


class Hang(Functor):
    def apply(vertex, parent, root):
        if root[vertex] < vertex and parent[vertex] == vertex:  # as above
            parent[vertex] = root[vertex]


class Join(Functor):
    def apply(vertex, parent, root):
        if root[vertex] != parent[vertex]:
            join(parent, vertex, root[vertex])


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
        self._find = Applied(self._sets, Root, into="num_roots")
        self._join = Applied(self._sets, Hang, Join)
        self._hang_within = Applied(self._sets, HangWithin, into="num_common")
        self._join_within = Applied(self._sets, JoinWithin)

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

    def sent(self) -> Message:
        """What other parts are to know."""
        part, parent, xp = self._part, self._parent, self._part.xp
        if (part.num_ghosts + sum(map(len, part.mirrors))) * _FEW < len(parent):
            parents = parent[self._shared]
            below = compact((parents >= 0) & (parents != self._shared), values=self._shared)
            return -1, None, below, self.roots(below)
        self._sets.largest = self._sets.own_largest = largest = self._largest()
        below = Kept(self._sets, Listed).of_all()
        bits = xp.packbits(self._sets.within)
        words = xp.zeros(-(-len(bits) // 4), np.int32)
        words.view(np.uint8)[: len(bits)] = bits
        return largest, words, below, self._sets.root[below]

    def _largest(self) -> int:
        """The root that most of a sample of the part's own vertices have; the least one of several; -1 without any."""
        owned = self._part.live
        sample = owned[:: 1 + len(owned) // _SAMPLE]
        roots, counts = np.unique(CPU.asarray(self.roots(sample)), return_counts=True)
        return int(roots[counts.argmax()]) if len(roots) else -1

    def take(self, messages: list[Message]) -> None:
        """Join what all parts, by their numbers, have sent."""
        for number, message in enumerate(messages):
            if number == self._part.index:
                continue
            largest, words, ids, roots = message
            if words is not None:
                transform(bit, words=self._part.here(words), count=len(self._parent), out=self._sets.within)
                self._join_set(largest)
            ids = self._part.here(ids)
            self._sets.root[ids] = self._part.here(roots)
            self._join.over(ids)

    def _join_set(self, largest: int) -> None:
        """Join the vertices that are marked with this one, their root elsewhere."""
        self._sets.largest = largest
        self._hang_within.over_all()
        if self._part.device.number(self._sets.num_common):
            # Most vertices are in both sets. Joined one by one, all of them would look for the same two roots.
            self._sets.root[largest] = self._sets.own_largest
            self._join.over(self._part.device.asarray(np.array([largest], np.int32)))
        self._join_within.over_all()


def join_together(graph: Any, forests: list[Forest]) -> None:
    """Have all parts know of the sets that each of them has joined; `forests` are those of this process."""
    found = graph._exchange.all_gather(graph._team.each(lambda index: forests[index].sent()))
    graph._team.each(lambda index: forests[index].take(found))
