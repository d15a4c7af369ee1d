"""PageRank over the battery, by its residual and against NetworkX."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest

import minigr as mg
from minigr.apps.pagerank import transition
from minigr.device import CPU
from minigr.errors import GraphError, ProblemError
from tests.verifiers import check_pagerank


def reference(graph, damping=0.85, tol=1e-12, personalization=None):
    """NetworkX's answer; None where it has none."""
    ranks = nx.pagerank(graph.to_networkx(), damping, personalization, max_iter=1000, tol=tol)
    return np.array([ranks[v] for v in range(graph.num_vertices)])


def run(graph, **options):
    result = mg.pagerank(graph, **options)
    assert result.converged
    checked = {k: v for k, v in options.items() if k in ("damping", "tol")}
    if options.get("personalization") is None:
        check_pagerank(graph, result.rank, **checked)
    return CPU.asarray(result.rank)


def test_battery(graph):
    rank = run(graph)
    assert rank.dtype == np.float64
    precise = run(graph, tol=1e-13, max_iter=1000)
    expected = reference(graph) if graph.num_vertices else np.zeros(0)
    np.testing.assert_allclose(precise, expected, rtol=1e-6, atol=1e-9)
    assert np.abs(rank - expected).sum() <= graph.num_vertices * 1e-6 * 0.85 / 0.15 + 1e-9


@pytest.mark.parametrize("method", ["push", "residual"])
def test_methods_agree(graph, method):
    rank = run(graph, method=method, max_iter=10_000)
    if graph.num_vertices:
        assert np.abs(rank - run(graph)).sum() <= 2 * graph.num_vertices * 1e-6 * 0.85 / 0.15 + 1e-9
        precise = run(graph, method=method, tol=1e-13, max_iter=100_000)
        np.testing.assert_allclose(precise, run(graph, tol=1e-13, max_iter=1000), rtol=1e-6, atol=1e-9)
    if method == "push":
        assert mg.pagerank(graph, method=method).iterations == mg.pagerank(graph, precision="double").iterations


def test_single_precision_moves_ranks_by_little(graph):
    if graph.num_vertices:
        precise = run(graph, tol=1e-12, max_iter=1000)
        single = CPU.asarray(mg.pagerank(graph, max_iter=200, tol=1e-12, precision="single").rank)
        assert np.abs(single - precise).sum() < 2e-6
        assert abs(single.sum() - 1) < 2e-6


@pytest.mark.parametrize(("tol", "like"), [(1e-6, "double"), (0.01, "single")])
def test_precision_follows_the_tolerance(device, tol, like):
    graph = mg.generate.rmat(8, 8, seed=2, device=device)
    ranks = {p: CPU.asarray(mg.pagerank(graph, tol=tol, precision=p).rank) for p in ("auto", "single", "double")}
    assert (ranks["auto"] == ranks[like]).all()
    assert (ranks["single"] != ranks["double"]).any()


@pytest.mark.parametrize("personalization", [None, {0: 1.0, 5: 2.0}])
def test_on_the_graph_numbered_by_degree(device, monkeypatch, personalization):
    graph = mg.Graph.from_edges(*skewed_edges(), device=device)
    options = {"tol": 1e-12, "max_iter": 500, "personalization": personalization}
    expected = run(graph, **options)
    by_degree, walk = graph.by_degree(), transition.random_walk

    def renumbered(graph, preferences, algorithm):
        found = walk(graph, None, algorithm)
        found = replace(found, graph=by_degree[0], place=by_degree[1])
        jumps = None if preferences is None else found.in_place(transition.teleport_distribution(graph, preferences))
        return replace(found, chance=found.in_place(found.chance), jumps=jumps)

    monkeypatch.setattr("minigr.apps.pagerank.app.random_walk", renumbered)
    np.testing.assert_allclose(CPU.asarray(mg.pagerank(graph, **options).rank), expected, rtol=1e-9)


def test_large_skewed_graphs_are_numbered_by_degree(device, monkeypatch):
    graph = mg.Graph.from_edges(*skewed_edges(), device=device)
    assert transition.random_walk(graph, None, "pagerank").graph is graph
    monkeypatch.setitem(transition._LARGE, device, 100)
    assert transition.random_walk(graph, None, "pagerank").graph is graph.by_degree()[0]


def skewed_edges():
    leaves = np.arange(900)
    return np.where(leaves % 3 == 0, 950, leaves % 7), leaves


