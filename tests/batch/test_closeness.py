"""Closeness and harmonic centrality of each graph, against NetworkX."""

import networkx as nx
import numpy as np
import pytest

import minigr as mg
from minigr.device import CPU
from minigr.errors import GraphError
from tests.batch.sets import SETS, batch_of, weighted

BOTH = [(False, nx.closeness_centrality), (True, nx.harmonic_centrality)]


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("name", ["shapes", "sizes_around_words"])
@pytest.mark.parametrize(("harmonic", "reference"), BOTH, ids=["closeness", "harmonic"])
@pytest.mark.parametrize("by_weight", [False, True])
def test_as_networkx_does(device, name, directed, harmonic, reference, by_weight):
    make, _ = SETS[f"{name}-undirected"]
    graphs = weighted(make(directed))
    batch = batch_of(graphs, device, "weight")
    result = mg.batch.closeness(batch, harmonic=harmonic, weighted=by_weight)
    assert len(result) == len(graphs)
    for i, (found, graph) in enumerate(zip(result, graphs, strict=True)):
        expected = list(reference(graph, distance="weight" if by_weight else None).values())
        np.testing.assert_allclose(CPU.asarray(found), expected, rtol=1e-13, atol=0, err_msg=f"graph {i}")


def test_as_distances_say(device, graphs):
    """Scores are what they are defined to be of the distances, which are tested by themselves."""
    batch = batch_of(graphs, device)
    distances = mg.batch.shortest_paths(batch)
    near, inverse = (mg.batch.closeness(batch, harmonic=harmonic) for harmonic in (False, True))
    for i, distance in enumerate(map(CPU.asarray, distances)):
        away = np.where(distance > 0, distance, np.inf)
        np.testing.assert_allclose(CPU.asarray(inverse[i]), (1 / away).sum(axis=0), rtol=1e-12)
        reached, total = (distance > 0).sum(axis=0), np.maximum(distance, 0).sum(axis=0)
        others = max(len(distance) - 1, 1)
        expected = np.where(total > 0, reached / np.maximum(total, 1) * (reached / others), 0)
        np.testing.assert_allclose(CPU.asarray(near[i]), expected, rtol=1e-13)


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize(("harmonic", "reference"), BOTH, ids=["closeness", "harmonic"])
def test_weights_of_zero(device, directed, harmonic, reference):
    graphs = weighted([nx.gnp_random_graph(n, 3 / n, seed=n, directed=directed) for n in (6, 40, 140)], low=0)
    for graph in graphs:
        for *_, data in graph.edges(data=True):
            data["weight"] = max(data["weight"] - 4, 0)
    result = mg.batch.closeness(batch_of(graphs, device, "weight"), harmonic=harmonic, weighted=True)
    for found, graph in zip(result, graphs, strict=True):
        expected = list(reference(graph, distance="weight").values())
        np.testing.assert_allclose(CPU.asarray(found), expected, rtol=1e-13)


def test_bad_weights(device):
    batch = mg.GraphBatch.from_graphs([([0], [1], [1.0]), ([0], [1], [-2.0])], device=device)
    with pytest.raises(GraphError, match=r"closeness needs .* of at least 0, but in graph 1 the edge 0 -> 1"):
        mg.batch.closeness(batch, weighted=True)


def test_same_in_every_run(device):
    batch = batch_of(SETS["large_among_small-directed"][0](True), device)
    one, other = (CPU.asarray(mg.batch.closeness(batch, harmonic=True).score) for _ in range(2))
    np.testing.assert_array_equal(one, other)


def test_what_is_no_batch():
    with pytest.raises(GraphError, match="closeness expects a GraphBatch, got Graph"):
        mg.batch.closeness(mg.generate.path(3, device="cpu"))


def test_a_graph_that_a_result_does_not_have(device):
    batch = mg.GraphBatch.from_graphs([[(0, 1)], [(0, 1), (1, 2)]], device=device)
    for result in (mg.batch.closeness(batch), mg.batch.shortest_paths(batch)):
        assert [len(result[i]) for i in (-2, -1, np.int64(1))] == [2, 3, 3]
        for wrong in (2, -3):
            with pytest.raises(IndexError, match=f"there is no graph {wrong}: the result has 2 graphs"):
                result[wrong]
        with pytest.raises(TypeError, match=r"number of one graph, not slice\(0, 2, None\)"):
            result[0:2]
