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
    if graph.size(weight=weight):
        expected = nx.community.louvain_communities(graph, weight=weight, seed=1)
        found, least = (nx.community.modularity(graph, some, weight=weight) for some in (levels[-1], expected))
        assert found >= least - 0.03
    if name == "leiden":
        assert all(nx.is_connected(graph.subgraph(nodes)) for nodes in levels[-1])
        assert backend("leiden_communities", graph, weight=weight, seed=7) == backend(
            "leiden_communities", graph, weight=weight, seed=7
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
