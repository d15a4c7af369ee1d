"""Leiden's method, against the same in plain Python; what is said of its communities holds, and they are connected."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import minigr as mg
from minigr.apps.common.levels import Level
from minigr.apps.leiden.connected import Connected
from minigr.apps.leiden.refine import refined
from minigr.device import CPU, resolve
from minigr.errors import GraphError, ProblemError
from minigr.program.control import DRIVERS
from tests.apps import in_moves
from tests.apps.test_louvain import EDGES
from tests.layouts import slabs_of
from tests.verifiers import check_communities, connected_within

TINY = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def _levels(result):
    return [CPU.asarray(label).tolist() for label in result.levels]


def test_battery(graph):
    result = mg.leiden(graph, seed=3)
    assert isinstance(result.label, resolve(graph.device).xp.ndarray)
    assert result.converged
    assert _levels(result) == in_moves.leiden(*in_moves.edges_of(graph), seed=3)
    check_communities(graph, result, nested=False, connected=True)


@TINY
@given(edges=EDGES, resolution=st.sampled_from([0.0, 0.5, 1.0, 3.0, 1e9]), seed=st.integers(0, 5))
def test_tiny_graphs(device, edges, resolution, seed):
    src, dst, weight = zip(*edges, strict=True) if edges else ((), (), ())
    graph = mg.Graph.from_edges(src, dst, np.array(weight, np.int64), num_vertices=8, device=device)
    result = mg.leiden(graph, resolution, seed)
    assert _levels(result) == in_moves.leiden(list(edges), 8, resolution, seed)
    check_communities(graph, result, resolution, nested=False, connected=True)


@pytest.mark.parametrize(("weights", "resolution"), [(None, 1.0), (None, 0.4), ((0, 9), 1.0), ((0, 9), 0.0)])
def test_parts_are_what_they_are_said_to_be(device, weights, resolution):
    """They are connected, within one community each, and those of the same method in plain Python.

    The communities are arbitrary, so many vertices and parts are not well connected to them. Half of the vertices have
    self-loops, which connect nothing.
    """
    src, dst, weight = mg.generate.rmat(8, 6, seed=4, weights=weights, weight_dtype="int64", device="cpu").to_edges()
    loops = np.arange(0, 256, 2)
    ends = np.concatenate([src, loops]), np.concatenate([dst, loops])
    weight = None if weight is None else np.concatenate([weight, loops])
    graph = mg.Graph.from_edges(*ends, weight, num_vertices=256, device=device)
    ids = graph._device.xp.arange(256, dtype=np.int32)
    level = Level(graph, ids, ids % 5, resolution, 5, 0)
    community, part = (CPU.asarray(a) for a in (level.problem.community, refined(level, "auto")))
    assert (community[part] == community).all()
    edges, count = in_moves.edges_of(graph)
    assert connected_within(*np.array(edges).T[:2], part, count)
    assert len(np.unique(community)) < len(np.unique(part)) < count
    assert part.tolist() == in_moves.refined(edges, community.tolist(), resolution, int(level.problem.seed))


def test_a_community_in_several_parts_is_taken_apart(device):
    graph = mg.Graph.from_edges([0, 1, 2, 3, 5], [1, 2, 3, 4, 5], device=device)
    level = Level(graph, graph._device.xp.arange(6, dtype=np.int32), None, 1.0, 0, 0)
    parts = Connected(level).parts(np.array([0, 0, 1, 0, 0, 0]))
    assert CPU.asarray(parts).tolist() == [0, 0, 2, 3, 3, 5]


@pytest.mark.parametrize(("directed", "dtype"), [(False, "int64"), (True, "float64")])
def test_over_slabs(device, directed, dtype):
    rows = mg.generate.rmat(8, 8, seed=1, directed=directed, weights=(1, 9), weight_dtype=dtype, device=device)
    assert _levels(mg.leiden(slabs_of(rows))) == _levels(mg.leiden(rows))


def test_deleted_vertices_are_in_no_community(device):
    graph = mg.DynamicGraph.from_graph(mg.generate.rmat(7, 4, seed=3, device=device))
    gone = [0, 3, 40, 127]
    graph.delete_vertices(gone)
    result = mg.leiden(graph)
    label = CPU.asarray(result.label)
    assert (label[gone] == -1).all()
    assert sorted(set(np.delete(label, gone).tolist())) == list(range(result.num_communities))
    assert mg.modularity(graph, result.label) == pytest.approx(result.modularity, abs=1e-12)


@pytest.mark.parametrize("weights", [None, (1, 9)])
def test_the_same_whoever_runs_it(device, weights, monkeypatch):
    graph = mg.generate.rmat(11, 12, seed=5, weights=weights, weight_dtype="float32", device=device)
    expected = _levels(mg.leiden(graph, seed=9))
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("MINIGR_NUM_THREADS", threads)
        for driver in DRIVERS if graph._device.is_cuda else ("auto", "fused", "host"):
            assert _levels(mg.leiden(graph, seed=9, driver=driver)) == expected
    assert _levels(mg.leiden(graph.to("cpu"), seed=9)) == expected


@pytest.mark.parametrize("seed", range(3))
def test_communities_that_are_there_are_found(device, seed):
    graph = mg.Graph.from_networkx(nx.connected_caveman_graph(12, 8), device=device)
    label = CPU.asarray(mg.leiden(graph, seed=seed).label).reshape(12, 8)
    assert (label == label[:, :1]).all()
    assert len(np.unique(label)) == 12
    planted = nx.planted_partition_graph(6, 50, 0.3, 0.02, seed=seed)
    label = CPU.asarray(mg.leiden(mg.Graph.from_networkx(planted, device=device), seed=seed).label).reshape(6, 50)
    assert (label == label[:, :1]).all()
    assert len(np.unique(label)) == 6


@pytest.mark.parametrize("seed", range(3))
def test_the_best_partition_of_a_club(device, seed):
    """The best one of the karate club has 0.4198."""
    club = mg.Graph.from_networkx(nx.karate_club_graph(), device=device)
    assert mg.leiden(club, seed=seed).modularity >= 0.415


def test_no_worse_than_moves_alone(device):
    """Seeds differ by a hundredth of the modularity, so means of several are compared."""
    for graph in (mg.generate.rmat(10, 8, seed=2, device=device), mg.generate.uniform(1000, 5000, device=device)):
        found = [np.mean([run(graph, seed=seed).modularity for seed in range(8)]) for run in (mg.leiden, mg.louvain)]
        assert found[0] > 0.98 * found[1]


def test_resolutions(device):
    graph = mg.Graph.from_networkx(nx.connected_caveman_graph(6, 5), device=device)
    results = mg.leiden(graph, [0.0, 1.0, 100.0])
    assert [result.num_communities for result in results] == [1, 6, 30]
    assert _levels(results[1]) == _levels(mg.leiden(graph))


def test_runs_and_levels(device):
    graph = mg.generate.rmat(9, 8, seed=2, device=device)
    once, often = (mg.leiden(graph, runs=runs) for runs in (1, 5))
    assert _levels(once) == in_moves.leiden(*in_moves.edges_of(graph))
    assert _levels(often) == in_moves.leiden(*in_moves.edges_of(graph), runs=5)
    assert often.modularity > once.modularity
    assert len(mg.leiden(graph, runs=1, max_levels=1).levels) == 2  # the second one after more moves
    caves = mg.Graph.from_networkx(nx.connected_caveman_graph(12, 8), device=device)  # the first run finds the best
    assert mg.leiden(caves, runs=2).iterations == mg.leiden(caves, runs=9).iterations
    result = mg.leiden(graph, max_iter=1)
    assert not result.converged
    check_communities(graph, result, nested=False, connected=True)


def test_bad_input(device):
    path = mg.generate.path(3, device=device)
    with pytest.raises(GraphError, match="runs must be between 1"):
        mg.leiden(path, runs=0)
    for levels in (-1, 1.5, "a"):
        with pytest.raises(GraphError, match="max_levels must be"):
            mg.leiden(path, max_levels=levels)
    with pytest.raises(GraphError, match="seed must be a whole number, got 'a'"):
        mg.leiden(path, seed="a")
    with pytest.raises(ProblemError, match="leiden: resolution=-1"):
        mg.leiden(path, -1)
    with pytest.raises(GraphError, match="leiden needs weights of at least 0"):
        mg.leiden(mg.Graph.from_edges([0], [1], [-1.0], device=device))
