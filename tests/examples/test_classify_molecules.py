"""The example of classified graphs: its features are what they say, and tell graphs apart."""

import importlib
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

import minigr as mg

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="module")
def example():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(EXAMPLES)
        yield importlib.import_module("classify_molecules")


def batch_of(graphs, device, **labels):
    batch = mg.GraphBatch.from_graphs(graphs, device=device)
    return mg.GraphBatch.from_graph(batch.graph, batch.host_offsets, **labels)


def test_moments_and_histograms(example):
    batch = batch_of([nx.path_graph(3), nx.empty_graph(0), nx.path_graph(2)], "cpu")
    found = example.moments(batch, np.array([1.0, 2.0, 6.0, 4.0, 8.0]))
    deviation = np.std([1, 2, 6])
    np.testing.assert_allclose(found, [[3, deviation, 1, 6], [0, 0, 0, 0], [6, 2, 4, 8]])
    owner = batch.graph_of_vertex().astype(np.int64)
    found = example.histograms(owner, np.array([0, 1, 1, 1, 1]), 3, 2)
    np.testing.assert_allclose(found, [[1 / 3, 2 / 3], [0, 0], [0, 1]])


def test_distances(example, device):
    graphs = [nx.path_graph(3), nx.path_graph(40), nx.empty_graph(2), nx.empty_graph(1)]
    found = example.distances(batch_of(graphs, device))
    np.testing.assert_allclose(found[0, :3], [0, 4 / 6, 2 / 6])
    far = sum(40 - hops for hops in range(example.DISTANCES, 40)) / (40 * 39 / 2)
    np.testing.assert_allclose(found[1, [1, -1]], [39 / (40 * 39 / 2), far])
    assert found[2, 0] == 1
    assert not found[3].any()


def test_features_are_the_same_on_every_device_and_for_a_graph_whose_vertices_are_renamed(example, device):
    graphs = [nx.gnp_random_graph(n, 0.3, seed=n) for n in (5, 9, 14, 1)]
    shuffled = nx.Graph()
    shuffled.add_nodes_from(range(5))
    shuffled.add_edges_from((4 - u, 4 - v) for u, v in graphs[0].edges)
    labels = np.arange(34) % 3
    labels[29:] = labels[4::-1]
    table = example.features(batch_of([*graphs, shuffled], device, vertex_labels=labels), atoms=True)
    expected = example.features(batch_of([*graphs, shuffled], "cpu", vertex_labels=labels), atoms=True)
    np.testing.assert_allclose(table, expected, atol=1e-12)
    np.testing.assert_allclose(table[0], table[4], atol=1e-12)
    assert not np.allclose(table[0], table[1])


def test_classes_are_found_and_chance_is_not(example):
    pytest.importorskip("sklearn")
    graphs = [nx.star_graph(n) for n in range(8, 20)] + [nx.path_graph(n) for n in range(9, 21)]
    table = example.features(batch_of(graphs, "cpu"))
    assert example.accuracy(table, [0] * 12 + [1] * 12, 4).mean() == 1
    assert example.accuracy(np.zeros_like(table), [0] * 12 + [1] * 12, 4).mean() <= 0.5
