"""CPU teams: every thread runs the same compiled function, told its rank, and they meet at barriers.

This is the CPU's counterpart of a persistent cooperative kernel: a loop over operators is compiled whole, with no
Python between steps. A barrier spins briefly, then yields, so that a team larger than the free cores still moves.
"""

from __future__ import annotations

import _thread
import os
import queue
import threading
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

import numpy as np

from minigr.errors import DeviceError, FunctorError, SettingError
from minigr.jit.kernel import entry, kernel
from minigr.jit.native.entry import Call, Entry
from minigr.jit.native.errors import Raised, TeamBroken
from minigr.jit.ordered import fetch_add, load, store, yield_processor

THREADS_VARIABLE = "MINIGR_NUM_THREADS"
_SPINS_BEFORE_YIELD = 4000
ARRIVED, GENERATION, ABANDONED = 0, 16, 24
SYNC_WORDS = 32  # and one more for each rank, which says whether its thread is in the kernel
_OUTSIDE, _INSIDE = 0, 1
_THREADS_A_CORE = 32  # at most; with 32 a search takes thirty times as long as with one, with 500 three thousand times


@kernel
def arrive(sync, size):
    """True for the last of `size` threads to come; it alone goes on, and must `release` the others."""
    if size == 1:
        return True
    generation = load(sync, GENERATION)
    if fetch_add(sync, ARRIVED, 1) == size - 1:
        store(sync, ARRIVED, 0)
        return True
    spins = 0
    while load(sync, GENERATION) == generation:
        spins += 1
        if spins > _SPINS_BEFORE_YIELD:
            if load(sync, ABANDONED) != 0:
                raise TeamBroken
            yield_processor()
    return False


@kernel
def release(sync, size):
    """Let those go on that wait in `arrive`."""
    if size > 1:
        store(sync, GENERATION, load(sync, GENERATION) + 1)


@kernel
def barrier(sync, size):
    """Wait until all `size` threads are here."""
    if arrive(sync, size):
        release(sync, size)


def num_threads() -> int:
    """Threads of a team: ``MINIGR_NUM_THREADS``, or the cores this process may use.

    Raises
    ------
    SettingError
        If the variable is not a whole number of at least 1, or far more than there are cores for: threads of a team
        wait for each other thousands of times in a run, and each time all of them must have had their turn.
    """
    text = os.environ.get(THREADS_VARIABLE)
    return _cores() if text is None else _threads_asked_for(text)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@lru_cache(maxsize=8)
def _threads_asked_for(text: str) -> int:
    most = _THREADS_A_CORE * _cores()
    count = int(text) if text.isdecimal() and len(text) < 100 else 0
    if count < 1:
        raise SettingError(f"{THREADS_VARIABLE}={text!r}: give a whole number of at least 1")
    if count > most:
        raise SettingError(
            f"{THREADS_VARIABLE}={text!r}: so many threads would only wait for each other on {_cores()} cores; give at "
            f"most {most}, or leave the variable out for a thread a core"
        )
    return count


def _turnstile() -> Callable[[], Any]:
    """Return a function that waits until no other team runs, and gives the right to run one.

    The right ends with the last reference to it. It comes into being in the call that locks the lock, in C, where no
    signal handler can run: an exception can't come between the two and leave the lock locked for good.
    """
    lock = threading.Lock()

    class Turn(int):
        __del__ = lock.release

    return lambda: next(map(Turn, iter(lock.acquire, None)))


def _work(tasks: queue.SimpleQueue[Callable[[], None]]) -> None:
    """What a thread of the pool does: one task after the other."""
    while True:
        task = tasks.get()
        task()
        del task  # and with it the arrays that it holds


_take_turn = _turnstile()
_tasks: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
_threads = 0


def _start_again() -> None:
    """Forget threads and locks in a forked child: it has no other thread of its parent."""
    global _take_turn, _tasks, _threads
    _take_turn, _tasks, _threads = _turnstile(), queue.SimpleQueue(), 0


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_start_again)


def _require_threads(count: int) -> None:
    """Have at least `count` threads in the pool. They end with the process, and don't keep it from ending."""
    global _threads
    while _threads < count:
        try:
            _thread.start_new_thread(_work, (_tasks,))
        except RuntimeError as error:
            raise DeviceError(
                f"a team of {count + 1} threads can't run: the system starts no more than {_threads} besides the "
                f"caller's ({error}): set {THREADS_VARIABLE} to less, or raise the limit (ulimit -u)"
            ) from error
        _threads += 1


@entry
def _see_off(sync):
    """Wait until all threads of an abandoned team have left.

    It is compiled, so that no signal handler runs before it is done.
    """
    for rank in range(1, sync.size - SYNC_WORDS):
        while load(sync, SYNC_WORDS + rank) == _INSIDE:
            yield_processor()


def run_team(kernel: Entry, size: int, *args: Any) -> None:
    """Call ``kernel(rank, size, sync, *args)`` for each rank below `size`, each in a thread of its own; wait for all.

    One team runs at a time in a process, because two that share cores would
    spin against each other. No thread of the team is in `kernel` any more when the call ends, however it ends: a
    signal handler may raise at any moment.

    Raises
    ------
    FunctorError
        If a user's function raised, as an index beyond a tuple does. Threads that wait for one that left leave too.
    DeviceError
        If the system can't start so many threads.
    """
    sync = np.zeros(SYNC_WORDS + size, np.int64)
    errors: list[BaseException] = []
    call = kernel.packed(0, size, sync, *args)  # here, where Ctrl-C is heard, and not in a thread's task
    if size == 1:
        try:
            call()
        except Raised as raised:
            errors.append(raised)
    else:
        leave = _see_off.packed(sync)
        turn = _take_turn()
        try:
            _run_together(call, leave, size, sync, errors)
        finally:
            del turn
    if errors:
        raise _told(errors[0])


def _run_together(call: Call, leave: Call, size: int, sync: Any, errors: list[BaseException]) -> None:
    """Run a team of several threads, the caller's among them; what the call raises in any of them goes to `errors`."""
    others = iter(range(size - 2, -1, -1))  # how many are left when one leaves
    alone = _thread.allocate_lock()
    alone.acquire()

    def take_part(rank: int, call: Call) -> None:
        # First inside, then a look, each with the GIL: whoever `_see_off` does not see inside sees the team abandoned.
        sync[rank] = _INSIDE
        try:
            if not sync[ABANDONED]:
                call()
        except BaseException as error:
            errors.append(error)
            sync[ABANDONED] = 1
        finally:
            sync[rank] = _OUTSIDE
            if next(others) == 0:
                alone.release()

    try:
        _require_threads(size - 1)
        for rank in range(1, size):
            # All that a thread would do with the GIL, which it has to get from another, is done for it here.
            _tasks.put(partial(take_part, SYNC_WORDS + rank, call.with_first(rank)))
        call()
        alone.acquire()
    except Raised as raised:
        if not isinstance(raised.error, TeamBroken):  # the thread that left first has said why
            errors.append(raised)
    finally:
        sync[ABANDONED] = 1
        leave()


def _told(raised: BaseException) -> BaseException:
    """What the user gets for what a thread of a team raised."""
    if not isinstance(raised, Raised):
        return raised
    error = raised.error
    told = FunctorError(
        f"a function of the functor raised {type(error).__name__}: {error}; functors can't raise: test for the "
        "case, and return a value that says so"
    )
    told.__cause__ = error
    return told
