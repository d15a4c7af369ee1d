"""The check of the weights of a batch for searches by weight."""

from __future__ import annotations

import numpy as np

from minigr.errors import GraphError
from minigr.graphs.batch import GraphBatch


def require_weights(batch: GraphBatch, algorithm: str, *, zero: bool) -> None:
    """Raise `GraphError` unless all weights are finite and positive or, if `zero` is allowed, at least 0.

    The message names the first edge with another weight, and its graph.
    """
    graph = batch.graph
    if not graph.weighted:
        raise GraphError(f"{algorithm}: weighted=True needs weights, and the graphs have none; leave it out for hops")
    least, _, greatest = graph.weight_summary()
    if (least >= 0 if zero else least > 0 or not graph.num_arcs) and greatest < np.inf:
        return
    bad = (graph.weights < 0 if zero else graph.weights <= 0) | (graph.weights == np.inf)
    arc = int(bad.argmax())
    vertex = int((graph.offsets[1:] <= arc).sum())
    which = int(np.searchsorted(batch.host_offsets, vertex, side="right")) - 1
    start = int(batch.host_offsets[which])
    raise GraphError(
        f"{algorithm} needs finite weights {'of at least' if zero else 'above'} 0, but in graph {which} the edge "
        f"{vertex - start} -> {int(graph.indices[arc]) - start} has {graph.weights[arc]}"
    )
