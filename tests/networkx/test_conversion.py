"""What becomes of nodes, edges and attributes, and what is refused because NetworkX alone can answer it."""

import copy
import gc
import math
import pickle
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest

import minigr as mg
from minigr.errors import GraphError
from minigr.networkx import interface
from minigr.networkx.graph import ConvertedGraph
from tests.networkx.graphs import GRAPHS


def converted(graph, **attributes):
    return interface.convert_from_nx(graph, edge_attrs=attributes or None)


@pytest.mark.parametrize("kind", list(GRAPHS))
def test_there_and_back(kind):
    graph = GRAPHS[kind]
    again = interface.convert_to_nx(converted(graph, weight=1))
    assert type(again) is type(graph)
    assert list(again) == list(graph)
    plain = graph.copy()
    for *_, data in plain.edges(data=True):
        weight = data.get("weight", 1)
        data.clear()
        data["weight"] = weight
    assert nx.utils.edges_equal(again.edges(data=True), plain.edges(data=True), directed=graph.is_directed())


@pytest.mark.parametrize("kind", list(GRAPHS))
def test_the_graph_that_is_made(monkeypatch, device, kind):
    monkeypatch.setenv("MINIGR_DEVICE", device)
    graph = GRAPHS[kind]
    made = converted(graph, weight=1).graph("weight")
    assert made.device.startswith(device)
    assert (made.num_vertices, made.directed) == (len(graph), graph.is_directed())
    assert made.num_edges == graph.number_of_edges()
    nodes = {node: place for place, node in enumerate(graph)}
    expected = nx.to_scipy_sparse_array(nx.relabel_nodes(graph, nodes), nodelist=range(len(graph))) if nodes else None
    if expected is not None:
        np.testing.assert_allclose(made.to_scipy().toarray(), expected.toarray())


class WithoutAttributes(nx.Graph):
    def adjacency(self):
        return ((node, set(row)) for node, row in self._adj.items())


def test_a_class_of_another_kind_is_refused():
    graph = WithoutAttributes([(0, 1)])
    with pytest.raises(GraphError, match="WithoutAttributes holds neighbors in a set"):
        mg.Graph.from_networkx(graph, device="cpu")
    with pytest.raises(NotImplementedError, match="holds neighbors in a set"):
        converted(graph)


def test_neighbors_keep_their_order():
    graph = nx.Graph([("a", "c"), ("a", "b"), ("b", "c"), ("a", "d")])
    found = converted(graph)
    for place, node in enumerate(found):
        row = found.targets[found.offsets[place] : found.offsets[place + 1]]
        assert found.labels(row) == list(graph[node])


def test_it_is_like_a_graph_of_networkx():
    found = converted(nx.path_graph(3, create_using=nx.MultiDiGraph))
    assert (len(found), list(found), 2 in found, 3 in found, [] in found) == (3, [0, 1, 2], True, False, False)
    assert found.is_directed()
    assert found.is_multigraph()


def test_labels_that_are_equal_but_not_alike():
    graph = nx.Graph([(0, 1), (1, 2)])
    graph.add_edge(2.0, True)  # the same edge again
    graph.add_edge(0.0, 2)
    assert list(converted(graph).targets) == [1, 2, 0, 2, 1, 0]
    for first in (False, 0.0):
        graph = nx.Graph([(first, 1), (1, 2)])
        assert [type(node) for node in converted(graph).labels(np.arange(3))] == [type(first), int, int]


@pytest.mark.parametrize(
    ("values", "dtype", "mixed"),
    [
        ([1, 2], np.int64, False),
        ([True, 2], np.int64, False),
        ([np.int32(3), 2**62], np.int64, False),
        ([1.0, 1.0], np.float64, False),
        ([np.float64(0.5), 2.5], np.float64, False),
        ([np.float32(0.5), np.float32(0.1)], np.float32, False),
        ([1, 2.5], np.float64, True),
        ([2.5, None], np.float64, True),  # None: no attribute, which counts as 1
    ],
)
def test_types_of_weights(values, dtype, mixed):
    graph = nx.DiGraph()
    for node, value in enumerate(values):
        graph.add_edge(node, node + 1, **({} if value is None else {"weight": value}))
    found = converted(graph, weight=1).weights("weight")
    assert (found.values.dtype, found.mixed) == (dtype, mixed)
    assert found.values.tolist() == [1 if value is None else value for value in values]