@pytest.mark.parametrize(("method", "dtype"), [("pull", "int32"), ("push", "int64"), ("residual", "float64")])
def test_weights_of_each_dtype(device, dtype, method):
    weights = np.array([3, 1, 0, 5, 2, 0], dtype)
    graph = mg.Graph.from_edges([0, 0, 1, 2, 2, 3], [1, 2, 2, 0, 3, 0], weights, directed=True, device=device)
    np.testing.assert_allclose(run(graph, method=method, tol=1e-12, max_iter=500), reference(graph), atol=1e-10)


@pytest.mark.parametrize("method", ["pull", "push", "residual"])
def test_personalization(device, method):
    graph = mg.generate.rmat(7, 6, seed=3, directed=True, device=device)
    n = graph.num_vertices
    everywhere = np.arange(n) % 5
    somewhere = {3: 1.0, 17: 3.0, np.int64(20): 2}
    for given in (everywhere, everywhere.tolist(), somewhere):
        as_mapping = {v: float(given[v]) for v in (given if isinstance(given, dict) else range(n))}
        expected = reference(graph, personalization=as_mapping)
        rank = run(graph, method=method, personalization=given, tol=1e-12, max_iter=500)
        np.testing.assert_allclose(rank, expected, atol=1e-10)
        check_pagerank(graph, rank, tol=1e-9, personalization=[as_mapping.get(v, 0) for v in range(n)])


def test_dangling_vertices(device):
    graph = mg.Graph.from_edges([0, 1, 2], [3, 3, 4], num_vertices=6, directed=True, device=device)
    np.testing.assert_allclose(run(graph, tol=1e-12, max_iter=500), reference(graph), atol=1e-10)
    one = {3: 1.0}
    rank = run(graph, personalization=one, tol=1e-12, max_iter=500)
    np.testing.assert_allclose(rank, reference(graph, personalization=one), atol=1e-10)


@pytest.mark.parametrize("damping", [0.0, 0.3, 0.99])
def test_damping(device, damping):
    graph = mg.generate.rmat(6, 6, seed=4, directed=True, device=device)
    rank = run(graph, damping=damping, tol=1e-10, max_iter=5000)
    np.testing.assert_allclose(rank, reference(graph, damping, 1e-13), atol=1e-7)
    if damping == 0:
        np.testing.assert_allclose(rank, 1 / graph.num_vertices)


def test_it_says_whether_it_converged(device):
    graph = mg.generate.rmat(7, 6, seed=3, directed=True, device=device)
    result = mg.pagerank(graph, tol=1e-14, max_iter=3, trace=True)
    assert not result.converged
    assert result.iterations == len(result.trace) == 3
    assert abs(CPU.asarray(result.rank).sum() - 1) < 1e-12
    none = mg.pagerank(graph, max_iter=0)
    assert (none.converged, none.iterations) == (False, 0)
    enough = mg.pagerank(graph)
    exactly = mg.pagerank(graph, max_iter=enough.iterations)  # the last step allowed is the one that converges
    assert exactly.converged
    assert not mg.pagerank(graph, max_iter=enough.iterations - 1).converged


