"""How an insertion fills slabs, for an estimate. `kernels_outline` allocates the memory for it.

All edges of a batch are assumed to be new. The keys of a vertex with several buckets are spread among the buckets by
chance, so the number of keys in a bucket is assumed to have a normal distribution.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from minigr.graphs.dynamic.layout import GROWTH, KEYS, buckets_for

_MOST_SLABS = 16  # of a chain; longer chains are not expected


@dataclass
class Growing:
    """The vertices that get arcs from a batch.

    Attributes
    ----------
    buckets : float64[k]
    held : float64[k]
        The number of arcs of each vertex.
    coming : float64[k]
        The number of arcs that are still to be inserted.
    at_once : bool
        Whether the arcs of all vertices are inserted at the same time, as on a GPU, so that the first new slabs go to
        the vertices whose chains are full first. On a CPU the first new slabs go to the vertices of some parts, at
        random.
    slabs : float64[k] or None
        The number of slabs of each vertex; None before the first pass.
    long : float64[k]
        How many of the coming arcs the last pass left because chains would become too long.
    is_long : float64[k]
        The probability that there are such arcs.
    """

    buckets: Any
    held: Any
    coming: Any
    at_once: bool
    slabs: Any = None
    long: Any = None
    is_long: Any = None

    def insert(self, limit: int, available: int) -> tuple[float, float, float]:
        """Fill chains of at most `limit` slabs, with at most `available` new slabs.

        Returns
        -------
        tuple of float
            How many slabs are requested, how many arcs are left because no slab is available, and how many are left
            because chains would become too long.
        """
        after, fitting = self.held + self.coming, self.long
        if self.slabs is None:
            self.slabs = slabs_of(self.held, self.buckets, limit)
            fitting = np.clip(self.slabs * KEYS - self.held, 0, self.coming)
        beyond = np.minimum(_beyond(after, self.buckets, limit), self.coming - fitting)
        new = np.maximum(slabs_of(after, self.buckets, limit) - self.slabs, 0)
        asked = float(new.sum())
        # The first arc that finds no place requests a slab, and arcs come in any order. So of two vertices with full
        # chains, the vertex with more arcs requests a slab first.
        when = (fitting + 1) / (self.coming + 1) if self.at_once else np.zeros(len(new))
        had = _served(new, when, available)
        left = (self.coming - fitting) * (1 - had)  # a chain that gets no slab does not become too long
        self.long, self.is_long = beyond * had, np.minimum(beyond, 1) * had
        self.coming = left + self.long
        self.held, self.slabs = after - self.coming, self.slabs + new * had
        return asked, float(left.sum()), float(self.long.sum())

    def widen(self, load_factor: float) -> tuple[int, int, int, int, int]:
        """Give vertices with long chains more buckets.

        Returns
        -------
        tuple of int
            How many vertices are moved, how many base slabs, slabs and arcs they have, and how many base slabs they
            get.
        """
        sizes = self.held + self.long / np.maximum(self.is_long, 1e-9)
        ideal = buckets_for(np, sizes, load_factor).astype(np.float64)
        chance = np.where(ideal >= GROWTH * self.buckets, self.is_long, 0.0)

        def expected(each: Any) -> int:
            return round(float((chance * each).sum()))

        moved = expected(1), expected(self.buckets), expected(self.slabs), expected(self.held), expected(ideal)
        self.slabs = self.slabs + chance * (ideal - self.slabs)
        self.buckets = np.where(chance > 0.5, ideal, self.buckets)
        return moved


def _served(asked: Any, when: Any, available: int) -> Any:
    """float64: the share of requested slabs that each vertex gets; equal for all vertices that request at one time."""
    times, which = np.unique(when, return_inverse=True)
    together = np.bincount(which, asked, len(times))
    before = np.cumsum(together) - together
    return np.clip((available - before) / np.maximum(together, 1e-9), 0, 1)[which]


def slabs_of(keys: Any, buckets: Any, limit: int) -> Any:
    """float64: the number of slabs in the chains of vertices with these numbers of keys; at most `limit` per chain."""
    alone = np.clip(np.ceil(keys / KEYS), 1, limit)
    found, mean = np.ones(len(keys)), keys / buckets
    for full in range(1, min(limit, _MOST_SLABS)):
        found += _chance(mean, _deviation(mean, buckets), full * KEYS)
    return np.where(buckets == 1, alone, buckets * found)


def _beyond(keys: Any, buckets: Any, limit: int) -> Any:
    """float64: how many keys of each vertex don't fit into chains of `limit` slabs."""
    mean, room = keys / buckets, float(limit * KEYS)
    deviation = _deviation(mean, buckets)
    far = (room + 0.5 - mean) / deviation
    density = np.exp(-np.minimum(far * far, 1400) / 2) / np.sqrt(2 * np.pi)
    excess = np.maximum(deviation * (density - far * (1 - _normal(far))), 0)
    return np.where(buckets == 1, np.maximum(keys - room, 0), np.where(far > 6, 0, buckets * excess))


def _chance(mean: Any, deviation: Any, room: float) -> Any:
    """The probability that a bucket gets more than `room` keys."""
    return 1 - _normal((room + 0.5 - mean) / deviation)


def _deviation(mean: Any, buckets: Any) -> Any:
    return np.sqrt(np.maximum(mean * (1 - 1 / buckets), 1e-12))


def _normal(x: Any) -> Any:
    """The distribution function of the normal distribution, within 2e-4."""
    x = np.clip(x, -8, 8)
    return 1 / (1 + np.exp(-1.5976 * x - 0.07056 * x**3))
