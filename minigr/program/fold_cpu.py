"""Reductions of partial results to the value of a scalar field, on a CPU."""

from minigr.jit.kernel import kernel
from minigr.program.control import Word

_ITERATION = int(Word.ITERATION)


def make_fold(combine, initial, accumulates):
    """Make a kernel that folds `count` partial results, in their order, into a scalar field.

    `accumulates`: from the second step of a loop on, the reduction starts with the field's value instead of `initial`.
    """

    @kernel
    def fold(partials, count, scalar, control):
        total = initial
        if accumulates and control[_ITERATION] > 1:
            total = scalar[0]
        for place in range(count):
            total = combine(total, partials[place])
        scalar[0] = total

    return fold
