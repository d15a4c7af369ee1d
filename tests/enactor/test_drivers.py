"""The drivers of a loop: whoever runs it, and however work changes hands meanwhile, the results are the same."""

import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest

import minigr as mg
from minigr import atomic_cas
from minigr.device import CPU
from minigr.errors import CapacityError, DeviceError, ProblemError
from minigr.program import cpu, cuda, executor
from minigr.program.control import DRIVERS, Stop, Word
from tests import specification
from tests.battery import BATTERY
from tests.verifiers import check_bfs, check_sssp

pytestmark = pytest.mark.usefixtures("team")
ON_GPU = [pytest.param(driver, marks=pytest.mark.gpu) for driver in DRIVERS]


# One weight dtype, so that each program is compiled once.
_WEIGHTED = {name: make for name, make in BATTERY if name.endswith("float32")}
_MORE = {  # with vertices of more edges than a block or a thread takes alone, and one worth pulling on
    "rmat": lambda device: mg.generate.rmat(9, 16, seed=5, weights=(1, 9), weight_dtype="float32", device=device),
    "star": lambda device: mg.generate.star(20000, weights=(1, 9), weight_dtype="float32", device=device),
    "two_hubs": lambda device: mg.Graph.from_edges(
        [v % 2 for v in range(2, 3000)] + [0],
        [*range(2, 3000), 1],
        (np.arange(2999) * 7 % 10).astype(np.float32),
        device=device,
    ),
}


@cache
def graphs(device):
    return [(name, make(device)) for name, make in {**_WEIGHTED, **_MORE}.items() if make("cpu").num_vertices]


def host(array):
    return CPU.asarray(array).tolist()


# --- what there is to choose -----------------------------------------------------------------------------------------


def path_bfs(device="cpu", **options):
    return mg.bfs(mg.generate.path(3, device=device), 0, **options)


@pytest.mark.parametrize("driver", ["cuda", "FUSED", "", None, 1])
def test_unknown_drivers(device, driver):
    with pytest.raises(ProblemError) as error:
        path_bfs(device, driver=driver)
    assert str(error.value) == f"driver={driver!r}: use one of 'auto', 'fused', 'graph', 'host'"


@pytest.mark.parametrize("trace", [False, True])
def test_a_cuda_graph_on_the_cpu(trace):
    with pytest.raises(ProblemError) as error:
        path_bfs(driver="graph", trace=trace)
    assert str(error.value) == (
        "driver='graph' is a CUDA graph, and the graph is on the CPU: use 'fused' or 'host', or move it with "
        "graph.to('cuda')"
    )


def test_tracing(where):
    device, driver = where
    if driver in ("auto", "host"):
        assert len(path_bfs(device, driver=driver, trace=True).trace) == 3
        return
    with pytest.raises(ProblemError) as error:
        path_bfs(device, driver=driver, trace=True)
    assert (
        str(error.value) == f"driver={driver!r} can't be traced, because its loop doesn't run on the host: use 'host'"
    )


@pytest.mark.parametrize(("version", "name"), [(12000, "12.0"), (12030, "12.3"), (11080, "11.8")])
def test_a_driver_without_while_nodes(monkeypatch, version, name):
    runtime = SimpleNamespace(driverGetVersion=lambda: version)
    monkeypatch.setitem(sys.modules, "cupy", SimpleNamespace(cuda=SimpleNamespace(runtime=runtime)))
    with pytest.raises(DeviceError, match=f"driver is for CUDA {name}, .* install driver 550 or newer"):
        cuda.check_cuda_version()
    runtime.driverGetVersion = lambda: 12040
    cuda.check_cuda_version()


def test_the_ready_apps_take_a_driver(where):
    device, driver = where
    graph = mg.generate.star(4, weights=(1, 1), weight_dtype="float32", device=device)
    for app, arguments in ((mg.bfs, (0,)), (mg.sssp, (0,)), (mg.pagerank, ())):
        app(graph, *arguments, driver=driver)
        with pytest.raises(ProblemError, match="driver='other'"):
            app(graph, *arguments, driver="other")


