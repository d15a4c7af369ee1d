"""The named reductions for the CPU; `reduce_ops` has their start values, and ``fold.cuh`` their device forms.

For pairs (value, id), `argmin` keeps the pair with the least value, and `argmax` the pair with the greatest. NaN comes
last. For equal values, the pair with the lesser id is kept, and ids below zero come last. So every order of the pairs
has the same result.
"""

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


@kernel
def argmin(a, b):
    least = b if b[0] < a[0] else a
    return least if b[0] < a[0] or b[0] > a[0] else first_of(a, b)


@kernel
def argmax(a, b):
    greatest = b if b[0] > a[0] else a
    return greatest if b[0] < a[0] or b[0] > a[0] else first_of(a, b)


@kernel
def first_of(a, b):
    """The one of two pairs that comes first, if their values are equal or a value is NaN."""
    is_nan, other_is = a[0] != a[0], b[0] != b[0]
    if is_nan != other_is:
        return b if is_nan else a
    if (b[1] < 0) != (a[1] < 0):
        return b if a[1] < 0 else a
    return b if b[1] < a[1] else a
