"""What was made for the cache, and what was there."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from minigr.jit import cache

Entry = tuple[str, str]
"""Of the cache: its kind and key."""
PROGRAMS = ("cpu", "cuda")  # kinds of entries that a machine runs; others are linked to these


@dataclass
class Entries:
    """Programs in the cache that were made, and those that were asked for and there."""

    made: set[Entry] = field(default_factory=set)
    asked: set[Entry] = field(default_factory=set)

    def note(self, what: str, entry: Any) -> None:
        """Take note of what `minigr.jit.told` tells."""
        if what in ("made", "found") and entry[0] in PROGRAMS:
            self.asked.add(entry)
            if what == "made":
                self.made.add(entry)

    def add(self, other: Entries) -> None:
        """Take note of what another process did."""
        self.made |= other.made
        self.asked |= other.asked

    def sizes(self) -> dict[Entry, int]:
        """The bytes of those that are in the cache still."""
        held = {(kind, key): size for kind in PROGRAMS for key, size in (cache.sizes(kind) or {}).items()}
        return {entry: held[entry] for entry in self.asked if entry in held}
