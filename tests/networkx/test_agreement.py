"""The same answer as NetworkX's: values, their types, and the order of all that has one."""

import math
import random
import warnings
from collections.abc import Iterator, ValuesView
from functools import partial

import networkx as nx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from minigr.networkx import links
from minigr.networkx.functions import FUNCTIONS
from tests.networkx.conftest import VERSION, function_of
from tests.networkx.graphs import GRAPHS

LINKS = ("adamic_adar_index", "jaccard_coefficient", "preferential_attachment", "resource_allocation_index")
CALLS = [  # "first" stands for the graph's first node, "last" for its last
    ("pagerank", {}),
    ("pagerank", {"alpha": 0.5, "tol": 1e-3, "weight": None}),
    ("pagerank", {"personalization": {"first": 1, "last": 3}, "tol": 1e-3}),
    ("pagerank", {"personalization": {"no node": 1}}),
    ("pagerank", {"tol": 1e-12, "max_iter": 2}),
    ("connected_components", {}),
    ("number_connected_components", {}),
    ("is_connected", {}),
    ("node_connected_component", {"n": "last"}),
    ("weakly_connected_components", {}),
    ("number_weakly_connected_components", {}),
    ("is_weakly_connected", {}),
    ("number_strongly_connected_components", {}),
    ("is_strongly_connected", {}),
    ("strongly_connected_components", {}),
    ("articulation_points", {}),
    ("biconnected_components", {}),
    ("biconnected_component_edges", {}),
    ("is_biconnected", {}),
    ("is_bipartite", {}),
    ("bridges", {}),
    ("has_bridges", {}),
    ("is_directed_acyclic_graph", {}),
    ("dag_longest_path_length", {}),
    ("dag_longest_path_length", {"weight": None}),
    ("dag_longest_path_length", {"weight": None, "default_weight": 0.1}),
    ("dag_longest_path_length", {"weight": None, "default_weight": -1}),
    ("dag_longest_path_length", {"weight": "no such", "default_weight": 3}),
    ("triangles", {}),
    ("triangles", {"nodes": "last"}),
    ("triangles", {"nodes": ["last", "no node", "first"]}),
    ("clustering", {}),
    ("clustering", {"nodes": "first"}),
    ("clustering", {"nodes": ["last", "first"]}),
    ("average_clustering", {}),
    ("average_clustering", {"nodes": ["last", "first"]}),
    ("average_clustering", {"count_zeros": False}),
    ("transitivity", {}),
    *((name, {}) for name in LINKS),
    *(
        (name, {"ebunch": [["first", "last"], ["last", "first"], ["first", "last"], ["last", "last"]]})
        for name in LINKS
    ),
    *((name, {"ebunch": [["first", "first"], ["first", "last"]]}) for name in LINKS),
    *((name, {"ebunch": [["last", "first"], ["first", "no node"]]}) for name in LINKS),
    *((name, {"ebunch": []}) for name in LINKS),
    ("betweenness_centrality", {}),
    ("betweenness_centrality", {"normalized": False, "endpoints": True}),
    ("betweenness_centrality", {"weight": "weight"}),
    ("betweenness_centrality", {"k": 3, "seed": 5}),
    ("betweenness_centrality", {"k": 1, "seed": 5}),
    ("betweenness_centrality", {"k": 4, "seed": 5, "normalized": False, "endpoints": True, "weight": "weight"}),
    ("edge_betweenness_centrality", {}),
    ("edge_betweenness_centrality", {"normalized": False}),
    ("edge_betweenness_centrality", {"weight": "weight"}),
    ("edge_betweenness_centrality", {"k": 3, "seed": 5}),
    ("closeness_centrality", {}),
    ("closeness_centrality", {"distance": "weight"}),
    ("closeness_centrality", {"u": "last"}),
    ("closeness_centrality", {"u": "no node"}),
    ("harmonic_centrality", {}),
    ("harmonic_centrality", {"distance": "weight"}),
    ("harmonic_centrality", {"nbunch": ["last", "first"]}),
    ("degree_centrality", {}),
    ("in_degree_centrality", {}),
    ("out_degree_centrality", {}),
    ("eigenvector_centrality", {"max_iter": 500}),
    ("eigenvector_centrality", {"max_iter": 3}),
    ("eigenvector_centrality", {"max_iter": 500, "tol": 1e-4, "weight": "weight"}),
    ("katz_centrality", {"alpha": 0.05}),
    ("katz_centrality", {"alpha": 0.05, "max_iter": 2}),
    ("katz_centrality", {"alpha": 1e-10, "beta": 2, "normalized": False, "weight": "weight"}),
    ("katz_centrality", {"beta": {"first": 1}}),
    ("average_neighbor_degree", {}),
    ("core_number", {}),
    ("k_core", {}),
    ("k_core", {"k": 2}),
    ("k_shell", {}),
    ("k_shell", {"k": 1}),
    ("k_crust", {}),
    ("k_crust", {"k": 2}),
    ("k_corona", {"k": 2}),
    ("k_truss", {"k": -1}),
    ("k_truss", {"k": 2.5}),
    ("k_truss", {"k": 4}),
    ("k_truss", {"k": 10**6}),
    ("k_truss", {"k": math.inf}),
    ("label_propagation_communities", {}),
    ("modularity", {"communities": "halves"}),
    ("modularity", {"communities": "halves", "weight": None, "resolution": 2.5}),
    ("modularity", {"communities": [[0]]}),
    ("partition_quality", {"partition": "halves"}),
    ("partition_quality", {"partition": [[0], [0]]}),
    ("minimum_spanning_edges", {}),
    ("minimum_spanning_edges", {"data": False, "weight": "no such"}),
    ("maximum_spanning_edges", {}),
    ("minimum_spanning_tree", {}),
    ("maximum_spanning_tree", {}),
    ("greedy_color", {}),
    ("maximal_matching", {}),
    ("maximum_flow_value", {"_s": "first", "_t": "last", "capacity": "weight"}),
    ("maximum_flow_value", {"_s": "first", "_t": "first", "capacity": "weight"}),
    ("maximum_flow_value", {"_s": "no node", "_t": "last", "capacity": "weight"}),
    ("minimum_cut_value", {"_s": "last", "_t": "first", "capacity": "weight"}),
    ("minimum_cut_value", {"_s": "last", "_t": "no node", "capacity": "weight"}),
    ("minimum_cut", {"_s": "first", "_t": "last", "capacity": "weight"}),
    ("greedy_color", {"strategy": "random_sequential"}),
    ("bfs_edges", {"source": "first"}),
    ("bfs_edges", {"source": "last", "depth_limit": 2, "reverse": True}),
    ("bfs_edges", {"source": "first", "depth_limit": 0}),
    ("bfs_edges", {"source": "no node"}),
    ("bfs_predecessors", {"source": "first", "depth_limit": 3}),
    ("bfs_successors", {"source": "last"}),
    ("bfs_layers", {"sources": "first"}),
    ("bfs_layers", {"sources": ["last", "first"]}),
    ("bfs_layers", {"sources": ["first", "no node"]}),
    ("bfs_layers", {"sources": []}),
    ("descendants_at_distance", {"source": "first", "distance": 2}),
    ("descendants_at_distance", {"source": "first", "distance": -1}),
    ("descendants_at_distance", {"source": "first", "distance": 1000}),
    ("descendants", {"source": "first"}),
    ("ancestors", {"source": "first"}),
    ("ancestors", {"source": "no node"}),
    ("has_path", {"source": "first", "target": "last"}),
    ("has_path", {"source": "first", "target": "no node"}),
    ("predecessor", {"source": "first"}),
    ("predecessor", {"source": "first", "cutoff": 1.5, "return_seen": True}),
    ("predecessor", {"source": "first", "target": "last"}),
    ("predecessor", {"source": "first", "target": "last", "cutoff": 1, "return_seen": True}),
    ("predecessor", {"source": "first", "cutoff": -1}),
    ("single_source_shortest_path_length", {"source": "first"}),
    ("single_source_shortest_path_length", {"source": "last", "cutoff": 1.5}),
    ("single_source_shortest_path_length", {"source": "last", "cutoff": -1}),
    ("single_source_shortest_path_length", {"source": "no node"}),
    ("single_target_shortest_path_length", {"target": "first", "cutoff": 2}),
    ("all_pairs_shortest_path_length", {"cutoff": 3}),
    ("single_source_shortest_path", {"source": "first"}),
    ("single_target_shortest_path", {"target": "first", "cutoff": 1.5}),
    ("all_pairs_shortest_path", {"cutoff": 2}),
    ("average_shortest_path_length", {}),
    ("average_shortest_path_length", {"weight": "weight"}),
    ("average_shortest_path_length", {"weight": "weight", "method": "unweighted"}),
    ("eccentricity", {}),
    ("eccentricity", {"v": "last", "weight": "weight"}),
    ("eccentricity", {"v": ["last", "first"]}),
    *(
        (name, options)
        for name in ("diameter", "radius", "periphery")
        for options in ({}, {"usebounds": True}, {"weight": "weight"})
    ),
    ("multi_source_dijkstra", {"sources": ["last", "first", "last"]}),
    ("multi_source_dijkstra", {"sources": ["first", "last"], "cutoff": 1}),
    ("multi_source_dijkstra", {"sources": ["first", "no node"]}),
    ("multi_source_dijkstra", {"sources": []}),
    ("multi_source_dijkstra", {"sources": ["first"], "target": "last"}),
    ("multi_source_dijkstra", {"sources": ["first", "last"], "target": "last"}),
    ("multi_source_dijkstra_path", {"sources": ["last", "first"], "weight": None}),
    ("multi_source_dijkstra_path_length", {"sources": ["last", "first"]}),
    ("single_source_dijkstra", {"source": "first"}),
    ("single_source_dijkstra", {"source": "last", "cutoff": 1}),
    ("single_source_dijkstra", {"source": "first", "cutoff": -1}),
    ("single_source_dijkstra", {"source": "first", "target": "last"}),
    ("single_source_dijkstra", {"source": "first", "target": "last", "cutoff": 0.5}),
    ("single_source_dijkstra", {"source": "first", "target": "first"}),
    ("single_source_dijkstra", {"source": "first", "target": "first", "cutoff": -1}),
    ("single_source_dijkstra_path", {"source": "first"}),
    ("single_source_dijkstra_path_length", {"source": "first"}),
    ("single_source_dijkstra_path_length", {"source": "first", "weight": None}),
    ("single_source_dijkstra_path_length", {"source": "first", "weight": "no such"}),
    ("dijkstra_path", {"source": "first", "target": "last"}),
    ("dijkstra_path_length", {"source": "last", "target": "first"}),
    ("dijkstra_path_length", {"source": "first", "target": "no node"}),
    ("dijkstra_predecessor_and_distance", {"source": "first"}),
    ("dijkstra_predecessor_and_distance", {"source": "last", "cutoff": 1}),
    ("all_pairs_dijkstra", {"cutoff": 0.5}),
    ("all_pairs_dijkstra_path", {"cutoff": 0.5}),
    ("all_pairs_dijkstra_path_length", {"cutoff": 1}),
    ("single_source_bellman_ford", {"source": "first"}),
    ("single_source_bellman_ford", {"source": "first", "target": "last"}),
    ("single_source_bellman_ford", {"source": "last", "target": "last"}),
    ("single_source_bellman_ford", {"source": "no node"}),
    ("single_source_bellman_ford_path", {"source": "last", "weight": None}),
    ("single_source_bellman_ford_path_length", {"source": "last"}),
    ("bellman_ford_path", {"source": "first", "target": "last"}),
    ("bellman_ford_path_length", {"source": "first", "target": "last"}),
    ("bellman_ford_path_length", {"source": "first", "target": "no node"}),
    ("bellman_ford_path_length", {"source": "no node", "target": "no node"}),
    ("bellman_ford_predecessor_and_distance", {"source": "first"}),
    ("bellman_ford_predecessor_and_distance", {"source": "no node"}),
    ("all_pairs_bellman_ford_path", {}),
    ("all_pairs_bellman_ford_path_length", {}),
    ("shortest_path", {"source": "first"}),
    ("shortest_path", {"target": "first", "weight": "weight"}),
    ("shortest_path", {"source": "first", "weight": "weight", "method": "bellman-ford"}),
    ("shortest_path", {"target": "first", "weight": "weight", "method": "bellman-ford"}),
    ("shortest_path", {"source": "first", "target": "last", "weight": "weight", "method": "bellman-ford"}),
    ("shortest_path_length", {"weight": "weight", "method": "bellman-ford"}),
    ("shortest_path_length", {"source": "first", "weight": "weight", "method": "bellman-ford"}),
    ("shortest_path_length", {"source": "first", "target": "last", "weight": "weight", "method": "bellman-ford"}),
    ("shortest_path_length", {}),
    ("shortest_path_length", {"source": "first", "weight": "weight"}),
    ("shortest_path_length", {"target": "first"}),
    ("shortest_path_length", {"source": "first", "target": "last"}),
    *(
        ("shortest_path_length", {"source": "first", "target": "no node", "weight": weight, "method": method})
        for weight in (None, "weight")
        for method in ("dijkstra", "bellman-ford")
    ),
]


