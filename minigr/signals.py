"""Signals that are handled a moment later, so that no handler's exception leaves something half done."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # the functions of `signal` make enums, which takes ten times as long
import signal
import threading
from typing import Any

_NUMBERS = tuple(int(number) for number in sorted(signal.valid_signals()))
# The handlers when they were last looked at, and the signals of those among them that Python calls.
_last: tuple[list[Any], list[int]] = ([], [])


class deferred:
    """A context in which no handler of a signal runs. On leaving it, the handlers of the signals that came are called.

    These may raise, as that of Ctrl-C does; the exception then comes from the ``with`` statement, after its body is
    done. A signal that comes twice is handled once. Python runs handlers on the main thread only, so on other threads
    there is nothing to do. Takes three microseconds.

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
        self._left: list[int] = []  # signals whose handlers are to be put back
        if threading.get_ident() != threading.main_thread().ident:
            return
        try:
            for number in _handled():
                self._handlers[number] = _signal.getsignal(number)
                self._left.append(number)  # before, because an exception may come right after the handler is replaced
                _signal.signal(number, self._note)
        except BaseException:  # of a handler that was not replaced yet
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
        # A handler that is back may raise at each of these lines, from within `signal` too, which then has done
        # nothing. The others are put back all the same. No function of Python is called: its first line could raise.
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
        """Call the handlers of all signals that came; if one raises, the others all the same."""
        while self._came:
            number, frame = self._came.popitem()
            try:
                self._handlers[number](number, frame)
            finally:
                if self._came:
                    self._handle()


def _handled() -> list[int]:
    """The signals whose handlers Python calls. As a rule they are those of the last time."""
    global _last
    found = [*map(_signal.getsignal, _NUMBERS)]
    handlers, numbers = _last
    if found != handlers:
        numbers = [number for number, handler in zip(_NUMBERS, found, strict=True) if callable(handler)]
        _last = found, numbers
    return numbers
