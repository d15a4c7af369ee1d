"""How an answer follows its graph: after a batch, the answer is repaired or recomputed."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from minigr.apps.dynamic.common.answer import Answer
from minigr.apps.dynamic.common.changes import Changes, both_ways
from minigr.apps.dynamic.common.decision import Decision
from minigr.graphs.backend import scope


@dataclass(frozen=True)
class Update:
    """How an answer was last brought up to date.

    Attributes
    ----------
    kind : {"repair", "recomputation"}
    reason : str
        Why the update was of this kind.
    edges : int
        Number of edges that the batch inserted or deleted.
    touched : int
        Number of vertices whose part of the answer was computed again.
    seconds : float
        Time of the update, without the update of the graph. No decision depends on this time.
    """

    kind: str
    reason: str
    edges: int
    touched: int
    seconds: float


class Follower(Answer):
    """How the answers in `mg.dynamic` follow a batch, with the methods of `Answer` that each of them implements.

    The docstring of `Maintained` describes this for users.
    """

    _last: Update

    def __init__(self, graph: Any, decision: Decision) -> None:
        self.graph, self._decision = graph, decision
        self._version = -1  # the version of the graph for which the answer is correct
        self._reason: str | None = None  # why the deletion that is being prepared is not repaired
        self._prepared = 0.0  # seconds that the answer spent before the graph applied a batch
        self._begin_anew("the first answer")

    @property
    def _is_current(self) -> bool:
        return bool(self._version == self.graph.version)

    def _be_current(self) -> None:
        if not self._is_current:
            with scope(self.graph._device):
                if not self._catch_up():
                    self._begin_anew("the graph was changed elsewhere")

    def _catch_up(self) -> bool:
        """Follow edges that were inserted without this answer, if possible; return whether the answer is current now.

        This is possible if the graph was marked while the answer was current, and edges were only inserted since then.
        """
        graph = self.graph
        if self._follows_mark and self._version >= 0 and self._version == graph._grown_from:
            src, dst, _ = graph.added_since_mark()
            if not graph.directed:
                src, dst = src[src <= dst], dst[src <= dst]
            ends, size = both_ways(graph, src, dst), len(src)
            self._follow(Changes(*ends, None, None, None, deleted=False, count=size, size=size), was_current=True)
        return self._is_current

    def _prepare_deletion(self, src: Any, dst: Any) -> None:
        """Prepare for a deletion. Must be called before the graph deletes the edges; `_follow` continues."""
        begun = time.perf_counter()
        self._reason = self._why_not_repaired(len(src), self._is_current)
        if self._reason is None:
            self._before_deletion(src, dst)
        self._prepared = time.perf_counter() - begun

    def _follow(self, changes: Changes, was_current: bool) -> None:
        """Follow a batch that the graph has applied. `was_current`: whether the answer was current before the batch."""
        begun, self._prepared = time.perf_counter() - self._prepared, 0.0
        self._version = -1  # so that after an exception, the answer is recomputed
        reason = self._reason if changes.deleted else self._why_not_repaired(changes.size, was_current)
        kind, touched = "recomputation", None
        if reason is None:
            touched, reason = self._try_repair(changes)
            if touched is not None:
                kind = "repair"
        if touched is None:
            touched = self._recompute()
        self._finish(Update(kind, reason, changes.count, touched, time.perf_counter() - begun))

    def _try_repair(self, changes: Changes) -> tuple[int | None, str]:
        """The number of vertices that a repair touched, or None if the answer must be recomputed; and the reason."""
        deleted, work = changes.deleted, self._work(changes)
        most = self._most(deleted)
        if self._least(deleted) > most:
            return None, "the graph is small"
        if (reason := self._decision.why_not_tried(work, deleted)) is not None:
            return None, reason
        touched = self._repair(changes, most)
        self.graph._device.synchronize()
        self._decision.note_repair(work, deleted, None if touched is None else self._share(touched, most))
        if touched is None:
            return None, "the batch reaches far"
        if self._decision.always_repairs:
            return touched, "recompute='never'"
        if (reason := self._why_poor()) is not None:
            return None, reason
        return touched, "the batch touches few vertices"

    def _why_not_repaired(self, size: int, was_current: bool) -> str | None:
        if not was_current:
            return "the graph was changed elsewhere"
        return self._decision.why_not_repaired(size, self.graph.num_edges)

    def _most(self, deleted: bool) -> float:
        """How much of the graph a repair may look at, in the unit of `_extent`."""
        if self._decision.always_repairs:
            return float("inf")
        return (self._deletion_share if deleted else self._insertion_share) * self._extent()

    def _begin_anew(self, reason: str) -> None:
        """Compute the answer without a batch."""
        begun = time.perf_counter()
        touched = self._recompute()
        self._finish(Update("recomputation", reason, 0, touched, time.perf_counter() - begun))

    def _recompute(self) -> int:
        """Recompute the answer; return the number of its vertices."""
        self._compute()
        self.graph._device.synchronize()
        return int(self.graph.num_live_vertices)

    def _finish(self, update: Update) -> None:
        self._last, self._version = update, self.graph.version
