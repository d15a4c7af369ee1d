"""CPU kernels of `transform`: they call a function of each index. A thread always gets the same indices."""

from minigr.jit.kernel import kernel
from minigr.primitives.split_cpu import split


def make_transform(value):
    """A kernel that stores the results of `value`."""

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
