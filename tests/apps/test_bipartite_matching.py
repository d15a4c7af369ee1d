"""Maximum matchings of bipartite graphs: a vertex cover of as many vertices proves each of them."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minigr as mg
from minigr.calls import double_cover
from minigr.device import CPU, resolve
from minigr.errors import GraphError, ProblemError
from tests.apps.whoever_runs_it import check_drivers_without_trace
from tests.layouts import slabs_of
from tests.verifiers import check_bipartite_matching


def check(graph, result):
    check_bipartite_matching(graph, result.mate, result.size, result.cover)


def test_battery(graph):
    """Of rows and columns of each matrix, and of the graph itself where it is bipartite."""
    cover = double_cover(graph)
    result = mg.maximum_bipartite_matching(cover)
    assert isinstance(result.mate, resolve(graph.device).xp.ndarray)
    check(cover, result)
    sides = np.arange(cover.num_vertices) >= graph.num_vertices
    check(cover, mg.maximum_bipartite_matching(cover, sides))
    found = mg.bipartite_sides(graph)
    if found.bipartite:
        check(graph, mg.maximum_bipartite_matching(graph))
    else:
        with pytest.raises(GraphError, match="but edge {}-{} is in an odd cycle".format(*found.odd_edge)):
            mg.maximum_bipartite_matching(graph)


@pytest.mark.parametrize("degree", [1, 2, 3, 8])
def test_random_graphs(device, degree):
    """Where most vertices can be matched, but not easily; the same as on a CPU, and as many edges as NetworkX finds."""
    left, right = 150, 140
    draw = np.random.default_rng(degree)
    src, dst = draw.integers(0, left, left * degree), left + draw.integers(0, right, left * degree)
    graph = mg.Graph.from_edges(src, dst, num_vertices=left + right, device=device)
    result = mg.maximum_bipartite_matching(graph, np.arange(left + right) >= left)
    check(graph, result)
    other = mg.maximum_bipartite_matching(graph.to("cpu"), np.arange(left + right) >= left)
    np.testing.assert_array_equal(CPU.asarray(result.mate), other.mate)
    expected = nx.bipartite.maximum_matching(graph.to_networkx(), range(left), backend="networkx")
    assert 2 * result.size == len(expected)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(6, 11)), max_size=20), st.booleans())
def test_small_graphs(edges, directed):
    src, dst = np.array(edges, np.int32).reshape(-1, 2).T
    graph = mg.Graph.from_edges(src, dst, num_vertices=12, directed=directed, device="cpu")
    check(graph, mg.maximum_bipartite_matching(graph))


def test_a_long_path_to_augment(device):
    """A maximal matching of a path whose ids are shuffled misses a few, which are far from each other."""
    ids = np.random.default_rng(1).permutation(3000)
    graph = mg.Graph.from_edges(ids[:-1], ids[1:], device=device)
    result = mg.maximum_bipartite_matching(graph)
    assert mg.maximal_matching(graph).size < result.size == 1500
    check(graph, result)


@pytest.mark.parametrize("directed", [False, True])
def test_over_slabs(device, directed):
    rows = mg.generate.lattice(20, 20, 0.6, seed=2, device=device)
    src, dst, _ = rows.to_edges()
    rows = mg.Graph.from_edges(src, dst, num_vertices=rows.num_vertices, directed=directed, device=device)
    result = mg.maximum_bipartite_matching(slabs_of(rows))
    check(rows, result)
    np.testing.assert_array_equal(CPU.asarray(result.mate), CPU.asarray(mg.maximum_bipartite_matching(rows).mate))


def test_deleted_vertices(device):
    graph = mg.DynamicGraph.from_edges([0, 1, 2, 3], [1, 2, 0, 2], directed=False, device=device)
    with pytest.raises(GraphError, match="edge 1-2 is in an odd cycle"):
        mg.maximum_bipartite_matching(graph)
    graph.delete_vertices([1])
    result = mg.maximum_bipartite_matching(graph)
    assert result.size == 1
    assert CPU.asarray(result.cover).tolist() == [False, False, True, False]


def test_drivers_agree(device):
    graph = double_cover(mg.generate.uniform(300, 500, seed=1, device=device))
    check_drivers_without_trace(mg.maximum_bipartite_matching, lambda result: result.mate, graph)


def test_threads_agree(device, request):
    """With three threads the same as with one."""
    graph = double_cover(mg.generate.uniform(300, 500, seed=1, device=device))
    expected = mg.maximum_bipartite_matching(graph)
    check(graph, expected)
    request.getfixturevalue("team")
    for again in (graph, graph.to("cpu")):
        found = mg.maximum_bipartite_matching(again)
        np.testing.assert_array_equal(CPU.asarray(found.mate), CPU.asarray(expected.mate))


@pytest.mark.parametrize(
    ("side", "complaint"),
    [
        ([0, 1, 0], "one for each of 4 vertices"),
        ([0, 1, 0, 2], "other values"),
        ([0.0, 1.0, 0.0, 1.0], "an array of 0 and 1"),
        ([0, 1, 1, 0], "both ends of edge 1-2 are in side 1"),
    ],
)
def test_sides_that_are_refused(device, side, complaint):
    with pytest.raises(ProblemError, match=complaint):
        mg.maximum_bipartite_matching(mg.generate.path(4, device=device), side)
