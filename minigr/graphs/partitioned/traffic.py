"""What parts send each other, and how long they take: counted for a trace."""

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
    """What the parts of this process have exchanged with others.

    Attributes
    ----------
    sent : int
        Bytes of the arrays that they gave to other parts.
    seconds : float
        Time in exchanges, in which a process also waits for the others.
    """

    sent: int = 0
    seconds: float = 0.0

    @contextmanager
    def exchanging(self) -> Iterator[None]:
        """Time an exchange."""
        started = time.perf_counter()
        try:
            yield
        finally:
            self.seconds += time.perf_counter() - started


_counted: ContextVar[Traffic | None] = ContextVar("counted", default=None)


@contextmanager
def counting() -> Iterator[Traffic]:
    """Count what the calling thread has parts exchange from here on."""
    traffic = Traffic()
    token = _counted.set(traffic)
    try:
        yield traffic
    finally:
        _counted.reset(token)


def counted() -> Traffic | None:
    """Where exchanges of the calling thread are counted, if they are."""
    return _counted.get()


def bytes_of(message: Any) -> int:
    """Bytes of the arrays in a message."""
    if isinstance(message, dict):
        message = list(message.values())
    if isinstance(message, (tuple, list)):
        return sum(map(bytes_of, message))
    return 0 if isinstance(message, np.generic) else int(getattr(message, "nbytes", 0))
