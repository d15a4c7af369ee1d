"""The ready algorithms over parts: their answers are those on one device."""

from functools import partial

import numpy as np
import pytest

import minigr as mg
from minigr.apps.pagerank import transition
from minigr.errors import FunctorError, ProblemError
from tests.battery import TO_COMPILE_FOR

CASES = [(1, "auto"), (2, "ranges"), (3, "hash"), (4, "auto")]


@pytest.fixture(params=TO_COMPILE_FOR, ids=[name for name, _ in TO_COMPILE_FOR])
def graph(request):
    return request.param[1]("cpu")


def in_parts(graph, devices):
    """The graph in one, two, three and four parts."""
    return [mg.PartitionedGraph.from_graph(graph, devices=devices(count), deal=deal) for count, deal in CASES]


def check_tree(graph, value, parent, lengths):
    """Check that each parent is a neighbor, and that the path through it is as long as a shortest path."""
    for vertex in np.flatnonzero(parent >= 0):
        row = slice(graph.offsets[parent[vertex]], graph.offsets[parent[vertex] + 1])
        ways = value[parent[vertex]] + (1 if lengths is None else lengths[row])
        assert ((graph.indices[row] == vertex) & (ways == value[vertex])).any()


def test_searches(graph, devices):
    if graph.num_vertices == 0:
        return
    sources = [0, graph.num_vertices // 2] if graph.num_vertices > 2 else 0
    found = mg.bfs(graph, sources)
    for parts in in_parts(graph, devices):
        result = mg.bfs(parts, sources)
        assert (result.depth.gather() == found.depth).all()
        assert (result.parent.gather() >= 0).sum() == (found.depth > 0).sum()
        check_tree(graph, found.depth, result.parent.gather(), None)
        assert result.iterations == found.iterations
        if graph.weighted:
            paths, wanted = mg.sssp(parts, sources), mg.sssp(graph, sources)
            assert (paths.distance.gather() == wanted.distance).all()
            assert ((paths.parent.gather() < 0) == (wanted.parent < 0)).all()
            check_tree(graph, wanted.distance, paths.parent.gather(), graph.weights)


def test_ranks(graph, devices):
    ranks, scores = mg.pagerank(graph), mg.hits(graph)
    for parts in in_parts(graph, devices):
        found = mg.pagerank(parts)
        assert np.allclose(found.rank.gather(), ranks.rank, rtol=1e-6, atol=0)
        assert (found.iterations, found.converged) == (ranks.iterations, ranks.converged)
        hits = mg.hits(parts)
        assert np.allclose(hits.hub.gather(), scores.hub)
        assert np.allclose(hits.authority.gather(), scores.authority)
    assert np.allclose(mg.pagerank(parts, method="push").rank.gather(), ranks.rank, rtol=1e-5)


@pytest.mark.parametrize("weights", [None, (1, 9)])
@pytest.mark.parametrize("directed", [False, True])
def test_ranks_of_a_large_graph_with_hubs(directed, weights, devices, monkeypatch):
    """PageRank numbers the vertices by degree."""
    monkeypatch.setattr(transition, "_LARGE", {"cpu": 1, "cuda": 1})
    monkeypatch.setattr(transition, "_SKEWED", 1)
    graph = mg.generate.rmat(8, directed=directed, weights=weights, device="cpu")
    preferred = np.arange(graph.num_vertices)
    for parts in in_parts(graph, devices):
        for personalization in (None, preferred):
            found = mg.pagerank(parts, personalization=personalization)
            wanted = mg.pagerank(graph, personalization=personalization)
            assert np.allclose(found.rank.gather(), wanted.rank, rtol=1e-6, atol=0)
            assert found.rank.graph is parts
        assert "by_degree" in parts.kept
        parts.drop("by_degree")


@pytest.mark.parametrize(
    "app", [mg.eigenvector_centrality, mg.katz_centrality, partial(mg.katz_centrality, alpha=1e-4)]
)
def test_scores(app, graph, devices):
    whole = app(graph)
    for parts in in_parts(graph, devices):
        found = app(parts)
        assert np.allclose(found.score.gather(), whole.score)
        assert (found.iterations, found.converged) == (whole.iterations, whole.converged)


def test_components(graph, devices):
    components = mg.connected_components(graph)
    for parts in in_parts(graph, devices):
        found = mg.connected_components(parts)
        assert (found.label.gather() == components.label).all()
        assert found.num_components == components.num_components


@pytest.mark.parametrize("bridged", [False, True])
def test_components_whose_only_edge_goes_from_giant_to_giant(devices, bridged):
    """Each part samples its own giant component, and skips its rows; the edge between both is in no sample."""
    count = 2_000
    empty = mg.Graph.from_edges([], [], num_vertices=count, device="cpu")
    owners = mg.PartitionedGraph.from_graph(empty, devices=devices(2), deal="hash").deal.owners(np.arange(count))
    draw = np.random.default_rng(7)
    sides = [np.flatnonzero(owners == part) for part in (0, 1)]
    src, dst = np.concatenate([draw.choice(side, (2, 10 * count)) for side in sides], axis=1)
    bridge = [side[-1:] if bridged else side[:0] for side in sides]
    graph = mg.Graph.from_edges(np.append(src, bridge[0]), np.append(dst, bridge[1]), num_vertices=count, device="cpu")
    found = mg.connected_components(mg.PartitionedGraph.from_graph(graph, devices=devices(2), deal="hash"))
    assert found.num_components == 1 + (not bridged)
    assert (found.label.gather() == mg.connected_components(graph).label).all()


def test_triangles(graph, devices):
    if graph.directed:
        return
    whole = mg.triangle_count(graph, clustering=True)
    for parts in in_parts(graph, devices):
        found = mg.triangle_count(parts, clustering=True)
        assert found.total == mg.triangle_count(parts).total == whole.total
        assert (found.per_vertex.gather() == whole.per_vertex).all()
        assert np.allclose(found.clustering.gather(), whole.clustering)
        assert found.transitivity == whole.transitivity


def test_labels(graph, devices):
    if graph.directed:
        return
    communities = mg.label_propagation(graph)
    for parts in in_parts(graph, devices):
        labels = mg.label_propagation(parts)
        assert (labels.label.gather() == communities.label).all()
        assert (labels.num_communities, labels.iterations) == (communities.num_communities, communities.iterations)


def test_a_trace_counts_what_all_parts_do_and_send(devices):
    graph = mg.generate.rmat(9, 6, seed=2, weights=(1, 9), device="cpu")
    parts = mg.PartitionedGraph.from_graph(graph, devices=devices(3), deal="hash")
    hub = int(graph.degree().argmax())
    whole, traced = (mg.bfs(each, hub, direction="push", trace=True).trace for each in (graph, parts))
    for row, alone in zip(traced, whole, strict=True):
        assert (row.frontier, row.output, row.edges) == (alone.frontier, alone.output, alone.edges)
    assert all(row.sent > 0 for row in traced.rows[:2])  # later steps may find few new vertices
    assert all(0 < row.exchange_milliseconds < row.milliseconds for row in traced)
    assert all(row.sent == row.exchange_milliseconds == 0 for row in whole)
    lines = str(traced).splitlines()
    assert "sent, B" in lines[0]
    assert str(traced.rows[1].sent) in lines[2]
    for direction in ("push", "pull"):
        found = mg.connected_components(parts, direction=direction, trace=True)
        assert [row.direction for row in found.trace] == [direction] * found.iterations
        assert found.trace.rows[0].sent > 0
    ranks = mg.pagerank(parts, max_iter=3, tol=1e-30, trace=True).trace
    assert [(row.frontier, row.edges) for row in ranks] == 3 * [(graph.num_vertices, graph.num_arcs)]
    alone = mg.bfs(mg.PartitionedGraph.from_graph(graph, devices=devices(1)), hub, trace=True)
    assert all(row.sent == 0 for row in alone.trace)


def test_pulls_are_those_of_one_device(devices):
    graph = mg.generate.rmat(9, 8, seed=2, device="cpu")
    hub = int(graph.degree().argmax())
    whole = mg.bfs(graph, hub, trace=True)
    assert "pull" in [row.direction for row in whole.trace]
    for make in (mg.PartitionedGraph, mg.PartitionedDynamicGraph):
        for count, deal in CASES:
            found = mg.bfs(make.from_graph(graph, devices=devices(count), deal=deal), hub, trace=True)
            for row, alone in zip(found.trace, whole.trace, strict=True):
                assert (row.frontier, row.output, row.direction) == (alone.frontier, alone.output, alone.direction)
            assert (found.depth.gather() == whole.depth).all()
            check_tree(graph, whole.depth, found.parent.gather(), None)


def test_what_an_option_asks_for_is_done_or_refused(devices):
    graph = mg.generate.rmat(6, 4, seed=1, directed=True, device="cpu")
    parts = mg.PartitionedGraph.from_graph(graph, devices=devices(2))
    preferred = np.arange(graph.num_vertices)
    ranks = mg.pagerank(parts, personalization=preferred).rank.gather()
    assert np.allclose(ranks, mg.pagerank(graph, personalization=preferred).rank)
    for balance in ("thread", "merge"):
        assert (mg.bfs(parts, 0, balance=balance).depth.gather() == mg.bfs(graph, 0).depth).all()
    refused = [
        (
            lambda: mg.bfs(parts, 0, direction="pull"),
            ProblemError,
            "pulls for the frontier of all vertices",
        ),
        (lambda: mg.bfs(parts, 0, driver="graph"), ProblemError, "driver='graph' is not for a graph in parts"),
        (lambda: mg.pagerank(parts, method="residual"), FunctorError, r"push.py:\d+\) uses what atomic_add returns"),
        (lambda: mg.connected_components(parts, direction="pull"), ProblemError, "takes an undirected graph"),
        (lambda: mg.triangle_count(parts), ProblemError, "over a PartitionedGraph takes undirected edges"),
        (lambda: mg.triangle_count(parts, trace=True), ProblemError, "trace=True is not for a graph in parts"),
        (lambda: mg.label_propagation(parts), ValueError, "the PartitionedGraph is directed"),
    ]
    for call, error, message in refused:
        with pytest.raises(error, match=message):
            call()


def test_parents_of_shortest_paths_are_found_when_they_are_asked_for(devices):
    graph = mg.Graph.from_edges([0, 0, 1, 2], [1, 2, 3, 3], [1.0, 2.0, 5.0, 1.0], num_vertices=5, device="cpu")
    parts = mg.PartitionedGraph.from_graph(graph, devices=devices(2))
    found = mg.sssp(parts, 0)
    assert found.parent.gather().tolist() == [-1, 0, 0, 2, -1]
    changed = mg.sssp(parts, 0)
    changed.distance[3] = 9.0
    with pytest.raises(ProblemError, match="changed after the search"):
        changed.path_to(3)
    changing = mg.PartitionedDynamicGraph.from_graph(graph, devices=devices(2))
    before = mg.sssp(changing, 0)
    changing.delete_edges([0], [2])
    assert before.parent.gather().tolist() == [-1, 0, 0, 2, -1]
