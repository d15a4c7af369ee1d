"""Estimates of memory: against the peak of the call itself, and without allocating or running anything of it."""

import gc
import tracemalloc
from functools import cache, partial

import numpy as np
import pytest

import minigr as mg
from minigr.calls import APPS
from minigr.device import resolve
from minigr.errors import EstimateError, GraphError
from minigr.program.executor import steps_run

_OBJECTS = 60_000  # bytes: what Python's objects take, and a pool's rounding, of which an estimate knows nothing
_GRAPHS = {
    "rmat": partial(mg.generate.rmat, 15, 12),
    "directed rmat": partial(mg.generate.rmat, 15, 12, directed=True, weights=(1, 9)),
    "roads": partial(mg.generate.lattice, 250, 250, 0.7, weights=(1, 9)),
    "star": partial(mg.generate.star, 60_000),
    "directed": partial(mg.generate.uniform, 40_000, 160_000, directed=True),
}
_EDGES = 50_000


@cache
def _graph(name, device):
    return _GRAPHS[name](device=device)


@pytest.fixture(params=_GRAPHS)
def graph(request, device):
    return _graph(request.param, device)


def _takes(algorithm, graph):
    return (graph.weighted or not algorithm.weights) and algorithm.directed in (None, graph.directed)


def _peak(call, device):
    """The most bytes that a call holds on a device beyond what is there before it."""
    gc.collect()
    if resolve(device).is_cuda:
        return _peak_of_pool(call)
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        call()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


def _peak_of_pool(call):
    import cupy

    if not hasattr(cupy.cuda, "MemoryHook"):
        pytest.skip("the emulator has no pool to watch")
    sizes = {}

    class Peak(cupy.cuda.MemoryHook):
        name = "peak"
        most = 0

        def malloc_postprocess(self, **given):
            sizes[given["pmem_id"]] = given["mem_size"]
            self.most = max(self.most, sum(sizes.values()))

        def free_preprocess(self, **given):
            sizes.pop(given["pmem_id"], None)

    with Peak() as peak:
        call()
    return peak.most


def _assert_right(on, call, /, *arguments, **options):
    estimated = mg.memory.estimate(call, *arguments, **options)
    found = estimated.device if resolve(on).is_cuda else estimated.host
    assert found == pytest.approx(_peak(partial(call, *arguments, **options), on), rel=0.1, abs=_OBJECTS)


@pytest.mark.parametrize("app", APPS)
def test_an_app_takes_what_was_estimated(app, graph, device):
    algorithm = APPS[app]
    if not _takes(algorithm, graph):
        pytest.skip("the app doesn't take such a graph")
    for call in algorithm.calls:
        call(graph)  # compiles
        graph.drop()
        _assert_right(device, call, graph)
        _assert_right(device, call, graph)  # with what the first run kept


@cache
def _dynamic(device):
    return mg.DynamicGraph.from_graph(mg.generate.rmat(14, 12, weights=(1, 9), device=device))


@pytest.mark.parametrize("app", [app for app, algorithm in APPS.items() if "slabs" in algorithm.layouts])
def test_an_app_takes_what_was_estimated_of_a_dynamic_graph(app, device):
    graph, call = _dynamic(device), APPS[app].calls[0]
    call(graph)
    graph.drop()
    _assert_right(device, call, graph)


@pytest.mark.parametrize(
    "answer",
    [
        lambda graph: mg.dynamic.BFS(graph, 0),
        lambda graph: mg.dynamic.SSSP(graph, 0),
        lambda graph: mg.dynamic.PageRank(graph),
        lambda graph: mg.dynamic.ConnectedComponents(graph),
        lambda graph: mg.dynamic.CoreNumber(graph),
        lambda graph: mg.dynamic.Coloring(graph),
        lambda graph: mg.dynamic.TriangleCount(graph),
    ],
)
def test_an_answer_takes_what_was_estimated(answer, device):
    graph = _dynamic(device)
    answer(graph)
    graph.drop()
    _assert_right(device, answer, graph)


@pytest.mark.parametrize("app", APPS)
def test_an_estimate_allocates_and_runs_nothing(app, device):
    algorithm = APPS[app]
    weights = (1, 9) if algorithm.weights else None
    graph, small = (mg.generate.lattice(size, size, weights=weights, device=device) for size in (600, 10))
    mg.memory.estimate(algorithm.calls[0], small)  # Python's objects of the modules that are loaded
    steps, kept = steps_run(), graph.kept
    assert _peak(partial(mg.memory.estimate, algorithm.calls[0], graph), device) < graph.num_vertices
    assert steps_run() == steps
    assert graph.kept == kept == {}


