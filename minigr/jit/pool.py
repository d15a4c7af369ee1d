"""The threads of a process's teams: they sleep in compiled code, and are woken and sent home there, without the GIL.

Who runs a team is its rank 0. It wakes two threads, and each thread two more, as in a heap; so the last of n threads is
woken after log2(n) steps. One team runs at a time in a process, because two that share cores would spin against each
other.
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

ARRIVED, GENERATION, ABANDONED, SYNC_WORDS = 0, 16, 24, 32  # what the threads of a team meet at
_FUNCTION, _WORDS, _COUNT, _SIZE, _LEFT, _STATUS, _TEAM_WORDS = 0, 1, 2, 3, 16, 32, 48
_BOX, _SEMAPHORE = 32, 16  # words of a thread's box, which counts how often it was woken; and its semaphore in there
_MOST = THREADS_A_CORE * (os.cpu_count() or 1) + 1  # boxes; most of them are memory that is never touched
_YIELDS = 500  # before a thread goes to sleep
_BROKEN = status_of(TeamBroken)


@kernel
def _wait(boxes, box):
    """Wait until the box is posted to."""
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
    """Wake two more threads, and be one of the team's."""
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
    """What a thread of the pool does: its part in one team after the other."""
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
    """Return a function that waits until no other team runs, and gives the right to run one.

    The right ends with the last reference to it. It comes into being in the call that locks the lock, in C, where no
    signal handler can run: an exception can't come between the two and leave the lock locked for good.
    """
    lock = threading.Lock()

    class Turn(int):
        __del__ = lock.release

    return lambda: next(map(Turn, iter(lock.acquire, None)))


class Pool:
    """Threads that wait for teams. They end with the process, and don't keep it from ending.

    Attributes
    ----------
    sync : int64 array
        What the threads of a team meet at, an argument of each.
    """

    def __init__(self) -> None:
        self.sync = np.zeros(SYNC_WORDS, np.int64)
        self._team = np.zeros(_TEAM_WORDS, np.int64)
        self._boxes = np.zeros(0, np.int64)
        self._threads = 0
        self._take_turn = _turnstile()

    def run(self, call: Call, size: int) -> int:
        """Make a call in as many threads, the caller's among them, each with its rank; a status if one ended with it.

        A signal is heard before the threads are woken or when all of them are done.

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
        """Compile all that starting and running a team takes."""
        state = self.sync, self._team, self._boxes
        _serve.packed(1, *state)
        _lead.packed(*state, 0, 0, 0, 0)

    def _require_threads(self, count: int) -> None:
        """Have at least `count` threads."""
        if count >= _MOST:
            raise DeviceError(
                f"a team of {count + 1} threads can't run: this machine has room for {_MOST} at most: set "
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
                    f"a team of {count + 1} threads can't run: the system starts no more than {self._threads} besides "
                    f"the caller's ({error}): set {THREADS_VARIABLE} to less, or raise the limit (ulimit -u)"
                ) from error
            self._threads = rank

    @staticmethod
    def _make_semaphore(boxes: Any, rank: int) -> None:
        semaphores.make(boxes[rank * _BOX + _SEMAPHORE :].ctypes.data)