# --- the ready apps --------------------------------------------------------------------------------------------------


@cache
def expected_of_apps(name):
    """What one thread finds, step by step on the CPU."""
    graph = dict(graphs("cpu"))[name]
    bfs, sssp = mg.bfs(graph, 0, driver="host"), mg.sssp(graph, 0, driver="host")
    check_bfs(graph, 0, bfs.depth, bfs.parent)
    check_sssp(graph, 0, sssp.distance, sssp.parent)
    rank = mg.pagerank(graph, precision="double", driver="host")
    return host(bfs.depth), bfs.iterations, host(sssp.distance), rank.rank, rank.iterations


def test_apps_over_the_battery(where, monkeypatch):
    device, driver = where
    for name, graph in graphs.__wrapped__(device):  # what was recorded over others has the numbers of then
        depth, levels, distance, rank, iterations = expected_of_apps(name)
        bfs = mg.bfs(graph, 0, driver=driver)
        assert (name, host(bfs.depth), bfs.iterations) == (name, depth, levels)
        check_bfs(graph, 0, bfs.depth, bfs.parent)
        sssp = mg.sssp(graph, 0, driver=driver)
        assert (name, host(sssp.distance)) == (name, distance)
        check_sssp(graph, 0, sssp.distance, sssp.parent)
        pagerank = mg.pagerank(graph, precision="double", driver=driver)
        np.testing.assert_allclose(CPU.asarray(pagerank.rank), rank, rtol=1e-9, err_msg=name)
        assert (name, pagerank.iterations) == (name, iterations)


# --- a program of a user's own ---------------------------------------------------------------------------------------


class Tour(mg.Problem):
    found = mg.vertex_field(np.int32, fill=-1)
    worked = mg.vertex_field(np.int32, fill=-1)
    key = mg.vertex_field(np.float64)
    many = mg.scalar_field(np.int64)
    enough = mg.parameter(np.int64, default=1 << 40)


class Visit(mg.Functor):
    def cond_target(dst, found):
        return found[dst] < 0

    def cond_advance(dst, iteration, found):
        return atomic_cas(found, dst, -1, iteration) == -1

    def cond_filter(vertex):
        return vertex % 37 != 31

    def priority(vertex, key):
        return key[vertex]

    def apply(vertex, iteration, worked):
        worked[vertex] = iteration
        return 1

    def until(many, enough):
        return many >= enough


class Tours(mg.Enactor, problem=Tour, functor=Visit):
    """Each vertex found waits for its turn; some are dead ends. Four operators, two of which choose what to do."""

    width = 1.5

    def start(self, source):
        n = self.problem.graph.num_vertices
        self.problem.key = np.arange(n) * 7919 % 23 / 4.0
        self.problem.found[source] = 0
        return mg.Frontier.of(source)

    def step(self, frontier):
        found = self.advance(frontier, direction="auto", duplicates="impossible")
        near = self.near_far(self.filter(found), width=self.width)
        self.compute(near, into="many")
        return near


@cache
def rows_of(name):
    graph = dict(graphs("cpu"))[name]
    offsets, indices = graph.out_edges.offsets, graph.out_edges.indices
    return [indices[offsets[v] : offsets[v + 1]].tolist() for v in range(graph.num_vertices)]


@cache
def expected_of_tours(name, enough=1 << 40, limit=1 << 40):
    """The same in sequential Python: (found, worked, steps, why it stopped)."""
    rows = rows_of(name)
    n = len(rows)
    found, worked = [-1] * n, [-1] * n
    found[0] = 0
    queue = specification.NearFar(Visit, {"key": np.arange(n) * 7919 % 23 / 4.0}, Tours.width)
    frontier, steps = [0], 0
    while True:
        steps += 1
        new = sorted({d for v in frontier for d in rows[v] if found[d] < 0})
        for v in new:
            found[v] = steps
        frontier = queue([v for v in new if v % 37 != 31])
        for v in frontier:
            worked[v] = steps
        if not frontier:
            return found, worked, steps, Stop.EMPTY
        if len(frontier) >= enough:
            return found, worked, steps, Stop.UNTIL
        if steps == limit:
            return found, worked, steps, Stop.BUDGET


