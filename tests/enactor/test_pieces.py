"""How the threads of a team deal out work among them."""

import itertools

import numpy as np
import pytest

from minigr.jit import spmd
from minigr.program.control import Word
from minigr.program.work_cpu import claims, cursor_words, line_up, place_in_line, rewind
from tests.jit.helpers import own_entry


@own_entry
def visit(rank, size, sync, control, length, chunk, visits, pieces):
    """Count the visits to each item, and the pieces of each thread, in an array that threads don't share."""
    for first, last in claims(control, rank, size, length, chunk):
        pieces[rank] += 1
        for item in range(first, last):
            visits[rank, item] += 1


@own_entry
def visit_late(rank, size, sync, control, length, chunk, late, visits):
    """Count the visits to each item; the `late` thread comes when the others are done."""
    if rank == late:
        spmd.barrier(sync, size)
    for first, last in claims(control, rank, size, length, chunk):
        for item in range(first, last):
            visits[rank, item] += 1
    if rank != late:
        spmd.barrier(sync, size)


@own_entry
def come_in_turn(rank, size, sync, control, turns, length_word, places):
    """Have threads line up one after the other, in the order that `turns` has for them."""
    for turn in range(size):
        if turns[rank] == turn:
            line_up(control, rank, size, length_word)
        spmd.barrier(sync, size)
    places[rank] = place_in_line(control, rank, size)


@own_entry
def begin_again(rank, size, sync, control):
    rewind(control, 3)


def control_of(size):
    return np.zeros(Word.CURSOR + 1 + cursor_words(size), np.int64)


def dealt(size, length, chunk=64):
    """The visits to each item, the pieces of each thread, and whether threads went to a cursor."""
    control = control_of(size)
    visits, pieces = np.zeros((size, max(length, 1)), np.int64), np.zeros(size, np.int64)
    spmd.run_team(visit, size, control, np.int64(length), np.int64(chunk), visits, pieces)
    return visits[:, :length], pieces.tolist(), control.any()


@pytest.mark.parametrize("length", [0, 1, 3, 63, 64, 65, 191, 192, 193, 1000, 5000])
@pytest.mark.parametrize("size", [1, 2, 3, 8])
def test_each_item_is_one_threads(size, length):
    visits, _, _ = dealt(size, length)
    assert visits.sum(axis=0).tolist() == [1] * length


@pytest.mark.parametrize("length", [2, 64, 192])
def test_few_items_are_dealt_out_evenly_without_a_cursor(length):
    visits, pieces, went = dealt(3, length)
    assert visits.sum(axis=1).max() == -(-length // 3)
    assert max(pieces) == 1
    assert not went


def test_a_lone_thread_gets_one_piece():
    visits, pieces, went = dealt(1, 5000)
    assert visits.all()
    assert (pieces, went) == ([1], False)


@pytest.mark.parametrize("late", [0, 1, 2])
def test_threads_help_the_one_that_is_late(late):
    control, visits = control_of(3), np.zeros((3, 3000), np.int64)
    for _ in range(2):  # as in one phase after the other
        visits[:] = 0
        spmd.run_team(visit_late, 3, control, np.int64(3000), np.int64(64), np.int64(late), visits)
        assert visits.sum(axis=0).tolist() == [1] * 3000
        assert np.flatnonzero(visits[late]).tolist() == list(range(1000 * late, 1000 * late + 64))
        spmd.run_team(begin_again, 1, control)
        assert not control.any()


def test_a_thread_has_the_place_in_line_that_it_came_in():
    control, places = control_of(3), np.empty(3, np.int64)
    for turns in itertools.permutations(range(3)):  # one step after the other, with nothing reset in between
        spmd.run_team(come_in_turn, 3, control, np.array(turns), np.int64(0), places)
        assert places.tolist() == list(turns)
    spmd.run_team(come_in_turn, 1, control, np.array([0]), np.int64(0), places)
    assert places[0] == 0  # in a step that one thread does
