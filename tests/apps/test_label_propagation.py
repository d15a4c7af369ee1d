"""Label propagation, over the battery and against the same in plain Python."""

from functools import partial

import networkx as nx
import numpy as np
import pytest

import minigr as mg
from minigr.device import CPU, resolve
from minigr.errors import GraphError
from tests.apps import votes
from tests.apps.whoever_runs_it import check_drivers
from tests.layouts import slabs_of
from tests.verifiers import check_label_propagation


def test_battery(graph):
    result = mg.label_propagation(graph, seed=3)
    assert isinstance(result.label, resolve(graph.device).xp.ndarray)
    assert result.converged
    check_label_propagation(graph, result.label, result.num_communities)
    label, steps = votes.propagate(graph, seed=3)
    assert CPU.asarray(result.label).tolist() == label
    assert result.iterations == steps


@pytest.mark.parametrize(("directed", "dtype"), [(False, "int64"), (True, "float64")])
def test_over_slabs(device, directed, dtype):
    rows = mg.generate.rmat(8, 8, seed=1, directed=directed, weights=(1, 9), weight_dtype=dtype, device=device)
    result = mg.label_propagation(slabs_of(rows))
    assert CPU.asarray(result.label).tolist() == votes.propagate(rows)[0]


@pytest.mark.parametrize("directed", [False, True])
def test_deleted_vertices_are_in_no_community(device, directed):
    rows = mg.generate.rmat(7, 4, seed=3, directed=directed, device=device)
    graph = mg.DynamicGraph.from_graph(rows)
    gone = [0, 3, 40, 127]
    graph.delete_vertices(gone)
    result = mg.label_propagation(graph)
    expected = np.array(votes.propagate(graph.to_graph())[0])
    assert result.num_communities == len(np.unique(np.delete(expected, gone)))
    expected[gone] = -1
    np.testing.assert_array_equal(CPU.asarray(result.label), expected)
    graph.delete_vertices(CPU.asarray(graph.live_vertices()))
    result = mg.label_propagation(graph)
    assert (result.num_communities, CPU.asarray(result.label).max()) == (0, -1)


@pytest.mark.parametrize("threads", ["1", "2", "5"])
@pytest.mark.parametrize("directed", [False, True])
def test_the_same_whoever_runs_it(device, directed, threads, monkeypatch):
    graph = mg.generate.rmat(12, 16, seed=5, directed=directed, device=device)
    monkeypatch.setenv("MINIGR_NUM_THREADS", threads)
    expected = votes.propagate(graph, seed=9)[0]
    check_drivers(partial(mg.label_propagation, seed=9), lambda result: result.label, graph, expected)


def test_cliques_in_a_ring_are_found(device):
    graph = mg.Graph.from_networkx(nx.ring_of_cliques(12, 8), device=device)
    label = CPU.asarray(mg.label_propagation(graph).label).reshape(12, 8)
    assert (label == label[:, :1]).all()
    assert len(np.unique(label)) == 12


@pytest.mark.parametrize("seed", range(5))
def test_labels_do_not_go_back_and_forth(device, seed):
    """Each side of a bipartite graph would take the other's labels for ever."""
    for bipartite in (nx.complete_bipartite_graph(40, 40), nx.star_graph(50), nx.path_graph(2), nx.cycle_graph(64)):
        graph = mg.Graph.from_networkx(bipartite, device=device)
        result = mg.label_propagation(graph, seed)
        assert result.converged
        check_label_propagation(graph, result.label, result.num_communities)


def test_weights_decide_however_small(device):
    """What is 1e-6 of a vertex's weight is told apart, and weights may be of any size."""
    for scale in (1e-30, 1.0, 1e30):
        weights = np.float64([1.0, 1.000001, 5.0, 5.0]) * scale
        graph = mg.Graph.from_edges([0, 0, 1, 2], [1, 2, 3, 4], weights, device=device)
        label = CPU.asarray(mg.label_propagation(graph).label)
        assert label[0] == label[2] != label[1] == label[3]


def test_it_stops_where_it_is_told_to(device):
    graph = mg.generate.lattice(30, 30, device=device)
    result = mg.label_propagation(graph, max_iter=1)
    assert (result.iterations, result.converged) == (1, False)
    with pytest.raises(AssertionError, match="weighs more"):
        check_label_propagation(graph, result.label, result.num_communities)


def test_bad_input(device):
    graph = mg.Graph.from_edges([0, 1], [1, 2], [1.0, -2.0], device=device)
    with pytest.raises(GraphError, match="weights of at least 0"):
        mg.label_propagation(graph)
    with pytest.raises(GraphError, match="seed must be a whole number, got 'a'"):
        mg.label_propagation(mg.generate.path(3, device=device), "a")
