"""What the CPU kernels of all operators share: claiming work, putting out items, defaults for absent functions.

Every kernel runs in each thread of a team (`minigr.jit.spmd`). Items put out gather in the thread's own staging row
and move to the shared buffer in blocks, so that threads meet at the shared length once in `STAGE` items.
"""

from minigr.jit.atomics import atomic_exch
from minigr.jit.kernel import kernel
from minigr.jit.ordered import fetch_add
from minigr.program.control import Word

STAGE = 1024  # items a thread gathers before it reserves room for them
CHUNK = 64  # frontier items claimed at a time
VERTEX_CHUNK = 1024  # vertices claimed at a time where all are looked at

_CURSOR, _OVERFLOW = int(Word.CURSOR), int(Word.OVERFLOW)


@kernel
def yes(*arguments):
    """Stands for a condition that the functor doesn't have."""
    return True


@kernel
def nothing(*arguments):
    """Stands for an action that the functor doesn't have."""


@kernel
def element(values, position):
    """``values[position]``, for a weight or an edge id that the functor asks for."""
    return values[position]


@kernel
def zero(values, position):
    """Stands for `element` where the functor doesn't ask."""
    return 0


@kernel
def same(values, position):
    """Stands for `element` where edge ids are positions."""
    return position


@kernel
def claim(control, size, length, chunk):
    """First of the next `chunk` items below `length` for this thread; a lone thread gets the items in one piece."""
    if size == 1:
        first = control[_CURSOR]
        control[_CURSOR] = length
        return first
    return fetch_add(control, _CURSOR, chunk)


@kernel
def piece_end(first, size, length, chunk):
    """One past the last item of a piece that `claim` gave."""
    return length if size == 1 else min(first + chunk, length)


@kernel
def flush(control, size, stage, count, output, length_word, slot):
    """Move `count` staged items to the end of `output`; too small a buffer is noted, and nothing is written."""
    if count == 0:
        return
    if size == 1:
        first = control[length_word]
        control[length_word] = first + count
    else:
        first = fetch_add(control, length_word, count)
    if first + count > output.size:
        control[_OVERFLOW] = slot + 1
        return
    for i in range(count):  # a slice assignment would compile Numba's checks and their messages, which takes seconds
        output[first + i] = stage[i]


@kernel
def first_time(stamps, vertex, stamp, size):
    """True for one caller for each vertex and stamp: exact de-duplication."""
    if stamps[vertex] == stamp:
        return False
    if size == 1:
        stamps[vertex] = stamp
        return True
    return atomic_exch(stamps, vertex, stamp) != stamp
