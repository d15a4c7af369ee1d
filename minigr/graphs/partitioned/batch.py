"""Dealing batches out to parts, and putting the answers of the parts in order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from minigr.device import CPU, Device
from minigr.errors import PartError
from minigr.graphs.partitioned.deal import Hashed, Ranges
from minigr.graphs.partitioned.part import Part, joined
from minigr.graphs.partitioned.share import Piece


@dataclass(frozen=True)
class Dealt:
    """The arcs of this process, by the parts that get them.

    Attributes
    ----------
    places : list of int arrays
        For each part, the indices of the arcs that it gets.
    pieces : list of Piece
        For each part, these arcs, in the order of the batch.
    count : int
        The number of all arcs.
    """

    places: list[Any]
    pieces: list[Piece]
    count: int

    @classmethod
    def of(cls, device: Device, deal: Ranges | Hashed, parts: int, arcs: Piece, inward: bool = False) -> Dealt:
        """Deal arcs on `device` out to the owners of their sources or, with `inward`, of their destinations."""
        src, dst, weights = arcs
        owners = deal.on(device).owners(dst if inward else src)
        places = [device.xp.flatnonzero(owners == part) for part in range(parts)]
        pieces = [(src[at], dst[at], None if weights is None else weights[at]) for at in places]
        return cls(places, pieces, len(src))

    def in_order(self, answers: list[Any]) -> Any:
        """Join the answers of the parts to one NumPy array, in the order of the arcs."""
        found = CPU.empty(self.count, answers[0].dtype)
        for at, values in zip(self.places, answers, strict=True):
            found[CPU.asarray(at)] = values
        return found


def check_batches(index: int, own: int, done: list[int]) -> None:
    """Raise `PartError` unless all parts have done `own` batches, as part `index` has."""
    for part, batches in enumerate(done):
        if batches != own:
            raise PartError(
                f"part {part} has done {batches} batches, but part {index} has done {own}: one process gave up a "
                "batch that another one finished, so make the graph again"
            )


@dataclass(frozen=True)
class Letter:
    """The message of a process to a part in a batch.

    Attributes
    ----------
    batches : int
        The number of batches that the sender has done.
    lots : list of Piece
    """

    batches: int
    lots: list[Piece]


@dataclass(frozen=True)
class Received:
    """The arcs of a batch that a part received from all processes, in the order of the processes.

    Attributes
    ----------
    lots : list of Piece
        For each direction, on the part's device.
    lengths : list of int
        The number of arcs of the first list that each part sent.
    """

    lots: list[Piece]
    lengths: list[int]

    @classmethod
    def of(cls, part: Part, letters: list[Letter | None], batches: int) -> Received:
        """Join the letters of all parts. A letter is None if the part is in the process of another part.

        Raises
        ------
        PartError
            If a sender has done more or fewer batches than `batches`.
        """
        check_batches(part.index, batches, [batches if letter is None else letter.batches for letter in letters])
        sent = [part.here(letter.lots) for letter in letters if letter is not None]
        lots = [joined(list(pieces), part.xp) for pieces in zip(*sent, strict=True)]
        return cls(lots, [0 if letter is None else len(letter.lots[0][0]) for letter in letters])

    def by_sender(self, answers: Any) -> list[Any]:
        """Split the answers to the first list by sender, as NumPy arrays to be sent back."""
        answers, found, begin = CPU.asarray(answers), [], 0
        for length in self.lengths:
            found.append(answers[begin : begin + length])
            begin += length
        return found
