"""The rule that skips repairs of batches after repairs of similar batches had to be given up."""

from __future__ import annotations

from dataclasses import dataclass

_UNIT = 32  # credit that a failed repair costs. A recomputation earns 1, so 32 recomputations pay for a failed repair
_MOST = 4 * _UNIT  # the most credit that successful repairs may save up
_CHEAP = 1 / 2  # of the allowed work: a repair that uses at most this share saves half of a computation


@dataclass
class Patience:
    """The account of repairs for batches of one kind: insertions or deletions.

    A repair that is given up is wasted, and costs about as much as a computation of the answer, or less. Wasted repairs
    are paid for by cheap repairs, and by 1/32 of each recomputation. A batch is tried if the credit is enough to pay
    for a wasted repair, or if its work is at most half of the least work that was given up. So a stream of batches
    takes hardly longer than recomputations would, even if all its batches reach far.
    """

    least: float = float("inf")  # the least work that was given up since a batch with at least as much work succeeded
    credit: int = _UNIT

    def is_tried(self, work: float) -> bool:
        """Whether to try the repair of a batch with this work. Must be called once for each batch."""
        if 2 * work <= self.least or self.credit >= _UNIT:
            return True
        self.credit += 1
        return False

    def note(self, work: float, share: float | None) -> None:
        """Record a repair. `share`: the share of the allowed work that it used; None if it was given up."""
        if share is None:
            self.least, self.credit = min(self.least, work), max(self.credit - _UNIT, 0)
            return
        if work >= self.least:
            self.least = float("inf")
        if share <= _CHEAP:
            self.credit = min(self.credit + _UNIT // 2, _MOST)
