"""How a graph applies a batch of edges, and how the answers follow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minigr.apps.dynamic.common.changes import Changes, both_ways
from minigr.apps.dynamic.common.follower import Follower
from minigr.graphs.backend import scope
from minigr.graphs.dynamic import edge_batch
from minigr.graphs.dynamic.transaction import whole


@whole
def insert(graph: Any, answers: Sequence[Follower], src: Any, dst: Any, weights: Any) -> int:
    """Insert edges into the graph once, and let each answer follow; return the number of new edges.

    If the graph or an answer refuses the batch, nothing is changed. If a repair or a signal raises an exception later,
    the graph is restored, and the answers are recomputed when they are next read.
    """
    with scope(graph._device):
        return _insert(graph, answers, src, dst, weights)


def _insert(graph: Any, answers: Sequence[Follower], src: Any, dst: Any, weights: Any) -> int:
    source, target = edge_batch.as_pairs(graph._device, src, dst, graph.num_vertices)
    values = edge_batch.as_batch_weights(graph._device, weights, len(source), graph.weight_dtype)
    for answer in answers:
        answer._check_batch(values)
    fresh = [answer._is_current or answer._catch_up() for answer in answers]
    weighed = graph.weighted and any(answer._reads_weights for answer in answers)
    before = graph.edge_weights(source, target, default=-1) if weighed else None
    asked = any(answer._needs_new for answer in answers)
    done = graph._insert(source, target, values, asked)
    count, new = done if asked else (done, None)
    now = graph.edge_weights(source, target, default=-1) if weighed else None
    tails, heads = both_ways(graph, source, target)
    weights_now, weights_before = (_twice(graph, values) for values in (now, before))
    changes = Changes(tails, heads, weights_now, weights_before, new, deleted=False, count=count, size=len(source))
    _follow(answers, fresh, changes)
    return count


@whole
def delete(graph: Any, answers: Sequence[Follower], src: Any, dst: Any) -> int:
    """Delete edges from the graph once, and let each answer follow; return the number of deleted edges.

    Exceptions have the same effects as in `insert`.
    """
    with scope(graph._device):
        return _delete(graph, answers, src, dst)


def _delete(graph: Any, answers: Sequence[Follower], src: Any, dst: Any) -> int:
    source, target = edge_batch.as_pairs(graph._device, src, dst, graph.num_vertices)
    for answer in answers:
        answer._check_batch(None)
    fresh = [answer._is_current or answer._catch_up() for answer in answers]
    # The preparation may change an answer, which is then not correct for the current version any more. So if the batch
    # is undone, the graph gets a new version, and the answer is recomputed.
    graph._guard.batch.on_undo(graph._have_new_version)
    for answer in answers:
        answer._prepare_deletion(source, target)
    count, mask = graph._delete(source, target, True)
    size, source, target = len(source), source[mask], target[mask]
    tails, heads = both_ways(graph, source, target)
    _follow(answers, fresh, Changes(tails, heads, None, None, None, deleted=True, count=count, size=size))
    return count


def _twice(graph: Any, values: Any) -> Any:
    if values is None or graph.directed:
        return values
    return graph._device.xp.concatenate([values, values])


def _follow(answers: Sequence[Follower], fresh: list[bool], changes: Changes) -> None:
    for answer, was_current in zip(answers, fresh, strict=True):
        answer._follow(changes, was_current)
