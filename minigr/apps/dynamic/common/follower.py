"""How an answer follows its graph: a batch is repaired into the answer, or the answer is computed again."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

from minigr.apps.dynamic.common.changes import Changes
from minigr.apps.dynamic.common.decision import Decision
from minigr.graphs.backend import scope


@dataclass(frozen=True)
class Update:
    """How an answer was last brought up to date.

    Attributes
    ----------
    kind : {"repair", "recomputation"}
    reason : str
        Why it was that.
    edges : int
        Edges that the batch inserted or deleted.
    touched : int
        Vertices whose part of the answer was computed again.
    seconds : float
        What the update took, without the update of the graph. Only ``recompute="measured"`` decides by it.
    """

    kind: str
    reason: str
    edges: int
    touched: int
    seconds: float


class Follower(ABC):
    """How the answers in `mg.dynamic` follow a batch, by what each of them says of itself.

    `Maintained` tells users about it.
    """

    _last: Update
    # The share of the graph that a repair of an insertion, and of a deletion, may look at: what is looked at for longer
    # than a recomputation takes. The comments at these shares say where they were measured.
    _insertion_share = 1 / 8
    _deletion_share = 1 / 8
    _reads_weights = False  # whether weights make a difference
    _needs_new = False  # whether it asks which edges of an insertion are new
    _postponed = 0  # vertices that insertions left for the next deletion to look at, each about as long as at an edge

    def __init__(self, graph: Any, decision: Decision) -> None:
        self.graph, self._decision = graph, decision
        self._version = -1  # of the graph that the answer is for
        self._reason: str | None = None  # why the coming deletion is not repaired
        self._prepared = 0.0  # seconds that were spent before the graph took a batch
        self._begin_anew("the first answer")

    # --- what an answer must have ------------------------------------------------------------------------------------

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

    @abstractmethod
    def _check_batch(self, weights: Any) -> None:
        """Raise `GraphError` if the answer could not follow a batch with these weights; called before each batch."""

    def _before_deletion(self, src: Any, dst: Any) -> None:
        """Look at the edges of a batch before the graph loses them. Some of the edges may not be there."""
        return

    # --- following ---------------------------------------------------------------------------------------------------

    @property
    def _is_current(self) -> bool:
        return bool(self._version == self.graph.version)

    def _be_current(self) -> None:
        if not self._is_current:
            with scope(self.graph._device):
                self._begin_anew("the graph was changed elsewhere")

    def _prepare_deletion(self, src: Any, dst: Any) -> None:
        """To be called before the graph is told of a deletion, for `_follow` to go on from."""
        begun = time.perf_counter()
        self._reason = self._why_not_repaired(len(src), self._is_current, deleted=True)
        if self._reason is None:
            self._before_deletion(src, dst)
        self._prepared = time.perf_counter() - begun

    def _follow(self, changes: Changes, was_current: bool) -> None:
        """Follow a batch that the graph has taken; `was_current`: whether the answer was the graph's before it."""
        begun, self._prepared = time.perf_counter() - self._prepared, 0.0
        self._version = -1  # an exception on the way leaves it to be computed again
        size, deleted = changes.size, changes.deleted
        reason = self._reason if deleted else self._why_not_repaired(size, was_current, deleted)
        kind, touched = "recomputation", None
        if reason is None:
            work = self._work(size, deleted)
            touched = self._repair(changes, self._most(deleted))
            self.graph._device.synchronize()
            self._decision.note_repair(time.perf_counter() - begun, work, deleted, touched is not None)
            if touched is None:
                reason = "the batch reaches far"
            elif self._decision.always_repairs:
                kind, reason = "repair", "recompute='never'"
            elif (reason := self._why_poor()) is not None:
                touched = None
            else:
                kind, reason = "repair", "the batch touches few vertices"
        if touched is None:
            touched = self._recompute()
        self._finish(Update(kind, reason, changes.count, touched, time.perf_counter() - begun))

    def _why_not_repaired(self, size: int, was_current: bool, deleted: bool) -> str | None:
        if not was_current:
            return "the graph was changed elsewhere"
        return self._decision.why_not_repaired(size, self.graph.num_edges, self._work(size, deleted), deleted)

    def _most(self, deleted: bool) -> float:
        """How much of the graph a repair may look at."""
        if self._decision.always_repairs:
            return float("inf")
        return (self._deletion_share if deleted else self._insertion_share) * self._extent()

    def _work(self, size: int, deleted: bool) -> int:
        """How much a batch gives a repair to begin with."""
        return size + self._postponed if deleted else size

    def _begin_anew(self, reason: str) -> None:
        """Compute the answer without a batch."""
        begun = time.perf_counter()
        touched = self._recompute()
        self._finish(Update("recomputation", reason, 0, touched, time.perf_counter() - begun))

    def _recompute(self) -> int:
        """Compute the answer again; how many vertices there are in it."""
        begun = time.perf_counter()
        self._compute()
        self.graph._device.synchronize()
        self._decision.costs.note_recomputation(time.perf_counter() - begun)
        return int(self.graph.num_live_vertices)

    def _finish(self, update: Update) -> None:
        self._last, self._version = update, self.graph.version
