"""Breadth-first search, over the battery and against NetworkX."""

import networkx as nx
import numpy as np
import pytest

import minigr as mg
from minigr.device import CPU, resolve
from minigr.errors import GraphError, ProblemError
from tests.verifiers import check_bfs


def sources(graph):
    """The first vertex, the last, and the one with most edges."""
    n = graph.num_vertices
    return sorted({0, n - 1, int(CPU.asarray(graph.degree()).argmax())}) if n else []


def depths(graph, source):
    found = nx.single_source_shortest_path_length(graph.to_networkx(), source)
    return np.array([found.get(v, -1) for v in range(graph.num_vertices)], np.int32)


def test_battery(graph):
    for source in sources(graph):
        result = mg.bfs(graph, source)
        assert isinstance(result.depth, resolve(graph.device).xp.ndarray)
        check_bfs(graph, source, result.depth, result.parent)
        np.testing.assert_array_equal(CPU.asarray(result.depth), depths(graph, source))
        assert result.iterations == CPU.asarray(result.depth).max() + 1


@pytest.mark.parametrize("threads", ["1", "2", "5"])
@pytest.mark.parametrize("directed", [False, True])
def test_both_directions(device, directed, threads, monkeypatch):
    monkeypatch.setenv("MINIGR_NUM_THREADS", threads)
    graph = mg.generate.rmat(13, 16, seed=11, directed=directed, device=device)
    source = int(CPU.asarray(graph.degree()).argmax())
    result = mg.bfs(graph, source, trace=True)
    check_bfs(graph, source, result.depth, result.parent)
    assert {row.direction for row in result.trace} == {"push", "pull"}  # this graph is worth pulling on
    assert [row.iteration for row in result.trace] == list(range(1, result.iterations + 1))
    assert sum(row.output for row in result.trace) == (CPU.asarray(result.depth) > 0).sum()
    np.testing.assert_array_equal(CPU.asarray(mg.bfs(graph, source).depth), CPU.asarray(result.depth))


def test_long_and_thin(device):
    graph = mg.generate.lattice(400, 3, 1.0, device=device)
    check_bfs(graph, 5, *(getattr(mg.bfs(graph, 5), name) for name in ("depth", "parent")))


@pytest.mark.parametrize("source", [np.int32(2), np.uint64(2), True])
def test_sources_of_any_integer_type(device, source):
    assert CPU.asarray(mg.bfs(mg.generate.path(3, device=device), source).depth)[int(source)] == 0


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        (4, "source 4 is not a vertex: the graph has vertices 0 to 3"),
        (-1, "source -1 is not a vertex"),
        (2**40, "is not a vertex"),
        (1.0, "must be a vertex id"),
        ("1", "must be a vertex id"),
        (None, "must be a vertex id"),
        ([0, 4], "source 4 is not a vertex: the graph has vertices 0 to 3"),
        ([0.5], "must be a vertex id"),
        ([[0]], "must be a vertex id"),
        (["a"], "must be a vertex id"),
    ],
)
def test_bad_sources(device, source, complaint):
    with pytest.raises(GraphError, match=complaint):
        mg.bfs(mg.generate.path(4, device=device), source)


def test_several_sources(device):
    for directed in (False, True):
        graph = mg.generate.rmat(9, 4, seed=2, directed=directed, device=device)
        chosen = np.array([5, 0, 301, 44])
        result = mg.bfs(graph, chosen)
        check_bfs(graph, chosen, result.depth, result.parent)
        depth, root = CPU.asarray(result.depth), CPU.asarray(result.root)
        alone = np.array([depths(graph, source) for source in chosen])
        away = np.where(alone < 0, graph.num_vertices, alone)
        np.testing.assert_array_equal(depth, np.where(away.min(0) < graph.num_vertices, away.min(0), -1))
        for source, row in zip(chosen, alone, strict=True):
            np.testing.assert_array_equal(row[root == source], depth[root == source])
            assert root[source] == source
        np.testing.assert_array_equal(np.isin(root, chosen), depth >= 0)
        np.testing.assert_array_equal(root[depth < 0], -1)


def test_no_sources(device):
    result = mg.bfs(mg.generate.path(4, device=device), [])
    assert CPU.asarray(result.depth).tolist() == CPU.asarray(result.root).tolist() == [-1] * 4


def test_a_source_given_twice(device):
    with pytest.raises(ProblemError, match="bfs: source 2 is given more than once"):
        mg.bfs(mg.generate.path(4, device=device), [2, 0, 2])


def test_an_empty_graph_has_no_source(device):
    with pytest.raises(GraphError, match="has no vertices"):
        mg.bfs(mg.Graph.from_edges([], [], device=device), 0)
