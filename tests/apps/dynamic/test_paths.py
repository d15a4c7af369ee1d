"""BFS and SSSP that follow a graph: after every batch the answer of the static app, which other tests verify."""

import numpy as np
import pytest

import minigr as mg
from minigr.apps.dynamic.common.patience import Patience
from minigr.device import CPU
from minigr.errors import GraphError, ProblemError
from tests.apps.dynamic.batches import KINDS, replay, start
from tests.verifiers import check_bfs, check_sssp

DTYPES = {kind: "int64" if kind == "weights" else "float32" for kind in KINDS}  # each dtype is programs of its own


def is_bfs(search):
    graph = search.graph
    np.testing.assert_array_equal(CPU.asarray(search.depth), CPU.asarray(mg.bfs(graph, search.source).depth))
    if graph.num_live_vertices == graph.num_vertices:
        check_bfs(graph.to_graph(), search.source, search.depth, search.parent)


def is_sssp(paths):
    graph = paths.graph
    np.testing.assert_array_equal(CPU.asarray(paths.distance), CPU.asarray(mg.sssp(graph, paths.source).distance))
    if graph.num_live_vertices == graph.num_vertices:
        check_sssp(graph.to_graph(), paths.source, paths.distance, paths.parent)


@pytest.mark.parametrize("directed", [False, True], ids=["undirected", "directed"])
@pytest.mark.parametrize("kind", KINDS[:-1])
def test_bfs_after_every_batch(device, kind, directed):
    graph = start(kind, np.random.default_rng(1), directed, None, device)
    search = mg.dynamic.BFS(graph, 0, recompute="never")
    is_bfs(search)
    updates = replay(kind, search, lambda: is_bfs(search), 2, 24, lambda: search.parent)
    assert {update.kind for update in updates} == {"repair"}
    assert max(update.touched for update in updates) > 0


@pytest.mark.parametrize("directed", [False, True], ids=["undirected", "directed"])
@pytest.mark.parametrize("kind", KINDS)
def test_sssp_after_every_batch(device, kind, directed):
    graph = start(kind, np.random.default_rng(3), directed, DTYPES[kind], device)
    paths = mg.dynamic.SSSP(graph, 0, recompute="never")
    is_sssp(paths)
    updates = replay(kind, paths, lambda: is_sssp(paths), 4, 24, lambda: paths.parent, DTYPES[kind])
    assert {update.kind for update in updates} == {"repair"}
    assert max(update.touched for update in updates) > 0


def test_only_what_changed_is_touched(device):
    graph = mg.DynamicGraph.from_graph(mg.generate.path(200, device=device))
    search = mg.dynamic.BFS(graph, 0)
    search.delete_edges([190], [191])
    assert (search.last_update.kind, search.last_update.touched, search.last_update.edges) == ("repair", 9, 1)
    assert search.depth[191] == -1
    search.insert_edges([185, 3], [195, 2])
    assert (search.last_update.touched, search.last_update.edges) == (9, 1)
    search.delete_edges([5], [9])  # no edge
    assert (search.last_update.kind, search.last_update.touched, search.last_update.edges) == ("repair", 0, 0)
    is_bfs(search)


def test_what_was_given_up_does_not_count_later(device, monkeypatch):
    """A batch is given up for what it touches itself, not for what others before it did that were given up, too."""
    monkeypatch.setattr(Patience, "is_tried", lambda *_: True)  # however many were given up
    graph = mg.DynamicGraph.from_graph(mg.generate.path(400, device=device))
    search = mg.dynamic.BFS(graph, 0)
    for _ in range(4):
        search.delete_edges([100], [101])
        assert search.last_update.reason == "the batch reaches far"
        search.insert_edges([100], [101])
        assert search.last_update.reason == "the batch reaches far"
        is_bfs(search)
    search.delete_edges([390], [391])
    assert (search.last_update.kind, search.last_update.touched) == ("repair", 9)
    search.insert_edges([390], [391])
    assert (search.last_update.kind, search.last_update.touched) == ("repair", 9)
    is_bfs(search)