@pytest.mark.parametrize("method", ["push", "residual"])
def test_a_push_needs_no_in_edges(device, method):
    rows = mg.generate.rmat(7, 4, seed=3, directed=True, weights=(1, 9), device=device)
    graph = mg.DynamicGraph.from_graph(rows)
    graph.delete_vertices([3, 40, 41])
    left = rows.to_networkx()
    left.remove_nodes_from([3, 40, 41])
    left.remove_edges_from(list(nx.selfloop_edges(left)))
    expected = nx.pagerank(left, tol=1e-13, max_iter=500)
    rank = CPU.asarray(mg.pagerank(graph, method=method, tol=1e-12, max_iter=500).rank)
    np.testing.assert_allclose(rank, [expected.get(v, 0.0) for v in range(128)], rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("parts", [1, 3])
@pytest.mark.parametrize("method", ["pull", "push"])
def test_no_iteration_gives_deleted_vertices_a_rank(device, method, parts):
    rows, deleted = mg.generate.rmat(7, 2, seed=3, directed=True, device=device), [3, 40, 41]
    if parts == 1:
        graph = mg.DynamicGraph.from_graph(rows, in_edges=True)
    else:
        graph = mg.PartitionedDynamicGraph.from_graph(rows, devices=[device] * parts, in_edges=True)
    graph.delete_vertices(deleted)
    live = np.ones(128)
    live[deleted] = 0
    arcs = np.zeros((128, 128))
    src, dst = map(CPU.asarray, rows.to_edges()[:2])
    arcs[src, dst] = 1
    arcs *= live * live[:, None]
    degree = arcs.sum(axis=1)
    chance = np.divide(1, degree, where=degree > 0, out=np.zeros(128))
    assert (live[degree == 0] > 0).any()  # dead ends
    jump = rank = live / live.sum()
    for iterations in range(4):
        found = mg.pagerank(graph, method=method, max_iter=iterations, tol=1e-15).rank
        found = CPU.asarray(found if parts == 1 else found.gather())
        np.testing.assert_allclose(found, rank, rtol=1e-12, atol=0)
        rank = 0.85 * (arcs.T @ (rank * chance) + rank[degree == 0].sum() * jump) + 0.15 * jump


def test_a_residual_is_followed_where_it_is(device):
    """Preferences for one end of a long path: the other end is not looked at."""
    graph = mg.generate.path(2000, device=device)
    options = {"personalization": {0: 1.0}, "tol": 1e-9, "max_iter": 1000}
    result = mg.pagerank(graph, method="residual", trace=True, **options)
    assert result.converged
    assert max(row.frontier for row in result.trace) < 300
    check_pagerank(graph, result.rank, tol=1e-9, personalization=np.arange(2000) == 0)


@pytest.mark.parametrize("scale", [1e308, 5e-324])
def test_personalization_of_any_size(device, scale):
    """Only the ratios count, also where float64 does not hold the sum."""
    graph = mg.generate.path(4, device=device)
    like, given = (CPU.asarray(mg.pagerank(graph, personalization=[each] * 4).rank) for each in (1.0, scale))
    np.testing.assert_array_equal(given, like)


@pytest.mark.parametrize("threads", ["1", "3"])
def test_the_same_in_every_run(device, threads, monkeypatch):
    monkeypatch.setenv("MINIGR_NUM_THREADS", threads)
    graph = mg.generate.rmat(11, 8, seed=5, device=device)
    first, second = (CPU.asarray(mg.pagerank(graph).rank) for _ in range(2))
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"damping": 1.0}, "damping"),
        ({"damping": -0.1}, "damping"),
        ({"damping": np.nan}, "damping"),
        ({"method": "gather"}, "method='gather': use one of 'pull', 'push', 'residual'"),
        ({"method": "push", "precision": "single"}, "precision='single' is for method='pull'"),
        ({"tol": 0}, "tol"),
        ({"tol": -1e-6}, "tol"),
        ({"tol": np.nan}, "tol"),
        ({"max_iter": -1}, "max_iter"),
        ({"max_iter": 2.5}, "max_iter"),
        ({"personalization": [1.0, 2.0]}, r"one weight for each of 4 vertices, got shape \(2,\)"),
        ({"personalization": np.ones((4, 1))}, "shape"),
        ({"personalization": [1.0, 2.0, -1.0, 0.0]}, "at least 0"),
        ({"personalization": [0.0] * 4}, "not all 0"),
        ({"personalization": {}}, "not all 0"),
        ({"personalization": [1.0, np.nan, 0.0, 0.0]}, "finite"),
        ({"personalization": [1.0, np.inf, 0.0, 0.0]}, "finite"),
        ({"personalization": {4: 1.0}}, "names vertex 4, but the graph has 4"),
        ({"personalization": {-1: 1.0}}, "names vertex -1"),
        ({"personalization": {0.5: 1.0}}, "names vertex 0.5"),
        ({"personalization": {"a": 1.0}}, "names vertex 'a'"),
    ],
)
def test_bad_parameters(device, options, complaint):
    with pytest.raises(ProblemError, match=complaint):
        mg.pagerank(mg.generate.path(4, device=device), **options)


@pytest.mark.parametrize(("weights", "complaint"), [([1.0, -0.5], "at least 0"), ([1.0, np.inf], "finite weights")])
def test_bad_weights(device, weights, complaint):
    with pytest.raises(GraphError, match=f"pagerank needs.*{complaint}"):
        mg.pagerank(mg.Graph.from_edges([0, 1], [1, 2], weights, device=device))


def test_an_empty_graph(device):
    for weights in (None, np.zeros(0)):
        result = mg.pagerank(mg.Graph.from_edges([], [], weights, device=device))
        assert result.rank.shape == (0,)
        assert result.converged


def test_each_iteration_is_that_of_networkx(device):
    graph = mg.generate.rmat(6, 4, seed=5, directed=True, device=device)
    other, preferences = graph.to_networkx(), {3: 1.0, 8: 3.0}
    for tol in (1e-2, 1e-3, 1e-4, 1e-5):  # the error allowed lets few iterations do, and what they come to differ
        expected = list(nx.pagerank(other, personalization=preferences, tol=tol).values())
        rank = run(graph, personalization=preferences, tol=tol, precision="double")
        np.testing.assert_allclose(rank, expected, rtol=1e-12)
