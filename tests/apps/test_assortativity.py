"""Degree assortativity and rich clubs, over the battery and against NetworkX."""

import math

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minigr as mg
from minigr.device import CPU, resolve
from minigr.errors import ProblemError
from tests.layouts import slabs_of
from tests.verifiers import arcs_of


def degrees_of(rows):
    """Out-degree and in-degree; of an undirected graph the degree, twice, where a self-loop counts twice."""
    src, dst, _ = arcs_of(rows)
    out, into = (np.bincount(ends, minlength=rows.num_vertices) for ends in (src, dst))
    if not rows.directed:
        out = into = out + np.bincount(src[src == dst], minlength=rows.num_vertices)
    return {"out": out, "in": into}


def check_assortativity(graph, rows):
    src, dst, _ = arcs_of(rows)
    degrees = degrees_of(rows)
    for tail, head in (("out", "in"), ("in", "in"), ("in", "out"), ("out", "out")):
        result = mg.degree_assortativity(graph, tail, head)
        x, y = degrees[tail][src], degrees[head][dst]
        around = np.bincount(src, weights=degrees[head][dst], minlength=graph.num_vertices)
        mean = around / np.bincount(src, minlength=graph.num_vertices).clip(1)
        np.testing.assert_allclose(CPU.asarray(result.average_neighbor_degree), mean, rtol=1e-12)
        if len(x) and np.ptp(x) and np.ptp(y):
            assert result.coefficient == pytest.approx(np.corrcoef(x, y)[0, 1], rel=1e-9, abs=1e-12)
        else:
            assert math.isnan(result.coefficient)


def check_rich_club(graph, rows, there=None):
    src, dst, _ = arcs_of(rows)
    other = nx.Graph(edge for edge in zip(src.tolist(), dst.tolist(), strict=True) if edge[0] != edge[1])
    other.add_nodes_from(range(graph.num_vertices) if there is None else there)
    result = mg.rich_club_coefficient(graph)
    degree = np.array([value for _, value in other.degree()], np.int64)
    counts = [int((degree > k).sum()) for k in range(degree.max(initial=0) + 1)]
    counts = [count for count in counts if count > 1]
    assert CPU.asarray(result.vertices).tolist() == counts
    assert CPU.asarray(result.edges).tolist() == [
        sum(min(other.degree[u], other.degree[v]) > k for u, v in other.edges) for k in range(len(counts))
    ]
    expected = nx.rich_club_coefficient(other, normalized=False) or dict.fromkeys(range(len(counts)), 0.0)
    assert dict(enumerate(CPU.asarray(result.coefficient).tolist())) == expected


def test_battery(graph):
    check_assortativity(graph, graph)
    check_rich_club(graph, graph)
    for found in (mg.degree_assortativity(graph).average_neighbor_degree, mg.rich_club_coefficient(graph).coefficient):
        assert isinstance(found, resolve(graph.device).xp.ndarray)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=30), st.booleans())
def test_small_graphs(edges, directed):
    src, dst = np.array(edges, np.int32).reshape(-1, 2).T
    graph = mg.Graph.from_edges(src, dst, num_vertices=9, directed=directed, device="cpu")
    check_assortativity(graph, graph)
    check_rich_club(graph, graph)


@pytest.mark.parametrize("directed", [False, True])
def test_over_slabs(device, directed):
    slabs = slabs_of(mg.generate.rmat(7, 6, seed=3, directed=directed, device=device))
    check_assortativity(slabs, slabs.to_graph())
    check_rich_club(slabs, slabs.to_graph())


def test_deleted_vertices(device):
    graph = mg.DynamicGraph.from_graph(mg.generate.rmat(6, 5, seed=4, device=device))
    graph.delete_vertices([0, 1, 9])
    check_assortativity(graph, graph.to_graph())
    check_rich_club(graph, graph.to_graph(), sorted(set(range(graph.num_vertices)) - {0, 1, 9}))


def test_networkx_finds_the_same(device):
    for directed in (False, True):
        graph = mg.generate.rmat(8, 6, seed=5, directed=directed, device=device)
        expected = nx.degree_assortativity_coefficient(graph.to_networkx())
        assert mg.degree_assortativity(graph).coefficient == pytest.approx(expected, rel=1e-9)


def test_degrees_that_are_great(device):
    """Sums of products of which are beyond what a double holds exactly."""
    hubs = np.repeat(np.arange(2), 300_000)
    graph = mg.Graph.from_edges(np.r_[hubs, 0], np.r_[2 : len(hubs) + 2, 1], device=device)
    src, dst, _ = arcs_of(graph)
    degree = degrees_of(graph)["out"]
    expected = np.corrcoef(degree[src], degree[dst])[0, 1]
    assert mg.degree_assortativity(graph).coefficient == pytest.approx(expected, rel=1e-9)
    assert CPU.asarray(mg.rich_club_coefficient(graph).edges)[[0, 1, 300_000]].tolist() == [600_001, 1, 1]


@pytest.mark.parametrize("option", ["tail", "head"])
def test_what_is_refused(option):
    with pytest.raises(ProblemError, match=rf"degree_assortativity: {option}='both'"):
        mg.degree_assortativity(mg.generate.path(3, device="cpu"), **{option: "both"})
