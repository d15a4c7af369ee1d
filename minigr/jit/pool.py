"""The threads of a process's teams. They sleep in compiled code, and are woken and dismissed there, without the GIL.

The calling thread is rank 0 of a team. It wakes two threads, and each thread wakes two more threads, as in a heap. The
last of n threads is thus woken after log2(n) steps. A process runs one team at a time, because two teams on the same
cores would spin against each other.
"""

from __future__ import annotations

import _thread
import ctypes
import os
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from minigr.errors import DeviceError
from minigr.jit import semaphores
from minigr.jit.kernel import entry, kernel
from minigr.jit.native.entry import Call
from minigr.jit.native.errors import TeamBroken, status_of
from minigr.jit.semaphores import call_at, sleep, wake
from minigr.jit.seq_cst import fetch_add, load, store, yield_processor
from minigr.jit.threads import THREADS_A_CORE, THREADS_VARIABLE

ARRIVED, GENERATION, ABANDONED, SYNC_WORDS = 0, 16, 24, 32  # words that the threads of a team share for barriers
_FUNCTION, _WORDS, _COUNT, _SIZE, _LEFT, _STATUS, _TEAM_WORDS = 0, 1, 2, 3, 16, 32, 48
_BOX, _SEMAPHORE = 32, 16  # words of a thread's box; word 0 counts its posts, and word 16 begins its semaphore
_MOST = THREADS_A_CORE * (os.cpu_count() or 1) + 1  # boxes; most of their memory is never touched
_YIELDS = 500  # before a thread goes to sleep
_BROKEN = status_of(TeamBroken)


@kernel
def _wait(boxes, box):
    """Wait until another thread posts to the box."""
    yields = 0
    while load(boxes, box) <= 0 and yields < _YIELDS:
        yield_processor()
        yields += 1
    if fetch_add(boxes, box, -1) <= 0:
        sleep(boxes, box + _SEMAPHORE)


@kernel
def _post(boxes, box):
    if fetch_add(boxes, box, 1) < 0:
        wake(boxes, box + _SEMAPHORE)


@kernel
def _take_part(rank, sync, team, boxes):
    """Wake up to two more threads, and run this thread's part of the team's work."""
    size = team[_SIZE]
    for other in range(2 * rank + 1, min(2 * rank + 3, size)):
        _post(boxes, other * _BOX)
    status = call_at(team[_FUNCTION], team[_WORDS], team[_COUNT], rank)
    if status != 0:
        store(sync, ABANDONED, 1)
        if status != _BROKEN:
            store(team, _STATUS, status)


@entry
def _serve(rank, sync, team, boxes):
    """The loop of a pool thread: it takes part in one team after the other."""
    while True:
        _wait(boxes, rank * _BOX)
        _take_part(rank, sync, team, boxes)
        if fetch_add(team, _LEFT, -1) == 1:
            _post(boxes, 0)


@entry
def _lead(sync, team, boxes, function, words, count, size):
    """Run a team, and wait until all of its threads are done."""
    sync[ARRIVED] = sync[ABANDONED] = 0
    team[_FUNCTION], team[_WORDS], team[_COUNT], team[_SIZE] = function, words, count, size
    team[_LEFT], team[_STATUS] = size - 1, 0
    _take_part(0, sync, team, boxes)
    _wait(boxes, 0)


def _turnstile() -> Callable[[], Any]:
    """Return a function that waits until no other team runs, and returns the right to run a team.

    The right ends with the last reference to the returned object. The object is made in C, in the same call that
    acquires the lock. No signal handler can run there, so no exception can come between the two steps and leave the
    lock held forever.
    """
    lock = threading.Lock()

    class Turn(int):
        __del__ = lock.release

    return lambda: next(map(Turn, iter(lock.acquire, None)))


class Pool:
    """Threads that wait for teams. They end with the process and don't keep it from ending.

    Attributes
    ----------
    sync : int64 array
        The words that the threads of a team share for barriers, an argument of each thread.
    """

    def __init__(self) -> None:
        self.sync = np.zeros(SYNC_WORDS, np.int64)
        self._team = np.zeros(_TEAM_WORDS, np.int64)
        self._boxes = np.zeros(0, np.int64)
        self._threads = 0
        self._take_turn = _turnstile()

    def run(self, call: Call, size: int) -> int:
        """Make a call in `size` threads, including the caller, each with its rank. Return a status; zero: no error.

        Signals are handled before the threads are woken or after all of them are done.

        Raises
        ------
        DeviceError
            If the system can't start so many threads.
        """
        turn = self._take_turn()
        try:
            self._require_threads(size - 1)
            _lead(self.sync, self._team, self._boxes, call.address, ctypes.addressof(call.words), len(call.words), size)
            return int(self._team[_STATUS])
        finally:
            del turn

    def compile(self) -> None:
        """Compile all functions that start and run a team."""
        state = self.sync, self._team, self._boxes
        _serve.packed(1, *state)
        _lead.packed(*state, 0, 0, 0, 0)

    def _require_threads(self, count: int) -> None:
        """Start threads until there are at least `count`."""
        if count >= _MOST:
            raise DeviceError(
                f"a team of {count + 1} threads can't run, because this machine has room for {_MOST} at most: set "
                f"{THREADS_VARIABLE} to less"
            )
        if not self._boxes.size:
            boxes = np.zeros(_BOX * _MOST, np.int64)
            self._make_semaphore(boxes, 0)
            self._boxes = boxes
        while self._threads < count:
            rank = self._threads + 1
            serve = _serve.packed(rank, self.sync, self._team, self._boxes)
            self._make_semaphore(self._boxes, rank)
            try:
                _thread.start_new_thread(serve.status, ())
            except RuntimeError as error:
                raise DeviceError(
                    f"a team of {count + 1} threads can't run, because the system starts no more than {self._threads} "
                    f"besides the caller's ({error}): set {THREADS_VARIABLE} to less, or raise the limit (ulimit -u)"
                ) from error
            self._threads = rank

    @staticmethod
    def _make_semaphore(boxes: Any, rank: int) -> None:
        semaphores.make(boxes[rank * _BOX + _SEMAPHORE :].ctypes.data)