def test_an_interrupted_batch_does_not_count_later(device, monkeypatch):
    graph = mg.DynamicGraph.from_graph(mg.generate.path(400, device=device))
    search = mg.dynamic.BFS(graph, 0, recompute="never")

    def run(self, *arguments):
        mg.Enactor.run(self, *arguments)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(type(search._climb), "run", run)
        with pytest.raises(KeyboardInterrupt):
            search.delete_edges([2], [3])
    assert bool(graph.has_edges([2], [3])[0])
    is_bfs(search)
    search.delete_edges([2], [3])
    assert (search.last_update.kind, search.last_update.touched) == ("repair", 397)
    search.delete_edges([1], [2])
    assert (search.last_update.kind, search.last_update.touched) == ("repair", 1)
    is_bfs(search)
    search.insert_edges([1, 2], [2, 3])
    assert (search.last_update.kind, search.last_update.touched) == ("repair", 398)
    is_bfs(search)


def test_what_takes_many_steps_is_given_up(device):
    """A chain that hung by both its ends loses one of them: few vertices, but as many steps."""
    n, length = 4000, 400
    chain = np.arange(n - length, n)
    src = np.concatenate([np.zeros(n - length - 1, int), chain[:-1], [0, 0]])
    dst = np.concatenate([np.arange(1, n - length), chain[1:], chain[[0, -1]]])
    graph = mg.DynamicGraph.from_edges(src, dst, num_vertices=n, directed=False, device=device)
    search, patient = mg.dynamic.BFS(graph, 0), mg.dynamic.BFS(graph, 0, recompute="never")
    search.delete_edges([0], [n - 1])
    assert (search.last_update.kind, search.last_update.reason) == ("recomputation", "the batch reaches far")
    is_bfs(search)
    search.insert_edges([0], [n - 1])
    assert (search.last_update.kind, search.last_update.reason) == ("recomputation", "the batch reaches far")
    assert patient.depth[n - 1] == 1
    patient.delete_edges([0], [n - 1])
    assert (patient.last_update.kind, patient.last_update.touched) == ("repair", length // 2)
    is_bfs(patient)


def test_when_it_is_computed_anew(device):
    graph = mg.DynamicGraph.from_graph(mg.generate.path(200, device=device))
    search = mg.dynamic.BFS(graph, 0)
    assert search.last_update.reason == "the first answer"
    search.insert_edges(np.zeros(30, int), np.arange(150, 180))
    assert (search.last_update.kind, search.last_update.reason) == ("recomputation", "the batch is large")
    is_bfs(search)
    search.delete_edges([20], [21])
    assert (search.last_update.kind, search.last_update.reason) == ("recomputation", "the batch reaches far")
    is_bfs(search)
    always = mg.dynamic.BFS(graph, 0, recompute="always")
    always.insert_edges([0], [2])
    assert (always.last_update.kind, always.last_update.reason) == ("recomputation", "recompute='always'")
    is_bfs(always)


def test_zero_weights_make_no_cycle(device):
    """All vertices of a ring are equally near; whichever of its edges goes, the parents lead to the source."""
    ring = np.arange(12)
    for directed in (False, True):
        both = (np.append(ring, 20), np.append((ring + 1) % 12, 3))
        graph = mg.DynamicGraph.from_edges(
            *both, np.append(np.zeros(12), 5.0), num_vertices=21, directed=directed, in_edges=True, device=device
        )
        paths = mg.dynamic.SSSP(graph, 20 if directed else 0, recompute="never")
        for gone in (0, 5, 11):
            paths.delete_edges([gone], [(gone + 1) % 12])
            is_sssp(paths)
            paths.insert_edges([gone], [(gone + 1) % 12], [0.0])
            is_sssp(paths)


def test_a_path_longer_than_floats_hold_is_none(device):
    weights = np.full(3, 1e308)
    graph = mg.DynamicGraph.from_edges([0, 1, 0], [1, 2, 2], weights, directed=False, device=device)
    paths = mg.dynamic.SSSP(graph, 0, recompute="never")
    paths.delete_edges([0], [2])
    assert CPU.asarray(paths.distance).tolist() == [0.0, 1e308, np.inf]
    assert CPU.asarray(paths.parent).tolist() == CPU.asarray(mg.sssp(graph, 0).parent).tolist() == [-1, 0, -1]


def test_changes_from_elsewhere_are_seen(device):
    graph = mg.DynamicGraph.from_edges(np.arange(9), np.arange(1, 10), np.ones(9), in_edges=True, device=device)
    paths, search = mg.dynamic.SSSP(graph, 0), mg.dynamic.BFS(graph, 0)
    paths.insert_edges([0], [9], [2.5])
    assert search.depth[9] == 1
    assert search.last_update.reason == "the graph was changed elsewhere"
    graph.insert_vertices(3)
    paths.insert_edges([9], [12], [1.0])
    assert paths.last_update.reason == "the graph was changed elsewhere"
    assert paths.distance[12] == 3.5
    graph.delete_vertices([9])
    is_sssp(paths)
    is_bfs(search)
    graph.delete_vertices([0])
    for use in (lambda: paths.distance, lambda: paths.insert_edges([1], [5], [1.0]), lambda: search.parent):
        with pytest.raises(GraphError, match="source 0 is not a vertex: it was deleted"):
            use()
    assert not graph.has_edges([1], [5])[0]


def test_a_refused_batch_changes_nothing(device):
    graph = mg.DynamicGraph.from_edges(
        [0, 1, 2], [1, 2, 3], [1.0, 1.0, 1.0], num_vertices=5, device=device, in_edges=True
    )
    paths = mg.dynamic.SSSP(graph, 0)
    version, last = graph.version, paths.last_update
    for weights, what in (
        ([1.0, -1.0], r"weights\[1\] is -1.0"),
        ([np.inf, 1.0], r"weights\[0\] is inf"),
        (None, "weight"),
    ):
        with pytest.raises(GraphError, match=what):
            paths.insert_edges([0, 0], [2, 3], weights)
    with pytest.raises(GraphError, match="pass ids below"):
        paths.insert_edges([0, 7], [2, 3], [0.25, 0.25])
    with pytest.raises(GraphError, match="pass ids below"):
        paths.delete_edges([0, 7], [1, 3])
    assert graph.num_edges == 3
    assert (graph.version, paths.last_update) == (version, last)
    assert CPU.asarray(paths.distance)[:4].tolist() == [0.0, 1.0, 2.0, 3.0]


def test_what_is_refused_at_the_start(device):
    rows = mg.generate.path(4, device=device)
    with pytest.raises(GraphError, match="follows a DynamicGraph, got Graph"):
        mg.dynamic.BFS(rows, 0)
    with pytest.raises(GraphError, match="make the graph with in_edges=True"):
        mg.dynamic.BFS(mg.DynamicGraph(4, device=device), 0)
    graph = mg.DynamicGraph.from_graph(rows)
    with pytest.raises(GraphError, match="needs weights"):
        mg.dynamic.SSSP(graph, 0)
    with pytest.raises(GraphError, match="source 4 is not a vertex"):
        mg.dynamic.BFS(graph, 4)
    with pytest.raises(ProblemError, match="recompute='often': use one of 'auto', 'always', 'never'"):
        mg.dynamic.BFS(graph, 0, recompute="often")
    with pytest.raises(ProblemError, match="delta=0"):
        mg.dynamic.SSSP(mg.DynamicGraph(3, weighted=True, in_edges=True, device=device), 0, delta=0)


def test_answers_are_copies(device):
    search = mg.dynamic.BFS(mg.DynamicGraph.from_graph(mg.generate.path(9, device=device)), 0)
    depth, parent = search.depth, search.parent
    depth[:], parent[:] = 7, 7
    search.insert_edges([0], [8])
    is_bfs(search)


def test_an_empty_batch(device):
    search = mg.dynamic.BFS(mg.DynamicGraph.from_graph(mg.generate.path(9, device=device)), 0)
    assert search.insert_edges([], []) == search.delete_edges([], []) == 0
    is_bfs(search)
