"""What a person is told while programs are compiled."""

import io
import logging
import sys
import threading

import numpy as np
import pytest

import minigr as mg
from minigr.jit import notice


class Stream(io.StringIO):
    def __init__(self, watched):
        super().__init__()
        self._watched, self.told = watched, threading.Event()

    def isatty(self):
        return self._watched

    def flush(self):
        if self.getvalue():
            self.told.set()


@pytest.fixture
def stderr(monkeypatch):
    """Call it for a standard error in a process that has compiled nothing."""

    def replace(watched, after):
        stream = Stream(watched)
        monkeypatch.setattr(sys, "stderr", stream)
        monkeypatch.setattr(notice, "AFTER", after)
        monkeypatch.setattr(notice._Spent, "seconds", 0.0)
        monkeypatch.setattr(notice._Spent, "told", False)
        return stream

    return replace


def test_a_terminal_is_told_once(stderr):
    stream = stderr(watched=True, after=0.01)
    with notice.compiling("the first"):
        assert stream.told.wait(60)
    for _ in range(3):
        with notice.compiling("another"):
            pass
    assert stream.getvalue().count("compiling ...") == 1
    assert "minigr prepare" in stream.getvalue()


def test_many_short_programs_are_told_of_too(stderr):
    stream = stderr(watched=True, after=0.05)
    for _ in range(1_000_000):
        with notice.compiling("a short one"):
            stream.told.wait(0.001)
        if stream.told.is_set():
            break
    assert stream.getvalue().count("compiling ...") == 1


def test_what_is_quickly_done_is_not_told(stderr):
    stream = stderr(watched=True, after=600.0)
    with notice.compiling("a program"):
        pass
    for timer in [thread for thread in threading.enumerate() if isinstance(thread, threading.Timer)]:
        timer.join(60)  # it was told to stop, and doesn't wait for its time
        assert not timer.is_alive()
    assert stream.getvalue() == ""


@pytest.mark.parametrize("closed", [False, True])
def test_what_nobody_watches_stays_clean(stderr, closed):
    stream = stderr(watched=closed, after=0.0)
    if closed:
        stream.close()
    with notice.compiling("a program"):
        assert not stream.told.wait(0.05)


def test_a_process_that_another_one_speaks_for_is_silent(stderr):
    stream = stderr(watched=True, after=0.0)
    notice.silence()
    with notice.compiling("a program"):
        assert not stream.told.wait(0.05)


def test_each_program_is_logged_once_and_by_its_functors(device, caplog, monkeypatch, tmp_path):
    monkeypatch.setenv("MINIGR_CACHE_DIR", str(tmp_path))
    caplog.set_level(logging.INFO, "minigr")

    class Fields(mg.Problem):
        level = mg.vertex_field(np.int32)

    class Lift(mg.Functor):
        def apply(vertex, level):
            level[vertex] = 3 * vertex + 17

    problem = Fields(mg.Graph.from_edges([0, 1], [1, 2], device=device))
    mg.operators.compute(problem, mg.Frontier.all_vertices(), Lift)
    first = [record for record in caplog.records if "Lift" in record.getMessage()]
    assert first
    assert all(record.name == "minigr" and record.levelno == logging.INFO for record in first)
    mg.operators.compute(problem, mg.Frontier.all_vertices(), Lift)
    assert [record for record in caplog.records if "Lift" in record.getMessage()] == first


def test_what_fails_is_not_logged_as_compiled(caplog):
    caplog.set_level(logging.INFO, "minigr")
    with pytest.raises(ZeroDivisionError), notice.compiling("a program"):
        raise ZeroDivisionError
    assert not caplog.records
