"""Betweenness centrality of the vertices of each graph, by Brandes' two passes for each source.

Brandes, A Faster Algorithm for Betweenness Centrality (Journal of Mathematical Sociology 2001), and On Variants of
Shortest-Path Betweenness Centrality and their Generic Computation (Social Networks 2008).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.apps.betweenness import betweenness_centrality
from minigr.batch.backend import kernels, require_batch
from minigr.batch.constants import LOST_WEIGHT
from minigr.batch.results import Scores
from minigr.batch.weights import require_weights
from minigr.errors import GraphError
from minigr.graphs.backend import scope
from minigr.graphs.batch import GraphBatch
from minigr.signatures import names_options


@names_options
def betweenness(
    batch: GraphBatch, *, weighted: bool = False, normalized: bool = True, endpoints: bool = False
) -> Scores:
    """The part of all shortest paths of its graph that lead through each vertex; the same as in NetworkX.

    Parameters
    ----------
    batch : GraphBatch
    weighted : bool
        Whether a path is as long as the sum of its weights, which must be above 0, or has as many hops as edges.
    normalized : bool
        Divide by the number of pairs of a graph's vertices, so that 1 is the most there can be.
    endpoints : bool
        Count the paths that begin or end at a vertex too.

    Returns
    -------
    Scores
        ``result[i]`` has a score for each vertex of graph i; ``result.score`` has all. Parallel edges are different
        paths.

    Raises
    ------
    GraphError
        If `batch` is no GraphBatch; by weight, if there are no weights or one isn't above 0 and finite, or if some are
        lost to rounding beside the distances they are added to. The message names the graph.

    Notes
    -----
    O(n m) work for a graph of n vertices and m edges on a CPU, by weight O(n m log n). On a GPU a search takes as many
    steps as it has levels, each over the vertices that are not reached yet. Distances by weight are float64, and paths
    are as long as each other if their sums are equal to the last bit. Memory is 8 bytes for each pair of a vertex and
    64 others of its graph. The result is the same in every run on one kind of device. A graph with more than 1e290
    shortest paths between two vertices is done by `minigr.betweenness_centrality`, which counts by logarithms.

    Examples
    --------
    >>> import minigr as mg
    >>> batch = mg.GraphBatch.from_graphs([[(0, 1), (1, 2)], [(0, 1), (0, 2), (0, 3)]], device="cpu")
    >>> mg.batch.betweenness(batch, normalized=False).score
    array([0., 1., 0., 3., 0., 0., 0.])
    """
    require_batch(batch, "betweenness")
    if weighted:
        require_weights(batch, "betweenness", zero=False)
    scale = _scale(batch, normalized, endpoints)
    with scope(batch.graph._device):
        score, flags = kernels(batch).betweenness(batch, bool(weighted), float(endpoints), scale)
    lost = flags & LOST_WEIGHT > 0
    if lost.any():
        raise GraphError(
            f"betweenness: in graph {int(lost.argmax())} a weight is so small beside the distance it is added to that "
            "it is lost to rounding: scale the weights, or leave such edges out"
        )
    starts = batch.host_offsets
    for i in np.flatnonzero(flags):
        again = betweenness_centrality(batch[i], weighted=weighted, normalized=normalized, endpoints=endpoints)
        score[int(starts[i]) : int(starts[i + 1])] = again.score
    return Scores(score, starts)


def _scale(batch: GraphBatch, normalized: bool, endpoints: bool) -> Any:
    """float64[number of graphs]: from sums over all sources to sums over all pairs, or to parts of these."""
    others = batch.sizes - (not endpoints)  # vertices that paths through one can begin at
    pairs = np.maximum(others * (others - 1.0), 1.0)
    scale = 1.0 / pairs if normalized else np.full(len(batch), 1.0 if batch.directed else 0.5)
    return np.where(others < 2, 1.0, scale)
