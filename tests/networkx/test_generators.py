"""Graphs that are the same as NetworkX's, edge for edge and in order, and are what minigr's functions take."""

import random

import networkx as nx
import numpy as np
import pytest

from minigr.networkx.graph import ConvertedGraph, convert

CALLS = [
    *[(name, {"n": n}) for name in ("path_graph", "star_graph", "complete_graph") for n in (0, 1, 2, 7)],
    *[("cycle_graph", {"n": n}) for n in (3, 4, 9)],
    *[("grid_2d_graph", {"m": m, "n": n}) for m, n in ((0, 0), (0, 3), (1, 1), (1, 5), (4, 3))],
    *[
        ("gnm_random_graph", {"n": n, "m": m, "seed": 5, "directed": directed})
        for n, m in (
            (0, 0),
            (0, 5),
            (1, 5),
            (2, 1),
            (2, 2),
            (2, 3),
            (5, 10),
            (5, 20),
            (60, 0),
            (60, 100),
            (60, 1700),
            (2**12, 9000),
        )
        for directed in (False, True)
    ],
    ("gnm_random_graph", {"n": 200_000, "m": 300_000, "seed": 6}),  # more words than are made at once
    *[
        ("fast_gnp_random_graph", {"n": n, "p": p, "seed": 7, "directed": directed})
        for n, p in ((0, 0.5), (1, 0.5), (2, 0.5), (60, 0.1), (60, 0.99), (60, 1e-15), (700, 0.7))
        for directed in (False, True)
    ],
]


@pytest.mark.parametrize(("name", "named"), CALLS, ids=lambda value: str(value))
def test_the_same_graph(installed, name, named):
    found = getattr(nx, name)(**named, backend="minigr")
    expected = getattr(nx, name)(**named)
    assert isinstance(found, ConvertedGraph)
    same = convert(expected, {})
    assert list(found) == list(same)
    assert found.is_directed() == same.is_directed()
    assert (found.number_of_nodes(), found.number_of_edges()) == (len(expected), expected.number_of_edges())
    assert found.offsets.tolist() == same.offsets.tolist()
    assert found.targets.tolist() == same.targets.tolist()
    if len(found) < 100:
        assert nx.utils.graphs_equal(found.networkx(), expected)


@pytest.mark.parametrize("name", ["gnm_random_graph", "fast_gnp_random_graph"])
def test_what_is_drawn_is_drawn_once(installed, name):
    """The generator goes on where it would have gone on."""
    second = {"gnm_random_graph": 70, "fast_gnp_random_graph": 0.2}[name]
    ours, theirs = random.Random(11), random.Random(11)
    for _ in range(3):
        found = getattr(nx, name)(40, second, seed=ours, backend="minigr")
        expected = getattr(nx, name)(40, second, seed=theirs)
        assert nx.utils.graphs_equal(found.networkx(), expected)
        assert ours.gauss(0, 1) == theirs.gauss(0, 1)
    random.seed(12)
    found, after = getattr(nx, name)(40, second, backend="minigr"), random.random()
    random.seed(12)
    assert nx.utils.graphs_equal(found.networkx(), getattr(nx, name)(40, second))
    assert random.random() == after


def test_functions_take_it_without_conversion(backend, monkeypatch):
    graph = nx.gnm_random_graph(500, 800, seed=3, backend="minigr")
    expected = nx.gnm_random_graph(500, 800, seed=3)
    monkeypatch.setattr("minigr.networkx.interface.convert", None)
    monkeypatch.setattr("minigr.networkx.graph.rows_of_networkx", None)
    assert nx.number_connected_components(graph) == nx.number_connected_components(expected)
    assert nx.pagerank(graph) == pytest.approx(nx.pagerank(expected))
    assert list(nx.bfs_edges(graph, 0)) == list(nx.bfs_edges(expected, 0))
    assert nx.degree_centrality(graph) == nx.degree_centrality(expected)
    assert nx.utils.graphs_equal(nx.k_core(graph, 3), nx.k_core(expected, 3))
    tree, edges = nx.minimum_spanning_tree(graph), list(nx.minimum_spanning_edges(expected))
    assert sorted(tree.edges) == sorted((u, v) for u, v, _ in edges)


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("path_graph", {"n": [1, 2]}),
        ("path_graph", {"n": 3, "create_using": nx.DiGraph}),
        ("path_graph", {"n": -1}),
        ("cycle_graph", {"n": 2}),
        ("grid_2d_graph", {"m": 3, "n": 3, "periodic": True}),
        ("gnm_random_graph", {"n": 5, "m": 2.5}),
        ("fast_gnp_random_graph", {"n": 5, "p": 0}),
        ("fast_gnp_random_graph", {"n": 5, "p": 1}),
    ],
)
def test_what_is_left_to_networkx(installed, name, given):
    with pytest.raises(NotImplementedError):
        getattr(nx, name)(**given, backend="minigr")


@pytest.mark.parametrize("named", [{}, {"backend": "minigr"}])
def test_a_chance_that_is_lost_to_rounding(installed, named):
    with pytest.raises(ZeroDivisionError):
        nx.fast_gnp_random_graph(5, 1e-17, seed=1, **named)
    assert len(nx.fast_gnp_random_graph(1, 1e-17, seed=1, **named)) == 1


@pytest.mark.parametrize("directed", [0, None, "yes"])
@pytest.mark.parametrize(("name", "second"), [("gnm_random_graph", 7), ("fast_gnp_random_graph", 0.4)])
def test_what_is_true_or_not_without_being_a_bool(installed, name, second, directed):
    found = getattr(nx, name)(5, second, seed=1, directed=directed, backend="minigr")
    expected = getattr(nx, name)(5, second, seed=1, directed=directed)
    assert found.is_directed() is expected.is_directed()
    assert nx.utils.graphs_equal(found.networkx(), expected)


class Halves(random.Random):
    def random(self):
        return 0.5


@pytest.mark.parametrize(
    "seed",
    [np.random.RandomState(1), nx.utils.create_py_random_state(np.random.default_rng(1)), Halves(1)],
    ids=["NumPy", "NumPy, by functions of Python", "a subclass"],
)
def test_other_generators_than_python_s_are_left_to_networkx(installed, seed):
    for name, arguments in (("gnm_random_graph", (5, 3)), ("fast_gnp_random_graph", (5, 0.5))):
        with pytest.raises(NotImplementedError, match="for the given arguments"):
            getattr(nx, name)(*arguments, seed=seed, backend="minigr")
