"""CPU kernels that compute where the rows of a frontier would begin if they stood one after the other.

Each thread scans the lengths of the rows in its part of the list. After a barrier, it adds the sums of the parts before
its part. After another barrier, all threads may find their shares of the edges.
"""

import numpy as np

from minigr.jit.kernel import kernel
from minigr.jit.vertices import vertex_at
from minigr.primitives.split_cpu import split


def make_scan(rows, source):
    """A kernel that scans the lengths of rows; `source` as in `minigr.schedules.tiles_cpu.make_tiles`."""
    from_edges, from_all = source == "edges", source == "all"
    parts_of, row_of, entry = rows.parts, rows.row, rows.entry

    @kernel
    def scan(rank, size, graph, items, length, starts, sums):
        parts = parts_of(graph)
        first, last = split(length, rank, size)
        total = 0
        for i in range(first, last):
            if from_all:
                vertex = np.int32(i)
            elif from_edges:
                vertex = entry(parts, items[i])
            else:
                vertex = vertex_at(items, i)
            begin, end = row_of(parts, vertex)
            starts[i] = total
            total += end - begin
        sums[rank] = total

    return scan


@kernel
def join(rank, size, length, starts, sums):
    """After a barrier: add the sums of earlier parts to this thread's part.

    The last element becomes the number of edges.
    """
    before = 0
    for other in range(rank):
        before += sums[other]
    if before > 0:
        first, last = split(length, rank, size)
        for i in range(first, last):
            starts[i] += before
    if rank == size - 1:
        starts[length] = before + sums[rank]
