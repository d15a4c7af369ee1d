"""Vertices numbered by rank among the ids of edges, which are read in parts and never all in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from minigr.errors import GraphError
from minigr.io.build import Unusual
from minigr.io.contents import Edges, Parts, as_labels
from minigr.io.sizes import require_room

ALWAYS, SPREAD = 1 << 20, 2
"""A table for ids may have `ALWAYS` entries, or `SPREAD` entries per edge or id."""


def ranked(parts: Parts, of_all: Callable[[Any], list[Any]] | None = None) -> Parts:
    """The same edges with ranks in place of ids. The ids are found in an additional pass.

    Parameters
    ----------
    parts : Parts
    of_all : function, optional
        If other processes have edges of the same graph: returns the ids of all processes, given the ids of these edges.

    Raises
    ------
    Unusual
        If an id is invalid. The error is then reported for all edges as a whole.
    """
    ids = _ids_of(parts)
    if of_all is not None:
        ids = np.unique(np.concatenate(of_all(ids)))
    rank = _Ranks(ids)

    def renumbered() -> Iterator[Edges]:
        for part in parts.read():
            yield replace(part, src=rank(part.src), dst=rank(part.dst))

    return replace(parts, read=renumbered, num_vertices=len(ids))


def _ids_of(parts: Parts) -> Any:
    """The ids at the ends of edges, sorted, int64. Ids that are small compared with the edges are marked in a table."""
    seen: Any = np.zeros(0, np.bool_)
    ids, waiting, count, edges = np.empty(0, np.int64), [], 0, 0
    for part in parts.read():
        edges += len(part.src)
        for end, name in ((part.src, "src"), (part.dst, "dst")):
            try:
                labels = as_labels(end, name)
            except GraphError:
                raise Unusual from None
            largest = int(labels.max(initial=-1))
            if seen is not None and largest < max(ALWAYS, SPREAD * edges):
                if largest >= len(seen):
                    seen = np.concatenate([seen, np.zeros(max(largest + 1 - len(seen), len(seen)), np.bool_)])
                seen[labels] = True
                continue
            if seen is not None:
                ids, seen = np.flatnonzero(seen), None
            waiting.append(np.unique(labels))
            count += len(waiting[-1])
        if count > len(ids):  # so that each id is sorted only a few times
            require_room(parts.paths[0], 16 * (len(ids) + count), f"the ids of {len(ids):,} vertices or more")
            ids, waiting, count = np.unique(np.concatenate([ids, *waiting])), [], 0
    return np.flatnonzero(seen) if seen is not None else np.unique(np.concatenate([ids, *waiting]))


class _Ranks:
    """A callable that returns the ranks of ids, as int32."""

    def __init__(self, ids: Any) -> None:
        self._ids, self._table = ids, None
        if len(ids) and ids[-1] < SPREAD * len(ids):
            self._table = np.empty(int(ids[-1]) + 1, np.int32)
            self._table[ids] = np.arange(len(ids), dtype=np.int32)

    def __call__(self, ids: Any) -> Any:
        return np.searchsorted(self._ids, ids).astype(np.int32) if self._table is None else self._table[ids]
