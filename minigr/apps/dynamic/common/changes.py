"""What a batch of edges changed in a graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Changes:
    """The arcs of a batch that the graph has taken; of an undirected edge both.

    Attributes
    ----------
    src, dst : int32[k]
        Of a deletion those arcs only that were there.
    weight : [k] or None
        After an insertion, of a weighted graph: what the arcs weigh now. -1 for a self-loop that was dropped.
    before : [k] or None
        What they weighed before it; -1 for those that were not there. Only if an answer depends on weights.
    new : bool[size] or None
        After an insertion, which of the pairs that the caller gave made an edge. Only if an answer asks for it; None if
        all of them did.
    deleted : bool
    count : int
        Edges that are new, or gone.
    size : int
        Edges that the caller gave.
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
        """The ends of the edges as the caller gave them, not turned round; of a deletion of those that were there."""
        kept = self.count if self.deleted else self.size
        return self.src[:kept], self.dst[:kept]


def both_ways(graph: Any, source: Any, target: Any) -> tuple[Any, Any]:
    """The tails and heads of arcs: of an undirected graph all there, and then all back."""
    if graph.directed:
        return source, target
    ends = graph._device.xp.concatenate([source, target, source])
    return ends[: 2 * len(source)], ends[len(source) :]
