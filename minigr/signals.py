"""Deferred signals: their handlers run a moment later, so that an exception of a handler leaves nothing incomplete."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # untyped; `signal` wraps it in enums, ten times as slow
import signal
import threading
from typing import Any

_NUMBERS = tuple(int(number) for number in sorted(signal.valid_signals()))
# The handlers at the last look, and the signals whose handlers are called by Python.
_last: tuple[list[Any], list[int]] = ([], [])


class deferred:
    """A context in which no handler of a signal runs. The handlers of the received signals are called at its end.

    A handler may raise, as the handler of Ctrl-C does. The exception then comes from the ``with`` statement, after the
    body is done. A signal that is received twice is handled once. Python runs handlers on the main thread only, so the
    context does nothing on other threads. It takes three microseconds.

    Examples
    --------
    >>> done = []
    >>> before = signal.signal(signal.SIGTERM, lambda *_: done.append("then the handler"))
    >>> with deferred():
    ...     signal.raise_signal(signal.SIGTERM)
    ...     done.append("the body")
    >>> done
    ['the body', 'then the handler']
    >>> _ = signal.signal(signal.SIGTERM, before)
    """

    __slots__ = ("_came", "_handlers", "_left")

    def __enter__(self) -> None:
        self._came: dict[int, Any] = {}
        self._handlers: dict[int, Any] = {}
        self._left: list[int] = []  # signals whose handlers must be restored
        if threading.get_ident() != threading.main_thread().ident:
            return
        try:
            for number in _handled():
                self._handlers[number] = _signal.getsignal(number)
                self._left.append(number)  # appended first, because an exception may come right after the replacement
                _signal.signal(number, self._note)
        except BaseException:  # from a handler that was not yet replaced
            try:
                self._leave()
            finally:
                self._leave()
            raise

    def __exit__(self, *_: object) -> None:
        if self._left:
            self._leave()

    def _note(self, number: int, frame: Any) -> None:
        self._came.setdefault(number, frame)

    def _leave(self) -> None:
        # A handler that was restored may raise at each of these lines. It may also raise inside `signal`, which then
        # has done nothing. The other handlers are restored all the same. No Python function is called, because its
        # first line could raise.
        left, handlers = self._left, self._handlers
        try:
            while left:
                _signal.signal(left[-1], handlers[left[-1]])
                del left[-1:]
        finally:
            try:
                while left:
                    _signal.signal(left[-1], handlers[left[-1]])
                    del left[-1:]
            finally:
                while left:
                    _signal.signal(left[-1], handlers[left[-1]])
                    del left[-1:]
                self._handle()

    def _handle(self) -> None:
        """Call the handlers of all received signals. If a handler raises, the other handlers are still called."""
        while self._came:
            number, frame = self._came.popitem()
            try:
                self._handlers[number](number, frame)
            finally:
                if self._came:
                    self._handle()


def _handled() -> list[int]:
    """The signals whose handlers are called by Python. They rarely differ from those at the last look."""
    global _last
    found = [*map(_signal.getsignal, _NUMBERS)]
    handlers, numbers = _last
    if found != handlers:
        numbers = [number for number, handler in zip(_NUMBERS, found, strict=True) if callable(handler)]
        _last = found, numbers
    return numbers
