"""The answers that ``minigr stream`` can follow. A new answer needs an entry in `ANSWERS`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import minigr as mg
from minigr.cli.algorithms import host

if TYPE_CHECKING:
    from minigr.graphs.dynamic.graph import DynamicGraph


@dataclass(frozen=True)
class Answer:
    """A row of the table.

    Attributes
    ----------
    summary : str
        A line for the help.
    make : callable
        ``(graph, source) -> answer``, one of `mg.dynamic`.
    figures : callable
        ``(answer) -> {name: number}``: the figures after each batch.
    needs_weights : bool
    """

    summary: str
    make: Callable[[DynamicGraph, int], Any]
    figures: Callable[[Any], dict[str, Any]]
    needs_weights: bool = False


def _depths(answer: Any) -> dict[str, Any]:
    depth = host(answer.depth)
    return {"reached": int((depth >= 0).sum()), "levels": int(depth.max(initial=0))}


def _distances(answer: Any) -> dict[str, Any]:
    distance = host(answer.distance)
    reached = distance[distance < float("inf")]
    return {"reached": reached.size, "max_distance": float(reached.max(initial=0))}


def _components(answer: Any) -> dict[str, Any]:
    from minigr.device import CPU

    label = host(answer.label)
    return {"count": int(answer.num_components), "largest": int(CPU.xp.bincount(label[label >= 0]).max(initial=0))}


def _ranks(answer: Any) -> dict[str, Any]:
    rank = host(answer.rank)
    top = int(rank.argmax()) if rank.size else None
    return {"top": top, "rank": None if top is None else float(rank[top])}


ANSWERS = {
    "triangles": Answer(
        "the number of triangles",
        lambda graph, _: mg.dynamic.TriangleCount(graph),
        lambda answer: {"count": answer.total},
    ),
    "components": Answer(
        "the number of components, and the size of the largest",
        lambda graph, _: mg.dynamic.ConnectedComponents(graph),
        _components,
    ),
    "bfs": Answer(
        "the vertices reached from the source, and the greatest depth",
        lambda graph, source: mg.dynamic.BFS(graph, source),
        _depths,
    ),
    "sssp": Answer(
        "the vertices reached from the source, and the greatest distance",
        lambda graph, source: mg.dynamic.SSSP(graph, source),
        _distances,
        needs_weights=True,
    ),
    "pagerank": Answer("the vertex of the highest rank", lambda graph, _: mg.dynamic.PageRank(graph), _ranks),
    "core-number": Answer(
        "the greatest core number",
        lambda graph, _: mg.dynamic.CoreNumber(graph),
        lambda answer: {"degeneracy": int(answer.degeneracy)},
    ),
    "coloring": Answer(
        "the number of colors",
        lambda graph, _: mg.dynamic.Coloring(graph),
        lambda answer: {"colors": int(answer.num_colors)},
    ),
}
"""All answers, by name."""
