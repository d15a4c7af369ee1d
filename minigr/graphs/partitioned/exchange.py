"""How parts talk to each other: the one place that knows whether they are in one process.

Each process holds some of the parts, and goes through them one after the other. Whatever travels goes by the two
methods of an exchange, which all processes call in the same order. So a trace counts it here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from minigr.device import CPU, Device
from minigr.errors import PartError
from minigr.graphs.partitioned.traffic import bytes_of, counted

_ALONE = nullcontext()  # for work of a process that holds all parts


class Exchange(ABC):
    """Between the parts of one graph.

    Attributes
    ----------
    num_parts : int
        In all processes.
    local : sequence of int
        The numbers of the parts that this process holds.
    """

    num_parts: int
    local: Sequence[int]

    @property
    def home(self) -> Device:
        """Where the part of this process is, if the process holds one."""
        return CPU

    def all_to_all(self, sent: list[list[Any]]) -> list[list[Any]]:
        """Deliver ``sent[i][q]``, from the local part i to part q; what came from part q to i is ``received[i][q]``."""
        traffic = counted()
        if traffic is None:
            return self._deliver(sent)
        with traffic.exchanging():
            received = self._deliver(sent)
        for own, messages in zip(self.local, sent, strict=True):
            traffic.sent += sum(bytes_of(message) for part, message in enumerate(messages) if part != own)
        return received

    def all_gather(self, values: list[Any]) -> list[Any]:
        """What all parts have, in their order, from one value for each local part."""
        traffic = counted()
        if traffic is None:
            return self._gather(values)
        with traffic.exchanging():
            found = self._gather(values)
        traffic.sent += (self.num_parts - 1) * bytes_of(values)
        return found

    @abstractmethod
    def _deliver(self, sent: list[list[Any]]) -> list[list[Any]]:
        """What `all_to_all` does."""

    def _gather(self, values: list[Any]) -> list[Any]:
        """What `all_gather` does, in a process that holds one part."""
        (received,) = self._deliver([values * self.num_parts])
        return received

    def of_processes(self, value: Any) -> list[Any]:
        """What each process has of a value that this process has once, however many parts it holds."""
        own = [(value,), *[None] * (len(self.local) - 1)]
        return [each[0] for each in self.all_gather(own) if each is not None]

    @property
    def process(self) -> tuple[int, int]:
        """The number of this process among those that hold parts, and how many these are."""
        return self.local[0] // len(self.local), self.num_parts // len(self.local)

    @property
    def in_one_process(self) -> bool:
        """Whether this process holds all parts."""
        return len(self.local) == self.num_parts

    @abstractmethod
    def fail(self, error: Exception) -> None:
        """Have what others wait for in their next call raise `PartError` there."""

    def tell(self, error: Exception) -> None:
        """`fail`, unless this error was told already where it came from."""
        if getattr(error, "told_by", None) != id(self):
            vars(error)["told_by"] = id(self)
            self.fail(error)

    def together(self) -> AbstractContextManager[None]:
        """Work that all processes do: if it fails in one, it fails in all, and nobody waits for the one.

        Raises
        ------
        PartError
            If it failed in another process.
        """
        return _ALONE if self.in_one_process else self._with_others()

    @contextmanager
    def _with_others(self) -> Iterator[None]:
        try:
            yield
            self.all_gather([None] * len(self.local))  # others may have failed since they were last heard of
        except PartError:
            raise
        except Exception as error:
            self.tell(error)
            raise


class BetweenProcesses(Exchange):
    """Between processes that hold one part each."""

    @abstractmethod
    def wait(self, is_done: Callable[[], bool]) -> bool:
        """Wait until something is so, or for as long as one part waits for another; whether it is so.

        Raises
        ------
        PartError
            If another process waits no longer.
        """

    @abstractmethod
    def stop(self, why: str) -> None:
        """Wait for others no longer, and raise `PartError`; they need not wait for this process, either."""


def failure_of(error: BaseException) -> str:
    """What others are told of an error: its kind and its message, if any. Python's own `MemoryError` has none."""
    return ": ".join(filter(None, (type(error).__name__, str(error))))


class InProcess(Exchange):
    """Between parts that are all in this process: nothing is copied."""

    def __init__(self, num_parts: int) -> None:
        self.num_parts, self.local = num_parts, range(num_parts)

    def _deliver(self, sent: list[list[Any]]) -> list[list[Any]]:
        return [list(column) for column in zip(*sent, strict=True)]

    def _gather(self, values: list[Any]) -> list[Any]:
        return values

    def fail(self, error: Exception) -> None:
        """There is nobody else to tell."""
