"""Check that objects are freed without the garbage collector."""

import gc
import time
from collections.abc import Callable
from typing import Any

_PATIENCE = 5.0  # seconds


def all_gone(references: list[Callable[[], Any]]) -> bool:
    """Whether all weak references are dead, now or soon: a thread of a GPU may hold its last work for a while."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        end = time.monotonic() + _PATIENCE
        while any(each() is not None for each in references) and time.monotonic() < end:
            time.sleep(0.01)
        return all(each() is None for each in references)
    finally:
        if enabled:
            gc.enable()
