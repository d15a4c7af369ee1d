"""How parts talk to each other: the one place that knows whether they are in one process.

Each process holds some of the parts, and goes through them one after the other. Whatever travels goes by the two
methods of an exchange, which all processes call in the same order.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from minigr.errors import PartError


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

    @abstractmethod
    def all_to_all(self, sent: list[list[Any]]) -> list[list[Any]]:
        """Deliver ``sent[i][q]``, from the local part i to part q; what came from part q to i is ``received[i][q]``."""

    @abstractmethod
    def all_gather(self, values: list[Any]) -> list[Any]:
        """What all parts have, in their order, from one value for each local part."""

    def of_processes(self, value: Any) -> list[Any]:
        """What each process has of a value that this process has once, however many parts it holds."""
        own = [(value,), *[None] * (len(self.local) - 1)]
        return [each[0] for each in self.all_gather(own) if each is not None]

    @property
    def process(self) -> tuple[int, int]:
        """The number of this process among those that hold parts, and how many these are."""
        return self.local[0] // len(self.local), self.num_parts // len(self.local)

    @abstractmethod
    def fail(self, error: Exception) -> None:
        """Have what others wait for in their next call raise `PartError` there."""

    def tell(self, error: Exception) -> None:
        """`fail`, unless this error was told already where it came from."""
        if getattr(error, "told_by", None) != id(self):
            error.told_by = id(self)  # type: ignore[attr-defined]  # any exception takes attributes
            self.fail(error)

    @contextmanager
    def together(self) -> Iterator[None]:
        """Work that all processes do: if it fails in one, it fails in all, and nobody waits for the one.

        Raises
        ------
        PartError
            If it failed in another process.
        """
        try:
            yield
            self.all_gather([None] * len(self.local))  # others may have failed since they were last heard of
        except PartError:
            raise
        except Exception as error:
            self.tell(error)
            raise


class InProcess(Exchange):
    """Between parts that are all in this process: nothing is copied."""

    def __init__(self, num_parts: int) -> None:
        self.num_parts, self.local = num_parts, range(num_parts)

    def all_to_all(self, sent: list[list[Any]]) -> list[list[Any]]:
        return [list(column) for column in zip(*sent, strict=True)]

    def all_gather(self, values: list[Any]) -> list[Any]:
        return values

    def fail(self, error: Exception) -> None:
        """There is nobody else to tell."""
