"""PostOffice: the letters that a process sends to others by MPI, and the letters that it has received. Never waits."""

from __future__ import annotations

import io
import itertools
import os
import pickle
import struct
from functools import cache
from typing import Any

import numpy as np

from minigr.errors import DeviceError, MissingExtraError

Letter = tuple[str | None, Any]
"""A message of a part: the reason why it failed, or None; and the data that it sends."""
_HEAD = struct.Struct("qq")  # the numbers of the exchange and of the round
_TAG = 0x6D67  # of letters, so that messages of the user are left alone
_GIVES_UP = -1  # used instead of the number of a round
_NEVER = 1 << 62  # a round that never comes
_STARTED = ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "WORLD_SIZE")
"""Variables that say how many processes were started: by Open MPI, by MPICH and its derivatives, by torchrun."""


class PostOffice:
    """The letters of all exchanges of a process.

    A letter is identified by its exchange, its round and its sender, so that a late letter is never taken for another
    one.

    Attributes
    ----------
    rank, size : int
        The number of this process, and the number of processes.
    """

    def __init__(self, mpi: Any) -> None:
        self._mpi, self._world = mpi, mpi.COMM_WORLD
        self.rank, self.size = int(self._world.rank), int(self._world.size)
        self._going: list[tuple[Any, Any, tuple[int, int, int]]] = []  # request, buffer, identifier
        self._found: list[tuple[Any, int, int]] = []  # message, length, sender; no buffer yet
        self._coming: list[tuple[Any, Any, int]] = []  # request, buffer, sender
        self._letters: dict[tuple[int, int, int], Any] = {}
        self._wanted: dict[int, int] = {}  # for each exchange, the first round whose letters are still wanted
        self._given_up: dict[int, str] = {}
        self._numbers = itertools.count()

    def open(self) -> int:
        """Open an exchange. Its number is the same in all processes, because all open exchanges in the same order."""
        return next(self._numbers)

    def send(self, letters: dict[int, Letter], exchange: int, number: int) -> None:
        """Send letters to other parts. If there is no memory for one of them, none is sent."""
        packed: dict[tuple[str | None, int], Any] = {}  # a message to several parts is packed once
        for failure, message in letters.values():
            if (key := (failure, id(message))) not in packed:
                buffer = io.BytesIO()
                buffer.write(_HEAD.pack(exchange, number))
                pickle.dump((failure, message), buffer, protocol=5)
                packed[key] = buffer.getbuffer()
        for part, (failure, message) in letters.items():
            content = packed[failure, id(message)]
            request = self._world.Isend([content, self._mpi.BYTE], part, _TAG)
            self._going.append((request, content, (exchange, number, part)))

    def look(self) -> None:
        """Check which letters have come, and which have been delivered.

        Raises
        ------
        MemoryError
            If there is no memory for a letter. The next call receives it.
        """
        self._going = [each for each in self._going if not each[0].Test()]
        status = self._mpi.Status()
        while (message := self._world.Improbe(self._mpi.ANY_SOURCE, _TAG, status)) is not None:
            self._found.append((message, status.Get_count(self._mpi.BYTE), status.Get_source()))
        while self._found:
            message, length, source = self._found[0]
            content = np.empty(length, np.uint8)
            self._coming.append((message.Irecv([content, self._mpi.BYTE]), content, source))
            del self._found[0]
        coming, self._coming = self._coming, []
        for request, content, source in coming:
            if request.Test():
                self._put(content, source)
            else:
                self._coming.append((request, content, source))

    def _put(self, content: Any, source: int) -> None:
        exchange, number = _HEAD.unpack_from(content)
        if number == _GIVES_UP:
            self._given_up.setdefault(exchange, pickle.loads(content[_HEAD.size :])[0])
        elif number >= self._wanted.get(exchange, 0):
            self._letters[exchange, number, source] = content

    def take(self, exchange: int, number: int, source: int) -> Letter | None:
        """A letter, or None if it has not come yet."""
        content = self._letters.pop((exchange, number, source), None)
        return None if content is None else pickle.loads(content[_HEAD.size :])

    def awaited(self, exchange: int, number: int) -> list[int]:
        """The parts to which a letter of this round is still on its way, and that have not gone on without it."""
        parts = [part for _, _, (of, when, part) in self._going if (of, when) == (exchange, number)]
        return [part for part in parts if not self._is_further(exchange, number, part)]

    def _is_further(self, exchange: int, number: int, part: int) -> bool:
        return any(of == exchange and when > number and source == part for of, when, source in self._letters)

    def give_up(self, parts: list[int], exchange: int, why: str) -> None:
        """Tell other parts that this process no longer waits."""
        self.send(dict.fromkeys(parts, (why, None)), exchange, _GIVES_UP)

    def given_up(self, exchange: int) -> str | None:
        """The reason why another part has given up an exchange, or None."""
        return self._given_up.get(exchange)

    def forget(self, exchange: int, before: int = _NEVER) -> None:
        """Drop the letters of an exchange from rounds before `before`, those that have come and those to come."""
        self._wanted[exchange] = before
        for key in [key for key in self._letters if key[0] == exchange and key[1] < before]:
            del self._letters[key]


@cache
def post_office() -> PostOffice:
    """The post office of this process.

    Raises
    ------
    MissingExtraError
        If mpi4py is not installed.
    DeviceError
        If several processes were started, but MPI does not know the others.
    """
    try:
        from mpi4py import MPI
    except ImportError as error:
        raise MissingExtraError("parts in processes of their own need MPI: pip install 'minigr[mpi]'") from error
    _check_all_are_known(int(MPI.COMM_WORLD.size))
    return PostOffice(MPI)


def _check_all_are_known(size: int) -> None:
    """Raise an error if there are several processes but MPI sees only one, because another MPI has started them."""
    for name in _STARTED if size == 1 else ():
        told = os.environ.get(name, "1")
        if told.isdecimal() and int(told) > 1:
            raise DeviceError(
                f"devices='mpi': {told} processes were started ({name}), but MPI sees only this one: start them with "
                f"the mpiexec of the MPI that mpi4py uses, mpiexec -n {told} python -m mpi4py PROGRAM, or unset {name}"
            )
