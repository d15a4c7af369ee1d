"""Shortest paths between all pairs of vertices of each graph.

By hops, one search starts from 64 vertices, with a bit for each in a word for each vertex: Then, Kaufmann, Chirigati,
Hoang-Vu, Pham, Kemper, Neumann, Vo, The More the Merrier: Efficient Multi-Source Graph Traversal (VLDB 2014). By
weight, one search starts from one vertex. On a CPU it is Dijkstra's. On a GPU, each vertex takes the minimum over its
neighbors of the neighbor's distance plus the weight of the edge, until no distance changes (Bellman, On a Routing
Problem, 1958).
"""

from __future__ import annotations

from minigr.batch.backend import kernels, require_batch
from minigr.batch.results import Matrices
from minigr.batch.units import host_pair_offsets
from minigr.batch.weights import require_weights
from minigr.graphs.backend import scope
from minigr.graphs.batch import GraphBatch
from minigr.signatures import names_options


@names_options
def shortest_paths(batch: GraphBatch, *, weighted: bool = False) -> Matrices:
    """The distances between all pairs of vertices of each graph.

    Parameters
    ----------
    batch : GraphBatch
    weighted : bool
        If True, the length of a path is the sum of its weights, which must be at least 0. Otherwise, the length is the
        number of edges.

    Returns
    -------
    Matrices
        ``result[i][u, v]`` is the distance from u to v in graph i. By hops, the distance is int32, and -1 if no path
        exists. By weight, the distance is the least sum of weights, float64, and inf if no path exists.

    Raises
    ------
    GraphError
        If `batch` is not a GraphBatch. By weight, if there are no weights, or if a weight is negative or infinite; the
        message names the graph of the weight.

    Notes
    -----
    For a graph of n vertices and m edges, the work is O(n m / 64) for each level of a search, and at most O(n m) in
    total on a CPU. By weight, the work is O(n m log n) on a CPU, and O(n m) for each edge of the longest path on a GPU.
    The result takes 4 bytes per pair, or 8 by weight, and is the same in every run and on every device.

    Examples
    --------
    >>> import minigr as mg
    >>> batch = mg.GraphBatch.from_graphs([[(0, 1), (1, 2)], [(0, 1)]], device="cpu")
    >>> mg.batch.shortest_paths(batch)[0]
    array([[0, 1, 2],
           [1, 0, 1],
           [2, 1, 0]], dtype=int32)
    """
    require_batch(batch, "shortest_paths")
    if weighted:
        require_weights(batch, "shortest_paths", zero=True)
    with scope(batch.graph._device):
        run = kernels(batch)
        distance = run.weighted_distances(batch) if weighted else run.hop_distances(batch)
    return Matrices(distance, host_pair_offsets(batch), batch.sizes)
