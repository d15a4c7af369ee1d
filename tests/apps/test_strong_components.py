"""Strongly connected components, over the battery, against SciPy, and where paths are long."""

import numpy as np
import pytest
from scipy.sparse import csgraph, csr_array

import minigr as mg
from minigr.device import CPU, resolve
from minigr.errors import GraphError, ProblemError
from minigr.program import cpu
from minigr.program.control import DRIVERS
from tests.layouts import slabs_of
from tests.verifiers import arcs_of, check_strong_components


def reference(graph):
    """SciPy's answer, each component named by its least vertex."""
    src, dst, _ = arcs_of(graph)
    n = graph.num_vertices
    _, component = csgraph.connected_components(csr_array((np.ones(len(src)), (src, dst)), (n, n)), connection="strong")
    _, first = np.unique(component, return_index=True)
    return first[component]


def check(graph, **options):
    result = mg.strongly_connected_components(graph, **options)
    expected = reference(graph)
    np.testing.assert_array_equal(CPU.asarray(result.label), expected)
    assert result.num_components == len(np.unique(expected))
    return result


def test_battery(graph):
    result = mg.strongly_connected_components(graph)
    assert isinstance(result.label, resolve(graph.device).xp.ndarray)
    assert isinstance(result.num_components, int)
    check_strong_components(graph, result.label, result.num_components)


def pairs(order):
    """Components of two vertices each, an edge from each to the next; `order` says how they are numbered."""
    first = 2 * order
    return 2 * len(order), np.r_[first, first + 1, first[:-1]], np.r_[first + 1, first, first[1:]]


def shapes():
    """(name, number of vertices, src, dst): large enough for threads to meet."""
    rng = np.random.default_rng(7)
    n = 5000
    ids = np.arange(n, dtype=np.int32)
    mixed = rng.permutation(ids)
    yield "cycle", n, ids, np.roll(ids, 1)
    yield "mixed cycle", n, mixed, np.roll(mixed, 1)
    yield "mixed path", n, mixed[:-1], mixed[1:]
    yield "path with loops", n, np.r_[ids[:-1], ids], np.r_[ids[1:], ids]
    yield "pairs", *pairs(rng.permutation(2000))
    yield "sparse", n, rng.integers(0, n, 2 * n), rng.integers(0, n, 2 * n)
    yield "no cycle", n, *np.sort(rng.integers(0, n, (2, 3 * n)), axis=0)
    # A giant, a component before it and one behind it, and tendrils from and to each.
    third = n // 3
    inner = [np.r_[part, part] for part in (ids[:third], ids[third : 2 * third], ids[2 * third : 3 * third])]
    ends = [(part, rng.permutation(part)) for part in inner] + [(ids[:50], ids[third : third + 50])]
    ends.append((ids[third : third + 50], ids[-70:-20]))
    yield "bow tie", n, *(np.concatenate(side) for side in zip(*ends, strict=True))
    # Groups of eight with many edges inside, and few from one to another.
    group = rng.integers(0, n // 8, 6 * n) * 8
    src, dst = group + rng.integers(0, 8, 6 * n), group + rng.integers(0, 8, 6 * n)
    far = rng.integers(0, n, (2, n // 4))
    yield "groups", n, np.r_[src, far[0]], np.r_[dst, far[1]]


SHAPES = {name: rest for name, *rest in shapes()}


@pytest.mark.parametrize("threads", ["1", "3"])
@pytest.mark.parametrize("name", SHAPES)
def test_threads_that_meet(device, name, threads, monkeypatch):
    monkeypatch.setenv("MINIGR_NUM_THREADS", threads)
    monkeypatch.setattr(cpu, "FIRST_SOLO", 0)
    n, src, dst = SHAPES[name]
    check(mg.Graph.from_edges(src, dst, num_vertices=n, directed=True, device=device))


def test_few_loops_whatever_the_order_of_vertices(device):
    """Where the first root of all that is left is found alone in each round, there would be as many rounds as pairs."""
    k = 500
    rising, falling = np.arange(0, k, 2), np.arange(1, k, 2)[::-1]
    for order in (np.arange(k), np.arange(k)[::-1], np.r_[rising, falling], np.r_[falling, rising]):
        n, src, dst = pairs(order)
        result = check(mg.Graph.from_edges(src, dst, num_vertices=n, directed=True, device=device), trace=True)
        loops = sum(row.iteration == 1 for row in result.trace)
        assert loops < 100


@pytest.mark.parametrize("edge_factor", [1, 4])
def test_drivers_agree(device, edge_factor):
    graph = mg.generate.rmat(9, edge_factor, seed=4, directed=True, device=device)
    for driver in DRIVERS if device == "cuda" else ("fused", "host"):
        check(graph, driver=driver)
    result = check(graph, trace=True)
    assert len(result.trace) == result.iterations
    with pytest.raises(ProblemError, match="driver='none'"):
        mg.strongly_connected_components(graph, driver="none")


def test_undirected_graphs_have_their_connected_components(device):
    graph = mg.generate.rmat(8, 1, seed=2, device=device)
    result, expected = mg.strongly_connected_components(graph, trace=True), mg.connected_components(graph)
    np.testing.assert_array_equal(CPU.asarray(result.label), CPU.asarray(expected.label))
    assert result.num_components == expected.num_components
    assert len(result.trace) == result.iterations


@pytest.mark.parametrize("directed", [False, True])
def test_over_slabs(device, directed):
    for edge_factor in (1, 6):
        rows = mg.generate.rmat(9, edge_factor, seed=1, directed=directed, device=device)
        result = mg.strongly_connected_components(slabs_of(rows))
        check_strong_components(rows, result.label, result.num_components)


def test_deleted_vertices_are_in_no_component(device):
    graph = mg.DynamicGraph.from_edges([0, 1, 2, 3, 4, 5], [1, 2, 0, 4, 3, 3], in_edges=True, device=device)
    graph.delete_vertices([1, 5])
    result = mg.strongly_connected_components(graph)
    assert (CPU.asarray(result.label).tolist(), result.num_components) == ([0, -1, 2, 3, 3, -1], 3)
    graph.insert_edges([2], [0])
    result = mg.strongly_connected_components(graph)
    assert (CPU.asarray(result.label).tolist(), result.num_components) == ([0, -1, 2, 3, 3, -1], 3)
    graph.insert_edges([0], [2])
    result = mg.strongly_connected_components(graph)
    assert (CPU.asarray(result.label).tolist(), result.num_components) == ([0, -1, 0, 3, 3, -1], 2)
    graph.delete_vertices([0, 2, 3, 4])
    result = mg.strongly_connected_components(graph)
    assert (CPU.asarray(result.label).tolist(), result.num_components) == ([-1] * 6, 0)


def test_in_edges_are_needed(device):
    graph = mg.DynamicGraph.from_edges([0, 1], [1, 0], device=device)
    with pytest.raises(GraphError, match=r"strongly_connected_components needs in-edges.*in_edges=True"):
        mg.strongly_connected_components(graph)
