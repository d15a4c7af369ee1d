"""Enactors that run many times with the plan and the buffers of their first run."""

import numpy as np
import pytest

import minigr as mg
from minigr import atomic_add, atomic_cas
from minigr.apps.bfs import BFSEnactor
from minigr.device import CPU
from minigr.errors import ProblemError


class Search(mg.Problem):
    depth = mg.vertex_field(np.int32, fill=-1)
    allowed = mg.array_field(np.int32)  # from which vertices the search goes on
    most = mg.parameter(np.int32, default=1 << 30)  # steps


class Visit(mg.Functor):
    def cond_filter(vertex, allowed):
        return allowed[vertex] != 0

    def cond_target(dst, depth):
        return depth[dst] < 0

    def cond_advance(dst, iteration, depth):
        return atomic_cas(depth, dst, -1, iteration) == -1

    def until(iteration, most):
        return iteration >= most


class Steps(mg.Enactor, problem=Search, functor=Visit, keeps_levels=True, steady=True):
    """Counts how often it is recorded."""

    recorded = 0

    def start(self, sources, distinct=True):
        self.problem.reset()
        ids = self.graph._device.asarray(np.asarray(sources, np.int32))
        self.problem.depth[ids] = 0
        return mg.Frontier.known("vertices", ids, self.graph, distinct=distinct)

    def step(self, frontier):
        self.recorded += 1
        return self.advance(self.filter(frontier), direction="auto", duplicates="impossible")


def anyone(graph):
    return graph._device.full(graph.num_vertices, 1, np.int32)


def expected(graph, sources):
    return CPU.asarray(mg.bfs(graph, sources).depth)


def listed(levels):
    return [sorted(CPU.asarray(levels.level(i)).tolist()) for i in range(len(levels))]


def test_runs_are_what_first_runs_are(where):
    device, driver = where
    graph = mg.generate.rmat(10, 8, seed=2, device=device)
    many = Steps(graph, driver=driver, allowed=anyone(graph))
    kept = []
    for sources in ([0], [7, 900], [1023], np.arange(0, 1024, 5)):
        many.run(sources)
        np.testing.assert_array_equal(CPU.asarray(many.problem.depth), expected(graph, sources))
        once = Steps(graph, driver=driver, allowed=anyone(graph))
        once.run(sources)
        assert (many.iterations, many.stopped) == (once.iterations, once.stopped)
        kept.append((many.levels, listed(once.levels)))
    assert many.recorded == 1
    for levels, alike in kept:  # those of earlier runs, too
        assert listed(levels) == alike


@pytest.mark.gpu
@pytest.mark.parametrize(("solo", "wide"), [(0, 1), (0, 64), (16, 64), (16, 1 << 40), (1 << 40, 1 << 41)])
def test_runs_that_change_teams_again_and_again(solo, wide, monkeypatch):
    """Later runs begin without a graph, and go on in one where a step is for the kernels of its phases."""
    from minigr.program import cuda

    monkeypatch.setattr(cuda, "_SOLO", solo)
    monkeypatch.setattr(cuda, "_WIDE", wide)
    hubs = mg.Graph.from_edges(np.arange(4000) % 3, np.arange(4000), num_vertices=4000, directed=False, device="cuda")
    for graph in (mg.generate.lattice(20, 20, device="cuda"), mg.generate.rmat(9, 8, seed=2, device="cuda"), hubs):
        many = Steps(graph, allowed=anyone(graph))
        for sources in ([0], [300], [5, 6, 7], np.arange(0, 400, 3)):
            many.run(sources)
            np.testing.assert_array_equal(CPU.asarray(many.problem.depth), expected(graph, sources))
        assert many.recorded == 1


def test_fields_and_parameters_may_change_in_between(where):
    device, driver = where
    graph = mg.generate.path(50, device=device)
    search = Steps(graph, driver=driver, allowed=anyone(graph))
    search.run([10])
    assert search.problem.depth[49] == 39
    search.problem.most = 3
    search.run([10])
    assert CPU.asarray(search.problem.depth)[[7, 13, 14]].tolist() == [3, 3, -1]
    search.problem.most = 100
    barred = anyone(graph)
    barred[20] = 0
    search.problem.use(allowed=barred)
    search.run([10])
    assert CPU.asarray(search.problem.depth)[[20, 21]].tolist() == [10, -1]
    assert search.recorded == 1


def test_a_changing_graph(where):
    """Most updates change nothing that a plan depends on; those that move slabs, make hubs or add vertices do."""
    device, driver = where
    rng, n = np.random.default_rng(4), 300
    graph = mg.DynamicGraph.from_edges(*rng.integers(0, n, (2, 200)), num_vertices=n, directed=False, device=device)
    search = Steps(graph, driver=driver, allowed=anyone(graph))
    search.run([0])
    for number in range(30):
        if number == 12:
            graph.insert_vertices(40)
            search.problem.use(allowed=anyone(graph))
        if number % 3 == 2:
            graph.delete_edges(*rng.integers(0, n, (2, 300)))
        else:
            hub = np.where(np.arange(60) % 2, 5, rng.integers(0, graph.num_vertices, 60))
            graph.insert_edges(hub, rng.integers(0, graph.num_vertices, 60))
        search.run([number])
        np.testing.assert_array_equal(CPU.asarray(search.problem.depth), expected(graph, [number]))
    assert 1 < search.recorded < 25


