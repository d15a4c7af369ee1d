"""Contracted graphs over the battery, compared with sums in a dictionary."""

from collections import defaultdict

import numpy as np
import pytest

import minigr as mg
from minigr.device import CPU
from minigr.errors import GraphError
from minigr.graphs import Graph
from tests.battery import BATTERY


@pytest.fixture(params=[factory for _, factory in BATTERY], ids=[name for name, _ in BATTERY])
def graph(request, device):
    return request.param(device)


def check(graph, labels):
    ours = graph.contract(labels)
    assert (ours.directed, ours.device) == (graph.directed, graph.device)
    assert ours.num_vertices == max(labels, default=-1) + 1
    kind = "int64" if not graph.weighted or graph.weight_dtype.kind == "i" else "float64"
    assert ours.weight_dtype == kind
    Graph.from_csr(ours.offsets, ours.indices, ours.weights, directed=ours.directed)  # checks the order of the rows
    assert not ours.has_parallel_edges
    src, dst, weights = (None if each is None else CPU.asarray(each).tolist() for each in graph.to_edges())
    sums = defaultdict(int)
    for u, v, w in zip(src, dst, weights or [1] * len(src), strict=True):
        ends = int(labels[u]), int(labels[v])
        sums[ends if graph.directed else tuple(sorted(ends))] += w
    found = (CPU.asarray(each).tolist() for each in ours.to_edges())
    assert {(u, v): w for u, v, w in zip(*found, strict=True)} == pytest.approx(sums, rel=1e-6)
    return ours


@pytest.mark.parametrize("groups", [1, 3, 10**6])
def test_labels_drawn_at_random(graph, groups):
    check(graph, np.random.default_rng(5).integers(0, min(groups, max(graph.num_vertices, 1)), graph.num_vertices))


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("dtype", [None, "int32", "float32", "float64"])
def test_self_loops_and_parallel_edges(device, directed, dtype):
    rng = np.random.default_rng(6)
    src, dst = rng.integers(0, 40, (2, 600))
    weights = None if dtype is None else rng.integers(1, 100, 600).astype(dtype)
    ours = check(Graph.from_edges(src, dst, weights, directed=directed, device=device), np.arange(40) % 7)
    check(ours, np.arange(7) % 2)


@pytest.mark.parametrize("dtype", [None, "int32", "float32", "float64"])
@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("groups", [2, 100, 1000])
def test_any_number_of_threads(groups, directed, dtype, monkeypatch):
    """Results are equal bit by bit, for groups of all sizes, and for a group with most of the vertices."""
    rng = np.random.default_rng(8)
    src, dst = rng.integers(0, 4000, (2, 30_000))
    weights = None if dtype is None else (100 * rng.random(30_000)).astype(dtype)
    graph = Graph.from_edges(src, dst, weights, num_vertices=4000, directed=directed, device="cpu")
    labels = np.where(rng.random(4000) < 0.6, 1, rng.integers(0, groups, 4000))
    found = set()
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("MINIGR_NUM_THREADS", threads)
        ours = check(graph, labels)
        found.add((ours.offsets.tobytes(), ours.indices.tobytes(), ours.weights.tobytes()))
    assert len(found) == 1


def test_sums_in_64_bits(device):
    graph = Graph.from_edges([0, 1], [2, 2], np.int32([2**31 - 1, 2**31 - 1]), device=device)
    assert int(graph.contract([0, 0, 1]).weights[0]) == 2**32 - 2


def test_both_arcs_of_an_edge_have_one_weight(device):
    """This includes sums of floats, which depend on the order of additions."""
    rng = np.random.default_rng(7)
    graph = Graph.from_edges(*rng.integers(0, 50, (2, 2000)), rng.random(2000), device=device)
    ours = graph.contract(rng.integers(0, 5, 50))
    Graph.from_csr(ours.offsets, ours.indices, ours.weights)


def test_bad_labels(device):
    graph = mg.generate.path(3, device=device)
    with pytest.raises(GraphError, match="labels has length 2, but there are 3 vertices"):
        graph.contract([0, 1])
    with pytest.raises(GraphError, match=r"labels\[1\] is -1"):
        graph.contract([0, -1, 2])
    with pytest.raises(GraphError, match="labels must hold integer"):
        graph.contract([0.0, 1.0, 2.0])
