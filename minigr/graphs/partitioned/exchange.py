"""The exchange between parts: the only code that knows whether all parts are in one process.

Each process holds some of the parts, and handles them one after the other. All data between parts goes through the two
methods of an exchange, which all processes call in the same order. So traces count the data here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from minigr.device import CPU, Device
from minigr.errors import PartError
from minigr.graphs.partitioned.traffic import bytes_of, counted

_ALONE = nullcontext()  # for a process that holds all parts


class Exchange(ABC):
    """The communication between the parts of one graph.

    Attributes
    ----------
    num_parts : int
        The number of parts in all processes.
    local : sequence of int
        The numbers of the parts that this process holds.
    """

    num_parts: int
    local: Sequence[int]

    @property
    def home(self) -> Device:
        """The device of the part of this process, if the process holds only one."""
        return CPU

    def all_to_all(self, sent: list[list[Any]]) -> list[list[Any]]:
        """Deliver ``sent[i][q]`` from local part i to part q. ``received[i][q]`` came from part q to part i."""
        traffic = counted()
        if traffic is None:
            return self._deliver(sent)
        with traffic.exchanging():
            received = self._deliver(sent)
        for own, messages in zip(self.local, sent, strict=True):
            traffic.sent += sum(bytes_of(message) for part, message in enumerate(messages) if part != own)
        return received

    def all_gather(self, values: list[Any]) -> list[Any]:
        """Collect one value of each part. Returns the values of all parts, in the order of the parts."""
        traffic = counted()
        if traffic is None:
            return self._gather(values)
        with traffic.exchanging():
            found = self._gather(values)
        traffic.sent += (self.num_parts - 1) * bytes_of(values)
        return found

    @abstractmethod
    def _deliver(self, sent: list[list[Any]]) -> list[list[Any]]:
        """Implements `all_to_all`."""

    def _gather(self, values: list[Any]) -> list[Any]:
        """Implements `all_gather`, in a process that holds one part."""
        (received,) = self._deliver([values * self.num_parts])
        return received

    def of_processes(self, value: Any) -> list[Any]:
        """Collect one value of each process, however many parts it holds."""
        own = [(value,), *[None] * (len(self.local) - 1)]
        return [each[0] for each in self.all_gather(own) if each is not None]

    @property
    def process(self) -> tuple[int, int]:
        """The number of this process among the processes that hold parts, and the number of these processes."""
        return self.local[0] // len(self.local), self.num_parts // len(self.local)

    @property
    def in_one_process(self) -> bool:
        """Whether this process holds all parts."""
        return len(self.local) == self.num_parts

    @abstractmethod
    def fail(self, error: Exception) -> None:
        """Make the next call of the other processes raise `PartError`."""

    def tell(self, error: Exception) -> None:
        """Call `fail`, unless this error was already told to the others."""
        if getattr(error, "told_by", None) != id(self):
            vars(error)["told_by"] = id(self)
            self.fail(error)

    def together(self) -> AbstractContextManager[None]:
        """A context for work of all processes: if it fails in one process, it fails in all, and none waits forever.

        Raises
        ------
        PartError
            If the work failed in another process.
        """
        return _ALONE if self.in_one_process else self._with_others()

    @contextmanager
    def _with_others(self) -> Iterator[None]:
        try:
            yield
            self.all_gather([None] * len(self.local))  # other processes may have failed since the last call
        except PartError:
            raise
        except Exception as error:
            self.tell(error)
            raise


class BetweenProcesses(Exchange):
    """The exchange between processes that hold one part each."""

    @abstractmethod
    def wait(self, is_done: Callable[[], bool]) -> bool:
        """Wait until `is_done` is true, or for the time that one part waits for another. Returns whether it is true.

        Raises
        ------
        PartError
            If another process has given up.
        """

    @abstractmethod
    def stop(self, why: str) -> None:
        """Give up waiting, tell the other processes, and raise `PartError`."""


def failure_of(error: BaseException) -> str:
    """The message about an error for other processes: its type and text. Python's own `MemoryError` has no text."""
    return ": ".join(filter(None, (type(error).__name__, str(error))))


class InProcess(Exchange):
    """The exchange between parts that are all in this process. Nothing is copied."""

    def __init__(self, num_parts: int) -> None:
        self.num_parts, self.local = num_parts, range(num_parts)

    def _deliver(self, sent: list[list[Any]]) -> list[list[Any]]:
        return [list(column) for column in zip(*sent, strict=True)]

    def _gather(self, values: list[Any]) -> list[Any]:
        return values

    def fail(self, error: Exception) -> None:
        """Do nothing, because there is no other process."""
