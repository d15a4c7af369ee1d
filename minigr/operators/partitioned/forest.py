"""The sets of a union-find over parts: each part joins sets by its own arcs, and then the parts exchange their sets.

Each part has a parent of every vertex of the graph, and `minigr.jit.union_find` works only on these parents. Two
vertices are in one set of a part if arcs of this part connect them. If arcs of several parts connect two vertices, a
path leads through these parts. It goes from one part to the next at a vertex that both parts know, as a ghost of one of
them. So it is enough that each part tells all other parts the root of every vertex that it shares with another part,
and that the other parts join the vertex and the root. The least vertex of a set is the root in its owner, and therefore
in all parts that have vertices of the set.

In general, most vertices are in one set. A part that shares many vertices sends a bit for each vertex that says whether
the vertex is in the largest set of the part, and lists the vertices of all other sets with their roots, 8 bytes each. A
part that shares few vertices lists all of them.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from minigr.graphs.partitioned.part import Part
from minigr.jit.atomics import atomic_add
from minigr.jit.functor import Functor
from minigr.jit.union_find import find, join
from minigr.operators.compute import record as record_compute
from minigr.operators.filter import record as record_filter
from minigr.operators.partitioned.local import Applied, OverPart
from minigr.primitives.compact import compact
from minigr.program.fields import array_field, parameter, scalar_field, vertex_field
from minigr.program.frontier import Frontier, Handle
from minigr.program.problem import Problem

Message = tuple[int, Any, Any, Any]
"""A root, and packed bits that say which vertices are in its set, or None; other vertices, and the root of each."""

_FEW = 64  # bits that a listed vertex takes
_SAMPLE = 1 << 10  # number of vertices of a sample, from which the largest set is found
_BALLOTS = 1 << 12  # number of counters of votes; roots that share a counter by chance share its votes
_LOW = (1 << 32) - 1


class Sets(Problem):
    parent = vertex_field(np.int32)
    root = vertex_field(np.int32)
    within = vertex_field(np.bool_)  # whether a vertex is in the largest set of this part
    bits = array_field(np.uint8)  # the bits `within` of the part that sends, packed
    largest = parameter(np.int64, default=-1)  # the root of the largest set of the part that sends
    own_largest = parameter(np.int64, default=-1)  # the root of the largest set of the part that receives
    votes = array_field(np.int32)
    most = scalar_field(np.int64)  # the most votes and, in the low half, `_LOW` minus the least root with so many votes
    num_common = scalar_field(np.int64)  # number of vertices in both largest sets


class LongSets(Sets):
    parent = vertex_field(np.int64)
    root = vertex_field(np.int64)


class Root(Functor):
    def apply(vertex, parent, root):
        root[vertex] = find(parent, vertex)


class Ask(Functor):
    """Finds the roots of a sample, and clears the counters for their votes."""

    def apply(vertex, parent, root, votes):
        root[vertex] = find(parent, vertex)
        votes[root[vertex] & (_BALLOTS - 1)] = 0


class Vote(Functor):
    def apply(vertex, root, votes):
        atomic_add(votes, root[vertex] & (_BALLOTS - 1), 1)


class Count(Functor):
    def apply(vertex, root, votes):
        return (votes[root[vertex] & (_BALLOTS - 1)] << 32) + _LOW - root[vertex]


class Listed(Functor):
    """Vertices that are not roots, except the vertices of the largest set, which are marked instead."""

    def cond_filter(vertex, parent, root, within, most):
        largest = _LOW - (most & _LOW)
        found = find(parent, vertex) if parent[vertex] >= 0 else -1
        root[vertex] = found
        within[vertex] = found == largest
        return found >= 0 and found != vertex and found != largest


def is_within(bits, vertex):
    """Whether a bit in NumPy's packed order is set."""
    return bits[vertex >> 3] >> (7 - (vertex & 7)) & 1 != 0


class HangWithin(Functor):
    """Returns whether a vertex is also in the part's own largest set."""

    def apply(vertex, parent, bits, largest, own_largest):
        above, within = parent[vertex], is_within(bits, vertex)
        # Only this thread stores to this parent, so no root gets two parents. Otherwise an atomic would be needed.
        if within and largest < vertex and above == vertex:
            parent[vertex] = largest
        return 1 if within and above == own_largest else 0


