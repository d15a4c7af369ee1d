"""How the threads of a team claim work, on a CPU.

Every kernel runs in each thread of a team (`minigr.jit.spmd`).
"""

import numpy as np

from minigr.jit.kernel import kernel
from minigr.jit.seq_cst import fetch_add, load, store
from minigr.primitives.split_cpu import split
from minigr.program.control import WORDS_PER_COUNTER, Word

CHUNK = 64  # frontier items claimed at a time
VERTEX_CHUNK = 1024  # vertices claimed at a time if all vertices are visited
PIECE = 1 << 11  # vertices and edges of a piece, if the merge path cuts rows into pieces
FEW_PIECES, MOST_PIECES = 1 << 6, 1 << 9  # limits of the number of pieces of work

_CURSOR, _APART = int(Word.CURSOR), WORDS_PER_COUNTER
_PLACE = 1  # word after a thread's cursor: distance from the thread's rank to the range with which it begins
_LINE = 1  # word after an output's length: number of times that threads called `line_up`


def cursor_words(threads):
    """Words of the cursors of a team, at the end of the control block or of an array in its place."""
    return threads * _APART


@kernel
def first_piece(rank, size, length, chunk):
    """The piece ``(first, last)`` of `length` items with which a thread begins, without a claim; it may be empty.

    The piece is the first one of the thread's range. All ranges are equal. If there is at most one piece for each
    thread, a range is one piece, and no thread uses a cursor, because cursors would take too long in a short step. If
    there is only one thread, it gets all items in one piece.
    """
    first, last = split(length, rank, size)
    return first, last if _in_one(size, length, chunk) else min(first + chunk, last)


@kernel
def next_piece(control, rank, size, length, chunk, owner):
    """The next piece that a thread claims, and the number of its range, after a piece of the range `owner`.

    `rank`: the number of the range with which the thread began.

    A thread first takes the rest of its own range, piece by piece, and then helps the threads after it. So threads work
    far apart as long as possible, and seldom write to memory that another thread reads.
    """
    if _in_one(size, length, chunk):
        return length, length, owner
    if load(control, _CURSOR) == 0:
        store(control, _CURSOR, 1)
    while True:
        begin, end = split(length, owner, size)
        begin += chunk  # the owner took the first piece of the range without a claim
        cursor = control.size - (size - owner) * _APART
        if begin + load(control, cursor) < end:
            first = begin + fetch_add(control, cursor, chunk)
            if first < end:
                return first, min(first + chunk, end), owner
        else:
            owner = owner + 1 if owner + 1 < size else 0
            if owner == rank:
                return length, length, owner


@kernel
def line_up(control, rank, size, length_word):
    """Give a thread the next place in the line. Each thread calls this function once it has written its vertices.

    The vertices of the first thread stand first in the output. A thread begins the next step with the range of its
    place. It found most vertices of this range itself, so the memory of their neighbors is in its cache.
    """
    if size > 1:
        ahead = fetch_add(control, length_word + _LINE, 1) % size - rank
        control[control.size - (size - rank) * _APART + _PLACE] = ahead if ahead >= 0 else ahead + size


@kernel
def place_in_line(control, rank, size):
    """The place of a thread when threads lined up last; its rank if they did not."""
    if size == 1:
        return rank
    place = rank + control[control.size - (size - rank) * _APART + _PLACE]
    return place if place < size else place - size


@kernel
def _in_one(size, length, chunk):
    """Whether each thread has at most one piece."""
    return size == 1 or length <= size * chunk


@kernel
def pieces_for(length):
    """The number of pieces of `length` items. It is the same for a team of any size."""
    return min(length, max(FEW_PIECES, min(length // CHUNK, MOST_PIECES)))


@kernel
def pieces_of(starts):
    """The number of pieces of rows that begin at `starts`. It is the same for a team of any size."""
    segments = starts.size - 1
    return min((segments + np.int64(starts[segments])) // PIECE + 1, MOST_PIECES)


@kernel
def rewind(control, size):
    """Reset all cursors, at a time when no thread claims work."""
    if control[_CURSOR] != 0:
        control[_CURSOR] = 0
        for rank in range(size):
            control[control.size - (size - rank) * _APART] = 0


@kernel
def claims(control, rank, size, length, chunk):
    """Iterate over all pieces that a thread gets."""
    owner = rank
    first, last = first_piece(rank, size, length, chunk)
    while first < last:
        yield first, last
        first, last, owner = next_piece(control, rank, size, length, chunk, owner)


@kernel
def numbers(control, rank, size, pieces):
    """Iterate over the numbers that a thread gets of `pieces` pieces."""
    for first, last in claims(control, rank, size, pieces, 1):
        for i in range(last - first):
            yield first + i
