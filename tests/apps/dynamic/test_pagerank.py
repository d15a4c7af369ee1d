"""PageRank that follows a graph: after every batch as good as the static app's."""

import numpy as np
import pytest

import minigr as mg
from minigr.device import CPU
from minigr.errors import GraphError, ProblemError
from tests.apps.dynamic.batches import KINDS, N, replay, start
from tests.verifiers import check_pagerank

DTYPES = {"parts": "float32", "weights": "float32"}
TOL = 1e-11


def is_pagerank(answer, personalization=None, tol=TOL):
    graph = answer.graph
    assert answer.converged
    found = mg.pagerank(graph, tol=tol, max_iter=500, personalization=personalization)
    np.testing.assert_allclose(CPU.asarray(answer.rank), CPU.asarray(found.rank), rtol=0, atol=10 * tol * N)
    if graph.num_live_vertices == graph.num_vertices:
        check_pagerank(graph.to_graph(), answer.rank, tol=tol, personalization=personalization)


@pytest.mark.parametrize("directed", [False, True], ids=["undirected", "directed"])
@pytest.mark.parametrize("kind", KINDS)
def test_after_every_batch(device, kind, directed):
    graph = start(kind, np.random.default_rng(7), directed, DTYPES.get(kind), device)
    preferences = np.arange(N) % 3 if kind == "mixed" else None
    answer = mg.dynamic.PageRank(graph, tol=TOL, max_iter=500, personalization=preferences, recompute="never")
    search = mg.bfs(graph, 0)
    updates = replay(
        kind, answer, lambda: is_pagerank(answer, preferences), 8, 16, lambda: search.parent, DTYPES.get(kind)
    )
    assert {update.kind for update in updates} == {"repair"}
    assert max(update.touched for update in updates) > 0


def test_a_coarse_tolerance_keeps_a_change_local(device):
    """On a long path what an edge at one end changes fades out; the ranks of the other end are not looked at."""
    graph = mg.DynamicGraph.from_graph(mg.generate.path(2000, device=device))
    answer = mg.dynamic.PageRank(graph, tol=1e-9, max_iter=500)
    first = answer.iterations
    answer.insert_edges([3], [6])
    assert answer.last_update.kind == "repair"
    assert 6 < answer.last_update.touched < 200
    assert answer.iterations < first / 4
    rank = CPU.asarray(answer.rank)
    assert rank[6] > 1.2 * rank[1000]
    np.testing.assert_allclose(rank, CPU.asarray(mg.pagerank(graph, tol=1e-12, max_iter=500).rank), atol=1e-5)


def test_when_it_is_computed_anew(device):
    graph = mg.DynamicGraph.from_graph(mg.generate.star(N, device=device))
    answer = mg.dynamic.PageRank(graph, tol=TOL, max_iter=500)
    answer.insert_edges([3], [4])
    assert answer.last_update.kind == "repair"
    answer.delete_edges([0], [5])  # the hub's other neighbors get more
    assert (answer.last_update.kind, answer.last_update.touched) == ("repair", N)  # in iterations over all vertices
    is_pagerank(answer)
    answer.insert_edges(np.arange(30), np.arange(40, 70))
    assert (answer.last_update.kind, answer.last_update.reason) == ("recomputation", "the batch is large")
    is_pagerank(answer)
    graph.delete_vertices([7])
    graph.insert_vertices(2)
    is_pagerank(answer)
    assert answer.last_update.reason == "the graph was changed elsewhere"


@pytest.mark.parametrize("make", [np.array, lambda shares: dict(enumerate(shares))], ids=["array", "mapping"])
def test_preferences_that_the_caller_changes_later(device, make):
    graph = mg.DynamicGraph.from_graph(mg.generate.path(4, device=device))
    preferences = make([1.0, 0.0, 0.0, 0.0])
    answer = mg.dynamic.PageRank(graph, tol=TOL, max_iter=500, personalization=preferences, recompute="always")
    preferences[0], preferences[3] = 0.0, 1.0
    answer.insert_edges([0], [2])
    expected = mg.pagerank(graph, tol=TOL, max_iter=500, personalization={0: 1.0}).rank
    np.testing.assert_allclose(CPU.asarray(answer.rank), CPU.asarray(expected), atol=1e-8)


def test_what_is_refused(device):
    graph = mg.DynamicGraph.from_edges([0, 1], [1, 2], [1.0, 1.0], directed=False, device=device)
    answer = mg.dynamic.PageRank(graph)
    with pytest.raises(GraphError, match=r"weights\[0\] is -1.0: dynamic.PageRank needs finite weights"):
        answer.insert_edges([0], [2], [-1.0])
    assert graph.num_edges == 2
    with pytest.raises(ProblemError, match=r"dynamic.PageRank: damping=1 must be"):
        mg.dynamic.PageRank(graph, damping=1)
    with pytest.raises(ProblemError, match=r"dynamic.PageRank: tol=0 must be"):
        mg.dynamic.PageRank(graph, tol=0)


def test_an_iteration_that_is_cut_short_says_so(device):
    graph = mg.DynamicGraph.from_graph(mg.generate.path(50, device=device))
    answer = mg.dynamic.PageRank(graph, tol=1e-14, max_iter=2)
    assert not answer.converged
    assert answer.iterations == 2
