"""CPU kernels of `transform`: a function of each index; the same indices always go to the same thread."""

from numba import njit

from minigr.primitives.split_cpu import split


def make_transform(value):
    """A kernel that stores what `value` returns."""

    @njit(nogil=True, error_model="numpy")
    def transform(rank, size, sync, fields, count, out):
        low, high = split(count, rank, size)
        for i in range(low, high):
            out[i] = value(fields, i)

    return transform


def make_for_each(value):
    """A kernel that calls `value` for its effects."""

    @njit(nogil=True, error_model="numpy")
    def for_each(rank, size, sync, fields, count):
        low, high = split(count, rank, size)
        for i in range(low, high):
            value(fields, i)

    return for_each
