"""The rules for the arrays of Graph over the battery, and other ways to make a Graph."""

import pickle
import subprocess
import sys
import threading

import networkx as nx
import numpy as np
import pytest
import scipy.sparse

from minigr import generate
from minigr.device import CPU, resolve
from minigr.errors import DeviceError, GraphError
from minigr.graphs import Graph, build_cpu
from minigr.graphs.dynamic import DynamicGraph
from tests.battery import BATTERY


@pytest.fixture(params=[factory for _, factory in BATTERY], ids=[name for name, _ in BATTERY])
def graph(request, device):
    return request.param(device)


def arcs(rows):
    offsets, indices = CPU.asarray(rows.offsets), CPU.asarray(rows.indices)
    return np.repeat(np.arange(len(offsets) - 1), np.diff(offsets)), indices


def test_contract(graph):
    src, dst = arcs(graph.out_edges)
    assert len(graph.offsets) == graph.num_vertices + 1
    assert graph.num_arcs == len(dst) == len(graph.indices)
    assert all((np.diff(dst[src == v]) >= 0).all() for v in range(graph.num_vertices))
    np.testing.assert_array_equal(CPU.asarray(graph.degree()), np.bincount(src, minlength=graph.num_vertices))
    np.testing.assert_array_equal(CPU.asarray(graph.in_degree()), np.bincount(dst, minlength=graph.num_vertices))
    for v in range(0, graph.num_vertices, 7):
        assert CPU.asarray(graph.neighbors(v)).tolist() == dst[src == v].tolist()
    pairs = list(zip(src.tolist(), dst.tolist(), strict=True))
    loops = sum(u == v for u, v in pairs)
    assert graph.num_edges == (len(pairs) if graph.directed else (len(pairs) + loops) // 2)
    assert graph.is_simple == (loops == 0 and len(set(pairs)) == len(pairs))


def test_in_edges_name_the_same_arcs(graph):
    src, dst = arcs(graph.out_edges)
    rows = graph.in_edges(ids=True)
    heads, tails = arcs(rows)
    ids = CPU.asarray(rows.edge_ids)
    assert sorted(ids.tolist()) == list(range(graph.num_arcs))
    np.testing.assert_array_equal(src[ids], tails)
    np.testing.assert_array_equal(dst[ids], heads)
    if graph.weighted:
        np.testing.assert_array_equal(CPU.asarray(graph.weights)[ids], CPU.asarray(rows.weights))
    assert graph.in_edges(ids=True) is rows
    graph.drop("in_edges")
    bare = graph.in_edges(ids=False)
    assert graph.in_edges(ids=False) is bare
    np.testing.assert_array_equal(CPU.asarray(graph.in_edges(ids=True).edge_ids), ids)  # also after rows without ids
    if not graph.directed:
        assert graph.in_edges() is graph.out_edges
        assert rows.indices is graph.indices
    np.testing.assert_array_equal(CPU.asarray(graph.in_degree()), np.bincount(dst, minlength=graph.num_vertices))


def test_has_edges(graph):
    n = graph.num_vertices
    rng = np.random.default_rng(0)
    src, dst = rng.integers(0, n, (2, 500 if n else 0), dtype=np.int32)
    there = set(zip(*(ends.tolist() for ends in arcs(graph.out_edges)), strict=True))
    want = [pair in there for pair in zip(src.tolist(), dst.tolist(), strict=True)]
    assert CPU.asarray(graph.has_edges(src, dst)).tolist() == want


def test_through_networkx_and_scipy(graph):
    theirs = graph.to_networkx()
    assert theirs.number_of_edges() == graph.num_edges
    again = Graph.from_networkx(theirs, "weight" if graph.weighted and graph.num_edges else None, device="cpu")
    np.testing.assert_array_equal(again.offsets, CPU.asarray(graph.offsets))
    np.testing.assert_array_equal(again.indices, CPU.asarray(graph.indices))
    again = Graph.from_scipy(graph.to_scipy(), directed=graph.directed, weights=graph.weighted, device="cpu")
    assert (again.num_edges, again.weighted) == (graph.num_edges, graph.weighted)
    if graph.weighted:
        np.testing.assert_array_equal(again.weights, CPU.asarray(graph.weights))


def test_by_degree_is_the_same_graph_with_other_numbers(graph):
    other, place = graph.by_degree()
    assert graph.by_degree()[0] is other
    place, degrees = CPU.asarray(place), CPU.asarray(other.out_degree())
    old = np.argsort(place)
    assert (place[old] == np.arange(graph.num_vertices)).all()
    assert (np.diff(degrees) <= 0).all()
    assert (np.diff(old)[np.diff(degrees) == 0] > 0).all()  # vertices of equal degree keep their order

    def edges(rows, number):
        weights = np.ones(rows.num_arcs) if rows.weights is None else CPU.asarray(rows.weights)
        return sorted(zip(*(number[ends].tolist() for ends in arcs(rows)), weights.tolist(), strict=True))

    assert edges(graph.out_edges, place) == edges(other.out_edges, np.arange(graph.num_vertices))
    Graph.from_csr(other.offsets, other.indices, other.weights, directed=other.directed)  # checks that rows are sorted


def test_own_rows_pass_validation(graph):
    again = Graph.from_csr(graph.offsets, graph.indices, graph.weights, directed=graph.directed)
    assert again.device == graph.device
    assert again.indices is graph.indices  # no copy
    assert again.num_edges == graph.num_edges


def test_to_the_same_device_is_itself():
    graph = generate.path(3, device="cpu")
    assert graph.to("cpu") is graph


@pytest.mark.gpu
def test_to_another_device_and_back():
    graph = generate.rmat(8, weights=(1, 9), device="cpu")
    moved = graph.to("cuda")
    assert moved.device == str(resolve("cuda"))
    np.testing.assert_array_equal(moved.to("cpu").weights, graph.weights)
    with pytest.raises(DeviceError):
        graph.to("cuda:99")


def test_memory_counts_each_array_once():
    graph = generate.rmat(8, weights=(1, 9), device="cpu")
    own = graph.offsets.nbytes + graph.indices.nbytes + graph.weights.nbytes
    assert graph.memory == own
    graph.in_edges(ids=True)
    assert graph.memory == own + 8 * graph.num_arcs


@pytest.mark.parametrize("weights", [None, "int32", "float64"])
def test_in_edges_by_all_cores(monkeypatch, weights):
    monkeypatch.setattr(build_cpu, "CACHED", 1000)  # small enough that parts begin within rows
    monkeypatch.setenv("MINIGR_NUM_THREADS", "3")
    rng, n, m = np.random.default_rng(6), 700, 20_000
    src, dst = np.minimum(rng.integers(0, n, (2, m)), rng.integers(0, n, (2, m)))
    values = None if weights is None else rng.integers(0, 99, m).astype(weights)
    graph = Graph.from_edges(src, dst, values, num_vertices=n, directed=True, device="cpu")
    rows, order = graph.in_edges(), np.argsort(graph.indices, kind="stable")
    np.testing.assert_array_equal(rows.edge_ids, order)
    np.testing.assert_array_equal(rows.indices, arcs(graph.out_edges)[0][order])
    np.testing.assert_array_equal(rows.offsets, np.append(0, np.cumsum(np.bincount(graph.indices, minlength=n))))
    if weights is not None:
        assert rows.weights.dtype == graph.weights.dtype
        np.testing.assert_array_equal(rows.weights, graph.weights[order])


def test_in_edges_are_built_once_for_many_threads():
    graph = generate.rmat(10, directed=True, device="cpu")
    seen = []
    threads = [threading.Thread(target=lambda: seen.append(graph.in_edges())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({id(rows) for rows in seen}) == 1


def test_pickle():
    graph = generate.rmat(6, weights=(1, 9), device="cpu")
    again = pickle.loads(pickle.dumps(graph))
    np.testing.assert_array_equal(again.weights, graph.weights)


@pytest.mark.parametrize("vertex", [-1, 3, 1.5, "a"])
def test_neighbors_of_no_vertex(vertex):
    with pytest.raises(GraphError, match="vertex"):
        generate.path(3, device="cpu").neighbors(vertex)


def test_has_edges_of_no_vertex(device):
    with pytest.raises(GraphError, match=r"dst\[0\] is 3"):
        generate.path(3, device=device).has_edges([0], [3])
    with pytest.raises(GraphError, match="a pair needs both"):
        generate.path(3, device=device).has_edges([0, 1], [1])


@pytest.mark.parametrize(
    ("offsets", "indices", "weights", "directed", "named"),
    [
        ([], [], None, True, "offsets must be integers"),
        ([0.0, 1.0], [0], None, True, "offsets must be integers"),
        ([0, 2], [0], None, True, r"from 0 to len\(indices\) = 1, but go from 0 to 2"),
        ([1, 1], [0], None, True, "go from 1 to 1"),
        ([0, 1], [0, 0], None, True, "go from 0 to 1"),
        ([0, 2, 1, 3], [0, 1, 2], None, True, r"offsets\[2\] is below"),
        ([0, 1, 1], [2], None, True, r"indices\[0\] is 2, but num_vertices is 2"),
        ([0, 2, 2], [1, 0], None, True, r"row 0 is not sorted: indices\[1\]"),
        ([0, 1, 1], [1], None, False, r"0 -> 1 \(indices\[0\]\) has no reverse arc of this weight"),
        ([0, 1, 2, 3], [1, 2, 0], None, False, "no reverse arc of this weight"),
        ([0, 1, 2], [1, 0], [3, 4], False, "one weight"),
        ([0, 1], [0], [3, 4], True, "weights has length 2, but indices has length 1"),
    ],
)
def test_from_csr_names_what_is_wrong(device, offsets, indices, weights, directed, named):
    with pytest.raises(GraphError, match=named):
        Graph.from_csr(offsets, np.array(indices, np.int32), weights, directed=directed, device=device)


@pytest.mark.parametrize("layout", ["csr", "slabs"])
def test_reverse(device, layout):
    src, dst, weights = [0, 0, 2, 2, 2, 3], [1, 2, 1, 2, 1, 0], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    graph = Graph.from_edges(src, dst, weights, directed=True, device=device)
    if layout == "slabs":
        graph = DynamicGraph.from_graph(graph, in_edges=True, allow_self_loops=True)
    turned = graph.reverse()
    there = graph.to_graph() if layout == "slabs" else graph
    back = turned.to_graph() if layout == "slabs" else turned
    assert sorted(zip(*reversed(edges(there)), strict=True)) == sorted(zip(*edges(back), strict=True))
    assert (turned.num_arcs, turned.weight_dtype, turned.directed) == (graph.num_arcs, graph.weight_dtype, True)
    np.testing.assert_array_equal(CPU.asarray(turned.out_degree()), CPU.asarray(graph.in_degree()))
    np.testing.assert_array_equal(CPU.asarray(turned.in_degree()), CPU.asarray(graph.out_degree()))
    assert turned.max_degree() == graph.max_degree(inward=True) == (2 if layout == "slabs" else 3)
    again = turned.reverse()
    assert sorted(zip(*edges(again.to_graph() if layout == "slabs" else again), strict=True)) == sorted(
        zip(*edges(there), strict=True)
    )


def edges(graph):
    src = np.repeat(np.arange(graph.num_vertices), np.diff(CPU.asarray(graph.offsets)))
    return src.tolist(), CPU.asarray(graph.indices).tolist()


def test_ids_in_a_reverse_are_its_own(device):
    graph = Graph.from_edges([0, 0, 2, 2, 3], [1, 2, 1, 1, 0], directed=True, device=device)
    turned = graph.reverse()
    assert graph.reverse() is turned
    ids = CPU.asarray(turned.in_edges().edge_ids)
    rows, entries = edges(turned)
    for position, (u, v) in enumerate(zip(*edges(graph), strict=True)):
        assert (rows[ids[position]], entries[ids[position]]) == (v, u)
    assert sorted(ids.tolist()) == list(range(graph.num_arcs))
    before = Graph.from_edges([0, 0, 2, 2, 3], [1, 2, 1, 1, 0], directed=True, device=device)
    before.in_edges()
    assert graph.memory == before.memory + ids.nbytes
    undirected = Graph.from_edges([0], [1], device=device)
    assert undirected.reverse() is undirected


def test_a_dynamic_graph_without_in_edges_has_no_reverse(device):
    with pytest.raises(GraphError, match="in_edges=True"):
        DynamicGraph.from_edges([0], [1], device=device).reverse()


def test_from_scipy_refuses():
    with pytest.raises(GraphError, match=r"shape \(2, 3\)"):
        Graph.from_scipy(scipy.sparse.csr_array((2, 3)), device="cpu")
    with pytest.raises(GraphError, match="sparse matrix, got ndarray"):
        Graph.from_scipy(np.eye(3), device="cpu")
    with pytest.raises(GraphError, match="no reverse arc of this weight"):
        Graph.from_scipy(scipy.sparse.csr_array([[0, 1], [0, 0]]), directed=False, device="cpu")


def test_from_scipy_leaves_the_matrix_alone():
    matrix = scipy.sparse.csr_array((np.array([1.0, 2.0]), np.array([2, 0]), np.array([0, 2, 2, 2])), shape=(3, 3))
    graph = Graph.from_scipy(matrix, device="cpu")
    assert graph.neighbors(0).tolist() == [0, 2]
    assert graph.weights.tolist() == [2.0, 1.0]
    assert matrix.indices.tolist() == [2, 0]


def test_from_networkx_names_and_weights():
    theirs = nx.MultiDiGraph()
    theirs.add_edge("b", "a", cost=2)
    theirs.add_edge("b", "a", cost=1)
    graph = Graph.from_networkx(theirs, "cost", device="cpu")
    assert (graph.directed, graph.weights.tolist()) == (True, [2, 1])
    theirs.add_edge("a", "c")
    with pytest.raises(GraphError, match=r"edge \('a', 'c'\) has no attribute 'cost'"):
        Graph.from_networkx(theirs, "cost", device="cpu")


def test_imports_stay_light():
    code = (
        "import sys, minigr.graphs, minigr.io, minigr.generate;"
        "print(*{'numba', 'scipy', 'cupy', 'pandas', 'networkx', 'rich', 'pyarrow'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_an_entry_may_be_kept_while_arrays_are_counted():
    graph = Graph.from_edges([0, 1], [1, 2], directed=True, device="cpu")
    graph.in_edges()

    def keep(array):  # as another thread may do
        graph._kept.put(f"entry {len(graph.kept)}", graph.version, ())
        return array

    graph._with_arrays(keep)
    assert len(graph.kept) > 1


def test_entries_that_share_arrays_are_dropped_together():
    graph = Graph.from_edges([0, 1], [1, 2], directed=True, device="cpu")
    graph.reverse()
    assert {"in_edges", "reverse"} <= set(graph.kept)
    graph.drop("in_edges")
    assert not graph.kept
