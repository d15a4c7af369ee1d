"""What a person is told of compiling: a record in `logging` for each program, a line on a terminal if it lasts."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Iterable, Iterator
from time import perf_counter
from typing import TextIO

from minigr.jit.functor import Bound

AFTER = 0.5  # seconds that a process has compiled for, after which a person is told why they wait
LINE = "minigr: compiling ... (the cache keeps what is compiled; `minigr prepare` compiles all algorithms beforehand)"


class _Spent:
    """How long this process has compiled, and whether it was said."""

    seconds = 0.0
    told = False


_busy = threading.local()  # has `inside` while a thread compiles: what is compiled for it is a part of it


def program_name(functors: Iterable[Bound], function: str) -> str:
    """What a person calls a program: the functors in it, or else the package's function."""
    return ", ".join(sorted({bound.functor for bound in functors})) or function


@contextlib.contextmanager
def compiling(what: str) -> Iterator[None]:
    """Around the compiling of a program: log it when it is done, and say so on a terminal once it takes long.

    A process says so once, when it has compiled for half a second in all. The record of the logger ``minigr`` has the
    level INFO.
    """
    if getattr(_busy, "inside", False):
        yield
        return
    begun = perf_counter()
    timer = _start_timer()
    try:
        _busy.inside = True
        yield
    finally:
        _busy.inside = False
        if timer is not None:
            timer.cancel()
        taken = perf_counter() - begun
        _Spent.seconds += taken
    import logging

    logging.getLogger("minigr").info("compiled %s in %.2f s", what, taken)


def silence() -> None:
    """Never write to the terminal in this process: another one shows how far it is."""
    _Spent.told = True


def _start_timer() -> threading.Timer | None:
    if _Spent.told or _terminal() is None:
        return None
    timer = threading.Timer(max(AFTER - _Spent.seconds, 0.0), _tell)
    timer.daemon = True
    try:
        timer.start()
    except RuntimeError:  # the process ends, or may have no more threads: then it compiles in silence
        return None
    return timer


def _tell() -> None:
    terminal = _terminal()
    if terminal is not None and not _Spent.told:
        _Spent.told = True
        print(LINE, file=terminal, flush=True)


def _terminal() -> TextIO | None:
    """Standard error, if a person watches it; it may also be closed."""
    stream = sys.stderr
    return stream if stream is not None and not stream.closed and stream.isatty() else None
