"""Signals of a timer whose handler raises."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def alarms(error: type[BaseException]) -> Iterator[Callable[[float], None]]:
    """Give a function that starts a timer of so many seconds, whose SIGALRM raises `error` once; 0 stops the timer.

    The system delivers the signal of a timer to any thread of the process, and may do so after the timer was stopped. A
    signal that comes late raises nothing. A signal may come within the call that stops the timer, and raise there.
    """
    wanted = False

    def handler(number, frame):
        nonlocal wanted
        if wanted:
            wanted = False
            raise error

    def start(seconds: float) -> None:
        nonlocal wanted
        wanted = seconds > 0
        signal.setitimer(signal.ITIMER_REAL, seconds)

    before = signal.signal(signal.SIGALRM, handler)
    try:
        yield start
    finally:
        signal.signal(signal.SIGALRM, signal.SIG_IGN)  # drops a signal that is on its way
        start(0)
        signal.signal(signal.SIGALRM, before)