def test_a_first_frontier_that_may_hold_an_id_twice(where):
    device, driver = where

    class Again(mg.Enactor, problem=Search, functor=Visit, steady=True):
        recorded = 0

        def step(self, frontier):
            self.recorded += 1
            return self.advance(self.filter(frontier), duplicates="remove")

    graph = mg.generate.path(9, device=device)
    search = Again(graph, driver=driver, allowed=anyone(graph))
    known = [
        ([0], True),
        ([3, 3, 3], False),
        ([8, 0], True),
        (np.zeros(40, int), False),
        ([1], True),
        ([5] * 41, False),
    ]
    for ids, distinct in known:
        search.problem.reset()
        array = graph._device.asarray(np.asarray(ids, np.int32))
        search.problem.depth[array] = 0
        search.run(mg.Frontier.known("vertices", array, graph, distinct=distinct))
        np.testing.assert_array_equal(CPU.asarray(search.problem.depth), expected(graph, sorted(set(ids))))
    assert search.recorded == 4  # the first; for one that is not distinct; and for longer ones than any before


class Arcs(mg.Problem):
    heads = mg.vertex_field(np.int32)


class Count(mg.Functor):
    def apply(dst, heads):
        atomic_add(heads, dst, 1)


class CountEnactor(mg.Enactor, problem=Arcs, functor=Count, steady=True):
    recorded = 0

    def start(self, arcs):
        self.problem.reset()
        return mg.Frontier.known("edges", arcs, self.graph, distinct=True)

    def step(self, frontier):
        self.recorded += 1
        self.compute(frontier)


def test_lists_of_edges_of_a_changing_graph(device):
    """What is done once needs room for the list, not for all arcs."""
    graph = mg.DynamicGraph.from_edges(np.arange(40), np.arange(1, 41), directed=False, device=device)
    xp = graph._device.xp
    count = CountEnactor(graph, max_iterations=1)
    for number, size in enumerate([20, 5, 20, 21, 7]):
        graph.insert_edges([number], [number + 9])
        src = xp.asarray(np.arange(size, dtype=np.int32))
        bits = xp.zeros(graph.most_edge_ids // 32 + 1, np.int32)
        count.run(graph._mark_arcs(src, src + 1, bits))
        ends = np.append(np.arange(size), np.arange(1, size + 1))
        np.testing.assert_array_equal(CPU.asarray(count.problem.heads), np.bincount(ends, minlength=41))
    assert count.recorded == 2  # at first, and for more than ever before


def test_a_vertex_field_that_no_longer_fits_is_refused(device):
    graph = mg.DynamicGraph.from_edges([0, 1], [1, 2], directed=False, device=device)

    class Walk(mg.Enactor, problem=Search, functor=Visit, steady=True):
        def step(self, frontier):
            return self.advance(frontier)

    walk = Walk(graph, allowed=anyone(graph))
    walk.run(mg.Frontier.of(0))
    graph.insert_vertices(3)
    with pytest.raises(ProblemError, match=r"Search\.depth has 3 elements, but the graph has 6 vertices"):
        walk.run(mg.Frontier.of(0))


def test_use_takes_what_fits(device):
    graph = mg.generate.path(4, device=device)
    problem = Search(graph, allowed=anyone(graph))
    allowed = anyone(graph)
    problem.use(allowed=allowed)
    assert problem.allowed is allowed
    for name, array in (
        ("most", allowed),
        ("width", allowed),
        ("depth", allowed[:3]),
        ("depth", allowed.astype(float)),
    ):
        with pytest.raises(ProblemError, match=name):
            problem.use(**{"allowed": anyone(graph), name: array})
    assert problem.allowed is allowed


class Rounds(mg.Problem):
    rounds = mg.vertex_field(np.int32)


class Even(mg.Functor):
    def apply(vertex, rounds):
        rounds[vertex] += 1

    def cond_filter(vertex):
        return vertex % 2 == 0


class Everyone(mg.Enactor, problem=Rounds, functor=Even, steady=True):
    recorded = 0

    def step(self, frontier):
        self.recorded += 1
        self.compute(frontier)


class EvenOnes(Everyone):
    def step(self, frontier):
        super().step(frontier)
        return self.filter(frontier)


class Beside(Everyone):
    def step(self, frontier):
        super().step(mg.Frontier.all_vertices())
        return self.filter(frontier)


@pytest.mark.parametrize("enactor", [Everyone, EvenOnes, Beside])
def test_all_vertices_of_which_some_were_deleted(where, enactor):
    """A run looks at those that are there, and is recorded again only if that takes other buffers."""
    device, driver = where
    graph = mg.DynamicGraph.from_edges(np.arange(40), np.arange(1, 41), directed=False, device=device)
    graph.delete_vertices([3, 8])
    rounds, expected = enactor(graph, driver=driver, max_iterations=3), np.zeros(41)

    def run(times):
        for _ in range(times):
            rounds.run()
            there = np.setdiff1d(np.arange(41), gone)
            for step in range(3):
                expected[there if step == 0 or enactor is not EvenOnes else there[there % 2 == 0]] += 1
            np.testing.assert_array_equal(CPU.asarray(rounds.problem.rounds), expected)

    gone = [3, 8]
    run(1)
    first = rounds.recorded
    run(3)
    assert rounds.recorded == first
    gone = [3, 8, 21]
    graph.delete_vertices([21])
    run(2)
    assert rounds.recorded == first + (enactor is Beside)  # whose list of all vertices is another one


class Pulls(BFSEnactor, steady=True):
    direction = "pull"


def test_in_edges_that_were_dropped(device):
    graph, others = mg.Graph.from_edges(np.arange(9), np.arange(1, 10), directed=True, device=device), []
    enactor = Pulls(graph)
    for _ in range(3):
        enactor.problem.reset()
        enactor.run(0)
        assert CPU.asarray(enactor.problem.depth).tolist() == [*range(10)]
        graph.drop("in_edges")
        others += [graph._device.full(count, 0, np.int64) for count in (5, 10)]  # where in-edges were