def toured(graph, driver, enough=1 << 40, limit=None):
    enactor = Tours(graph, driver=driver, max_iterations=limit, enough=enough)
    enactor.run(0)
    return host(enactor.problem.found), host(enactor.problem.worked), enactor.iterations, enactor.stopped


class Visited(mg.Problem):
    hits = mg.vertex_field(np.int64)


class Wander(mg.Functor):
    """Which edges are open changes from step to step, so a vertex comes and goes."""

    def cond_advance(src, dst, iteration):
        return (src + 2 * dst + iteration) % 3 != 0

    def apply_advance(dst, hits):
        mg.atomic_add(hits, dst, 1)


class Wandering(mg.Enactor, problem=Visited, functor=Wander):
    direction = "push"

    def start(self, source):
        return mg.Frontier.of(source)

    def step(self, frontier):
        return self.advance(frontier, direction=self.direction)


class WanderingByPulls(Wandering):
    direction = "pull"


def test_each_pull_sees_the_frontier_of_its_own_step(where):
    device, driver = where
    for name, graph in graphs(device):
        expected = Wandering(graph, driver="host", max_iterations=7)
        found = WanderingByPulls(graph, driver=driver, max_iterations=7)
        for enactor in (expected, found):
            enactor.run(0)
        assert host(found.problem.hits) == host(expected.problem.hits), name
        assert found.iterations == expected.iterations, name


def test_a_program_of_ones_own(where):
    device, driver = where
    for name, graph in graphs(device):
        assert (name, *toured(graph, driver)) == (name, *expected_of_tours(name))


def test_the_program_does_all_it_is_written_for():
    """Otherwise the comparisons would compare little."""
    drawn, pulled = [], []

    class Watched(Tours):
        def _execute(self, frontier):
            run = super()._execute(frontier)
            drawn.append(int(run.control[Word.DRAWS]))
            pulled.append(int(run.control[Word.PULLS]))
            return run

    for name in ("star", "rmat"):
        Watched(dict(graphs("cpu"))[name]).run(0)
    assert max(drawn) > 2
    assert max(pulled) > 0


@pytest.mark.parametrize("limit", [1, 2, 3, 7])
def test_limits(where, limit):
    device, driver = where
    stops = set()
    for name, graph in graphs(device):
        got = toured(graph, driver, limit=limit)
        assert (name, *got) == (name, *expected_of_tours(name, limit=limit))
        stops.add(got[-1])
    assert stops == {Stop.BUDGET, Stop.EMPTY}


@pytest.mark.parametrize("first", [1, 2, 5])
def test_budgets_that_end_amid_the_loop(where, first, monkeypatch):
    monkeypatch.setattr(executor, "_FIRST_BUDGET", first)
    monkeypatch.setattr(executor, "_SECONDS", 1e-9)
    device, driver = where
    for name, graph in graphs(device):
        assert (name, *toured(graph, driver)) == (name, *expected_of_tours(name))


def test_until_reads_a_scalar(where):
    device, driver = where
    stops = set()
    for name, graph in graphs(device):
        got = toured(graph, driver, enough=5)
        assert (name, *got) == (name, *expected_of_tours(name, enough=5))
        stops.add(got[-1])
    assert stops == {Stop.UNTIL, Stop.EMPTY}


class Search(mg.Problem):
    depth = mg.vertex_field(np.int32, fill=-1)
    target = mg.parameter(np.int32)


