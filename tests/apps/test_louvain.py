"""Louvain's method, over the battery and against the same in plain Python."""

from functools import partial

import networkx as nx
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import minigr as mg
from minigr.apps.common import moves
from minigr.apps.common.levels import Level
from minigr.device import CPU, resolve
from minigr.errors import GraphError, ProblemError
from minigr.program.control import DRIVERS
from tests.apps import in_moves
from tests.layouts import slabs_of
from tests.verifiers import check_communities

TINY = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
EDGES = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7), st.integers(0, 5)), max_size=20)


def _levels(result):
    return [CPU.asarray(label).tolist() for label in result.levels]


def test_battery(graph):
    result = mg.louvain(graph, seed=3)
    assert isinstance(result.label, resolve(graph.device).xp.ndarray)
    assert result.converged
    assert _levels(result) == in_moves.louvain(*in_moves.edges_of(graph), seed=3)
    check_communities(graph, result)


@TINY
@given(edges=EDGES, resolution=st.sampled_from([0.0, 0.5, 1.0, 3.0, 1e9]), seed=st.integers(0, 5))
def test_tiny_graphs(device, edges, resolution, seed):
    src, dst, weight = zip(*edges, strict=True) if edges else ((), (), ())
    graph = mg.Graph.from_edges(src, dst, np.array(weight, np.int64), num_vertices=8, device=device)
    result = mg.louvain(graph, resolution, seed)
    assert _levels(result) == in_moves.louvain(list(edges), 8, resolution, seed)
    check_communities(graph, result, resolution)


@pytest.mark.parametrize(("directed", "dtype"), [(False, "int64"), (True, "float64")])
def test_over_slabs(device, directed, dtype):
    rows = mg.generate.rmat(8, 8, seed=1, directed=directed, weights=(1, 9), weight_dtype=dtype, device=device)
    assert _levels(mg.louvain(slabs_of(rows))) == in_moves.louvain(*in_moves.edges_of(rows))


@pytest.mark.parametrize("directed", [False, True])
def test_deleted_vertices_are_in_no_community(device, directed):
    graph = mg.DynamicGraph.from_graph(mg.generate.rmat(7, 4, seed=3, directed=directed, device=device))
    gone = [0, 3, 40, 127]
    graph.delete_vertices(gone)
    result = mg.louvain(graph)
    label = CPU.asarray(result.label)
    assert (label[gone] == -1).all()
    assert sorted(set(np.delete(label, gone).tolist())) == list(range(result.num_communities))
    if not directed:  # otherwise it is that of the graph without directions
        assert mg.modularity(graph, result.label) == pytest.approx(result.modularity, abs=1e-12)
    graph.delete_vertices(CPU.asarray(graph.live_vertices()))
    result = mg.louvain(graph)
    assert (result.num_communities, CPU.asarray(result.label).max()) == (0, -1)


@pytest.mark.parametrize("threads", ["1", "2", "5"])
@pytest.mark.parametrize("weights", [None, (1, 9)])
def test_the_same_whoever_runs_it(device, weights, threads, monkeypatch):
    graph = mg.generate.rmat(11, 12, seed=5, weights=weights, weight_dtype="float32", device=device)
    monkeypatch.setenv("MINIGR_NUM_THREADS", threads)
    expected = in_moves.louvain(*in_moves.edges_of(graph), seed=9)
    for driver in DRIVERS if graph._device.is_cuda else ("auto", "fused", "host"):
        assert _levels(mg.louvain(graph, seed=9, driver=driver)) == expected


@pytest.mark.parametrize("seed", [1, 2])
def test_where_few_turns_move_the_last_vertices(device, seed):
    """A uniform graph, in which vertices gain for many rounds."""
    graph = mg.generate.uniform(300, 3000, seed=seed, device=device)
    edges = in_moves.edges_of(graph)
    result = mg.louvain(graph)
    assert result.converged
    assert _levels(result) == in_moves.louvain(*edges)


@pytest.mark.parametrize("seed", range(5))
def test_a_level_ends_where_few_vertices_move(device, seed):
    """Half of the vertices have no edges, and are not counted."""
    rows = mg.generate.rmat(11, 8, seed=seed, device=device)
    graph = mg.Graph.from_edges(*rows.to_edges()[:2], num_vertices=2 * rows.num_vertices, device=device)
    edges, count = in_moves.edges_of(graph)
    level = Level(graph, graph._device.xp.arange(count, dtype=np.int32), None, 1.0, seed, 0)
    how, turns = (edges, 1.0, int(level.problem.seed)), int(level.problem.turns)
    expected, steps, _ = in_moves.moved(list(range(count)), *how, rounds=in_moves.ROUNDS, few=in_moves.FEW)
    assert level.move_some(1000, until_few=True) == (steps, True)
    assert CPU.asarray(level.problem.community).tolist() == expected
    assert turns < steps < in_moves.ROUNDS * turns
    assert level.move(1000)[1]
    assert CPU.asarray(level.problem.community).tolist() == in_moves.settled(expected, *how)
    level.begin(None)
    assert level.move_some(1000) == (in_moves.ROUNDS * turns, True)


@pytest.mark.parametrize("method", [mg.louvain, mg.leiden])
def test_vertices_without_edges_come_last(device, method):
    graph = mg.DynamicGraph.from_edges([1, 2], [2, 4], num_vertices=6, device=device)
    graph.delete_vertices([0])
    result = method(graph)
    assert CPU.asarray(result.label).tolist() == [-1, 0, 0, 1, 0, 2]
    assert result.num_communities == 3


