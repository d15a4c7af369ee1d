"""Batches of edges: what a batch changed in a graph, and how the graph and the answers that follow it take a batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from minigr.graphs.backend import scope
from minigr.graphs.dynamic import batch
from minigr.graphs.dynamic.graph import DynamicGraph
from minigr.graphs.dynamic.transaction import whole


@dataclass(frozen=True)
class Changes:
    """The arcs of a batch that the graph has taken; of an undirected edge both.

    Attributes
    ----------
    src, dst : int32[k]
        Of a deletion those arcs only that were there.
    weight : [k] or None
        After an insertion, of a weighted graph: what the arcs weigh now. -1 for a self-loop that was dropped.
    before : [k] or None
        What they weighed before it; -1 for those that were not there. Only if an answer depends on weights.
    new : bool[size] or None
        After an insertion, which of the pairs that the caller gave made an edge. Only if an answer asks for it.
    deleted : bool
    count : int
        Edges that are new, or gone.
    size : int
        Edges that the caller gave.
    """

    src: Any
    dst: Any
    weight: Any
    before: Any
    new: Any
    deleted: bool
    count: int
    size: int

    @property
    def pairs(self) -> tuple[Any, Any]:
        """The ends of the edges as the caller gave them, not turned round; of a deletion of those that were there."""
        kept = self.count if self.deleted else self.size
        return self.src[:kept], self.dst[:kept]


class Follower(Protocol):
    """What a batch asks of an answer; `minigr.apps.dynamic.common.maintained.Maintained` says what each member does."""

    _reads_weights: bool
    _needs_new: bool

    @property
    def _is_current(self) -> bool: ...

    def _check_batch(self, weights: Any) -> None: ...

    def _prepare_deletion(self, src: Any, dst: Any) -> None: ...

    def _follow(self, changes: Changes, was_current: bool) -> None: ...


@whole
def insert(graph: DynamicGraph, answers: Sequence[Follower], src: Any, dst: Any, weights: Any) -> int:
    """Insert edges into the graph, once, and let each answer follow; how many are new.

    What the graph or an answer refuses is refused before anything is changed. Whatever is raised later, from a repair
    or by a signal, has the graph be as it was; the answers are then computed again when they are asked for.
    """
    with scope(graph._device):
        return _insert(graph, answers, src, dst, weights)


def _insert(graph: DynamicGraph, answers: Sequence[Follower], src: Any, dst: Any, weights: Any) -> int:
    source, target = batch.as_pairs(graph._device, src, dst, graph.num_vertices)
    values = batch.as_batch_weights(graph._device, weights, len(source), graph.weight_dtype)
    for answer in answers:
        answer._check_batch(values)
    fresh = [answer._is_current for answer in answers]
    weighed = graph.weighted and any(answer._reads_weights for answer in answers)
    before = graph.edge_weights(source, target, default=-1) if weighed else None
    asked = any(answer._needs_new for answer in answers)
    done = graph._insert(source, target, values, asked)
    count, new = done if asked else (done, None)
    now = graph.edge_weights(source, target, default=-1) if weighed else None
    tails, heads = _both_ways(graph, source, target)
    weights_now, weights_before = (_twice(graph, values) for values in (now, before))
    changes = Changes(tails, heads, weights_now, weights_before, new, deleted=False, count=count, size=len(source))
    _follow(answers, fresh, changes)
    return count


@whole
def delete(graph: DynamicGraph, answers: Sequence[Follower], src: Any, dst: Any) -> int:
    """Delete edges from the graph, once, and let each answer follow; how many were there. Exceptions as by `insert`."""
    with scope(graph._device):
        return _delete(graph, answers, src, dst)


def _delete(graph: DynamicGraph, answers: Sequence[Follower], src: Any, dst: Any) -> int:
    source, target = batch.as_pairs(graph._device, src, dst, graph.num_vertices)
    for answer in answers:
        answer._check_batch(None)
    fresh = [answer._is_current for answer in answers]
    # Answers that have prepared themselves for the next version are not current for this one any more.
    graph._guard.batch.on_undo(graph._have_new_version)
    for answer in answers:
        answer._prepare_deletion(source, target)
    count, mask = graph._delete(source, target, True)
    size, source, target = len(source), source[mask], target[mask]
    tails, heads = _both_ways(graph, source, target)
    _follow(answers, fresh, Changes(tails, heads, None, None, None, deleted=True, count=count, size=size))
    return count


def _both_ways(graph: DynamicGraph, source: Any, target: Any) -> tuple[Any, Any]:
    """The tails and heads of arcs: of an undirected graph all there, and then all back."""
    if graph.directed:
        return source, target
    ends = graph._device.xp.concatenate([source, target, source])
    return ends[: 2 * len(source)], ends[len(source) :]


def _twice(graph: DynamicGraph, values: Any) -> Any:
    if values is None or graph.directed:
        return values
    return graph._device.xp.concatenate([values, values])


def _follow(answers: Sequence[Follower], fresh: list[bool], changes: Changes) -> None:
    for answer, was_current in zip(answers, fresh, strict=True):
        answer._follow(changes, was_current)
