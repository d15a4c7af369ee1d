"""Degree centralities over the battery, against NetworkX."""

import networkx as nx
import numpy as np
import pytest

import minigr as mg
from minigr.device import CPU, resolve
from minigr.errors import GraphError
from tests.layouts import slabs_of

CALLS = {
    "degree": mg.degree_centrality,
    "in_degree": mg.in_degree_centrality,
    "out_degree": mg.out_degree_centrality,
}


def check(graph, rows, weighted=False):
    other, count = rows.to_networkx(), rows.num_vertices
    for name, call in CALLS.items():
        result = call(graph, weighted=weighted)
        degrees = getattr(other, name if rows.directed else "degree")
        degree = np.array([degrees(v, weight="weight" if weighted else None) for v in range(count)])
        assert isinstance(result.score, resolve(graph.device).xp.ndarray)
        assert (result.score.dtype, result.degree.dtype) == (np.float64, np.float64 if weighted else np.int64)
        np.testing.assert_allclose(CPU.asarray(result.degree), degree, rtol=1e-12)
        shares = degree * (1.0 / (count - 1)) if count > 1 else np.ones(count)
        np.testing.assert_allclose(CPU.asarray(result.score), shares, rtol=1e-12)


def test_battery(graph):
    check(graph, graph)
    if graph.weighted:
        check(graph, graph, weighted=True)


@pytest.mark.parametrize("name", CALLS)
def test_the_scores_of_networkx(device, name):
    graph = mg.generate.rmat(6, 4, directed=True, seed=1, device=device)
    expected = getattr(nx, f"{name}_centrality")(graph.to_networkx())
    assert CPU.asarray(CALLS[name](graph).score).tolist() == list(expected.values())


@pytest.mark.parametrize("directed", [False, True])
def test_over_slabs(device, directed):
    rows = mg.generate.rmat(7, 6, seed=3, directed=directed, weights=(1, 9), weight_dtype="int64", device=device)
    graph = slabs_of(rows)
    check(graph, graph.to_graph())
    check(graph, graph.to_graph(), weighted=True)


def test_deleted_vertices(device):
    graph = mg.DynamicGraph.from_edges([0, 1, 2], [1, 2, 2], [1.0, 2.0, 4.0], allow_self_loops=True, device=device)
    assert CPU.asarray(mg.degree_centrality(graph).degree).tolist() == [1, 2, 3]
    graph.delete_vertices([0])
    assert CPU.asarray(mg.degree_centrality(graph).score).tolist() == [0.0, 1.0, 3.0]
    assert CPU.asarray(mg.in_degree_centrality(graph, weighted=True).degree).tolist() == [0.0, 0.0, 6.0]
    graph.delete_vertices([1])
    for call in CALLS.values():
        assert CPU.asarray(call(graph).score).tolist() == [0.0, 0.0, 1.0]  # the one that is left


def test_bad_weights(device):
    for name, call in CALLS.items():
        with pytest.raises(GraphError, match=f"{name}_centrality needs weights, but the graph has none"):
            call(mg.generate.path(3, device=device), weighted=True)
        with pytest.raises(GraphError, match=f"{name}_centrality needs weights of at least 0"):
            call(mg.Graph.from_edges([0], [1], [-1.0], device=device), weighted=True)
