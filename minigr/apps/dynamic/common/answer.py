"""What an answer that follows a graph says of itself."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from minigr.apps.dynamic.common.changes import Changes


class Answer(ABC):
    """An answer for a graph: how it is computed and repaired, and how much work that is."""

    graph: Any
    # The share of the graph that a repair of an insertion, and of a deletion, may look at: what is looked at for longer
    # than a recomputation takes. The comments at these shares say where they were measured.
    _insertion_share = 1 / 8
    _deletion_share = 1 / 8
    _reads_weights = False  # whether weights make a difference
    _needs_new = False  # whether it asks which edges of an insertion are new
    # Whether listing the edges since the graph's mark takes less time than computing the answer. For most answers it
    # doesn't, because setting a mark and listing the edges are a pass over all slabs each.
    _follows_mark = False
    _postponed = 0  # vertices that insertions left for the next deletion to look at, each about as long as at an edge

    @abstractmethod
    def _compute(self) -> None:
        """Compute the answer for the graph as it is."""

    @abstractmethod
    def _repair(self, changes: Changes, most: float) -> int | None:
        """Bring the answer up to date and say how many vertices were touched.

        None, with the answer in any state, if the repair would look at more than `most`, which counts what `_extent`
        does.
        """

    def _why_poor(self) -> str | None:
        """Why the answer that was repaired, though right, should be computed again; None if it is good enough."""
        return None

    def _extent(self) -> int:
        """How much of the graph there is to look at: its vertices."""
        return int(self.graph.num_live_vertices)

    def _work(self, changes: Changes) -> float:
        """How much a batch gives a repair to begin with: batches that begin with as much are taken to be alike."""
        return changes.size + self._postponed if changes.deleted else changes.size

    def _least(self, deleted: bool) -> float:
        """What a repair takes however little it looks at, beyond what a computation takes so, counted as `_extent`."""
        return 0.0

    def _share(self, touched: int, most: float) -> float:
        """Of what the last repair might look at, how much it looked at."""
        return touched / max(most, 1)

    def _check_batch(self, weights: Any) -> None:
        """Raise `GraphError` if the answer could not follow a batch with these weights; called before each batch."""
        return

    def _before_deletion(self, src: Any, dst: Any) -> None:
        """Look at the edges of a batch before the graph loses them. Some of the edges may not be there."""
        return
