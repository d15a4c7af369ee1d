"""The rules that say which part owns which vertices: ranges with equal work, or a hash of the ids.

Both are rules, not tables, so every part knows the owner of every vertex without memory for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from minigr.device import CPU, Device

Rule = Literal["auto", "ranges", "hash"]
RULES: tuple[str, ...] = get_args(Rule)
_SKEWED = 64  # times the mean degree; if a vertex has a higher degree, few vertices have many of the edges
_ODD = np.uint32(0x9E3779B1)  # Knuth's multiplier spreads consecutive ids over all parts


@dataclass(frozen=True)
class Ranges:
    """Part p owns the vertices from ``bounds[p]`` up to, not including, ``bounds[p + 1]``."""

    bounds: Any  # int64[parts + 1]
    device: Device = CPU

    name = "ranges"

    @property
    def num_vertices(self) -> int:
        """The number of vertices of all parts."""
        return int(self.bounds[-1])

    @property
    def first_vertices(self) -> Any:
        """int64: the beginnings of the ranges, for `deal_cpu.owner_of`."""
        return self.bounds

    def on(self, device: Device) -> Ranges:
        """The same rule, for arrays on `device`."""
        return Ranges(device.asarray(self.bounds), device)

    def owners(self, ids: Any) -> Any:
        """The part that owns each of these vertices."""
        return self.device.xp.searchsorted(self.bounds[1:-1], ids, side="right")

    def owned(self, part: int) -> Any:
        """int32: the vertices of a part, in ascending order."""
        return self.device.xp.arange(int(self.bounds[part]), int(self.bounds[part + 1]), dtype=np.int32)

    def grown(self, num_vertices: int) -> Ranges:
        """The rule for `num_vertices` vertices. The last part gets the new vertices."""
        bounds = self.bounds.copy()
        bounds[-1] = num_vertices
        return Ranges(bounds, self.device)


@dataclass(frozen=True)
class Hashed:
    """A hash of its id says which part owns a vertex."""

    parts: int
    num_vertices: int
    device: Device = CPU

    name = "hash"

    @property
    def first_vertices(self) -> Any:
        """int64: empty, because there are no ranges."""
        return np.empty(0, np.int64)

    def on(self, device: Device) -> Hashed:
        """The same rule, for arrays on `device`."""
        return Hashed(self.parts, self.num_vertices, device)

    def owners(self, ids: Any) -> Any:
        """The part that owns each of these vertices."""
        return ((ids.astype(np.uint32) * _ODD) >> np.uint32(8)) % np.uint32(self.parts)

    def owned(self, part: int) -> Any:
        """int32: the vertices of a part, in ascending order."""
        ids = self.device.xp.arange(self.num_vertices, dtype=np.int32)
        return ids[self.owners(ids) == part]

    def grown(self, num_vertices: int) -> Hashed:
        """The rule for `num_vertices` vertices."""
        return Hashed(self.parts, num_vertices, self.device)


def deal_of(rule: Rule, degrees: Any, parts: int) -> Ranges | Hashed:
    """Make the rule for a graph whose vertices have these degrees: by `rule`, or by the structure of the graph.

    In a graph with hubs, the neighbors of a vertex are spread over the whole graph with every rule, and with ranges a
    search would stay in one range for a while. So the vertices are hashed. In other graphs, neighbors usually have
    nearby ids.
    """
    n = len(degrees)
    if rule == "hash" or (rule == "auto" and n and degrees.max() * n > _SKEWED * max(degrees.sum(), 1)):
        return Hashed(parts, n)
    work = np.concatenate(([0], np.cumsum(degrees + 1)))  # a vertex without arcs also takes some work
    bounds = np.searchsorted(work, work[-1] * np.arange(parts + 1) // parts)
    bounds[0], bounds[-1] = 0, n
    return Ranges(bounds.astype(np.int64))
