"""CPU teams: all threads run the same compiled function, each with its rank, and meet at barriers.

A team is the CPU's counterpart of a persistent cooperative kernel. A loop over operators is compiled as a whole, and no
Python runs between steps. A barrier spins briefly and then yields, so a team that is larger than the number of free
cores still makes progress.
"""

from __future__ import annotations

import os
from typing import Any

from minigr.errors import FunctorError
from minigr.jit.kernel import kernel
from minigr.jit.native.entry import Entry
from minigr.jit.native.errors import TeamBroken, error_of
from minigr.jit.pool import ABANDONED, ARRIVED, GENERATION, Pool
from minigr.jit.seq_cst import fetch_add, load, store, yield_processor

_SPINS_BEFORE_YIELD = 4000


@kernel
def arrive(sync, size):
    """Wait for `size` threads. The last one gets True at once and must `release` the others, which then get False."""
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
    """Release the threads that wait in `arrive`."""
    if size > 1:
        store(sync, GENERATION, load(sync, GENERATION) + 1)


@kernel
def half_wait(sync, size):
    """Whether at least half of `size` threads wait for the others."""
    return 2 * load(sync, ARRIVED) >= size


@kernel
def barrier(sync, size):
    """Wait until all `size` threads have arrived."""
    if arrive(sync, size):
        release(sync, size)


_pool = Pool()


def _start_again() -> None:
    """Drop the pool in a forked child, because the child has only one of its parent's threads."""
    global _pool
    _pool = Pool()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_start_again)


def compile_for_threads() -> None:
    """Compile the functions that wake threads and that threads run between teams. No threads are started."""
    _pool.compile()


def run_team(kernel: Entry, size: int, *args: Any) -> None:
    """Call ``kernel(rank, size, sync, *args)`` for each rank below `size`, each in its own thread; wait for all calls.

    A process runs one team of several threads at a time. When this function ends, no thread of the team is in `kernel`
    any more. This also holds if a signal handler raises, which can happen at any moment.

    Raises
    ------
    FunctorError
        If a user's function raised, for example for an index beyond a tuple. Threads that wait for the failed thread
        leave, too.
    DeviceError
        If the system can't start so many threads.
    """
    pool = _pool
    call = kernel.packed(0, size, pool.sync, *args)  # a team of one thread meets no other, and does not use `sync`
    status = call.status() if size == 1 else pool.run(call, size)
    if status:
        error = error_of(status)
        raise FunctorError(
            f"a function of the functor raised {type(error).__name__}: {error}; functors can't raise: test "
            "beforehand, and return a value that stands for the error"
        ) from error
