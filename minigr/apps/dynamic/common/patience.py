"""Which batches are not tried to be repaired, after repairs of others had to be given up."""

from __future__ import annotations

from dataclasses import dataclass

_UNIT = 32  # what a computation of the answer counts for, so a repair in vain is paid for by as many computations
_MOST = 4 * _UNIT  # what repairs that succeed may save up
_CHEAP = 1 / 2  # of what a repair may look at: one that looked at no more saved as much as half a computation


@dataclass
class Patience:
    """Keeps account of repairs for batches of one kind: insertions, or deletions.

    A repair that is given up was in vain, and cost about as much as a computation of the answer, or less. Repairs in
    vain are paid for by repairs that were cheap, and by a 32nd of each computation. A batch is tried if there is enough
    to pay for it, or if it is at most half as large as all that were given up. So a stream of batches takes hardly
    longer than computations would, however far its batches reach.
    """

    least: float = float("inf")  # work of the smallest batch that was given up since a repair succeeded
    credit: int = _UNIT  # what there is to pay with

    def is_tried(self, work: float) -> bool:
        """Whether a batch that begins with so much work is to be repaired; to be asked once for each batch."""
        if 2 * work <= self.least or self.credit >= _UNIT:
            return True
        self.credit += 1
        return False

    def note(self, work: float, share: float | None) -> None:
        """A batch was tried. `share`: of what it may look at, how much it looked at; None if it was given up."""
        if share is None:
            self.least, self.credit = min(self.least, work), max(self.credit - _UNIT, 0)
            return
        if work >= self.least:
            self.least = float("inf")
        if share <= _CHEAP:
            self.credit = min(self.credit + _UNIT // 2, _MOST)
