"""When a CPU's team shares a step: the bound moves by what sharing gained, on a clock that the test sets."""

import numpy as np
import pytest

from minigr.program import loop_cpu
from minigr.program.control import Word, words

FIRST, LEAST, MOST = 2048, 256, 1 << 16
WORK, TICKS_ALONE = 3000, 6000


@pytest.fixture
def loop(monkeypatch):
    """A control block after some steps that one thread did, at two ticks a unit of work; a step that takes a time."""
    now = [5_000_000]
    monkeypatch.setattr(loop_cpu, "ticks", lambda: now[0])
    control = np.zeros(words(1), np.int64)
    control[Word.SOLO], control[Word.LEAST_SOLO] = FIRST, LEAST

    def one_thread(ticks, work):
        now[0] += ticks
        loop_cpu.set_pace(control, work)

    def team(ticks, work=WORK):
        now[0] += ticks
        loop_cpu.set_solo(control, work)
        return int(control[Word.SOLO])

    loop_cpu.start_clock(control)
    one_thread(2000, 1000)
    return control, one_thread, team


def test_gains_bring_the_bound_down_to_the_least(loop):
    _, _, team = loop
    bounds = [team(TICKS_ALONE // 2) for _ in range(400)]
    assert bounds[0] == FIRST - FIRST // 64
    assert bounds[-1] == LEAST
    assert bounds == sorted(bounds, reverse=True)


def test_losses_bring_it_up_to_the_most(loop):
    _, _, team = loop
    assert team(TICKS_ALONE + 1) == FIRST + FIRST // 8
    bounds = [team(TICKS_ALONE * 2) for _ in range(100)]
    assert bounds[-1] == MOST
    assert bounds == sorted(bounds)


def test_a_great_loss_doubles_it(loop):
    _, _, team = loop
    assert team(4 * TICKS_ALONE + 1) == 2 * FIRST
    assert [team(100 * TICKS_ALONE) for _ in range(10)][-1] == MOST


def test_a_loss_outweighs_several_gains(loop):
    _, _, team = loop
    team(2 * TICKS_ALONE)
    assert [team(TICKS_ALONE // 2) for _ in range(7)][-1] > FIRST


def test_the_pace_follows_later_steps_by_their_work(loop):
    control, one_thread, team = loop
    first = int(control[Word.PACE])
    one_thread(6, 1)  # six ticks a unit, but hardly any
    assert abs(int(control[Word.PACE]) - first) < first / 100
    one_thread(600_000, 100_000)
    assert 2.8 * first < control[Word.PACE] <= 3 * first
    assert team(2 * TICKS_ALONE) < FIRST  # one thread would take three times as long by now


def test_no_steps_of_one_thread_to_compare_with(loop):
    control, _, team = loop
    control[Word.PACE] = 0
    assert team(10**9) == FIRST


def test_work_without_bound(loop):
    _, _, team = loop
    assert team(10**6, work=1 << 62) == FIRST - FIRST // 64
