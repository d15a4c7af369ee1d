"""CPU kernels of load balancing: where the rows of a list begin if they stand one after the other.

Each thread scans the degrees of its part of the list; after a barrier it raises its part by the sums of the parts
before it, and after another one everyone may look for its share of the edges.
"""

import numpy as np

from minigr.jit.kernel import kernel
from minigr.jit.vertices import vertex_at
from minigr.primitives.split_cpu import split


def make_scan(from_edges):
    """A kernel that scans degrees; `from_edges`: the list holds edges, whose destinations' rows are meant."""

    @kernel
    def scan(rank, size, offsets, indices, items, length, starts, sums):
        first, last = split(length, rank, size)
        total = 0
        for i in range(first, last):
            vertex = np.uint64(vertex_at(indices, items[i]) if from_edges else vertex_at(items, i))
            starts[i] = total
            total += offsets[vertex + np.uint64(1)] - offsets[vertex]
        sums[rank] = total

    return scan


@kernel
def join(rank, size, length, starts, sums):
    """After a barrier: raise this thread's part, and put the number of all edges at the end."""
    before = 0
    for other in range(rank):
        before += sums[other]
    if before > 0:
        first, last = split(length, rank, size)
        for i in range(first, last):
            starts[i] += before
    if rank == size - 1:
        starts[length] = before + sums[rank]
