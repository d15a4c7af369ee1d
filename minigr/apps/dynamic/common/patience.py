"""Which batches are not tried to be repaired, after repairs of others had to be given up."""

from __future__ import annotations

from dataclasses import dataclass

_LONGER, _LONGEST = 4, 64  # times as many batches go untried after each repair in turn that was given up; at most


@dataclass
class Patience:
    """Counts batches of one kind: insertions, or deletions.

    A repair that is given up was in vain. If it happens again and again, few batches are tried: so a stream of such
    batches costs little more than recomputations. A batch that is smaller than all that were given up is always tried.
    """

    least: float = float("inf")  # work of the smallest batch that was given up since a repair succeeded
    pause: int = 1  # batches that go untried after the next repair that is given up
    left: int = 0  # of the current pause

    def is_tried(self, work: int) -> bool:
        """Whether a batch that begins with so much work is to be repaired; to be asked once for each batch."""
        if work < self.least or self.left == 0:
            return True
        self.left -= 1
        return False

    def note(self, work: int, repaired: bool) -> None:
        """A batch was tried; `repaired`: it was not given up."""
        if not repaired:
            self.least, self.left = min(self.least, work), self.pause
            self.pause = min(_LONGER * self.pause, _LONGEST)
        elif work >= self.least:
            self.least, self.pause = float("inf"), 1
