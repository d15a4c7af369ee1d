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
def first_piece(rank, size, length, chunk):
    """The piece ``(first, last)`` of `length` items that a thread begins with, without asking; empty if there is none.

    Where there is no more than a piece for each thread, the pieces are equal, and no thread goes to the cursor at all:
    all of them would go there at the same moment, and a short step takes no longer than they would wait for it. A lone
    thread gets all items in one piece.
    """
    piece = length if size == 1 else min(chunk, (length + size - 1) // size)
    first = min(rank * piece, length)
    return first, min(first + piece, length)


@kernel
def next_piece(control, size, length, chunk, last):
    """The piece that a thread claims after the one that ended at `last`."""
    if last == length or length <= size * chunk:
        return length, length
    first = size * chunk + fetch_add(control, _CURSOR, chunk)
    return first, min(first + chunk, length)


@kernel
def claims(control, rank, size, length, chunk):
    """A loop over all pieces that a thread gets."""
    first, last = first_piece(rank, size, length, chunk)
    while first < last:
        yield first, last
        first, last = next_piece(control, size, length, chunk, last)