@cache
def _on_host(device):
    """A graph on a GPU whose arcs are on the host, and the same one on the CPU."""
    whole = mg.generate.rmat(12, 40, directed=True, weights=(1, 9), device="cpu")
    return whole.to(device, arcs="host"), whole


@pytest.mark.gpu
@pytest.mark.parametrize("app", ["bfs", "sssp", "pagerank", "components", "triangles"])
def test_an_app_takes_what_was_estimated_with_arcs_on_the_host(app):
    graph, call = _on_host("cuda")[0], APPS[app].calls[0]
    call(graph)
    graph.drop()
    _assert_right("cuda", call, graph)


@pytest.mark.gpu
@pytest.mark.parametrize(
    "build",
    [
        lambda graph: graph.in_edges(),
        lambda graph: graph.reverse(),
        lambda graph: graph.by_degree(),
        lambda graph: mg.triangle_count(graph),
    ],
)
def test_what_the_cpu_builds_of_arcs_on_the_host(build):
    graph, whole = _on_host("cuda")
    graph.drop()
    whole.drop()
    offsets = graph.offsets.nbytes
    estimated, on_cpu = mg.memory.estimate(build, graph), mg.memory.estimate(build, whole)
    assert estimated.host == pytest.approx(on_cpu.host, rel=0.1, abs=2 * offsets)  # which go there and back
    assert estimated.device < 12 * offsets < graph.host_memory
    before = graph.host_memory
    build(graph)
    assert 0 < graph.host_memory - before <= estimated.host


