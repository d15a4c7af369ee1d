"""Which part of the work belongs to which thread of a team: always the same one, so results don't depend on timing."""

from numba import njit


@njit(nogil=True)
def split(length, rank, size):
    """The range of `length` items that belongs to `rank` when they are dealt out evenly, always the same way."""
    return length * rank // size, length * (rank + 1) // size


@njit(nogil=True)
def merge_split(offsets, rank, size):
    """First vertex of `rank` when vertices and edges together are dealt out evenly to `size` threads."""
    vertices = offsets.size - 1
    target = (vertices + offsets[vertices]) * rank // size
    low, high = 0, vertices
    while low < high:
        middle = (low + high) // 2
        if offsets[middle] + middle < target:
            low = middle + 1
        else:
            high = middle
    return low
