"""The calls of python-graphblas."""

from __future__ import annotations

from typing import Any

from minigr.bench.named import (
    BFS,
    DAMPING,
    ITERATION,
    ITERATIONS,
    SSSP,
)
from minigr.bench.peers.peer import PeerCall


def calls(graph: Any, source: int) -> dict[str, PeerCall]:
    import graphblas as gb

    count, matrix = graph.num_vertices, graph.to_scipy()
    adjacency = gb.Matrix.from_csr(matrix.indptr, matrix.indices, 1, ncols=count, dtype=bool)
    inward = adjacency.T.new()
    degree = adjacency.reduce_rowwise(gb.agg.count).new(gb.dtypes.FP64)  # no entry for vertices without out-edges
    per_edge = gb.binary.truediv(DAMPING, degree).new()

    def bfs() -> Any:
        parent, frontier = gb.Vector(gb.dtypes.INT64, count), gb.Vector(gb.dtypes.INT64, count)
        parent[source] = frontier[source] = source
        while frontier.nvals:
            frontier(~parent.S, replace=True) << gb.semiring.ss.any_secondi(frontier @ adjacency)
            parent(frontier.S) << frontier
        return parent

    def iterate() -> Any:
        rank = gb.Vector.from_scalar(1 / count, count)
        for _ in range(ITERATIONS):
            share = gb.binary.times(rank & per_edge).new()
            dangling = 1 - float(rank.dup(mask=degree.S).reduce().get(0.0))
            rank = gb.Vector.from_scalar((1 - DAMPING + DAMPING * dangling) / count, count)
            rank(gb.binary.plus) << gb.semiring.plus_second(inward @ share)
        return rank

    found = {
        BFS: PeerCall("any_secondi, masked: parents", bfs, found=lambda parent: parent.nvals),
        ITERATION: PeerCall("power iteration by plus_second, float64", iterate, ITERATIONS),
    }
    if graph.weighted:
        weighted = gb.io.from_scipy_sparse(matrix)

        def sssp() -> Any:
            distance = gb.Vector(weighted.dtype, count)
            distance[source] = 0
            while True:  # Bellman-Ford, in the short form that users of the library write
                before = distance.dup()
                distance(gb.binary.min) << gb.semiring.min_plus(distance @ weighted)
                if distance.isequal(before):
                    return distance

        what = "min_plus until nothing changes: distances"
        found[SSSP] = PeerCall(what, sssp, found=lambda distance: distance.nvals)
    return found
