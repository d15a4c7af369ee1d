"""Breadth-first searches that go together, over the battery and against single ones."""

from functools import partial

import numpy as np
import pytest

import minigr as mg
from minigr.device import CPU, resolve
from minigr.errors import GraphError
from tests.apps.whoever_runs_it import check_drivers
from tests.layouts import as_graph, slabs_of
from tests.verifiers import check_multi_source_bfs


def some(graph, count, seed=0):
    """Sources in no order, of which some may be alike."""
    return np.random.default_rng(seed).integers(0, graph.num_vertices, count) if graph.num_vertices else np.arange(0)


def alone(graph, sources):
    return np.array([CPU.asarray(mg.bfs(graph, source).depth) for source in sources])


def test_battery(graph):
    sources = some(graph, 5)
    result = mg.multi_source_bfs(graph, sources)
    assert isinstance(result.depth, resolve(graph.device).xp.ndarray)
    check_multi_source_bfs(graph, sources, result.depth)
    if graph.num_vertices:
        assert result.iterations == CPU.asarray(result.depth).max() + 1


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("count", [1, 63, 64, 65, 200])
def test_as_many_as_one_likes(device, count, directed):
    graph = mg.generate.rmat(10, 8, seed=4, directed=directed, device=device)
    sources = some(graph, count)
    found = CPU.asarray(mg.multi_source_bfs(graph, sources).depth)
    np.testing.assert_array_equal(found, alone(graph, sources))


@pytest.mark.parametrize("threads", ["1", "2", "5"])
@pytest.mark.parametrize("directed", [False, True])
def test_the_same_whoever_runs_it(device, directed, threads, monkeypatch):
    graph = mg.generate.rmat(12, 16, seed=5, directed=directed, device=device)
    sources = some(graph, 64)
    expected = alone(graph, sources)
    monkeypatch.setenv("MINIGR_NUM_THREADS", threads)
    check_drivers(partial(mg.multi_source_bfs, sources=sources), lambda result: result.depth, graph, expected)
    directions = {row.direction for row in mg.multi_source_bfs(graph, sources, trace=True).trace}
    assert directions == {"push", "pull"}


@pytest.mark.parametrize("directed", [False, True])
def test_over_slabs(device, directed):
    graph = slabs_of(mg.generate.rmat(9, 8, seed=1, directed=directed, device=device))
    sources = some(graph, 70)
    check_multi_source_bfs(as_graph(graph), sources, mg.multi_source_bfs(graph, sources).depth)


def test_deleted_vertices(device):
    graph = mg.DynamicGraph.from_graph(mg.generate.cycle(9, device=device))
    graph.delete_vertices([4])
    assert CPU.asarray(mg.multi_source_bfs(graph, [5, 3]).depth).tolist() == [
        [4, 5, 6, 7, -1, 0, 1, 2, 3],
        [3, 2, 1, 0, -1, 7, 6, 5, 4],
    ]
    with pytest.raises(GraphError, match="source 4 is not a vertex: it was deleted"):
        mg.multi_source_bfs(graph, [5, 4])


def test_long_and_thin(device):
    graph = mg.generate.lattice(300, 3, 1.0, device=device)  # on which the searches hardly ever meet
    sources = some(graph, 40)
    check_multi_source_bfs(graph, sources, mg.multi_source_bfs(graph, sources).depth)


def test_bad_sources(device):
    graph = mg.generate.path(4, device=device)
    assert mg.multi_source_bfs(graph, []).depth.shape == (0, 4)
    with pytest.raises(GraphError, match="source 4 is not a vertex: the graph has vertices 0 to 3"):
        mg.multi_source_bfs(graph, [0, 4])
    with pytest.raises(GraphError, match="must be a vertex id"):
        mg.multi_source_bfs(graph, [0.0])
    with pytest.raises(GraphError, match=r"a mask of bools: pass np.flatnonzero\(sources\)"):
        mg.multi_source_bfs(graph, np.array([False, False, True, True]))  # not the vertices 0, 0, 1 and 1
