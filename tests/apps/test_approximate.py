"""Estimates of centralities: by what they are made of, and within the bounds of their errors."""

import numpy as np
import pytest

import minigr as mg
from minigr.apps.common.sources import samples_for
from minigr.device import CPU, resolve
from minigr.errors import ProblemError
from tests.apps.whoever_runs_it import check_drivers_without_trace
from tests.layouts import slabs_of

CALLS = {
    "closeness": mg.approximate_closeness_centrality,
    "harmonic": mg.approximate_harmonic_centrality,
    "betweenness": mg.approximate_betweenness_centrality,
}
EXACT = {
    "closeness": mg.closeness_centrality,
    "harmonic": mg.harmonic_centrality,
    "betweenness": mg.betweenness_centrality,
}


def scores(result):
    return CPU.asarray(result.score)


def tails(device, directed=False):
    """Two stars with a path between their centers, and a triangle apart; the path has nearly all shortest paths."""
    hub, other = np.arange(5, 400), np.arange(400, 795)
    path, cycle = np.arange(5), np.arange(795, 798)
    src = np.concatenate([np.full(hub.size, 0), np.full(other.size, 4), path[:-1], cycle])
    dst = np.concatenate([hub, other, path[1:], np.roll(cycle, 1)])
    if directed:
        src, dst = np.concatenate([src, other]), np.concatenate([dst, np.zeros(other.size, np.int64)])
    return mg.Graph.from_edges(src, dst, directed=directed, device=device)


def hops(graph):
    """The hops from each vertex to each, as float64; inf where there is no way."""
    depth = CPU.asarray(mg.multi_source_bfs(graph, np.arange(graph.num_vertices)).depth).astype(np.float64)
    return np.where(depth < 0, np.inf, depth)


