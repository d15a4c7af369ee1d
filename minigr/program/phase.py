"""A phase of a CPU program: the code that all threads run up to a barrier, and the code that one thread runs there."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Phase:
    """Lines of code between two barriers.

    Attributes
    ----------
    lines : list of str
        Lines that all threads run.
    complete : list of str
        Lines that the last thread to arrive runs at the barrier.
    repeat : tuple, optional
        (control word, lines, completion): code that runs as long as the word isn't 0, each time with a barrier.
    """

    lines: list[str]
    complete: list[str] = field(default_factory=list)
    repeat: tuple[str, list[str], list[str]] | None = None
