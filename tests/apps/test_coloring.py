"""Graph coloring, over the battery, against greedy coloring in plain Python and against NetworkX."""

from functools import partial

import networkx as nx
import numpy as np
import pytest

import minigr as mg
from minigr.device import CPU, resolve
from minigr.errors import GraphError, ProblemError
from tests.apps import in_order
from tests.apps.whoever_runs_it import check_drivers
from tests.layouts import slabs_of
from tests.verifiers import check_coloring


@pytest.mark.parametrize("order", ["largest_first", "random"])
def test_battery(graph, order):
    result = mg.coloring(graph, order, seed=3)
    assert isinstance(result.color, resolve(graph.device).xp.ndarray)
    check_coloring(graph, result.color, result.num_colors)
    np.testing.assert_array_equal(CPU.asarray(result.color), in_order.color(graph, order, seed=3))


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("order", ["largest_first", "random"])
def test_over_slabs(device, directed, order):
    rows = mg.generate.rmat(9, 8, seed=1, directed=directed, device=device)
    graph = slabs_of(rows)
    result = mg.coloring(graph, order)
    check_coloring(rows, result.color, result.num_colors)
    np.testing.assert_array_equal(CPU.asarray(result.color), CPU.asarray(mg.coloring(graph.to_graph(), order).color))


@pytest.mark.parametrize("in_edges", [False, True])
@pytest.mark.parametrize("directed", [False, True])
def test_deleted_vertices_have_no_color(device, directed, in_edges):
    rows = mg.generate.rmat(7, 4, seed=3, directed=directed, device=device)
    graph = mg.DynamicGraph.from_graph(rows, in_edges=in_edges)
    gone = [0, 3, 40, 127]
    graph.delete_vertices(gone)
    result = mg.coloring(graph)
    expected = in_order.color(graph.to_graph())
    expected[gone] = -1
    np.testing.assert_array_equal(CPU.asarray(result.color), expected)
    assert result.num_colors == expected.max() + 1
    graph.delete_vertices(CPU.asarray(graph.live_vertices()))
    assert mg.coloring(graph).num_colors == 0


@pytest.mark.parametrize("threads", ["1", "2", "5"])
@pytest.mark.parametrize("directed", [False, True])
def test_the_same_whoever_runs_it(device, directed, threads, monkeypatch):
    """More than 64 colors, so that a vertex has several words of them, and steps that are shared."""
    graph = mg.generate.rmat(12, 64, seed=5, directed=directed, device=device)
    expected = in_order.color(graph, seed=9)
    assert expected.max() > 64
    monkeypatch.setenv("MINIGR_NUM_THREADS", threads)
    check_drivers(partial(mg.coloring, seed=9), lambda result: result.color, graph, expected)


def test_every_number_of_colors_up_to_several_words(device):
    """In a complete graph the last vertex finds all colors taken that its bits are for."""
    for count in (31, 32, 33, 34, 64, 65, 97):
        graph = mg.generate.complete(count, device=device)
        assert sorted(CPU.asarray(mg.coloring(graph).color).tolist()) == list(range(count))


@pytest.mark.parametrize(
    "make",
    [
        lambda device: mg.generate.rmat(11, 16, seed=11, device=device),
        lambda device: mg.generate.random_geometric(3000, 16, seed=4, device=device),
        lambda device: mg.read("wordnet", device=device),
    ],
    ids=["rmat", "random_geometric", "wordnet"],
)
def test_as_few_colors_as_networkx(device, make):
    graph = make(device)
    others = nx.Graph(graph.to_networkx())
    others.remove_edges_from(list(nx.selfloop_edges(others)))
    theirs = max(nx.greedy_color(others, strategy="largest_first").values()) + 1
    assert mg.coloring(graph).num_colors <= max(1.1 * theirs, theirs + 1)


def test_largest_first_takes_fewer_colors_than_random(device):
    graph = mg.generate.rmat(12, 16, seed=2, device=device)
    assert mg.coloring(graph).num_colors < mg.coloring(graph, "random").num_colors


def test_seeds(device):
    graph = mg.generate.rmat(8, 8, seed=1, device=device)
    colors = [CPU.asarray(mg.coloring(graph, "random", seed).color) for seed in (0, 0, 1, -1, 2**64 - 1)]
    assert (colors[0] == colors[1]).all()
    for one, other in ((0, 2), (0, 3), (2, 3)):
        assert (colors[one] != colors[other]).any()
    for seed, complaint in ((1.5, "seed must be a whole number"), (2**64, "seed must be between")):
        with pytest.raises(GraphError, match=complaint):
            mg.coloring(graph, seed=seed)


def test_an_unknown_order(device):
    with pytest.raises(ProblemError, match="order='smallest_last' is 'largest_first', 'random' or"):
        mg.coloring(mg.generate.path(3, device=device), "smallest_last")


def test_any_order(graph):
    count = graph.num_vertices
    for seed in range(2):
        order = np.random.default_rng(seed).permutation(count)
        result = mg.coloring(graph, graph._device.asarray(order) if seed else order.tolist())
        check_coloring(graph, result.color, result.num_colors)
        np.testing.assert_array_equal(CPU.asarray(result.color), in_order.color_along(graph, order))


@pytest.mark.parametrize(
    ("order", "error", "complaint"),
    [
        ([0, 1, 1], ProblemError, "vertex 1 2 times"),
        ([0, 1], ProblemError, "vertex 2 0 times"),
        ([0, 1, 3], GraphError, r"order\[2\] is 3"),
        ([0.0, 1.0, 2.0], GraphError, "order must hold integer"),
    ],
)
def test_an_order_that_is_none(device, order, error, complaint):
    with pytest.raises(error, match=complaint):
        mg.coloring(mg.generate.path(3, device=device), order)