def test_weights_that_are_all_one_are_none():
    graph = nx.path_graph(3)
    assert not converted(graph, weight=1).is_weighted("weight")
    assert converted(graph, weight=2).is_weighted("weight")
    assert not converted(graph).is_weighted("weight")


@pytest.mark.parametrize("value", ["one", None, Fraction(1, 2), 1j, np.float16(1), 2**63, math.nan, [1]])
def test_attributes_that_are_no_weights(value):
    with pytest.raises(NotImplementedError, match="'cost'"):
        converted(nx.Graph([(0, 1, {"cost": value})]), cost=1)


def test_attributes_of_nodes_are_not_converted():
    with pytest.raises(NotImplementedError, match="attributes of nodes"):
        interface.convert_from_nx(nx.path_graph(2), node_attrs={"size": 1})


def test_all_attributes_are_kept_where_they_are():
    graph = nx.path_graph(3)
    graph.edges[0, 1]["cost"] = 7
    found = interface.convert_from_nx(graph, preserve_edge_attrs=True, preserve_node_attrs=True)
    assert interface.convert_to_nx(found) is graph
    assert interface.convert_to_nx(interface.convert_from_nx(graph, preserve_edge_attrs=True)) is graph
    assert interface.convert_to_nx(interface.convert_from_nx(graph, preserve_node_attrs=True)) is graph
    assert found.weights("cost").values.tolist() == [7, 1]
    assert not found.is_weighted("weight")
    assert not found.is_weighted(None)
    graph = None
    gc.collect()
    with pytest.raises(NotImplementedError, match="was deleted after"):
        found.networkx()


@pytest.mark.parametrize("again", [copy.deepcopy, lambda graph: pickle.loads(pickle.dumps(graph))])
def test_a_graph_is_copied_with_its_conversions(backend, again):
    """What keeps all attributes takes those of the copy from then on."""
    graph = nx.path_graph(3)
    graph.add_edge(0, 1, weight=5)
    backend("minimum_spanning_tree", graph)
    other = again(graph)
    graph.add_edge(0, 1, weight=99)
    assert backend("minimum_spanning_tree", other).edges[0, 1] == {"weight": 5}
    assert backend("dijkstra_path_length", other, 0, 2) == 6
    graph = None
    gc.collect()
    assert backend("maximum_spanning_tree", other).edges[0, 1] == {"weight": 5}


def test_a_conversion_goes_on_from_one_before(backend, monkeypatch):
    graph = nx.path_graph(4)
    graph.edges[0, 1]["weight"] = 5
    assert backend("number_connected_components", graph) == 1
    monkeypatch.setattr("minigr.networkx.graph.rows_of_networkx", None)
    assert backend("dijkstra_path_length", graph, 0, 2) == 6
    assert backend("k_core", graph, 1).edges[0, 1] == {"weight": 5}
    assert backend("bellman_ford_path_length", graph, 0, 2) == 6  # by the conversion that keeps attributes
    monkeypatch.undo()
    monkeypatch.setattr(nx.config, "cache_converted_graphs", False)
    graph._adj[0][1]["weight"] = 7  # unseen by the cache
    assert backend("dijkstra_path_length", graph, 0, 2) == 8


def test_a_default_weight_in_a_graph_that_was_converted_before(backend):
    """For a call that kept all attributes, and takes 1 where one is missing."""
    graph = nx.DiGraph([(0, 1, {"weight": 5}), (1, 2)])
    other = graph.copy()  # for which only these calls are made
    backend("k_core", graph, 0, core_number=dict.fromkeys(graph, 0))
    for each in (graph, other):
        assert [backend("dag_longest_path_length", each, default_weight=weight) for weight in (1, 3)] == [6, 8]


