"""CPU kernel of `compact`: each thread counts the items to keep in its range and, after a barrier, writes them."""

from minigr.jit.kernel import kernel
from minigr.jit.spmd import barrier
from minigr.primitives.split_cpu import split


def make_compact(value, item):
    """A kernel that writes ``item(values, i)`` for each i for which `value` holds.

    ``kept[rank + 1]`` is the number that each thread found, and ``kept[0]`` is the total. Nothing is written past the
    end of `out`.
    """

    @kernel
    def compact(rank, size, sync, fields, count, values, kept, out):
        low, high = split(count, rank, size)
        found = 0
        for i in range(low, high):
            if value(fields, i):
                found += 1
        kept[rank + 1] = found
        barrier(sync, size)
        at = 0
        for before in range(rank):
            at += kept[before + 1]
        if rank == size - 1:
            kept[0] = at + found
        end, i = min(at + found, out.size), low
        while i < high and at < end:  # no branch for each item: the next item overwrites an item that is not kept
            out[at] = item(values, i)
            at += value(fields, i)
            i += 1

    return compact


@kernel
def index(values, i):
    """The item is its index."""
    return i


@kernel
def element(values, i):
    """The item is a value."""
    return values[i]
