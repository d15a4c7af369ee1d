"""The reductions known by name, compiled for the CPU; `reduce_ops` has where they start, `fold.cuh` their device forms."""

from numba import njit


@njit(nogil=True)
def add(a, b):
    return a + b


@njit(nogil=True)
def minimum(a, b):
    return b if b < a else a


@njit(nogil=True)
def maximum(a, b):
    return b if b > a else a


@njit(nogil=True)
def bit_or(a, b):
    return a | b
