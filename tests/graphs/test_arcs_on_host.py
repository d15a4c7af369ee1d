"""Graphs whose arcs a GPU reads from the host's memory: the graphs and the answers are the same."""

import gc
import pickle
from functools import cache

import numpy as np
import pytest

import minigr as mg
from minigr import generate, memory
from minigr.apps.common.undirected import both_ways, undirected
from minigr.device import CPU, resolve
from minigr.errors import GraphError, OutOfMemoryError
from tests.battery import BATTERY


def hub(device):
    """A graph with a row that the whole grid shares, and that begins in the middle of a cache line."""
    ends = np.arange(1500)
    return mg.Graph.from_edges(ends, 0 * ends + 1500, ends.astype(np.float32), directed=False, device=device)


_FACTORIES = {**dict(BATTERY), "hub": hub}
SEARCHED = [
    "two_hubs-directed-float32",
    "duplicate_edges-undirected-float32",
    "empty-directed",
    "rmat-undirected",
    "hub",
]


@cache
def on_cpu(name):
    return _FACTORIES[name]("cpu")


@pytest.fixture
def graph(request):
    """A graph of the battery on the CPU, and the same graph with its arcs on the host."""
    whole = on_cpu(request.param)
    return whole, whole.to("cuda", arcs="host")


def build_host_cuda():
    """The module that builds such graphs, which needs CuPy and can't be imported where there is no GPU."""
    from minigr.graphs import build_host_cuda

    return build_host_cuda


def same(found, wanted):
    """Check that arrays of any devices are equal, or that both are None."""
    if wanted is None:
        assert found is None
    else:
        assert found.dtype == wanted.dtype
        np.testing.assert_array_equal(CPU.asarray(found), CPU.asarray(wanted))


def same_rows(found, wanted):
    for name in ("offsets", "indices", "weights", "edge_ids"):
        same(getattr(found, name), getattr(wanted, name))


def bytes_of_arcs(rows):
    return sum(array.nbytes for array in (rows.indices, rows.weights, rows.edge_ids) if array is not None)


def test_on_the_cpu_they_are_there_anyhow():
    graph = generate.path(3, device="cpu")
    assert graph.to("cpu", arcs="host") is graph
    assert (graph.arcs, graph.host_memory) == ("device", 0)
    assert mg.read("roads", device="cpu", arcs="host").arcs == "device"


@pytest.mark.parametrize("make", [lambda arcs: generate.path(3, device="cpu").to("cpu", arcs=arcs),
                                  lambda arcs: mg.Graph.from_edges([0], [1], device="cpu", arcs=arcs),
                                  lambda arcs: mg.Graph.from_csr([0, 0], [], device="cpu", arcs=arcs),
                                  lambda arcs: generate.rmat(3, device="cpu", arcs=arcs),
                                  lambda arcs: mg.read("roads", device="cpu", arcs=arcs)])  # fmt: skip
def test_no_such_place(make):
    with pytest.raises(GraphError, match="arcs='disk' is neither 'device'"):
        make("disk")


@pytest.mark.gpu
@pytest.mark.parametrize("graph", _FACTORIES, indirect=True)
def test_to_the_host_and_back(graph):
    whole, held = graph
    assert (held.arcs, held.device) == ("host", str(resolve("cuda")))
    assert repr(held) == repr(whole).replace("cpu", f"{held.device}, arcs on the host")
    assert held.memory == whole.memory
    assert held.host_memory == bytes_of_arcs(whole.out_edges)
    same_rows(held.out_edges, whole.out_edges)
    assert held.to("cuda", arcs="host") is held

    moved = held.to("cuda")
    assert (moved.arcs, moved.host_memory) == ("device", 0)
    same_rows(moved.out_edges, whole.out_edges)
    same_rows(moved.to("cuda", arcs="host").out_edges, whole.out_edges)

    back = held.to("cpu")
    assert (back.arcs, back.host_memory) == ("device", 0)
    assert not back.num_arcs or np.shares_memory(back.indices, CPU.asarray(held.indices))
    del held, graph
    gc.collect()
    same_rows(back.out_edges, whole.out_edges)


