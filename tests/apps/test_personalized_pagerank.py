"""Personalized PageRank from several sources, by the bounds of its error, over the battery."""

import numpy as np
import pytest

import minigr as mg
from minigr.apps.pagerank import personalized
from minigr.device import CPU, resolve
from minigr.errors import GraphError, ProblemError
from tests.layouts import slabs_of
from tests.verifiers import check_personalized_pagerank


def check(graph, sources, result, **options):
    check_personalized_pagerank(graph, sources, CPU.asarray(result.rank), CPU.asarray(result.missing), **options)


def some(graph):
    """One vertex twice, and others."""
    n = graph.num_vertices
    return np.array([0, n - 1, n // 2, 0, n // 3], np.int32) if n else np.empty(0, np.int32)


def test_battery(graph):
    for epsilon in (1e-3, 1e-7):
        result = mg.personalized_pagerank(graph, some(graph), epsilon=epsilon)
        assert isinstance(result.rank, resolve(graph.device).xp.ndarray)
        assert result.vertex is None
        check(graph, some(graph), result, epsilon=epsilon)


@pytest.mark.parametrize(("dtype", "damping"), [("int32", 0.5), ("float64", 0.99), ("int64", 0.0)])
def test_weights_of_each_dtype(device, dtype, damping):
    graph = mg.generate.rmat(6, 5, seed=1, directed=True, weights=(0, 9), weight_dtype=dtype, device=device)
    result = mg.personalized_pagerank(graph, some(graph), damping, 1e-5)
    check(graph, some(graph), result, damping=damping, epsilon=1e-5)


@pytest.mark.parametrize("together", [1, 7, 64])
def test_more_sources_than_go_together(device, together, monkeypatch):
    graph = mg.generate.rmat(7, 6, seed=2, device=device)
    monkeypatch.setattr(personalized, "_ROOM", together * 24 * 128)
    told, sources = [], np.arange(128, dtype=np.int32)
    result = mg.personalized_pagerank(graph, sources, epsilon=1e-4, progress=lambda *at: told.append(at))
    check(graph, sources, result, epsilon=1e-4)
    assert told == [(min(done, 128), 128) for done in range(together, 128 + together, together)]
    exact = [CPU.asarray(mg.pagerank(graph, personalization={v: 1.0}, tol=1e-14, max_iter=1000).rank) for v in (0, 99)]
    ranks = CPU.asarray(mg.personalized_pagerank(graph, sources, epsilon=1e-12).rank)
    np.testing.assert_allclose(ranks[[0, 99]], exact, atol=1e-8)


@pytest.mark.parametrize("directed", [False, True])
def test_the_greatest_ranks(device, directed):
    graph = mg.generate.rmat(7, 4, seed=4, directed=directed, device=device)
    sources = [3, 70, 3]
    for top in (1, 10, 500):
        found = mg.personalized_pagerank(graph, sources, top=top, epsilon=1e-5)
        whole = mg.personalized_pagerank(graph, sources, epsilon=1e-5)
        vertex, rank, every = (CPU.asarray(array) for array in (found.vertex, found.rank, whole.rank))
        assert vertex.shape == rank.shape == (3, top)
        np.testing.assert_allclose(CPU.asarray(found.missing), CPU.asarray(whole.missing), rtol=1e-6)
        for row, ids, values in zip(every, vertex, rank, strict=True):
            there = min(top, np.count_nonzero(row))
            np.testing.assert_allclose(values[:there], np.sort(row)[::-1][:there], rtol=1e-6)
            np.testing.assert_allclose(values[:there], row[ids[:there]], rtol=1e-6)
            assert (ids[there:] == -1).all()
            assert (values[there:] == 0).all()


def test_only_what_is_near_is_looked_at(device):
    graph = mg.generate.path(20_000, device=device)
    result = mg.personalized_pagerank(graph, [0, 10_000], epsilon=1e-4, trace=True)
    rank = CPU.asarray(result.rank)
    assert np.count_nonzero(rank) < 200
    assert sum(row.edges for row in result.trace) < 2 / (1e-4 * 0.15)  # the bound on the work for each source
    assert result.iterations == len(result.trace)


def test_without_out_edges_the_walk_starts_again(device):
    graph = mg.Graph.from_edges([0, 0, 1], [1, 2, 2], num_vertices=4, directed=True, device=device)
    result = mg.personalized_pagerank(graph, [0, 3], epsilon=1e-12)
    for source, rank in zip((0, 3), CPU.asarray(result.rank), strict=True):
        exact = mg.pagerank(graph, personalization={source: 1.0}, tol=1e-14, max_iter=1000).rank
        np.testing.assert_allclose(rank, CPU.asarray(exact), atol=1e-9)


@pytest.mark.parametrize("directed", [False, True])
def test_over_slabs_without_in_edges(device, directed):
    graph = slabs_of(mg.generate.rmat(7, 5, seed=1, directed=directed, weights=(1, 5), device=device))
    graph.delete_vertices([3, 40])
    rows, sources = graph.to_graph(), np.array([1, 90, 41], np.int32)
    result = mg.personalized_pagerank(graph, sources, epsilon=1e-6)
    check(rows, sources, result, epsilon=1e-6)
    assert not CPU.asarray(result.rank)[:, [3, 40]].any()
    with pytest.raises(GraphError, match="source 40 is not a vertex: it was deleted"):
        mg.personalized_pagerank(graph, [1, 40])


def test_drivers_agree(device):
    graph = mg.generate.lattice(20, 20, 0.8, seed=1, device=device)
    expected = CPU.asarray(mg.personalized_pagerank(graph, [0, 399]).rank)
    for driver in ("fused", "host"):
        found = CPU.asarray(mg.personalized_pagerank(graph, [0, 399], driver=driver).rank)
        np.testing.assert_allclose(found, expected, rtol=1e-9)


@pytest.mark.parametrize(
    ("sources", "options", "error", "complaint"),
    [
        ([7], {}, GraphError, "source 7 is not a vertex"),
        ([0], {"damping": 1.0}, ProblemError, "personalized_pagerank: damping=1.0"),
        ([0], {"epsilon": 0.0}, ProblemError, "epsilon=0.0 must be above 0"),
        ([0], {"epsilon": np.nan}, ProblemError, "epsilon=nan"),
        ([0], {"epsilon": np.inf}, ProblemError, "epsilon=inf"),
        ([0], {"top": 0}, GraphError, "top"),
        ([0], {"top": 1.5}, GraphError, "top"),
    ],
)
def test_bad_input(device, sources, options, error, complaint):
    with pytest.raises(error, match=complaint):
        mg.personalized_pagerank(mg.generate.path(4, device=device), sources, **options)


def test_bad_weights(device):
    with pytest.raises(GraphError, match="personalized_pagerank needs weights of at least 0"):
        mg.personalized_pagerank(mg.Graph.from_edges([0], [1], [-1.0], device=device), [0])
    with pytest.raises(GraphError, match="personalized_pagerank: the weights of vertex 0's out-edges are so large"):
        mg.personalized_pagerank(mg.Graph.from_edges([0, 0], [1, 2], [1.5e308] * 2, device=device), [0])


def test_no_sources(device):
    result = mg.personalized_pagerank(mg.generate.path(4, device=device), [])
    assert (result.rank.shape, result.missing.shape, result.iterations) == ((0, 4), (0,), 0)