class Approach(mg.Functor):
    def cond_advance(dst, iteration, depth):
        return atomic_cas(depth, dst, -1, iteration) == -1

    def until(depth, target):
        return depth[target] >= 0


class Searches(mg.Enactor, problem=Search, functor=Approach):
    def start(self, source):
        self.problem.depth[source] = 0
        return mg.Frontier.of(source)

    def step(self, frontier):
        return self.advance(frontier)


def test_until_reads_a_field_of_vertices(where):
    """Which the next step may write while a late worker still reads it for this one."""
    device, driver = where
    graph = mg.generate.lattice(60, 4, 1.0, device=device)
    depth = host(mg.bfs(graph, 0).depth)
    for target in range(3, graph.num_vertices, 13):
        enactor = Searches(graph, driver=driver, target=target)
        enactor.run(0)
        assert (target, enactor.iterations, enactor.stopped) == (target, depth[target], Stop.UNTIL)
        expected = [d if d <= depth[target] else -1 for d in depth]
        assert (target, host(enactor.problem.depth)) == (target, expected)


# --- work that changes hands -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("solo", "wide"), [(4, 16), (0, 1), (1, 1), (16, 1 << 62), (0, 1 << 62), (1 << 62, 1 << 62)])
def test_changing_over(where, solo, wide, monkeypatch):
    """From few blocks to all, to kernels of their own, and back; on the CPU from one thread to all."""
    monkeypatch.setattr(cuda, "_SOLO", solo)
    monkeypatch.setattr(cuda, "_WIDE", wide)
    monkeypatch.setattr(cpu, "FIRST_SOLO", min(solo, 1 << 40))
    device, driver = where
    for name, graph in graphs(device):
        depth, levels, distance, rank, iterations = expected_of_apps(name)
        assert (name, *toured(graph, driver)) == (name, *expected_of_tours(name))
        bfs = mg.bfs(graph, 0, driver=driver)
        assert (name, host(bfs.depth), bfs.iterations) == (name, depth, levels)
        assert (name, host(mg.sssp(graph, 0, driver=driver).distance)) == (name, distance)
        pagerank = mg.pagerank(graph, precision="double", driver=driver)
        np.testing.assert_allclose(CPU.asarray(pagerank.rank), rank, rtol=1e-9, err_msg=name)
        assert (name, pagerank.iterations) == (name, iterations)


def bush_on_a_path(device):
    """A path, a tree whose levels double and then halve, and a path again: each way of doing a step comes and goes."""
    src, dst, level, next_id = [], [], [0], 1
    for width in [*[1] * 20, 2, 4, 8, 16, 32, 64, 64, 32, 16, 8, 4, 2, *[1] * 20]:
        ids = list(range(next_id, next_id + width))
        next_id += width
        for k in range(max(width, len(level))):
            src.append(level[k % len(level)])
            dst.append(ids[k % width])
        level = ids
    return mg.Graph.from_edges(src, dst, directed=True, device=device)


def test_the_bush_on_a_path():
    graph = bush_on_a_path("cpu")
    widths = np.bincount(mg.bfs(graph, 0).depth)
    assert widths.tolist() == [1, *[1] * 20, 2, 4, 8, 16, 32, 64, 64, 32, 16, 8, 4, 2, *[1] * 20]


class Walk(mg.Functor):
    def cond_advance(dst, iteration, depth):
        return atomic_cas(depth, dst, -1, iteration) == -1


class Walks(Searches, functor=Walk):
    """On to the end, whatever the target."""


