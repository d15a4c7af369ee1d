"""Other libraries, called as their users call them, to be timed in turn with minigr.

A peer is one function that takes a graph and returns the calls to time. The conversion of the graph is not timed,
because minigr's graph is ready before its calls, too. The `what` of a call says what is compared, because no two
libraries return exactly the same.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from minigr import primitives
from minigr.apps.common.sources import highest_degree
from minigr.errors import GraphError
from minigr.graphs.convert import edge_arrays
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


@dataclass(frozen=True)
class PeerCall:
    """One call of a peer.

    Attributes
    ----------
    what : str
        The call of the library, and how its results differ from those of minigr.
    call : callable
    divide : int
        The number of iterations of the call, where the time of one iteration is reported; otherwise 1.
    found : callable or None
        Gets the result of the call and returns the number that `App.found` returns for minigr's result, such as how
        many vertices a search reached. Both numbers are compared.
    labels : callable or None
        Gets the result of the call and returns the label of each vertex, where communities are found.
    """

    what: str
    call: Callable[[], Any]
    divide: int = 1
    found: Callable[[Any], float] | None = None
    labels: Callable[[Any], Any] | None = None


@dataclass(frozen=True)
class Peer:
    """A library that may be installed.

    Attributes
    ----------
    name : str
        The name for ``--peers``.
    module : str
        The module to import.
    package : str
        The package to install.
    device : str
        ``"cpu"`` or ``"cuda"``.
    calls : callable
        ``(graph, source) -> {app: PeerCall}``; imports the library. The graph has weights only if SSSP is wanted.
        PageRank must ignore them.
    spins : bool
        Whether the library's threads keep spinning on the cores for a while after a call, as threads of OpenMP do.
    most_arcs : int or None
        Larger graphs leave the peer out by default, because its own form of the graph takes minutes and gigabytes.
    """

    name: str
    module: str
    package: str
    device: str
    calls: Callable[[Any, int], dict[str, PeerCall]]
    spins: bool = False
    most_arcs: int | None = None

    @property
    def is_installed(self) -> bool:
        return importlib.util.find_spec(self.module) is not None


def _membership(clustering: Any) -> Any:
    """The labels of igraph's clusters."""
    return np.asarray(clustering.membership)


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


def _is_the_same_to_all(graph: Any) -> bool:
    """Whether all libraries agree on cores and neighbors: some count directions, loops and parallel edges."""
    return not graph.directed and bool(graph.is_simple)


def _scipy(graph: Any, source: int) -> dict[str, PeerCall]:
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


def alpha_of(graph: Any) -> float:
    """An attenuation with which Katz centrality converges, because no eigenvalue is above the greatest degree."""
    return 1.0 / (1 + int(graph.degree().max())) if graph.num_vertices else 1.0


def _lightest(matrix: Any) -> Any:
    """The matrix with only the lightest of parallel edges, because csgraph adds up their weights."""
    from scipy.sparse import csr_array

    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    order = np.lexsort((matrix.data, matrix.indices, rows))
    ends = rows[order], matrix.indices[order]
    distinct = np.r_[True, (np.diff(ends) != 0).any(axis=0)][: len(order)]
    return csr_array((matrix.data[order][distinct], (ends[0][distinct], ends[1][distinct])), shape=matrix.shape)


def _networkx(graph: Any, source: int) -> dict[str, PeerCall]:
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
    if _is_the_same_to_all(graph):
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
    if _is_the_same_to_all(graph):
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


def _igraph(graph: Any, source: int) -> dict[str, PeerCall]:
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
    if _is_the_same_to_all(graph):
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


def _networkit(graph: Any, source: int) -> dict[str, PeerCall]:
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
        KATZ: PeerCall(
            "centrality.KatzCentrality, until it converged",
            lambda: nk.centrality.KatzCentrality(plain, alpha_of(graph), 1.0).run().scores(),
        ),
        ITERATION: PeerCall("centrality.PageRank", lambda: pagerank(ITERATIONS), ITERATIONS),
    }
    if _is_the_same_to_all(graph):
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


def _graphblas(graph: Any, source: int) -> dict[str, PeerCall]:
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


def _cugraph(graph: Any, source: int) -> dict[str, PeerCall]:
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


PEERS = {
    peer.name: peer
    for peer in (
        Peer("scipy", "scipy", "scipy", "cpu", _scipy),
        Peer("networkx", "networkx", "networkx", "cpu", _networkx, most_arcs=1_000_000),
        Peer("igraph", "igraph", "igraph", "cpu", _igraph),
        Peer("networkit", "networkit", "networkit", "cpu", _networkit, spins=True),
        Peer("graphblas", "graphblas", "python-graphblas", "cpu", _graphblas, spins=True),
        Peer("cugraph", "cugraph", "cugraph", "cuda", _cugraph),
    )
}
"""All peers by name."""


def choose(names: Sequence[str] | None, graph: Any) -> tuple[list[Peer], dict[str, str]]:
    """The peers to time on a graph, and for each other peer, by name, why it is left out.

    Parameters
    ----------
    names : sequence of str or None
        Names of `PEERS`. None: all peers that run on the graph's device and are not too slow for its size.

    Raises
    ------
    GraphError
        If a peer is named that runs on another device.

    Examples
    --------
    >>> import minigr as mg
    >>> found, absent = choose(["scipy"], mg.generate.path(3, device="cpu"))
    >>> [peer.name for peer in found], absent
    (['scipy'], {})
    """
    kind = graph._device.kind
    chosen, absent = [], {}
    for name in [peer.name for peer in PEERS.values() if peer.device == kind] if names is None else names:
        peer = PEERS[name]
        if peer.device != kind:
            raise GraphError(f"{name} runs on {peer.device}, and the graph is on {kind}: leave it out of --peers")
        if not peer.is_installed:
            absent[name] = f"not installed (pip install {peer.package})"
        elif names is None and peer.most_arcs is not None and graph.num_arcs > peer.most_arcs:
            absent[name] = f"left out above {peer.most_arcs:,} arcs (--peers {name} to have it)"
        else:
            chosen.append(peer)
    return chosen, absent
