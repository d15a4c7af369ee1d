"""Functions whose answers aren't unique: what is found is one of those that NetworkX could have found."""

import random

import networkx as nx
import pytest

from tests.networkx.graphs import GRAPHS

SETS = {name: graph for name, graph in GRAPHS.items() if not graph.is_directed() and len(graph)}
SIMPLE = {name: graph for name, graph in SETS.items() if not graph.is_multigraph()}
COMMUNITIES = ("asyn_lpa_communities", "fast_label_propagation_communities")


@pytest.mark.parametrize("kind", list(SETS))
def test_an_independent_set_that_is_maximal(backend, kind):
    graph = SETS[kind]
    if nx.number_of_selfloops(graph):
        with pytest.raises(NotImplementedError):
            backend("maximal_independent_set", graph)
        return
    random.seed(3)
    found = backend("maximal_independent_set", graph)
    assert len(found) == len(set(found))
    assert not any(graph.has_edge(u, v) for u in found for v in found)
    assert all(node in found or set(found) & set(graph[node]) for node in graph)
    random.seed(3)
    assert backend("maximal_independent_set", graph) == found
    others = [backend("maximal_independent_set", graph) for _ in range(8)]
    assert all(other == found for other in others) is (graph.number_of_edges() == 0)


@pytest.mark.parametrize("kind", [name for name, graph in GRAPHS.items() if graph.is_directed()])
def test_a_transitive_reduction(backend, kind):
    """Whose rows NetworkX lists in the order of Python's sets."""
    graph = GRAPHS[kind]
    if not nx.is_directed_acyclic_graph(graph):
        with pytest.raises(nx.NetworkXError, match="Directed Acyclic Graph required"):
            backend("transitive_reduction", graph)
        return
    found, expected = backend("transitive_reduction", graph), nx.transitive_reduction(graph)
    assert type(found) is type(expected)
    assert list(found) == list(expected)
    assert set(found.edges) == set(expected.edges)


@pytest.mark.parametrize("name", COMMUNITIES)
@pytest.mark.parametrize("kind", list(SIMPLE))
@pytest.mark.parametrize("weight", [None, "weight"])
def test_communities_in_which_no_node_would_change(backend, name, kind, weight):
    graph = SIMPLE[kind]
    random.seed(4)
    found = list(backend(name, graph, weight=weight))
    label = {node: i for i, nodes in enumerate(found) for node in nodes}
    assert sum(map(len, found)) == len(label) == len(graph)
    for node in graph:
        count = dict.fromkeys(range(len(found)), 0)
        for neighbor, data in graph[node].items():
            count[label[neighbor]] += data.get(weight, 1)
        assert not graph[node] or count[label[node]] >= max(count.values()) * (1 - 1e-6)
    random.seed(4)
    assert list(backend(name, graph, weight=weight)) == found


@pytest.mark.parametrize("kind", list(SETS))
@pytest.mark.parametrize("weight", [None, "weight"])
@pytest.mark.parametrize("name", ["louvain", "leiden"])
def test_partitions(backend, name, kind, weight):
    graph = SETS[kind]
    random.seed(4)
    levels = list(backend(f"{name}_partitions", graph, weight=weight))
    assert all(nx.community.is_partition(graph, level) for level in levels)
    random.seed(4)
    assert backend(f"{name}_communities", graph, weight=weight) == levels[-1]
    random.seed(4)
    assert backend(f"{name}_communities", graph, weight=weight, max_level=1) == levels[0]
    random.seed(4)
    assert backend(f"{name}_communities", graph, weight=weight, max_level=99) == levels[-1]
    if graph.size(weight=weight):
        expected = nx.community.louvain_communities(graph, weight=weight, seed=1)
        found, least = (nx.community.modularity(graph, some, weight=weight) for some in (levels[-1], expected))
        assert found >= least - 0.03
    if name == "leiden":
        assert all(nx.is_connected(graph.subgraph(nodes)) for nodes in levels[-1])
        assert backend("leiden_communities", graph, weight=weight, seed=7) == backend(
            "leiden_communities", graph, weight=weight, seed=7
        )


@pytest.mark.parametrize("name", ["louvain", "leiden"])
def test_a_greater_resolution_makes_smaller_communities(backend, name):
    graph = nx.karate_club_graph()
    assert len(backend(f"{name}_communities", graph, resolution=0)) == 1
    assert len(backend(f"{name}_communities", graph, resolution=100)) == len(graph)


def test_a_threshold_ends_the_levels(backend):
    graph = nx.karate_club_graph()
    assert len(list(backend("louvain_partitions", graph))) > len(
        list(backend("louvain_partitions", graph, threshold=1))
    )


def test_partitions_that_are_not_found(backend):
    with pytest.raises(ValueError, match="max_level"):
        backend("louvain_communities", nx.path_graph(4), max_level=0)
    for resolution in (-1, float("inf")):
        with pytest.raises(NotImplementedError):
            backend("leiden_communities", nx.path_graph(4), resolution=resolution)


