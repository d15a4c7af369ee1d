"""Katz centrality over the battery, by its equation, against NetworkX and a solver."""

import networkx as nx
import numpy as np
import pytest

import minigr as mg
from minigr.device import CPU, resolve
from minigr.errors import GraphError, ProblemError
from tests.layouts import slabs_of
from tests.verifiers import check_katz

ALPHA = 1e-4  # small enough for all graphs of the battery


def test_battery(graph):
    assert mg.katz_centrality(graph).converged
    result = mg.katz_centrality(graph, ALPHA, normalized=False)
    assert isinstance(result.score, resolve(graph.device).xp.ndarray)
    assert result.converged
    check_katz(graph, result.score, ALPHA)
    score = CPU.asarray(mg.katz_centrality(graph, ALPHA).score)
    plain = CPU.asarray(result.score)
    np.testing.assert_allclose(score, plain / (np.linalg.norm(plain) or 1.0), rtol=1e-12)


@pytest.mark.parametrize("weights", [None, (1, 9)])
@pytest.mark.parametrize("directed", [False, True])
def test_each_iteration_is_that_of_networkx(device, directed, weights):
    own = np.arange(256) % 5 - 1.0
    for dtype, layout in (("float64", lambda rows: rows), ("int64", slabs_of)):
        rows = mg.generate.rmat(8, 8, seed=1, directed=directed, weights=weights, weight_dtype=dtype, device=device)
        for beta, given in ((2.0, 2.0), (own, dict(enumerate(own)))):
            expected = nx.katz_centrality(rows.to_networkx(), ALPHA, given, tol=1e-4, weight="weight")
            found = mg.katz_centrality(layout(rows), ALPHA, beta, tol=1e-4).score
            np.testing.assert_allclose(CPU.asarray(found), [expected[v] for v in range(256)], rtol=1e-9)


def test_the_sum_over_all_walks(device):
    graph = mg.generate.rmat(6, 6, seed=2, directed=True, device=device)
    count = graph.num_vertices
    matrix = np.zeros((count, count))
    src, dst = (CPU.asarray(ends) for ends in graph.to_edges()[:2])
    matrix[dst, src] = 1
    alpha = 0.9 / np.abs(np.linalg.eigvals(matrix)).max()
    expected = np.linalg.solve(np.eye(count) - alpha * matrix, np.ones(count))
    result = mg.katz_centrality(graph, alpha, tol=1e-12, normalized=False)
    np.testing.assert_allclose(CPU.asarray(result.score), expected, rtol=1e-8)


@pytest.mark.parametrize("weights", [None, (1, 9)])
def test_what_is_sure_to_converge(device, weights):
    graph = mg.generate.rmat(7, 6, seed=2, directed=True, weights=weights, weight_dtype="float64", device=device)
    strength = CPU.asarray(mg.out_degree_centrality(graph, weighted=weights is not None).degree).max()
    found, told = mg.katz_centrality(graph, tol=1e-9), mg.katz_centrality(graph, 0.9 / strength, tol=1e-9)
    assert found.iterations == told.iterations < 250
    np.testing.assert_allclose(CPU.asarray(found.score), CPU.asarray(told.score), rtol=1e-12)
    src, dst, given = graph.to_edges()
    if weights:
        scaled = mg.Graph.from_edges(src, dst, given * 2.0**900, num_vertices=128, directed=True, device=device)
        again = CPU.asarray(mg.katz_centrality(scaled, tol=1e-9).score)
        np.testing.assert_array_equal(again, CPU.asarray(found.score))


def test_numbers_that_only_count_by_their_ratios(device):
    graph = mg.generate.rmat(6, 6, seed=2, weights=(1, 9), weight_dtype="float64", device=device)
    src, dst, weights = (CPU.asarray(each) for each in graph.to_edges())
    plain = CPU.asarray(mg.katz_centrality(graph, ALPHA).score)
    for power in (-900, 900):
        factor = 2.0**power
        scaled = mg.Graph.from_edges(src, dst, weights * factor, num_vertices=64, device=device)
        np.testing.assert_array_equal(CPU.asarray(mg.katz_centrality(scaled, ALPHA / factor).score), plain)
        found = mg.katz_centrality(graph, ALPHA, beta=factor, tol=1e-6 * factor).score
        np.testing.assert_array_equal(CPU.asarray(found), plain)
    assert not CPU.asarray(mg.katz_centrality(graph, ALPHA, beta=0.0).score).any()


def test_deleted_vertices_have_no_score(device):
    graph = mg.DynamicGraph.from_edges([0, 0, 1, 4, 4], [2, 3, 3, 2, 3], in_edges=True, device=device)
    graph.delete_vertices([4])
    for beta in (1.0, np.ones(5)):
        score = CPU.asarray(mg.katz_centrality(graph, 0.5, beta, normalized=False).score)
        np.testing.assert_allclose(score, [1.0, 1.0, 1.5, 2.0, 0.0])


def test_it_says_whether_it_converged(device):
    graph = mg.generate.rmat(7, 6, seed=3, directed=True, device=device)
    enough = mg.katz_centrality(graph, 0.01, trace=True)
    assert enough.iterations == len(enough.trace)
    assert mg.katz_centrality(graph, 0.01, max_iter=enough.iterations).converged
    assert not mg.katz_centrality(graph, 0.01, max_iter=enough.iterations - 1).converged
    assert not mg.katz_centrality(graph, 1.0).converged  # there is no sum


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"alpha": -0.1}, "alpha=-0.1 must be"),
        ({"alpha": np.nan}, "alpha=nan"),
        ({"alpha": np.inf}, "alpha=inf"),
        ({"tol": 0.0}, "tol=0.0"),
        ({"beta": np.inf}, "beta must be finite"),
        ({"beta": [1.0, np.nan, 1.0]}, "beta must be finite"),
        ({"beta": [1.0, 2.0]}, r"one for each of 3 vertices, got shape \(2,\)"),
        ({"beta": np.ones((3, 1))}, "shape"),
    ],
)
def test_bad_parameters(device, options, complaint):
    with pytest.raises(ProblemError, match=complaint):
        mg.katz_centrality(mg.generate.path(3, device=device), **options)


def test_bad_graphs(device):
    with pytest.raises(GraphError, match="katz_centrality needs weights of at least 0"):
        mg.katz_centrality(mg.Graph.from_edges([0], [1], [-1.0], device=device))
    with pytest.raises(GraphError, match="in_edges=True"):
        mg.katz_centrality(mg.DynamicGraph.from_edges([0], [1], device=device))