@pytest.mark.gpu
@pytest.mark.parametrize("graph", _FACTORIES, indirect=True)
def test_what_is_built_stays_there(graph):
    whole, held = graph
    for builds in (
        lambda graph: graph.in_edges(),
        lambda graph: graph.in_edges(ids=True),
        lambda graph: graph.reverse().out_edges,
        lambda graph: graph.reverse().in_edges(),
        lambda graph: graph.by_degree()[0].out_edges,
        lambda graph: both_ways(graph).out_edges,
        lambda graph: undirected(graph, simple=True)[0].out_edges,
        lambda graph: graph.edge_subgraph(range(0, graph.num_arcs, 3)).out_edges,
        lambda graph: graph.edge_subgraph(np.arange(graph.num_edges) % 2 > 0).out_edges,
        lambda graph: graph.simplify("min").out_edges,
        lambda graph: graph.simplify("count", self_loops=True).out_edges,
        lambda graph: graph.to_undirected().out_edges,
        lambda graph: graph.contract(np.arange(graph.num_vertices) // 3).out_edges,
        lambda graph: graph.with_weights(np.arange(graph.num_edges)).out_edges,
        lambda graph: graph.with_weights(np.ones(graph.num_arcs)).out_edges,
    ):
        found, wanted = builds(held), builds(whole)
        assert found.arcs == "host"
        same_rows(found, wanted)
    assert held.memory == whole.memory
    assert held.memory - held.host_memory <= 8 * 4 * (held.num_vertices + 1)  # offsets and an order of the vertices
    same(held.in_degree(), whole.in_degree())
    assert held.num_self_loops == whole.num_self_loops
    assert held.has_parallel_edges == whole.has_parallel_edges
    ends = np.arange(held.num_vertices)
    same(held.has_edges(ends, ends[::-1]), whole.has_edges(ends, ends[::-1]))
    for found, wanted in zip(held.to_edges(), whole.to_edges(), strict=True):
        same(found, wanted)


class Sums(mg.Problem):
    total = mg.vertex_field(np.float64)


class SumOfEdges(mg.Functor):
    def cond_advance(edge):
        return edge % 3 > 0

    def map(src, edge, rank, weight):
        return src + 2.0 * edge + 3.0 * rank * weight


@pytest.mark.gpu
@pytest.mark.parametrize("graph", ["two_hubs-directed-float32", "rmat-undirected", "hub"], indirect=True)
@pytest.mark.parametrize("balance", ["block", "tile", "warp", "merge"])
@pytest.mark.parametrize("everyone", [True, False])
def test_lanes_that_begin_at_a_cache_line(graph, balance, everyone):
    """Rows begin at any place in a cache line, and the first lanes read edges of the row before."""
    found = []
    for each in graph:
        frontier = (
            mg.Frontier.all_vertices() if everyone else mg.Frontier.of(range(0, each.num_vertices, 2), each.device)
        )
        problem = Sums(each)
        mg.operators.neighbor_reduce(
            problem, frontier, SumOfEdges, reduce="add", direction="in", balance=balance, into="total"
        )
        edges = mg.operators.advance(problem, frontier, SumOfEdges, output="edges", duplicates="keep", balance=balance)
        found.append((problem.total, np.sort(CPU.asarray(edges.ids))))
    for on_host, wanted in zip(*reversed(found), strict=True):
        same(on_host, wanted)


@pytest.mark.gpu
@pytest.mark.parametrize("graph", SEARCHED, indirect=True)
def test_answers(graph):
    whole, held = graph
    answers = [
        lambda graph: mg.connected_components(graph).label,
        lambda graph: mg.triangle_count(graph).per_vertex,
        lambda graph: mg.coloring(graph).color,
        lambda graph: mg.DynamicGraph.from_graph(graph).to_graph().indices,
    ]
    if whole.num_vertices:
        answers += [
            lambda graph: mg.bfs(graph, 0).depth,
            lambda graph: mg.bfs(graph, graph.num_vertices - 1, direction="pull").depth,
        ]
    if whole.num_vertices and whole.weighted:
        answers += [lambda graph: mg.sssp(graph, 0).distance]
    for answer in answers:
        same(answer(held), answer(whole))
    np.testing.assert_allclose(CPU.asarray(mg.pagerank(held).rank), mg.pagerank(whole).rank, atol=1e-6)


@pytest.mark.gpu
def test_pickle():
    graph = generate.rmat(6, weights=(1, 9), directed=True, device="cpu").to("cuda", arcs="host")
    graph.in_edges()
    again = pickle.loads(pickle.dumps(graph))
    assert (again.arcs, again.host_memory) == ("host", bytes_of_arcs(graph.out_edges))  # without cached objects
    same_rows(again.out_edges, graph.out_edges)
    same_rows(again.in_edges(), graph.in_edges())


GENERATORS = [
    lambda **where: generate.rmat(7, 12, seed=2, **where),
    lambda **where: generate.rmat(7, 12, seed=2, directed=True, simple=False, weights=(1, 9), **where),
    lambda **where: generate.uniform(100, 700, weights=(1, 9), weight_dtype=np.int64, **where),
    lambda **where: generate.lattice(9, 7, 0.7, weights=(1, 9), **where),
    lambda **where: generate.random_geometric(90, 6, **where),
    lambda **where: generate.delaunay(50, **where),
    lambda **where: generate.cycle(40, weights=(1, 9), **where),
    lambda **where: generate.path(1, **where),
    lambda **where: generate.star(30, directed=True, **where),
    lambda **where: generate.complete(9, **where),
]


@pytest.mark.gpu
@pytest.mark.parametrize("make", GENERATORS)
def test_of_a_generator(make):
    held, whole = make(device="cuda", arcs="host"), make(device="cpu")
    assert held.arcs == "host"
    same_rows(held.out_edges, whole.out_edges)
    assert repr(held).startswith(repr(whole)[:-4])


@pytest.mark.gpu
@pytest.mark.parametrize("make", GENERATORS[:3])
@pytest.mark.parametrize("room", [1, 150, 700])
def test_a_generated_graph_that_is_larger_than_the_gpu(make, room, monkeypatch):
    """Some rows are built at a time, from edges that are drawn again in parts."""
    monkeypatch.setattr(build_host_cuda(), "entries_at_once", lambda device: room)
    monkeypatch.setattr(build_host_cuda(), "part_of", lambda count: 200)
    same_rows(make(device="cuda", arcs="host").out_edges, make(device="cpu").out_edges)


@pytest.mark.gpu
def test_of_rows():
    whole = generate.rmat(6, weights=(1, 9), seed=3, device="cpu")
    on_gpu = whole.to("cuda")
    for given in (whole, on_gpu):
        held = mg.Graph.from_csr(given.offsets, given.indices, given.weights, device="cuda", arcs="host")
        assert (held.arcs, held.device) == ("host", on_gpu.device)
        same_rows(held.out_edges, whole.out_edges)
    rows = held.offsets, held.indices, held.weights
    assert np.shares_memory(CPU.asarray(mg.Graph.from_csr(*rows, arcs="host").indices), CPU.asarray(held.indices))
    assert [mg.Graph.from_csr(*rows, arcs=arcs).arcs for arcs in (None, "device")] == ["host", "device"]
    matrix, town = whole.to_scipy(), whole.to_networkx()
    for made in (mg.Graph.from_scipy(matrix, directed=False, arcs="host"), mg.Graph.from_networkx(town, arcs="host")):
        assert made.arcs == "host"
        same(made.indices, whole.indices)
    with pytest.raises(GraphError, match=r"row 0 is not sorted: indices\[1\] is below"):
        mg.Graph.from_csr([0, 2, 2, 2], [2, 1], directed=True, device="cuda", arcs="host")


@pytest.mark.gpu
def test_of_edges():
    src, dst, weights = [0, 1, 2, 2], [1, 2, 0, 2], np.array([1, 2, 3, 4], np.float32)
    for directed in (False, True):
        options = {"num_vertices": 5, "directed": directed}
        held = mg.Graph.from_edges(src, dst, weights, device="cuda", arcs="host", **options)
        assert held.arcs == "host"
        same_rows(held.out_edges, mg.Graph.from_edges(src, dst, weights, device="cpu", **options).out_edges)
        again = mg.Graph.from_csr(held.offsets, held.indices, held.weights, directed=directed)  # checks the rows
        assert again.arcs == "host"
        assert np.shares_memory(CPU.asarray(again.indices), CPU.asarray(held.indices))


@pytest.mark.gpu
@pytest.mark.parametrize("options", [{}, {"relabel": True}, {"directed": True}, {"weights": False}])
@pytest.mark.parametrize("ending", ["txt", "mtx", "npz", "minigr"])
def test_of_a_file(tmp_path, ending, options):
    path = tmp_path / f"graph.{ending}"
    mg.write(generate.rmat(6, weights=(1, 9), seed=3, device="cpu"), path)
    held, whole = (mg.read(path, device=device, arcs="host", **options) for device in ("cuda", "cpu"))
    assert held.arcs == "host"
    same_rows(held.out_edges, whole.out_edges)
    mg.write(held, tmp_path / f"again.{ending}")
    same_rows(mg.read(tmp_path / f"again.{ending}", device="cpu").out_edges, whole.out_edges)


@pytest.fixture
def free(monkeypatch):
    """A function that makes the GPU and the host have so many bytes free."""

    def leave(gpu, host):
        monkeypatch.setattr(memory, "ASK_FROM", 0)
        monkeypatch.setattr(memory, "free", lambda device: gpu if device.is_cuda else host)
        monkeypatch.setattr(memory, "_pooled", lambda device: 0)

    return leave


@pytest.mark.gpu
def test_what_does_not_fit_says_that_the_host_may_have_it(free):
    graph = generate.complete(30, device="cpu")
    ends = graph.offsets.nbytes
    src, dst, _ = graph.to_edges()
    free(graph.memory - 1, 4 * graph.num_arcs)
    with pytest.raises(
        OutOfMemoryError, match=r"the graph would take .* keep the arcs .*, with arcs='host', or run on"
    ):
        graph.to("cuda")
    with pytest.raises(OutOfMemoryError, match="with arcs='host'"):
        mg.Graph.from_edges(src, dst, device="cuda")
    with pytest.raises(OutOfMemoryError, match=r"drawing and sorting .* with arcs='host'"):
        generate.rmat(6, device="cuda")
    free(ends, 4 * graph.num_arcs)
    held = graph.to("cuda", arcs="host")
    assert mg.Graph.from_edges(src, dst, device="cuda", arcs="host").num_arcs == graph.num_arcs
    free(ends, ends)  # arrays that are there already need no further room
    assert held.to("cpu").to("cuda", arcs="host").arcs == "host"
    with pytest.raises(
        OutOfMemoryError, match="the arcs of the graph would take 3,480 bytes on cpu, where 248 are free"
    ):
        graph.to("cuda", arcs="host")
    with pytest.raises(OutOfMemoryError, match=r"the arcs of the graph's in-edges would take .* on cpu"):
        held.in_edges(ids=True)
    assert held.memory == graph.memory


@pytest.mark.gpu
def test_what_only_saves_time_is_not_made_without_room_on_the_host(free):
    held = generate.complete(30, device="cpu").to("cuda", arcs="host")
    free(1 << 30, 4 * held.num_arcs - 1)
    assert held.by_degree_if_it_fits() is None
    assert mg.triangle_count(held).total == 30 * 29 * 28 // 6
    assert held.kept == {}
    free(1 << 30, 4 * held.num_arcs)
    assert held.by_degree_if_it_fits() is not None


def pulled(graph):
    return mg.bfs(graph, 0, direction="pull").depth


@pytest.mark.gpu
@pytest.mark.parametrize("directed", [False, True])
def test_first_neighbors_are_kept_for_searches(directed):
    whole = generate.rmat(8, directed=directed, device="cpu")
    held = whole.to("cuda", arcs="host")
    mg.bfs(held, 0, direction="push")
    assert "rows_to_search" not in held.kept
    same(pulled(held), pulled(whole))
    assert held.kept["rows_to_search"] == 4 * held.num_vertices
    assert held.memory - held.host_memory >= held.offsets.nbytes + 4 * held.num_vertices
    same(mg.bfs(held, 0).depth, mg.bfs(whole, 0).depth)

    held.drop("rows_to_search")
    same(pulled(held), pulled(whole))
    assert "rows_to_search" in held.kept
    if directed:
        held.drop("in_edges")
        assert held.kept == {}
        same(pulled(held), pulled(whole))


@pytest.mark.gpu
def test_searches_do_without_first_neighbors_where_there_is_no_room(monkeypatch):
    whole = generate.rmat(8, device="cpu")
    held = whole.to("cuda", arcs="host")
    monkeypatch.setattr("minigr.graphs.graph.fits", lambda device, needed: False)
    same(pulled(held), pulled(whole))
    assert held.kept == {}


@pytest.mark.gpu
def test_rows_of_which_many_are_empty_have_first_neighbors_in_parts(monkeypatch):
    whole = mg.Graph.from_edges([3, 5, 5, 8], [5, 3, 8, 8], num_vertices=12, directed=True, device="cpu")
    held = whole.to("cuda", arcs="host")
    monkeypatch.setattr(build_host_cuda(), "ROWS_AT_ONCE", 5)
    rows = held._rows_to_search()
    starts = CPU.asarray(rows.offsets)
    full = np.flatnonzero(np.diff(starts))
    np.testing.assert_array_equal(CPU.asarray(rows.firsts)[full], CPU.asarray(rows.indices)[starts[full]])
    assert (rows.firsts.dtype, len(rows.firsts)) == (np.int32, 12)
    empty = mg.Graph.from_edges([], [], num_vertices=3, device="cuda", arcs="host")
    assert empty._rows_to_search().firsts.tolist() == [0, 0, 0]
