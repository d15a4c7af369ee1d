"""minigr: graph programs in a few lines of Python, at the speed of hand-written kernels, on CPU and GPU.

Every public name is an attribute of this module. Names that need Numba, SciPy or CuPy are imported on first use, so
``import minigr`` is fast.
"""

from importlib import import_module
from typing import Any

_HOMES = {
    "Graph": "minigr.graphs.graph",
    "DynamicGraph": "minigr.graphs.dynamic.graph",
    "GraphBatch": "minigr.graphs.batch",
    "PartitionedDynamicGraph": "minigr.graphs.partitioned.dynamic",
    "PartitionedGraph": "minigr.graphs.partitioned.graph",
    "Adjacency": "minigr.graphs.adjacency",
    "read": "minigr.io",
    "read_named": "minigr.io",
    "write": "minigr.io",
    "convert": "minigr.io",
    "from_table": "minigr.io.frames",
    "Labels": "minigr.labels",
    "Functor": "minigr.jit.functor",
    "Problem": "minigr.program.problem",
    "vertex_field": "minigr.program.fields",
    "edge_field": "minigr.program.fields",
    "array_field": "minigr.program.fields",
    "scalar_field": "minigr.program.fields",
    "parameter": "minigr.program.fields",
    "Enactor": "minigr.enactor.enactor",
    "Stop": "minigr.program.control",
    "Frontier": "minigr.program.frontier",
    "bfs": "minigr.apps.bfs",
    "multi_source_bfs": "minigr.apps.multi_source_bfs",
    "sssp": "minigr.apps.sssp",
    "pagerank": "minigr.apps.pagerank",
    "personalized_pagerank": "minigr.apps.pagerank",
    "connected_components": "minigr.apps.components",
    "strongly_connected_components": "minigr.apps.strong_components",
    "minimum_spanning_forest": "minigr.apps.spanning_forest",
    **dict.fromkeys(("articulation_points", "biconnected_components", "bridges"), "minigr.apps.biconnected"),
    "all_pairs": "minigr.apps.all_pairs",
    "earliest_arrival": "minigr.apps.earliest_arrival",
    "shortest_path": "minigr.apps.shortest_path",
    "k_shortest_paths": "minigr.apps.k_shortest_paths",
    "bipartite_sides": "minigr.apps.bipartite",
    "maximal_matching": "minigr.apps.maximal_matching",
    "maximum_bipartite_matching": "minigr.apps.bipartite_matching",
    "maximum_flow": "minigr.apps.maximum_flow",
    **dict.fromkeys(
        (
            "approximate_betweenness_centrality",
            "approximate_closeness_centrality",
            "approximate_harmonic_centrality",
        ),
        "minigr.apps.approximate",
    ),
    "topological_levels": "minigr.apps.topological",
    "dag_longest_path": "minigr.apps.longest_path",
    "transitive_reduction": "minigr.apps.transitive_reduction",
    **dict.fromkeys(("eccentricity", "diameter"), "minigr.apps.eccentricity"),
    "coloring": "minigr.apps.coloring",
    "betweenness_centrality": "minigr.apps.betweenness",
    "edge_betweenness_centrality": "minigr.apps.betweenness",
    "closeness_centrality": "minigr.apps.closeness",
    "harmonic_centrality": "minigr.apps.closeness",
    "core_number": "minigr.apps.core_number",
    **dict.fromkeys(("degree_centrality", "in_degree_centrality", "out_degree_centrality"), "minigr.apps.degrees"),
    "eigenvector_centrality": "minigr.apps.eigenvector",
    "hits": "minigr.apps.hits",
    "katz_centrality": "minigr.apps.katz",
    "label_propagation": "minigr.apps.label_propagation",
    "leiden": "minigr.apps.leiden",
    "louvain": "minigr.apps.louvain",
    "modularity": "minigr.apps.modularity",
    "partition_quality": "minigr.apps.modularity",
    "maximal_independent_set": "minigr.apps.independent_set",
    "degree_assortativity": "minigr.apps.assortativity",
    "rich_club_coefficient": "minigr.apps.rich_club",
    "random_walks": "minigr.apps.random_walks",
    "sample_neighbors": "minigr.apps.neighbor_sampling",
    "negative_samples": "minigr.apps.negative_samples",
    "triangle_count": "minigr.apps.triangles",
    "k_truss": "minigr.apps.truss",
    "clique_count": "minigr.apps.cliques",
    "similarity": "minigr.apps.similarity",
    "most_similar": "minigr.apps.similarity",
    **dict.fromkeys(("ego_graph", "filter_graph", "largest_component"), "minigr.apps.subgraphs"),
    "stream": "minigr.apps.dynamic.stream",
    **dict.fromkeys(
        ("atomic_min", "atomic_max", "atomic_add", "atomic_or", "atomic_exch", "atomic_cas"), "minigr.jit.atomics"
    ),
    "find": "minigr.jit.union_find",
    "join": "minigr.jit.union_find",
    **dict.fromkeys(
        ("warp_add", "warp_min", "warp_max", "warp_or", "warp_any", "warp_all", "warp_elect"), "minigr.jit.warps"
    ),
    "get_num_threads": "minigr.jit.threads",
    "set_num_threads": "minigr.jit.threads",
    "GraphView": "minigr.graphs.view",
}
_MODULES = {
    "dynamic": "minigr.apps.dynamic",
    "distributed": "minigr.distributed",
    **{
        name: f"minigr.{name}"
        for name in ("apps", "batch", "device", "errors", "generate", "io", "memory", "operators", "plot", "primitives")
    },
}

__all__ = [*_HOMES, *_MODULES]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
    elif name in _MODULES:
        value = import_module(_MODULES[name])
    else:
        raise AttributeError(f"module 'minigr' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
