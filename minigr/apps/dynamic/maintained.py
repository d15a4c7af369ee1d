"""What all answers that follow a dynamic graph have in common."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

from minigr.apps.common import require
from minigr.apps.dynamic import changes as changing
from minigr.apps.dynamic.changes import Changes
from minigr.apps.dynamic.costs import Costs
from minigr.enactor.enactor import check_driver, times_made_ready
from minigr.errors import GraphError
from minigr.graphs.backend import scope
from minigr.jit.cache import programs_made

WHEN = ("auto", "always", "never")


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
        Vertices whose part of the answer was worked out anew.
    seconds : float
        Without the update of the graph.
    repair_seconds, recomputation_seconds : float or None
        What the one and the other would take for the next batch of this size and kind, by what they took so far; None
        where that is not known yet.
    """

    kind: str
    reason: str
    edges: int
    touched: int
    seconds: float
    repair_seconds: float | None = None
    recomputation_seconds: float | None = None


class Maintained(ABC):
    """Base of the answers in `mg.dynamic`: an answer for one graph, which follows batches that it applies to the graph.

    `insert_edges` and `delete_edges` change graph and answer together. A batch is repaired into the answer, or the
    answer is computed anew where that should take less time: if the batch has more than an eighth as many edges as the
    graph, the repair finds that more than an eighth of all vertices have to be looked at again, or repairs were found
    to take longer. Times are measured as batches come, but not of calls that do what is done once: compile a program,
    make a loop ready, find what later repairs go by. Where the first computation did, one batch has the answer computed
    anew to find out what that takes, when repairs have taken a tenth of its time, or after eight of them. `recompute`
    forces either.

    If the graph was changed in another way, by its own methods or by another answer, the next question or batch
    notices that by ``graph.version`` and computes the answer anew; several answers on one graph are best updated
    together, by `mg.stream`. If a batch raises, whatever the reason, the graph is as it was. Unless the batch was
    refused, the answer is then computed again when it is asked for.

    Attributes
    ----------
    graph : DynamicGraph
    last_update : Update
    """

    _name: str
    _last: Update
    _share = 1 / 8  # of edges in a batch, or of vertices to look at again, beyond which the answer is computed anew
    _needs_in_edges = True
    _reads_weights = False  # whether weights make a difference
    _needs_new = False  # whether it asks which edges of an insertion are new
    _postponed = 0  # vertices that insertions left for the next deletion to look at, each about as long as at an edge
    _invested = False  # whether the last repair did what is done once, so that later ones take less

    def __init__(self, graph: Any, recompute: str, driver: str) -> None:
        if getattr(graph, "layout", None) != "slabs":
            raise GraphError(
                f"{self._name} follows a DynamicGraph, got {type(graph).__name__}: make one with "
                "mg.DynamicGraph.from_graph(graph)"
            )
        if self._needs_in_edges and not graph.keeps_in_edges:
            raise GraphError(
                f"{self._name} repairs along in-edges, and the directed DynamicGraph does not keep them: make it with "
                "in_edges=True"
            )
        require(recompute in WHEN, f"{self._name}: recompute={recompute!r} is one of {', '.join(map(repr, WHEN))}")
        self.graph = graph
        self._driver = check_driver(driver, graph, trace=False)
        self._when = recompute
        self._costs = Costs()
        self._version = -1  # of the graph that the answer is for
        self._reason: str | None = None  # why the coming deletion is not repaired
        self._made = 0  # what is made once, before that
        self._prepared = 0.0  # seconds that were spent before the graph took a batch
        self._begin_anew("the first answer")

    @property
    def last_update(self) -> Update:
        """How the answer was last brought up to date."""
        self._be_current()
        return self._last

    def insert_edges(self, src: Any, dst: Any, weights: Any = None) -> int:
        """Insert edges into the graph, as `DynamicGraph.insert_edges` does, and update the answer.

        Returns
        -------
        int
            How many edges are new.

        Raises
        ------
        GraphError
            For what the graph refuses, or the answer can't do with; graph and answer are then as they were.
        OutOfMemoryError
            The graph is then as it was.
        """
        return changing.insert(self.graph, [self], src, dst, weights)

    def delete_edges(self, src: Any, dst: Any) -> int:
        """Delete edges from the graph, as `DynamicGraph.delete_edges` does, and update the answer.

        Returns
        -------
        int
            How many edges were deleted.

        Raises
        ------
        GraphError
            For what the graph refuses; graph and answer are then as they were.
        OutOfMemoryError
            The graph is then as it was.
        """
        return changing.delete(self.graph, [self], src, dst)

    # --- what an answer must have ------------------------------------------------------------------------------------

    @abstractmethod
    def _compute(self) -> None:
        """Compute the answer for the graph as it is."""

    @abstractmethod
    def _repair(self, changes: Changes, most: float) -> int | None:
        """Bring the answer up to date and say how many vertices were touched.

        None, with the answer in any state, if more than `most` would have to be.
        """

    @abstractmethod
    def _check_batch(self, weights: Any) -> None:
        """Raise `GraphError` if the answer could not follow a batch with these weights; called before each batch."""

    def _before_deletion(self, src: Any, dst: Any) -> None:
        """Look at the edges of a batch, some of which may not be there, before the graph loses them."""
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
        begun, self._made = time.perf_counter(), _made_once()
        self._reason = self._why_not_repaired(len(src), self._is_current, deleted=True)
        if self._reason is None:
            self._before_deletion(src, dst)
        self._prepared = time.perf_counter() - begun

    def _follow(self, changes: Changes, was_current: bool) -> None:
        """Follow a batch that the graph has taken; `was_current`: whether the answer was the graph's before it."""
        begun, self._prepared = time.perf_counter() - self._prepared, 0.0
        self._version = -1  # an exception on the way leaves it to be computed anew
        size, deleted = changes.size, changes.deleted
        made = self._made if deleted else _made_once()
        work = self._work(size, deleted)
        self._invested = False
        reason = self._reason if deleted else self._why_not_repaired(size, was_current, deleted)
        kind = "recomputation"
        if reason is None:
            share = self._share if self._when == "auto" else float("inf")
            touched = self._repair(changes, share * self.graph.num_live_vertices)
            if touched is None:
                reason = "the batch reaches far"
                touched = self._recompute()
            else:
                kind = "repair"
                reason = "the batch touches few vertices" if self._when == "auto" else "recompute='never'"
                self.graph._device.synchronize()
            seconds = time.perf_counter() - begun
            # Given up or not: it is what trying takes.
            self._costs.note_repair(seconds, work, deleted, once=self._invested or _made_once() > made)
        else:
            touched = self._recompute()
            seconds = time.perf_counter() - begun
        repair, anew = self._costs.expected_repair(size, deleted), self._costs.expected_recomputation()
        self._finish(Update(kind, reason, changes.count, touched, seconds, repair, anew))

    def _why_not_repaired(self, size: int, was_current: bool, deleted: bool) -> str | None:
        if not was_current:
            return "the graph was changed elsewhere"
        if self._when == "always":
            return "recompute='always'"
        if self._when == "auto" and size > self._share * max(self.graph.num_edges, 1):
            return "the batch is large"
        return self._costs.why_recompute(self._work(size, deleted), deleted) if self._when == "auto" else None

    def _work(self, size: int, deleted: bool) -> int:
        """What the time of a repair goes by."""
        return size + self._postponed if deleted else size

    def _begin_anew(self, reason: str) -> None:
        """Compute the answer without a batch."""
        begun = time.perf_counter()
        touched = self._recompute()
        self._finish(Update("recomputation", reason, 0, touched, time.perf_counter() - begun))

    def _recompute(self) -> int:
        """Compute the answer anew; how many vertices that touches."""
        started, made = time.perf_counter(), _made_once()
        self._compute()
        self.graph._device.synchronize()
        self._costs.note_recomputation(time.perf_counter() - started, once=_made_once() > made)
        return int(self.graph.num_live_vertices)

    def _finish(self, update: Update) -> None:
        self._last, self._version = update, self.graph.version


def _made_once() -> int:
    """Grows with what is not made again for the next batch: programs, and loops that are ready to run."""
    return programs_made() + times_made_ready()
