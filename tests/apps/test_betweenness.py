"""Betweenness centrality, over the battery, against NetworkX, and where numbers of paths are beyond float64."""

import random

import networkx as nx
import numpy as np
import pytest

import minigr as mg
from minigr.apps.betweenness import path_counts
from minigr.apps.common.hops import HopsEnactor
from minigr.device import CPU, resolve
from minigr.errors import GraphError, ProblemError
from minigr.program.control import DRIVERS
from tests.layouts import slabs_of
from tests.verifiers import check_betweenness, shortest_paths_from


def scores(graph, *arguments, **options):
    return CPU.asarray(mg.betweenness_centrality(graph, *arguments, **options).score)


def some(graph, most=12):
    """Vertices to search from: the one with most edges, and others."""
    ids = np.random.default_rng(1).permutation(graph.num_vertices)[: most - 1]
    return np.union1d(ids, [int(CPU.asarray(graph.degree()).argmax())]) if graph.num_vertices else ids


def sums(graph, sources, **options):
    """Scores of given sources as plain sums, without the estimate for the others."""
    found = scores(graph, sources, normalized=False, endpoints=True, **options)
    return found * len(sources) / max(graph.num_live_vertices, 1)


def test_battery(graph):
    result = mg.betweenness_centrality(graph, normalized=False)
    assert isinstance(result.score, resolve(graph.device).xp.ndarray)
    assert result.num_sources == graph.num_vertices
    if graph.num_vertices < 100:
        check_betweenness(graph, result.score)
    if graph.num_vertices > 1:
        check_betweenness(graph, sums(graph, some(graph)), some(graph), endpoints=True)


def test_battery_by_weight(graph):
    if not graph.weighted or (graph.num_arcs and graph.weight_summary()[0] <= 0):
        with pytest.raises(GraphError, match="weights"):
            mg.betweenness_centrality(graph, weighted=True)
        return
    if graph.num_vertices > 1:
        found = sums(graph, some(graph), weighted=True)
        check_betweenness(graph, found, some(graph), weighted=True, endpoints=True)


@pytest.mark.parametrize(("dtype", "directed"), [("int32", True), ("float32", False)])
def test_by_weight(device, directed, dtype):
    graph = mg.generate.rmat(7, 6, seed=4, directed=directed, weights=(1, 4), weight_dtype=dtype, device=device)
    check_betweenness(graph, scores(graph, weighted=True, normalized=False), weighted=True)
    repeats = mg.generate.rmat(5, 6, seed=4, directed=directed, weights=(1, 4), simple=False, device=device)
    check_betweenness(repeats, scores(repeats, weighted=True, normalized=False), weighted=True)


class Drawn(random.Random):
    """Draws what it is told."""

    def __init__(self, vertices):
        super().__init__(0)
        self.vertices = vertices

    def sample(self, population, k):
        assert k == len(self.vertices)
        return list(self.vertices)


