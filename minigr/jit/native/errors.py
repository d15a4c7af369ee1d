"""The errors of native code. A status is the position of an error here, counted from one."""

from __future__ import annotations


class TeamBroken(Exception):
    """Raised in threads that wait for a thread that left. `run_team` raises the reason of the thread that left."""


class Raised(Exception):
    """Raised if native code that Python called ended with an error, which is `error`."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(error)
        self.error = error


#: the errors, and the message of each
RAISED: tuple[type[Exception], ...] = (TeamBroken, IndexError, ValueError)
MESSAGES = ("", "an index of a field is out of range", "range() arg 3 must not be zero")


def status_of(error: type[BaseException]) -> int:
    """The status of a function that ends with this error."""
    return RAISED.index(error) + 1


def error_of(status: int) -> BaseException:
    """The error of a status. A status above the errors of this module is the address of an error of Numba's code."""
    if status > len(RAISED):
        from minigr.jit.private import error_at

        return error_at(status)
    return RAISED[status - 1](MESSAGES[status - 1])
