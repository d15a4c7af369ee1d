"""Cliques of each size, over the battery and against NetworkX, which lists them."""

from collections import Counter
from math import comb

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minigr as mg
from minigr.device import CPU
from minigr.errors import GraphError
from tests.apps.whoever_runs_it import check_drivers
from tests.layouts import slabs_of
from tests.verifiers import arcs_of

SIZES = range(1, 7)


def check(graph, rows=None, there=None):
    """`rows`: a `Graph` of the same edges; `there`: its vertices that are."""
    src, dst, _ = arcs_of(graph if rows is None else rows)
    other = nx.Graph(edge for edge in zip(src.tolist(), dst.tolist(), strict=True) if edge[0] != edge[1])
    other.add_nodes_from(range(graph.num_vertices) if there is None else there)
    expected = Counter(map(len, nx.enumerate_all_cliques(other)))
    for k in SIZES:
        result = mg.clique_count(graph, k)
        assert (type(result.total), result.total) == (int, expected[k]), k


def test_battery(graph):
    if graph.num_vertices == 17:  # complete: NetworkX lists all of 2**17 cliques
        assert [mg.clique_count(graph, k).total for k in SIZES] == [comb(17, k) for k in SIZES]
    else:
        check(graph)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=40), st.booleans())
def test_small_graphs(edges, directed):
    src, dst = np.array(edges, np.int32).reshape(-1, 2).T
    check(mg.Graph.from_edges(src, dst, num_vertices=9, directed=directed, device="cpu"))


def test_many_and_wide(device):
    """A vertex with a long row among cliques, so that vertices are numbered by degree."""
    cliques = [(base + i, base + j) for base in range(1, 90, 9) for i in range(9) for j in range(i)]
    src, dst = np.array([*cliques, *((0, v) for v in range(1, 800))]).T
    graph = mg.Graph.from_edges(src, dst, device=device)
    expected = [800, 360 + 799, *(10 * (comb(9, k) + comb(9, k - 1)) for k in range(3, 7))]
    assert [mg.clique_count(graph, k).total for k in SIZES] == expected


@pytest.mark.parametrize("directed", [False, True])
def test_over_slabs(device, directed):
    rows = mg.generate.rmat(6, 6, seed=3, directed=directed, device=device)
    check(slabs_of(rows), rows)


def test_deleted_vertices(device):
    graph = mg.DynamicGraph.from_graph(mg.generate.complete(8, device=device))
    graph.delete_vertices([2, 5])
    check(graph, graph.to_graph(), [0, 1, 3, 4, 6, 7])


def test_what_is_refused():
    graph = mg.generate.path(3, device="cpu")
    for k in (0, 7, 2.5, "4"):
        with pytest.raises(GraphError, match="clique_count: k"):
            mg.clique_count(graph, k)


def test_drivers_agree(device):
    graph = mg.generate.rmat(7, 8, seed=1, device=device)
    for k in (3, 4):
        total = mg.clique_count(graph, k).total
        check_drivers(lambda graph, k=k, **options: mg.clique_count(graph, k, **options), total_of, graph, total)


def total_of(result):
    return CPU.asarray([result.total])
