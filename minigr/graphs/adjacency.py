"""One direction of a graph's edges, as arrays: what operators and kernels are handed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Adjacency:
    """Compressed sparse rows: the neighbors of vertex v are ``indices[offsets[v]:offsets[v + 1]]``.

    All arrays live on one device; n is the number of vertices, m the number of arcs stored.

    Attributes
    ----------
    offsets : int64[n + 1]
        Where each row begins; never decreasing, from 0 to m.
    indices : int32[m]
        Neighbors, in increasing order within each row.
    weights : int32, int64, float32 or float64 [m], or None
        The weight of each arc, None for an unweighted graph.
    edge_ids : int64[m] or None
        The id of each arc, which is its position among the out-edges. None means that the position here is the id.
    """

    offsets: Any
    indices: Any
    weights: Any = None
    edge_ids: Any = None

    @property
    def num_vertices(self) -> int:
        """How many rows there are."""
        return len(self.offsets) - 1

    @property
    def num_arcs(self) -> int:
        """How many entries are stored."""
        return len(self.indices)