def same(found, expected):
    """Whether two results are equal, type by type and in the same order; floats to the last digits."""
    if isinstance(expected, float):
        close = math.isclose(found, expected, rel_tol=1e-9, abs_tol=1e-15)
        return type(found) is float and (close or (math.isnan(found) and math.isnan(expected)))
    if type(found) is not type(expected):
        return False
    if isinstance(expected, nx.Graph):
        return all(same(*map(part, (found, expected))) for part in (vars_of, nodes_of, rows_of))
    if isinstance(expected, dict):
        return same(list(found.items()), list(expected.items()))
    if isinstance(expected, (list, tuple)):
        return len(found) == len(expected) and all(map(same, found, expected))
    return found == expected


def vars_of(graph):
    return [type(graph), graph.graph]


def nodes_of(graph):
    return dict(graph.nodes(data=True))


def rows_of(graph):
    return {node: dict(row) for node, row in graph.adjacency()}


def outcome(call, *args, **kwargs):
    """What a call returns, an iterator as a list, or the type of its error."""
    try:
        result = call(*args, **kwargs)
        return list(result) if isinstance(result, (Iterator, ValuesView)) else result
    except (nx.NetworkXException, ArithmeticError, KeyError, NotImplementedError, TypeError, ValueError) as error:
        return type(error)


