"""Levels that a loop keeps, and loops that go through them again."""

import numpy as np
import pytest

import minigr as mg
from minigr import atomic_cas
from minigr.device import CPU
from minigr.errors import CapacityError, ProblemError
from minigr.program import executor
from minigr.program.control import Stop

pytestmark = pytest.mark.usefixtures("team")


class Search(mg.Problem):
    depth = mg.vertex_field(np.int32, fill=-1)
    height = mg.vertex_field(np.int32)
    turn = mg.vertex_field(np.int32)
    enough = mg.parameter(np.int32, default=1 << 30)


class Visit(mg.Functor):
    def cond_target(dst, depth):
        return depth[dst] < 0

    def cond_advance(dst, iteration, depth):
        return atomic_cas(depth, dst, -1, iteration) == -1


class Breadth(mg.Enactor, problem=Search, functor=Visit, keeps_levels=True):
    def start(self, sources):
        self.problem.depth[sources] = 0
        return mg.Frontier.of(sources)

    def step(self, frontier):
        return self.advance(frontier, direction="auto", duplicates="impossible")


class Above(mg.Functor):
    """How many levels follow below a vertex, by way of its neighbors on the next one."""

    def map(src, dst, depth, height):
        return height[dst] + 1 if depth[dst] == depth[src] + 1 else 0

    def apply_reduce(vertex, iteration, turn):
        turn[vertex] = iteration


class Heights(mg.Enactor, problem=Search, functor=Above):
    def start(self, levels, reverse=True):
        return mg.Frontier.of_levels(levels, reverse=reverse)

    def step(self, frontier):
        self.neighbor_reduce(frontier, reduce="max", initial=0, into="height")


def graphs(device):
    yield "path", mg.generate.path(700, device=device)
    yield "rmat", mg.generate.rmat(11, 16, seed=1, device=device)  # pulls, and has hubs
    yield "lattice", mg.generate.lattice(60, 25, 0.8, seed=3, device=device)
    yield "star", mg.generate.star(40_000, device=device)  # its hub is shared by threads
    edges = [0, 1, 5], [1, 2, 6]
    dynamic = mg.DynamicGraph.from_edges(*edges, num_vertices=8, directed=True, in_edges=True, device=device)
    yield "dynamic", dynamic


def check_levels(levels, depth):
    starts = CPU.asarray(levels.starts)
    assert starts[0] == 0
    assert starts[-1] == len(levels.vertices) == np.count_nonzero(depth >= 0)
    for number in range(len(levels)):
        found = CPU.asarray(levels.level(number))
        assert sorted(found.tolist()) == np.flatnonzero(depth == number).tolist()
    return len(levels)


def heights(graph, depth):
    """How many levels follow below each vertex, one vertex after the other."""
    offsets, indices = CPU.asarray(graph.offsets), CPU.asarray(graph.indices)
    height = np.zeros(graph.num_vertices, np.int32)
    for vertex in np.argsort(-depth, kind="stable"):
        if depth[vertex] >= 0:
            row = indices[offsets[vertex] : offsets[vertex + 1]]
            below = height[row[depth[row] == depth[vertex] + 1]]
            height[vertex] = below.max(initial=-1) + 1
    return height


def test_there_and_back(where):
    device, driver = where
    for name, graph in graphs(device):
        search = Breadth(graph, driver=driver)
        search.run([1])
        depth = CPU.asarray(search.problem.depth)
        assert check_levels(search.levels, depth) == search.iterations, name
        back = Heights(graph, problem=search.problem, driver=driver)
        back.run(search.levels)
        assert (back.iterations, back.stopped) == (len(search.levels), Stop.EMPTY)
        static = graph if isinstance(graph, mg.Graph) else graph.to_graph()
        assert CPU.asarray(search.problem.height).tolist() == heights(static, depth).tolist()
        turn = CPU.asarray(search.problem.turn)
        assert turn.tolist() == np.where(depth >= 0, len(search.levels) - depth, 0).tolist()


def test_forward(where):
    device, driver = where
    graph = mg.generate.lattice(60, 25, 0.8, seed=3, device=device)
    search = Breadth(graph, driver=driver)
    search.run([1, 700])
    again = Heights(graph, problem=search.problem, driver=driver)
    again.run(search.levels, False)
    depth = CPU.asarray(search.problem.depth)
    assert CPU.asarray(search.problem.turn).tolist() == (depth + 1).tolist()


