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
from minigr.batch.weights import require_finite_distances, require_weights
from minigr.errors import GraphError
from minigr.graphs.backend import scope
from minigr.graphs.batch import GraphBatch
from minigr.signatures import names_options


@names_options
def betweenness(
    batch: GraphBatch, *, weighted: bool = False, normalized: bool = True, endpoints: bool = False
) -> Scores:
    """The fraction of all shortest paths of its graph that pass through each vertex; the same as in NetworkX.

    Parameters
    ----------
    batch : GraphBatch
    weighted : bool
        If True, the length of a path is the sum of its weights, which must be above 0. Otherwise, the length is the
        number of edges.
    normalized : bool
        If True, divide by the number of pairs of a graph's vertices, so that the greatest possible score is 1.
    endpoints : bool
        If True, also count the paths that begin or end at a vertex.

    Returns
    -------
    Scores
        ``result[i]`` has a score for each vertex of graph i; ``result.score`` has the scores of all graphs. Parallel
        edges are different paths.

    Raises
    ------
    GraphError
        If `batch` is not a GraphBatch. By weight, if there are no weights, if a weight isn't positive and finite, if
        float64 can't hold the length of a path of edges of some weight, or if rounding loses a weight that is added to
        a much larger distance; the message names the graph.

    Notes
    -----
    On a CPU, the work for a graph of n vertices and m edges is O(n m), or O(n m log n) by weight. On a GPU, a search
    takes as many steps as it has levels, and each step processes the vertices that are not reached yet. Distances by
    weight are float64. Two paths have the same length if their sums are equal to the last bit. The memory is 8 bytes
    for each pair of a vertex and a group of 64 vertices of its graph. The result is the same in every run on one kind
    of device. If a graph has more than 1e290 shortest paths between two vertices, `minigr.betweenness_centrality`
    computes its scores with logarithms of the counts.

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
        require_finite_distances(batch, "betweenness")
    scale = _scale(batch, normalized, endpoints)
    with scope(batch.graph._device):
        score, flags = kernels(batch).betweenness(batch, bool(weighted), float(endpoints), scale)
    lost = flags & LOST_WEIGHT > 0
    if lost.any():
        raise GraphError(
            f"betweenness: in graph {int(lost.argmax())} a weight is so small that it is lost to rounding when it "
            "is added to a distance: scale the weights, or leave out such edges"
        )
    starts = batch.host_offsets
    for i in np.flatnonzero(flags):
        again = betweenness_centrality(batch[i], weighted=weighted, normalized=normalized, endpoints=endpoints)
        score[int(starts[i]) : int(starts[i + 1])] = again.score
    return Scores(score, starts)


def _scale(batch: GraphBatch, normalized: bool, endpoints: bool) -> Any:
    """float64[number of graphs]: the factor from sums over all sources to sums over pairs, or to fractions."""
    others = batch.sizes - (not endpoints)  # vertices at which paths through a vertex can begin
    pairs = np.maximum(others * (others - 1.0), 1.0)
    scale = 1.0 / pairs if normalized else np.full(len(batch), 1.0 if batch.directed else 0.5)
    return np.where(others < 2, 1.0, scale)