@pytest.mark.parametrize("directed", [False, True])
def test_hubs_and_authorities(backend, directed):
    """Where the greatest singular value is one alone, so are they."""
    graph = nx.gnm_random_graph(60, 300, seed=8, directed=directed)
    for u, v in graph.edges:
        graph[u][v]["weight"] = 1 + (u * v) % 3
    for named in (graph, nx.relabel_nodes(graph, "node {}".format)):
        for found, expected in zip(backend("hits", named, tol=1e-12), nx.hits(named), strict=True):
            assert list(found) == list(expected)
            assert found == pytest.approx(expected, rel=1e-6, abs=1e-9)
            assert {type(value) for value in found.values()} == {float}


def test_hubs_that_are_not_found(backend):
    with pytest.raises(nx.PowerIterationFailedConvergence):
        backend("hits", nx.path_graph(4), max_iter=0)
    with pytest.raises(NotImplementedError):
        backend("hits", nx.gnm_random_graph(60, 300, seed=8), max_iter=2)
    with pytest.raises(NotImplementedError):
        backend("hits", nx.empty_graph(3))
    assert backend("hits", nx.Graph()) == ({}, {})


@pytest.mark.parametrize("kind", list(SETS))
def test_a_maximum_matching(backend, kind):
    graph = SETS[kind]
    top = None
    if nx.is_bipartite(graph) and not nx.is_connected(graph):
        color = nx.bipartite.color(graph)
        top = [node for node in graph if color[node]]
    try:
        expected = nx.bipartite.hopcroft_karp_matching(graph, top)
    except nx.NetworkXException as error:
        with pytest.raises(type(error), match=str(error)):
            backend("hopcroft_karp_matching", graph, top)
        return
    found = backend("hopcroft_karp_matching", graph, top)
    assert len(found) == len(expected)
    assert all(found[other] == node and graph.has_edge(node, other) for node, other in found.items())
    first = list(found)[: len(found) // 2]  # one side, and then the other, as in NetworkX
    assert not set(first) & {found[node] for node in first}
    assert found == nx.bipartite.maximum_matching(graph, top, backend="minigr")


def test_top_nodes_that_are_no_side(backend):
    for top in ([0, 1], ["no node"]):
        with pytest.raises(NotImplementedError):
            backend("hopcroft_karp_matching", nx.path_graph(4), top)


@pytest.mark.parametrize("kind", list(GRAPHS))
def test_a_maximum_flow(backend, kind):
    graph = GRAPHS[kind]
    kinds = {type(data.get("weight")) for *_, data in graph.edges(data=True)}
    if len(graph) < 2 or graph.is_multigraph() or (kinds - {int} and kinds - {float}):
        return
    first, *_, last = graph
    value, flows = backend("maximum_flow", graph, first, last, capacity="weight")
    expected, others = nx.maximum_flow(graph, first, last, capacity="weight")
    assert (value, type(value)) == (pytest.approx(expected, rel=1e-9), type(expected))
    assert {node: list(row) for node, row in flows.items()} == {node: list(row) for node, row in others.items()}
    net = dict.fromkeys(graph, 0)
    for u, row in flows.items():
        for v, amount in row.items():
            assert 0 <= amount <= graph.edges[u, v]["weight"]
            assert amount or type(amount) is int  # where nothing flows, whatever the capacities
            net[u] += amount
            net[v] -= amount
    assert net == pytest.approx({**dict.fromkeys(graph, 0), first: value, last: -value}, abs=1e-9 * max(value, 1))


def test_a_missing_capacity_is_infinite_in_a_graph_that_was_converted_before(backend):
    """For a call that kept all attributes, and takes 1 where one is missing."""
    graph = nx.path_graph(3)
    graph.edges[0, 1]["capacity"] = 2.0
    backend("minimum_spanning_tree", graph, weight="capacity")
    assert backend("maximum_flow_value", graph, 0, 2) == 2


def test_a_missing_capacity_is_infinite_in_a_graph_that_was_generated(backend):
    graph = backend("path_graph", 3)
    for name in ("maximum_flow", "maximum_flow_value", "minimum_cut", "minimum_cut_value"):
        with pytest.raises(NotImplementedError):
            backend(name, graph, 0, 2)


def test_a_flow_that_is_refused(backend):
    graph = nx.path_graph(3)
    nx.set_edge_attributes(graph, {(0, 1): 2, (1, 2): 0.5}, "capacity")
    endless, whole = nx.path_graph(3), nx.path_graph(3)
    nx.set_edge_attributes(whole, 1, "capacity")
    for given in ((graph, 0, 2), (endless, 0, 2), (endless, 0, 2, None), (nx.MultiGraph([(0, 1)]), 0, 1)):
        with pytest.raises(NotImplementedError):
            backend("maximum_flow", *given)
    with pytest.raises(NotImplementedError):
        backend("minimum_cut", whole, 0, 2, flow_func=nx.algorithms.flow.dinitz)
    with pytest.raises(NotImplementedError):
        backend("maximum_flow_value", whole, 0, 2, value_only=True)
