"""Closeness and harmonic centrality of the vertices of each graph.

Wasserman, Faust, Social Network Analysis (1994), page 201; Boldi, Vigna, Axioms for Centrality (Internet Mathematics
2014). The searches are those of `minigr.batch.shortest_paths`; their distances are summed and not kept.
"""

from __future__ import annotations

from minigr.batch.backend import kernels, require_batch
from minigr.batch.results import Scores
from minigr.batch.weights import require_weights
from minigr.graphs.backend import scope
from minigr.graphs.batch import GraphBatch
from minigr.signatures import names_options


@names_options
def closeness(batch: GraphBatch, *, harmonic: bool = False, weighted: bool = False) -> Scores:
    """The closeness of each vertex to the vertices of its graph that reach it; the same as in NetworkX.

    Parameters
    ----------
    batch : GraphBatch
    harmonic : bool
        If True, the score is the sum of the inverse distances from the vertices that reach a vertex. Otherwise, the
        score is the inverse of the mean distance, times the fraction of the other vertices that reach the vertex
        (Wasserman and Faust). The score is 0 if no other vertex reaches the vertex.
    weighted : bool
        If True, distances are sums of weights, which must be at least 0. Otherwise, distances are numbers of hops.

    Returns
    -------
    Scores
        ``result[i]`` has a score for each vertex of graph i; ``result.score`` has the scores of all graphs.

    Raises
    ------
    GraphError
        If `batch` is not a GraphBatch. By weight, if there are no weights, or if a weight is negative or infinite; the
        message names the graph of the weight.

    Notes
    -----
    The work is that of `shortest_paths`. The memory is 8 bytes for each pair of a vertex and a group of 64 vertices of
    its graph. The result is the same in every run on one kind of device.

    Examples
    --------
    >>> import minigr as mg
    >>> batch = mg.GraphBatch.from_graphs([[(0, 1), (1, 2)], [(0, 1)]], device="cpu")
    >>> mg.batch.closeness(batch)[0]
    array([0.66666667, 1.        , 0.66666667])
    >>> mg.batch.closeness(batch, harmonic=True).score
    array([1.5, 2. , 1.5, 1. , 1. ])
    """
    require_batch(batch, "closeness")
    if weighted:
        require_weights(batch, "closeness", zero=True)
    with scope(batch.graph._device):
        run = kernels(batch)
        score = (run.weighted_centrality if weighted else run.hop_centrality)(batch, bool(harmonic))
    return Scores(score, batch.host_offsets)
