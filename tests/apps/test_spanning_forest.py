"""Minimum spanning forests, over the battery, against Kruskal's and SciPy's, and with weights of every kind."""

import numpy as np
import pytest
from scipy.sparse import csgraph, csr_array

import minigr as mg
from minigr.device import CPU, resolve
from minigr.errors import GraphError
from minigr.program import cpu
from minigr.program.control import DRIVERS
from tests.layouts import slabs_of
from tests.verifiers import arcs_of, check_spanning_forest, edges_of_forest


def check(rows, result):
    """`rows` is the graph as a `Graph`; ids are those of the graph that was asked about."""
    ends = CPU.asarray(result.src), CPU.asarray(result.dst)
    check_spanning_forest(rows, *ends, result.total_weight, result.label, result.num_components)


def reference(graph):
    """SciPy's answer: the number of edges, and their total weight."""
    src, dst, weight = arcs_of(graph)
    order = np.lexsort((weight, dst, src))
    pairs = np.stack([src, dst])[:, order]
    distinct = order[np.r_[True, (pairs[:, 1:] != pairs[:, :-1]).any(axis=0)]]  # SciPy adds up parallel edges
    shift = 1 - int(weight.min())  # and takes 0 for no edge
    ends = src[distinct], dst[distinct]
    n = graph.num_vertices
    tree = csgraph.minimum_spanning_tree(csr_array((weight[distinct].astype(float) + shift, ends), (n, n)))
    return tree.nnz, tree.sum() - shift * tree.nnz


def test_battery(graph):
    if graph.directed:
        with pytest.raises(GraphError, match=r"takes an undirected graph.*directed=False"):
            mg.minimum_spanning_forest(graph)
        return
    result = mg.minimum_spanning_forest(graph)
    assert isinstance(result.edges, resolve(graph.device).xp.ndarray)
    assert result.edges.dtype == np.int64
    assert isinstance(result.total_weight, float if graph.weighted and graph.weight_dtype.kind == "f" else int)
    check(graph, result)
    assert CPU.asarray(result.edges).tolist() == edges_of_forest(graph)
    assert result.iterations <= max(graph.num_vertices, 1).bit_length()


