"""Calls of the ready algorithms: each option that makes its own program, and all programs that repairs run.

`minigr.prepare` compiles the programs of these calls, and `minigr.bench` times the calls in a new process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from inspect import getmembers
from typing import Any

import numpy as np

import minigr as mg
from minigr.apps.cliques import CliqueEnactor
from minigr.apps.common.few_groups import added_up
from minigr.apps.common.orientation import oriented
from minigr.apps.common.partition import whole_graph
from minigr.apps.common.support import counted_support, listed_support
from minigr.apps.common.undirected import both_ways
from minigr.apps.degrees import count_ends
from minigr.apps.eccentricity.bounds import Bounds
from minigr.apps.similarity.edges import summed
from minigr.apps.sssp.parents import FromNearerEnactor, ParentsProblem
from minigr.apps.triangles.programs import OppositeEnactor, ThriceEnactor
from minigr.graphs.adjacency import Adjacency

_BATCH = 8  # edges in a batch that an answer follows

Call = Callable[[Any], object]
"""A call takes a graph or a batch of graphs."""


@dataclass(frozen=True)
class Algorithm:
    """A ready algorithm.

    Attributes
    ----------
    calls : tuple of Call
        First with the defaults, then with other options, if these make other programs.
    weights : bool or None
        True: the algorithm takes only graphs with weights. None: it takes all graphs, and reads the weights if there
        are any. False: weights make no difference.
    zeros : bool
        Whether weights may be 0.
    directed : bool or None
        Whether the graph must be directed (True) or undirected (False); None: both are allowed.
    acyclic : bool
        Whether the graph must be acyclic.
    in_edges : bool
        Whether the graph must have in-edges.
    layouts : tuple of str
        The layouts of graphs that the algorithm takes.
    """

    calls: tuple[Call, ...]
    weights: bool | None = False
    zeros: bool = True
    directed: bool | None = None
    acyclic: bool = False
    in_edges: bool = False
    layouts: tuple[str, ...] = ("csr", "slabs")


def _one_community(graph: Any) -> Any:
    return graph._device.full(graph.num_vertices, 0, np.int32)


def _merged(graph: Any) -> None:
    """Add up the weights between few communities, as two levels do. Small graphs have too many communities for this."""
    rows = whole_graph(both_ways(graph), "louvain")
    sums = rows._device.full(rows.num_arcs, 1, np.int64)  # the dtype of the weights of all levels after the first
    for level in (rows, rows._with_rows(Adjacency(rows.offsets, rows.indices, sums))):
        added_up(level, _one_community(level), 1)


def _followed(name: str, *given: Any, **options: Any) -> Call:
    """A call of an answer that is repaired, or recomputed, after each batch and gives all of its results."""

    def run(graph: Any) -> None:
        for when in ("never", "always"):
            changed = graph.copy()
            answer = getattr(mg.dynamic, name)(changed, *given, recompute=when, **options)
            src, dst, weights = _edges(changed)
            for some in (slice(_BATCH), slice(-_BATCH, None), slice(None, None, 2)):
                changes = [None, None] if weights is None else [weights[some], weights[some] // 4]
                answer.delete_edges(src[some], dst[some])
                answer.insert_edges(src[some], dst[some], changes[0])
                answer.insert_edges(dst[some], src[some][::-1], changes[1])
                for asked, _ in getmembers(type(answer), lambda member: isinstance(member, property)):
                    getattr(answer, asked)

    return run


def _edges(graph: Any) -> tuple[Any, Any, Any]:
    rows = graph.to_graph()
    src, dst, *weights = rows.to_edges()
    return src, dst, weights[0] if rows.weighted else None


def _in_parts(graph: Any) -> Any:
    devices = [graph.device] * 2
    if graph.layout == "slabs":
        return mg.PartitionedDynamicGraph.from_graph(graph.to_graph(), devices=devices, in_edges=graph.keeps_in_edges)
    return mg.PartitionedGraph.from_graph(graph, devices=devices)


def _count_without_orientation(graph: Any) -> None:
    """Count triangles as without memory for an oriented graph."""
    for kind in (ThriceEnactor, OppositeEnactor):
        kind(both_ways(graph), max_iterations=1).run()


def _bounds(graph: Any) -> None:
    """Make the first searches for the eccentricities of all vertices, from one vertex and from many vertices."""
    Bounds(graph, "auto", only_diameter=False).tighten(10, None)


def _greater_cliques(graph: Any) -> None:
    """Run the programs that count larger cliques. No step is done, because the cliques may be too many to count."""
    for k in (5, 6):
        mg.clique_count(mg.generate.complete(k, device=graph.device), k)
        enactor = CliqueEnactor(oriented(graph).graph, max_iterations=0)
        enactor.hubs, enactor.size = oriented(graph).hubs, k
        enactor.run()


def _support(graph: Any) -> None:
    """Count the triangles of each edge, and list them. Each device needs either the last program or the other two."""
    way = oriented(graph)
    both = way.both_ways(graph)
    counted_support(way, both)
    summed(way, both, None)
    listed_support(way, core=1)


def _reduced_parents(graph: Any) -> None:
    """Find parents of shortest paths as a GPU does for a graph with hubs."""
    problem = ParentsProblem(graph, distance=mg.sssp(graph, 0).distance)
    enactor = FromNearerEnactor(graph, problem=problem, max_iterations=1)
    enactor.reduces = True
    enactor.run()


def _ends(graph: Any) -> tuple[int, int]:
    """Two of the last vertices, which are connected by a path in the small graphs of `minigr.prepare`."""
    return graph.num_vertices - 3, graph.num_vertices - 1


def _all_of(blocks: Iterable[Any]) -> None:
    for _ in blocks:
        pass


def _guided_path(graph: Any) -> object:
    bounds = graph._device.full(graph.num_vertices, 0.0, np.float64)
    return mg.shortest_path(graph, *_ends(graph), weighted=True, heuristic=bounds)


def double_cover(graph: Any) -> Any:
    """A bipartite graph with two copies of each vertex, and an edge from a first to a second copy for each arc."""
    out, into, xp = graph.out_edges, graph.in_edges(ids=False), graph._device.xp
    offsets = xp.concatenate([out.offsets, into.offsets[1:] + graph.num_arcs])
    indices = xp.concatenate([out.indices + np.int32(graph.num_vertices), into.indices])
    return mg.Graph.from_csr(offsets, indices, directed=False, device=graph._device, validate=False)


APPS = {
    "bfs": Algorithm((lambda graph: mg.bfs(graph, 0), lambda graph: mg.bfs(graph, [0, 1]))),
    "multi-source-bfs": Algorithm((lambda graph: mg.multi_source_bfs(graph, np.arange(64)),)),
    "all-pairs": Algorithm((lambda graph: _all_of(mg.all_pairs(graph, np.arange(100))),)),
    "all-pairs by weight": Algorithm(
        (lambda graph: _all_of(mg.all_pairs(graph, np.arange(4), block=2, weighted=True)),), weights=True
    ),
    "sssp": Algorithm((lambda graph: mg.sssp(graph, 0), lambda graph: mg.sssp(graph, [0, 1])), weights=True),
    "sssp where there are hubs": Algorithm((_reduced_parents,), weights=True, directed=False),
    "shortest-path": Algorithm((lambda graph: mg.shortest_path(graph, *_ends(graph)),), in_edges=True),
    "shortest-path by weight": Algorithm(
        (lambda graph: mg.shortest_path(graph, *_ends(graph), weighted=True), _guided_path), weights=True, in_edges=True
    ),
    "k-shortest-paths": Algorithm((lambda graph: mg.k_shortest_paths(graph, *_ends(graph), 2),), in_edges=True),
    "k-shortest-paths by weight": Algorithm(
        (lambda graph: mg.k_shortest_paths(graph, *_ends(graph), 2, weighted=True),), weights=True, in_edges=True
    ),
    "earliest-arrival": Algorithm((lambda graph: mg.earliest_arrival(graph, 0),), weights=True),
    "pagerank": Algorithm(
        (
            lambda graph: mg.pagerank(graph),
            lambda graph: mg.pagerank(graph, precision="single"),
            lambda graph: mg.pagerank(graph, precision="double"),
        ),
        weights=None,
        in_edges=True,
    ),
    "pagerank by pushing": Algorithm(
        (
            lambda graph: mg.pagerank(graph, method="push"),
            lambda graph: mg.pagerank(graph, method="residual"),
        ),
        weights=None,
    ),
    "personalized-pagerank": Algorithm(
        (lambda graph: mg.personalized_pagerank(graph, [0, 1], epsilon=1e-4),), weights=None
    ),
    "hits": Algorithm((lambda graph: mg.hits(graph),), weights=None, in_edges=True),
    "eigenvector": Algorithm((lambda graph: mg.eigenvector_centrality(graph),), weights=None, in_edges=True),
    "katz": Algorithm((lambda graph: mg.katz_centrality(graph),), weights=None, in_edges=True),
    "degree": Algorithm((lambda graph: mg.degree_centrality(graph), count_ends)),
    "in-degree": Algorithm((lambda graph: mg.in_degree_centrality(graph),)),
    "out-degree": Algorithm((lambda graph: mg.out_degree_centrality(graph),)),
    "degree by weight": Algorithm(
        (lambda graph: mg.degree_centrality(graph, weighted=True),), weights=True, directed=False
    ),
    "degree by weight and directions": Algorithm(
        (
            lambda graph: mg.degree_centrality(graph, weighted=True),
            lambda graph: mg.in_degree_centrality(graph, weighted=True),
            lambda graph: mg.out_degree_centrality(graph, weighted=True),
        ),
        weights=True,
        directed=True,
    ),
    "components": Algorithm((lambda graph: mg.connected_components(graph),)),
    "betweenness": Algorithm((lambda graph: mg.betweenness_centrality(graph, [0, 1]),), in_edges=True),
    "betweenness by weight": Algorithm(
        (lambda graph: mg.betweenness_centrality(graph, [0, 1], weighted=True),),
        weights=True,
        zeros=False,
        in_edges=True,
    ),
    "edge-betweenness": Algorithm((lambda graph: mg.edge_betweenness_centrality(graph, [0, 1]),), in_edges=True),
    "edge-betweenness by weight": Algorithm(
        (lambda graph: mg.edge_betweenness_centrality(graph, [0, 1], weighted=True),),
        weights=True,
        zeros=False,
        in_edges=True,
    ),
    "closeness": Algorithm((lambda graph: mg.closeness_centrality(graph, [0, 1]),), in_edges=True),
    "harmonic": Algorithm((lambda graph: mg.harmonic_centrality(graph, [0, 1]),), in_edges=True),
    "closeness by weight": Algorithm(
        (lambda graph: mg.closeness_centrality(graph, [0, 1], weighted=True),), weights=True, in_edges=True
    ),
    "approximate-betweenness": Algorithm(
        (lambda graph: mg.approximate_betweenness_centrality(graph, 0.9, 0.1),), in_edges=True
    ),
    "approximate-closeness": Algorithm((lambda graph: mg.approximate_closeness_centrality(graph, 0.4),), in_edges=True),
    "approximate-harmonic": Algorithm((lambda graph: mg.approximate_harmonic_centrality(graph, 0.4),), in_edges=True),
    "strong-components": Algorithm(
        (lambda graph: mg.strongly_connected_components(graph),), directed=True, in_edges=True
    ),
    "spanning-forest": Algorithm((lambda graph: mg.minimum_spanning_forest(graph),), weights=None, directed=False),
    "biconnected": Algorithm((lambda graph: mg.biconnected_components(graph),), directed=False),
    "bridges": Algorithm((lambda graph: mg.bridges(graph),), directed=False),
    "articulation-points": Algorithm((lambda graph: mg.articulation_points(graph),), directed=False),
    "bipartite": Algorithm((lambda graph: mg.bipartite_sides(graph),)),
    "maximal-matching": Algorithm(
        (lambda graph: mg.maximal_matching(graph), lambda graph: mg.maximal_matching(graph, method="rounds"))
    ),
    "bipartite-matching": Algorithm(
        (lambda graph: mg.maximum_bipartite_matching(double_cover(graph)),), layouts=("csr",)
    ),
    "maximum-flow": Algorithm(
        (
            lambda graph: mg.maximum_flow(graph, 0, 1),
            lambda graph: mg.maximum_flow(graph, 0, 1, method="push"),
        ),
        weights=None,
        layouts=("csr",),
    ),
    "topological-levels": Algorithm((lambda graph: mg.topological_levels(graph),), directed=True),
    "longest-path": Algorithm((lambda graph: mg.dag_longest_path(graph),), directed=True, acyclic=True),
    "longest-path by weight": Algorithm(
        (lambda graph: mg.dag_longest_path(graph, weighted=True),), weights=True, directed=True, acyclic=True
    ),
    "transitive-reduction": Algorithm((lambda graph: mg.transitive_reduction(graph),), directed=True, acyclic=True),
    "eccentricity": Algorithm((lambda graph: mg.eccentricity(graph, [0, 1]), _bounds), directed=False),
    "diameter": Algorithm((lambda graph: mg.diameter(graph),), directed=False),
    "assortativity": Algorithm((lambda graph: mg.degree_assortativity(graph),)),
    "rich-club": Algorithm((lambda graph: mg.rich_club_coefficient(graph),)),
    "coloring": Algorithm((lambda graph: mg.coloring(graph), lambda graph: mg.coloring(graph, "random"))),
    "independent-set": Algorithm((lambda graph: mg.maximal_independent_set(graph),)),
    "core-number": Algorithm((lambda graph: mg.core_number(graph),)),
    "label-propagation": Algorithm((lambda graph: mg.label_propagation(graph),), weights=None),
    "louvain": Algorithm((lambda graph: mg.louvain(graph), _merged), weights=None),
    "leiden": Algorithm((lambda graph: mg.leiden(graph), _merged), weights=None),
    "modularity": Algorithm(
        (
            lambda graph: mg.modularity(graph, _one_community(graph)),
            lambda graph: mg.partition_quality(graph, _one_community(graph)),
        ),
        weights=None,
        directed=False,
    ),
    "modularity by directions": Algorithm(
        (
            lambda graph: mg.modularity(graph, _one_community(graph)),
            lambda graph: mg.partition_quality(graph, _one_community(graph)),
        ),
        weights=None,
        directed=True,
    ),
    "random-walks": Algorithm((lambda graph: mg.random_walks(graph, [0, 1], 10),)),
    "random-walks by weight": Algorithm(
        (lambda graph: mg.random_walks(graph, [0, 1], 10, weighted=True),), weights=True
    ),
    "random-walks by bias": Algorithm((lambda graph: mg.random_walks(graph, [0, 1], 10, p=0.5, q=2),)),
    "sample-neighbors": Algorithm((lambda graph: mg.sample_neighbors(graph, [0, 1], [5, 5]),)),
    "sample-neighbors by weight": Algorithm(
        (
            lambda graph: mg.sample_neighbors(graph, [0, 1], [5, 5], weighted=True),
            lambda graph: mg.sample_neighbors(graph, [0, 1], [5, 5], weighted=True, replace=True),
        ),
        weights=True,
    ),
    "negative-samples": Algorithm(
        (lambda graph: mg.negative_samples(graph, 9), lambda graph: mg.negative_samples(graph, 9, power=0.75))
    ),
    "similarity": Algorithm(
        (
            lambda graph: mg.similarity(graph),
            lambda graph: mg.similarity(graph, measure="adamic_adar"),
            lambda graph: mg.similarity(graph, [(0, 1), (1, 0)]),
            lambda graph: mg.similarity(graph, [(0, 1), (1, 0)], measure="adamic_adar"),
        )
    ),
    "similarity by weight": Algorithm(
        (lambda graph: mg.similarity(graph, weighted=True),), weights=True, directed=False
    ),
    "most-similar": Algorithm((lambda graph: mg.most_similar(graph, 2, vertices=[0, 1], per_vertex=True),)),
    "triangles": Algorithm(
        (
            lambda graph: mg.triangle_count(graph),
            lambda graph: mg.triangle_count(graph, clustering=True),
            _count_without_orientation,
        )
    ),
    "cliques": Algorithm((lambda graph: mg.clique_count(graph, 4), _greater_cliques)),
    "truss": Algorithm((lambda graph: mg.k_truss(graph, 4), _support)),
}
"""The algorithms of ``minigr run``, by name."""

FOLLOWED = {
    "dynamic bfs": Algorithm((_followed("BFS", 0),), in_edges=True, layouts=("slabs",)),
    "dynamic sssp": Algorithm((_followed("SSSP", 0),), weights=True, in_edges=True, layouts=("slabs",)),
    "dynamic pagerank": Algorithm(
        tuple(
            _followed("PageRank", tol=tolerance) for tolerance in (1e-6, 1e-10, 1e-3)
        ),  # the last in single precision
        weights=None,
        in_edges=True,
        layouts=("slabs",),
    ),
    "dynamic components": Algorithm(
        (_followed("ConnectedComponents"),), directed=False, in_edges=True, layouts=("slabs",)
    ),
    "dynamic components by directions": Algorithm(
        (_followed("ConnectedComponents"),), directed=True, in_edges=True, layouts=("slabs",)
    ),
    "dynamic core-number": Algorithm((_followed("CoreNumber"),), layouts=("slabs",)),
    "dynamic coloring": Algorithm((_followed("Coloring"),), layouts=("slabs",)),
    "dynamic triangles": Algorithm((_followed("TriangleCount"),), layouts=("slabs",)),
}
"""Answers that follow a dynamic graph."""

BATCHES = {
    "batch shortest-paths": Algorithm((lambda batch: mg.batch.shortest_paths(batch),), layouts=("batch",)),
    "batch shortest-paths by weight": Algorithm(
        (lambda batch: mg.batch.shortest_paths(batch, weighted=True),), weights=True, layouts=("batch",)
    ),
    "batch betweenness": Algorithm((lambda batch: mg.batch.betweenness(batch),), layouts=("batch",)),
    "batch betweenness by weight": Algorithm(
        (lambda batch: mg.batch.betweenness(batch, weighted=True),), weights=True, zeros=False, layouts=("batch",)
    ),
    "batch closeness": Algorithm(
        (lambda batch: mg.batch.closeness(batch), lambda batch: mg.batch.closeness(batch, harmonic=True)),
        layouts=("batch",),
    ),
    "batch closeness by weight": Algorithm(
        (
            lambda batch: mg.batch.closeness(batch, weighted=True),
            lambda batch: mg.batch.closeness(batch, harmonic=True, weighted=True),
        ),
        weights=True,
        layouts=("batch",),
    ),
    "batch components": Algorithm((lambda batch: mg.batch.components(batch),), layouts=("batch",)),
    "batch pagerank": Algorithm((lambda batch: mg.batch.pagerank(batch),), weights=None, layouts=("batch",)),
    "batch triangles": Algorithm((lambda batch: mg.batch.triangles(batch),), layouts=("batch",)),
    "batch coloring": Algorithm((lambda batch: mg.batch.coloring(batch),), layouts=("batch",)),
}
"""Algorithms that find a result for each graph of a batch."""

PARTS = {
    "components in parts": Algorithm((lambda graph: mg.connected_components(_in_parts(graph)),), directed=False),
    "triangles in parts": Algorithm(
        (
            lambda graph: mg.triangle_count(_in_parts(graph)),
            lambda graph: mg.triangle_count(_in_parts(graph), clustering=True),
        ),
        directed=False,
    ),
    "pagerank in parts": Algorithm((lambda graph: mg.pagerank(_in_parts(graph)),)),
}
"""Algorithms whose programs for a graph in parts differ from those for a whole graph."""

ALGORITHMS = {**APPS, **FOLLOWED, **BATCHES, **PARTS}