def nodes_for(graph, value):
    """`value` with nodes of the graph for their names."""
    if isinstance(value, dict):
        return {nodes_for(graph, key): nodes_for(graph, other) for key, other in value.items()}
    if isinstance(value, list):
        return [nodes_for(graph, one) for one in value]
    nodes = list(graph) or [0]
    if value == "halves":
        return [set(list(graph)[::2]), set(list(graph)[1::2])]
    return {"first": nodes[0], "last": nodes[-1]}.get(value, value) if isinstance(value, str) else value


CLUSTERS = ("clustering", "average_clustering", "transitivity")
SPANNING = ("minimum_spanning_edges", "maximum_spanning_edges", "minimum_spanning_tree", "maximum_spanning_tree")
CORES = ("core_number", "k_core", "k_shell", "k_crust", "k_corona")
UNDIRECTED = (
    *CLUSTERS,
    *SPANNING,
    *CORES,
    "greedy_color",
    "single_target_shortest_path",
    "single_target_shortest_path_length",
)


def flow_is_refused(graph, _s, _t, capacity):
    """Where capacities are of two types, or those that are missing, and so infinite, let flow without an end."""
    capacities = [data.get(capacity, math.inf) for *_, data in graph.edges(data=True)]
    if graph.is_multigraph() or _s == _t or _s not in graph or _t not in graph:
        return graph.is_multigraph()
    infinite = nx.subgraph_view(graph, filter_edge=lambda u, v: capacity not in graph.edges[u, v])
    return len(set(map(type, capacities))) > 1 or nx.has_path(infinite, _s, _t)


