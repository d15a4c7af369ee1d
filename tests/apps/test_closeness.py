"""Closeness and harmonic centrality, over the battery and against NetworkX."""

import networkx as nx
import numpy as np
import pytest

import minigr as mg
from minigr.device import CPU, resolve
from minigr.errors import GraphError, ProblemError
from tests.layouts import slabs_of
from tests.verifiers import check_centrality

BOTH = [(mg.closeness_centrality, nx.closeness_centrality), (mg.harmonic_centrality, nx.harmonic_centrality)]


def some(graph):
    """Vertices to ask for: the one with most edges, and a few others."""
    n = graph.num_vertices
    return sorted({0, n - 1, n // 2, int(CPU.asarray(graph.degree()).argmax())}) if n else []


@pytest.mark.parametrize("app", [app for app, _ in BOTH])
@pytest.mark.parametrize("n", [0, 1])
def test_estimate_for_a_vertex_that_is_alone(app, n, device):
    graph = mg.generate.path(n, device=device) if n else mg.Graph.from_edges([], [], device=device)
    assert mg.memory.estimate(app, graph).host >= 0
    assert CPU.asarray(app(graph).score).tolist() == [0.0] * n


def test_battery(graph):
    for kind, app in (("closeness", mg.closeness_centrality), ("harmonic", mg.harmonic_centrality)):
        result = app(graph, some(graph))
        assert isinstance(result.score, resolve(graph.device).xp.ndarray)
        assert result.num_sources == len(some(graph))
        check_centrality(graph, result.score, some(graph), kind)
        if graph.weighted:
            check_centrality(graph, app(graph, some(graph), weighted=True).score, some(graph), kind, weighted=True)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("directed", [False, True])
def test_as_networkx_does(device, directed, weighted):
    rows = mg.generate.rmat(6, 3, seed=2, directed=directed, weights=(1, 9), device=device)
    for graph in (rows, slabs_of(rows)):
        other = graph.to_graph().to_networkx() if graph is not rows else rows.to_networkx()
        for app, reference in BOTH:
            expected = reference(other, distance="weight" if weighted else None)
            found = CPU.asarray(app(graph, weighted=weighted).score)
            np.testing.assert_allclose(found, [expected[v] for v in range(64)], rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("directed", [False, True])
def test_deleted_vertices_are_no_vertices(device, directed):
    rows = mg.generate.rmat(6, 4, seed=3, directed=directed, device=device)
    graph = mg.DynamicGraph.from_graph(rows, in_edges=True)
    graph.delete_vertices([3, 40])
    left = rows.to_networkx()
    left.remove_nodes_from([3, 40])
    for app, reference in BOTH:
        expected = reference(left)
        found = CPU.asarray(app(graph).score)
        np.testing.assert_allclose(found, [expected.get(v, np.nan) for v in range(64)], rtol=1e-12, atol=1e-15)
        with pytest.raises(GraphError, match="source 40 is not a vertex: it was deleted"):
            app(graph, [40])


def test_a_directed_dynamic_graph_without_in_edges(device):
    graph = mg.DynamicGraph.from_edges([0, 1], [1, 2], directed=True, device=device)
    with pytest.raises(GraphError, match="in_edges=True"):
        mg.closeness_centrality(graph)


def test_what_was_not_asked_for(device):
    graph = mg.generate.path(5, device=device)
    for app, _ in BOTH:
        every = CPU.asarray(app(graph).score)
        found = CPU.asarray(app(graph, [3, 1]).score)
        np.testing.assert_array_equal(found, [np.nan, every[1], np.nan, every[3], np.nan])
        first, again = (CPU.asarray(app(graph, samples=2, seed=4).score) for _ in range(2))
        np.testing.assert_array_equal(first, again)
        assert np.isfinite(first).sum() == 2


def test_long_and_thin(device):
    found = mg.closeness_centrality(mg.generate.path(3000, device=device), [0]).score
    assert float(found[0]) == pytest.approx(2999 / (2999 * 3000 / 2), rel=1e-14)


def test_progress_trace_and_iterations(device):
    told, graph = [], mg.generate.path(4, device=device)
    result = mg.closeness_centrality(graph, [2, 0], progress=lambda *at: told.append(at), trace=True)
    assert told == [(1, 2), (2, 2)]
    assert [(row.frontier, row.output) for row in result.trace] == [(1, 1)] * 3 + [(1, 0)]
    assert result.iterations == 3 + 4


@pytest.mark.parametrize("app", [app for app, _ in BOTH])
def test_bad_arguments(device, app):
    graph = mg.generate.path(4, device=device)
    with pytest.raises(ProblemError, match="source 1 is given more than once"):
        app(graph, [1, 1])
    with pytest.raises(GraphError, match="source 4 is not a vertex"):
        app(graph, [4])
    with pytest.raises(GraphError, match="needs weights"):
        app(graph, weighted=True)
    with pytest.raises(ProblemError, match="driver='other'"):
        app(graph, driver="other")


def test_no_vertices(device):
    result = mg.closeness_centrality(mg.Graph.from_edges([], [], device=device))
    assert (len(result.score), result.num_sources, result.iterations) == (0, 0, 0)
