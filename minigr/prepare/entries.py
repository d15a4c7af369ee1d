"""The cache entries that were made, and the entries that were requested."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from minigr.jit import cache

Entry = tuple[str, str]
"""The kind and key of a cache entry."""
PROGRAMS = ("cpu", "cuda")  # kinds of entries that a machine runs; entries of other kinds are linked into these


@dataclass
class Entries:
    """The programs that were added to the cache, and all programs that were requested."""

    made: set[Entry] = field(default_factory=set)
    asked: set[Entry] = field(default_factory=set)

    def note(self, what: str, entry: Any) -> None:
        """Note an event of `minigr.jit.told`."""
        if what in ("made", "found") and entry[0] in PROGRAMS:
            self.asked.add(entry)
            if what == "made":
                self.made.add(entry)

    def add(self, other: Entries) -> None:
        """Add the entries of another process."""
        self.made |= other.made
        self.asked |= other.asked

    def sizes(self) -> dict[Entry, int]:
        """The bytes of the entries that are still in the cache."""
        held = {(kind, key): size for kind in PROGRAMS for key, size in (cache.sizes(kind) or {}).items()}
        return {entry: held[entry] for entry in self.asked if entry in held}
