"""Signals of a timer whose handler raises."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def alarms(error: type[BaseException]) -> Iterator[Callable[[float], None]]:
    """Have SIGALRM raise `error` once, as many seconds after a call of what this gives as that call says; 0 ends it.

    The system hands the signal of a timer to any thread of the process, and may do so after the timer was ended. A
    signal that comes late raises nothing. A signal may come within the call that ends the timer, and raise there.
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
        signal.signal(signal.SIGALRM, signal.SIG_IGN)  # a signal on its way is dropped
        start(0)
        signal.signal(signal.SIGALRM, before)
