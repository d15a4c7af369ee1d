"""CPU kernels of `transform`: a function of each index; the same indices always go to the same thread."""

from minigr.jit.kernel import kernel
from minigr.primitives.split_cpu import split


def make_transform(value):
    """A kernel that stores what `value` returns."""

    @kernel
    def transform(rank, size, sync, fields, count, out):
        low, high = split(count, rank, size)
        for i in range(low, high):
            out[i] = value(fields, i)

    return transform


def make_for_each(value):
    """A kernel that calls `value` for its effects."""

    @kernel
    def for_each(rank, size, sync, fields, count):
        low, high = split(count, rank, size)
        for i in range(low, high):
            value(fields, i)

    return for_each
