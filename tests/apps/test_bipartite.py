"""Sides of bipartite graphs, over the battery, against NetworkX and by their definition."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minigr as mg
from minigr.device import CPU, resolve
from tests.apps.whoever_runs_it import check_drivers_without_trace
from tests.layouts import slabs_of
from tests.verifiers import arcs_of, check_bipartite


def check(rows, result):
    check_bipartite(rows, result.side, result.bipartite, result.odd_edge)
    src, dst, _ = arcs_of(rows)
    side = CPU.asarray(result.side)
    inside = side[src] == side[dst]
    pairs = np.stack([np.minimum(src, dst), np.maximum(src, dst)])[:, inside]
    assert result.odd_edge == (min(map(tuple, pairs.T.tolist())) if inside.any() else None)


def test_battery(graph):
    result = mg.bipartite_sides(graph)
    assert isinstance(result.side, resolve(graph.device).xp.ndarray)
    check(graph, result)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=10), st.booleans())
def test_small_graphs(edges, directed):
    src, dst = np.array(edges, np.int32).reshape(-1, 2).T
    graph = mg.Graph.from_edges(src, dst, num_vertices=8, directed=directed, device="cpu")
    check(graph, mg.bipartite_sides(graph))


@pytest.mark.parametrize("directed", [False, True])
def test_over_slabs(device, directed):
    rows = mg.generate.lattice(30, 20, 0.6, seed=2, device=device)
    src, dst, _ = rows.to_edges()
    rows = mg.Graph.from_edges(src, dst, num_vertices=rows.num_vertices, directed=directed, device=device)
    result = mg.bipartite_sides(slabs_of(rows))
    assert result.bipartite
    check(rows, result)


def test_deleted_vertices(device):
    graph = mg.DynamicGraph.from_edges([0, 1, 2, 3], [1, 2, 0, 2], directed=False, device=device)
    assert mg.bipartite_sides(graph).odd_edge == (1, 2)
    graph.delete_vertices([1])
    result = mg.bipartite_sides(graph)
    assert (CPU.asarray(result.side).tolist(), result.bipartite) == ([0, -1, 1, 0], True)


def test_a_long_odd_cycle(device):
    for length in (5000, 5001):
        graph = mg.generate.cycle(length, device=device)
        assert mg.bipartite_sides(graph).bipartite is (length % 2 == 0) is nx.is_bipartite(nx.cycle_graph(length))


def test_drivers_agree(device):
    graph = mg.generate.lattice(20, 20, 0.7, seed=1, device=device)
    check_drivers_without_trace(mg.bipartite_sides, lambda result: result.side, graph)