def test_budgets_do_not_show(device, monkeypatch):
    monkeypatch.setattr(executor, "_FIRST_BUDGET", 3)
    monkeypatch.setattr(executor, "_SECONDS", 1e-9)
    search = Breadth(mg.generate.path(60, device=device))
    search.run([0])
    assert check_levels(search.levels, CPU.asarray(search.problem.depth)) == 60
    Heights(search.graph, problem=search.problem).run(search.levels)
    assert CPU.asarray(search.problem.height).tolist() == list(range(59, -1, -1))


@pytest.mark.parametrize("steps", [0, 1, 2, 59, 60, 61])
def test_runs_that_were_cut_short(device, steps):
    search = Breadth(mg.generate.path(60, device=device), max_iterations=steps)
    search.run([0])
    assert check_levels(search.levels, CPU.asarray(search.problem.depth)) == min(steps + 1, 60)
    some = Heights(search.graph, problem=search.problem, max_iterations=1)
    some.run(search.levels)
    assert np.count_nonzero(CPU.asarray(search.problem.turn)) == 1


def test_all_of_a_graph_at_once(device):
    search = Breadth(mg.generate.path(3, device=device))
    search.run([2, 0, 1])
    assert CPU.asarray(search.levels.vertices).tolist() == [2, 0, 1]
    assert CPU.asarray(search.levels.starts).tolist() == [0, 3]


def test_nothing_to_begin_with(device):
    search = Breadth(mg.generate.path(3, device=device))
    search.run(np.zeros(0, np.int32))
    assert (len(search.levels), len(search.levels.vertices)) == (0, 0)
    back = Heights(search.graph, problem=search.problem)
    back.run(search.levels)
    assert back.iterations == 0


def test_what_each_run_kept(device):
    graph = mg.generate.path(5, device=device)
    search = Breadth(graph)
    assert search.levels is None
    search.run([0])
    first = search.levels
    search.problem.reset()
    search.run([4])
    assert CPU.asarray(first.vertices).tolist() == [0, 1, 2, 3, 4]
    assert CPU.asarray(search.levels.vertices).tolist() == [4, 3, 2, 1, 0]
    assert CPU.asarray(first.level(-2)).tolist() == [3]
    for number in (5, -6):
        with pytest.raises(IndexError, match=f"level {number}: there are 5"):
            first.level(number)


def test_trace(device):
    search = Breadth(mg.generate.star(4, device=device), trace=True)
    search.run([0])
    assert [(row.frontier, row.output) for row in search.trace] == [(1, 3), (3, 0)]
    back = Heights(search.graph, problem=search.problem, trace=True)
    back.run(search.levels)
    assert [(row.frontier, row.output) for row in back.trace] == [(3, 1), (1, 0)]


class Often(mg.Functor):
    def cond_advance(src):
        return True


def test_a_vertex_that_comes_back(device):
    class Back(Breadth, functor=Often):
        def step(self, frontier):
            return self.advance(frontier)

    with pytest.raises(CapacityError, match="a vertex was put out in two steps"):
        Back(mg.generate.path(4, device=device)).run([0])


def test_what_can_not_be_kept(device):
    graph = mg.generate.path(4, device=device)

    class Twice(Breadth, functor=Often):
        def step(self, frontier):
            return self.advance(frontier, duplicates="keep")

    class Edges(Breadth, functor=Often):
        def step(self, frontier):
            return self.advance(frontier, output="edges")

    class Same(Breadth, functor=Above):
        def step(self, frontier):
            self.neighbor_reduce(frontier, reduce="max", initial=0, into="height")

    for kind, sources in ((Twice, [0]), (Edges, [0]), (Same, [0]), (Breadth, [0, 0])):
        with pytest.raises(ProblemError, match="levels are kept only if step takes a list of distinct vertices"):
            kind(graph, max_iterations=9).run(sources)


def test_what_can_not_be_gone_through(device):
    graph = mg.generate.path(4, device=device)
    search = Breadth(graph)
    search.run([0])

    class Returns(Heights, functor=Visit):
        def step(self, frontier):
            return self.advance(frontier)

    with pytest.raises(ProblemError, match="goes through levels that were kept, but returns a frontier"):
        Returns(graph).run(search.levels)
    with pytest.raises(ProblemError, match="of_levels takes the levels of an enactor's last run, got NoneType"):
        Heights(graph).run(None)
    with pytest.raises(ProblemError, match="kept on another graph"):
        Heights(mg.generate.path(4, device=device)).run(search.levels)


def test_levels_of_a_graph_that_changed(device):
    graph = mg.DynamicGraph.from_edges([0, 1], [1, 2], num_vertices=4, device=device)
    search = Breadth(graph)
    search.run([0])
    graph.insert_edges([2], [3])
    with pytest.raises(ProblemError, match="changed since its levels were kept"):
        Heights(graph).run(search.levels)
