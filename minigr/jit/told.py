"""Who is told of programs as they are asked for: mostly nobody. For what makes programs beforehand, and for tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

Listener = Callable[[str, Any], None]
"""Takes what happened and to what: ``"plan"`` and a `Plan`, ``"primitive"`` and a `Program`, when one is to run on the
CPU; ``"parts"``, and a `Plan` with the rules of its operators, when it is to run over a graph in parts; ``"found"`` or
``"made"``, and the kind and key of an entry of the cache.
"""
_listeners: list[Listener] = []


def tell(what: str, of: Any) -> None:
    """Tell everybody who listens."""
    for listener in _listeners:
        listener(what, of)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Have `listener` told within the block."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)