@pytest.mark.parametrize("count", [1, 2, 9, 32, None])
@pytest.mark.parametrize("endpoints", [False, True])
@pytest.mark.parametrize("normalized", [False, True])
@pytest.mark.parametrize("directed", [False, True])
def test_scaled_as_networkx_does(device, directed, normalized, endpoints, count):
    graph = mg.generate.rmat(5, 3, seed=2, directed=directed, device=device)
    sources = None if count is None else np.random.default_rng(3).permutation(32)[:count].tolist()
    options = {"normalized": normalized, "endpoints": endpoints}
    drawn = {} if count is None else {"k": count, "seed": Drawn(sources)}
    expected = nx.betweenness_centrality(graph.to_networkx(), **options, **drawn)
    found = scores(graph, sources, **options)
    np.testing.assert_allclose(found, [expected[v] for v in range(32)], rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("endpoints", [False, True])
@pytest.mark.parametrize("normalized", [False, True])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_tiny_graphs_as_networkx_does(device, n, normalized, endpoints):
    graph = mg.generate.path(n, device=device)
    expected = nx.betweenness_centrality(nx.path_graph(n), normalized=normalized, endpoints=endpoints)
    found = scores(graph, normalized=normalized, endpoints=endpoints)
    assert found.tolist() == pytest.approx([expected[v] for v in range(n)])


def ladder(rungs, device, **options):
    """Diamonds one behind the other, so that there are 2**rungs shortest paths from end to end, and a chain as long."""
    top = 3 * np.arange(rungs)
    src, dst = np.concatenate([top, top, top + 1, top + 2]), np.concatenate([top + 1, top + 2, top + 3, top + 3])
    chain = 3 * rungs + 1 + np.arange(2 * rungs)
    src, dst = np.concatenate([src, [0], chain[:-1]]), np.concatenate([dst, [chain[0]], chain[1:]])
    weights = np.full(len(src), 0.5) if options.pop("weighted", False) else None
    joined = np.append(src, chain[-1]), np.append(dst, 3 * rungs)  # the chain leads to the same end, by one hop more
    weights = None if weights is None else np.append(weights, 0.5)
    return mg.Graph.from_edges(*joined, weights, device=device, **options)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("directed", [False, True])
def test_more_paths_than_a_float_holds(device, directed, weighted):
    graph = ladder(1300, device, directed=directed, weighted=weighted)
    paths = shortest_paths_from(graph, 0)[2]
    assert paths[3900] == 2**1300
    sources = [0, 3900]
    found = sums(graph, sources, weighted=weighted)
    check_betweenness(graph, found, sources, weighted=weighted, endpoints=True)


def test_numbers_of_paths():
    """Sums, shares and what is got together, from far below the range of a float to far beyond it."""
    rng = np.random.default_rng(5)
    logs = np.concatenate([rng.uniform(-1500, 1500, 200), rng.uniform(640, 700, 50), rng.uniform(-700, -640, 50)])
    for sign, chosen in ((-1.0, np.abs(logs)), (1.0, -np.abs(logs))):
        for a, b in zip(chosen, rng.permutation(chosen), strict=True):
            x, y = path_counts.kept(a, sign), path_counts.kept(b, sign)
            assert path_counts.log_of(x, sign) == pytest.approx(a, rel=1e-13, abs=1e-15)
            assert np.isfinite(x)
            assert x != 0
            total = path_counts.add(x, y, sign)
            assert path_counts.log_of(total, sign) == pytest.approx(np.logaddexp(a, b), rel=1e-13, abs=1e-13)
            assert path_counts.add(x, 0.0, sign) == path_counts.add(0.0, x, sign) == x
    for a in np.abs(logs):
        paths = path_counts.kept(a, -1.0)
        for amount in (1.0, 3.5, 1e9):
            share = path_counts.share_of(amount, paths)
            assert path_counts.together(paths, share) == pytest.approx(amount, rel=1e-11)
        assert path_counts.together(paths, 0.0) == 0.0
    few = path_counts.together(3.0, path_counts.kept(-690.0, 1.0))  # few paths to a vertex, and many to the next one
    assert few == pytest.approx(3 * np.exp(-690), rel=1e-11, abs=0)
    assert path_counts.add(3.0, 4.0, -1.0) == 7.0


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("directed", [False, True])
def test_over_slabs(device, directed, weighted):
    rows = mg.generate.rmat(7, 5, seed=1, directed=directed, weights=(1, 5), device=device)
    graph = slabs_of(rows)
    found = scores(graph, weighted=weighted, normalized=False)
    check_betweenness(graph.to_graph(), found, weighted=weighted)


@pytest.mark.parametrize("directed", [False, True])
def test_deleted_vertices_are_no_vertices(device, directed):
    rows = mg.generate.rmat(6, 4, seed=3, directed=directed, device=device)
    graph = mg.DynamicGraph.from_graph(rows, in_edges=True)
    gone = [3, 40, 41]
    graph.delete_vertices(gone)
    left = rows.to_networkx()
    left.remove_nodes_from(gone)
    expected = nx.betweenness_centrality(left)
    found = scores(graph)
    np.testing.assert_allclose(found, [expected.get(v, 0.0) for v in range(64)], rtol=1e-12, atol=1e-15)
    assert mg.betweenness_centrality(graph, samples=61).num_sources == 61
    with pytest.raises(GraphError, match="source 40 is not a vertex: it was deleted"):
        mg.betweenness_centrality(graph, [1, 40])
    with pytest.raises(ProblemError, match="samples=62, but there are 61"):
        mg.betweenness_centrality(graph, samples=62)


def test_a_directed_dynamic_graph_without_in_edges(device):
    graph = mg.DynamicGraph.from_edges([0, 1], [1, 2], directed=True, device=device)
    with pytest.raises(GraphError, match="in_edges=True"):
        mg.betweenness_centrality(graph)


@pytest.mark.parametrize("threads", ["1", "2", "5"])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_same_whoever_runs_it(device, weighted, threads, monkeypatch):
    graph = mg.generate.lattice(70, 60, 0.9, seed=3, weights=(1, 3), weight_dtype="float32", device=device)
    expected = scores(graph, [0, 2000], weighted=weighted, endpoints=True)
    monkeypatch.setenv("MINIGR_NUM_THREADS", threads)
    for driver in DRIVERS if device == "cuda" else ("fused", "host"):
        found = scores(graph, [0, 2000], weighted=weighted, endpoints=True, driver=driver)
        np.testing.assert_array_equal(found, expected)


def test_hubs(device):
    graph = mg.generate.rmat(12, 16, seed=7, device=device)
    assert graph.max_degree() > 512
    sources = some(graph, 3)
    check_betweenness(graph, sums(graph, sources), sources, endpoints=True)


def test_samples(device):
    graph = mg.generate.rmat(6, 4, seed=1, device=device)
    first, again, other = (scores(graph, samples=9, seed=seed).tolist() for seed in (5, 5, 6))
    assert first == again != other
    result = mg.betweenness_centrality(graph, samples=np.int64(9), seed=5)
    assert result.num_sources == 9


def test_progress(device):
    told = []
    mg.betweenness_centrality(mg.generate.path(4, device=device), [2, 0], progress=lambda *at: told.append(at))
    assert told == [(1, 2), (2, 2)]


def test_trace_and_iterations(device):
    graph = mg.generate.path(5, device=device)
    result = mg.betweenness_centrality(graph, [1, 0], trace=True)
    assert [(row.frontier, row.output) for row in result.trace] == [(1, 1)] * 4 + [(1, 0)] + [(1, 1)] * 4 + [(1, 0)]
    assert result.iterations == 4 + 4 + 5 + 5
    assert mg.betweenness_centrality(graph).trace is None


def test_depths_begin_anew_before_they_overflow(device):
    graph = mg.generate.path(6, device=device)
    search = HopsEnactor(graph)
    search.problem.first = np.iinfo(np.int32).max - 6
    for source, reached in ((0, 6), (5, 6), (2, 4)):
        search.run(source)
        assert len(search.levels) == reached
    assert search.problem.first == 10


@pytest.mark.parametrize(
    ("arguments", "options", "error", "complaint"),
    [
        (([7],), {}, GraphError, "source 7 is not a vertex: the graph has vertices 0 to 3"),
        (([0.5],), {}, GraphError, "must be a vertex id"),
        (([1, 2, 1],), {}, ProblemError, "source 1 is given more than once"),
        (([1],), {"samples": 1}, ProblemError, "either sources or samples"),
        ((), {"samples": 0}, ProblemError, "samples=0, but there are 4"),
        ((), {"samples": 5}, ProblemError, "samples=5, but there are 4"),
        ((), {"samples": 1.5}, ProblemError, "samples=1.5 must be a whole number"),
        ((), {"weighted": True}, GraphError, "needs weights"),
        ((), {"driver": "other"}, ProblemError, "driver='other'"),
    ],
)
def test_bad_arguments(device, arguments, options, error, complaint):
    with pytest.raises(error, match=complaint):
        mg.betweenness_centrality(mg.generate.path(4, device=device), *arguments, **options)


@pytest.mark.parametrize(
    ("weights", "complaint"),
    [
        ([1.0, 0.0], "weights above 0"),
        ([1.0, -1.0], "at least 0"),
        ([1.0, np.inf], "finite"),
        ([1e308, 1.0], "float64 can't hold the length of a path"),
    ],
)
def test_bad_weights(device, weights, complaint):
    graph = mg.Graph.from_edges([0, 1], [1, 2], weights, device=device)
    with pytest.raises(GraphError, match=complaint):
        mg.betweenness_centrality(graph, weighted=True)


def test_weights_lost_beside_distances(device):
    graph = mg.Graph.from_edges([0, 1, 2], [1, 2, 1], [1e20, 1.0, 1.0], directed=True, device=device)
    with pytest.raises(GraphError, match="from source 0 some edges have weights so small"):
        mg.betweenness_centrality(graph, [0], weighted=True)


def test_no_vertices(device):
    result = mg.betweenness_centrality(mg.Graph.from_edges([], [], device=device))
    assert (len(result.score), result.num_sources, result.iterations) == (0, 0, 0)