@pytest.mark.parametrize("driver", ON_GPU)
def test_who_does_which_step(driver, monkeypatch):
    graph = bush_on_a_path("cuda")
    per_item = 1 + graph.num_arcs // graph.num_vertices
    monkeypatch.setattr(cuda, "_SOLO", 4 * per_item)
    monkeypatch.setattr(cuda, "_WIDE", 16 * per_item)
    enactor = Walks(graph, driver=driver, target=0)
    run = enactor._execute(enactor._started((0,), {}))
    control = run.control
    depth, degree = CPU.asarray(enactor.problem.depth), CPU.asarray(graph.out_degree())
    widths = np.bincount(depth)
    assert enactor.iterations == len(widths)
    few, wide = widths < 4, widths >= 16
    edges = [int(degree[depth == level].sum()) for level in range(len(widths))]
    whole = ~few & ~(wide & (driver == "auto"))
    if driver in ("auto", "fused"):  # each step of a persistent kernel has one barrier, at which all its blocks arrive
        (_, of_few, _), (_, of_whole, _) = (run._program._persistent[name] for name in ("few", "whole"))
        assert control[Word.ARRIVALS] == sum(of_few * few + of_whole * whole)
        assert control[Word.EDGES] == sum(np.array(edges)[~few & ~whole])
    else:
        assert control[Word.ARRIVALS] == 0
        assert control[Word.EDGES] == sum(edges)
    assert few[0]
    assert few[-1]
    assert (~few & ~wide).any()


@pytest.mark.gpu
def test_kernels_are_loaded_when_a_run_needs_them(monkeypatch):
    """And whichever are loaded when, all have the arguments of the run."""
    monkeypatch.setattr(cuda, "_programs", {})
    graph = bush_on_a_path("cuda")
    depth = mg.bfs(bush_on_a_path("cpu"), 0).depth.tolist()
    first, longer = Walks(graph, target=0), mg.generate.path(3000, device="cuda")
    run = first._execute(first._started((0,), {}))
    assert run._program.loaded == {"few", "whole"}
    for driver, solo, wide in (("auto", 1 << 14, 1 << 22), ("graph", 4, 16), ("auto", 4, 16), ("fused", 4, 16)):
        monkeypatch.setattr(cuda, "_SOLO", solo)
        monkeypatch.setattr(cuda, "_WIDE", wide)
        for each, expected in ((longer, list(range(3000))), (graph, depth)):
            enactor = Walks(each, target=0, driver=driver)
            again = enactor._execute(enactor._started((0,), {}))
            assert again._program is run._program
            assert host(enactor.problem.depth) == expected
    assert run._program.loaded > {"few", "whole", "again"}


@pytest.mark.gpu
def test_hubs_leave_nothing_to_few():
    graph = mg.generate.star(2000, device="cuda")
    enactor = Walks(graph, target=0)
    run = enactor._execute(enactor._started((0,), {}))
    assert list(run._program._persistent) == ["whole"]
    assert host(enactor.problem.depth) == [0] + [1] * 1999
    assert enactor.iterations == 2


@pytest.mark.gpu
def test_where_every_step_is_large_nothing_is_persistent(monkeypatch):
    graph, other = (bush_on_a_path("cuda") for _ in range(2))
    usual = mg.pagerank(graph)
    monkeypatch.setattr(cuda, "_SOLO", 0)
    monkeypatch.setattr(cuda, "_WIDE", graph.num_vertices)
    launched = []
    launch = cuda.CudaProgram.launch
    monkeypatch.setattr(
        cuda.CudaProgram, "launch", lambda self, driver, *given: (launched.append(driver), launch(self, driver, *given))
    )
    large = mg.pagerank(other)  # a run over the first one would have the number of then
    assert launched[-1] == "graph"
    assert large.iterations == usual.iterations
    assert CPU.asarray(large.rank).tolist() == pytest.approx(CPU.asarray(usual.rank).tolist(), rel=1e-12)


# --- failures, repetition, company -----------------------------------------------------------------------------------


class Everything(mg.Functor):
    def cond_advance(src):
        return True


class Multiply(mg.Enactor, problem=Search, functor=Everything):
    """More ids come in each step than there are arcs."""

    duplicates = "keep"

    def step(self, frontier):
        return self.advance(frontier, duplicates=self.duplicates)


