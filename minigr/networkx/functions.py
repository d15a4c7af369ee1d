"""The functions that the backend offers, and the conditions for them: one line for each function of NetworkX.

To add a function, write it in a module of this folder, with the parameters of NetworkX and a `ConvertedGraph` as the
graph, and add a line to `FUNCTIONS`. This module is imported whenever NetworkX is imported. It therefore imports only
`arguments`, which also needs no other modules.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from minigr.networkx import arguments as given
from minigr.networkx.arguments import Reason

# Numbers of vertices and arcs below which NetworkX is faster than a conversion and a call of minigr: `PASS` for a
# search or another pass or two over the graph, and `HEAVY` for functions for which NetworkX takes far longer. If the
# graph is already converted, `CONVERTED` is enough for all functions. A function that NetworkX answers almost at once
# is never worth a conversion. Measured by `benchmarks/networkx_backend.py` on a CPU.
PASS, HEAVY, CONVERTED, NEVER = 50_000, 14_000, 10_000, math.inf
FLOWS = 2_000  # NetworkX takes longest for these; for smaller graphs no function is worth a conversion


@dataclass(frozen=True)
class Function:
    """One function that the backend offers.

    Attributes
    ----------
    module : str
        The module of this folder with the function.
    note : str
        A note for users, shown on the function's page in NetworkX's documentation.
    worth : float
        The number of vertices and arcs from which a graph is converted automatically.
    refuses : tuple of functions
        Reasons why arguments can't be answered.
    leaves : tuple of functions
        Reasons why arguments that can be answered are left to NetworkX, unless the caller chooses the backend.
    """

    module: str
    note: str = ""
    worth: float = PASS
    refuses: tuple[Reason, ...] = ()
    leaves: tuple[Reason, ...] = ()


_NUMBERS = "Weights must be at least 0 and finite, and all of them ints or all floats."
_SIGNED = "Weights must be finite, and all of them ints or all floats."
_UNDIRECTED = "Undirected graphs only."
_SAME_GRAPH = "The same graph as NetworkX's; without `create_using`."
_KNOWN = "lengths that are known already are not supported"
_FEW = given.when("nodes", "NetworkX is fast for some nodes")
_ALL_NODES = given.when("nodes", "only all nodes are supported")
_NO_WEIGHT = given.when("weight", "weights are not supported")
_NOT_SORTED = given.when("sort_neighbors", "sort_neighbors is not supported")


def _by_weight(*refuses: Reason) -> Function:
    return Function("weighted", _NUMBERS, HEAVY, (given.by_function("weight"), *refuses))


def _by_hops_or_weights(*refuses: Reason) -> Function:
    return Function("shortest_paths", _NUMBERS, HEAVY, (given.by_function("weight"), *refuses))


def _by_eccentricity() -> Function:
    known = given.when("e", "the eccentricities are known")
    return Function("shortest_paths", _NUMBERS, HEAVY, (given.by_function("weight"), known, given.bounded))


def _by_queue() -> Function:
    return Function("bellman_ford", _SIGNED, HEAVY, (given.by_function("weight"),))


def _bridges() -> Function:
    root = given.when("root", "only None is supported")
    return Function("biconnection", "Of the whole graph.", PASS, (given.directed, root))


def _spanning() -> Function:
    return Function(
        "spanning",
        "Kruskal's algorithm only; no multigraphs.",
        HEAVY,
        (given.directed, given.multigraph, given.kruskal),
    )


def _by_cores() -> Function:
    known = given.when("core_number", "the core numbers are known")
    return Function("cores", "Returns a graph of NetworkX. " + _UNDIRECTED, HEAVY, (given.directed_cores,), (known,))


def _flows(note: str = "") -> Function:
    note += "Without `flow_func`; capacities must be all ints or all floats."
    return Function("flows", note, FLOWS, (given.flow,))


def _iterated(*refuses: Reason) -> Function:
    note = "Weights must be at least 0 and finite. `nstart` is not supported."
    start = given.when("nstart", "nstart is not supported")
    return Function("centrality", note, HEAVY, (given.by_function("weight"), start, given.iterated, *refuses))


def _communities() -> Function:
    note = "Without a seed; undirected graphs, no multigraphs."
    return Function("communities", note, HEAVY, (given.directed, given.multigraph, given.seeded))


def _louvain() -> Function:
    note = "Without a seed; other partitions than NetworkX's, of about the same modularity. Undirected graphs only."
    return Function("partitions", note, HEAVY, (given.directed, given.seeded))


def _leiden() -> Function:
    note = "By modularity; from NetworkX 3.7 on without a seed. Weights must be at least 0 and finite. " + _UNDIRECTED
    return Function("partitions", note, 0, (given.directed, given.leiden))


def _clusters() -> Function:
    note = "Undirected graphs, without weights."
    return Function("clusters", note, HEAVY, (given.directed, _NO_WEIGHT), (_FEW,))


def _links(worth: float = HEAVY) -> Function:
    note = "Undirected graphs, no multigraphs."
    return Function("links", note, worth, (given.directed, given.multigraph), (given.few_pairs,))


def _shape(*refuses: Reason) -> Function:
    return Function("generators", _SAME_GRAPH, NEVER, (given.when("create_using", "only None is supported"), *refuses))


FUNCTIONS: dict[str, Function] = {
    # Ranks
    "pagerank": Function(
        "ranking",
        "Weights must be at least 0 and finite. `nstart` and `dangling` are not supported.",
        HEAVY,
        (
            given.by_function("weight"),
            given.when("nstart", "nstart is not supported"),
            given.when("dangling", "dangling is not supported"),
            given.pagerank,
        ),
    ),
    "hits": Function(
        "ranking",
        "By power iteration, as exact as `tol` says. Without `nstart`, and normalized.",
        HEAVY,
        (given.when("nstart", "nstart is not supported"), given.hits),
    ),
    # Components
    "connected_components": Function("components"),
    "number_connected_components": Function("components"),
    "is_connected": Function("components"),
    "node_connected_component": Function("components"),
    "weakly_connected_components": Function("components"),
    "number_weakly_connected_components": Function("components"),
    "is_weakly_connected": Function("components"),
    "strongly_connected_components": Function("components", worth=HEAVY),
    "number_strongly_connected_components": Function("components"),
    "is_strongly_connected": Function("components"),
    "articulation_points": Function("biconnection", refuses=(given.directed,)),
    "biconnected_components": Function("biconnection", refuses=(given.directed,)),
    "biconnected_component_edges": Function("biconnection", refuses=(given.directed,)),
    "is_biconnected": Function("biconnection", refuses=(given.directed,)),
    "is_bipartite": Function("components"),
    "bridges": _bridges(),
    "has_bridges": _bridges(),
    # Directed acyclic graphs
    "is_directed_acyclic_graph": Function("dag"),
    "dag_longest_path_length": Function("dag", _SIGNED),
    "transitive_reduction": Function("dag", "Returns a graph of NetworkX.", HEAVY),
    # Triangles
    "triangles": Function("clusters", "", HEAVY, (), (_FEW,)),
    "clustering": _clusters(),
    "average_clustering": _clusters(),
    "transitivity": Function("clusters", _UNDIRECTED, HEAVY, (given.directed,)),
    # Links
    "adamic_adar_index": _links(),
    "jaccard_coefficient": _links(),
    "preferential_attachment": _links(NEVER),
    "resource_allocation_index": _links(),
    # Centralities
    "betweenness_centrality": Function(
        "centrality",
        "Weights must be above 0. With `k`, the nodes that NetworkX draws; from NetworkX 3.6 on.",
        HEAVY,
        (given.by_function("weight"), given.drawn),
    ),
    "edge_betweenness_centrality": Function(
        "centrality",
        "Weights must be above 0; no multigraphs. With `k`, the nodes that NetworkX draws; from NetworkX 3.6 on.",
        HEAVY,
        (given.by_function("weight"), given.multigraph, given.drawn),
    ),
    "closeness_centrality": Function(
        "centrality",
        "With `wf_improved`, without `sp`.",
        HEAVY,
        (given.by_function("distance"), given.not_improved, given.added("sp", _KNOWN)),
        (given.few("u"),),
    ),
    "harmonic_centrality": Function(
        "centrality",
        "From all nodes.",
        HEAVY,
        (given.by_function("distance"), given.when("sources", "only sums over all nodes are supported")),
        (given.few("nbunch"),),
    ),
    "degree_centrality": Function("degrees", worth=NEVER),
    "in_degree_centrality": Function("degrees", worth=NEVER),
    "out_degree_centrality": Function("degrees", worth=NEVER),
    "eigenvector_centrality": _iterated(),
    "katz_centrality": _iterated(given.katz),
    # Degrees of neighbors
    "degree_assortativity_coefficient": Function(
        "mixing", "Of all nodes, without weights.", HEAVY, (_NO_WEIGHT, _ALL_NODES, given.degrees)
    ),
    "average_neighbor_degree": Function(
        "mixing",
        "Of all nodes, without weights; no multigraphs and no self-loops.",
        HEAVY,
        (given.multigraph, _NO_WEIGHT, _ALL_NODES, given.degrees_of_neighbors),
    ),
    "rich_club_coefficient": Function("mixing", "With normalized=False.", HEAVY, (given.normalized,)),
    # Cores, trusses, colors, sets and matchings
    "core_number": Function("cores", _UNDIRECTED, HEAVY, (given.directed,)),
    "k_core": _by_cores(),
    "k_shell": _by_cores(),
    "k_crust": _by_cores(),
    "k_corona": _by_cores(),
    "k_truss": Function("cores", "Returns a graph of NetworkX.", HEAVY),
    "greedy_color": Function(
        "coloring",
        "Undirected graphs, with the strategies largest_first and random_sequential, without interchange.",
        PASS,
        (given.directed, given.coloring),
    ),
    "maximal_independent_set": Function(
        "independence",
        "Without a seed, and without nodes that must be in it.",
        PASS,
        (given.when("nodes", "nodes that must be in it are not supported"), given.seeded),
    ),
    "maximal_matching": Function(
        "matchings",
        "The same matching as NetworkX's.",
        NEVER,
        (given.directed, given.multigraph),
    ),
    "hopcroft_karp_matching": Function(
        "matchings",
        "Another matching than NetworkX's, of as many edges. Undirected graphs only.",
        HEAVY,
        (given.directed,),
    ),
    "asyn_lpa_communities": _communities(),
    "fast_label_propagation_communities": _communities(),
    "label_propagation_communities": Function("communities", worth=HEAVY),
    "louvain_communities": _louvain(),
    "louvain_partitions": _louvain(),
    "leiden_communities": _leiden(),
    "leiden_partitions": _leiden(),
    "modularity": Function("partitions", "Weights must be at least 0 and finite.", HEAVY),
    "partition_quality": Function("partitions", worth=HEAVY),
    # Flows
    "maximum_flow": _flows("Another flow than NetworkX's, of the same value. "),
    "maximum_flow_value": _flows(),
    "minimum_cut": _flows(),
    "minimum_cut_value": _flows(),
    # Spanning forests
    "minimum_spanning_edges": _spanning(),
    "maximum_spanning_edges": _spanning(),
    "minimum_spanning_tree": _spanning(),
    "maximum_spanning_tree": _spanning(),
    # Hops
    "bfs_edges": Function("unweighted", refuses=(_NOT_SORTED, given.in_edges_if_reverse)),
    "bfs_predecessors": Function("unweighted", refuses=(_NOT_SORTED,)),
    "bfs_successors": Function("unweighted", refuses=(_NOT_SORTED,)),
    "bfs_layers": Function("unweighted"),
    "descendants_at_distance": Function("unweighted"),
    "descendants": Function("unweighted"),
    "ancestors": Function("unweighted"),
    "has_path": Function("unweighted"),
    "predecessor": Function("unweighted"),
    "single_source_shortest_path_length": Function("unweighted"),
    "single_target_shortest_path_length": Function("unweighted", _UNDIRECTED, refuses=(given.in_edges,)),
    "all_pairs_shortest_path_length": Function("unweighted"),
    "single_source_shortest_path": Function("unweighted"),
    "single_target_shortest_path": Function("unweighted", _UNDIRECTED, refuses=(given.in_edges,)),
    "all_pairs_shortest_path": Function("unweighted"),
    # Distances
    "single_source_dijkstra": _by_weight(),
    "single_source_dijkstra_path": _by_weight(),
    "single_source_dijkstra_path_length": _by_weight(),
    "dijkstra_path": _by_weight(),
    "dijkstra_path_length": _by_weight(),
    "dijkstra_predecessor_and_distance": _by_weight(),
    "multi_source_dijkstra": _by_weight(),
    "multi_source_dijkstra_path": _by_weight(),
    "multi_source_dijkstra_path_length": _by_weight(),
    "all_pairs_dijkstra": _by_weight(),
    "all_pairs_dijkstra_path": _by_weight(),
    "all_pairs_dijkstra_path_length": _by_weight(),
    "single_source_bellman_ford": _by_queue(),
    "single_source_bellman_ford_path": _by_queue(),
    "single_source_bellman_ford_path_length": _by_queue(),
    "bellman_ford_path": _by_queue(),
    "bellman_ford_path_length": _by_queue(),
    "bellman_ford_predecessor_and_distance": _by_queue(),
    "all_pairs_bellman_ford_path": _by_queue(),
    "all_pairs_bellman_ford_path_length": _by_queue(),
    # Either
    "shortest_path": _by_hops_or_weights(given.shortest_path_method, given.in_edges_if_target_alone, given.one_path),
    "shortest_path_length": _by_hops_or_weights(given.shortest_path_method, given.in_edges_if_target_alone),
    "average_shortest_path_length": _by_hops_or_weights(given.average_method),
    "eccentricity": Function(
        "shortest_paths",
        _NUMBERS,
        HEAVY,
        (given.by_function("weight"), given.when("sp", _KNOWN)),
        (given.few("v"),),
    ),
    "diameter": _by_eccentricity(),
    "radius": _by_eccentricity(),
    "periphery": _by_eccentricity(),
    # Generators
    "path_graph": _shape(given.sizes("n")),
    "cycle_graph": _shape(given.sizes("n"), given.ring),
    "star_graph": _shape(given.sizes("n")),
    "complete_graph": _shape(given.sizes("n")),
    "grid_2d_graph": _shape(given.sizes("m", "n"), given.flat),
    "gnm_random_graph": _shape(given.sizes("n", "m"), given.seeded_by_numpy),
    "fast_gnp_random_graph": _shape(given.sizes("n"), given.probability, given.seeded_by_numpy),
}
