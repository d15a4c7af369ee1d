"""Locks in a process that may fork."""

from __future__ import annotations

import os
from typing import Any


def free_in_children(lock: Any) -> Any:
    """Return `lock`; a forked child finds it free, whichever thread of the parent held it.

    A child has none of its parent's other threads, so nobody there would ever release it.
    """
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=lock._at_fork_reinit)
    return lock
