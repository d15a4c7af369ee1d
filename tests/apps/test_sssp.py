"""Shortest paths, over the battery, against SciPy and NetworkX, for each dtype of weights."""

import copy
import gc
import pickle
import weakref
from functools import cache

import networkx as nx
import numpy as np
import pytest
import scipy.sparse
from scipy.sparse.csgraph import dijkstra

import minigr as mg
from minigr.device import CPU
from minigr.errors import GraphError, ProblemError
from tests.apps.test_bfs import sources
from tests.verifiers import check_sssp


def distances(graph, source):
    found = nx.single_source_dijkstra_path_length(graph.to_networkx(), source)
    return np.array([found.get(v, np.inf) for v in range(graph.num_vertices)])


def run(graph, source, **options):
    result = mg.sssp(graph, source, **options)
    check_sssp(graph, source, result.distance, result.parent)
    return CPU.asarray(result.distance)


def test_battery(graph):
    if not graph.weighted:
        with pytest.raises(GraphError, match="needs weights"):
            mg.sssp(graph, 0)
        return
    for source in sources(graph):
        distance = run(graph, source)
        assert distance.dtype == ("float32" if graph.weights.dtype == "float32" else "float64")
        np.testing.assert_array_equal(distance, distances(graph, source))  # small whole numbers: exact in any order


def test_several_sources(graph):
    several = list(dict.fromkeys(sources(graph)))
    if not graph.weighted or not several:
        return
    expected = np.min([distances(graph, source) for source in several], axis=0)
    np.testing.assert_array_equal(run(graph, several), expected)
    with pytest.raises(ProblemError, match="given more than once"):
        mg.sssp(graph, [several[0], several[0]])


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
@pytest.mark.parametrize("directed", [False, True])
def test_against_scipy(device, dtype, directed):
    made = mg.generate.rmat(10, 8, seed=13, directed=directed, weights=(1, 1000), device="cpu")
    weights = made.weights.astype(dtype) * (1 if np.dtype(dtype).kind == "i" else np.dtype(dtype).type(0.37))
    graph = mg.Graph.from_csr(made.offsets, made.indices, weights, directed=directed, device=device)
    source = int(made.degree().argmax())
    expected = dijkstra(scipy.sparse.csr_array((weights, made.indices, made.offsets)), indices=source)
    rtol = 1e-5 if dtype == "float32" else 1e-14
    np.testing.assert_allclose(run(graph, source), expected, rtol=rtol)


@pytest.mark.parametrize("threads", ["1", "2", "5"])
@pytest.mark.parametrize("delta", [None, 0.01, 5.0, 1e9])
def test_neither_threads_nor_bands_matter(device, threads, delta, monkeypatch):
    monkeypatch.setenv("MINIGR_NUM_THREADS", threads)
    graph = mg.generate.lattice(60, 60, 0.8, seed=3, weights=(0, 9), device=device)
    expected = distances_on_lattice(device)
    np.testing.assert_array_equal(run(graph, 0, delta=delta), expected)


@cache
def distances_on_lattice(device):
    return distances(mg.generate.lattice(60, 60, 0.8, seed=3, weights=(0, 9), device=device), 0)


def test_all_weights_zero(device):
    graph = mg.Graph.from_edges([0, 1, 2, 3, 5], [1, 2, 0, 1, 6], np.zeros(5, np.int32), device=device)
    assert run(graph, 3).tolist() == [0, 0, 0, 0, np.inf, np.inf, np.inf]


def test_cycles_of_no_weight_hang_together(device):
    """Two cycles of zero weight, one behind the other: parents must not close either."""
    src = [0, 1, 2, 3, 3, 4, 5]
    dst = [1, 2, 3, 1, 4, 5, 4]
    for directed in (True, False):
        graph = mg.Graph.from_edges(src, dst, np.float64([2, 0, 0, 0, 1, 0, 0]), directed=directed, device=device)
        assert run(graph, 0).tolist() == [0, 2, 2, 2, 3, 3]


def test_weights_lost_to_rounding(device):
    """Beyond 2**24 a float32 distance does not grow by 1: edges look as if they had no weight."""
    src, dst = np.arange(20), np.arange(1, 21)
    weights = np.where(src == 0, 2.0**25, 1.0).astype(np.float32)
    for directed in (True, False):
        run(mg.Graph.from_edges(src, dst, weights, directed=directed, device=device), 0)


