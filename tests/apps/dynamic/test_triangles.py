"""Triangles that follow a graph: after every batch the count of the static app."""

import numpy as np
import pytest

import minigr as mg
from minigr.device import CPU
from minigr.errors import GraphError
from tests.apps.dynamic.batches import KINDS, replay, start


def is_triangles(answer, per_vertex=True):
    found = mg.triangle_count(answer.graph, per_vertex=True)
    assert answer.total == found.total
    if per_vertex:
        np.testing.assert_array_equal(CPU.asarray(answer.per_vertex), CPU.asarray(found.per_vertex))


@pytest.mark.parametrize("directed", [False, True], ids=["undirected", "directed"])
@pytest.mark.parametrize("kind", KINDS[:-1])
def test_after_every_batch(device, kind, directed):
    graph = start(kind, np.random.default_rng(11), directed, None, device)
    answer, totals = mg.dynamic.TriangleCount(graph, recompute="never"), set()
    search = mg.bfs(graph, 0)

    def check():
        is_triangles(answer, per_vertex=kind != "mixed" or len(totals) > 4)  # begun in the midst of the sequence
        totals.add(answer.total)

    updates = replay(kind, answer, check, 12, 24, lambda: search.parent)
    assert {update.kind for update in updates} == {"repair"}
    assert len(totals) > 3 or kind == "path"


@pytest.mark.parametrize("directed", [False, True], ids=["undirected", "directed"])
def test_batches_whose_edges_are_triangles(device, directed):
    """All triangles come and go with one, two or three of their edges in one batch, some of them given twice."""
    n = 12
    graph = mg.DynamicGraph(n, directed=directed, device=device)
    answer = mg.dynamic.TriangleCount(graph, recompute="never")
    src, dst = np.triu_indices(n, 1)
    answer.insert_edges(np.append(src, dst[:9]), np.append(dst, src[:9]))
    assert answer.total == n * (n - 1) * (n - 2) // 6
    is_triangles(answer)
    rng = np.random.default_rng(1)
    for size in (1, 2, 5, 20, 60):
        some = rng.integers(0, len(src), size)
        turned = rng.random(size) < 0.5
        ends = np.where(turned, src[some], dst[some]), np.where(turned, dst[some], src[some])
        answer.delete_edges(*ends)
        is_triangles(answer)
        answer.insert_edges(*ends)
        is_triangles(answer)
    star = np.zeros(n, int), np.arange(n)  # with a self-loop, which makes none
    answer.delete_edges(*star)
    is_triangles(answer)
    answer.insert_edges(*star)
    is_triangles(answer)


def test_only_what_changed_is_counted(device):
    graph = mg.DynamicGraph.from_graph(mg.generate.complete(40, device=device))
    answer = mg.dynamic.TriangleCount(graph)
    answer.delete_edges([3, 3], [5, 5])
    assert (answer.last_update.kind, answer.last_update.touched, answer.last_update.edges) == ("repair", 2, 1)
    answer.delete_edges(np.zeros(40, int), np.arange(40))
    answer.insert_edges(*np.triu_indices(40, 1))
    assert (answer.last_update.kind, answer.last_update.reason) == ("recomputation", "the batch is large")
    is_triangles(answer)
    graph.delete_vertices([7])
    graph.insert_vertices(5)
    is_triangles(answer)
    assert answer.last_update.reason == "the graph was changed elsewhere"
    answer.insert_edges([43, 43], [1, 2])
    is_triangles(answer)


def test_a_refused_batch_changes_nothing(device):
    graph = mg.DynamicGraph.from_graph(mg.generate.complete(5, device=device))
    answer = mg.dynamic.TriangleCount(graph, recompute="never")
    for change in (answer.insert_edges, answer.delete_edges):
        with pytest.raises(GraphError, match="pass ids below"):
            change(device_ids(device, [0, 7]), device_ids(device, [1, 1]))
        assert (answer.total, graph.num_edges) == (10, 10)
    is_triangles(answer)


def device_ids(device, ids):
    """As int32 on the device, which ids are not looked at before the kernels do."""
    return mg.device.resolve(device).asarray(np.array(ids, np.int32))
