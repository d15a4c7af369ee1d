"""Copies of others' vertices, brought up to date by their owners: by the host, between two operators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minigr.graphs.partitioned.array import Known
from minigr.operators.partitioned.merge import refreshed, take_refreshed


def news_of(graph: Any, views: Sequence[Any], index: int, changed: Any, names: Sequence[str]) -> list[Any]:
    """By part, what a local part has of those of its vertices that were changed and are ghosts there."""
    if not names:
        return [None] * graph.num_parts
    values = views[index]._values
    return refreshed(graph.parts[index], changed, {name: values[name] for name in names})


def refresh(problem: Any, views: Sequence[Any], news: list[Any], names: Sequence[str]) -> None:
    """Have ghosts be what their owners have of these fields."""
    graph = problem.graph
    received = graph._exchange.all_to_all(news)

    def take(index: int) -> None:
        values = views[index]._values
        take_refreshed(graph.parts[index], received[index], {name: values[name] for name in names})

    graph._team.each(take)
    for name in names:
        problem._values[name].known = Known.GHOSTS


def refresh_stale(problem: Any, views: Sequence[Any], names: Sequence[str]) -> None:
    """Bring those of these fields up to date whose copies may not be."""
    graph = problem.graph
    if stale := [name for name in names if problem._values[name].known < Known.GHOSTS]:
        news = graph._team.each(lambda index: news_of(graph, views, index, graph.parts[index].owned, stale))
        refresh(problem, views, news, stale)


def spread(problem: Any, views: Sequence[Any], names: Sequence[str]) -> None:
    """Have each part know what the owners have of all vertices."""
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
    """`spread` those of these fields that parts don't know of all vertices."""
    if stale := [name for name in names if problem._values[name].known < Known.ALL]:
        spread(problem, views, stale)
