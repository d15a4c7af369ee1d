"""The calls of ``minigr batch``. A new call needs an entry in `CALLS`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import minigr as mg
from minigr.cli.algorithms import host

if TYPE_CHECKING:
    from minigr.graphs.batch import GraphBatch


@dataclass(frozen=True)
class Call:
    """A row of the table.

    Attributes
    ----------
    summary : str
        A line for the help.
    run : callable
        ``(batch, weighted) -> result``.
    field : str
        The array of the result, which is the column of ``--output``.
    figure : str
        The name of the figure for each graph.
    of_graph : callable
        ``(result) -> array``: the figure for each graph.
    by_weight : bool
        Whether weights can be used as lengths.
    pairs : bool
        Whether the array has an element for each pair of vertices of a graph, row by row, instead of for each vertex.
    """

    summary: str
    run: Callable[[GraphBatch, bool], Any]
    field: str
    figure: str
    of_graph: Callable[[Any], Any]
    by_weight: bool = False
    pairs: bool = False


def _greatest(field: str, offsets: str = "vertex_offsets") -> Callable[[Any], Any]:
    """The greatest finite value for each graph, 0 if there is none."""

    def of_graph(result: Any) -> Any:
        import numpy as np

        values, begins = host(getattr(result, field)).astype(np.float64), getattr(result, offsets)
        values[~np.isfinite(values)] = 0
        held = np.diff(begins) > 0
        greatest = np.zeros(len(held))
        greatest[held] = np.maximum.reduceat(values, begins[:-1][held]) if held.any() else 0
        return np.maximum(greatest, 0)

    return of_graph


def _count(field: str) -> Callable[[Any], Any]:
    return lambda result: host(getattr(result, field))


def _centrality(summary: str, function: str, **options: Any) -> Call:
    def run(batch: GraphBatch, weighted: bool) -> Any:
        return partial(getattr(mg.batch, function), **options)(batch, weighted=weighted)

    return Call(summary, run, "score", "greatest_score", _greatest("score"), by_weight=True)


def _plain(summary: str, function: str, field: str, figure: str, of_graph: Callable[[Any], Any]) -> Call:
    return Call(summary, lambda batch, _: getattr(mg.batch, function)(batch), field, figure, of_graph)


def computed(name: str, weighted: bool, batch: GraphBatch) -> Any:
    """The result of the call with this name. This function can be sent to other processes."""
    return CALLS[name].run(batch, weighted)


CALLS = {
    "shortest-paths": Call(
        "the distances between all pairs of vertices",
        lambda batch, weighted: mg.batch.shortest_paths(batch, weighted=weighted),
        "distance",
        "diameter",
        _greatest("distance", "pair_offsets"),
        by_weight=True,
        pairs=True,
    ),
    "closeness": _centrality("how near each vertex is to the others", "closeness"),
    "harmonic": _centrality("the sum of the inverse distances to each vertex", "closeness", harmonic=True),
    "betweenness": _centrality("how many shortest paths lead through each vertex", "betweenness"),
    "components": _plain("connected components", "components", "label", "components", _count("num_components")),
    "triangles": _plain("triangles at each vertex", "triangles", "per_vertex", "triangles", _count("total")),
    "coloring": _plain("colors, different for neighbors", "coloring", "color", "colors", _count("num_colors")),
    "pagerank": _plain("importance of each vertex", "pagerank", "rank", "greatest_rank", _greatest("rank")),
}
"""All calls, by name."""
