"""Fixed assignments of work to the threads of a team. They don't depend on timing, and so neither do results."""

import numpy as np

from minigr.jit.kernel import kernel


@kernel
def split(length, rank, size):
    """The range of `length` items that belongs to `rank`. Ranges are of equal size and always the same."""
    return length * rank // size, length * (rank + 1) // size


@kernel
def merge_place(offsets, rank, size):
    """The place (segment, item) where `rank` begins on the merge path of segments and items; see ``merge_path.cuh``.

    The path has the items of a segment, then its end. The end of segment s stands at ``offsets[s + 1] + s``.
    """
    segments = offsets.size - 1
    place = (segments + np.int64(offsets[segments])) * rank // size
    low, high = 0, segments
    while low < high:
        middle = (low + high) // 2
        if offsets[middle + 1] + middle < place:
            low = middle + 1
        else:
            high = middle
    return low, place - low
