"""Hints of how many edges will come, and the lengths of chains."""

import math

import numpy as np
import pytest

import minigr as mg
from minigr.errors import GraphError, OutOfMemoryError
from minigr.graphs.dynamic import DynamicGraph
from minigr.graphs.dynamic.layout import SLAB_BYTES, buckets_for
from tests.graphs.dynamic.oracle import Oracle, check

N = 60


def edges(count, seed=0):
    return np.random.default_rng(seed).integers(0, N, (2, count), dtype=np.int32)


def slab_bytes(graph):
    """Bytes of the pool, whether in use or not."""
    memory = graph.memory()
    return memory.base_slabs + memory.overflow_slabs + memory.spare_slabs


@pytest.mark.parametrize("directed", [True, False], ids=["directed", "undirected"])
def test_vertices_that_got_buckets_early_need_no_more(device, directed):
    expected = np.full(N, 40)
    expected[:3] = 4000
    hinted = DynamicGraph(N, directed=directed, in_edges=True, expected_degrees=expected, device=device)
    plain = DynamicGraph(N, directed=directed, in_edges=True, device=device)
    src, dst = edges(1500)
    before, oracle = hinted.memory().base_slabs, Oracle(N, directed)
    oracle.insert(src.tolist(), dst.tolist())
    for graph in (hinted, plain):
        graph.insert_edges(src, dst)
        check(graph, oracle)
    out = int(buckets_for(np, expected, 0.7).sum())
    assert before == SLAB_BYTES * (out + (N if directed else 0))
    # There was no hint for the in-edges of a directed graph.
    assert hinted.memory().base_slabs - before == (plain.memory().base_slabs // 2 - N * SLAB_BYTES if directed else 0)


def test_in_edges_have_hints_of_their_own(device):
    options = {"directed": True, "in_edges": True, "device": device}
    both = DynamicGraph(N, expected_degrees=100, expected_in_degrees=np.full(N, 50), **options)
    slabs = N * int(buckets_for(np, np.array([100, 50]), 0.7).sum())
    assert both.memory().base_slabs == slabs * SLAB_BYTES
    src, dst = edges(3000)
    both.insert_edges(src, dst)
    assert both.memory().base_slabs == slabs * SLAB_BYTES
    oracle = Oracle(N, True)
    oracle.insert(src.tolist(), dst.tolist())
    check(both, oracle)


@pytest.mark.parametrize("make", ["from_edges", "from_graph"])
def test_edges_that_are_there_count_where_less_was_expected(device, make):
    hub = np.arange(1, 301, dtype=np.int32)
    src, expected = np.zeros(300, np.int32), np.full(301, 70)
    if make == "from_edges":
        graph = DynamicGraph.from_edges(src, hub, directed=True, expected_degrees=expected, device=device)
    else:
        static = mg.Graph.from_edges(src, hub, directed=True, device=device)
        graph = DynamicGraph.from_graph(static, expected_degrees=70)
    want = buckets_for(np, np.maximum(expected, np.eye(1, 301, dtype=np.int64)[0] * 300), 0.7)
    assert graph.memory().base_slabs == SLAB_BYTES * int(want.sum())
    graph.rehash()
    assert graph.memory().base_slabs == SLAB_BYTES * (300 + int(buckets_for(np, np.array([300]), 0.7)[0]))


@pytest.mark.parametrize("weighted", [False, True], ids=["", "weighted"])
@pytest.mark.parametrize("directed", [True, False], ids=["directed", "undirected"])
def test_a_graph_with_room_does_not_grow(device, directed, weighted):
    count = 40_000
    src, dst = np.random.default_rng(1).integers(0, 2000, (2, count), dtype=np.int32)
    graph = DynamicGraph(2000, directed=directed, weighted=weighted, capacity=count, device=device)
    before = slab_bytes(graph), graph.memory().weights
    for part in np.array_split(np.arange(count), 8):
        graph.insert_edges(src[part], dst[part], np.ones(len(part), np.float32) if weighted else None)
    assert (slab_bytes(graph), graph.memory().weights) == before
    emptier = DynamicGraph(2000, directed=directed, device=device)
    assert slab_bytes(emptier) < before[0] / 2
    graph.delete_edges(src, dst)
    graph.rehash()
    assert slab_bytes(graph) >= before[0]
    assert slab_bytes(graph.copy()) >= before[0]


@pytest.mark.parametrize("load_factor", [2.0, 5.0, math.inf])
@pytest.mark.parametrize("how", ["from_edges", "insert", "rehash"])
def test_chains_as_long_as_the_load_factor(device, load_factor, how):
    # A chain without a limit is searched from its start for each edge, so the work grows with the square.
    n, degree = 20, 400 if math.isinf(load_factor) else 1500
    src = np.repeat(np.arange(n, dtype=np.int32), degree)
    dst = np.tile(np.arange(n, n + degree, dtype=np.int32), n)
    options = {"directed": True, "device": device}
    if how == "from_edges":
        graph = DynamicGraph.from_edges(src, dst, load_factor=load_factor, **options)
    elif how == "rehash":
        graph = DynamicGraph.from_edges(src, dst, **options)
        graph.rehash(load_factor)
    else:
        graph = DynamicGraph(n + degree, load_factor=load_factor, **options)
        for part in np.array_split(np.random.default_rng(2).permutation(n * degree), 5):
            graph.insert_edges(src[part], dst[part])
    memory = graph.memory()
    buckets = 1 if math.isinf(load_factor) else degree / 30 / load_factor
    if how == "insert":  # the number of buckets follows from the edges that were there then
        assert n * buckets * 0.5 <= memory.base_slabs / SLAB_BYTES - degree <= n * buckets * 1.01 + n
    else:
        assert memory.base_slabs == SLAB_BYTES * (degree + n * math.ceil(buckets))
    slabs = (memory.base_slabs + memory.overflow_slabs) / SLAB_BYTES - degree
    assert n * degree / 30 <= slabs <= 1.5 * n * degree / 30
    assert graph.num_edges == n * degree
    assert bool(graph.has_edges(src, dst).all())
    assert not bool(graph.has_edges(dst, src).any())
    assert graph.delete_edges(src[::2], dst[::2]) == len(src[::2])
    assert graph.insert_edges(src, dst) == len(src[::2])
    assert graph.load_factor == load_factor


def test_a_graph_without_hashing_in_a_file(device, tmp_path):
    graph = DynamicGraph.from_edges([0] * 100, range(1, 101), load_factor=math.inf, device=device)
    graph.save(tmp_path / "graph.npz")
    again = DynamicGraph.load(tmp_path / "graph.npz", device=device)
    assert (again.load_factor, again.memory().base_slabs) == (math.inf, 101 * SLAB_BYTES)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"capacity": -1}, "capacity must be a whole number of edges, from 0 and below 4611686018427387904, got -1"),
        ({"capacity": 1.5}, "capacity must be a whole number of edges"),
        ({"capacity": 2**62}, "capacity must be a whole number of edges, .*, got 4611686018427387904"),
        ({"expected_degrees": [1, 2]}, r"expected_degrees must be a whole number, or one for each of the 3 vertices"),
        ({"expected_degrees": [[1], [1, 2], [3]]}, "expected_degrees can't be read as an array"),
        ({"expected_degrees": 1.5}, "expected_degrees must be a whole number"),
        ({"expected_degrees": [1, -2, 3]}, "expected_degrees holds -2"),
        ({"expected_degrees": 2**31}, "expected_degrees holds 2147483648"),
        ({"expected_degrees": "many"}, "expected_degrees"),
        ({"expected_in_degrees": 1}, "leave it out, or give in_edges=True"),
        ({"expected_in_degrees": 1, "in_edges": True, "directed": False}, "expected_in_degrees is for a directed"),
        ({"expected_in_degrees": -1, "in_edges": True}, "expected_in_degrees holds -1"),
    ],
)
def test_hints_that_are_none(device, options, named):
    with pytest.raises(GraphError, match=named):
        DynamicGraph(3, **options, device=device)


def test_more_than_any_device_holds(device):
    with pytest.raises(OutOfMemoryError):
        DynamicGraph(3, capacity=10**15, device=device)
