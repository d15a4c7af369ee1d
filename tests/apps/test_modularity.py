"""Modularity and the quality of partitions, against NetworkX."""

import networkx as nx
import numpy as np
import pytest

import minigr as mg
from minigr.errors import GraphError, ProblemError
from tests.apps.in_moves import edges_of, modularity

_PARTS = 3


def _given(graph):
    """The graph for NetworkX with all parallel edges, labels, and the communities as sets."""
    src, dst, weights = (None if a is None else mg.device.CPU.asarray(a).tolist() for a in graph.to_edges())
    other = nx.MultiDiGraph() if graph.directed else nx.MultiGraph()
    other.add_nodes_from(range(graph.num_vertices))
    other.add_weighted_edges_from(zip(src, dst, weights or [1] * len(src), strict=True))
    label = np.arange(graph.num_vertices) * 7 % 5 % _PARTS
    sets = [set(np.flatnonzero(label == part).tolist()) for part in range(_PARTS)]
    return other, np.minimum(label, max(graph.num_vertices - 1, 0)), sets


def test_modularity(graph):
    other, label, sets = _given(graph)
    if graph.num_vertices < _PARTS or not other.size(weight="weight"):
        assert np.isnan(mg.modularity(graph, label)) == (not other.size(weight="weight"))
        return
    for resolution in (0, 1.0, 2.5):
        expected = nx.community.modularity(other, sets, resolution=resolution)
        assert mg.modularity(graph, label, resolution) == pytest.approx(expected, rel=1e-6, abs=1e-9)


def test_partition_quality(graph):
    other, label, sets = _given(graph)
    found = mg.partition_quality(graph, label)
    if graph.num_vertices < _PARTS or not graph.num_edges:
        assert np.isnan(found.coverage) == (not graph.num_edges)
        return
    simple = other if graph.has_parallel_edges else (nx.DiGraph if graph.directed else nx.Graph)(other)
    coverage, performance = nx.community.partition_quality(simple, sets)
    assert found == pytest.approx((coverage, np.nan if performance < 0 else performance), nan_ok=True)


def test_light_edges_count(device):
    """Weights are rounded to about a part in 2**47 of their sum."""
    graph = mg.Graph.from_edges([0, 2], [1, 3], [1.0, 2.0**-43], device=device)
    expected = modularity([(0, 1, 2**43), (2, 3, 1)], [0, 0, 1, 1])
    assert mg.modularity(graph, [0, 0, 1, 1]) == pytest.approx(float(expected), rel=2**-4, abs=0)


@pytest.mark.parametrize("directed", [False, True])
def test_of_a_dynamic_graph(device, directed):
    graph = mg.DynamicGraph.from_graph(mg.generate.rmat(6, 4, seed=1, directed=directed, device=device))
    graph.delete_vertices([2, 5])
    label = np.arange(64) % 4
    rest = graph.to_graph().subgraph(np.delete(np.arange(64), [2, 5]))
    there = np.delete(label, [2, 5])
    label[[2, 5]] = -1
    assert mg.modularity(graph, label) == mg.modularity(rest, there)
    assert mg.partition_quality(graph, label) == mg.partition_quality(rest, there)


def test_the_specification():
    """That of the tests of Louvain's method."""
    graph = mg.generate.rmat(6, 4, seed=1, weights=(1, 9), weight_dtype="int32", device="cpu")
    other, label, sets = _given(graph)
    edges, _ = edges_of(graph)
    assert float(modularity(edges, label, 0.5)) == pytest.approx(nx.community.modularity(other, sets, resolution=0.5))


def test_a_graph_without_vertices(device):
    graph = mg.Graph.from_edges([], [], num_vertices=0, device=device)
    assert np.isnan(mg.modularity(graph, []))
    assert np.isnan(mg.partition_quality(graph, []).coverage)


@pytest.mark.parametrize("directed", [False, True])
def test_subnormal_weights(directed, device):
    src, dst, label = [0, 1, 2, 0, 3], [1, 2, 0, 3, 4], [0, 0, 0, 1, 1]
    weights = np.array([1, 2, 1, 1, 2])
    near_one, least = (
        mg.Graph.from_edges(src, dst, given, directed=directed, device=device)
        for given in (weights * 1.0, weights * np.nextafter(0, 1))
    )
    assert mg.modularity(least, label) == mg.modularity(near_one, label) > 0


def test_bad_input(device):
    graph = mg.generate.path(3, device=device)
    for call in (mg.modularity, mg.partition_quality):
        with pytest.raises(GraphError, match=r"communities has shape \(2,\), but there are 3 vertices"):
            call(graph, [0, 1])
        with pytest.raises(GraphError, match=r"communities\[1\] is 3"):
            call(graph, [0, 3, 0])
        with pytest.raises(GraphError, match=r"communities\[2\] is -1"):
            call(graph, [0, 0, -1])
        with pytest.raises(GraphError, match="integer"):
            call(graph, [0.5, 0.0, 0.0])
        with pytest.raises(GraphError, match="communities can't be read as an array"):
            call(graph, [[0, 1], [2]])
    with pytest.raises(ProblemError, match="resolution=-1"):
        mg.modularity(graph, [0, 0, 0], -1)
    with pytest.raises(GraphError, match="modularity needs weights of at least 0"):
        mg.modularity(mg.Graph.from_edges([0], [1], [-1.0], device=device), [0, 0])
