"""Refreshes copies of vertices of other parts: the host has the owners send their elements between two operators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minigr.graphs.partitioned.array import Known
from minigr.graphs.partitioned.part import Part, held_in
from minigr.operators.partitioned.shadows import Shadows


def news_of(part: Part, view: Any, changed: Any, names: Sequence[str], shadows: Shadows | None = None) -> list[Any]:
    """For each other part, the `changed` vertices of `part` that are ghosts there: ids, and elements of each field.

    If more than half of the mirrors for a part changed, its message has all mirrors in their order, without ids. The
    message is None if there are no such vertices. `view`: the problem on the part. `shadows`: the shadows of the part,
    on a CPU.
    """
    if not names or not len(changed):
        return [None] * part.num_parts
    arrays = {name: view._values[name] for name in names}
    if changed is part.owned:
        return [_all_of(mirrors, arrays) if len(mirrors) else None for mirrors in part.mirrors]
    lists = _in_mirrors(part, changed) if shadows is None else shadows.in_each(part.mirrors, changed)
    messages: list[Any] = []
    for mirrors, ids in zip(part.mirrors, lists, strict=True):
        if 2 * len(ids) > len(mirrors):
            messages.append(_all_of(mirrors, arrays))
        else:
            messages.append((ids, {name: array[ids] for name, array in arrays.items()}) if len(ids) else None)
    return messages


def _in_mirrors(part: Part, changed: Any) -> list[Any]:
    """By part, the changed vertices that are mirrors for that part."""
    if 8 * len(changed) > len(part.owned):
        there = part.device.full(part.graph.num_vertices, False, np.bool_)
        there[changed] = True
        return [mirrors[there[mirrors]] for mirrors in part.mirrors]
    return [changed[held_in(mirrors, changed, part.xp)] for mirrors in part.mirrors]


def _all_of(mirrors: Any, arrays: dict[str, Any]) -> Any:
    return None, {name: array[mirrors] for name, array in arrays.items()}


def refresh(
    problem: Any,
    views: Sequence[Any],
    news: list[Any],
    names: Sequence[str],
    counts: list[Any],
    shadows: Sequence[Shadows],
) -> list[Any]:
    """Set these fields at ghosts to the elements of their owners.

    `counts`: a number from each local part for all other parts, which is sent along; the numbers of all parts are
    returned. `shadows`: the shadows of the local parts, on a CPU.
    """
    graph = problem.graph
    told = [[(count, each) for each in own] for count, own in zip(counts, news, strict=True)]
    received = graph._exchange.all_to_all(told)

    def take(index: int) -> None:
        part, values = graph.parts[index], views[index]._values
        for ghosts, (_, message) in zip(part.ghosts, received[index], strict=True):
            if message is not None:
                ids, theirs = part.here(message)
                for name in names:
                    values[name][ghosts if ids is None else ids] = theirs[name]
                if shadows:
                    shadows[index].settle(names, ghosts if ids is None else ids)

    graph._team.each(take)
    for name in names:
        problem._values[name].know(Known.GHOSTS, graph)
    return [count for count, _ in received[0]]


def refresh_stale(problem: Any, views: Sequence[Any], names: Sequence[str]) -> None:
    """Refresh those of these fields whose copies may be outdated."""
    graph = problem.graph
    if stale := [name for name in names if problem._values[name].known < Known.GHOSTS]:
        news = graph._team.each(lambda i: news_of(graph.parts[i], views[i], graph.parts[i].owned, stale))
        refresh(problem, views, news, stale, [None] * len(views), ())


def spread(problem: Any, views: Sequence[Any], names: Sequence[str]) -> None:
    """Copy the owners' elements of all vertices to each part."""
    graph = problem.graph

    def own(index: int) -> tuple[Any, dict[str, Any]]:
        owned, values = graph.parts[index].owned, views[index]._values
        return owned, {name: values[name][owned] for name in names}

    def take(index: int) -> None:
        part, values = graph.parts[index], views[index]._values
        for number, message in enumerate(found):
            if number != part.index:
                ids, theirs = part.here(message)
                for name in names:
                    values[name][ids] = theirs[name]

    found = graph._exchange.all_gather(graph._team.each(own))
    graph._team.each(take)
    for name in names:
        problem._values[name].known = Known.ALL


def spread_stale(problem: Any, views: Sequence[Any], names: Sequence[str]) -> None:
    """Call `spread` for those of these fields that parts don't know at all vertices."""
    if stale := [name for name in names if problem._values[name].known < Known.ALL]:
        spread(problem, views, stale)
