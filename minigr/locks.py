"""Locks in a process that may fork."""

from __future__ import annotations

import os
import sys
from typing import Any


def free_in_children(lock: Any) -> Any:
    """Return `lock`; a forked child finds it free, whichever thread of the parent held it.

    A child has none of its parent's other threads, so nobody there would ever release it.
    """
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=lock._at_fork_reinit)
    return lock


def held_to_fork(lock: Any) -> Any:
    """Return `lock`; a process forks only while no other thread holds it.

    What the lock protects is then never half done in a child.
    """
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release)
    return lock


class LockOf:
    """The lock that a module has under a name; nothing as long as the module is not imported."""

    def __init__(self, module: str, name: str) -> None:
        self._module, self._name = module, name
        self._held: Any = None

    def acquire(self) -> None:
        """Take the lock, if it is there."""
        self._held = getattr(sys.modules.get(self._module), self._name, None)
        if self._held is not None:
            self._held.acquire()

    def release(self) -> None:
        """Give back the lock, if it was taken."""
        held, self._held = self._held, None
        if held is not None:
            held.release()