def test_battery(graph):
    """Of graphs so small all vertices are searched from, and the estimate is exact."""
    for name in ("closeness", "harmonic"):
        result = CALLS[name](graph, 0.02)
        assert isinstance(result.score, resolve(graph.device).xp.ndarray)
        assert result.num_sources == graph.num_vertices
        np.testing.assert_allclose(scores(result), scores(EXACT[name](graph)), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_distances_are_within_their_bounds(device, directed, seed):
    graph, epsilon = tails(device, directed), 0.12
    others, far = graph.num_vertices - 1, hops(graph)
    result = mg.approximate_closeness_centrality(graph, epsilon, seed=seed)
    assert 64 < result.num_sources < graph.num_vertices / 2
    there = np.isfinite(far)
    part, mean = (there.sum(0) - 1) / others, np.where(there, far, 0).sum(0) / others
    exact = np.divide(part**2, mean, out=np.zeros(len(mean)), where=mean > 0)
    np.testing.assert_allclose(scores(mg.closeness_centrality(graph)), exact, rtol=1e-12)
    greatest = far[there].max()
    lowest = np.maximum(part - epsilon, 0) ** 2 / (mean + epsilon * greatest)
    nearest = mean - epsilon * greatest
    highest = np.divide((part + epsilon) ** 2, nearest, out=np.full(len(mean), np.inf), where=nearest > 0)
    found = scores(result)
    assert ((lowest <= found) & (found <= highest)).all()
    if not directed:  # that the bounds say something
        assert lowest[:5].min() > 0.15
        assert highest[:5].max() < 0.7
    assert np.abs(found - exact).max() > 0

    harmonic, right = (
        mg.approximate_harmonic_centrality(graph, epsilon, seed=seed),
        scores(mg.harmonic_centrality(graph)),
    )
    assert harmonic.num_sources < result.num_sources
    error = np.abs(scores(harmonic) - right)
    assert 0 < error.max() <= epsilon * others
    assert right.max() > 4 * epsilon * others


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_betweenness_is_within_its_bound(device, seed):
    graph, epsilon = tails(device), 0.12
    result, exact = (
        mg.approximate_betweenness_centrality(graph, epsilon, seed=seed),
        scores(mg.betweenness_centrality(graph)),
    )
    assert result.num_sources < graph.num_vertices / 2
    assert exact[:5].min() > 3 * epsilon
    assert 0 < np.abs(scores(result) - exact).max() <= epsilon
    weighted = mg.Graph.from_edges(*graph.to_edges()[:2], np.full(graph.num_edges, 2.0), device=device)
    found = scores(mg.approximate_betweenness_centrality(weighted, epsilon, seed=seed, weighted=True))
    np.testing.assert_allclose(found, scores(result), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("directed", [False, True])
def test_what_estimates_are_made_of(device, directed):
    """From the distances of those that were drawn; each vertex is estimated from the others."""
    graph = mg.generate.rmat(9, 4, seed=1, directed=directed, device=device)
    others = graph.num_vertices - 1
    for name, numbers in (("closeness", 2), ("harmonic", 1)):
        count = samples_for(graph, 0.2, 0.7, numbers, name)
        pivots = np.random.default_rng(7).choice(graph.num_vertices, count, replace=False)
        result = CALLS[name](graph, 0.2, 0.7, seed=7)
        assert result.num_sources == count > 64
        far = hops(graph)[pivots]
        far[np.arange(count), pivots] = np.inf
        drawn = count - np.isin(np.arange(graph.num_vertices), pivots)
        reached, total = np.isfinite(far).sum(0), np.where(np.isfinite(far), far, 0).sum(0)
        if name == "harmonic":
            expected = (1 / far).sum(0) / drawn * others
        else:
            expected = np.divide(reached**2, total * drawn, out=np.zeros(len(total)), where=total > 0)
        np.testing.assert_allclose(scores(result), expected, rtol=1e-12)


@pytest.mark.parametrize("name", CALLS)
def test_over_slabs_with_deleted_vertices(device, name):
    graph = slabs_of(mg.generate.rmat(8, 6, seed=1, device=device))
    graph.delete_vertices([3, 40])
    result = CALLS[name](graph, 0.3, seed=2)
    assert result.num_sources < 254
    found, exact = scores(result), scores(EXACT[name](graph))
    assert np.isnan(found[[3, 40]]).all() or name == "betweenness"
    np.testing.assert_allclose(scores(CALLS[name](graph, 0.01)), exact, rtol=1e-12)
    most = 253 if name == "harmonic" else 1
    assert np.nanmax(np.abs(found - exact)) < 0.3 * most


@pytest.mark.parametrize("name", CALLS)
def test_the_same_for_a_seed(device, name):
    graph = mg.generate.rmat(9, 6, seed=2, device=device)
    first, again, other = (scores(CALLS[name](graph, 0.2, seed=seed)).tolist() for seed in (5, 5, 6))
    assert first == again != other
    check_drivers_without_trace(lambda graph, **how: CALLS[name](graph, 0.2, **how), lambda result: result.score, graph)
    for direction in ("push", "pull"):
        assert scores(CALLS[name](graph, 0.2, seed=5, direction=direction)).tolist() == first


def test_how_many_are_drawn():
    graph = mg.generate.star(1000, device="cpu")
    found = [
        samples_for(graph, epsilon, confidence, 1, "some")
        for epsilon, confidence in ((0.1, 0.9), (0.1, 0.99), (0.05, 0.9))
    ]
    assert found == [497, 612, None]
    for enough in (998.5, 999.5):  # with one more sample, all but one vertex would not be enough
        epsilon = np.sqrt(np.log(2 * 1000 / 0.1) / 2 / enough)
        assert samples_for(graph, epsilon, 0.9, 1, "some") == (1000 if enough < 999 else None)
    assert samples_for(mg.Graph.from_edges([], [], device="cpu"), 0.1, 0.9, 1, "some") is None


def test_progress_and_trace(device):
    told, graph = [], mg.generate.path(300, device=device)
    result = mg.approximate_harmonic_centrality(graph, 0.2, progress=lambda *at: told.append(at), trace=True)
    count = result.num_sources
    assert told == [(min(done, count), count) for done in range(64, count + 64, 64)]
    assert len(result.trace) <= result.iterations


@pytest.mark.parametrize("name", CALLS)
def test_bad_input(device, name):
    graph = mg.generate.path(3, device=device)
    for value in (0.0, 1.0, -0.1, np.nan):
        with pytest.raises(ProblemError, match=f"approximate_{name}_centrality: epsilon={value}"):
            CALLS[name](graph, value)
        with pytest.raises(ProblemError, match=f"approximate_{name}_centrality: confidence={value}"):
            CALLS[name](graph, 0.1, value)
    CALLS[name](graph, 1e-200)  # which takes all vertices


@pytest.mark.parametrize("name", CALLS)
def test_few_vertices(device, name):
    for count in (0, 1, 2):
        graph = mg.generate.path(count, device=device) if count else mg.Graph.from_edges([], [], device=device)
        np.testing.assert_array_equal(scores(CALLS[name](graph)), scores(EXACT[name](graph)))
