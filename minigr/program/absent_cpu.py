"""What CPU kernels call in place of functions that a functor does not have, and of weights that it does not ask for."""

from minigr.jit.kernel import kernel


@kernel
def yes(*arguments):
    """Stands for a condition that the functor doesn't have."""
    return True


@kernel
def nothing(*arguments):
    """Stands for an action that the functor doesn't have."""


@kernel
def element(values, position):
    """``values[position]``, for a weight that the functor asks for."""
    return values[position]


@kernel
def zero(values, position):
    """Stands for `element` where the functor doesn't ask."""
    return 0
