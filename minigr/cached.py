"""Properties that are computed once, without a lock."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from functools import cached_property as cached_property
else:

    class cached_property(functools.cached_property):
        """``functools.cached_property`` with the behavior of Python 3.12 and later.

        In earlier versions, all objects share one lock of the property. A child process that is forked while another
        thread holds the lock would wait for it forever. Without the lock, two threads may compute the value at once;
        both threads get the first value.
        """

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            if instance is None:
                return self
            return instance.__dict__.setdefault(self.attrname, self.func(instance))