def is_refused(name, graph, named):
    """What minigr doesn't answer of `CALLS`; it must answer all others."""
    if name in ("maximum_flow_value", "minimum_cut_value", "minimum_cut"):
        return flow_is_refused(graph, **named)
    if name == "average_neighbor_degree":
        return graph.is_multigraph() or nx.number_of_selfloops(graph) > 0
    if name in SPANNING and graph.is_multigraph():
        return True
    if name == "edge_betweenness_centrality" and graph.is_multigraph():
        return True
    if name in ("betweenness_centrality", "edge_betweenness_centrality") and named.get("weight"):
        weights = [data.get("weight", 1) for *_, data in graph.edges(data=True)]
        return min(weights, default=1) <= 0
    backwards = named.get("reverse") or ("target" in named and not {"source", "sources"} & named.keys())
    return graph.is_directed() and (name in UNDIRECTED or bool(backwards))


@pytest.mark.filterwarnings(r"ignore:\s*bfs_predecessors is deprecated")  # by NetworkX 3.7, which still has it
@pytest.mark.parametrize(("name", "arguments"), CALLS, ids=lambda value: str(value))
def test_the_same_as_networkx(backend, name, arguments):
    for kind, graph in GRAPHS.items():
        named = nodes_for(graph, arguments)
        random.seed(7)
        expected = outcome(function_of(name), graph, **named)
        random.seed(7)
        if name in CLUSTERS and graph.is_directed():  # multigraphs too, which NetworkX refuses where it counts
            with pytest.raises(NotImplementedError):
                backend(name, graph, **named)
        elif expected is nx.NetworkXNotImplemented:  # by a decorator of NetworkX's, before any backend is asked
            assert outcome(backend, name, graph, **named) in (expected, NotImplementedError)
        elif is_refused(name, graph, named):
            with pytest.raises(NotImplementedError):
                backend(name, graph, **named)
        else:
            found = outcome(backend, name, graph, **named)
            assert same(found, expected), f"{kind}: {found} and not {expected}"


