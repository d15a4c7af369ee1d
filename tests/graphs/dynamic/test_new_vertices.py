"""Vertices that are inserted together with edges."""

import numpy as np
import pytest

import minigr as mg
from minigr.device import CPU
from minigr.errors import GraphError
from minigr.graphs.dynamic import DynamicGraph, update
from tests.graphs.dynamic.oracle import Oracle, arcs_of, check
from tests.graphs.dynamic.trials import check_whole_without_room, state


@pytest.mark.parametrize("weighted", [False, True], ids=["", "weighted"])
@pytest.mark.parametrize("directed", [True, False], ids=["directed", "undirected"])
def test_edges_among_new_vertices_and_to_old_ones(device, directed, weighted):
    graph = DynamicGraph(5, directed=directed, weighted=weighted, in_edges=directed, device=device)
    oracle = Oracle(5, directed, weighted)
    graph.delete_vertices([1, 3])
    oracle.delete_vertices([1, 3])
    rng = np.random.default_rng(4)
    src, dst = rng.choice([0, 2, 4, *(~j for j in range(40))], (2, 900))
    weights = np.arange(900, dtype=np.float32) if weighted else None
    ids = graph.insert_vertices(40, src, dst, weights)
    want = oracle.insert_vertices(40)
    assert CPU.asarray(ids).tolist() == want == [1, 3, *range(5, 43)]
    named = ([want[~end] if end < 0 else end for end in ends.tolist()] for ends in (src, dst))
    oracle.insert(*named, None if weights is None else weights.tolist())
    check(graph, oracle)


def test_arrays_on_the_device_are_left_as_they_are(device):
    graph = DynamicGraph(2, device=device)
    src = graph._device.asarray(np.array([~0, ~1], np.int32))
    dst = graph._device.asarray(np.array([0, ~0], np.int32))
    assert graph.insert_vertices(2, src, dst).tolist() == [2, 3]
    assert (src.tolist(), dst.tolist()) == ([-1, -2], [0, -1])
    assert set(arcs_of(graph.to_graph())) == {(2, 0), (3, 2)}


def test_they_are_no_ends_that_were_deleted(device):
    graph = DynamicGraph(3, device=device)
    graph.delete_vertices([0])
    assert graph.insert_vertices(2, [~0, ~1], [~1, 2]).tolist() == [0, 3]
    assert set(arcs_of(graph.to_graph())) == {(0, 3), (3, 2)}


def test_an_answer_notices_them(device):
    graph = mg.DynamicGraph.from_edges([0, 1], [1, 2], directed=False, device=device)
    search = mg.dynamic.BFS(graph, 0)
    graph.insert_vertices(2, [~0, ~1], [2, ~0])
    assert search.depth.tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ((2, [~2], [0]), r"src\[0\] is -3, which is ~2: the new vertices are ~0 to ~1"),
        ((2, [0], [~0 - 9]), r"dst\[0\] is -10, which is ~9"),
        ((0, [~0], [0]), r"src\[0\] is -1: vertex ids must not be negative"),
        ((2, [~0, 4], [0, 0]), r"src\[1\] is 4, but num_vertices is 4"),
        ((2, [~0, ~1], [0]), "src has length 2, but dst has length 1"),
        ((2, [~0], None), "edges of new vertices need src and dst"),
        ((2, None, None, [1.0]), "edges of new vertices need src and dst"),
        ((2, [~0], [3]), r"dst\[0\] is 3, a vertex that was deleted"),
        ((2, [~0], [0], [1.0]), "the graph has no weights"),
        ((2, [0.5], [0]), "src must hold integer vertex ids"),
    ],
)
def test_what_is_refused_changes_nothing(device, arguments, named):
    graph = DynamicGraph.from_edges([0, 1], [1, 2], num_vertices=4, device=device)
    graph.delete_vertices([3])
    before = arcs_of(graph.to_graph()), graph.num_vertices, graph.num_live_vertices
    with pytest.raises(GraphError, match=named):
        graph.insert_vertices(*arguments)
    assert (arcs_of(graph.to_graph()), graph.num_vertices, graph.num_live_vertices) == before


def insert_in_vain(monkeypatch, graph, *arguments):
    """Insert vertices with edges in a batch that is undone after the edges are inserted."""
    put = update.insert

    def fails(*arguments, **options):
        put(*arguments, **options)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(update, "insert", fails)
        with pytest.raises(KeyboardInterrupt):
            graph.insert_vertices(*arguments)


@pytest.mark.parametrize("directed", [True, False], ids=["directed", "undirected"])
def test_a_batch_that_is_undone_leaves_no_slabs_behind(device, directed, monkeypatch):
    """If anything raises after the edges are inserted, the vertices are gone, and the next batch gets their slabs."""
    graph = DynamicGraph(6, directed=directed, in_edges=True, device=device)
    oracle = Oracle(6, directed)
    src, dst = np.random.default_rng(2).integers(-60, 6, (2, 6000))  # enough edges that vertices move
    insert_in_vain(monkeypatch, graph, 60, src, dst)
    check(graph, oracle)
    check(graph.copy(), oracle)
    assert graph.insert_edges([0, 5], [5, 1]) == 2
    oracle.insert([0, 5], [5, 1])
    check(graph, oracle)
    in_use = sum(one.slabs.in_use for one in graph._directions)
    assert in_use <= 2 * 6 * len(graph._directions)
    ids = graph.insert_vertices(60, src, dst)
    assert CPU.asarray(ids).tolist() == oracle.insert_vertices(60)
    oracle.insert(*(np.where(ends < 0, 6 + ~ends, ends).tolist() for ends in (src, dst)))
    check(graph, oracle)


def test_no_room_to_free_the_slabs_of_a_batch_that_was_undone(device, monkeypatch):
    graph = DynamicGraph(6, device=device)
    insert_in_vain(monkeypatch, graph, 60, [~0, ~1], [0, ~0])
    more = graph.copy()
    more.insert_vertices(3)
    check_whole_without_room(graph, lambda trial: trial.insert_vertices(3), device, range(200), state, state(more))
