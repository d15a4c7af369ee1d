"""The apps over the battery: answers by their properties, and against NetworkX and SciPy."""

from functools import lru_cache

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csgraph

import minigr as mg
from minigr.device import CPU
from minigr.errors import DeviceError, GraphError, ProblemError
from tests.battery import BATTERY
from tests.verifiers import check_bfs, check_pagerank, check_sssp

NAMES = [name for name, _ in BATTERY]


@lru_cache(maxsize=1024)
def graph_named(name, device):
    return dict(BATTERY)[name](device)


@pytest.fixture(params=NAMES)
def graph(request, device):
    return graph_named(request.param, device)


def busiest(graph):
    return int(CPU.asarray(graph.degree()).argmax())


def host(array):
    return CPU.asarray(array)


def test_bfs(graph):
    if graph.num_vertices == 0:
        return
    for source in {busiest(graph), graph.num_vertices - 1}:
        result = mg.bfs(graph, source)
        check_bfs(graph, source, host(result.depth), host(result.parent))
        lengths = csgraph.dijkstra(graph.to("cpu").to_scipy(), indices=source, unweighted=True)
        expected = np.where(np.isfinite(lengths), lengths, -1)
        np.testing.assert_array_equal(host(result.depth), expected)


def test_sssp(graph):
    if not graph.weighted or graph.num_vertices == 0:
        return
    source = busiest(graph)
    result = mg.sssp(graph, source)
    check_sssp(graph, source, host(result.distance), host(result.parent))


def test_sssp_agrees_for_any_width(device):
    graph = mg.generate.rmat(8, 8, seed=5, weights=(0, 40), device=device)
    source = busiest(graph)
    expected = host(mg.sssp(graph, source).distance)
    for delta in (1e-3, 1.0, 7.5, 1e9):
        result = mg.sssp(graph, source, delta=delta)
        np.testing.assert_array_equal(host(result.distance), expected)
        check_sssp(graph, source, host(result.distance), host(result.parent))


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
def test_sssp_takes_each_dtype_of_weights(device, dtype):
    rng = np.random.default_rng(3)
    src, dst = rng.integers(0, 60, (2, 400))
    weights = (rng.random(400) * 50).astype(dtype)
    graph = mg.Graph.from_edges(src, dst, weights, directed=True, device=device)
    result = mg.sssp(graph, 0)
    assert result.distance.dtype == (np.float32 if dtype == "float32" else np.float64)
    rounding = {"float32": 1e-6, "float64": 1e-15}.get(dtype, 0.0)
    check_sssp(graph, 0, host(result.distance), host(result.parent), rtol=rounding)
    networkx_graph = nx.MultiDiGraph()
    networkx_graph.add_weighted_edges_from(zip(src.tolist(), dst.tolist(), weights.tolist(), strict=True))
    for vertex, length in nx.single_source_dijkstra_path_length(networkx_graph, 0).items():
        assert host(result.distance)[vertex] == pytest.approx(length, rel=1e-5)


def test_a_cycle_of_weight_zero_has_no_cycle_of_parents(device):
    # 0 -5- 1, and 1-2-3-1 at no cost: each of the three could name another as its parent.
    graph = mg.Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 1], [5, 0, 0, 0], device=device)
    result = mg.sssp(graph, 0)
    check_sssp(graph, 0, host(result.distance), host(result.parent))
    assert host(result.distance).tolist() == [0, 5, 5, 5]


def to_networkx(graph):
    return graph.to("cpu").to_networkx()


@pytest.mark.parametrize("damping", [0.85, 0.5, 0.0])
def test_pagerank(graph, damping):
    result = mg.pagerank(graph, damping=damping, tol=1e-10, max_iter=500)
    assert result.converged
    rank = host(result.rank)
    if graph.num_vertices == 0:
        assert rank.size == 0
        return
    check_pagerank(graph, rank, damping, 1e-10)
    assert rank.sum() == pytest.approx(1)
    expected = nx.pagerank(to_networkx(graph), alpha=damping, tol=1e-10, max_iter=500)
    assert sum(abs(rank[vertex] - value) for vertex, value in expected.items()) < 1e-6