@pytest.mark.skipif(VERSION < (3, 6), reason="NetworkX scales results from a sample of nodes differently")
@pytest.mark.parametrize("name", ["betweenness_centrality", "edge_betweenness_centrality"])
def test_nodes_are_drawn_as_networkx_draws_them(backend, name):
    """All of them, too, which NetworkX draws for edges alone."""
    graph = nx.karate_club_graph()
    for k in (3, len(graph)):
        ours, theirs = random.Random(5), random.Random(5)
        found = backend(name, graph, k=k, seed=ours)
        assert same(found, getattr(nx, name)(graph, k=k, seed=theirs))
        assert ours.getstate() == theirs.getstate()


def test_what_networkx_deprecates_is_deprecated(backend):
    told = []
    for ask in (nx.bfs_predecessors, lambda *arguments: backend("bfs_predecessors", *arguments)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            assert list(ask(nx.path_graph(3), 0)) == [(1, 0), (2, 1)]
        told.append([(one.category, one.filename) for one in caught])
    assert told[0] == told[1]


def edges(weights):
    return st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7), weights), max_size=40)


def made(kind, edges):
    graph = kind()
    graph.add_node(5)
    graph.add_weighted_edges_from(edges)
    return graph


KINDS = [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph]
FAST = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@FAST
@given(edges=edges(st.integers(0, 3)), kind=st.sampled_from(KINDS))
def test_the_order_of_visits_among_equals(backend, edges, kind):
    graph = made(kind, edges)
    names = ["single_source_dijkstra", "dijkstra_predecessor_and_distance", "predecessor", "bfs_successors"]
    for name in names:
        assert same(outcome(backend, name, graph, 5), outcome(getattr(nx, name), graph, 5)), name
    for name in ["strongly_connected_components"] if graph.is_directed() else ["label_propagation_communities"]:
        assert same(outcome(backend, name, graph), outcome(function_of(name), graph)), name


