"""CPU kernel of `scan`, in two passes: each thread reduces its range and, after a barrier, scans its range.

The last range is read only once. This is the only range of a single thread.
"""

from minigr.jit.kernel import kernel
from minigr.jit.spmd import barrier
from minigr.primitives.split_cpu import split


def make_scan(value, op, first_of, kind, inclusive, with_total):
    """A scan kernel; `kind` is the type of the reduction. `partials` has an element for each thread.

    The reduction of a range begins with ``first_of`` of the first value.
    """

    @kernel
    def scan(rank, size, sync, fields, count, initial, partials, out):
        low, high = split(count, rank, size)
        if rank < size - 1 and low < high:
            total = first_of(kind(value(fields, low)))
            for i in range(low + 1, high):
                total = op(total, kind(value(fields, i)))
            partials[rank] = total
        barrier(sync, size)
        running = initial
        for before in range(rank):
            first, last = split(count, before, size)
            if first < last:
                running = op(running, partials[before])
        for i in range(low, high):
            item = kind(value(fields, i))
            if inclusive:
                running = op(running, item)
                out[i] = running
            else:
                out[i] = running
                running = op(running, item)
        if with_total and rank == size - 1:
            out[count] = running

    return scan
