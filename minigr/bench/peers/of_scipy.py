"""The calls of SciPy: its module `csgraph`, and products of its sparse arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.bench.named import (
    ALL_PAIRS,
    BFS,
    BIPARTITE_MATCHING,
    COMPONENTS,
    DAMPING,
    FOREST,
    ITERATION,
    ITERATIONS,
    MULTI_BFS,
    SSSP,
    STRONG,
    sources_from,
)
from minigr.bench.peers.peer import PeerCall


def calls(graph: Any, source: int) -> dict[str, PeerCall]:
    from scipy.sparse import csgraph, csr_array

    matrix = graph.to_scipy()
    if matrix.nnz < np.iinfo(np.int32).max:  # the dtypes of csgraph, which otherwise converts them in each call
        rows = matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32)
        matrix = csr_array((matrix.data.astype(np.float64), *rows), shape=matrix.shape)
    found = {
        BFS: PeerCall(
            "csgraph.breadth_first_order: order and parents",
            lambda: csgraph.breadth_first_order(matrix, source),
            found=lambda result: len(result[0]),
        ),
        COMPONENTS: PeerCall(
            "csgraph.connected_components, undirected: how many, and labels",
            lambda: csgraph.connected_components(matrix, directed=False),
            found=lambda result: result[0],
        ),
        MULTI_BFS: PeerCall(
            "csgraph.dijkstra, unweighted: distances",
            lambda: csgraph.dijkstra(matrix, indices=sources_from(graph, source), unweighted=True),
            found=lambda distance: int(np.isfinite(distance).sum()),
        ),
        ALL_PAIRS: PeerCall(
            "csgraph.dijkstra, unweighted: distances at once",
            lambda: csgraph.dijkstra(matrix, indices=sources_from(graph, source, 256), unweighted=True),
            found=lambda distance: int(np.isfinite(distance).sum()),
        ),
    }
    distinct = matrix.copy()
    distinct.sum_duplicates()  # csgraph does not terminate on parallel edges
    found[BIPARTITE_MATCHING] = PeerCall(
        "csgraph.maximum_bipartite_matching: of rows and columns",
        lambda: csgraph.maximum_bipartite_matching(distinct),
        found=lambda mate: int((mate >= 0).sum()),
    )
    if graph.directed:
        found[STRONG] = PeerCall(
            "csgraph.connected_components, strong: how many, and labels",
            lambda: csgraph.connected_components(distinct, connection="strong"),
            found=lambda result: result[0],
        )
    if graph.weighted:
        found[SSSP] = PeerCall(
            "csgraph.dijkstra: distances",
            lambda: csgraph.dijkstra(matrix, indices=source),
            found=lambda distance: int(np.isfinite(distance).sum()),
        )
    if graph.weighted and not graph.directed:
        above = _lightest(matrix)
        above.data += 1 - matrix.data.min(initial=0)  # csgraph takes a weight of 0 as no edge
        found[FOREST] = PeerCall(
            "csgraph.minimum_spanning_tree: a matrix",
            lambda: csgraph.minimum_spanning_tree(above),
            found=lambda tree: tree.nnz,
        )
    degree = np.diff(matrix.indptr).astype(np.float64)
    inward = matrix.T.tocsr()
    inward.data = np.ones(inward.nnz)
    count = graph.num_vertices

    def iterate() -> Any:
        rank = np.full(count, 1 / count)
        for _ in range(ITERATIONS):
            share = np.divide(rank, degree, out=np.zeros(count), where=degree > 0)
            dangling = rank[degree == 0].sum()
            rank = DAMPING * (inward @ share + dangling / count) + (1 - DAMPING) / count
        return rank

    found[ITERATION] = PeerCall("power iteration by csr_array @ vector, float64", iterate, ITERATIONS)
    return found


def _lightest(matrix: Any) -> Any:
    """The matrix with only the lightest of parallel edges, because csgraph adds up their weights."""
    from scipy.sparse import csr_array

    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    order = np.lexsort((matrix.data, matrix.indices, rows))
    ends = rows[order], matrix.indices[order]
    distinct = np.r_[True, (np.diff(ends) != 0).any(axis=0)][: len(order)]
    return csr_array((matrix.data[order][distinct], (ends[0][distinct], ends[1][distinct])), shape=matrix.shape)
