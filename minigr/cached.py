"""Properties that are computed once, without a lock."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from functools import cached_property as cached_property
else:

    class cached_property(functools.cached_property):
        """``functools.cached_property`` as it is from Python 3.12 on.

        Before, one lock of the property served all objects. A child forked while another thread held the lock would
        wait for it forever. Without the lock, two threads may compute the value at once; both get the first one.
        """

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            if instance is None:
                return self
            return instance.__dict__.setdefault(self.attrname, self.func(instance))
