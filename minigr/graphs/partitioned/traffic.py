"""The data that parts send each other, and the time that this takes, for a trace."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass
class Traffic:
    """The data that the parts of this process have exchanged with others.

    Attributes
    ----------
    sent : int
        Size in bytes of the arrays that were sent to other parts.
    seconds : float
        Time in exchanges, including the time in which a process waits for others.
    """

    sent: int = 0
    seconds: float = 0.0

    @contextmanager
    def exchanging(self) -> Iterator[None]:
        """Measure the time of an exchange."""
        started = time.perf_counter()
        try:
            yield
        finally:
            self.seconds += time.perf_counter() - started


_counted: ContextVar[Traffic | None] = ContextVar("counted", default=None)


@contextmanager
def counting() -> Iterator[Traffic]:
    """Count the exchanges of the calling thread within the block."""
    traffic = Traffic()
    token = _counted.set(traffic)
    try:
        yield traffic
    finally:
        _counted.reset(token)


def counted() -> Traffic | None:
    """The object that counts exchanges of the calling thread, or None."""
    return _counted.get()


def bytes_of(message: Any) -> int:
    """The size in bytes of the arrays in a message."""
    if isinstance(message, dict):
        message = list(message.values())
    if isinstance(message, (tuple, list)):
        return sum(map(bytes_of, message))
    return 0 if isinstance(message, np.generic) else int(getattr(message, "nbytes", 0))
