"""Betweenness centrality of edges, over the battery and against NetworkX."""

import networkx as nx
import numpy as np
import pytest

import minigr as mg
from minigr.device import CPU, resolve
from minigr.errors import GraphError, ProblemError
from tests.apps.test_betweenness import Drawn, ladder, some
from tests.apps.whoever_runs_it import check_drivers_without_trace
from tests.layouts import slabs_of
from tests.verifiers import check_edge_betweenness


def check(graph, result, **options):
    check_edge_betweenness(graph, *map(CPU.asarray, (result.src, result.dst, result.score)), **options)


def of_some(graph, sources, **options):
    """Plain sums over given sources, without the estimate for the others."""
    result = mg.edge_betweenness_centrality(graph, sources, normalized=False, **options)
    scale = len(sources) / max(graph.num_live_vertices, 1)
    return mg.apps.betweenness.EdgeBetweennessResult(result.src, result.dst, result.score * scale, 0, 0, None)


def test_battery(graph):
    if graph.num_vertices < 100:
        result = mg.edge_betweenness_centrality(graph, normalized=False)
        assert isinstance(result.score, resolve(graph.device).xp.ndarray)
        assert result.num_sources == graph.num_vertices
        check(graph, result)
    elif graph.num_vertices:
        sources = some(graph)
        check(graph, of_some(graph, sources), sources=sources)


def test_battery_by_weight(graph):
    if not graph.weighted or (graph.num_arcs and graph.weight_summary()[0] <= 0):
        with pytest.raises(GraphError, match=r"weights(, and|$)|edge_betweenness_centrality by weight needs weights"):
            mg.edge_betweenness_centrality(graph, weighted=True)
    elif graph.num_vertices > 1:
        sources = some(graph)
        check(graph, of_some(graph, sources, weighted=True), sources=sources, weighted=True)


@pytest.mark.parametrize(("dtype", "directed"), [("int32", True), ("float32", False)])
def test_by_weight(device, directed, dtype):
    for repeats in (False, True):
        graph = mg.generate.rmat(
            5, 6, seed=4, directed=directed, weights=(1, 4), weight_dtype=dtype, simple=not repeats, device=device
        )
        check(graph, mg.edge_betweenness_centrality(graph, weighted=True, normalized=False), weighted=True)


@pytest.mark.parametrize("count", [1, 9, 32, None])
@pytest.mark.parametrize("normalized", [False, True])
@pytest.mark.parametrize("directed", [False, True])
def test_scaled_as_networkx_does(device, directed, normalized, count):
    graph = mg.generate.rmat(5, 3, seed=2, directed=directed, device=device)
    sources = None if count is None else np.random.default_rng(3).permutation(32)[:count].tolist()
    drawn = {} if count is None else {"k": count, "seed": Drawn(sources)}
    expected = nx.edge_betweenness_centrality(graph.to_networkx(), normalized=normalized, **drawn)
    result = mg.edge_betweenness_centrality(graph, sources, normalized=normalized)
    found = {(u, v): s for u, v, s in zip(*(x.tolist() for x in (result.src, result.dst, result.score)), strict=True)}
    assert found.keys() == expected.keys()
    assert found == pytest.approx(expected, rel=1e-12, abs=1e-15)


def test_more_paths_than_a_float_holds(device):
    graph = ladder(1300, device)
    check(graph, of_some(graph, [0, 3900]), sources=[0, 3900])


@pytest.mark.parametrize("directed", [False, True])
def test_over_slabs(device, directed):
    graph = slabs_of(mg.generate.rmat(6, 5, seed=1, directed=directed, weights=(1, 5), device=device))
    rows = graph.to_graph()
    for weighted in (False, True):
        result = mg.edge_betweenness_centrality(graph, weighted=weighted, normalized=False)
        check(rows, result, weighted=weighted)


def test_deleted_vertices_are_no_vertices(device):
    graph = mg.DynamicGraph.from_edges([0, 1, 2, 3], [1, 2, 3, 4], directed=False, device=device)
    graph.delete_vertices([0])
    expected = list(nx.edge_betweenness_centrality(nx.path_graph([1, 2, 3, 4])).values())
    for samples in (None, 4):  # a sample has no deleted vertices
        result = mg.edge_betweenness_centrality(graph, samples=samples)
        assert result.num_sources == 4
        assert CPU.asarray(result.score).tolist() == pytest.approx(expected)


def test_no_sources(device):
    result = mg.edge_betweenness_centrality(mg.generate.path(4, device=device), [])
    assert (result.num_sources, CPU.asarray(result.score).tolist()) == (0, [0, 0, 0])


def test_drivers_agree(device):
    graph = mg.generate.lattice(15, 15, 0.8, seed=1, device=device)
    check_drivers_without_trace(
        lambda graph, **how: mg.edge_betweenness_centrality(graph, [0, 7], **how), lambda result: result.score, graph
    )


def test_samples_trace_and_progress(device):
    graph, told = mg.generate.path(5, device=device), []
    found = [mg.edge_betweenness_centrality(graph, samples=2, seed=seed).score.tolist() for seed in (5, 5, 6)]
    assert found[0] == found[1] != found[2]
    result = mg.edge_betweenness_centrality(graph, [1, 0], trace=True, progress=lambda *at: told.append(at))
    assert told == [(1, 2), (2, 2)]
    assert [row.frontier for row in result.trace] == [1] * 10
    assert result.iterations == 18


def test_bad_input(device):
    graph = mg.generate.path(4, device=device)
    with pytest.raises(GraphError, match="source 7 is not a vertex"):
        mg.edge_betweenness_centrality(graph, [7])
    with pytest.raises(ProblemError, match="edge_betweenness_centrality: samples=5, but there are 4"):
        mg.edge_betweenness_centrality(graph, samples=5)
    with pytest.raises(GraphError, match="edge_betweenness_centrality by weight needs weights"):
        mg.edge_betweenness_centrality(graph, weighted=True)
