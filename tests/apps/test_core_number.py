"""Core numbers, over the battery and against graphs whose cores are known."""

import networkx as nx
import numpy as np
import pytest

import minigr as mg
from minigr.device import CPU, resolve
from tests.apps.whoever_runs_it import check_drivers
from tests.layouts import slabs_of
from tests.verifiers import check_core_number


def test_battery(graph):
    result = mg.core_number(graph)
    assert isinstance(result.core, resolve(graph.device).xp.ndarray)
    check_core_number(graph, result.core, result.degeneracy)


@pytest.mark.parametrize("directed", [False, True])
def test_over_slabs(device, directed):
    rows = mg.generate.rmat(9, 8, seed=1, directed=directed, device=device)
    result = mg.core_number(slabs_of(rows))
    check_core_number(rows, result.core, result.degeneracy)


@pytest.mark.parametrize("in_edges", [False, True])
@pytest.mark.parametrize("directed", [False, True])
def test_answers_follow_updates(device, directed, in_edges):
    rows = mg.generate.rmat(7, 6, seed=3, directed=directed, device=device)
    graph = mg.DynamicGraph.from_graph(rows, in_edges=in_edges, allow_self_loops=True)
    gone = [0, 3, 40, 127]
    graph.delete_vertices(gone)
    for edges in ([], [(1, 1), (2, 2), (1, 2)], [(5, 6), (6, 7), (7, 5), (5, 8)]):
        graph.insert_edges([u for u, _ in edges], [v for _, v in edges])
        result = mg.core_number(graph)
        check_core_number(graph.to_graph(), result.core, result.degeneracy)
        assert not CPU.asarray(result.core)[gone].any()
    graph.delete_vertices(CPU.asarray(graph.live_vertices()))
    result = mg.core_number(graph)
    assert (CPU.asarray(result.core).tolist(), result.degeneracy) == ([0] * graph.num_vertices, 0)


@pytest.mark.parametrize("threads", ["1", "2", "5"])
@pytest.mark.parametrize("directed", [False, True])
def test_the_same_whoever_runs_it(device, directed, threads, monkeypatch):
    graph = mg.generate.rmat(13, 16, seed=5, directed=directed, device=device)
    simple = graph.to_networkx().to_undirected()
    simple.remove_edges_from(list(nx.selfloop_edges(simple)))
    cores = nx.core_number(nx.Graph(simple))
    expected = np.array([cores[v] for v in range(graph.num_vertices)])
    monkeypatch.setenv("MINIGR_NUM_THREADS", threads)
    check_drivers(mg.core_number, lambda result: result.core, graph, expected)


def test_levels_without_vertices_are_skipped(device):
    """A clique has one core number, far above the other's, and a tail is peeled vertex by vertex."""
    clique, tail = nx.complete_graph(1000), nx.path_graph(range(999, 1100))
    graph = mg.Graph.from_networkx(nx.compose(clique, tail), device=device)
    result = mg.core_number(graph)
    assert CPU.asarray(result.core).tolist() == [999] * 1000 + [1] * 100
    assert (result.degeneracy, result.iterations) == (999, 102)


def test_parallel_edges_count_once_and_self_loops_never(device):
    src, dst = [0, 0, 0, 1, 1, 2, 2, 3], [1, 1, 1, 0, 2, 2, 3, 3]
    for directed in (False, True):
        result = mg.core_number(mg.Graph.from_edges(src, dst, directed=directed, device=device))
        assert CPU.asarray(result.core).tolist() == [1, 1, 1, 1]


def test_the_graph_is_left_as_it_was(device):
    graph = mg.Graph.from_edges([0, 0, 1, 1], [1, 1, 2, 1], device=device)
    before = CPU.asarray(graph.indices).copy()
    mg.core_number(graph)
    np.testing.assert_array_equal(CPU.asarray(graph.indices), before)