class JoinWithin(Functor):
    """Joins sets. Most vertices are in both largest sets, so the roots of these two sets are joined only once."""

    def apply(vertex, parent, bits, num_common, largest, own_largest):
        above = parent[vertex]
        if vertex == largest:
            if num_common > 0:
                join(parent, largest, own_largest)
        elif above != largest and above != own_largest and is_within(bits, vertex):
            join(parent, vertex, largest)


class Hang(Functor):
    def apply(vertex, parent, root):
        if root[vertex] < vertex and parent[vertex] == vertex:  # as in HangWithin
            parent[vertex] = root[vertex]


class Join(Functor):
    def apply(vertex, parent, root):
        if root[vertex] != parent[vertex]:
            join(parent, vertex, root[vertex])


class Telling(OverPart):
    """Finds the largest set by a sample, and lists the vertices of other sets that are not roots."""

    def step(self, everything: Handle, sample: Handle) -> Any:
        for functor in (Ask, Vote):
            self._add(record_compute, (sample,), {"functor": functor})
        self._add(record_compute, (sample,), {"functor": Count, "into": "most", "reduce": "max", "initial": 0})
        return self._add(record_filter, (everything,), {"functor": Listed, "duplicates": "keep"}), None

    def told(self, sample: Any) -> Any:
        """The listed vertices, as int32."""
        return self._execute_for_output((Frontier.all_vertices(), self._list(sample)))[0].ids


class Taking(OverPart):
    """Joins sets as another part tells: by a bit for each vertex, and by a list of vertices with their roots."""

    def step(self, everything: Handle, listed: Handle) -> None:
        self._add(record_compute, (everything,), {"functor": HangWithin, "into": "num_common"})
        self._add(record_compute, (everything,), {"functor": JoinWithin})
        for functor in (Hang, Join):
            self._add(record_compute, (listed,), {"functor": functor})

    def take(self, listed: Any) -> None:
        """Join sets as the fields tell; `listed` has the listed vertices."""
        self._finish(self._execute((Frontier.all_vertices(), self._list(listed))))


class Forest:
    """The sets that one part knows.

    Parameters
    ----------
    part : Part
    parent : int32 or int64 array
        The part's copy of the parents. Elements below 0 are in no set.
    """

    def __init__(self, part: Part, parent: Any) -> None:
        self._part, self._parent = part, parent
        boxes = {
            "votes": part.device.empty(_BALLOTS, np.int32),
            "bits": part.device.empty(-(-len(parent) // 8), np.uint8),
        }
        self._sets = (Sets if parent.dtype == np.int32 else LongSets)(part.graph, parent=parent, **boxes)
        self._find = Applied(self._sets, Root)
        self._join = Applied(self._sets, Hang, Join)

    @cached_property
    def _shared(self) -> Any:
        """The vertices that other parts know too."""
        shared = self._part.device.full(len(self._parent), False, np.bool_)
        for ids in (*self._part.ghosts, *self._part.mirrors):
            shared[ids] = True
        return compact(shared, dtype=np.int32)

    def roots(self, vertices: Any) -> Any:
        """The roots of distinct vertices."""
        self._find.over(vertices)
        return self._sets.root[vertices]

    def sent(self) -> Message:
        """The message to other parts."""
        part, parent, xp = self._part, self._parent, self._part.xp
        if (part.num_ghosts + sum(map(len, part.mirrors))) * _FEW < len(parent):
            parents = parent[self._shared]
            below = compact((parents >= 0) & (parents != self._shared), values=self._shared)
            return -1, None, below, self.roots(below)
        below = Telling(self._sets).told(part.live[:: 1 + len(part.live) // _SAMPLE])
        largest = _LOW - (int(part.device.number(self._sets.most)) & _LOW)
        self._sets.own_largest = largest
        return largest, xp.packbits(self._sets.within), below, self._sets.root[below]

    def take(self, messages: list[Message]) -> None:
        """Join sets by the messages of all parts, which are ordered by part number."""
        part, sets = self._part, self._sets
        for number, message in enumerate(messages):
            if number == part.index:
                continue
            largest, bits, ids, roots = message
            ids = part.here(ids)
            sets.root[ids] = part.here(roots)
            if bits is None:
                self._join.over(ids)
            else:
                sets.largest, sets.bits = largest, part.here(bits)
                Taking(sets).take(ids)


def join_together(graph: Any, forests: list[Forest]) -> None:
    """Exchange the sets that each part has joined among all parts; `forests` are the sets of this process."""
    found = graph._exchange.all_gather(graph._team.each(lambda index: forests[index].sent()))
    graph._team.each(lambda index: forests[index].take(found))
