"""One set with an empty graph, one vertex, 5000 vertices, a disconnected graph and a malformed one, as a stream."""

from functools import partial

import networkx as nx
import numpy as np
import pytest
from scipy.sparse.csgraph import shortest_path

import minigr as mg
from minigr.device import CPU
from minigr.errors import GraphError
from tests.batch.sets import random_tree

EMPTY, ONE, LARGE, APART, MALFORMED, LAST = range(6)
CALLS = {
    "hops": mg.batch.shortest_paths,
    "distances": partial(mg.batch.shortest_paths, weighted=True),
    "closeness": mg.batch.closeness,
    "harmonic": partial(mg.batch.closeness, harmonic=True),
    "by weight": partial(mg.batch.closeness, weighted=True),
    "betweenness": mg.batch.betweenness,
    "betweenness by weight": partial(mg.batch.betweenness, weighted=True),
    "components": mg.batch.components,
    "triangles": mg.batch.triangles,
    "coloring": mg.batch.coloring,
    "pagerank": mg.batch.pagerank,
}


@pytest.fixture(scope="module")
def set_of_graphs():
    """The graphs as a stream takes them, each as NetworkX or SciPy takes it, and the betweenness of the large one."""
    src, dst, betweenness = random_tree(5000, 7, reach=400)
    weights = 1.0 + np.arange(4999) % 4
    large = mg.Graph.from_edges(src, dst, weights, device="cpu")
    apart = nx.disjoint_union(nx.complete_graph(5), nx.path_graph(6))
    apart.add_nodes_from((11, 12))
    last = nx.gnp_random_graph(30, 0.15, seed=2)
    for graph in (apart, last):
        nx.set_edge_attributes(graph, {(u, v): 1.0 + (u * v) % 3 for u, v in graph.edges}, "weight")
    malformed = ([0, 1], [1, 5.5], [1.0, 1.0])
    elements = [nx.empty_graph(0), nx.empty_graph(1), large, apart, malformed, last]
    return elements, {EMPTY: elements[0], ONE: elements[1], APART: apart, LAST: last}, large, betweenness


def found_of(set_of_graphs, name, device):
    """Position to what was found."""
    stream = mg.batch.map(set_of_graphs[0], CALLS[name], weight="weight", device=device)
    found = {}
    for part in stream:
        found |= {int(at): CPU.asarray(each) for at, each in zip(part.positions, part.result, strict=True)}
    assert sorted(found) == [EMPTY, ONE, LARGE, APART, LAST]
    assert [fault.position for fault in stream.faults] == [MALFORMED]
    assert isinstance(stream.faults[0].error, GraphError)
    assert "dst must hold integer vertex ids" in str(stream.faults[0].error)
    return found


@pytest.mark.parametrize("name", ["hops", "distances"])
def test_distances(set_of_graphs, device, name):
    _, small, large, _ = set_of_graphs
    found = found_of(set_of_graphs, name, device)
    matrices = {at: nx.to_scipy_sparse_array(graph) for at, graph in small.items() if len(graph)}
    matrices[LARGE] = large.to_scipy()
    for at, matrix in matrices.items():
        expected = shortest_path(matrix.astype(float), directed=False, unweighted=name == "hops")
        if name == "hops":
            expected[np.isinf(expected)] = -1
        np.testing.assert_array_equal(found[at], expected, err_msg=f"graph {at}")
    assert found[EMPTY].shape == (0, 0)


@pytest.mark.parametrize(
    ("name", "reference"),
    [
        ("closeness", nx.closeness_centrality),
        ("harmonic", nx.harmonic_centrality),
        ("by weight", partial(nx.closeness_centrality, distance="weight")),
        ("betweenness", nx.betweenness_centrality),
        ("betweenness by weight", partial(nx.betweenness_centrality, weight="weight")),
        ("triangles", nx.triangles),
    ],
)
def test_numbers_of_vertices(set_of_graphs, device, name, reference):
    _, small, large, betweenness = set_of_graphs
    found = found_of(set_of_graphs, name, device)
    for at, graph in small.items():
        np.testing.assert_allclose(found[at], list(reference(graph).values()), rtol=1e-12, atol=1e-15)
    if name.startswith("betweenness"):
        expected = betweenness / (4999 * 4998 / 2)
    elif name == "triangles":
        expected = np.zeros(5000)
    else:
        distance = shortest_path(large.to_scipy(), directed=False, unweighted=name != "by weight")
        np.fill_diagonal(distance, np.inf)
        expected = (1 / distance).sum(axis=0)
        if name != "harmonic":
            np.fill_diagonal(distance, 0)
            expected = 4999 / distance.sum(axis=0)
    np.testing.assert_allclose(found[LARGE], expected, rtol=1e-9)


def test_components(set_of_graphs, device):
    found = found_of(set_of_graphs, "components", device)
    assert found[APART].tolist() == [0] * 5 + [5] * 6 + [11, 12]
    assert (found[LARGE] == 0).all()
    assert [len(found[at]) for at in (EMPTY, ONE)] == [0, 1]


def test_coloring(set_of_graphs, device):
    elements = set_of_graphs[0]
    found = found_of(set_of_graphs, "coloring", device)
    src, dst, _ = elements[LARGE].to_edges()
    assert (found[LARGE][src] != found[LARGE][dst]).all()
    for at in (APART, LAST):
        assert all(found[at][u] != found[at][v] for u, v in elements[at].edges)


def test_pagerank(set_of_graphs, device):
    found = found_of(set_of_graphs, "pagerank", device)
    for at, graph in {**set_of_graphs[1], LARGE: set_of_graphs[2].to_networkx()}.items():
        expected = (
            list(nx.pagerank(graph, tol=1e-12 / max(len(graph), 1), max_iter=2000).values()) if len(graph) else []
        )
        np.testing.assert_allclose(found[at], expected, atol=1e-6, err_msg=f"graph {at}")
        assert abs(found[at].sum() - (len(graph) > 0)) < 1e-12
