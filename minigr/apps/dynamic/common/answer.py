"""The methods and constants that describe an answer that follows a graph."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from minigr.apps.dynamic.common.changes import Changes


class Answer(ABC):
    """An answer for a graph: how it is computed and repaired, and how much work a repair takes."""

    graph: Any
    # The share of the graph that a repair of an insertion, or of a deletion, may look at. A repair that looks at more
    # takes longer than a recomputation. Comments at the shares of subclasses say where they were measured.
    _insertion_share = 1 / 8
    _deletion_share = 1 / 8
    _reads_weights = False  # whether the answer depends on weights
    _needs_new = False  # whether a repair needs to know which edges of an insertion are new
    # Whether listing the edges since the graph's mark takes less time than computing the answer. For most answers it
    # takes more, because setting a mark and listing the edges each pass over all slabs.
    _follows_mark = False
    _postponed = 0  # vertices that insertions left to the next deletion; each takes about as long as an edge

    @abstractmethod
    def _compute(self) -> None:
        """Compute the answer for the current graph."""

    @abstractmethod
    def _repair(self, changes: Changes, most: float) -> int | None:
        """Bring the answer up to date and return the number of touched vertices.

        Return None if the repair would look at more than `most`, which is in the unit of `_extent`. The answer is then
        in an undefined state.
        """

    def _why_poor(self) -> str | None:
        """Why a repaired answer is poor and should be recomputed, although it is correct; None if it is good."""
        return None

    def _extent(self) -> int:
        """The size of the graph in the unit that repairs count: by default, its number of vertices."""
        return int(self.graph.num_live_vertices)

    def _work(self, changes: Changes) -> float:
        """An estimate of the work of a batch before its repair; batches with equal estimates are treated alike."""
        return changes.size + self._postponed if changes.deleted else changes.size

    def _least(self, deleted: bool) -> float:
        """The fixed cost of a repair minus the fixed cost of a computation, in the unit of `_extent`."""
        return 0.0

    def _share(self, touched: int, most: float) -> float:
        """How much the last repair looked at, as a share of what it was allowed to look at."""
        return touched / max(most, 1)

    def _check_batch(self, weights: Any) -> None:
        """Raise `GraphError` if the answer could not follow a batch with these weights; called before each batch."""
        return

    def _before_deletion(self, src: Any, dst: Any) -> None:
        """Examine the edges of a batch before the graph deletes them. Some of the edges may not exist."""
        return
