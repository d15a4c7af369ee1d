"""The errors that native code ends with: a status is the place of one of them here, counted from one."""

from __future__ import annotations


class TeamBroken(Exception):
    """Raised in threads that wait for one that left. The reason why that one left is what `run_team` raises."""


class Raised(Exception):
    """Raised where Python called native code that ended with an error, which is `error`."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(error)
        self.error = error


#: what may be raised, and the message of each
RAISED: tuple[type[Exception], ...] = (TeamBroken, IndexError, ValueError)
MESSAGES = ("", "an index of a field is out of range", "range() arg 3 must not be zero")


def status_of(error: type[BaseException]) -> int:
    """The status of a function that ends with this error."""
    return RAISED.index(error) + 1


def error_of(status: int) -> BaseException:
    """The error that a status stands for; one above all of these is where Numba keeps what its code raised."""
    if status > len(RAISED):
        from minigr.jit.private import error_at

        return error_at(status)
    return RAISED[status - 1](MESSAGES[status - 1])
