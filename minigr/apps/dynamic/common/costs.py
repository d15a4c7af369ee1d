"""What repairs and recomputations of an answer have taken so far, and which to choose by that: recompute="measured"."""

from __future__ import annotations

from dataclasses import dataclass, field

_NEW = 0.25  # share of the newest time in a running mean
_TRIAL, _TRIALS = 0.1, 8  # of the first computation's time, and repairs: after these a recomputation is tried
_LONG = 10.0  # seconds: a computation that took longer did not take most of it to compile programs
_AGAIN = 16  # recomputations after which a repair is tried again; twice as many each time that it was slower


@dataclass
class _Mean:
    """A running mean of times."""

    seconds: float | None = None

    def note(self, seconds: float) -> None:
        self.seconds = seconds if self.seconds is None else self.seconds + _NEW * (seconds - self.seconds)


@dataclass
class _Line:
    """Running estimate of times by the sizes of what took them: a line through their means, the newest heaviest.

    The line neither falls nor begins below zero. While only one size is known it begins there, so that of batches that
    are far larger too little is not thought, and those that are far smaller are given a try.
    """

    time: _Mean = field(default_factory=_Mean)
    size: float = 0.0  # their mean
    variance: float = 0.0  # of the sizes
    covariance: float = 0.0  # of times and sizes

    def note(self, seconds: float, size: int) -> None:
        """Another time, and what it was taken by."""
        mean = self.time.seconds
        if mean is None:
            self.size = size
        else:
            apart = size - self.size
            self.variance = (1 - _NEW) * (self.variance + _NEW * apart * apart)
            self.covariance = (1 - _NEW) * (self.covariance + _NEW * apart * (seconds - mean))
            self.size += _NEW * apart
        self.time.note(seconds)

    def at(self, size: int) -> float | None:
        """Seconds for this size; None where nothing is known."""
        mean = self.time.seconds
        if mean is None:
            return None
        steepest = mean / max(self.size, 1.0)
        slope = min(max(self.covariance / self.variance, 0.0), steepest) if self.variance > 0 else steepest
        return mean + slope * (size - self.size)


@dataclass
class Costs:
    """Running estimates for one answer.

    The first computation, the first repair of an insertion and the first of a deletion compile programs and make
    loops ready, so their times are left out. Repairs of insertions and of deletions are told apart; `deleted` says
    which. Sizes are of batches, and of what batches before left to do.
    """

    first: float | None = None  # seconds of the first computation
    begun: set[bool] = field(default_factory=set)  # the kinds of which there was a repair
    spent: float = 0.0  # in repairs, while nothing is known of recomputations
    tried: int = 0  # repairs, while nothing is known of recomputations
    recomputation: _Mean = field(default_factory=_Mean)
    repairs: dict[bool, _Line] = field(default_factory=lambda: {False: _Line(), True: _Line()})
    close: int = 0  # repairs that were hardly quicker, since the last recomputation
    waited: dict[bool, int] = field(default_factory=lambda: {False: 0, True: 0})
    patience: dict[bool, int] = field(default_factory=lambda: {False: _AGAIN, True: _AGAIN})
    trying: dict[bool, bool] = field(default_factory=lambda: {False: False, True: False})  # again, after that

    def expected_repair(self, size: int, deleted: bool) -> float | None:
        """Seconds that a repair should take; None where that is not known."""
        return self.repairs[deleted].at(size)

    def expected_recomputation(self) -> float | None:
        """Seconds that computing the answer anew should take; None where that is not known."""
        return self.recomputation.seconds

    def why_recompute(self, size: int, deleted: bool) -> str | None:
        """Why to compute the answer anew rather than to repair it; None if there is no reason for that."""
        repair, anew = self.expected_repair(size, deleted), self.expected_recomputation()
        if repair is None:
            return None
        if anew is None:
            due = self.spent > _TRIAL * (self.first or 0.0) or self.tried >= _TRIALS
            return "to find out what that takes" if due else None
        if repair <= anew:
            self.patience[deleted] = _AGAIN
            self.close += repair > anew / 2
            if self.close < _AGAIN:
                return None
            self.close = 0
            return "to find out whether that still takes longer"
        self.waited[deleted] += 1
        if self.waited[deleted] > self.patience[deleted]:
            self.waited[deleted], self.patience[deleted] = 0, 2 * self.patience[deleted]
            self.trying[deleted] = True
            return None
        return f"a repair takes about {1e3 * repair:.2g} ms, and this {1e3 * anew:.2g} ms"

    def note_repair(self, seconds: float, size: int, deleted: bool) -> None:
        """A repair took so long, or trying one did.

        One that is tried again after a while counts for itself: what was known was not good enough, or is too old.
        """
        if deleted not in self.begun:
            self.begun.add(deleted)
            return
        if self.trying[deleted]:
            self.trying[deleted], self.repairs[deleted] = False, _Line()
        self.repairs[deleted].note(seconds, size)
        if self.recomputation.seconds is None:
            self.spent += seconds
            self.tried += 1

    def note_recomputation(self, seconds: float) -> None:
        """Computing the answer took so long."""
        if self.first is None:
            self.first = seconds
            if seconds < _LONG:
                return
        known = self.recomputation.seconds
        if known is not None and seconds < known / 2:  # the graph has become another: what was known holds no more
            self.recomputation = _Mean()
        self.recomputation.note(seconds)
        self.close = 0
