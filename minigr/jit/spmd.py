"""CPU teams: every thread runs the same compiled function, told its rank, and they meet at barriers.

This is the CPU's counterpart of a persistent cooperative kernel: a loop over operators is compiled whole, with no
Python between steps. A barrier spins briefly, then yields, so that a team larger than the free cores still moves.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import numpy as np

from minigr.errors import FunctorError
from minigr.jit.kernel import kernel
from minigr.jit.ordered import fetch_add, load, store, yield_processor

THREADS_VARIABLE = "MINIGR_NUM_THREADS"
_SPINS_BEFORE_YIELD = 4000
ARRIVED, GENERATION, ABANDONED = 0, 16, 24
SYNC_WORDS = 32


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
                raise RuntimeError("another thread of the team has left it")
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
    ValueError
        If the variable is not a whole number of at least 1.
    """
    text = os.environ.get(THREADS_VARIABLE)
    if text is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not text.isdecimal() or int(text) < 1:
        raise ValueError(f"{THREADS_VARIABLE}={text!r}: give a whole number of at least 1")
    return int(text)


@cache
def _pool(size: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(size, thread_name_prefix="minigr")


_one_team_at_a_time = threading.Lock()


def _start_afresh() -> None:
    """A forked child has none of its parent's threads, nor anyone to release a lock that one of them held."""
    global _one_team_at_a_time
    _one_team_at_a_time = threading.Lock()
    _pool.cache_clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_start_afresh)


def run_team(kernel: Callable[..., Any], size: int, *args: Any) -> None:
    """Call ``kernel(rank, size, sync, *args)`` for each rank below `size`, each in a thread of its own; wait for all.

    `kernel` must be compiled with ``nogil``. One team runs at a time in a process, because two that share cores would
    spin against each other.

    Raises
    ------
    FunctorError
        If a user's function raised, as an index beyond a tuple does. Threads that wait for one that left so leave too.
    """
    sync = np.zeros(SYNC_WORDS, np.int64)
    errors: list[BaseException] = []

    def take_part(rank: int) -> None:
        try:
            kernel(rank, size, sync, *args)
        except BaseException as error:
            errors.append(error)
            sync[ABANDONED] = 1

    if size == 1:
        take_part(0)
    else:
        with _one_team_at_a_time:
            others = [_pool(size - 1).submit(take_part, rank) for rank in range(1, size)]
            take_part(0)
            for other in others:
                other.result()
    if errors:
        _raise_first(errors[0])


def _raise_first(error: BaseException) -> None:
    if isinstance(
        error, (ArithmeticError, LookupError, ValueError)
    ):  # what compiled code raises; all else is not the user's
        raise FunctorError(
            f"a function of the functor raised {type(error).__name__}: {error}; functors can't raise: test for the "
            "case, and return a value that says so"
        ) from error
    raise error
