"""Distances of all pairs in blocks: the same whatever the blocks, against SciPy, and one block in memory at a time."""

import gc
import tracemalloc

import numpy as np
import pytest
import scipy.sparse
from scipy.sparse.csgraph import dijkstra

import minigr as mg
from minigr.device import CPU, resolve
from minigr.errors import GraphError, ProblemError
from tests.layouts import slabs_of


def together(blocks, device):
    """The sources and the distances of all blocks, and how many sources each has."""
    found = list(blocks)
    assert all(isinstance(block.distance, resolve(device).xp.ndarray) for block in found)
    sources = np.concatenate([block.sources for block in found]) if found else np.empty(0, np.int32)
    return sources, [CPU.asarray(row) for block in found for row in block.distance], [len(b.sources) for b in found]


def expected(rows, weighted):
    """By SciPy, with -1 or infinity where there is no path."""
    graph = mg.Graph.to(rows, "cpu")
    weights = graph.weights.astype(np.float64) if weighted else np.ones(graph.num_arcs)
    matrix = scipy.sparse.csr_array((weights, graph.indices, graph.offsets), shape=[graph.num_vertices] * 2)
    found = dijkstra(matrix, unweighted=not weighted)
    return found if weighted else np.where(np.isinf(found), -1, found).astype(np.int32)


@pytest.mark.parametrize("block", [1, 64, 70, 1000])
def test_by_hops(device, block):
    rows = mg.generate.rmat(7, 3, seed=4, directed=True, device=device)
    for graph in (rows, slabs_of(rows)):
        sources, distance, sizes = together(mg.all_pairs(graph, block=block), device)
        assert sources.tolist() == list(range(128))
        np.testing.assert_array_equal(np.array(distance), expected(rows, False))
        assert distance[0].dtype == np.int32
        assert sizes == [min(block, 128 - first) for first in range(0, 128, block)]


@pytest.mark.parametrize("directed", [False, True])
def test_by_weight(device, directed):
    rows = mg.generate.rmat(6, 3, seed=4, directed=directed, weights=(1, 9), device=device)
    for graph in (rows, slabs_of(rows)):
        sources, distance, sizes = together(mg.all_pairs(graph, block=25, weighted=True), device)
        assert (sources.tolist(), sizes) == (list(range(64)), [25, 25, 14])
        np.testing.assert_array_equal(np.array(distance), expected(rows, True))
        assert distance[0].dtype == rows.weights.dtype == np.float32


def test_chosen_sources(device):
    graph = mg.generate.cycle(9, device=device)
    sources, distance, sizes = together(mg.all_pairs(graph, [7, 2, 7], block=2), device)
    assert (sources.tolist(), sizes) == ([7, 2, 7], [2, 1])
    np.testing.assert_array_equal(np.array(distance), expected(graph, False)[[7, 2, 7]])
    assert together(mg.all_pairs(graph, []), device)[0].size == 0
    assert list(mg.all_pairs(mg.Graph.from_edges([], [], device=device))) == []


def test_deleted_vertices(device):
    graph = mg.DynamicGraph.from_edges([0, 1, 2, 3], [1, 2, 3, 4], directed=False, device=device)
    graph.delete_vertices([1])
    sources, distance, _ = together(mg.all_pairs(graph, block=3), device)
    assert sources.tolist() == [0, 2, 3, 4]
    assert distance[1].tolist() == [-1, -1, 0, 1, 2]


@pytest.mark.parametrize("weighted", [False, True])
def test_a_block_is_all_that_is_held(weighted):
    graph = mg.generate.lattice(60, 60, weights=(1, 9), device="cpu")
    next(mg.all_pairs(graph, weighted=weighted))  # compiles
    size = 16 * 4 * graph.num_vertices
    gc.collect()
    tracemalloc.start()
    try:
        for block in mg.all_pairs(graph, range(100), block=16, weighted=weighted):
            assert block.distance.nbytes in (size, size // 4)
        assert tracemalloc.get_traced_memory()[1] < 2 * size + 100 * graph.num_vertices
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("arguments", "options", "error", "complaint"),
    [
        (([0, 4],), {}, GraphError, "source 4 is not a vertex"),
        ((), {"block": 0}, ProblemError, "block=0 must be at least 1"),
        ((), {"block": 1.5}, ProblemError, "block=1.5 must be a whole number"),
        ((), {"weighted": True}, GraphError, "all_pairs by weight needs weights"),
        ((), {"weighted": True, "direction": "pull"}, ProblemError, "only push"),
        ((), {"driver": "bus"}, ProblemError, "driver='bus'"),
    ],
)
def test_bad_arguments_are_refused_at_once(device, arguments, options, error, complaint):
    with pytest.raises(error, match=complaint):
        mg.all_pairs(mg.generate.path(4, device=device), *arguments, **options)