def spread(dtype, count, seed=3):
    """Weights over the whole range of a dtype, with equal ones and the ends of the range."""
    rng, kind = np.random.default_rng(seed), np.dtype(dtype)
    if kind.kind == "f":
        values = rng.standard_normal(count).astype(kind) * 10.0 ** rng.integers(-20, 20, count)
        some = [np.inf, -np.inf, 0.0, -0.0, 1.0]
    else:
        limits = np.iinfo(kind)
        values, some = rng.integers(limits.min // count, limits.max // count, count), [limits.max, limits.min, 0, 0, 1]
    values = values.astype(kind)
    values[rng.permutation(count)[: count // 2]] = rng.choice(np.array(some[2:], kind), count // 2)
    return values, np.array(some, kind)


@pytest.mark.parametrize(("dtype", "layout"), [("int32", "csr"), ("float64", "slabs")])
def test_weights_of_each_dtype(device, dtype, layout):
    shape = mg.generate.rmat(8, 6, seed=5, device="cpu")
    src = np.repeat(np.arange(shape.num_vertices), np.diff(shape.offsets))
    once = src < shape.indices
    values, _ = spread(dtype, int(once.sum()))
    rows = mg.Graph.from_edges(src[once], shape.indices[once], values, num_vertices=256, device=device)
    result = mg.minimum_spanning_forest(rows if layout == "csr" else slabs_of(rows))
    check(rows, result)


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
def test_the_ends_of_the_range_of_weights(device, dtype):
    """Each of them is on an edge that can't be done without, and on one that can."""
    _, some = spread(dtype, 10)
    for value in some:
        other = np.array([1, 0, 2], dtype)
        rows = mg.Graph.from_edges([0, 0, 1, 2], [1, 2, 2, 3], [*other, value], device=device)
        result = mg.minimum_spanning_forest(rows)
        assert CPU.asarray(result.edges).tolist() == edges_of_forest(rows)
        triangle = mg.Graph.from_edges([0, 0, 1], [1, 2, 2], np.full(3, value, dtype), device=device)
        assert CPU.asarray(mg.minimum_spanning_forest(triangle).edges).tolist() == [0, 1]


def shapes():
    """(name, number of vertices, src, dst, weights): large enough for threads to meet."""
    rng = np.random.default_rng(7)
    n = 20_000
    ids = np.arange(n, dtype=np.int32)
    mixed = rng.permutation(ids)
    yield "rising path", n, ids[:-1], ids[1:], ids[:-1]
    yield "falling path", n, ids[:-1], ids[1:], -ids[:-1]
    yield "mixed path", n, mixed[:-1], mixed[1:], rng.integers(0, 9, n - 1)
    yield "star", n, np.full(n - 1, n - 1), ids[:-1], mixed[:-1]
    yield "equal", n, rng.integers(0, n, 4 * n), rng.integers(0, n, 4 * n), np.zeros(4 * n, np.int64)
    yield "random", n, rng.integers(0, n, 4 * n), rng.integers(0, n, 4 * n), rng.integers(-50, 50, 4 * n)
    yield "parallel", 100, rng.integers(0, 100, 4 * n), rng.integers(0, 100, 4 * n), rng.integers(0, 10**6, 4 * n)


SHAPES = {name: rest for name, *rest in shapes()}


@pytest.mark.parametrize("threads", ["1", "2", "5"])
@pytest.mark.parametrize("name", SHAPES)
def test_threads_that_meet(device, name, threads, monkeypatch):
    monkeypatch.setenv("MINIGR_NUM_THREADS", threads)
    monkeypatch.setattr(cpu, "FIRST_SOLO", 0)
    n, src, dst, weights = SHAPES[name]
    graph = mg.Graph.from_edges(src, dst, weights, num_vertices=n, device=device)
    result = mg.minimum_spanning_forest(graph)
    assert CPU.asarray(result.edges).tolist() == edges_of_forest(graph)
    check(graph, result)
    assert reference(graph) == (len(result.edges), result.total_weight)


def test_the_ids_are_those_of_the_edges(device):
    rows = mg.generate.lattice(12, 9, 0.8, seed=3, weights=(-9, 9), device=device)
    for graph in (rows, slabs_of(rows)):
        result = mg.minimum_spanning_forest(graph)
        edges = graph.out_edges
        np.testing.assert_array_equal(CPU.asarray(edges.entries[result.edges]), CPU.asarray(result.dst))
        weights = CPU.asarray(edges.weights[result.edges])
        assert weights.sum() == result.total_weight
        there = {(u, v): w for u, v, w in zip(*(array.tolist() for array in arcs_of(rows)), strict=True)}
        pairs = zip(CPU.asarray(result.src).tolist(), CPU.asarray(result.dst).tolist(), strict=True)
        assert [there[pair] for pair in pairs] == weights.tolist()
        assert (np.diff(CPU.asarray(result.edges)) > 0).all()


@pytest.mark.parametrize("weighted", [False, True])
def test_over_slabs(device, weighted):
    rows = mg.generate.rmat(9, 3, seed=1, weights=(1, 20) if weighted else None, device=device)
    check(rows, mg.minimum_spanning_forest(slabs_of(rows)))


def test_deleted_vertices_are_in_no_tree(device):
    graph = mg.DynamicGraph.from_edges([0, 1, 2, 3, 0], [1, 2, 3, 4, 4], [1, 1, 1, 1, 9], directed=False, device=device)
    graph.delete_vertices([1])
    result = mg.minimum_spanning_forest(graph)
    assert CPU.asarray(result.label).tolist() == [0, -1, 0, 0, 0]
    assert (result.total_weight, result.num_components, len(result.edges)) == (11, 1, 3)
    graph.delete_vertices([0, 2, 3, 4])
    result = mg.minimum_spanning_forest(graph)
    assert (CPU.asarray(result.label).tolist(), result.num_components) == ([-1] * 5, 0)


def test_drivers_agree(device):
    graph = mg.generate.rmat(9, 4, seed=4, weights=(1, 9), device=device)
    expected = edges_of_forest(graph)
    for driver in DRIVERS if device == "cuda" else ("fused", "host"):
        assert CPU.asarray(mg.minimum_spanning_forest(graph, driver=driver).edges).tolist() == expected
    result = mg.minimum_spanning_forest(graph, trace=True)
    assert len(result.trace) == result.iterations