def test_a_default_weight_in_a_graph_that_was_generated(backend):
    graph = backend("fast_gnp_random_graph", 4, 0.2, seed=3, directed=True)
    expected = nx.fast_gnp_random_graph(4, 0.2, seed=3, directed=True)
    assert nx.dag_longest_path_length(expected, default_weight=3) > 0
    assert backend("dag_longest_path_length", graph, default_weight=3) == nx.dag_longest_path_length(
        expected, default_weight=3
    )


def test_the_least_of_parallel_edges_is_a_distance_and_their_sum_a_chance(backend):
    graph = nx.MultiDiGraph([(0, 1, {"weight": 5}), (0, 1, {"weight": 3}), (0, 2, {"weight": 4}), (2, 0), (1, 0)])
    assert backend("dijkstra_path_length", graph, 0, 1) == 3
    rank = backend("pagerank", graph)
    assert rank[1] > rank[2]
    assert rank == pytest.approx(nx.pagerank(graph))


@pytest.mark.parametrize("values", [(1, -1), (1.0, -0.5), (1.0, math.inf), (1, 1.5)])
def test_weights_that_are_refused_after_the_conversion(backend, values):
    graph = nx.path_graph(3)
    nx.set_edge_attributes(graph, dict(zip(graph.edges, values, strict=True)), "weight")
    with pytest.raises(NotImplementedError):
        backend("dijkstra_path_length", graph, 0, 2)
    if values == (1, 1.5):  # ranks are floats whatever the weights
        assert backend("pagerank", graph) == pytest.approx(nx.pagerank(graph))


@pytest.mark.parametrize("value", [1e308, np.float32(3e38)])
def test_weights_with_a_sum_that_is_infinite(backend, value):
    """Which is a distance to NetworkX, and not to minigr."""
    graph = nx.path_graph(4)
    nx.set_edge_attributes(graph, value, "weight")
    for name, *arguments in (
        ("dijkstra_path_length", 0, 3),
        ("single_source_dijkstra", 0),
        ("all_pairs_dijkstra_path",),
        ("bellman_ford_path_length", 0, 3),
        ("all_pairs_bellman_ford_path",),
        ("all_pairs_bellman_ford_path_length",),
        ("pagerank",),
    ):
        with pytest.raises(NotImplementedError):
            backend(name, graph, *arguments)
    with pytest.raises(NotImplementedError):
        backend("diameter", graph, weight="weight")


@pytest.mark.parametrize("value", [32 * 10**17, -32 * 10**17, math.inf, -math.inf])
def test_sums_of_signed_weights_that_their_type_does_not_hold(backend, value):
    graph = nx.path_graph(4, create_using=nx.DiGraph)
    nx.set_edge_attributes(graph, value, "weight")
    with pytest.raises(NotImplementedError):
        backend("bellman_ford_path_length", graph, 0, 3)


@pytest.mark.parametrize("weights", [[2**52] * 2, [np.float32(0.1)] * 2, [1.0, math.inf], [1.0, -math.inf]])
def test_weights_whose_longest_path_may_be_another_than_networkx_finds(backend, weights):
    graph = nx.DiGraph([(0, 1, {"weight": weights[0]}), (1, 2, {"weight": weights[1]})])
    with pytest.raises(NotImplementedError):
        backend("dag_longest_path_length", graph)


def test_a_cycle_whose_negative_weight_is_rounded_away(backend):
    """Each of its nodes is before another one of them, so no path leads there."""
    graph = nx.DiGraph()
    graph.add_weighted_edges_from([(1, 2, 1.0), (2, 3, -3.0), (0, 1, 2.0**53 + 4), (3, 1, 2.0)])
    with pytest.raises(NotImplementedError):
        backend("single_source_bellman_ford_path", graph, 0)