def test_pagerank_with_personalization(device):
    graph = mg.generate.rmat(6, 4, seed=2, directed=True, device=device)
    weights = np.zeros(graph.num_vertices)
    weights[[3, 9]] = 1.0, 3.0
    expected = nx.pagerank(to_networkx(graph), personalization={3: 1.0, 9: 3.0}, tol=1e-10)
    for given in ({3: 1.0, 9: 3.0}, weights, weights.tolist()):
        rank = host(mg.pagerank(graph, tol=1e-10, personalization=given).rank)
        assert sum(abs(rank[vertex] - value) for vertex, value in expected.items()) < 1e-6


def test_pagerank_says_when_it_did_not_converge(device):
    graph = mg.generate.rmat(6, 4, seed=2, device=device)
    result = mg.pagerank(graph, tol=1e-12, max_iter=2)
    assert (result.iterations, result.converged) == (2, False)
    assert mg.pagerank(graph, max_iter=0).iterations == 0


def test_pagerank_is_the_same_in_every_run(device):
    graph = mg.generate.rmat(9, 16, seed=4, device=device)
    first = host(mg.pagerank(graph, tol=1e-300, max_iter=20).rank)
    for _ in range(3):
        np.testing.assert_array_equal(host(mg.pagerank(graph, tol=1e-300, max_iter=20).rank), first)


def test_a_trace_tells_every_step(device):
    graph = mg.generate.lattice(9, 9, device=device)
    result = mg.bfs(graph, 0, trace=True)
    assert [row.iteration for row in result.trace] == list(range(1, result.iterations + 1))
    assert sum(row.output for row in result.trace) == graph.num_vertices - 1
    assert all(row.direction in ("push", "pull") for row in result.trace)
    np.testing.assert_array_equal(host(result.depth), host(mg.bfs(graph, 0).depth))


PATH = {"src": [0, 1], "dst": [1, 2]}


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda g: mg.bfs(g, 3), GraphError, "vertices 0 to 2"),
        (lambda g: mg.bfs(g, -1), GraphError, "source -1"),
        (lambda g: mg.bfs(g, 0.5), GraphError, "integer"),
        (lambda g: mg.sssp(g, 0, delta=0.0), ProblemError, "0.0"),
        (lambda g: mg.sssp(g, 0, delta=float("nan")), ProblemError, "nan"),
        (lambda g: mg.pagerank(g, damping=1.0), ProblemError, "damping"),
        (lambda g: mg.pagerank(g, damping=float("nan")), ProblemError, "damping"),
        (lambda g: mg.pagerank(g, tol=0.0), ProblemError, "tol"),
        (lambda g: mg.pagerank(g, max_iter=-1), ProblemError, "max_iter"),
        (lambda g: mg.pagerank(g, personalization=[1.0]), ProblemError, "3 vertices"),
        (lambda g: mg.pagerank(g, personalization=[0.0, 0.0, 0.0]), ProblemError, "not all 0"),
        (lambda g: mg.pagerank(g, personalization=[1.0, -1.0, 2.0]), ProblemError, "at least 0"),
        (lambda g: mg.pagerank(g, personalization=[1.0, float("nan"), 2.0]), ProblemError, "finite"),
        (lambda g: mg.pagerank(g, personalization={7: 1.0}), ProblemError, "vertex 7"),
    ],
)
def test_bad_input(device, call, error, message):
    graph = mg.Graph.from_edges(**PATH, weights=[1.0, 2.0], device=device)
    with pytest.raises(error, match=message):
        call(graph)


def test_negative_and_missing_weights_are_refused(device):
    negative = mg.Graph.from_edges(**PATH, weights=[1.0, -2.0], device=device)
    with pytest.raises(GraphError, match=r"-2\.0"):
        mg.sssp(negative, 0)
    with pytest.raises(GraphError, match="pagerank"):
        mg.pagerank(negative)
    with pytest.raises(GraphError, match="has none"):
        mg.sssp(mg.Graph.from_edges(**PATH, device=device), 0)


def test_an_empty_graph_has_no_source(device):
    with pytest.raises(GraphError, match="none"):
        mg.bfs(mg.Graph.from_edges([], [], num_vertices=0, device=device), 0)


@pytest.mark.gpu
def test_an_array_on_the_wrong_device_is_refused():
    graph = mg.Graph.from_edges(**PATH, weights=[1.0, 2.0], device="cuda")
    from minigr.apps.parents import ParentsProblem

    with pytest.raises(DeviceError, match="cpu"):
        ParentsProblem(graph, source=0, distance=np.zeros(3))
