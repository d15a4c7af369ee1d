"""The calls of igraph."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.apps.common.sources import highest_degree
from minigr.bench.named import (
    ASSORTATIVITY,
    BETWEENNESS,
    BFS,
    BICONNECTED,
    COLORING,
    COMPONENTS,
    CORE_NUMBER,
    DAMPING,
    DEGREE,
    DIAMETER,
    ECCENTRICITY,
    FLOW,
    FOREST,
    HARMONIC,
    HITS,
    LABELS,
    LEIDEN,
    LEVELS,
    LOUVAIN,
    MANY_PATHS,
    MULTI_BFS,
    PAGERANK,
    PATHS,
    PERSONALIZED,
    SHORTEST,
    SIMILARITY,
    SSSP,
    STRONG,
    TRIANGLES,
    sources_from,
    target_from,
)
from minigr.bench.peers.peer import PeerCall, is_the_same_to_all
from minigr.graphs.convert import edge_arrays


def _membership(clustering: Any) -> Any:
    """The labels of igraph's clusters."""
    return np.asarray(clustering.membership)


def calls(graph: Any, source: int) -> dict[str, PeerCall]:
    import igraph

    src, dst, weights = edge_arrays(graph)
    other = igraph.Graph(n=graph.num_vertices, edges=np.stack([src, dst], axis=1), directed=graph.directed)
    found = {
        BFS: PeerCall(
            "Graph.bfs: order and parents, as lists",
            lambda: other.bfs(source, mode="out"),
            found=lambda result: len(result[0]),
        ),
        ASSORTATIVITY: PeerCall("Graph.assortativity_degree: a number", other.assortativity_degree),
        MULTI_BFS: PeerCall(
            "Graph.distances: distances, as lists",
            lambda: other.distances(sources_from(graph, source).tolist(), mode="out"),
            found=lambda rows: int(sum(np.isfinite(row).sum() for row in rows)),
        ),
        COMPONENTS: PeerCall(
            "Graph.connected_components, weak: labels, as a list",
            lambda: other.connected_components(mode="weak"),
            found=len,
        ),
        BETWEENNESS: PeerCall(
            "Graph.betweenness, from one source, as a list",
            lambda: other.betweenness(directed=graph.directed, sources=[source]),
            found=lambda score: sum(value > 0 for value in score),
        ),
        HARMONIC: PeerCall(
            "Graph.harmonic_centrality of one vertex",
            lambda: other.harmonic_centrality(source, mode="in", normalized=False),
            found=float,
        ),
        TRIANGLES: PeerCall(
            "Graph.transitivity_undirected: their share, not their number", lambda: other.transitivity_undirected()
        ),
        PAGERANK: PeerCall("Graph.pagerank (PRPACK), until it converged", lambda: other.pagerank(damping=DAMPING)),
        PERSONALIZED: PeerCall(
            "Graph.personalized_pagerank (PRPACK), from one after the other: lists",
            lambda: [
                other.personalized_pagerank(damping=DAMPING, reset_vertices=int(v)) for v in sources_from(graph, source)
            ],
        ),
        DEGREE: PeerCall("Graph.degree: a list", other.degree, found=sum),
        HITS: PeerCall(
            "Graph.hub_score and Graph.authority_score (ARPACK), each",
            lambda: (other.hub_score(), other.authority_score()),
        ),
    }
    if is_the_same_to_all(graph):
        found[CORE_NUMBER] = PeerCall("Graph.coreness: a list", other.coreness, found=sum)
        edges = np.stack([src, dst], axis=1).tolist()
        found[SIMILARITY] = PeerCall(
            "Graph.similarity_jaccard of all edges: a list",
            lambda: other.similarity_jaccard(pairs=edges, loops=False),
            found=lambda scores: float(sum(scores)),
        )
    if not graph.directed:
        found[LABELS] = PeerCall(
            "Graph.community_label_propagation, one vertex after the other, until it converged",
            other.community_label_propagation,
            labels=_membership,
        )
        one_by_one = "Graph.community_multilevel, one vertex after the other"
        found[LOUVAIN] = PeerCall(one_by_one, other.community_multilevel, labels=_membership)
        found[LEIDEN] = PeerCall(
            "Graph.community_leiden, by modularity, two iterations",
            lambda: other.community_leiden("modularity"),
            labels=_membership,
        )
        found[COLORING] = PeerCall("Graph.vertex_coloring_greedy: a list", other.vertex_coloring_greedy)
        found[BICONNECTED] = PeerCall("Graph.biconnected_components: lists", other.biconnected_components, found=len)
        found[DIAMETER] = PeerCall("Graph.diameter: a number", other.diameter, found=int)
        found[ECCENTRICITY] = PeerCall(
            "Graph.eccentricity: a list", other.eccentricity, found=lambda found: int(sum(found))
        )
    if graph.directed:
        strong = "Graph.connected_components, strong: labels, as a list"
        found[STRONG] = PeerCall(strong, lambda: other.connected_components(mode="strong"), found=len)
        found[LEVELS] = PeerCall("Graph.topological_sorting: an order, without levels", other.topological_sorting)
    target = target_from(graph, source)
    found[SHORTEST] = PeerCall(
        "Graph.get_shortest_path: a list", lambda: other.get_shortest_path(source, target, mode="out"), found=len
    )
    if graph.is_simple:
        found[PATHS] = PeerCall(
            "Graph.get_k_shortest_paths: lists",
            lambda: other.get_k_shortest_paths(source, target, MANY_PATHS, mode="out"),
            found=lambda paths: sum(len(path) - 1 for path in paths),
        )
    if weights is not None:
        lengths, sink = weights.tolist(), highest_degree(graph, source)
        found[FLOW] = PeerCall(
            "Graph.maxflow_value (push-relabel)",
            lambda: other.maxflow_value(source, sink, capacity=lengths),
            found=float,
        )
        if not graph.directed:
            found[FOREST] = PeerCall(
                "Graph.spanning_tree: ids, as a list",
                lambda: other.spanning_tree(weights=lengths, return_tree=False),
                found=len,
            )
        found[SSSP] = PeerCall(
            "Graph.distances: distances, as a list",
            lambda: other.distances(source, weights=lengths, mode="out"),
            found=lambda rows: int(np.isfinite(rows[0]).sum()),
        )
    return found