@pytest.mark.parametrize("dtype", ["float32", "int64"])
def test_parents_in_long_rows(device, dtype):
    """Hubs with leaves, which are in a ring, too; some weights are zero."""
    leaves = np.arange(2, 1402)
    src = np.concatenate([leaves % 2, leaves])
    dst = np.concatenate([leaves, np.roll(leaves, 1)])
    weights = np.random.default_rng(1).integers(0, 4, len(src)).astype(dtype)
    graph = mg.Graph.from_edges(src, dst, weights, directed=False, device=device)
    for held in (graph, mg.DynamicGraph.from_graph(graph)):
        found = mg.sssp(held, 5)
        check_sssp(graph, 5, found.distance, found.parent)
    for parts in (1, 3):
        in_parts = mg.sssp(mg.PartitionedGraph.from_graph(graph, devices=[device] * parts), 5)
        check_sssp(graph, 5, in_parts.distance.gather(), in_parts.parent.gather())


@pytest.mark.parametrize("scale", [1e-300, 1e300, 1e-320])
def test_extreme_weights(device, scale):
    graph = mg.Graph.from_edges([0, 1, 2], [1, 2, 3], np.float64([1, 2, 3]) * scale, directed=True, device=device)
    assert run(graph, 0).tolist() == [0, 1 * scale, 1 * scale + 2 * scale, 1 * scale + 2 * scale + 3 * scale]


def test_large_integers(device):
    big = 2**40
    graph = mg.Graph.from_edges([0, 1], [1, 2], np.int64([big, big + 1]), directed=True, device=device)
    assert run(graph, 0).tolist() == [0, big, 2 * big + 1]


@pytest.mark.parametrize(
    ("weights", "complaint"),
    [
        ([1.0, -0.5], "at least 0, but the least is -0.5: leave out edges with negative weights"),
        ([1, -3], "at least 0, but the least is -3"),
        ([1.0, np.inf], "finite weights"),
        ([-np.inf, 1.0], "at least 0"),
        (None, "needs weights"),
    ],
)
def test_bad_weights(device, weights, complaint):
    graph = mg.Graph.from_edges([0, 1], [1, 2], weights, device=device)
    with pytest.raises(GraphError, match=complaint):
        mg.sssp(graph, 0)


def test_nan_is_no_weight(device):
    with pytest.raises(GraphError, match="NaN"):
        mg.Graph.from_edges([0, 1], [1, 2], [1.0, np.nan], device=device)


@pytest.mark.parametrize("source", [3, -1, 0.0, None])
def test_bad_sources(device, source):
    with pytest.raises(GraphError, match="source"):
        mg.sssp(mg.Graph.from_edges([0, 1], [1, 2], [1.0, 2.0], device=device), source)


@pytest.mark.parametrize("delta", [0, -1.0, np.inf, np.nan])
def test_bad_delta(device, delta):
    with pytest.raises(ProblemError, match=r"sssp: delta=.*finite number above 0"):
        mg.sssp(mg.Graph.from_edges([0, 1], [1, 2], [1.0, 2.0], device=device), 0, delta=delta)


def test_an_empty_graph_has_no_source(device):
    with pytest.raises(GraphError, match="has no vertices"):
        mg.sssp(mg.Graph.from_edges([], [], np.zeros(0), device=device), 0)


def two_ways(device):
    return mg.Graph.from_edges([0, 0, 1, 2], [1, 2, 3, 3], [1.0, 2.0, 5.0, 1.0], num_vertices=5, device=device)


@pytest.mark.parametrize("carried", [copy.copy, copy.deepcopy, lambda result: pickle.loads(pickle.dumps(result))])
def test_a_copy_has_the_parents_and_not_the_graph(device, carried):
    graph = two_ways(device)
    gone = weakref.ref(graph)
    found = carried(mg.sssp(graph, 0))
    del graph
    gc.collect()
    assert gone() is None
    assert CPU.asarray(found.parent).tolist() == [-1, 0, 0, 2, -1]
    assert CPU.asarray(found.path_to(3)).tolist() == [0, 2, 3]


def test_a_result_that_has_its_parents_lets_the_graph_go(device):
    graph = two_ways(device)
    gone = weakref.ref(graph)
    found = mg.sssp(graph, 0)
    assert CPU.asarray(found.path_to(3)).tolist() == [0, 2, 3]
    del graph
    gc.collect()
    assert gone() is None


def test_parents_need_the_distances_that_were_found(device):
    changed = mg.sssp(two_ways(device), 0)
    changed.distance[:] *= 2
    with pytest.raises(ProblemError, match="changed after the search"):
        changed.path_to(3)
    asked_before = mg.sssp(two_ways(device), 0)
    assert CPU.asarray(asked_before.parent).tolist() == [-1, 0, 0, 2, -1]
    asked_before.distance[:] *= 2
    assert CPU.asarray(asked_before.parent).tolist() == [-1, 0, 0, 2, -1]


def test_parents_are_those_of_a_graph_before_it_changes(device):
    graph = mg.DynamicGraph.from_edges([0, 1], [1, 2], [1.0, 1.0], directed=False, device=device)
    found = mg.sssp(graph, 0)
    graph.delete_edges([1], [2])
    assert CPU.asarray(found.parent).tolist() == [-1, 0, 1]
