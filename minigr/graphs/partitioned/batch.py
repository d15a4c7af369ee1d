"""Batches dealt out: which part gets which of a process's arcs, and what parts answer put in order again."""

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
    """Arcs of this process by the parts that get them.

    Attributes
    ----------
    places : list of int arrays
        By part, which of the arcs it gets.
    pieces : list of Piece
        By part, these arcs, in the order of the batch.
    count : int
        All arcs.
    """

    places: list[Any]
    pieces: list[Piece]
    count: int

    @classmethod
    def of(cls, device: Device, deal: Ranges | Hashed, parts: int, arcs: Piece, inward: bool = False) -> Dealt:
        """Arcs, on `device`, dealt out to the owners of their sources, or with `inward` of their destinations."""
        src, dst, weights = arcs
        owners = deal.on(device).owners(dst if inward else src)
        places = [device.xp.flatnonzero(owners == part) for part in range(parts)]
        pieces = [(src[at], dst[at], None if weights is None else weights[at]) for at in places]
        return cls(places, pieces, len(src))

    def in_order(self, answers: list[Any]) -> Any:
        """One array of NumPy's of what the parts answered, by part, in the order of the arcs."""
        found = CPU.empty(self.count, answers[0].dtype)
        for at, values in zip(self.places, answers, strict=True):
            found[CPU.asarray(at)] = values
        return found


def check_batches(index: int, own: int, done: list[int]) -> None:
    """Raise `PartError` unless all parts have done as many batches as part `index`, which has done `own`."""
    for part, batches in enumerate(done):
        if batches != own:
            raise PartError(
                f"part {part} has done {batches} batches, and part {index} {own}: a process gave a batch up while "
                "others took it for done, so make the graph again"
            )


@dataclass(frozen=True)
class Letter:
    """What a process sends a part of a batch.

    Attributes
    ----------
    batches : int
        How many batches the sender has done.
    lots : list of Piece
    """

    batches: int
    lots: list[Piece]


@dataclass(frozen=True)
class Received:
    """What a part got of a batch, of all processes: those of one process behind those of the one before it.

    Attributes
    ----------
    lots : list of Piece
        For each direction, on the part's device.
    lengths : list of int
        How many arcs of the first lot each part has sent.
    """

    lots: list[Piece]
    lengths: list[int]

    @classmethod
    def of(cls, part: Part, letters: list[Letter | None], batches: int) -> Received:
        """Of letters by the parts that sent them; None where a part is in the process of another.

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
        """What is to be sent back to each part: its share of the answers to the first lot, as arrays of NumPy's."""
        answers, found, begin = CPU.asarray(answers), [], 0
        for length in self.lengths:
            found.append(answers[begin : begin + length])
            begin += length
        return found