@pytest.mark.gpu
@pytest.mark.parametrize("ending", ["minigr", "mtx"])
def test_graphs_are_made_with_arcs_on_the_host(tmp_path, ending):
    graph, whole = _on_host("cuda")
    arcs, offsets = whole.indices.nbytes + whole.weights.nbytes, -(-whole.offsets.nbytes // 512) * 512
    assert mg.memory.estimate(whole.to, "cuda", arcs="host") == mg.memory.Estimate(arcs, offsets)
    assert mg.memory.estimate(graph.to, "cpu") == mg.memory.Estimate(whole.offsets.nbytes, 0)  # the arcs are shared
    assert mg.memory.estimate(graph.to, "cuda", arcs="host") == mg.memory.Estimate(0, 0)
    moved = mg.memory.estimate(graph.to, "cuda")
    assert arcs <= moved.device < arcs + offsets  # which are there
    assert moved.host == 0
    path = tmp_path / f"town.{ending}"
    mg.write(whole, path)
    edges = partial(mg.Graph.from_edges, *whole.to_edges(), directed=True)
    for make, copies in ((edges, 1), (partial(mg.read, path), 2 if ending == "minigr" else 1)):
        taken = mg.memory.estimate(make, device="cuda", arcs="host")
        on_cpu = mg.memory.estimate(make, device="cpu").host
        assert taken.device == offsets
        assert taken.host == pytest.approx(on_cpu + (copies - 1) * arcs, rel=0.1, abs=2 * offsets)


@pytest.mark.parametrize(
    "convert",
    [
        lambda graph: graph.in_edges(ids=True),
        lambda graph: graph.by_degree(),
        lambda graph: graph.reverse(),
        lambda graph: graph.to_edges(),
        lambda graph: graph.to_edges(both_ways=True),
        lambda graph: graph.to_scipy(),
        lambda graph: graph.degree(),
        lambda graph: graph.in_degree(),
    ],
)
def test_a_conversion_takes_what_was_estimated(convert, graph, device):
    convert(graph)
    graph.drop()
    _assert_right(device, convert, graph)


@pytest.mark.parametrize("options", [{}, {"in_edges": True}, {"load_factor": 0.5}])
def test_a_dynamic_graph_takes_what_was_estimated(graph, device, options):
    mg.DynamicGraph.from_graph(graph, **options)
    _assert_right(device, mg.DynamicGraph.from_graph, graph, **options)


def test_methods_of_a_graph(device):
    graph = mg.generate.rmat(12, 8, device=device)
    assert mg.memory.estimate(graph.by_degree) == mg.memory.estimate(mg.Graph.by_degree, graph)
    assert mg.memory.estimate(graph.to, device) == mg.memory.Estimate(0, 0)
    moved = mg.memory.estimate(graph.to, "cpu").host
    assert moved == (graph.memory if resolve(device).is_cuda else 0)


def _ends(dtype=np.int32):
    numbers = np.arange(_EDGES, dtype=dtype)
    return numbers * 7 % 9973, numbers % 9973


@pytest.mark.parametrize("weights", [None, np.ones(_EDGES)])
@pytest.mark.parametrize("options", [{}, {"directed": True, "num_vertices": 20_000}])
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_a_graph_of_edges_takes_what_was_estimated(device, dtype, options, weights):
    mg.Graph.from_edges(*_ends(dtype), weights, device=device, **options)
    _assert_right(device, mg.Graph.from_edges, *_ends(dtype), weights, device=device, **options)


@pytest.mark.parametrize("weights", [None, (1, 9)])
def test_rows_take_what_was_estimated(device, weights):
    graph = mg.generate.rmat(14, 8, weights=weights, device=device)
    held = graph.offsets, graph.indices, graph.weights
    mg.Graph.from_csr(*held, device=device)
    _assert_right(device, mg.Graph.from_csr, *held, device=device)


@pytest.mark.parametrize(
    "generate",
    [
        partial(mg.generate.rmat, 14, 16, weights=(1, 5)),
        partial(mg.generate.rmat, 14, 16, directed=True, simple=False),
        partial(mg.generate.uniform, 20_000, 200_000),
        partial(mg.generate.lattice, 300, 300, 0.6),
        partial(mg.generate.path, 100_000),
        partial(mg.generate.cycle, 100_000, directed=True),
        partial(mg.generate.star, 100_000),
        partial(mg.generate.complete, 300),
    ],
)
def test_a_generated_graph_takes_what_was_estimated(device, generate):
    generate(device=device)
    _assert_right(device, generate, device=device)


@pytest.mark.parametrize("name", ["town.mtx", "town.gr", "town.minigr"])
@pytest.mark.parametrize("options", [{}, {"weights": False}, {"directed": False}])
def test_a_file_takes_what_was_estimated(tmp_path, name, options):
    graph = mg.generate.rmat(16, 16, weights=(1, 99), weight_dtype=np.int32, device="cpu")
    path = tmp_path / name
    if name.endswith(".gr"):
        src, dst, weights = (array.tolist() for array in graph.to_edges())
        lines = (f"a {u + 1} {v + 1} {weight}\n" for u, v, weight in zip(src, dst, weights, strict=True))
        path.write_text(f"p sp {graph.num_vertices} {graph.num_edges}\n{''.join(lines)}")
    else:
        mg.write(graph, path)
    mg.read(path, device="cpu", **options)
    estimated = mg.memory.estimate(mg.read, path, device="cpu", **options).host
    peak = _peak(partial(mg.read, path, device="cpu", **options), "cpu")
    assert estimated == pytest.approx(peak, rel=0.1, abs=4 << 20)  # blocks of text are as long in small files


def test_files_that_do_not_say_their_size(tmp_path):
    path = tmp_path / "edges.txt"
    path.write_text("0 1\n1 2\n")
    with pytest.raises(EstimateError, match=r"edges.txt: .*doesn't say how large"):
        mg.memory.estimate(mg.read, path, device="cpu")
    with pytest.raises(EstimateError, match="several files"):
        mg.memory.estimate(mg.read, [path, path], device="cpu")


def test_a_users_program_takes_what_was_estimated(device):
    class Reach(mg.Problem):
        seen = mg.vertex_field(np.int32)

    class Visit(mg.Functor):
        def cond_advance(dst, seen):
            return mg.atomic_exch(seen, dst, 1) == 0

    class Reachable(mg.Enactor, problem=Reach, functor=Visit):
        def step(self, frontier):
            return self.advance(frontier)

    def reachable(graph):
        enactor = Reachable(graph)
        enactor.problem.seen[0] = 1
        enactor.run(mg.Frontier.of(0))
        return enactor.problem.seen

    graph = _graph("rmat", device)
    reachable(graph)
    _assert_right(device, reachable, graph)


def test_nobody_is_told_of_progress(device):
    graph = _graph("rmat", device)
    for app in (mg.pagerank, mg.closeness_centrality):
        assert mg.memory.estimate(app, graph, progress=lambda *_: pytest.fail("told")) == mg.memory.estimate(app, graph)


@pytest.mark.parametrize("options", [{"trace": True}, {"driver": "host"}])
def test_how_an_app_runs_makes_no_difference(device, options):
    graph = _graph("rmat", device)
    estimates = [mg.memory.estimate(mg.bfs, graph, 0, **how) for how in ({}, options)]
    assert estimates[0] == estimates[1]


def test_what_an_estimate_refuses(device):
    graph = mg.generate.path(5, device=device)
    with pytest.raises(GraphError, match="source 5 is not a vertex"):
        mg.memory.estimate(mg.bfs, graph, 5)
    with pytest.raises(GraphError, match=r"src\[1\] is -1: vertex ids must not be negative"):
        mg.memory.estimate(mg.Graph.from_edges, np.array([0, -1]), np.array([1, 2]), device=device)
    with pytest.raises(EstimateError, match="looks at the values"):
        mg.memory.estimate(lambda graph: resolve("cpu").asarray(graph.degree()).tolist(), graph)
    with pytest.raises(EstimateError, match="builds or changes a DynamicGraph"):
        mg.memory.estimate(mg.DynamicGraph.from_edges, [0], [1], device=device)
    with pytest.raises(EstimateError, match="degrees aren't known"):
        mg.memory.estimate(mg.DynamicGraph, 100, device=device)
    with pytest.raises(EstimateError, match="geometric"):
        mg.memory.estimate(mg.generate.random_geometric, 100, device=device)


def test_what_is_kept_is_listed_and_dropped(device):
    graph = mg.generate.rmat(10, 8, directed=True, device=device)
    own = graph.memory
    assert graph.kept == {}
    reverse, rows = graph.reverse(), graph.in_edges()
    mg.triangle_count(graph)
    mg.pagerank(graph)
    assert graph.kept["in_edges"] == rows.offsets.nbytes + rows.indices.nbytes + rows.edge_ids.nbytes
    assert graph.kept["reverse"] == reverse.in_edges().edge_ids.nbytes  # all else is the in-edges', or the graph's
    assert graph.kept["chances"] == 8 * graph.num_vertices
    assert graph.memory == own + sum(graph.kept.values())
    with pytest.raises(GraphError, match="keeps no 'by_degre'"):
        graph.drop("chances", "by_degre")
    assert "chances" in graph.kept
    graph.drop("in_edges")
    assert list(graph.kept) == ["orientation", "chances"]
    graph.drop()
    assert graph.kept == {}
    assert graph.memory == own
    assert mg.triangle_count(graph).total == mg.triangle_count(graph).total > 0
    assert list(graph.kept) == ["orientation"]


def test_what_a_dynamic_graph_keeps(device):
    graph = mg.DynamicGraph.from_graph(mg.generate.complete(5, device=device))
    assert mg.triangle_count(graph).total == 10
    kept = graph.kept
    assert list(kept) == ["orientation"]
    assert kept["orientation"] > 0
    graph.delete_edges([0], [1])
    assert mg.triangle_count(graph).total == 7
    assert list(graph.kept) == ["orientation"]
    graph.drop("orientation")
    assert graph.kept == {}
    with pytest.raises(GraphError, match="keeps no 'orientation'"):
        graph.drop("orientation")


def _no_room(monkeypatch):
    for module in ("minigr.graphs.graph", "minigr.apps.common.orientation"):
        monkeypatch.setattr(f"{module}.rows_fit", lambda *_, **__: False)


def test_what_only_saves_time_is_not_made_without_room(device, monkeypatch):
    graph = mg.generate.rmat(9, 8, device=device)
    directed = mg.generate.rmat(9, 8, directed=True, device=device)
    counted, depth = mg.triangle_count(graph, clustering=True), mg.bfs(directed, 3).depth
    for each in (graph, directed):
        each.drop()
    _no_room(monkeypatch)
    assert graph.by_degree_if_it_fits() is None
    assert mg.triangle_count(graph).total == counted.total > 0
    found = mg.triangle_count(graph, clustering=True)
    np.testing.assert_array_equal(resolve("cpu").asarray(found.per_vertex == counted.per_vertex), True)
    np.testing.assert_allclose(*(resolve("cpu").asarray(each.clustering) for each in (found, counted)))
    assert found.transitivity == counted.transitivity
    np.testing.assert_array_equal(resolve("cpu").asarray(mg.bfs(directed, 3).depth == depth), True)
    assert graph.kept == directed.kept == {}


def test_what_is_kept_already_is_taken_without_room(device, monkeypatch):
    graph = mg.generate.rmat(9, 8, device=device)
    kept = graph.by_degree()
    mg.triangle_count(graph)
    _no_room(monkeypatch)
    assert graph.by_degree_if_it_fits() is kept
    assert mg.triangle_count(graph).total > 0
    assert list(graph.kept) == ["by_degree", "orientation"]


def test_triangles_need_an_orientation_where_edges_repeat(device, monkeypatch):
    _no_room(monkeypatch)
    graph = mg.Graph.from_edges([0, 0, 1, 2, 2], [1, 1, 2, 0, 2], device=device)
    assert mg.triangle_count(graph).total == 1
    assert list(graph.kept) == ["orientation"]
