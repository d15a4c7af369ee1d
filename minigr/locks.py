"""Locks in a process that may fork."""

from __future__ import annotations

import os
import sys
from typing import Any


def free_in_children(lock: Any) -> Any:
    """Return `lock`, which is free in a forked child even if a thread of the parent holds it.

    The child has none of the parent's other threads, so no thread of the child would release the lock.
    """
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=lock._at_fork_reinit)
    return lock


def held_to_fork(lock: Any) -> Any:
    """Return `lock`, and make the process fork only while no other thread holds the lock.

    The data that the lock protects is thus complete in a child.
    """
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release)
    return lock


class LockOf:
    """The lock that a module has under a name; no lock while the module is not imported."""

    def __init__(self, module: str, name: str) -> None:
        self._module, self._name = module, name
        self._held: Any = None

    def acquire(self) -> None:
        """Acquire the lock, if the module is imported."""
        self._held = getattr(sys.modules.get(self._module), self._name, None)
        if self._held is not None:
            self._held.acquire()

    def release(self) -> None:
        """Release the lock, if it was acquired."""
        held, self._held = self._held, None
        if held is not None:
            held.release()