@FAST
@given(edges=edges(st.integers(-1, 6) | st.floats(-0.3, 2)), kind=st.sampled_from(KINDS))
def test_the_moves_of_a_queue(backend, edges, kind):
    """With cycles of negative weight too, and sums that are rounded."""
    whole = all(isinstance(weight, int) for *_, weight in edges)
    graph = made(kind, edges if whole else [(u, v, float(weight)) for u, v, weight in edges])
    name = "bellman_ford_predecessor_and_distance"
    for heuristic in (False, True):
        expected = outcome(getattr(nx, name), graph, 5, heuristic=heuristic)
        assert same(outcome(backend, name, graph, 5, heuristic=heuristic), expected), heuristic
    name = "single_source_bellman_ford"
    assert same(outcome(backend, name, graph, 5), outcome(getattr(nx, name), graph, 5))


@pytest.mark.parametrize(
    ("cycle", "answers_without_heuristic"),
    [([(1, 2, -1.0), (2, 1, 1.0)], True), ([(1, 1, -1.0)], False)],
)
def test_cycles_that_only_rounding_improves_once(backend, cycle, answers_without_heuristic):
    graph = made(nx.DiGraph, [(0, 1, 2.0**53 + 6), *cycle])
    for ask in (nx.single_source_bellman_ford, partial(backend, "single_source_bellman_ford")):
        with pytest.raises(nx.NetworkXUnbounded):
            ask(graph, 0)
    name = "bellman_ford_predecessor_and_distance"
    expected = outcome(getattr(nx, name), graph, 0)
    assert (expected is not nx.NetworkXUnbounded) == answers_without_heuristic
    assert same(outcome(backend, name, graph, 0), expected)


DAG = ("is_directed_acyclic_graph", "dag_longest_path_length")


@FAST
@given(edges=edges(st.integers(-4, 6) | st.floats(-0.3, 2)), kind=st.sampled_from([nx.DiGraph, nx.MultiDiGraph]))
def test_directed_acyclic_graphs(backend, edges, kind):
    """With weights below 0 too, and sums that are rounded."""
    whole = all(isinstance(weight, int) for *_, weight in edges)
    falling = [(u, v, weight if whole else float(weight)) for u, v, weight in edges if u != v and (u - v) % 8 < 4]
    graph = made(kind, falling)
    acyclic = made(kind, [edge for edge in falling if edge[0] > edge[1]])
    for name in DAG:
        assert same(outcome(backend, name, graph), outcome(function_of(name), graph)), name
        assert same(outcome(backend, name, acyclic), outcome(function_of(name), acyclic)), name


@pytest.mark.parametrize("ends", [{}, {"x": "in", "y": "out"}, {"x": "in", "y": "in"}], ids=str)
def test_degree_assortativity(backend, ends):
    for kind, graph in GRAPHS.items():
        degrees = {"out": graph.degree(), "in": graph.degree()}
        if graph.is_directed():
            degrees = {"out": graph.out_degree(), "in": graph.in_degree()}
        pairs = [(u, v) for u in graph for v in graph[u]]
        at_ends = (
            {degrees[ends.get("x", "out")][u] for u, _ in pairs},
            {degrees[ends.get("y", "in")][v] for _, v in pairs},
        )
        if min(map(len, at_ends)) < 2:
            with pytest.raises(NotImplementedError):
                backend("degree_assortativity_coefficient", graph, **ends)
        else:
            found = backend("degree_assortativity_coefficient", graph, **ends)
            assert same(found, nx.degree_assortativity_coefficient(graph, **ends)), kind
    with pytest.raises(NotImplementedError):
        backend("degree_assortativity_coefficient", nx.path_graph(3), x="both")


def test_degrees_of_neighbors_by_directions(backend):
    graph = GRAPHS["directed"]
    for target in ("in", "out"):
        found = backend("average_neighbor_degree", graph, target=target)
        assert same(found, nx.average_neighbor_degree(graph, target=target))
    for refused in ({"source": "in"}, {"target": "in+out"}, {"nodes": [0]}, {"weight": "weight"}):
        with pytest.raises(NotImplementedError):
            backend("average_neighbor_degree", graph, **refused)


