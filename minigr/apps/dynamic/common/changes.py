"""The changes that a batch of edges made to a graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Changes:
    """The arcs of a batch that the graph has applied; an undirected edge has two arcs.

    Attributes
    ----------
    src, dst : int32[k]
        The ends of the arcs. After a deletion, only arcs that existed.
    weight : [k] or None
        After an insertion into a weighted graph: the current weights of the arcs; -1 for a self-loop that was dropped.
        Only if an answer depends on weights.
    before : [k] or None
        The weights before the insertion; -1 for arcs that did not exist. Only if an answer depends on weights.
    new : bool[size] or None
        After an insertion: which of the pairs that the caller gave made a new edge. None if no answer asks for it, or
        if all pairs made a new edge.
    deleted : bool
    count : int
        The number of edges that were inserted or deleted.
    size : int
        The number of edges that the caller gave.
    """

    src: Any
    dst: Any
    weight: Any
    before: Any
    new: Any
    deleted: bool
    count: int
    size: int

    @property
    def pairs(self) -> tuple[Any, Any]:
        """The ends of the edges in the direction that the caller gave; after a deletion, only edges that existed."""
        kept = self.count if self.deleted else self.size
        return self.src[:kept], self.dst[:kept]


def both_ways(graph: Any, source: Any, target: Any) -> tuple[Any, Any]:
    """The tails and heads of the arcs of edges: in an undirected graph, all arcs forward, and then all backward."""
    if graph.directed:
        return source, target
    ends = graph._device.xp.concatenate([source, target, source])
    return ends[: 2 * len(source)], ends[len(source) :]
