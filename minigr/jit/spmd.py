"""CPU teams: every thread runs the same compiled function, told its rank, and they meet at barriers.

This is the CPU's counterpart of a persistent cooperative kernel: a loop over operators is compiled whole, with no
Python between steps. A barrier spins briefly, then yields, so that a team larger than the free cores still moves.
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
def half_wait(sync, size):
    """Whether half of `size` threads, or more, wait for the others."""
    return 2 * load(sync, ARRIVED) >= size


@kernel
def barrier(sync, size):
    """Wait until all `size` threads are here."""
    if arrive(sync, size):
        release(sync, size)


_pool = Pool()


def _start_again() -> None:
    """Forget the threads in a forked child: it has none of its parent's but one."""
    global _pool
    _pool = Pool()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_start_again)


def compile_for_threads() -> None:
    """Compile what wakes threads, and what they run between teams, without having any."""
    _pool.compile()


def run_team(kernel: Entry, size: int, *args: Any) -> None:
    """Call ``kernel(rank, size, sync, *args)`` for each rank below `size`, each in a thread of its own; wait for all.

    One team of several threads runs at a time in a process. No thread of the team is in `kernel` any more when the
    call ends, however it ends: a signal handler may raise at any moment.

    Raises
    ------
    FunctorError
        If a user's function raised, as an index beyond a tuple does. Threads that wait for one that left leave too.
    DeviceError
        If the system can't start so many threads.
    """
    pool = _pool
    call = kernel.packed(0, size, pool.sync, *args)  # a team of one thread meets nobody, and leaves `sync` alone
    status = call.status() if size == 1 else pool.run(call, size)
    if status:
        error = error_of(status)
        raise FunctorError(
            f"a function of the functor raised {type(error).__name__}: {error}; functors can't raise: test for the "
            "case, and return a value that says so"
        ) from error