def test_rich_clubs(backend):
    simple = [graph for graph in GRAPHS.values() if not (graph.is_directed() or graph.is_multigraph())]
    for graph in simple:
        if nx.number_of_selfloops(graph):
            with pytest.raises(NotImplementedError):
                backend("rich_club_coefficient", graph, normalized=False)
        else:
            found = backend("rich_club_coefficient", graph, normalized=False)
            assert same(found, nx.rich_club_coefficient(graph, normalized=False))
    with pytest.raises(NotImplementedError):
        backend("rich_club_coefficient", nx.karate_club_graph())


def test_self_loops_join_no_nodes(backend):
    pairs = [(u, v) for u in range(3) for v in range(u, 3)]
    for chosen in range(2 ** len(pairs)):
        graph = nx.Graph([pair for place, pair in enumerate(pairs) if chosen >> place & 1])
        assert backend("is_biconnected", graph) == nx.is_biconnected(graph), graph.edges


def test_a_share_for_a_node_that_is_not_there(backend):
    for call in (backend, lambda name, *args, **named: getattr(nx, name)(*args, **named)):
        with pytest.raises(nx.NetworkXError, match="beta dictionary"):
            call("katz_centrality", nx.path_graph(2), beta={0: 1, 1: 1, "no node": 1})


@FAST
@given(edges=edges(st.just(1)), pairs=st.none() | st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7))))
def test_links_where_there_are_self_loops(backend, edges, pairs):
    graph = made(nx.Graph, edges)
    graph.add_nodes_from(range(8))
    for name in LINKS:
        assert same(outcome(backend, name, graph, pairs), outcome(getattr(nx, name), graph, pairs)), name


def test_links_in_batches(backend, monkeypatch):
    monkeypatch.setattr(links, "_BATCH", 7)
    graph = nx.karate_club_graph()
    for name in LINKS:
        assert same(list(backend(name, graph)), list(getattr(nx, name)(graph))), name
        some = backend(name, graph, [(0, 1), (4, 5)] * 9)
        assert next(some) == next(getattr(nx, name)(graph, [(0, 1)]))
        assert len(list(some)) == 17
        assert list(backend(name, graph, iter([(0, 1)]))) == []  # NetworkX, too, goes through the pairs twice
        with pytest.raises(nx.NodeNotFound, match=r"Node 77 not in G\."):  # before anything is asked for
            backend(name, graph, [(0, 1), (2, 77)])


def test_far_more_vertices_before_others_than_there_are_vertices(backend):
    graph = nx.complete_bipartite_graph(30, 30)
    graph.add_edges_from(("first", node) for node in range(30))
    for name in ("single_source_bellman_ford", "bellman_ford_predecessor_and_distance"):
        assert same(outcome(backend, name, graph, "first"), outcome(getattr(nx, name), graph, "first")), name


def test_every_function_is_called():
    elsewhere = {"hits", "maximal_independent_set", "asyn_lpa_communities", "fast_label_propagation_communities"}
    elsewhere |= {
        "hopcroft_karp_matching",
        "maximum_flow",
        "louvain_communities",
        "louvain_partitions",
        "leiden_communities",
        "leiden_partitions",
    }
    elsewhere |= {"transitive_reduction", "degree_assortativity_coefficient", "rich_club_coefficient"}
    generators = {name for name, function in FUNCTIONS.items() if function.module == "generators"}
    assert {name for name, _ in CALLS} == set(FUNCTIONS) - elsewhere - generators


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ({1: 2, 3: 4}, {3: 4, 1: 2}),
        ([1], (1,)),
        ([1.0], [1]),
        ({"a": [1, 2]}, {"a": [2, 1]}),
        ([1.0], [1.001]),
        ([1, 2], [1]),
    ],
)
def test_what_is_not_the_same(found, expected):
    assert not same(found, expected)
    assert same(expected, expected)
