"""Functions that CPU kernels call in place of functions that a functor lacks, and of weights that it does not use."""

from minigr.jit.kernel import kernel


@kernel
def yes(*arguments):
    """Takes the place of a condition that the functor lacks."""
    return True


@kernel
def nothing(*arguments):
    """Takes the place of an action that the functor lacks."""


@kernel
def element(values, position):
    """Return ``values[position]``, for a functor that uses weights."""
    return values[position]


@kernel
def zero(values, position):
    """Takes the place of `element` for a functor that does not use weights."""
    return 0
