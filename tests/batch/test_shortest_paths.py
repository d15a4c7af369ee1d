"""Distances between all pairs of each graph, against SciPy."""

import networkx as nx
import numpy as np
import pytest
from scipy.sparse.csgraph import shortest_path

import minigr as mg
from minigr.device import CPU, resolve
from minigr.errors import GraphError
from tests.batch.sets import batch_of, weighted


def hops_by_scipy(graph):
    """SciPy's hops of a NetworkX graph, with -1 where there is no path."""
    if not len(graph):
        return np.empty((0, 0), np.int32)
    matrix = nx.to_scipy_sparse_array(graph, weight=None)
    found = shortest_path(matrix, unweighted=True, directed=graph.is_directed())
    return np.where(np.isinf(found), -1, found).astype(np.int32)


def test_hops(device, graphs):
    batch = batch_of(graphs, device)
    result = mg.batch.shortest_paths(batch)
    assert isinstance(result.distance, resolve(device).xp.ndarray)
    assert result.distance.dtype == np.int32
    assert len(result) == len(graphs)
    for i, (found, graph) in enumerate(zip(result, graphs, strict=True)):
        np.testing.assert_array_equal(CPU.asarray(found), hops_by_scipy(graph), err_msg=f"graph {i}")


def weights_by_scipy(graph):
    """SciPy's distances of a NetworkX graph with weights above 0."""
    if not len(graph):
        return np.empty((0, 0))
    matrix = nx.to_scipy_sparse_array(graph, dtype=np.float64)
    return shortest_path(matrix, method="D", directed=graph.is_directed())


@pytest.mark.parametrize("dtype", ["float32", "int64"])
def test_weights(device, graphs, dtype):
    graphs = weighted([graph.copy() for graph in graphs], dtype)
    result = mg.batch.shortest_paths(batch_of(graphs, device, "weight"), weighted=True)
    assert result.distance.dtype == np.float64
    for i, (found, graph) in enumerate(zip(result, graphs, strict=True)):
        np.testing.assert_array_equal(CPU.asarray(found), weights_by_scipy(graph), err_msg=f"graph {i}")


@pytest.mark.parametrize("directed", [False, True])
def test_any_weights_and_rounding(device, directed):
    rng = np.random.default_rng(3)
    columns = [(*rng.integers(0, n, (2, 4 * n)), rng.random(4 * n) * (rng.random(4 * n) < 0.9)) for n in (5, 40, 130)]
    batch = mg.GraphBatch.from_graphs(columns, directed=directed, device=device)
    result = mg.batch.shortest_paths(batch, weighted=True)
    for found, graph in zip(map(CPU.asarray, result), batch, strict=True):
        for source in range(0, graph.num_vertices, 7):
            expected = nx.single_source_dijkstra_path_length(graph.to("cpu").to_networkx(), source)
            np.testing.assert_array_equal(found[source], [expected.get(v, np.inf) for v in range(len(found))])


def test_loops_and_parallel_edges_change_nothing(device):
    simple = mg.GraphBatch.from_graphs([[(0, 1), (1, 2)]], device=device)
    messy = mg.GraphBatch.from_graphs([[(0, 1), (1, 0), (0, 0), (1, 2), (1, 2), (2, 2)]], device=device)
    one, other = (CPU.asarray(mg.batch.shortest_paths(batch).distance) for batch in (simple, messy))
    np.testing.assert_array_equal(one, other)


def test_one_graph_beyond_any_shared_memory(device):
    graph = nx.gnm_random_graph(5000, 15000, seed=1)
    batch = batch_of([nx.path_graph(3), graph], device)
    some = np.arange(0, 5000, 99)
    expected = shortest_path(nx.to_scipy_sparse_array(graph, weight=None), method="D", unweighted=True, indices=some)
    found = CPU.asarray(mg.batch.shortest_paths(batch)[1])
    np.testing.assert_array_equal(found[some], np.where(np.isinf(expected), -1, expected))
    np.testing.assert_array_equal(found, found.T)


def test_no_graphs(device):
    result = mg.batch.shortest_paths(mg.GraphBatch.from_graphs([], device=device))
    assert (len(result), len(result.distance), list(result)) == (0, 0, [])
    with pytest.raises(IndexError):
        result[0]


def test_bad_weights(device):
    fine = ([0], [1], [0.0])
    for weight in (-1.0, float("inf")):
        batch = mg.GraphBatch.from_graphs([fine, ([], []), ([0, 2], [1, 1], [1.0, weight])], device=device)
        with pytest.raises(GraphError, match=rf"of at least 0, but in graph 2 the edge 1 -> 2 has {weight}"):
            mg.batch.shortest_paths(batch, weighted=True)
    with pytest.raises(GraphError, match="needs weights, but the graphs have none"):
        mg.batch.shortest_paths(mg.GraphBatch.from_graphs([[(0, 1)]], device=device), weighted=True)


def test_what_is_no_batch():
    with pytest.raises(GraphError, match="shortest_paths expects a GraphBatch, got list"):
        mg.batch.shortest_paths([[(0, 1)]])
