"""Similarity of edges, of given pairs and of the best of all pairs: over the battery, and against a plain oracle."""

import math

import networkx as nx
import numpy as np
import pytest

import minigr as mg
from minigr.apps.similarity import ways
from minigr.device import CPU, resolve
from minigr.errors import GraphError, ProblemError
from tests.layouts import slabs_of
from tests.verifiers import check_most_similar, check_similarity

MEASURES = (
    "jaccard", "overlap", "sorensen", "cosine", "adamic_adar", "resource_allocation", "common_neighbors",
    "preferential_attachment",
)  # fmt: skip


def host(result):
    return [CPU.asarray(array) for array in (result.src, result.dst, result.score)]


def some_pairs(graph, count=60):
    """Random ones, both ways, with a vertex and itself, and twice."""
    n = graph.num_vertices
    drawn = np.random.default_rng(3).integers(0, max(n, 1), (count if n else 0, 2))
    return np.concatenate([drawn, drawn[:5, ::-1], drawn[:5, :1].repeat(2, axis=1), drawn[:2]]).astype(np.int64)


def check(graph, rows, **options):
    result = mg.similarity(graph, **options)
    for array, dtype in ((result.src, np.int32), (result.dst, np.int32), (result.score, np.float64)):
        assert isinstance(array, resolve(graph.device).xp.ndarray)
        assert array.dtype == dtype
    src, dst, score = host(result)
    if "pairs" not in options:
        assert (src < dst).all()
        assert (np.diff(src.astype(np.int64) * graph.num_vertices + dst) > 0).all()  # in the order of their ends
    check_similarity(rows, options.get("measure", "jaccard"), src, dst, score, weighted=options.get("weighted", False))
    return result


@pytest.mark.parametrize("measure", ["jaccard", "adamic_adar"])
def test_battery(graph, measure):
    """All edges, each once, in the order of their ends."""
    src, dst, _ = host(check(graph, graph, measure=measure))
    ends = np.sort(np.stack([CPU.asarray(end) for end in graph.to_edges()[:2]], 1))
    np.testing.assert_array_equal(np.stack([src, dst], 1), np.unique(ends[ends[:, 0] != ends[:, 1]], axis=0))
    pairs = some_pairs(graph)
    found = check(graph, graph, pairs=pairs, measure=measure)
    np.testing.assert_array_equal(np.stack(host(found)[:2], 1), pairs)


@pytest.mark.parametrize("per_vertex", [False, True])
def test_battery_of_all_pairs(graph, per_vertex):
    for k in (1, 4):
        found = mg.most_similar(graph, k, per_vertex=per_vertex)
        check_most_similar(graph, "jaccard", k, *host(found), per_vertex=per_vertex)


@pytest.fixture(params=["rmat", "directed rmat", "lattice", "hubs"])
def other(request, device):
    """Graphs that are larger, some of them skewed."""
    return {
        "rmat": lambda: mg.generate.rmat(8, 12, seed=1, device=device),
        "directed rmat": lambda: mg.generate.rmat(8, 8, seed=2, directed=True, device=device),
        "lattice": lambda: mg.generate.lattice(15, 15, 0.7, device=device),
        "hubs": lambda: mg.generate.rmat(11, 20, seed=4, device=device),
    }[request.param]()


@pytest.mark.parametrize("measure", MEASURES)
def test_measures(other, measure):
    check(other, other, measure=measure)
    check(other, other, measure=measure, pairs=some_pairs(other))
    if measure != "preferential_attachment" and other.num_vertices < 1000:
        for per_vertex in (False, True):
            found = mg.most_similar(other, 5, measure=measure, per_vertex=per_vertex)
            check_most_similar(other, measure, 5, *host(found), per_vertex=per_vertex)


def test_measures_of_one_graph(device):
    """One after the other, while a skewed graph keeps what each of them needs."""
    graph = mg.generate.rmat(11, 20, seed=4, device=device)
    for measure in ("preferential_attachment", "jaccard", "adamic_adar", "cosine", "preferential_attachment"):
        check(graph, graph, measure=measure)


def test_against_networkx(device):
    graph = mg.generate.rmat(8, 6, seed=5, device=device)
    other, pairs = graph.to_networkx(), some_pairs(graph).tolist()
    pairs = [(u, v) for u, v in pairs if u != v]
    for measure, theirs in (
        ("jaccard", nx.jaccard_coefficient), ("adamic_adar", nx.adamic_adar_index),
        ("resource_allocation", nx.resource_allocation_index), ("preferential_attachment", nx.preferential_attachment),
    ):  # fmt: skip
        found = CPU.asarray(mg.similarity(graph, pairs, measure=measure).score)
        np.testing.assert_allclose(found, [score for *_, score in theirs(other, pairs)], rtol=1e-12, err_msg=measure)


@pytest.mark.parametrize("directed", [False, True])
def test_over_slabs(device, directed):
    graph = slabs_of(mg.generate.rmat(7, 8, seed=1, directed=directed, device=device), deleted=3)
    rows = graph.to_graph()
    for measure in ("cosine", "resource_allocation"):
        check(graph, rows, measure=measure)
        check(graph, rows, measure=measure, pairs=some_pairs(graph))
    check_most_similar(rows, "cosine", 6, *host(mg.most_similar(graph, 6, measure="cosine")))
    check_most_similar(
        rows, "cosine", 6, *host(mg.most_similar(graph, 6, measure="cosine", per_vertex=True)), per_vertex=True
    )


