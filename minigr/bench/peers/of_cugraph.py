"""The calls of cuGraph."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr import primitives
from minigr.bench.named import (
    BETWEENNESS,
    BFS,
    DAMPING,
    ITERATION,
    ITERATIONS,
    NEVER,
    PAGERANK,
    SSSP,
    TRIANGLES,
)
from minigr.bench.peers.peer import PeerCall


def calls(graph: Any, source: int) -> dict[str, PeerCall]:
    import cudf
    import cugraph

    columns = {"src": primitives.lbs(graph.offsets, dtype=np.int32), "dst": graph.indices}
    if graph.weighted:
        columns["weight"] = graph.weights.astype(np.float32)

    def build(edge_attr: str | None, transposed: bool) -> Any:
        # An undirected edge is there in both directions already, so the graph is built as a directed graph.
        other = cugraph.Graph(directed=True)
        other.from_cudf_edgelist(
            cudf.DataFrame(columns),
            source="src",
            destination="dst",
            edge_attr=edge_attr,
            renumber=False,
            store_transposed=transposed,
        )
        return other

    plain, inward = build(None, False), build(None, True)

    def pagerank(tolerance: float, most: int) -> Any:
        return cugraph.pagerank(inward, alpha=DAMPING, tol=tolerance, max_iter=most, fail_on_nonconvergence=False)

    def reached(frame: Any) -> int:
        column = frame["distance"]  # the greatest value stands for "unreached"
        greatest = np.finfo(column.dtype).max if column.dtype.kind == "f" else np.iinfo(column.dtype).max
        return int((column < greatest).sum())

    found = {
        BFS: PeerCall("cugraph.bfs: distances and parents", lambda: cugraph.bfs(plain, source), found=reached),
        BETWEENNESS: PeerCall(
            "cugraph.betweenness_centrality, from one source",
            lambda: cugraph.betweenness_centrality(plain, k=[source], normalized=False),
            found=lambda frame: int((frame["betweenness_centrality"] > 0).sum()),
        ),
        PAGERANK: PeerCall("cugraph.pagerank", lambda: pagerank(1e-6, 100)),
        ITERATION: PeerCall("cugraph.pagerank", lambda: pagerank(NEVER, ITERATIONS), ITERATIONS),
    }
    if not graph.directed:
        undirected = cugraph.Graph()
        undirected.from_cudf_edgelist(cudf.DataFrame(columns), source="src", destination="dst", renumber=False)
        found[TRIANGLES] = PeerCall(
            "cugraph.triangle_count: at each vertex",
            lambda: cugraph.triangle_count(undirected),
            found=lambda frame: int(frame["counts"].sum()) // 3,
        )
    if graph.weighted:
        weighted = build("weight", False)
        found[SSSP] = PeerCall(
            "cugraph.sssp: distances and parents", lambda: cugraph.sssp(weighted, source), found=reached
        )
    return found
