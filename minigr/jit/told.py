"""Listeners to the use of programs, for tools that compile programs in advance and for tests. Usually none."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

Listener = Callable[[str, Any], None]
"""Takes the name of an event and its object.

The events are ``"plan"`` with a `Plan` or ``"primitive"`` with a `Program`, when it is to run on the CPU; ``"parts"``
with a `Plan` that has the rules of its operators, when it is to run over a graph in parts; ``"found"`` or ``"made"``
with the kind and key of a cache entry.
"""
_listeners: list[Listener] = []


def tell(what: str, of: Any) -> None:
    """Tell all listeners about an event."""
    for listener in _listeners:
        listener(what, of)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Tell `listener` about events within the block."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)
