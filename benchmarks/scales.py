"""Common code of scripts over R-MAT graphs of several scales: their arguments, and a limit of time."""

import argparse
import time
from pathlib import Path


def parser_of(description: str | None) -> argparse.ArgumentParser:
    """A parser of scales with their calls, a number of samples, a limit in seconds, and a file."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scales", nargs="+", metavar="SCALE[:CALL,...]")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--json", type=Path)
    return parser


def calls_of(scales: list[str], every: list[str]) -> list[tuple[int, list[str]]]:
    """The calls of each scale; all of `every` if a scale names no calls."""
    parts = [text.partition(":") for text in scales]
    return [(int(scale), names.split(",") if names else every) for scale, _, names in parts]


class Clock:
    """Counts seconds from its creation, against a limit."""

    def __init__(self, limit: float) -> None:
        self._begun, self._limit = time.perf_counter(), limit

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self._begun

    def is_over(self, what: str) -> bool:
        """Whether no time is left; if so, prints that `what` is left out."""
        over = self.seconds > self._limit
        if over:
            print(f"{what}: left out, for lack of time", flush=True)
        return over
