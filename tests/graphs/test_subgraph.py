"""Subgraphs over the battery, compared with those of NetworkX."""

import networkx as nx
import numpy as np
import pytest

import minigr as mg
from minigr.device import CPU
from minigr.errors import GraphError
from minigr.graphs import Graph, build_cpu
from tests.battery import BATTERY
from tests.graphs.test_edit import whole


@pytest.fixture(params=[factory for _, factory in BATTERY], ids=[name for name, _ in BATTERY])
def graph(request, device):
    return request.param(device)


def edges(theirs):
    """The edges of a NetworkX graph with their weights, sorted."""
    named = ((u, v, held.get("weight")) for u, v, held in theirs.edges(data=True))
    return sorted(edge if theirs.is_directed() else (*sorted(edge[:2]), edge[2]) for edge in named)


def check(graph, vertices):
    assert graph.is_simple in (False, True)  # the graph knows it, so the subgraph may
    ours = whole(graph.subgraph(vertices))
    assert (ours.num_vertices, ours.directed, ours.device) == (len(vertices), graph.directed, graph.device)
    assert ours.weight_dtype == graph.weight_dtype
    theirs = graph.to_networkx().subgraph(vertices.tolist())
    numbers = {vertex: number for number, vertex in enumerate(vertices.tolist())}
    assert edges(ours.to_networkx()) == edges(nx.relabel_nodes(theirs, numbers))
    return ours


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_some_vertices_in_any_order(graph, share):
    n = graph.num_vertices
    check(graph, np.random.default_rng(8).permutation(n)[: round(share * n)])


def test_in_parts(monkeypatch):
    monkeypatch.setattr(build_cpu, "part_of", lambda count: 50)
    graph = mg.generate.rmat(8, 8, seed=2, directed=True, weights=(1, 9), device="cpu")
    check(graph, np.random.default_rng(3).permutation(200))


def test_rows_that_are_sorted_by_digits(device):
    rng, n = np.random.default_rng(4), 6000
    graph = Graph.from_edges(rng.integers(0, 3, 40_000), rng.integers(0, n, 40_000), directed=True, device=device)
    check(graph, rng.permutation(n)[:5000])


def test_all_vertices_are_the_same_graph(device):
    graph = mg.generate.rmat(7, 8, seed=2, weights=(1, 9), simple=False, device=device)
    ours = graph.subgraph(np.arange(graph.num_vertices))
    for name in ("offsets", "indices", "weights"):
        np.testing.assert_array_equal(CPU.asarray(getattr(ours, name)), CPU.asarray(getattr(graph, name)))


@pytest.mark.parametrize(
    ("vertices", "named"),
    [
        ([0, 2, 0], "vertex 0 is given twice"),
        ([True, False, True], r"got a mask of bools: pass np.flatnonzero\(vertices\)"),
        ([3], r"vertices\[0\] is 3, but num_vertices is 3"),
        ([0, -1], r"vertices\[1\] is -1"),
        ([0.5], "must hold integer"),
        ([[0]], "one dimension"),
    ],
)
def test_vertices_that_are_refused(device, vertices, named):
    with pytest.raises(GraphError, match=named):
        mg.generate.path(3, device=device).subgraph(vertices)


def test_names_go_along():
    pytest.importorskip("pandas")
    labels, ends = mg.Labels.number(["ann", "bob", "cleo"], ["bob", "cleo", "dora"])
    vertices = labels.ids(["dora", "cleo", "ann"])
    part = Graph.from_edges(*ends, device="cpu").subgraph(vertices)
    assert mg.Labels(labels[vertices]).series(part.degree()).to_dict() == {"dora": 1, "cleo": 1, "ann": 0}
