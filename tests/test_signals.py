"""Tests of signals that are deferred until a context is left."""

import signal
import threading

import pytest

from minigr.signals import deferred
from tests.alarms import alarms


@pytest.fixture
def handlers():
    """Set handlers of signals for a test."""
    previous = {}

    def use(number, handler):
        before = signal.signal(number, handler)
        previous.setdefault(number, before)

    yield use
    for number, handler in previous.items():
        signal.signal(number, handler)


def test_handlers_are_called_when_it_is_left(handlers):
    called = []
    handlers(signal.SIGUSR1, lambda number, frame: called.append((number, frame.f_code.co_name)))
    with deferred():
        signal.raise_signal(signal.SIGUSR1)
        signal.raise_signal(signal.SIGUSR1)
        assert called == []
    assert called == [(signal.SIGUSR1, "test_handlers_are_called_when_it_is_left")]
    signal.raise_signal(signal.SIGUSR1)
    assert len(called) == 2


def test_all_handlers_are_called_though_one_raises(handlers):
    called = []

    def raising(number, frame):
        called.append(number)
        raise KeyboardInterrupt

    handlers(signal.SIGUSR1, raising)
    handlers(signal.SIGUSR2, raising)
    handlers(signal.SIGALRM, lambda number, frame: called.append(number))

    def body():
        with deferred():
            for number in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM):
                signal.raise_signal(number)

    with pytest.raises(KeyboardInterrupt):
        body()
    assert sorted(called) == sorted([signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM])
    assert signal.getsignal(signal.SIGUSR1) is raising


def test_handlers_are_put_back_whenever_one_raises():
    usual, interrupts = signal.getsignal(signal.SIGINT), 0
    with alarms(KeyboardInterrupt) as start:
        raising = signal.getsignal(signal.SIGALRM)
        for trial in range(600):
            try:
                try:
                    start(5e-6 + trial % 100 * 1e-6)
                    for _ in range(100):
                        with deferred():
                            pass
                finally:
                    start(0)
            except KeyboardInterrupt:
                interrupts += 1
            assert signal.getsignal(signal.SIGINT) is usual
            assert signal.getsignal(signal.SIGALRM) is raising
    assert interrupts


def test_it_can_be_nested(handlers):
    called = []
    handlers(signal.SIGUSR1, lambda number, frame: called.append(number))
    with deferred():
        with deferred():
            signal.raise_signal(signal.SIGUSR1)
        assert called == []
    assert called == [signal.SIGUSR1]


def test_an_exception_of_the_body_goes_on(handlers):
    called = []
    handlers(signal.SIGUSR1, lambda number, frame: called.append(number))

    def body():
        with deferred():
            signal.raise_signal(signal.SIGUSR1)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        body()
    assert called == [signal.SIGUSR1]


def test_other_threads_leave_handlers_alone(handlers):
    def handler(number, frame):
        return

    handlers(signal.SIGUSR1, handler)
    seen = []

    def look():
        with deferred():
            seen.append(signal.getsignal(signal.SIGUSR1))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert seen == [handler]
