"""CPU kernels of `lbs`: each thread gets an equal part of the merge path, and processes it segment by segment."""

from minigr.jit.kernel import kernel
from minigr.primitives.split_cpu import merge_place


@kernel
def store(out, idx, value):
    """Store the value that was returned for an item."""
    out[idx] = value


@kernel
def drop(out, idx, value):
    """Takes the place of `store` if the function is called for its effects."""


def make_lbs(value, keep):
    """A kernel that calls `value` for each item; `keep` is `store` or `drop`."""

    @kernel
    def lbs(rank, size, sync, fields, offsets, out):
        seg, first = merge_place(offsets, rank, size)
        _, last = merge_place(offsets, rank + 1, size)
        while first < last:
            begin, end = offsets[seg], min(offsets[seg + 1], last)
            for idx in range(first, end):
                keep(out, idx, value(fields, idx, seg, idx - begin))
            first = max(first, end)
            seg += 1

    return lbs
