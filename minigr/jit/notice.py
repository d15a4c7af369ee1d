"""Notices about compilation: a record in `logging` for each program, and a line on a terminal if it takes long."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Iterable, Iterator
from time import perf_counter
from typing import TextIO

from minigr.jit.functor import Bound

AFTER = 0.5  # seconds of compilation in a process, after which the user is told why the process takes long
LINE = "minigr: compiling ... (the cache keeps what is compiled; `minigr prepare` compiles all algorithms beforehand)"


class _Spent:
    """The time that this process has compiled, and whether the user was told."""

    seconds = 0.0
    told = False


_busy = threading.local()  # has `inside` while a thread compiles; a compilation inside another one is part of it


def program_name(functors: Iterable[Bound], function: str) -> str:
    """The name of a program for users: its functors, or else the function of the package."""
    return ", ".join(sorted({bound.functor for bound in functors})) or function


@contextlib.contextmanager
def compiling(what: str) -> Iterator[None]:
    """A context for the compilation of a program. Log the program afterwards, and write to a terminal if it takes long.

    A process writes to the terminal once, when it has compiled for half a second in total. The record goes to the
    logger ``minigr`` with the level INFO.
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
    """Never write to the terminal in this process, because another process shows the progress."""
    _Spent.told = True


def _start_timer() -> threading.Timer | None:
    if _Spent.told or _terminal() is None:
        return None
    timer = threading.Timer(max(AFTER - _Spent.seconds, 0.0), _tell)
    timer.daemon = True
    try:
        timer.start()
    except RuntimeError:  # the process ends or can't start threads; then it compiles without a notice
        return None
    return timer


def _tell() -> None:
    terminal = _terminal()
    if terminal is not None and not _Spent.told:
        _Spent.told = True
        print(LINE, file=terminal, flush=True)


def _terminal() -> TextIO | None:
    """Standard error, if it is a terminal; None also if it is closed."""
    stream = sys.stderr
    return stream if stream is not None and not stream.closed and stream.isatty() else None
