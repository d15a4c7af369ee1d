"""Betweenness of each graph, against NetworkX."""

import networkx as nx
import numpy as np
import pytest

import minigr as mg
from minigr.batch.backend import kernels
from minigr.batch.constants import TOO_MANY_PATHS
from minigr.device import CPU
from minigr.errors import GraphError
from tests.batch.sets import SETS, batch_of, random_tree, weighted
from tests.verifiers import check_betweenness


def check(batch, graphs, **options):
    """Compare `mg.batch.betweenness` with NetworkX, graph by graph."""
    given = dict(options)
    by = "weight" if given.pop("weighted", False) else None
    for i, (found, graph) in enumerate(zip(mg.batch.betweenness(batch, **options), graphs, strict=True)):
        expected = nx.betweenness_centrality(graph, weight=by, **given)
        np.testing.assert_allclose(
            CPU.asarray(found), list(expected.values()), rtol=1e-9, atol=1e-12, err_msg=f"graph {i}"
        )


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("by_weight", [False, True])
@pytest.mark.parametrize("normalized", [False, True])
@pytest.mark.parametrize("endpoints", [False, True])
def test_as_networkx_does(device, directed, by_weight, normalized, endpoints):
    graphs = weighted(SETS["sizes_around_words-undirected"][0](directed))
    batch = batch_of(graphs, device, "weight" if by_weight else None)
    check(batch, graphs, weighted=by_weight, normalized=normalized, endpoints=endpoints)


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("by_weight", [False, True])
def test_shapes(device, directed, by_weight):
    graphs = [graph for graph in weighted(SETS["shapes-undirected"][0](directed)) if len(graph) < 500]
    check(batch_of(graphs, device, "weight" if by_weight else None), graphs, weighted=by_weight)


@pytest.mark.parametrize("by_weight", [False, True])
def test_large_trees_among_small(device, by_weight):
    trees = [random_tree(n, seed) for seed, n in enumerate((2, 400, 1300, 3, 7000 if by_weight else 9000))]
    columns = [([], []), *((src, dst) for src, dst, _ in trees)]
    if by_weight:
        columns = [(src, dst, 1.0 + np.arange(len(src)) % 5) for src, dst in columns]
    batch = mg.GraphBatch.from_graphs(columns, device=device)
    result = mg.batch.betweenness(batch, weighted=by_weight, normalized=False)
    assert len(result[0]) == 0
    for i, (_, _, expected) in enumerate(trees, 1):
        np.testing.assert_allclose(CPU.asarray(result[i]), expected, rtol=1e-9, err_msg=f"graph {i}")


@pytest.mark.parametrize("endpoints", [False, True])
def test_parallel_edges_are_different_paths(device, endpoints):
    graphs = [mg.generate.rmat(s, 3, seed=s, simple=False, weights=(1, 3), device=device) for s in (3, 6, 7)]
    batch = mg.GraphBatch.from_graphs(graphs, device=device)
    for by_weight in (False, True):
        result = mg.batch.betweenness(batch, weighted=by_weight, normalized=False, endpoints=endpoints)
        for found, graph in zip(result, graphs, strict=True):
            check_betweenness(graph, found, weighted=by_weight, endpoints=endpoints)


def test_more_paths_than_float64_can_count(device):
    joints = np.arange(150)
    src = np.repeat(joints, 100)  # a path of 150 edges, each there a hundred times: 1e300 paths from end to end
    columns = [(src, src + 1, np.ones(len(src))), ([0, 1], [1, 2], np.ones(2))]
    batch = mg.GraphBatch.from_graphs(columns, device=device)
    for by_weight in (False, True):
        _, flags = kernels(batch).betweenness(batch, by_weight, 0.0, np.ones(2))
        assert flags.tolist() == [TOO_MANY_PATHS, 0]
    result = mg.batch.betweenness(batch, normalized=False)
    assert CPU.asarray(result[1]).tolist() == [0, 1, 0]
    at = np.arange(151)
    np.testing.assert_allclose(CPU.asarray(result[0]), at * (150 - at), rtol=1e-9)


def test_weights_lost_to_rounding(device):
    fine = ([0], [1], [1.0])
    batch = mg.GraphBatch.from_graphs([fine, ([0, 1], [1, 2], [1e20, 1.0]), fine], device=device)
    with pytest.raises(GraphError, match="in graph 1 a weight is so small"):
        mg.batch.betweenness(batch, weighted=True)


def test_bad_weights(device):
    fine = ([0], [1], [1.0])
    for weight in (0.0, -1.0, float("inf")):
        batch = mg.GraphBatch.from_graphs([fine, fine, ([0, 2], [1, 1], [1.0, weight])], device=device)
        with pytest.raises(GraphError, match=rf"above 0, but in graph 2 the edge 1 -> 2 has {weight}"):
            mg.batch.betweenness(batch, weighted=True)
    with pytest.raises(GraphError, match="needs weights, but the graphs have none"):
        mg.batch.betweenness(mg.GraphBatch.from_graphs([[(0, 1)]], device=device), weighted=True)
    with pytest.raises(GraphError, match="expects a GraphBatch"):
        mg.batch.betweenness([])


def test_paths_longer_than_float64_holds(device):
    path, edge = ([0, 1, 2], [1, 2, 3], [1.0, 1e308, 1.0]), ([0], [1], [1e308])
    with pytest.raises(GraphError, match=r"in graph 1 the edge 1 -> 2 has 1e\+308, and float64 can't hold the length"):
        mg.batch.betweenness(mg.GraphBatch.from_graphs([edge, path], device=device), weighted=True)
    path = ([0, 1, 2], [1, 2, 3], [1e300] * 3)
    result = mg.batch.betweenness(
        mg.GraphBatch.from_graphs([edge, path], device=device), weighted=True, normalized=False
    )
    assert CPU.asarray(result.score).tolist() == [0, 0, 0, 2, 2, 0]


def test_same_in_every_run(device):
    batch = batch_of(SETS["sizes_around_words-directed"][0](True), device)
    one, other = (CPU.asarray(mg.batch.betweenness(batch).score) for _ in range(2))
    np.testing.assert_array_equal(one, other)


def test_graphs_without_edges(device):
    batch = mg.GraphBatch.from_graphs([[], [], []], num_vertices=[0, 1, 3], device=device)
    assert CPU.asarray(mg.batch.betweenness(batch).score).tolist() == [0, 0, 0, 0]
    assert len(mg.batch.betweenness(mg.GraphBatch.from_graphs([], device=device)).score) == 0
