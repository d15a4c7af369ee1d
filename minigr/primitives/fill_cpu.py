"""Fills large arrays on a CPU: each thread of a team stores a part."""

import numpy as np

from minigr.jit.kernel import entry
from minigr.jit.spmd import run_team
from minigr.primitives.split_cpu import split

_WORD = 8


@entry
def _fill(rank, size, sync, words, word):
    low, high = split(words.size, rank, size)
    for i in range(low, high):
        words[i] = word


def compile_fill():
    """Compile the kernel that fills arrays."""
    words = np.empty(0, np.int64)
    _fill.packed(0, 1, words, words, np.int64(0))


def fill(array, value, threads):
    """Set every element of a contiguous array."""
    flat = array.reshape(-1)
    whole = flat.size - flat.size % (_WORD // array.itemsize)  # elements in whole words
    word = np.full(_WORD // array.itemsize, value, array.dtype).view(np.int64)[0]
    run_team(_fill, threads, flat[:whole].view(np.int64), word)
    flat[whole:] = value