@pytest.mark.parametrize("name", ["closeness_centrality", "betweenness_centrality", "katz_centrality"])
def test_weights_that_networkx_adds_up_in_32_bits(backend, name):
    graph = nx.path_graph(3)
    nx.set_edge_attributes(graph, np.float32(0.1), "weight")
    with pytest.raises(NotImplementedError):
        backend(name, graph, **{"distance" if name == "closeness_centrality" else "weight": "weight"})


def test_weights_so_small_that_one_over_their_sum_is_infinite(backend):
    graph = nx.path_graph(3)
    nx.set_edge_attributes(graph, 5e-324, "weight")
    with pytest.raises(NotImplementedError):
        backend("pagerank", graph)


def test_sums_that_a_double_does_not_hold(backend):
    graph = nx.path_graph(3, create_using=nx.DiGraph)
    nx.set_edge_attributes(graph, 2**51 + 1, "weight")
    assert backend("dijkstra_path_length", graph, 0, 2) == 2**52 + 2
    nx.set_edge_attributes(graph, 2**52, "weight")
    graph.__networkx_cache__.clear()
    for name, *arguments in (
        ("dijkstra_path_length", 0, 2),
        ("single_source_dijkstra_path_length", 0),
        ("all_pairs_dijkstra_path",),
    ):
        with pytest.raises(NotImplementedError):
            backend(name, graph, *arguments)


def test_weights_are_sorted_as_networkx_sorts_them(backend):
    graph = nx.cycle_graph(3)
    nx.set_edge_attributes(graph, dict(zip(graph.edges, (-(2**63), 5, 7), strict=True)), "weight")
    for name in ("minimum_spanning_edges", "maximum_spanning_edges"):
        assert list(backend(name, graph, data=False)) == list(getattr(nx, name)(graph, data=False))
    for weight in (2**53 + 1, -(2**53) - 1):  # among floats, which minigr would round it to
        other = nx.Graph([(0, 1, {"weight": weight}), (1, 2, {"weight": 0.5})])
        with pytest.raises(NotImplementedError):
            backend("minimum_spanning_edges", other)


@pytest.mark.parametrize("share", [-1, math.inf])
def test_shares_of_jumps_that_are_refused(backend, share):
    with pytest.raises(NotImplementedError):
        backend("pagerank", nx.path_graph(3), personalization={0: share, 1: 3})


@pytest.mark.parametrize("other", [2**53, 2.0**53])
def test_paths_whose_lengths_differ_by_less_than_a_double_shows(backend, other):
    """Betweenness counts those that are as long."""
    graph = nx.cycle_graph(4)
    nx.set_edge_attributes(graph, 2**53, "weight")
    graph.edges[0, 1]["weight"] = 2**53 + 1
    graph.edges[2, 3]["weight"] = other
    sums = nx.path_graph(4)  # whose weights a double holds
    nx.set_edge_attributes(sums, 2**52, "weight")
    for name in ("betweenness_centrality", "edge_betweenness_centrality"):
        for refused in (graph, sums):
            with pytest.raises(NotImplementedError):
                backend(name, refused, weight="weight")


def test_a_converted_graph_is_taken_as_it_is(backend):
    graph = GRAPHS["ints"]
    found = converted(graph, weight=1)
    assert isinstance(found, ConvertedGraph)
    assert backend("dijkstra_path_length", found, 0, 1) == nx.dijkstra_path_length(graph, 0, 1)
    assert backend("descendants", found, 0) == nx.descendants(graph, 0)


def test_conversions_are_cached_and_forgotten_when_the_graph_changes(backend):
    graph = nx.path_graph(4)
    assert backend("number_connected_components", graph) == 1
    assert list(graph.__networkx_cache__["backends"]["minigr"])
    graph.add_edge(7, 8)
    assert backend("number_connected_components", graph) == 2
