"""Trees of labels, which insertions join and deletions split."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.apps.components.programs import Join
from minigr.apps.dynamic.common.changes import Changes
from minigr.apps.dynamic.components.joins import Flatten, LabelProblem, flatten_tree, join_arc
from minigr.operators.calls import advance, compute
from minigr.primitives import transform
from minigr.program.frontier import Frontier


class Labels:
    """The trees of labels of a graph: the root of a tree is the least vertex of its component.

    Parameters
    ----------
    graph : DynamicGraph
    label : int32[n]
        The least vertex of each component, for each of its vertices; -1 for deleted vertices.

    Attributes
    ----------
    label : int32[n]
        The parent of each vertex in its tree; the path of parents leads to the root.
    """

    def __init__(self, graph: Any, label: Any) -> None:
        self._graph, self._problem = graph, LabelProblem(graph, label=label)
        self._joined, self._num_joined = graph._device.full(1, 0, np.int64), 0  # by all insertions
        self._is_flat = True

    @property
    def label(self) -> Any:
        """int32[n]: the parent of each vertex in its tree; the path of parents leads to the root."""
        return self._problem.label

    def roots(self) -> Any:
        """int32: the roots, if the trees are flat."""
        xp = self._graph._device.xp
        return xp.flatnonzero(self.label == xp.arange(len(self.label))).astype(np.int32)

    def join(self, src: Any, dst: Any) -> tuple[Any, int]:
        """Join the ends of arcs; return vertices that include all roots that became children, and how many these are.

        After this, a vertex need not be a direct child of its root.
        """
        roots = transform(
            join_arc, src=src, dst=dst, label=self.label, joined=self._joined, count=len(src), dtype=np.int32
        )
        before, self._num_joined = self._num_joined, int(self._graph._device.number(self._joined))
        count = self._num_joined - before
        self._is_flat = self._is_flat and count == 0
        return roots, count

    def flatten(self) -> None:
        """Make all vertices direct children of their roots; insertions leave this work until it is needed."""
        if not self._is_flat:
            transform(flatten_tree, label=self.label)
            self._is_flat = True

    def take_apart(self, changes: Changes, most: float) -> tuple[int, int] | None:
        """Join the vertices of components that lost an arc again, along their current arcs; the trees must be flat.

        Return the number of these vertices and the number of additional components. If there are more than `most`
        vertices, change nothing and return None.
        """
        label, xp = self.label, self._graph._device.xp
        hit = xp.zeros(len(label), bool)
        hit[label[changes.src]] = True  # the label of both ends, because the arc joined them
        parts = int(xp.count_nonzero(hit))
        if parts == 0:
            return 0, 0
        vertices = xp.flatnonzero(hit[label] & (label >= 0)).astype(np.int32)
        if len(vertices) > most:
            return None
        label[vertices] = vertices
        among = Frontier.known("vertices", vertices, self._graph, distinct=True)
        advance(self._problem, among, Join, output=None)
        compute(self._problem, among, Flatten, into="roots")
        return len(vertices), int(self._graph._device.number(self._problem.roots)) - parts
