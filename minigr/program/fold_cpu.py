"""How the threads' partial results become the value of a scalar field, on a CPU."""

from minigr.jit.kernel import kernel
from minigr.program.control import Word

_ITERATION = int(Word.ITERATION)


def make_fold(combine, initial, accumulates):
    """Fold partial results, in the order of the threads' ranks, into a scalar field.

    `accumulates`: from the second step of a loop on, what the field holds comes first, in place of `initial`.
    """

    @kernel
    def fold(partials, size, scalar, control):
        total = initial
        if accumulates and control[_ITERATION] > 1:
            total = scalar[0]
        for rank in range(size):
            total = combine(total, partials[rank])
        scalar[0] = total

    return fold