@pytest.mark.parametrize("measure", ["jaccard", "overlap", "sorensen", "cosine"])
def test_weights(device, measure):
    graph = mg.generate.rmat(7, 8, seed=3, weights=(1, 9), device=device)
    for each in (graph, slabs_of(graph)):
        check(each, graph, measure=measure, weighted=True)
        check(each, graph, measure=measure, weighted=True, pairs=some_pairs(graph))
        for per_vertex in (False, True):
            found = mg.most_similar(each, 3, measure=measure, weighted=True, per_vertex=per_vertex)
            check_most_similar(graph, measure, 3, *host(found), per_vertex=per_vertex, weighted=True)
    plain = mg.Graph.from_edges(*graph.to_edges()[:2], device=device)
    ones = mg.Graph.from_edges(*graph.to_edges()[:2], resolve(device).full(graph.num_edges, 1, np.float32))
    np.testing.assert_array_equal(
        host(mg.similarity(ones, measure=measure, weighted=True))[2], host(mg.similarity(plain, measure=measure))[2]
    )


@pytest.mark.parametrize("weighted", [False, True])
def test_little_at_a_time(device, weighted, monkeypatch):
    """Ways in many chunks, and vertices with so many of them that they are compared with all others."""
    graph = mg.generate.rmat(7, 8, seed=6, weights=(1, 9), device=device)
    some = {"vertices": range(40, 100)}
    choices = [
        {"k": k, **rest, "weighted": weighted}
        for k, rest in ((7, {}), (7, {"per_vertex": True}), (7, some), (7, {"per_vertex": True, **some}), (10_000, {}))
    ]
    whole = [host(mg.most_similar(graph, **choice)) for choice in choices]
    monkeypatch.setattr(ways, "AT_ONCE", 900)
    monkeypatch.setattr(ways, "FROM_ONE", 300)
    counts = CPU.asarray(graph.to_scipy().astype(bool).astype(np.int64) @ CPU.asarray(graph.degree()))
    assert 0 < (counts > 300).sum() < (counts > 0).sum() / 2
    assert (counts[40:100] > 300).any()
    assert counts[counts <= 300].sum() > 3 * 900
    for choice, expected in zip(choices, whole, strict=True):
        found = host(mg.most_similar(graph, **choice))
        for array, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(array, other, rtol=1e-12)


@pytest.mark.parametrize("per_vertex", [False, True])
def test_pairs_with_some_vertices(device, per_vertex):
    graph = mg.generate.rmat(7, 6, seed=7, device=device)
    vertices = [5, 3, 90, 3, 4]
    found = host(mg.most_similar(graph, 6, vertices=vertices, per_vertex=per_vertex, measure="overlap"))
    check_most_similar(graph, "overlap", 6, *found, per_vertex=per_vertex, vertices=vertices)
    assert set(found[0].tolist()) <= set(vertices)
    alone = host(mg.most_similar(graph, 6, vertices=3, per_vertex=per_vertex, measure="overlap"))
    check_most_similar(graph, "overlap", 6, *alone, per_vertex=per_vertex, vertices=[3])
    assert all(array.size == 0 for array in host(mg.most_similar(graph, 6, vertices=[], per_vertex=per_vertex)))


def test_equal_scores(device):
    """All pairs of a star's ends are alike: those of the least vertices are taken."""
    graph = mg.generate.star(40, device=device)
    src, dst, score = host(mg.most_similar(graph, 45))
    ends = [(u, v) for u in range(1, 40) for v in range(u + 1, 40)]
    assert list(zip(src.tolist(), dst.tolist(), strict=True)) == ends[:45]
    assert (score == 1).all()
    assert host(mg.most_similar(graph, 10**9))[0].size == len(ends)


def test_a_vertex_and_itself(device):
    graph = mg.Graph.from_edges([0, 1, 1], [1, 1, 2], num_vertices=4, device=device)
    pairs = [(0, 0), (1, 1), (3, 3), (0, 3)]
    assert mg.similarity(graph, pairs).score.tolist() == [1, 1, 0, 0]
    assert mg.similarity(graph, pairs, measure="cosine").score.tolist() == [1, 1, 0, 0]
    found = mg.similarity(graph, pairs, measure="adamic_adar").score.tolist()
    assert found == pytest.approx([1 / math.log(2), math.inf, 0, 0])
    assert mg.similarity(graph, pairs, measure="preferential_attachment").score.tolist() == [1, 4, 0, 0]


def test_bad_input(device):
    graph = mg.generate.path(4, device=device)
    with pytest.raises(ProblemError, match=r"frontier holds id 4, but there are 4 vertices"):
        mg.similarity(graph, [(0, 4)])
    changed = mg.DynamicGraph.from_graph(graph)
    changed.delete_vertices([2])
    with pytest.raises(GraphError, match=r"pairs\[1\] is 2, which was deleted"):
        mg.similarity(changed, [(0, 1), (0, 2)])
    with pytest.raises(ProblemError, match=r"takes a frontier of pairs, got one of vertices"):
        mg.similarity(graph, mg.Frontier.of([1]))
    with pytest.raises(ProblemError, match=r"weighted=True goes with measure='jaccard' or"):
        mg.similarity(graph, measure="adamic_adar", weighted=True)
    with pytest.raises(GraphError, match="needs weights"):
        mg.most_similar(graph, 2, weighted=True)
    for directed, edges in ((True, [(0, 1)]), (False, [(0, 1), (0, 1)]), (False, [(1, 1)])):
        other = mg.Graph.from_edges(*np.array(edges).T, np.ones(len(edges)), directed=directed, device=device)
        with pytest.raises(GraphError, match="needs an undirected graph without parallel edges and self-loops"):
            mg.similarity(other, weighted=True)
    for k in (0, -1, 2.5, "a"):
        with pytest.raises(GraphError, match="most_similar: k must be"):
            mg.most_similar(graph, k)
    with pytest.raises(GraphError, match="vertices"):
        mg.most_similar(graph, 1, vertices=[4])