@pytest.mark.parametrize(
    ("duplicates", "step", "complaint"),
    [("keep", 3, "holds an id more than once"), ("impossible", 2, "condition held twice")],
)
def test_overflow(where, duplicates, step, complaint):
    device, driver = where
    enactor = Multiply(mg.generate.complete(9, device=device), driver=driver, target=0)
    enactor.duplicates = duplicates
    with pytest.raises(CapacityError, match=complaint):
        enactor.run(mg.Frontier.of(0))
    assert (enactor.iterations, enactor.stopped) == (step, Stop.OVERFLOW)
    assert toured(dict(graphs(device))["two_hubs"], driver) == expected_of_tours("two_hubs")  # later runs are right


def test_again_and_again(where):
    device, driver = where
    found = dict(graphs(device))
    for _ in range(3):
        for name in ("two_hubs", "wheel-undirected-float32", "chain_with_branches-undirected-float32"):
            assert (name, *toured(found[name], driver)) == (name, *expected_of_tours(name))


class Climbs(mg.Enactor, problem=Search, functor=Walk, steady=True):
    duplicates = "keep"

    def start(self, source):
        self.problem.depth[:] = -1
        self.problem.depth[source] = 0
        return mg.Frontier.of(source)

    def step(self, frontier):
        return self.advance(frontier, duplicates=self.duplicates)


class AlsoClimbs(Climbs):
    """The machine code is the same; only the room for the output is not."""

    duplicates = "impossible"


def test_two_programs_of_the_same_machine_code(where):
    """Each has arguments of its own on the device, where they stay as long as they are the same."""
    device, driver = where
    path, star = mg.generate.path(40, device=device), mg.generate.star(40, device=device)
    one, other = Climbs(path, driver=driver, target=0), AlsoClimbs(star, driver=driver, target=0)
    for _ in range(3):
        one.run(0)
        assert host(one.problem.depth) == list(range(40))
        other.run(0)
        assert host(other.problem.depth) == [0] + [1] * 39


def test_from_two_threads_at_once(where):
    device, driver = where
    found = dict(graphs(device))
    names = ("chain_with_branches-undirected-float32", "path-undirected-float32")  # one program, two graphs
    for name in names:
        expected_of_tours(name)

    def often(name):
        return [toured(found[name], driver) == expected_of_tours(name) for _ in range(15)]

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(often, names)) == [[True] * 15] * 2


def test_two_threads_that_compile_one_program(where):
    device, driver = where

    class Alike(mg.Functor):
        def cond_advance(dst, iteration, depth):
            return atomic_cas(depth, dst, -1, iteration) < 0

    class Own(Searches, functor=Alike):
        pass

    graph = mg.generate.path(30, device=device)

    def run(_):
        enactor = Own(graph, driver=driver, target=0)
        enactor.run(0)
        return host(enactor.problem.depth)

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(run, range(2))) == [list(range(30))] * 2


@pytest.mark.gpu
@pytest.mark.parametrize("looks", [0, 1, cuda.LOOKS])
def test_who_tells_that_a_small_run_is_done(looks, monkeypatch):
    """The kernel or the driver; and whose turn it is then, on the same stream or another."""
    import cupy

    monkeypatch.setattr(cuda, "LOOKS", looks)
    other = cupy.cuda.Stream(non_blocking=True)
    graphs_of = {name: mg.generate.path(count, device="cuda") for name, count in (("short", 5), ("long", 300))}
    for _ in range(4):
        for graph in graphs_of.values():
            for source in (0, graph.num_vertices - 1):
                expected = np.abs(np.arange(graph.num_vertices) - source)
                found = mg.bfs(graph, source)
                with other:
                    again = mg.bfs(graph, source)
                    other.synchronize()
                assert found.iterations == again.iterations == graph.num_vertices
                np.testing.assert_array_equal(CPU.asarray(found.depth), expected)
                np.testing.assert_array_equal(CPU.asarray(again.depth), expected)
                assert mg.connected_components(graph).num_components == 1
