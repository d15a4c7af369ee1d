"""How the threads of a team deal out work among them."""

import numpy as np
import pytest

from minigr.jit import spmd
from minigr.program.control import Word
from minigr.program.work_cpu import claims
from tests.jit.helpers import own_entry


@own_entry
def visit(rank, size, sync, control, length, chunk, visits, pieces):
    """Count the visits to each item, and the pieces of each thread, in an array that threads don't share."""
    for first, last in claims(control, rank, size, length, chunk):
        pieces[rank] += 1
        for item in range(first, last):
            visits[rank, item] += 1


def dealt(size, length, chunk=64):
    """The visits to each item, the pieces of each thread, and where the cursor is."""
    control = np.zeros(Word.CURSOR + 1, np.int64)
    visits, pieces = np.zeros((size, max(length, 1)), np.int64), np.zeros(size, np.int64)
    spmd.run_team(visit, size, control, np.int64(length), np.int64(chunk), visits, pieces)
    return visits[:, :length], pieces.tolist(), control[Word.CURSOR]


@pytest.mark.parametrize("length", [0, 1, 3, 63, 64, 65, 191, 192, 193, 1000, 5000])
@pytest.mark.parametrize("size", [1, 2, 3, 8])
def test_each_item_is_one_threads(size, length):
    visits, _, _ = dealt(size, length)
    assert visits.sum(axis=0).tolist() == [1] * length


@pytest.mark.parametrize("length", [2, 64, 192])
def test_few_items_are_dealt_out_evenly_without_the_cursor(length):
    visits, pieces, cursor = dealt(3, length)
    assert visits.sum(axis=1).max() == -(-length // 3)
    assert max(pieces) == 1
    assert cursor == 0


def test_a_lone_thread_gets_one_piece():
    assert dealt(1, 5000)[1:] == ([1], 0)