def test_hubs_make_more_turns(device, monkeypatch):
    for module, name in ((moves, "_AT_A_HUB"), (in_moves, "AT_A_HUB")):
        monkeypatch.setattr(module, name, 8)
    graph = mg.generate.rmat(12, 16, seed=2, device=device)
    assert 32 < moves.turns_of(graph) < 128
    assert _levels(mg.louvain(graph)) == in_moves.louvain(*in_moves.edges_of(graph))


@pytest.mark.parametrize("seed", range(3))
def test_communities_that_are_there_are_found(device, seed):
    """Cliques in a ring, and groups with nine edges within for one to others."""
    graph = mg.Graph.from_networkx(nx.connected_caveman_graph(12, 8), device=device)
    label = CPU.asarray(mg.louvain(graph, seed=seed).label).reshape(12, 8)
    assert (label == label[:, :1]).all()
    assert len(np.unique(label)) == 12
    planted = nx.planted_partition_graph(6, 50, 0.4, 0.01, seed=seed)
    label = CPU.asarray(mg.louvain(mg.Graph.from_networkx(planted, device=device), seed=seed).label).reshape(6, 50)
    assert (label == label[:, :1]).all()
    assert len(np.unique(label)) == 6


@pytest.mark.parametrize("seed", range(3))
def test_as_good_as_others(device, seed):
    """NetworkX's finds 0.4156 to 0.4198 in the karate club; one pass of moves alone finds less than 0.4."""
    club = mg.Graph.from_networkx(nx.karate_club_graph(), device=device)
    assert mg.louvain(club, seed=seed).modularity >= 0.41
    graph = mg.generate.rmat(9, 8, seed=2, device=device)
    best = max(nx.community.louvain_communities(graph.to_networkx(), seed=one) for one in range(1))
    label = np.zeros(graph.num_vertices, np.int32)
    for number, nodes in enumerate(best):
        label[list(nodes)] = number
    assert mg.louvain(graph, seed=seed).modularity > 0.97 * mg.modularity(graph, label)


def test_resolutions(device):
    graph = mg.Graph.from_networkx(nx.connected_caveman_graph(6, 5), device=device)
    results = mg.louvain(graph, [0.0, 1.0, 100.0])
    assert [result.num_communities for result in results] == [1, 6, 30]
    for resolution, result in zip([0.0, 1.0, 100.0], results, strict=True):
        assert _levels(mg.louvain(graph, resolution)) == _levels(result)
        check_communities(graph, result, resolution)


def test_weights_of_any_size(device):
    """Only their ratios count, and what is a millionth of the sum is told apart."""
    base = mg.generate.rmat(8, 8, seed=2, weights=(1, 9), weight_dtype="float64", device=device)
    src, dst, weights = base.to_edges()
    expected = _levels(mg.louvain(base))
    for factor in (2.0**-1000, 2.0**-300, 2.0**900):
        scaled = mg.Graph.from_edges(src, dst, weights * factor, num_vertices=base.num_vertices, device=device)
        assert _levels(mg.louvain(scaled)) == expected
    wide = mg.Graph.from_edges([0, 0, 1, 2], [1, 2, 3, 3], np.int64([2**61, 2**61 + 2**41, 1, 1]), device=device)
    label = CPU.asarray(mg.louvain(wide).label)
    assert label[0] == label[2]


def test_it_stops_where_it_is_told_to(device):
    graph = mg.generate.lattice(30, 30, device=device)
    every = mg.louvain(graph)
    result = mg.louvain(graph, max_levels=1)
    assert _levels(result)[:1] == _levels(every)[:1]
    assert len(result.levels) == 2  # the second one after more moves
    result = mg.louvain(graph, max_iter=1)
    assert not result.converged
    check_communities(graph, result)
    for tol in (0.0, 0.1, 0.2, 1.0):
        assert _levels(mg.louvain(graph, tol=tol)) == in_moves.louvain(*in_moves.edges_of(graph), tol=tol)


@pytest.mark.parametrize("run", [mg.louvain, mg.leiden])
def test_steps_that_end_a_level_are_reported(device, run):
    """Whichever level they end, also where a later level converges."""
    graph = mg.generate.lattice(30, 30, device=device)
    every = run(graph)
    results = [run(graph, max_iter=steps) for steps in (16, 20, 24, 40)]
    assert [result.converged for result in results] == [_levels(result) == _levels(every) for result in results]
    assert [result.converged for result in results] == [False, False, False, True]


def test_a_level_takes_no_more_steps(device):
    """Also where few turns move the last vertices."""
    graph = mg.generate.uniform(300, 3000, seed=3, device=device)
    level = Level(graph, graph._device.xp.arange(300, dtype=np.int32), None, 1.0, 0, 0)
    most = in_moves.ROUNDS_OF_MANY * int(level.problem.turns) + 1
    assert level.move(most) == (most, False)


def test_bad_input(device):
    graph = mg.Graph.from_edges([0, 1], [1, 2], [1.0, -2.0], device=device)
    with pytest.raises(GraphError, match="louvain needs weights of at least 0"):
        mg.louvain(graph)
    path = partial(mg.louvain, mg.generate.path(3, device=device))
    with pytest.raises(GraphError, match="seed must be a whole number, got 'a'"):
        path(seed="a")
    for levels in (-1, 1.5, "a"):
        with pytest.raises(GraphError, match="max_levels must be"):
            path(max_levels=levels)
    with pytest.raises(ProblemError, match="tol='a' must be a number"):
        path(tol="a")
    for resolution in (-1.0, float("nan"), float("inf"), [1.0, -2.0], ["a"]):
        with pytest.raises(ProblemError, match="must be a finite number of at least 0"):
            path(resolution)
