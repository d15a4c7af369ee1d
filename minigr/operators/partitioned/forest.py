"""The sets of a union-find over parts: each part joins what its arcs tell it, and then the parts tell each other.

Each part has a parent of every vertex of the graph, and `minigr.jit.union_find` works on these parents alone. Two
vertices are in one set of a part if its arcs say so. Arcs of several parts may say so together: then a path leads
through these parts, and it goes from one into the next at a vertex that both know, as a ghost of one of them. So it is
enough that each part tells all others the root of every vertex that it shares with another part, and that they join the
two. The least vertex of a set is the root in its owner, and so in all parts that the set reaches.

The cost of an operator that joins: in each part a search for each shared vertex; 8 bytes for each of these that is no
root, to each other part; and a join for each of them there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.graphs.partitioned.part import Part
from minigr.jit.functor import Functor
from minigr.jit.union_find import find, join
from minigr.operators.partitioned.local import Applied
from minigr.primitives.compact import compact
from minigr.program.fields import vertex_field
from minigr.program.problem import Problem


class Sets(Problem):
    parent = vertex_field(np.int32)
    root = vertex_field(np.int32)


class LongSets(Problem):
    parent = vertex_field(np.int64)
    root = vertex_field(np.int64)


class Root(Functor):
    def apply(vertex, parent, root):
        root[vertex] = find(parent, vertex)


class Join(Functor):
    def apply(vertex, parent, root):
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
        self._find, self._join = Applied(self._sets, Root), Applied(self._sets, Join)
        shared = part.device.full(len(parent), False, np.bool_)
        for ids in (*part.ghosts, *part.mirrors):
            shared[ids] = True
        self._shared = compact(shared, dtype=np.int32)

    def begun(self, vertices: Any) -> Any:
        """Those of these vertices that are in some set."""
        return compact(self._parent[vertices] >= 0, values=vertices)

    def roots(self, vertices: Any) -> Any:
        """The roots of distinct vertices."""
        self._find.over(vertices)
        return self._sets.root[vertices]

    def sent(self, flat: bool = False) -> tuple[Any, Any]:
        """The vertices that other parts know of, too, and their roots; without the roots themselves.

        If the forest is `flat`, the parent of each vertex is its root.
        """
        parents = self._parent[self._shared]
        below = compact((parents >= 0) & (parents != self._shared), values=self._shared)
        return below, self._parent[below] if flat else self.roots(below)

    def take(self, messages: list[tuple[Any, Any]]) -> None:
        """Join what all parts, by their numbers, have sent."""
        for number, message in enumerate(messages):
            if number != self._part.index:
                ids, roots = self._part.here(message)
                self._sets.root[ids] = roots
                self._join.over(ids)


def join_together(graph: Any, forests: list[Forest]) -> None:
    """Have all parts know of the sets that each of them has joined; `forests` are those of this process."""
    found = graph._exchange.all_gather(graph._team.each(lambda index: forests[index].sent()))
    graph._team.each(lambda index: forests[index].take(found))
