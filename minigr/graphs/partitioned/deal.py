"""Which part owns which vertices: ranges with equal work, or vertices dealt out by a hash of their ids.

Either is a rule, not a table, so every part knows the owner of every vertex without memory for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from minigr.device import CPU, Device

Rule = Literal["auto", "ranges", "hash"]
RULES: tuple[str, ...] = get_args(Rule)
_SKEWED = 64  # times the mean degree: with such a vertex there is, few vertices have many of the edges
_ODD = np.uint32(0x9E3779B1)  # Knuth's multiplier: ids that follow each other go to all parts


@dataclass(frozen=True)
class Ranges:
    """Part p owns the vertices from ``bounds[p]`` up to, not including, ``bounds[p + 1]``."""

    bounds: Any  # int64[parts + 1]
    device: Device = CPU

    name = "ranges"

    @property
    def num_vertices(self) -> int:
        """Of all parts."""
        return int(self.bounds[-1])

    @property
    def first_vertices(self) -> Any:
        """int64: where ranges begin, as `deal_cpu.owner_of` takes them."""
        return self.bounds

    def on(self, device: Device) -> Ranges:
        """The same deal, for arrays on `device`."""
        return Ranges(device.asarray(self.bounds), device)

    def owners(self, ids: Any) -> Any:
        """The part of each of these vertices."""
        return self.device.xp.searchsorted(self.bounds[1:-1], ids, side="right")

    def owned(self, part: int) -> Any:
        """int32, ascending: the vertices of a part."""
        return self.device.xp.arange(int(self.bounds[part]), int(self.bounds[part + 1]), dtype=np.int32)

    def grown(self, num_vertices: int) -> Ranges:
        """The deal of so many vertices; the last part gets the new ones."""
        bounds = self.bounds.copy()
        bounds[-1] = num_vertices
        return Ranges(bounds, self.device)


@dataclass(frozen=True)
class Hashed:
    """A hash of its id says who owns a vertex, of so many parts and vertices."""

    parts: int
    num_vertices: int
    device: Device = CPU

    name = "hash"

    @property
    def first_vertices(self) -> Any:
        """int64: there are no ranges."""
        return np.empty(0, np.int64)

    def on(self, device: Device) -> Hashed:
        """The same deal, for arrays on `device`."""
        return Hashed(self.parts, self.num_vertices, device)

    def owners(self, ids: Any) -> Any:
        """The part of each of these vertices."""
        return ((ids.astype(np.uint32) * _ODD) >> np.uint32(8)) % np.uint32(self.parts)

    def owned(self, part: int) -> Any:
        """int32, ascending: the vertices of a part."""
        ids = self.device.xp.arange(self.num_vertices, dtype=np.int32)
        return ids[self.owners(ids) == part]

    def grown(self, num_vertices: int) -> Hashed:
        """The deal of so many vertices."""
        return Hashed(self.parts, num_vertices, self.device)


def deal_of(rule: Rule, degrees: Any, parts: int) -> Ranges | Hashed:
    """The deal for a graph whose vertices have so many arcs each: by `rule`, or by what the graph is like.

    On a graph with hubs, neighbors are all over the graph whatever the deal, and a search stays in one range for a
    while; so its vertices are hashed. On others most neighbors have ids near to each other, as a rule.
    """
    n = len(degrees)
    if rule == "hash" or (rule == "auto" and n and degrees.max() * n > _SKEWED * max(degrees.sum(), 1)):
        return Hashed(parts, n)
    work = np.concatenate(([0], np.cumsum(degrees + 1)))  # a vertex without arcs is some work, too
    bounds = np.searchsorted(work, work[-1] * np.arange(parts + 1) // parts)
    bounds[0], bounds[-1] = 0, n
    return Ranges(bounds.astype(np.int64))
