"""One direction of a graph's edges, as arrays for operators and kernels.

There are two layouts, and operators use only what both layouts have. A *position* is a place for an arc: an index of
``indices`` in CSR, or a lane of the pool in a dynamic graph, where some positions have no arc. The id of an arc is its
position among the out-edges.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from minigr.device import device_of, host_view

EMPTY = -1
"""The entry at a position without an arc if the next positions of the slab have none either. Other entries below 0 are
gaps. Vertex ids are not negative."""


@dataclass(frozen=True)
class Adjacency:
    """Compressed sparse rows: the neighbors of vertex v are ``indices[offsets[v]:offsets[v + 1]]``.

    All arrays are on one device. Arrays of arcs may be in page-locked host memory. n is the number of vertices, m the
    number of stored arcs.

    Attributes
    ----------
    offsets : int64[n + 1]
        The start of each row; never decreasing, from 0 to m.
    indices : int32[m]
        Neighbors, in increasing order within each row.
    weights : int32, int64, float32 or float64 [m], or None
        The weight of each arc. None for an unweighted graph.
    edge_ids : int64[m] or None
        The id of each arc: the position of the arc among the out-edges. If None, the id of an arc is its position here.
    firsts : int32[n] or None
        If the arcs are on the host: the first entry of each row, in GPU memory. The value is arbitrary for an empty
        row.
    nonempty : int32 array or None
        The vertices with nonempty rows, in ascending order. None if these vertices are not known, or if most rows are
        not empty.
    nonempty_offsets : int64 array or None
        The start of the row of each vertex in `nonempty`, and the end of the last row.
    """

    layout: ClassVar[str] = "csr"

    offsets: Any
    indices: Any
    weights: Any = None
    edge_ids: Any = None
    firsts: Any = None
    nonempty: Any = None
    nonempty_offsets: Any = None

    @property
    def num_vertices(self) -> int:
        """Number of rows."""
        return len(self.offsets) - 1

    @property
    def num_arcs(self) -> int:
        """Number of stored entries."""
        return len(self.indices)

    @property
    def arcs(self) -> Literal["device", "host"]:
        """``"host"`` if a GPU reads the arcs from page-locked host memory, otherwise ``"device"``."""
        return "host" if device_of(self.indices).is_cuda and host_view(self.indices) is not None else "device"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle arcs on the host as arrays of NumPy, because a pickled array of CuPy would return in GPU memory."""
        arrays = self.indices, self.weights, self.edge_ids
        if self.arcs == "device":
            return Adjacency, (self.offsets, *arrays)
        return _with_arcs_on_host, (device_of(self.indices).index, self.offsets, *map(host_view, arrays))

    @property
    def entries(self) -> Any:
        """int32: the vertex at each position."""
        return self.indices

    def degrees_of(self, vertices: Any) -> Any:
        """Return the number of arcs of each vertex in `vertices`, as int64."""
        return self.offsets[vertices + 1] - self.offsets[vertices]


def _with_arcs_on_host(device: int, offsets: Any, *arrays: Any) -> Adjacency:
    """Undo `Adjacency.__reduce__` for arcs on the host. The arrays after the offsets are NumPy arrays, or None."""
    from minigr.page_locked_cuda import gpu_view

    return Adjacency(offsets, *(None if array is None else gpu_view(array, device) for array in arrays))


@dataclass(frozen=True)
class SlabAdjacency:
    """Slabs, as `minigr.graphs.dynamic.layout` describes them. Valid until the next update of the graph.

    Attributes
    ----------
    heads : int32[2 * n]
        For each vertex, its first base slab and the number of its buckets. The base slabs of the buckets follow each
        other.
    degrees : int32[n]
    pool : int32[32 * slabs]
        Each slab that is or was in use: 30 keys (keys below 0 are not neighbors), the owner, and the next slab or -1.
    weights : [32 * slabs] or None
        The weights, in the lanes of their keys.
    marks : uint8[slabs] or None
        The first lane of each slab that was used after the mark. None without a mark.
    num_arcs : int
    tidy : bool
        Whether there are no tombstones. If so, the arcs of a vertex with one bucket are in the first lanes of the
        bucket.
    """

    layout: ClassVar[str] = "slabs"

    heads: Any
    degrees: Any
    pool: Any
    weights: Any
    marks: Any
    num_arcs: int
    tidy: bool

    @property
    def num_vertices(self) -> int:
        """Number of vertices, deleted vertices included."""
        return len(self.degrees)

    @property
    def entries(self) -> Any:
        """int32: the vertex at each position. A value below 0 or the owner of a slab is not a neighbor."""
        return self.pool

    def degrees_of(self, vertices: Any) -> Any:
        """Return the number of arcs of each vertex in `vertices`, as int64."""
        return self.degrees[vertices].astype(np.int64)
