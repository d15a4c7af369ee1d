"""One direction of a graph's edges, as arrays: what operators and kernels are handed.

There are two layouts, and operators are written against what both have. A *position* is where an arc may stand: in CSR
a place in ``indices``, in a dynamic graph a lane of the pool, where there are gaps. The id of an arc is its position
among the out-edges.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from minigr.device import device_of, host_view

EMPTY = -1
"""What stands at a position without an arc, where there is none at the positions behind it either, up to a slab's end.
Another number below 0 is a gap. Ids of vertices are not negative."""


@dataclass(frozen=True)
class Adjacency:
    """Compressed sparse rows: the neighbors of vertex v are ``indices[offsets[v]:offsets[v + 1]]``.

    All arrays live on one device, where those of arcs may be page-locked memory of the host; n is the number of
    vertices, m the number of arcs stored.

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
    firsts : int32[n] or None
        What stands at the beginning of each row, of arcs on the host, in the memory of the GPU. Any number where a row
        is empty.
    nonempty : int32 array or None
        The vertices whose rows are not empty, ascending; None if it is not known, or most rows are not.
    nonempty_offsets : int64 array or None
        Where the rows of these begin, and where the last one ends.
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
        """How many rows there are."""
        return len(self.offsets) - 1

    @property
    def num_arcs(self) -> int:
        """How many entries are stored."""
        return len(self.indices)

    @property
    def arcs(self) -> Literal["device", "host"]:
        """``"host"`` if a GPU reads the arcs from page-locked memory of the host, otherwise ``"device"``."""
        return "host" if device_of(self.indices).is_cuda and host_view(self.indices) is not None else "device"

    def __reduce__(self) -> tuple[Any, ...]:
        """A pickled array of CuPy would come back in the GPU's memory."""
        arrays = self.indices, self.weights, self.edge_ids
        if self.arcs == "device":
            return Adjacency, (self.offsets, *arrays)
        return _with_arcs_on_host, (device_of(self.indices).index, self.offsets, *map(host_view, arrays))

    @property
    def entries(self) -> Any:
        """int32, by position: the vertex that stands there."""
        return self.indices

    def degrees_of(self, vertices: Any) -> Any:
        """int64: how many arcs each of these vertices has."""
        return self.offsets[vertices + 1] - self.offsets[vertices]


def _with_arcs_on_host(device: int, offsets: Any, *arrays: Any) -> Adjacency:
    """What `Adjacency.__reduce__` tells of; the arrays after the offsets are NumPy's, or None."""
    from minigr.page_locked_cuda import gpu_view

    return Adjacency(offsets, *(None if array is None else gpu_view(array, device) for array in arrays))


@dataclass(frozen=True)
class SlabAdjacency:
    """Slabs, as `minigr.graphs.dynamic.layout` describes them; valid until the next update of the graph.

    Attributes
    ----------
    heads : int32[2 * n]
        Of each vertex its first base slab, and how many buckets it has: one for each of the base slabs from there.
    degrees : int32[n]
    pool : int32[32 * slabs]
        Each slab that is or was in use: 30 keys, of which those below 0 are none, owner, next slab or -1.
    weights : [32 * slabs] or None
        The weights, in the lanes of their keys.
    marks : uint8[slabs] or None
        The first lane of each slab that came after the mark; None without one.
    num_arcs : int
    tidy : bool
        Whether there are no tombstones: then the arcs of a vertex with one bucket are in its first lanes.
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
        """How many vertices there are, with those that were deleted."""
        return len(self.degrees)

    @property
    def entries(self) -> Any:
        """int32, by position: the vertex that stands there; what is none is below 0, or the owner of the slab."""
        return self.pool

    def degrees_of(self, vertices: Any) -> Any:
        """int64: how many arcs each of these vertices has."""
        return self.degrees[vertices].astype(np.int64)
