"""Triangles and clustering coefficients, over the battery and against NetworkX."""

import gc
from weakref import ref

import networkx as nx
import numpy as np
import pytest

import minigr as mg
from minigr.apps.common.orientation import oriented
from minigr.device import CPU, resolve
from minigr.graphs import build_cpu
from tests.layouts import slabs_of
from tests.verifiers import check_triangles


def simple(graph):
    """A graph without directions, parallel edges and self-loops, for NetworkX."""
    found = nx.Graph(graph.to_networkx())
    found.remove_edges_from(list(nx.selfloop_edges(found)))
    return found


def check(graph, rows):
    result = mg.triangle_count(graph, clustering=True)
    assert isinstance(result.total, int)
    assert isinstance(result.per_vertex, resolve(graph.device).xp.ndarray)
    check_triangles(rows, result.total, result.per_vertex)
    other = simple(rows)
    expected = nx.clustering(other) if len(other) else {}
    np.testing.assert_allclose(CPU.asarray(result.clustering), [expected[v] for v in range(len(other))], rtol=1e-12)
    assert result.transitivity == pytest.approx(nx.transitivity(other), rel=1e-12)
    alone = mg.triangle_count(graph)
    assert (alone.total, alone.per_vertex, alone.clustering, alone.transitivity) == (result.total, None, None, None)
    assert mg.triangle_count(graph, per_vertex=True).clustering is None


def test_battery(graph):
    check(graph, graph)


@pytest.mark.parametrize("directed", [False, True])
def test_rows_that_are_oriented_in_parts(directed, monkeypatch):
    monkeypatch.setattr(build_cpu, "part_of", lambda count: 50)
    graph = mg.generate.rmat(8, 8, seed=2, directed=directed, device="cpu")
    check(graph, graph)


@pytest.mark.parametrize("directed", [False, True])
def test_over_slabs(device, directed):
    rows = mg.generate.rmat(9, 8, seed=1, directed=directed, device=device)
    check(slabs_of(rows, deleted=3), rows.to_networkx() and slabs_of(rows, deleted=3).to_graph())


def test_answers_follow_updates(device):
    rng = np.random.default_rng(2)
    graph = mg.DynamicGraph(60, directed=False, device=device)
    for _ in range(5):
        src, dst = rng.integers(0, 60, (2, 300), dtype=np.int32)
        graph.insert_edges(src, dst)
        graph.delete_edges(src[:80], dst[:80])
        result = mg.triangle_count(graph, per_vertex=True)
        check_triangles(graph.to_graph(), result.total, result.per_vertex)


@pytest.mark.parametrize("threads", ["1", "2", "5"])
@pytest.mark.parametrize("directed", [False, True])
def test_the_same_whoever_runs_it(device, directed, threads, monkeypatch):
    graph = mg.generate.rmat(12, 24, seed=5, directed=directed, device=device)
    monkeypatch.setenv("MINIGR_NUM_THREADS", threads)
    result = mg.triangle_count(graph, per_vertex=True)
    check_triangles(graph, result.total, result.per_vertex)
    for driver in ("fused", "host"):
        assert mg.triangle_count(graph, driver=driver).total == result.total
    traced = mg.triangle_count(graph, trace=True)
    assert len(traced.trace) == traced.iterations == 1


def test_a_total_beyond_32_bits(device):
    """One vertex is in fewer triangles than that, but all together are in more."""
    size = 2400
    total = size * (size - 1) * (size - 2) // 6
    result = mg.triangle_count(mg.generate.complete(size, device=device), per_vertex=True)
    assert result.total == total > 2**31
    assert (CPU.asarray(result.per_vertex) == (size - 1) * (size - 2) // 2).all()


@pytest.mark.parametrize("directed", [False, True])
def test_an_orientation_has_each_edge_once_and_few_at_a_vertex(device, directed):
    rows = mg.generate.rmat(11, 16, seed=4, directed=directed, simple=False, device=device)
    way = oriented(rows)
    other = simple(rows)
    place = CPU.asarray(way.place).tolist()
    expected = {(max(place[u], place[v]), min(place[u], place[v])) for u, v in other.edges()}
    assert set(way.graph.to_networkx().edges()) == expected
    assert way.graph.num_arcs == len(expected)
    assert way.graph.max_degree() <= np.sqrt(2 * rows.num_edges)
    degree = CPU.asarray(way.as_given(way.degree())).tolist()
    assert degree == [other.degree(v) for v in range(len(place))]


def test_an_orientation_is_kept_as_long_as_its_graph(device):
    graph = mg.generate.complete(5, device=device)
    way = oriented(graph)
    assert oriented(graph) is way
    left = ref(way.graph)
    del graph, way
    gc.collect()
    assert left() is None
    changing = mg.DynamicGraph.from_edges([0, 1, 2], [1, 2, 0], directed=False, device=device)
    way = oriented(changing)
    assert oriented(changing) is way
    changing.delete_edges([0], [1])
    assert oriented(changing).graph.num_arcs == 2
