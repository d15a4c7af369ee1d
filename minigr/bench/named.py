"""The names of the apps that benches time, and what all libraries are given: parameters, sources and graphs."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.graphs.graph import Graph

DAMPING = 0.85
ITERATIONS = 20
"""The number of iterations of PageRank where one iteration is timed."""
TOP = 100
"""The number of greatest ranks to find for each of several vertices."""
ERROR = 0.3
"""The error that estimates may have."""
CLIQUES_OF = 4
"""Vertices of the cliques that are counted."""
TRUSS_OF = 8
"""The k of the k-truss to find."""
MANY_PATHS = 4
"""The number of shortest paths to find."""
NEVER = 1e-300
"""A tolerance that PageRank never reaches."""
BFS, MULTI_BFS, SSSP, PAGERANK, ITERATION = "bfs", "multi-source-bfs", "sssp", "pagerank", "pagerank-step"
SHORTEST, LIGHTEST, PATHS = "shortest-path", "shortest-path-by-weight", "k-shortest-paths"
ALL_PAIRS, ARRIVAL = "all-pairs-of-256", "earliest-arrival"
COMPONENTS, STRONG, TRIANGLES, CORE_NUMBER = "components", "strong-components", "triangles", "core-number"
LABELS, BETWEENNESS, HARMONIC, HITS, FOREST = "label-propagation", "betweenness", "harmonic", "hits", "spanning-forest"
LOUVAIN, LEIDEN, BICONNECTED = "louvain", "leiden", "biconnected"
EIGENVECTOR, KATZ, DEGREE, EDGE_BETWEENNESS = "eigenvector", "katz", "degree", "edge-betweenness"
PERSONALIZED = "personalized-pagerank"
APPROXIMATE_BETWEENNESS, APPROXIMATE_CLOSENESS = "approximate-betweenness", "approximate-closeness"
APPROXIMATE_HARMONIC = "approximate-harmonic"
ECCENTRICITY, DIAMETER, CLIQUES = "eccentricity", "diameter", "cliques"
ASSORTATIVITY, RICH_CLUB = "assortativity", "rich-club"
LEVELS, LONGEST, REDUCTION = "topological-levels", "longest-path", "transitive-reduction"
COLORING, INDEPENDENT_SET, TRUSS, SIMILARITY = "coloring", "independent-set", "truss", "similarity"
SAMPLE, FANOUTS, SEEDS = "sample-neighbors", (10, 10), 2**20
WALKS, BIASED_WALKS, STEPS = "random-walks", "node2vec-walks", 10
NEGATIVES = "negative-samples"
MAXIMAL_MATCHING, BIPARTITE_MATCHING, FLOW = "maximal-matching", "bipartite-matching", "maximum-flow"
SINGLE_ITERATION = "pagerank-step-single"  # with shares in single precision, as some peers always compute


def sources_from(graph: Any, source: int, count: int = 64) -> Any:
    """`count` vertices to search from: `source`, and others at even distances after it."""
    return np.unique((source + np.arange(count) * graph.num_vertices // count) % graph.num_vertices)


def target_from(graph: Any, source: int) -> int:
    """The target of a path from `source`: the vertex half of all ids away."""
    return (source + graph.num_vertices // 2) % graph.num_vertices


def seeds_of(graph: Any) -> Any:
    """The vertices where walks begin and whose neighbors are sampled: `SEEDS` at even distances, or all if fewer."""
    count = min(graph.num_vertices, SEEDS)
    return graph._device.xp.arange(count, dtype=np.int32) * (graph.num_vertices // max(count, 1))


def without_weights(graph: Any) -> Any:
    """The same graph without its weights, sharing its arrays; the graph itself if it has no weights."""
    if not graph.weighted:
        return graph
    return Graph.from_csr(graph.offsets, graph.indices, directed=graph.directed, device=graph.device, validate=False)


def alpha_of(graph: Any) -> float:
    """An attenuation with which Katz centrality converges, because no eigenvalue is above the greatest degree."""
    return 1.0 / (1 + int(graph.degree().max())) if graph.num_vertices else 1.0
