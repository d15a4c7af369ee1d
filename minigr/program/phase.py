"""A phase of a CPU program: what all threads run up to a barrier, and what one of them does there."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Phase:
    """Lines of code between two barriers.

    Attributes
    ----------
    lines : list of str
        Run by all threads.
    complete : list of str
        Run at the barrier by the last thread to arrive.
    repeat : tuple, optional
        (control word, lines, completion): what follows as long as the word isn't 0, with a barrier each time.
    """

    lines: list[str]
    complete: list[str] = field(default_factory=list)
    repeat: tuple[str, list[str], list[str]] | None = None
