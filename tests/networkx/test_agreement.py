"""The same answer as NetworkX's: values, their types, and the order of all that has one."""

import math
import random
from collections.abc import Iterator

import networkx as nx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from minigr.networkx.functions import FUNCTIONS
from tests.networkx.graphs import GRAPHS

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
    ("triangles", {}),
    ("clustering", {}),
    ("average_clustering", {}),
    ("average_clustering", {"count_zeros": False}),
    ("transitivity", {}),
    ("betweenness_centrality", {}),
    ("betweenness_centrality", {"normalized": False, "endpoints": True}),
    ("closeness_centrality", {}),
    ("closeness_centrality", {"u": "last"}),
    ("closeness_centrality", {"u": "no node"}),
    ("harmonic_centrality", {}),
    ("core_number", {}),
    ("greedy_color", {}),
    ("greedy_color", {"strategy": "random_sequential"}),
    ("bfs_edges", {"source": "first"}),
    ("bfs_edges", {"source": "last", "depth_limit": 2, "reverse": True}),
    ("bfs_edges", {"source": "first", "depth_limit": 0}),
    ("bfs_edges", {"source": "no node"}),
    ("bfs_predecessors", {"source": "first", "depth_limit": 3}),
    ("bfs_successors", {"source": "last"}),
    ("bfs_layers", {"sources": "first"}),
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
    ("single_source_dijkstra", {"source": "first"}),
    ("single_source_dijkstra", {"source": "last", "cutoff": 1}),
    ("single_source_dijkstra", {"source": "first", "cutoff": -1}),
    ("single_source_dijkstra", {"source": "first", "target": "last"}),
    ("single_source_dijkstra", {"source": "first", "target": "last", "cutoff": 0.5}),
    ("single_source_dijkstra", {"source": "first", "target": "first"}),
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
    ("bellman_ford_path_length", {"source": "first", "target": "last"}),
    ("shortest_path", {"source": "first"}),
    ("shortest_path", {"target": "first", "weight": "weight"}),
    ("shortest_path_length", {}),
    ("shortest_path_length", {"source": "first", "weight": "weight"}),
    ("shortest_path_length", {"target": "first"}),
    ("shortest_path_length", {"source": "first", "target": "last"}),
]


def same(found, expected):
    """Whether two results are equal, type by type and in the same order; floats to the last digits."""
    if isinstance(expected, float):
        return type(found) is float and math.isclose(found, expected, rel_tol=1e-9, abs_tol=1e-15)
    if type(found) is not type(expected):
        return False
    if isinstance(expected, dict):
        return same(list(found.items()), list(expected.items()))
    if isinstance(expected, (list, tuple)):
        return len(found) == len(expected) and all(map(same, found, expected))
    return found == expected


def outcome(call, *args, **kwargs):
    """What a call returns, an iterator as a list, or the type of its error."""
    try:
        result = call(*args, **kwargs)
        return list(result) if isinstance(result, Iterator) else result
    except (nx.NetworkXException, KeyError, TypeError, ZeroDivisionError) as error:
        return type(error)


def nodes_for(graph, value):
    """`value` with nodes of the graph for their names."""
    if isinstance(value, dict):
        return {nodes_for(graph, key): nodes_for(graph, other) for key, other in value.items()}
    nodes = list(graph) or [0]
    return {"first": nodes[0], "last": nodes[-1]}.get(value, value) if isinstance(value, str) else value


CLUSTERS = ("clustering", "average_clustering", "transitivity")
UNDIRECTED = (
    *CLUSTERS,
    "core_number",
    "greedy_color",
    "single_target_shortest_path",
    "single_target_shortest_path_length",
)


def is_refused(name, graph, named):
    """What minigr doesn't answer of `CALLS`; it must answer all others."""
    if name == "bfs_layers" and named["sources"] not in graph:
        return True
    if name == "betweenness_centrality" and graph.is_multigraph():
        return True
    backwards = named.get("reverse") or ("target" in named and "source" not in named)
    return graph.is_directed() and (name in UNDIRECTED or bool(backwards))


@pytest.mark.parametrize(("name", "arguments"), CALLS, ids=lambda value: str(value))
def test_the_same_as_networkx(backend, name, arguments):
    for kind, graph in GRAPHS.items():
        named = nodes_for(graph, arguments)
        random.seed(7)
        expected = outcome(getattr(nx, name), graph, **named)
        random.seed(7)
        if name in CLUSTERS and graph.is_directed():  # multigraphs too, which NetworkX refuses where it counts
            with pytest.raises(NotImplementedError):
                backend(name, graph, **named)
        elif expected is nx.NetworkXNotImplemented:  # by a decorator of NetworkX's, before any backend is asked
            assert outcome(backend, name, graph, **named) is expected
        elif is_refused(name, graph, named):
            with pytest.raises(NotImplementedError):
                backend(name, graph, **named)
        else:
            found = outcome(backend, name, graph, **named)
            assert same(found, expected), f"{kind}: {found} and not {expected}"


EDGES = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7), st.integers(0, 3)), max_size=40)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(edges=EDGES, kind=st.sampled_from([nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph]))
def test_the_order_of_visits_among_equals(backend, edges, kind):
    graph = kind()
    graph.add_node(5)
    graph.add_weighted_edges_from(edges)
    for name in ("single_source_dijkstra", "dijkstra_predecessor_and_distance", "predecessor", "bfs_successors"):
        assert same(outcome(backend, name, graph, 5), outcome(getattr(nx, name), graph, 5)), name


def test_every_function_is_called():
    assert {name for name, _ in CALLS} == set(FUNCTIONS)


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
