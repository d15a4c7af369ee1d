"""The reductions known by name, for the CPU; `reduce_ops` has where they start, ``fold.cuh`` their device forms."""

from minigr.jit.kernel import kernel


@kernel
def add(a, b):
    return a + b


@kernel
def minimum(a, b):
    return b if b < a else a


@kernel
def maximum(a, b):
    return b if b > a else a


@kernel
def bit_or(a, b):
    return a | b
