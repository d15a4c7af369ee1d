"""Bridges, articulation points and biconnected components, over the battery and against NetworkX."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minigr as mg
from minigr.device import CPU, resolve
from minigr.errors import GraphError
from minigr.program import cpu
from tests.apps.whoever_runs_it import check_drivers_without_trace
from tests.layouts import slabs_of
from tests.verifiers import arcs_of, check_biconnected

CALLS = (mg.biconnected_components, mg.bridges, mg.articulation_points)


def check(graph, rows=None):
    """All three over `graph`, whose edges `rows` has as a `Graph`."""
    components, bridges, points = (call(graph) for call in CALLS)
    ends = CPU.asarray(bridges.src), CPU.asarray(bridges.dst)
    label = CPU.asarray(components.label)
    if rows is None:
        where, rows = label, graph
        names, first = np.unique(label[label >= 0], return_index=True)
        np.testing.assert_array_equal(np.flatnonzero(label >= 0)[first], names)
    else:  # labels are those of lanes
        where = labels_of_arcs(graph, label, rows)
    check_biconnected(rows, where, components.num_components, ends, CPU.asarray(points.member), points.size)
    edges = CPU.asarray(bridges.edges)
    assert (np.diff(edges) > 0).all()
    assert (label[edges] == edges).all()  # a bridge is a component of one edge
    np.testing.assert_array_equal(CPU.asarray(graph.out_edges.entries[bridges.edges]), ends[1])


class LanesProblem(mg.Problem):
    lane = mg.edge_field(np.int64, fill=-1)
    tail = mg.edge_field(np.int32, fill=-1)


class Lanes(mg.Functor):
    def cond_advance(src):
        return True

    def apply_advance(src, edge, lane, tail):
        lane[edge] = edge
        tail[edge] = src


def labels_of_arcs(graph, label, rows):
    problem = LanesProblem(graph)
    mg.operators.advance(problem, mg.Frontier.all_vertices(), Lanes, output=None)
    lanes = np.flatnonzero(CPU.asarray(problem.lane) >= 0)
    tail, head = CPU.asarray(problem.tail)[lanes], CPU.asarray(graph.out_edges.entries)[lanes]
    order = np.lexsort((head, tail))
    np.testing.assert_array_equal(np.stack([tail, head])[:, order], np.stack(arcs_of(rows)[:2]))
    return label[lanes[order]]


def test_battery(graph):
    if graph.directed:
        for call in CALLS:
            with pytest.raises(GraphError, match=rf"^{call.__name__} takes an undirected graph.*directed=False"):
                call(graph)
        return
    check(graph)
    assert isinstance(mg.biconnected_components(graph).label, resolve(graph.device).xp.ndarray)


def shapes():
    """(name, number of vertices, src, dst): long cycles, and threads that meet in them."""
    rng = np.random.default_rng(7)
    n = 3000
    ids = np.arange(n)
    mixed = rng.permutation(ids)
    around = np.roll(mixed, 1)
    chords = mixed[:-700:20], mixed[700::20]
    yield "cycle with chords", n, np.r_[mixed, chords[0]], np.r_[around, chords[1]]
    yield "cycles in a row", n, np.r_[mixed[:-1], mixed[:-9:10]], np.r_[mixed[1:], mixed[8::10]]
    yield "cycles at one vertex", n, np.r_[np.zeros(n), ids], np.r_[ids, ids // 3 * 3]
    yield "ladder", n, np.r_[ids[:-2], ids[::2]], np.r_[ids[2:], ids[1::2]]
    yield "sparse", n, rng.integers(0, n, n + 300), rng.integers(0, n, n + 300)
    yield "random", n, rng.integers(0, n, 3 * n), rng.integers(0, n, 3 * n)


SHAPES = {name: rest for name, *rest in shapes()}


@pytest.mark.parametrize("threads", ["1", "5"])
@pytest.mark.parametrize("name", SHAPES)
def test_threads_that_meet(device, name, threads, monkeypatch):
    monkeypatch.setenv("MINIGR_NUM_THREADS", threads)
    monkeypatch.setattr(cpu, "FIRST_SOLO", 0)
    n, src, dst = SHAPES[name]
    check(mg.Graph.from_edges(src.astype(np.int32), dst.astype(np.int32), num_vertices=n, device=device))


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=16))
def test_small_graphs_with_parallel_edges(edges):
    check(mg.Graph.from_edges(*np.array(edges, np.int32).reshape(-1, 2).T, num_vertices=10, device="cpu"))


def test_over_slabs(device):
    rows = mg.generate.lattice(20, 15, 0.62, seed=1, device=device)
    check(slabs_of(rows), rows)


def test_deleted_vertices(device):
    graph = mg.DynamicGraph.from_edges([0, 1, 2, 2, 3, 4], [1, 2, 0, 3, 4, 2], directed=False, device=device)
    assert CPU.asarray(mg.articulation_points(graph).member).tolist() == [False, False, True, False, False]
    graph.delete_vertices([0])
    assert CPU.asarray(mg.articulation_points(graph).member).tolist() == [False, False, True, False, False]
    assert CPU.asarray(mg.bridges(graph).src).tolist() == [1]
    assert mg.biconnected_components(graph).num_components == 2
    graph.delete_vertices([1, 2, 3, 4])
    assert mg.biconnected_components(graph).num_components == mg.articulation_points(graph).size == 0


def test_drivers_agree(device):
    graph = mg.generate.lattice(30, 30, 0.6, seed=4, device=device)
    check_drivers_without_trace(mg.biconnected_components, lambda result: result.label, graph)


def test_networkx_counts_the_same(device):
    graph = nx.random_regular_graph(3, 40, seed=2)
    graph.remove_nodes_from(range(9))
    nodes = list(graph)
    found = mg.Graph.from_networkx(graph, device=device)
    assert mg.biconnected_components(found).num_components == len(list(nx.biconnected_components(graph)))
    points = CPU.asarray(mg.articulation_points(found).member)
    assert {nodes[place] for place in np.flatnonzero(points)} == set(nx.articulation_points(graph))
