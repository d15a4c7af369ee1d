"""Messages between parts on Dask workers, over Dask's own connections from worker to worker."""

from __future__ import annotations

import asyncio
import pickle
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from minigr.errors import PartError
from minigr.graphs.partitioned.exchange import BetweenProcesses, failure_of
from minigr.locks import free_in_children

HANDLER = "minigr_deliver"
"""The operation of a worker that receives messages of other parts."""
_REST = 1e-4  # seconds between two checks for what a part waits for
_ENDED = 100  # ended runs that are remembered, so that late letters for them aren't kept

Letter = tuple[str | None, Any]
"""The message of another part: the reason of its failure or None, and the content."""


@dataclass
class Mail:
    """The letters that arrived for this process's part and were not taken yet."""

    _letters: dict[tuple[str, int, int], Letter] = field(default_factory=dict)
    _lost: dict[str, str] = field(default_factory=dict)  # the reason why a run must end
    _ended: deque[str] = field(default_factory=lambda: deque(maxlen=_ENDED))
    _news: threading.Condition = field(default_factory=lambda: threading.Condition(free_in_children(threading.Lock())))

    def put(self, run: str, number: int, source: int, letter: Letter) -> None:
        """Keep a letter until a part takes it, unless the run of the letter has ended."""
        with self._news:
            if run not in self._ended:
                self._letters[run, number, source] = letter
                self._news.notify_all()

    def give_up(self, run: str, why: str) -> None:
        """Stop all waits for letters of a run."""
        with self._news:
            if run not in self._ended:
                self._lost[run] = why
                self._news.notify_all()

    def take(self, run: str, number: int, source: int, until: float) -> Letter | None:
        """Take a letter. Wait for it until a time of `time.monotonic`; return None if it didn't arrive.

        Raises
        ------
        PartError
            If the run was given up.
        """
        key = run, number, source
        with self._news:
            while key not in self._letters:
                if run in self._lost:
                    raise PartError(self._lost[run])
                if not self._news.wait(until - time.monotonic()) and key not in self._letters:
                    return None
            return self._letters.pop(key)

    def given_up(self, run: str) -> str | None:
        """The reason why a run must end, if it must."""
        with self._news:
            return self._lost.get(run)

    def end(self, run: str) -> None:
        """Drop the remaining letters of a run."""
        with self._news:
            self._ended.append(run)
            self._lost.pop(run, None)
            for key in [key for key in self._letters if key[0] == run]:
                del self._letters[key]


MAIL = Mail()
"""The mail of this process."""


async def deliver(run: str, number: int, source: int, content: Any) -> None:
    """Receive a letter of another worker. Dask calls this function."""
    MAIL.put(run, number, source, pickle.loads(content))


class ByWorkers(BetweenProcesses):
    """Exchange between processes that are workers of a Dask cluster, with one part each.

    Parameters
    ----------
    addresses : list of str
        The worker of each part.
    index : int
        The part of this process.
    seconds : float
        How long to wait for another part.
    """

    def __init__(self, addresses: list[str], index: int, seconds: float) -> None:
        self.num_parts, self.local = len(addresses), (index,)
        self._addresses, self._seconds = addresses, seconds
        self._run, self._number = "", 0  # of the current call, and the number of exchanges in it

    def begin(self, run: str) -> None:
        """Begin a call. The call has the same name in all parts."""
        self._run, self._number = run, 0

    def end(self) -> None:
        """Forget the messages of other parts in this call."""
        MAIL.end(self._run)

    def _deliver(self, sent: list[list[Any]]) -> list[list[Any]]:
        (own,) = sent
        self._send([(None, message) for message in own])
        until, found = time.monotonic() + self._seconds, []
        for part in range(self.num_parts):
            letter = MAIL.take(self._run, self._number, part, until)
            if letter is None:
                raise PartError(f"{self._name(part)} has not answered for {self._seconds:g} s")
            failure, message = letter
            if failure is not None:
                raise PartError(f"part {part} of {self.num_parts} failed: {failure}")
            found.append(message)
        self._number += 1
        return [found]

    def fail(self, error: Exception) -> None:
        self._send([(failure_of(error), None)] * self.num_parts)
        self._number += 1

    def wait(self, is_done: Callable[[], bool]) -> bool:
        until = time.monotonic() + self._seconds
        while not is_done():
            if (why := MAIL.given_up(self._run)) is not None:
                raise PartError(why)
            if time.monotonic() > until:
                return False
            time.sleep(_REST)
        return True

    def stop(self, why: str) -> None:
        raise PartError(why)  # the client gets the error, and the other parts wait for a limited time

    def _name(self, part: int) -> str:
        return f"part {part} of {self.num_parts} at {self._addresses[part]}"

    def _send(self, letters: list[Letter]) -> None:
        """Send a letter to each part, and wait until all parts have received it."""
        from distributed import get_worker
        from distributed.protocol import to_serialize
        from distributed.utils import sync

        worker, own = get_worker(), self.local[0]

        async def send(part: int, letter: Letter) -> None:
            if part == own:
                MAIL.put(self._run, self._number, own, letter)
                return
            content = to_serialize(pickle.dumps(letter, protocol=5))  # sent in frames, of any length
            call = getattr(worker.rpc(self._addresses[part]), HANDLER)
            try:
                await asyncio.wait_for(
                    call(run=self._run, number=self._number, source=own, content=content), self._seconds
                )
            except (OSError, TimeoutError, asyncio.TimeoutError) as error:
                raise PartError(f"{self._name(part)} can't be reached: {failure_of(error)}") from None

        async def send_all() -> None:
            await asyncio.gather(*(send(part, letter) for part, letter in enumerate(letters)))

        sync(worker.loop, send_all)
