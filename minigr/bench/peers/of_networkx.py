"""The calls of NetworkX."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Any

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
    EDGE_BETWEENNESS,
    EIGENVECTOR,
    FLOW,
    FOREST,
    HARMONIC,
    HITS,
    INDEPENDENT_SET,
    ITERATION,
    ITERATIONS,
    KATZ,
    LEVELS,
    LIGHTEST,
    LONGEST,
    MANY_PATHS,
    MAXIMAL_MATCHING,
    NEVER,
    PAGERANK,
    PATHS,
    REDUCTION,
    RICH_CLUB,
    SHORTEST,
    SIMILARITY,
    SSSP,
    STRONG,
    TRIANGLES,
    TRUSS,
    TRUSS_OF,
    alpha_of,
    target_from,
    without_weights,
)
from minigr.bench.peers.peer import PeerCall, is_the_same_to_all


def calls(graph: Any, source: int) -> dict[str, PeerCall]:
    import networkx as nx

    other, plain = graph.to_networkx(), without_weights(graph).to_networkx()
    components = nx.weakly_connected_components if graph.directed else nx.connected_components

    def iterate() -> None:
        try:
            nx.pagerank(other, alpha=DAMPING, max_iter=ITERATIONS, tol=NEVER, weight=None)
        except nx.PowerIterationFailedConvergence:
            return  # always, after max_iter iterations

    found = {
        BFS: PeerCall(
            "bfs_edges: parents",
            lambda: {child: parent for parent, child in nx.bfs_edges(other, source)},
            found=lambda parent: len(parent) + 1,
        ),
        COMPONENTS: PeerCall(f"{components.__name__}: sets", lambda: list(components(other)), found=len),
        BETWEENNESS: PeerCall(
            "betweenness_centrality_subset, from one source",
            lambda: nx.betweenness_centrality_subset(other, [source], list(other)),
            found=lambda score: sum(value > 0 for value in score.values()),
        ),
        HARMONIC: PeerCall(
            "harmonic_centrality of one vertex",
            lambda: nx.harmonic_centrality(other, nbunch=[source]),
            found=lambda score: float(sum(score.values())),
        ),
        PAGERANK: PeerCall("pagerank, with its conversion to SciPy", lambda: nx.pagerank(other, weight=None)),
        HITS: PeerCall("hits, by SciPy's svds", lambda: nx.hits(plain)),
        ITERATION: PeerCall("pagerank, with its conversion to SciPy", iterate, ITERATIONS),
        DEGREE: PeerCall(
            "degree_centrality: a dict",
            lambda: nx.degree_centrality(other),
            found=lambda shares: round(sum(shares.values()) * (len(shares) - 1)),
        ),
    }

    if not other.is_multigraph():
        found[EDGE_BETWEENNESS] = PeerCall(
            "edge_betweenness_centrality_subset, from one source",
            lambda: nx.edge_betweenness_centrality_subset(other, [source], list(other)),
            found=lambda score: sum(value > 0 for value in score.values()),
        )

    def eigenvector() -> Any:
        try:
            return nx.eigenvector_centrality(plain)
        except nx.PowerIterationFailedConvergence:
            return {}

    if not other.is_multigraph():
        found[EIGENVECTOR] = PeerCall("eigenvector_centrality, in at most 100 steps: a dict", eigenvector)
        found[KATZ] = PeerCall(
            "katz_centrality, until it converged: a dict", lambda: nx.katz_centrality(plain, alpha_of(graph))
        )
    if is_the_same_to_all(graph):
        found[CORE_NUMBER] = PeerCall(
            "core_number: a dict", lambda: nx.core_number(other), found=lambda core: sum(core.values())
        )
    if not other.is_directed() and not other.is_multigraph():
        found[TRIANGLES] = PeerCall(
            "triangles: at each vertex", lambda: nx.triangles(other), found=lambda at: sum(at.values()) // 3
        )
        found[TRUSS] = PeerCall(
            f"k_truss of {TRUSS_OF}: a graph", lambda: nx.k_truss(other, TRUSS_OF), found=lambda left: left.size()
        )
        found[MAXIMAL_MATCHING] = PeerCall("maximal_matching: a set", lambda: nx.maximal_matching(other))
    if is_the_same_to_all(graph):
        found[SIMILARITY] = PeerCall(
            "jaccard_coefficient of all edges: a list",
            lambda: [score for *_, score in nx.jaccard_coefficient(other, other.edges)],
            found=lambda scores: float(sum(scores)),
        )
        found[RICH_CLUB] = PeerCall(
            "rich_club_coefficient, not normalized: a dict",
            lambda: nx.rich_club_coefficient(other, normalized=False),
            found=len,
        )
    assorted = "degree_assortativity_coefficient: a number"
    found[ASSORTATIVITY] = PeerCall(assorted, lambda: nx.degree_assortativity_coefficient(other))
    if not other.is_directed():
        largest_first = "greedy_color, largest_first: a dict"
        found[COLORING] = PeerCall(largest_first, lambda: nx.greedy_color(other, "largest_first"))
        found[INDEPENDENT_SET] = PeerCall(
            "maximal_independent_set: a list", lambda: nx.maximal_independent_set(other, seed=0)
        )
        found[BICONNECTED] = PeerCall(
            "biconnected_components: sets", lambda: list(nx.biconnected_components(other)), found=len
        )
        if graph.num_vertices and nx.is_connected(other):
            bounded = "diameter with usebounds: a number"
            found[DIAMETER] = PeerCall(bounded, lambda: nx.diameter(other, usebounds=True), found=int)
            found[ECCENTRICITY] = PeerCall(
                "eccentricity: a dict", lambda: nx.eccentricity(other), found=lambda result: sum(result.values())
            )
    if graph.weighted and not other.is_multigraph():
        sink = highest_degree(graph, source)
        found[FLOW] = PeerCall(
            "maximum_flow_value (preflow_push)",
            lambda: nx.maximum_flow_value(other, source, sink, capacity="weight"),
            found=float,
        )
    if graph.directed:
        strong = "strongly_connected_components: sets"
        found[STRONG] = PeerCall(strong, lambda: list(nx.strongly_connected_components(other)), found=len)
        found[LEVELS] = PeerCall(
            "topological_generations: lists", lambda: list(nx.topological_generations(other)), found=len
        )
        found[LONGEST] = PeerCall(
            "dag_longest_path: one path",
            lambda: nx.dag_longest_path(other, weight=None),
            found=lambda path: max(len(path) - 1, 0),
        )
        found[REDUCTION] = PeerCall(
            "transitive_reduction: a graph", lambda: nx.transitive_reduction(other), found=lambda left: left.size()
        )
    if graph.weighted and not graph.directed:
        what = "minimum_spanning_edges (Kruskal)"
        found[FOREST] = PeerCall(what, lambda: list(nx.minimum_spanning_edges(other, data=False)), found=len)
    target = target_from(graph, source)

    def length_of(search: Callable[..., tuple[float, Any]]) -> float:
        try:
            return search(other, source, target)[0]
        except nx.NetworkXNoPath:
            return -1

    def between() -> list[int]:
        try:
            return nx.bidirectional_shortest_path(other, source, target)
        except nx.NetworkXNoPath:
            return []

    def several() -> list[list[int]]:
        try:
            return list(islice(nx.shortest_simple_paths(other, source, target), MANY_PATHS))
        except nx.NetworkXNoPath:
            return []

    found[SHORTEST] = PeerCall("bidirectional_shortest_path: a list", between, found=len)
    if graph.is_simple:
        found[PATHS] = PeerCall(
            "shortest_simple_paths: lists", several, found=lambda paths: sum(len(path) - 1 for path in paths)
        )
    if graph.weighted:
        found[LIGHTEST] = PeerCall(
            "bidirectional_dijkstra: length and path", lambda: length_of(nx.bidirectional_dijkstra), found=float
        )
        found[SSSP] = PeerCall(
            "dijkstra_predecessor_and_distance",
            lambda: nx.dijkstra_predecessor_and_distance(other, source),
            found=lambda result: len(result[1]),
        )
    return found
