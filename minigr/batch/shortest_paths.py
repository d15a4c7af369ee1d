"""Shortest paths between all pairs of vertices of each graph.

By hops, a search goes from 64 vertices at once, with a bit for each in a word for each vertex: Then, Kaufmann,
Chirigati, Hoang-Vu, Pham, Kemper, Neumann, Vo, The More the Merrier: Efficient Multi-Source Graph Traversal (VLDB
2014). By weight, a search is one of a vertex: Dijkstra's on a CPU; on a GPU vertices take the least of their
neighbors' distances and an edge until none changes (Bellman, On a Routing Problem, 1958).
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
        Whether a path is as long as the sum of its weights, which must be at least 0, or has as many hops as edges.

    Returns
    -------
    Matrices
        ``result[i][u, v]`` is the distance from u to v in graph i: how many hops, int32, and -1 where there is no path;
        or the least sum of weights, float64, and inf.

    Raises
    ------
    GraphError
        If `batch` is no GraphBatch; by weight, if there are no weights, or one is negative or infinite. The message
        names its graph.

    Notes
    -----
    For a graph of n vertices and m edges the work is O(n m / 64) for each level of a search, and no more than O(n m) in
    all on a CPU; by weight O(n m log n) on a CPU, and on a GPU O(n m) for each edge of the longest of the paths. The
    result takes 4 bytes a pair, by weight 8, and is the same in every run and on every device.

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
