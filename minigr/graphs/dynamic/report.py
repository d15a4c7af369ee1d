"""The memory of a dynamic graph, and the fill of its slabs."""

from __future__ import annotations

from dataclasses import dataclass

from minigr.graphs.dynamic.layout import KEYS, SLAB_BYTES
from minigr.graphs.dynamic.storage import Slabs


@dataclass(frozen=True)
class MemoryReport:
    """Bytes by part, over all directions together.

    Attributes
    ----------
    base_slabs, overflow_slabs : int
        Slabs at the head of a bucket, and the slabs behind them.
    spare_slabs : int
        Slabs that were freed, and room in the pool that was never used.
    weights : int
        The pool of weights, including its spare room.
    vertices : int
        The location of the buckets of each vertex, the degree of each vertex, and the flags of deleted vertices.
    bookkeeping : int
        The list of free slabs, and the data of a mark.
    bytes_per_arc : float
        All bytes divided by the number of arcs. 0 without arcs.
    utilization : float
        Number of edge keys divided by the number of key lanes, in slabs that belong to vertices (SlabGraph's memory
        utilization).
    load : float
        Number of edge keys divided by the number of key lanes of base slabs.
    mean_chain : float
        Number of slabs divided by the number of buckets.
    """

    base_slabs: int
    overflow_slabs: int
    spare_slabs: int
    weights: int
    vertices: int
    bookkeeping: int
    bytes_per_arc: float
    utilization: float
    load: float
    mean_chain: float

    @property
    def total(self) -> int:
        """All bytes."""
        parts = (self.base_slabs, self.overflow_slabs, self.spare_slabs, self.weights, self.vertices)
        return sum(parts) + self.bookkeeping


def memory_report(stores: list[Slabs], dead_bytes: int) -> MemoryReport:
    """The report of a graph with these slabs."""
    base = sum(int(slabs.buckets().sum()) for slabs in stores)
    in_use, capacity = sum(slabs.in_use for slabs in stores), sum(slabs.capacity for slabs in stores)
    arcs = sum(slabs.num_arcs for slabs in stores)
    weights = sum(int(slabs.weights.nbytes) for slabs in stores if slabs.weights is not None)
    vertices = sum(int(slabs.heads.nbytes + slabs.degrees.nbytes) for slabs in stores) + dead_bytes
    noted = [slabs.free for slabs in stores] + [slabs.marks for slabs in stores if slabs.marks is not None]
    bookkeeping = sum(int(array.nbytes) for array in noted)
    total = capacity * SLAB_BYTES + weights + vertices + bookkeeping
    return MemoryReport(
        base_slabs=base * SLAB_BYTES,
        overflow_slabs=(in_use - base) * SLAB_BYTES,
        spare_slabs=(capacity - in_use) * SLAB_BYTES,
        weights=weights,
        vertices=vertices,
        bookkeeping=bookkeeping,
        bytes_per_arc=total / arcs if arcs else 0.0,
        utilization=arcs / (KEYS * in_use) if in_use else 0.0,
        load=arcs / (KEYS * base) if base else 0.0,
        mean_chain=in_use / base if base else 0.0,
    )
