"""The list of rows that are not empty, which a graph keeps for pulls on a GPU."""

import numpy as np
import pytest

import minigr as mg
from minigr.device import CPU
from minigr.graphs import graph as graphs

pytestmark = pytest.mark.gpu


@pytest.fixture(autouse=True)
def small_graphs_count(monkeypatch):
    monkeypatch.setattr(graphs, "_MANY_ROWS", 1)


def sparse(**options):
    """A graph of 512 vertices, more than a quarter of which have no edge in either direction."""
    return mg.generate.rmat(9, 2, seed=3, **options)


def same(ours, theirs):
    np.testing.assert_array_equal(CPU.asarray(ours), CPU.asarray(theirs))


@pytest.mark.parametrize("arcs", ["device", "host"])
@pytest.mark.parametrize("directed", [False, True])
def test_searches_go_through_rows_that_are_not_empty(directed, arcs):
    host = sparse(directed=directed, device="cpu")
    graph = host.to("cuda", arcs=arcs)
    same(mg.bfs(graph, 1, direction="pull").depth, mg.bfs(host, 1).depth)
    same(mg.connected_components(graph).label, mg.connected_components(host).label)
    nonempty = np.flatnonzero(host.in_degree())
    assert len(nonempty) < 512 * 3 / 4
    same(graph._rows_to_search().nonempty, nonempty)
    degrees = np.diff(CPU.asarray(graph._rows_to_search().nonempty_offsets))
    same(degrees, host.in_degree()[nonempty])
    assert graph.kept["rows_to_search"] == 12 * len(nonempty) + 8 + 4 * 512 * (arcs == "host")
    graph.drop("rows_to_search")
    same(mg.bfs(graph, 1).depth, mg.bfs(host, 1).depth)


@pytest.mark.parametrize("parts", [1, 3])
@pytest.mark.parametrize("deal", ["hash", "ranges"])
def test_parts_search_their_own_rows(deal, parts):
    host = mg.generate.rmat(11, 8, seed=4, device="cpu")
    source = int(host.out_degree().argmax())
    graph = mg.PartitionedGraph.from_graph(host, devices=["cuda"] * parts, deal=deal)
    same(mg.bfs(graph, source).depth.gather(), mg.bfs(host, source).depth)
    same(mg.connected_components(graph).label.gather(), mg.connected_components(host).label)
    rows = [CPU.asarray(part.graph._rows_to_search().nonempty) for part in graph.parts]
    same(np.sort(np.concatenate(rows)), np.flatnonzero(host.out_degree()))


def test_where_most_rows_have_edges_all_are_gone_through():
    graph = mg.generate.cycle(100, device="cuda")
    same(mg.bfs(graph, 0, direction="pull").depth, np.minimum(np.arange(100), 100 - np.arange(100)))
    assert graph._rows_to_search().nonempty is None
    empty = mg.Graph.from_edges([], [], num_vertices=5, device="cuda")
    same(mg.bfs(empty, 2, direction="pull").depth, [-1, -1, 0, -1, -1])


def test_searches_do_without_the_list_where_there_is_no_room(monkeypatch):
    graph = sparse(device="cuda")
    monkeypatch.setattr(graphs, "fits", lambda device, needed: False)
    same(mg.bfs(graph, 1, direction="pull").depth, mg.bfs(sparse(device="cpu"), 1).depth)
    assert graph.kept == {}
