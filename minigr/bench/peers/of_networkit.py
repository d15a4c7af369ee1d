"""The calls of networkit."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.bench.named import (
    APPROXIMATE_BETWEENNESS,
    BETWEENNESS,
    BFS,
    BICONNECTED,
    COMPONENTS,
    CORE_NUMBER,
    DAMPING,
    ERROR,
    ITERATION,
    ITERATIONS,
    LABELS,
    LOUVAIN,
    MULTI_BFS,
    PAGERANK,
    SSSP,
    STRONG,
    TRIANGLES,
    sources_from,
)
from minigr.bench.peers.peer import PeerCall, is_the_same_to_all
from minigr.graphs.convert import edge_arrays


def calls(graph: Any, source: int) -> dict[str, PeerCall]:
    import networkit as nk

    src, dst, weights = edge_arrays(graph)
    pair = src.astype(np.int64), dst.astype(np.int64)  # NetworKit takes no other integers
    edges = pair if weights is None else (weights.astype(np.float64), pair)
    other = nk.GraphFromCoo(edges, n=graph.num_vertices, weighted=weights is not None, directed=graph.directed)
    plain = other if weights is None else nk.graphtools.toUnweighted(other)

    def reached(search: Any) -> int:
        distances = np.array(search.getDistances(False))
        return int((distances < np.finfo(np.float64).max).sum())  # the greatest double stands for "unreached"

    def pagerank(iterations: int | None) -> Any:
        run = nk.centrality.PageRank(plain, DAMPING, 1e-6 if iterations is None else 0.0)
        if iterations is not None:
            run.maxIterations = iterations
        return run.run()

    components = (
        nk.components.WeaklyConnectedComponents if graph.directed else nk.components.ParallelConnectedComponents
    )
    found = {
        BFS: PeerCall(
            "distance.BFS: distances, no paths",
            lambda: nk.distance.BFS(plain, source, storePaths=False).run(),
            found=reached,
        ),
        MULTI_BFS: PeerCall(
            "distance.BFS from one after the other: distances, no paths",
            lambda: [nk.distance.BFS(plain, v, storePaths=False).run() for v in sources_from(graph, source)],
            found=lambda searches: sum(map(reached, searches)),
        ),
        COMPONENTS: PeerCall(
            f"components.{components.__name__}",
            lambda: components(plain).run(),
            found=lambda run: run.numberOfComponents(),
        ),
        APPROXIMATE_BETWEENNESS: PeerCall(
            "centrality.ApproxBetweenness, paths drawn at random, of the same error",
            lambda: nk.centrality.ApproxBetweenness(plain, ERROR, 0.1).run().scores(),
        ),
        BETWEENNESS: PeerCall(
            "centrality.EstimateBetweenness, from one vertex drawn at random",
            lambda: nk.centrality.EstimateBetweenness(plain, 1).run(),
        ),
        PAGERANK: PeerCall("centrality.PageRank, tolerance 1e-6 in the L2 norm", lambda: pagerank(None)),
        ITERATION: PeerCall("centrality.PageRank", lambda: pagerank(ITERATIONS), ITERATIONS),
    }
    if is_the_same_to_all(graph):
        found[CORE_NUMBER] = PeerCall(
            "centrality.CoreDecomposition",
            lambda: nk.centrality.CoreDecomposition(plain).run(),
            found=lambda run: int(sum(run.scores())),
        )
    if not graph.directed:
        found[LABELS] = PeerCall(
            "community.PLP, until few vertices change",
            lambda: nk.community.PLP(plain).run().getPartition(),
            labels=lambda partition: np.asarray(partition.getVector()),
        )
        found[BICONNECTED] = PeerCall(
            "components.BiconnectedComponents",
            lambda: nk.components.BiconnectedComponents(plain).run(),
            found=lambda run: run.numberOfComponents(),
        )
        found[LOUVAIN] = PeerCall(
            "community.PLM, Louvain's method in parallel",
            lambda: nk.community.PLM(plain).run().getPartition(),
            labels=lambda partition: np.asarray(partition.getVector()),
        )
    if not graph.directed and graph.is_simple:
        found[TRIANGLES] = PeerCall(
            "globals.ClusteringCoefficient.exactGlobal: their share, not their number",
            lambda: nk.globals.ClusteringCoefficient.exactGlobal(plain),
        )
    if graph.directed:
        found[STRONG] = PeerCall(
            "components.StronglyConnectedComponents",
            lambda: nk.components.StronglyConnectedComponents(plain).run(),
            found=lambda run: run.numberOfComponents(),
        )
    if weights is not None:
        found[SSSP] = PeerCall(
            "distance.Dijkstra: distances, no paths",
            lambda: nk.distance.Dijkstra(other, source, storePaths=False).run(),
            found=reached,
        )
    return found
