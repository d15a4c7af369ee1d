"""How the threads of a team claim work, on a CPU.

Every kernel runs in each thread of a team (`minigr.jit.spmd`).
"""

from minigr.jit.kernel import kernel
from minigr.jit.seq_cst import fetch_add
from minigr.program.control import Word

CHUNK = 64  # frontier items claimed at a time
VERTEX_CHUNK = 1024  # vertices claimed at a time where all are looked at

_CURSOR = int(Word.CURSOR)


@kernel
def claim(control, size, length, chunk):
    """The next piece ``(first, last)`` of `length` items for this thread, empty if there is none.

    A lone thread gets all items in one piece.
    """
    if size == 1:
        first = control[_CURSOR]
        control[_CURSOR] = length
        return first, length
    first = fetch_add(control, _CURSOR, chunk)
    return first, min(first + chunk, length)


@kernel
def claims(control, size, length, chunk):
    """A loop over all pieces that `claim` gives."""
    while True:
        first, last = claim(control, size, length, chunk)
        if first >= last:
            return
        yield first, last
