"""k-trusses, over the battery and against NetworkX."""

import networkx as nx
import numpy as np
import pytest

import minigr as mg
from minigr.apps.common.orientation import oriented
from minigr.apps.common.support import counted_support, first_arcs, listed_support
from minigr.apps.common.undirected import both_ways
from minigr.device import CPU, resolve
from minigr.errors import GraphError
from tests.layouts import slabs_of
from tests.verifiers import check_truss


def check(graph, rows, k, **options):
    result = mg.k_truss(graph, k, **options)
    assert result.num_edges == len(result.src)
    for array in (result.src, result.dst, result.support):
        assert isinstance(array, resolve(graph.device).xp.ndarray)
        assert array.dtype == np.int32
    check_truss(rows, k, result.src, result.dst, result.support)
    return result


@pytest.mark.parametrize("k", [2, 3, 4, 7])
def test_battery(graph, k):
    check(graph, graph, k)


@pytest.mark.parametrize("directed", [False, True])
def test_against_networkx(device, directed):
    graph = mg.generate.rmat(9, 12, seed=2, directed=directed, device=device)
    other = nx.Graph(graph.to_networkx())
    other.remove_edges_from(list(nx.selfloop_edges(other)))
    for k in (3, 5, 8, 40):
        result = mg.k_truss(graph, k)
        found = set(zip(CPU.asarray(result.src).tolist(), CPU.asarray(result.dst).tolist(), strict=True))
        assert found == {(min(edge), max(edge)) for edge in nx.k_truss(other, k).edges()}
        assert (k == 40) == (len(found) == 0)


@pytest.mark.parametrize("kind", ["hubs", "all alike", "dense"])
def test_triangles_of_edges_by_any_core(device, kind):
    """Counted edge by edge, listed, and both."""
    graph = {
        "hubs": lambda: mg.generate.rmat(11, 20, seed=4, device=device),
        "all alike": lambda: mg.generate.uniform(300, 3000, seed=4, device=device),
        "dense": lambda: mg.generate.uniform(150, 9000, seed=4, device=device),
    }[kind]()
    way = oriented(graph)
    rows = way.graph.to("cpu").to_scipy().astype(np.int32)
    rows += rows.T
    expected = ((rows @ rows).multiply(rows)).tocsr()
    n = graph.num_vertices
    assert expected.max() > 5
    assert {"hubs": 1 < way.hubs < n, "all alike": way.hubs == 0, "dense": way.hubs == n}[kind]
    both = both_ways(way.graph)
    support, first = CPU.asarray(counted_support(way, both)), CPU.asarray(first_arcs(both))
    src, dst = map(CPU.asarray, both.to_edges(both_ways=True)[:2])
    ones = src < dst
    np.testing.assert_array_equal(first[ones], np.flatnonzero(ones))
    np.testing.assert_array_equal(support[ones], np.asarray(expected[src[ones], dst[ones]]).ravel())
    src, dst = map(CPU.asarray, way.graph.to_edges()[:2])
    for core in (None, 0, 1, n // 5, way.hubs or n // 2, n - 1, n):
        support = CPU.asarray(listed_support(way, core))
        np.testing.assert_array_equal(support, np.asarray(expected[src, dst]).ravel(), str(core))


@pytest.mark.parametrize("directed", [False, True])
def test_over_slabs(device, directed):
    graph = slabs_of(mg.generate.rmat(8, 12, seed=1, directed=directed, device=device), deleted=3)
    for k in (2, 4, 6):
        check(graph, graph.to_graph(), k)


@pytest.mark.parametrize("dense", [False, True])
def test_the_graph_and_what_it_keeps_stay_as_they_are(device, dense):
    """Its rows serve as they are where they have each edge both ways in the order that is asked for."""
    graph = mg.generate.uniform(150, 9000 if dense else 600, seed=4, device=device).simplify()
    arrays = graph.offsets, graph.indices, graph.in_edges(ids=True).edge_ids
    before, kept = [CPU.asarray(array).copy() for array in arrays], graph.kept
    check(graph, graph.to("cpu"), 4 if dense else 3)
    mg.similarity(graph)
    after = graph.offsets, graph.indices, graph.in_edges(ids=True).edge_ids
    assert all((CPU.asarray(array) == old).all() for array, old in zip(after, before, strict=True))
    found = {"orientation", "edge_order"} if device == "cuda" else {"orientation"}  # a CPU lists edges in order
    assert graph.kept.keys() - kept.keys() == found


def test_a_tube_goes_from_its_ends(device):
    """A tube of triangles: an edge is in two of them, but those around the ends in one, and so on inwards."""
    around, length = 5, 120
    ring, place = np.divmod(np.arange(around * length), around)
    onward, first = ring * around + (place + 1) % around, ring < length - 1
    src = np.concatenate([np.arange(around * length), *[np.flatnonzero(first)] * 2])
    dst = np.concatenate([onward, np.flatnonzero(first) + around, onward[first] + around])
    graph = mg.Graph.from_edges(src, dst, device=device)
    assert check(graph, graph, 3).iterations == 1
    gone = check(graph, graph, 4)
    assert gone.num_edges == 0
    assert gone.iterations > length // 3


@pytest.mark.parametrize("threads", ["1", "2", "5"])
def test_the_same_whoever_runs_it(device, threads, monkeypatch):
    """Of edges that go in one step many share triangles."""
    graph = mg.generate.rmat(10, 24, seed=5, device=device)
    monkeypatch.setenv("MINIGR_NUM_THREADS", threads)
    for driver in ("auto", "fused", "host"):
        result = check(graph, graph, 12, driver=driver)
        assert 0 < result.num_edges < graph.num_edges
    traced = mg.k_truss(graph, 12, trace=True)
    assert len(traced.trace) == traced.iterations == result.iterations > 2


@pytest.mark.parametrize("k", [1, -3, 2.5, "3", None, 2**40])
def test_bad_k(device, k):
    with pytest.raises(GraphError, match=r"k_truss: k must be"):
        mg.k_truss(mg.generate.path(3, device=device), k)
