"""The exchange between parts in processes that MPI started: in rounds, each with a time limit."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

from minigr.errors import GraphError, PartError
from minigr.graphs.partitioned.exchange import BetweenProcesses, failure_of
from minigr.graphs.partitioned.on_gpus import check_device
from minigr.graphs.partitioned.post import Letter, PostOffice, post_office

_PATIENCE = 200  # how often a process looks for letters before it sleeps in between, so that others can use its core
_LONGEST_REST = 1e-3  # seconds


@dataclass(frozen=True)
class Mpi:
    """One part of a graph in each process that MPI started; a value of `devices` for functions that make such graphs.

    ``"mpi"`` is short for ``Mpi()``.

    Parameters
    ----------
    time_limit : float
        Number of seconds that a part waits for another part before it raises `PartError`.
    device : {"cpu", "cuda"}
        The device of each part: the cores of its process, or a GPU. The processes of one machine take its GPUs in turn.
        Arrays go from GPU to GPU by NCCL if each process has a GPU of its own, and otherwise through the host.

    Raises
    ------
    GraphError
        If the time limit is not above 0.
    DeviceError
        If `device` is neither ``"cpu"`` nor ``"cuda"``.

    Examples
    --------
    >>> graph = mg.read("edges/", devices=mg.distributed.Mpi(time_limit=60))  # doctest: +SKIP
    """

    time_limit: float = 600.0
    device: Literal["cpu", "cuda"] = "cpu"

    def __post_init__(self) -> None:
        check_device(self.device)
        if not self.time_limit > 0:
            raise GraphError(f"time_limit={self.time_limit!r}: give the seconds to wait for another part, above 0")


class Messages(BetweenProcesses):
    """The exchange between processes that MPI started, with one part each.

    In each round a part sends a letter to each other part, and waits for their letters. A process that fails sends the
    reason instead of the letters that the others expect, so that all processes are ready for the next round. A process
    that has waited for too long tells the others that it gives up. Then no process takes part in further rounds of this
    exchange.
    """

    def __init__(self, how: Mpi, office: PostOffice | None = None) -> None:
        self._office = post_office() if office is None else office
        self.num_parts, self.local = self._office.size, (self._office.rank,)
        self._how = how
        self._number, self._round = self._office.open(), 0
        self._over: str | None = None  # why there are no more rounds

    def __reduce__(self) -> Any:
        return type(self), (self._how,)  # a copy has its own rounds

    def _deliver(self, sent: list[list[Any]]) -> list[list[Any]]:
        (own,) = sent
        received = self._talk([(None, message) for message in own])
        for part, (failure, _) in enumerate(received):
            if failure is not None:
                raise PartError(f"{self._name(part)} failed: {failure}")
        return [[message for _, message in received]]

    def fail(self, error: Exception) -> None:
        with suppress(PartError, MemoryError):  # failures of others; they are told in any case
            self._talk([(failure_of(error), None)] * self.num_parts)

    def _name(self, part: int) -> str:
        return f"part {part} of {self.num_parts}"

    def _talk(self, letters: list[Letter]) -> list[Letter]:
        """Take part in one round. Returns the letters of all parts to this part.

        Raises
        ------
        PartError
            If a part does not answer, or has given up.
        """
        if self._over is not None:
            raise PartError(f"the parts have stopped talking, so make the graph again: {self._over}")
        own, number, office = self.local[0], self._round, self._office
        others = [part for part in range(self.num_parts) if part != own]
        office.send({part: letters[part] for part in others}, self._number, number)
        self._round += 1  # from here on, the round has begun for the others
        office.forget(self._number, number)
        found = {own: letters[own]}

        def is_done() -> bool:
            for part in others:
                if part not in found and (letter := office.take(self._number, number, part)) is not None:
                    found[part] = letter
            return len(found) == self.num_parts and not office.awaited(self._number, number)

        if not self.wait(is_done):
            failed = [part for part, (failure, _) in found.items() if failure is not None]
            silent = [part for part in others if part not in found] or office.awaited(self._number, number)
            why = f"{self._name(silent[0])} has not answered for {self._how.time_limit:g} s: "
            why += (
                "see whether its process works; if so, give it more time by devices=mg.distributed.Mpi(time_limit=...)"
            )
            if failed:
                why = f"{self._name(failed[0])} failed: {found[failed[0]][0]}; and {why}"
            self.stop(why)
        return [found[part] for part in range(self.num_parts)]

    def wait(self, is_done: Callable[[], bool]) -> bool:
        until, looks = time.monotonic() + self._how.time_limit, 0
        while True:
            self._office.look()
            if is_done():
                return True
            if (why := self._office.given_up(self._number)) is not None:
                self._end(why)
            if time.monotonic() > until:
                return False
            looks += 1
            if looks > _PATIENCE:
                time.sleep(min((looks - _PATIENCE) * 1e-5, _LONGEST_REST))

    def stop(self, why: str) -> None:
        self._office.give_up([part for part in range(self.num_parts) if part not in self.local], self._number, why)
        self._end(why)

    def _end(self, why: str) -> None:
        """End this exchange, so that there are no more rounds, and raise `PartError`."""
        self._over = why
        self._office.forget(self._number)
        raise PartError(why)
