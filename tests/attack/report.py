"""The progress of an attack, and its faults."""

from __future__ import annotations

import sys
import time

_SECONDS = 5.0  # seconds between two lines of progress


class Report:
    """Counts trials and faults, and prints them.

    Attributes
    ----------
    trials, faults : int
    """

    def __init__(self, name: str, count: int) -> None:
        self.name, self.count = name, count
        self.trials = self.faults = 0
        self._told = time.monotonic()

    def tried(self, trials: int = 1) -> None:
        """Count trials, and print a line of progress from time to time."""
        self.trials += trials
        if time.monotonic() - self._told > _SECONDS:
            self._told = time.monotonic()
            print(
                f"{self.name}: {self.trials:,} of {self.count:,}, {self.faults:,} faults", file=sys.stderr, flush=True
            )

    def fault(self, what: str) -> None:
        """Count a fault, and print what happened and how to reproduce it."""
        self.faults += 1
        print(f"FAULT {self.name}: {what}", flush=True)

    def __str__(self) -> str:
        return f"{self.name}: {self.trials:,} trials, {self.faults:,} faults"
