"""The check of the weights of a batch for searches by weight."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.errors import GraphError
from minigr.graphs.backend import builder, scope
from minigr.graphs.batch import GraphBatch

_MOST = np.finfo(np.float64).max


def require_weights(batch: GraphBatch, algorithm: str, *, zero: bool) -> None:
    """Raise `GraphError` unless all weights are finite and positive or, if `zero` is allowed, at least 0.

    The message names the first edge with another weight, and its graph.
    """
    graph = batch.graph
    if not graph.weighted:
        raise GraphError(
            f"{algorithm}: weighted=True needs weights, but the graphs have none; leave out weighted=True for hops"
        )
    least, _, greatest = graph.weight_summary()
    if (least >= 0 if zero else least > 0 or not graph.num_arcs) and greatest < np.inf:
        return
    bad = (graph.weights < 0 if zero else graph.weights <= 0) | (graph.weights == np.inf)
    raise GraphError(
        f"{algorithm} needs finite weights {'of at least' if zero else 'above'} 0, but {_first(batch, bad)}"
    )


def require_finite_distances(batch: GraphBatch, algorithm: str) -> None:
    """Raise `GraphError` unless the lengths of all paths of the graphs, whose weights are finite, are finite, too.

    The message names the first edge that is so long that a path of such edges may not be, and its graph.
    """
    graph, most_edges = batch.graph, np.maximum(batch.sizes - 1, 1)
    if not graph.num_arcs or graph.weight_summary()[2] <= _MOST / most_edges.max():
        return
    with scope(graph._device):
        bound = graph._device.asarray(_MOST / most_edges)[batch.graph_of_vertex()]
        rows = builder(graph._device).row_of_arcs(graph.offsets, graph.num_arcs)
        bad = graph.weights > bound[rows]
    if bool(bad.any()):
        raise GraphError(
            f"{algorithm}: {_first(batch, bad)}, and float64 can't hold the length of a path of such edges: scale "
            "the weights"
        )


def _first(batch: GraphBatch, bad: Any) -> str:
    """In which graph the first arc is that is bad, and what it has."""
    graph, arc = batch.graph, int(bad.argmax())
    vertex = int((graph.offsets[1:] <= arc).sum())
    which = int(np.searchsorted(batch.host_offsets, vertex, side="right")) - 1
    start = int(batch.host_offsets[which])
    return f"in graph {which} the edge {vertex - start} -> {int(graph.indices[arc]) - start} has {graph.weights[arc]}"
