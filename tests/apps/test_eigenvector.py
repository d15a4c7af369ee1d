"""Eigenvector centrality over the battery, by its residual, against NetworkX and SciPy."""

import networkx as nx
import numpy as np
import pytest

import minigr as mg
from minigr.device import CPU, resolve
from minigr.errors import GraphError, ProblemError
from tests.layouts import slabs_of
from tests.verifiers import check_eigenvector


def test_battery(graph):
    result = mg.eigenvector_centrality(graph, max_iter=20_000)
    assert isinstance(result.score, resolve(graph.device).xp.ndarray)
    assert result.converged
    check_eigenvector(graph, result.score, tol=4e-6)  # the shift may be twice the greatest weight


@pytest.mark.parametrize("weights", [None, (1, 9)])
@pytest.mark.parametrize("directed", [False, True])
def test_each_iteration_is_that_of_networkx(device, directed, weights):
    for dtype, layout in (("float64", lambda rows: rows), ("int64", slabs_of)):
        rows = mg.generate.rmat(8, 8, seed=1, directed=directed, weights=weights, weight_dtype=dtype, device=device)
        for tol in (1e-3, 1e-9):
            expected = nx.eigenvector_centrality(rows.to_networkx(), max_iter=500, tol=tol, weight="weight")
            found = mg.eigenvector_centrality(layout(rows), tol, 500, shift=1.0).score
            np.testing.assert_allclose(CPU.asarray(found), [expected[v] for v in range(256)], rtol=1e-9, atol=1e-15)


def test_the_shift_changes_the_steps_alone(device):
    graph = mg.generate.rmat(8, 8, seed=1, weights=(1, 9), device=device)
    assert graph.num_vertices == 256
    matrix = np.zeros((256, 256))
    src, dst, weight = (CPU.asarray(ends) for ends in graph.to_edges(both_ways=True))
    matrix[src, dst] = weight
    expected = np.abs(np.linalg.eigh(matrix)[1][:, -1])
    results = [mg.eigenvector_centrality(graph, 1e-12, 10_000, shift=shift) for shift in (None, 0.5, 1e3)]
    for result in results:
        np.testing.assert_allclose(CPU.asarray(result.score), expected, atol=1e-7)
    assert len({result.iterations for result in results}) == 3


def test_both_sides_of_a_bipartite_graph_have_scores(device):
    """Without a shift the iteration would swing between them."""
    result = mg.eigenvector_centrality(mg.generate.star(5, device=device), tol=1e-12, max_iter=500)
    assert result.converged
    np.testing.assert_allclose(CPU.asarray(result.score), [0.5**0.5, *[8**-0.5] * 4], rtol=1e-9)


def test_deleted_vertices_have_no_score(device):
    graph = mg.DynamicGraph.from_edges([0, 0, 1, 4, 4], [2, 3, 3, 2, 3], directed=False, device=device)
    graph.delete_vertices([4])
    score = CPU.asarray(mg.eigenvector_centrality(graph, tol=1e-12, max_iter=500).score)
    expected = nx.eigenvector_centrality(nx.Graph([(0, 2), (0, 3), (1, 3)]), tol=1e-12, max_iter=500)
    np.testing.assert_allclose(score, [expected.get(v, 0.0) for v in range(5)], atol=1e-9)


def test_it_says_whether_it_converged(device):
    graph = mg.generate.rmat(7, 6, seed=3, directed=True, device=device)
    few = mg.eigenvector_centrality(graph, max_iter=2, trace=True)
    assert (few.converged, few.iterations, len(few.trace)) == (False, 2, 2)
    enough = mg.eigenvector_centrality(graph)
    assert mg.eigenvector_centrality(graph, max_iter=enough.iterations).converged
    assert not mg.eigenvector_centrality(graph, max_iter=enough.iterations - 1).converged


def test_bad_input(device):
    graph = mg.generate.path(3, device=device)
    for tol in (0.0, -1.0, float("nan")):
        with pytest.raises(ProblemError, match="tol"):
            mg.eigenvector_centrality(graph, tol)
    for shift in (0.0, -1.0, float("nan"), float("inf"), 1e-200):
        with pytest.raises(ProblemError, match="shift"):
            mg.eigenvector_centrality(graph, shift=shift)
    with pytest.raises(GraphError, match="eigenvector_centrality needs weights of at least 0"):
        mg.eigenvector_centrality(mg.Graph.from_edges([0], [1], [-1.0], device=device))
    with pytest.raises(GraphError, match="in_edges=True"):
        mg.eigenvector_centrality(mg.DynamicGraph.from_edges([0], [1], device=device))
