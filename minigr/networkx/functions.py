"""What the backend offers, and when: one line for each function of NetworkX.

To add a function, write it in a module beside this one, with the parameters it has in NetworkX and a `ConvertedGraph`
for the graph, and add a line to `FUNCTIONS`. This module is imported whenever NetworkX is, so it imports nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Arguments = Mapping[str, Any]
Refusal = Callable[[Arguments], str | None]

# Vertices and arcs of a graph below which NetworkX has answered before a conversion and a call of minigr are over:
# of a search or another pass over the graph, and of what NetworkX takes far longer for. Where the graph was converted
# before, `CONVERTED` is enough for all. Found by `benchmarks/networkx_backend.py` on a CPU.
PASS, HEAVY, CONVERTED = 50_000, 10_000, 7_000


@dataclass(frozen=True)
class Function:
    """One function that the backend offers.

    Attributes
    ----------
    module : str
        The one beside this that has it.
    note : str
        What a user should know, for the function's page in NetworkX's documentation.
    worth : int
        Vertices and arcs from which on a graph is converted unasked.
    refuses : tuple of functions
        Each is given the arguments by name and returns why they can't be answered, or None.
    """

    module: str
    note: str = ""
    worth: int = PASS
    refuses: tuple[Refusal, ...] = ()


def _weight_by_function(given: Arguments) -> str | None:
    return "the weight is a function, and only attributes are converted" if callable(given["weight"]) else None


def _pagerank(given: Arguments) -> str | None:
    if given["nstart"] is not None or given["dangling"] is not None:
        return "nstart and dangling are not supported"
    if not (0 <= given["alpha"] < 1 and given["tol"] > 0 and given["max_iter"] >= 1):
        return "alpha must be at least 0 and less than 1, tol above 0 and max_iter at least 1"
    return None


def _directed(given: Arguments) -> str | None:
    return "the graph is directed" if given["G"].is_directed() else None


def _in_edges(given: Arguments) -> str | None:
    if given["G"].is_directed():
        return "the order of a node's predecessors, which decides the order of the result, is not converted"
    return None


def _in_edges_if_reverse(given: Arguments) -> str | None:
    return _in_edges(given) if given["reverse"] else None


def _in_edges_if_target_alone(given: Arguments) -> str | None:
    return _in_edges(given) if given["source"] is None and given["target"] is not None else None


def _sorted_neighbors(given: Arguments) -> str | None:
    return "sort_neighbors is not supported" if given["sort_neighbors"] is not None else None


def _several_sources(given: Arguments) -> str | None:
    return None if given["sources"] in given["G"] else "only one source is supported"


def _one_path(given: Arguments) -> str | None:
    if given["source"] is None and given["target"] is None:
        return "all_pairs_shortest_path and all_pairs_dijkstra_path are what answers this"
    if given["source"] is not None and given["target"] is not None:
        return "which of several shortest paths between two nodes NetworkX returns, its bidirectional search decides"
    return None


def _shortest_path_method(given: Arguments) -> str | None:
    if given["method"] == "dijkstra" or (given["weight"] is None and given["method"] == "bellman-ford"):
        return None
    return f"method {given['method']!r} is not supported: the order of its results is its own"


def _weighted(given: Arguments) -> str | None:
    if given["weight"] is None and given["method"] in (None, "unweighted"):
        return None
    return "only hops are counted here, not weights"


def _coloring(given: Arguments) -> str | None:
    if given["interchange"] or given["strategy"] not in ("largest_first", "random_sequential"):
        return "only the strategies largest_first and random_sequential are supported, without interchange"
    return None


def _multigraph(given: Arguments) -> str | None:
    return "parallel edges count as one here" if given["G"].is_multigraph() else None


def _some_nodes(given: Arguments) -> str | None:
    return "only all nodes are answered at once" if given["nodes"] is not None else None


def _by_weight_attribute(given: Arguments) -> str | None:
    return "weights are not supported" if given["weight"] is not None else None


def _drawn(given: Arguments) -> str | None:
    return (
        "which nodes are drawn, and how much they count for, differs between versions"
        if given["k"] is not None
        else None
    )


def _distance(given: Arguments) -> str | None:
    return "only hops are counted here" if given["distance"] is not None else None


def _not_improved(given: Arguments) -> str | None:
    return None if given["wf_improved"] else "only wf_improved=True is supported"


def _some_pairs(given: Arguments) -> str | None:
    if given["nbunch"] is not None or given["sources"] is not None:
        return "only all nodes are answered at once"
    return None


_NUMBERS = "Weights must be at least 0 and finite, and all of them ints or all floats."
_UNDIRECTED = "Undirected graphs only."
_TRIANGLES = "Undirected graphs, all nodes, without weights."


def _by_weight(*refuses: Refusal) -> Function:
    return Function("weighted", _NUMBERS, HEAVY, (_weight_by_function, *refuses))


FUNCTIONS: dict[str, Function] = {
    "pagerank": Function(
        "ranking",
        "Weights must be at least 0 and finite. `nstart` and `dangling` are not supported.",
        HEAVY,
        (_weight_by_function, _pagerank),
    ),
    # Components
    "connected_components": Function("components"),
    "number_connected_components": Function("components"),
    "is_connected": Function("components"),
    "node_connected_component": Function("components"),
    "weakly_connected_components": Function("components"),
    "number_weakly_connected_components": Function("components"),
    "is_weakly_connected": Function("components"),
    "number_strongly_connected_components": Function("components"),
    "is_strongly_connected": Function("components"),
    # Triangles
    "triangles": Function("clusters", "All nodes only.", HEAVY, (_some_nodes,)),
    "clustering": Function("clusters", _TRIANGLES, HEAVY, (_directed, _some_nodes, _by_weight_attribute)),
    "average_clustering": Function("clusters", _TRIANGLES, HEAVY, (_directed, _some_nodes, _by_weight_attribute)),
    "transitivity": Function("clusters", _UNDIRECTED, HEAVY, (_directed,)),
    # Centralities
    "betweenness_centrality": Function(
        "centrality",
        "Without weights and `k`; no multigraphs.",
        HEAVY,
        (_multigraph, _by_weight_attribute, _drawn),
    ),
    "closeness_centrality": Function(
        "centrality", "Without distances, and with `wf_improved`.", HEAVY, (_distance, _not_improved)
    ),
    "harmonic_centrality": Function("centrality", "All nodes, without distances.", HEAVY, (_distance, _some_pairs)),
    # Cores and colors
    "core_number": Function("cores", _UNDIRECTED, HEAVY, (_directed,)),
    "greedy_color": Function(
        "coloring",
        "Undirected graphs, with the strategies largest_first and random_sequential, without interchange.",
        HEAVY,
        (_directed, _coloring),
    ),
    # Hops
    "bfs_edges": Function("unweighted", refuses=(_sorted_neighbors, _in_edges_if_reverse)),
    "bfs_predecessors": Function("unweighted", refuses=(_sorted_neighbors,)),
    "bfs_successors": Function("unweighted", refuses=(_sorted_neighbors,)),
    "bfs_layers": Function("unweighted", "One source only.", refuses=(_several_sources,)),
    "descendants_at_distance": Function("unweighted"),
    "descendants": Function("unweighted"),
    "ancestors": Function("unweighted"),
    "has_path": Function("unweighted"),
    "predecessor": Function("unweighted"),
    "single_source_shortest_path_length": Function("unweighted"),
    "single_target_shortest_path_length": Function("unweighted", _UNDIRECTED, refuses=(_in_edges,)),
    "all_pairs_shortest_path_length": Function("unweighted"),
    "single_source_shortest_path": Function("unweighted"),
    "single_target_shortest_path": Function("unweighted", _UNDIRECTED, refuses=(_in_edges,)),
    "all_pairs_shortest_path": Function("unweighted"),
    "average_shortest_path_length": Function("unweighted", "Without weights.", HEAVY, (_weighted,)),
    # Distances
    "single_source_dijkstra": _by_weight(),
    "single_source_dijkstra_path": _by_weight(),
    "single_source_dijkstra_path_length": _by_weight(),
    "dijkstra_path": _by_weight(),
    "dijkstra_path_length": _by_weight(),
    "dijkstra_predecessor_and_distance": _by_weight(),
    "all_pairs_dijkstra": _by_weight(),
    "all_pairs_dijkstra_path": _by_weight(),
    "all_pairs_dijkstra_path_length": _by_weight(),
    "bellman_ford_path_length": _by_weight(),
    "shortest_path": _by_weight(_shortest_path_method, _in_edges_if_target_alone, _one_path),
    "shortest_path_length": _by_weight(_shortest_path_method, _in_edges_if_target_alone),
}
