"""near_far compared with its specification: the bands in which vertices come out."""

import math

import numpy as np
import pytest

import minigr as mg
from minigr import atomic_min
from minigr.device import CPU
from minigr.errors import FunctorError, ProblemError
from tests import specification


class Waiting(mg.Problem):
    """`priority_of` is the priority of a vertex, which `LowerNext` sets to `later` while the vertex waits."""

    priority_of = mg.vertex_field(np.float64)
    later = mg.vertex_field(np.float64)
    out = mg.vertex_field(np.int32)


class Queue(mg.Functor):
    def cond_filter(vertex, iteration, later, priority_of):
        return iteration == 1  # each vertex joins once; vertices that came out do not join again

    def priority(vertex, priority_of):
        return priority_of[vertex]

    def apply(vertex, iteration, out):
        out[vertex] = iteration


class Bands(mg.Enactor, problem=Waiting, functor=Queue):
    width, bins, waiting, falling = 1.0, 2, None, False

    def step(self, frontier):
        near = self.near_far(
            self.filter(frontier), width=self.width, bins=self.bins, waiting=self.waiting, falling=self.falling
        )
        self.compute(near)
        return near


PRIORITIES = {
    "few_bands": np.arange(3000) * 7919 % 50 / 10.0,
    "gaps": np.float64([0, 0.5, 1e6, 1e6 + 0.5, 1e9, 3.0, 1e-300]),
    "never": np.float64([0, np.inf, np.nan, 2.5, np.inf]),
    "all_never": np.float64([np.inf, np.nan]),
    "negative": np.float64([-5, -4.5, 0, 1, -1e9]),
    "beyond_rounding": np.float64([0, 1e17, 1e17 + 16, 1e17 + 32, 1e18]),
    "many_bands": np.arange(300) * 10.0,
}


@pytest.mark.parametrize("width", [0.75, 2.0])
@pytest.mark.parametrize("name", PRIORITIES)
@pytest.mark.parametrize(("bins", "falling"), [(2, False), (2, True), (3, False), (8, False)])
@pytest.mark.parametrize("waiting", [False, True])
@pytest.mark.parametrize("threads", ["1", "3"])
def test_bands(device, name, width, bins, falling, waiting, threads, monkeypatch):
    monkeypatch.setenv("MINIGR_NUM_THREADS", threads)
    values = PRIORITIES[name]
    graph = mg.Graph.from_edges([], [], num_vertices=len(values), directed=True, device=device)
    problem = Waiting(graph)
    problem.priority_of = values
    enactor = Bands(graph, problem=problem)
    enactor.width, enactor.bins, enactor.falling = width, bins, falling
    everyone = mg.Frontier.of(range(len(values)))
    if waiting:
        enactor.waiting = mg.Frontier.all_vertices() if falling else everyone
    enactor.run(mg.Frontier.of([]) if waiting else everyone)
    expected, queue = (
        np.zeros(len(values), np.int32),
        specification.NearFar(Queue, specification.fields_of(problem), width, falling, bins),
    )
    step, near = 1, queue(list(range(len(values))))
    while near:
        expected[near] = step
        step, near = step + 1, queue([])
    if name == "beyond_rounding":  # a band narrower than the spacing of floats is made wider by an unspecified amount
        assert (np.diff(CPU.asarray(problem.out)[1:]) >= 0).all()
        assert (CPU.asarray(problem.out) > 0).all()
        return
    np.testing.assert_array_equal(CPU.asarray(problem.out), expected)
    assert enactor.iterations == step


class LowerNext(Queue):
    def apply(vertex, iteration, out, priority_of, later):
        out[vertex] = iteration
        if vertex + 1 < 100:
            priority_of[vertex + 1] = later[vertex + 1]


class Lowering(Bands, functor=LowerNext):
    pass


@pytest.mark.parametrize("falling", [False, True])
def test_priorities_fall_unseen(device, falling):
    """Each vertex lowers the priority of the next, which waits; with `falling` vertices come out in the new order."""
    n = 100
    graph = mg.Graph.from_edges([], [], num_vertices=n, directed=True, device=device)
    problem = Waiting(graph)
    problem.priority_of = np.arange(1000.0, 1000.0 + n)
    problem.priority_of[0] = 0.0
    problem.later = 3.0 * np.arange(n)
    enactor = Lowering(graph, problem=problem)
    enactor.waiting, enactor.falling = mg.Frontier.all_vertices(), falling
    enactor.run(mg.Frontier.of([]))
    in_order = CPU.asarray(problem.out) == np.arange(1, n + 1)
    assert in_order.all() == falling


@pytest.mark.parametrize("bins", [2, 3])
def test_some_wait_and_some_come(device, bins):
    """Vertices of the first frontier wait with the others and come out once; deleted vertices don't come out."""
    graph = mg.DynamicGraph(8, device=device)
    graph.delete_vertices([2, 5])
    problem = Waiting(graph)
    problem.priority_of = np.float64([4, 3, 0, 2, 1, 0, 0, 5])
    enactor = Bands(graph, problem=problem)
    enactor.bins = bins
    enactor.waiting = mg.Frontier.of([0, 1, 7])
    for come in ([3, 4, 6], [7, 6, 4, 3, 1, 0]):
        problem.out = 0
        enactor.run(mg.Frontier.of(come))
        assert CPU.asarray(problem.out).tolist() == [5, 4, 0, 3, 2, 0, 1, 6]
    problem.out = 0
    enactor.waiting = mg.Frontier.all_vertices()
    for come in ([], [0, 1, 3, 4, 6, 7]):
        problem.out = 0
        enactor.run(mg.Frontier.of(come))
        assert CPU.asarray(problem.out).tolist() == [5, 4, 0, 3, 2, 0, 1, 6]


@pytest.mark.parametrize("bins", [2, 3])
def test_the_first_threshold_where_some_wait(device, bins):
    """The threshold is the width, even if vertices of the first frontier have lower priorities."""
    graph = mg.Graph.from_edges([], [], num_vertices=6, directed=True, device=device)
    problem = Waiting(graph)
    problem.priority_of = np.float64([-7, 3, -math.inf, 0.5, 1, 2.5])
    enactor = Bands(graph, problem=problem)
    enactor.bins, enactor.waiting = bins, mg.Frontier.of([1, 2, 3])
    for come in ([], [2, 0, 4, 5]):
        problem.out = 0
        enactor.run(mg.Frontier.of(come))
        assert CPU.asarray(problem.out).tolist() == ([1, 3, 1, 1, 2, 3] if come else [0, 2, 1, 1, 0, 0])


class Relaxed(mg.Problem):
    distance = mg.vertex_field(np.float64, fill=np.inf)
    visits = mg.vertex_field(np.int32)


class Relax(mg.Functor):
    def cond_advance(src, dst, weight, distance):
        through = distance[src] + weight
        return through < atomic_min(distance, dst, through)

    def priority(vertex, distance):
        return distance[vertex]

    def apply(vertex, visits):
        visits[vertex] += 1


class Relaxation(mg.Enactor, problem=Relaxed, functor=Relax):
    def start(self, source, width):
        self.width = width
        self.problem.distance[source] = 0
        return mg.Frontier.of(source)

    def step(self, frontier):
        self.compute(frontier)
        return self.near_far(self.advance(frontier), width=self.width)


def test_priorities_fall_while_vertices_wait(device):
    """A chain of light edges gives shorter paths than heavy edges from the source, whose heads wait in the far pile."""
    n = 100
    chain, heavy = np.arange(n - 1), np.arange(2, n)
    src, dst = np.concatenate([chain, np.zeros_like(heavy)]), np.concatenate([chain + 1, heavy])
    weights = np.concatenate([np.ones(n - 1), 50.0 + 3 * heavy])
    graph = mg.Graph.from_edges(src, dst, weights, directed=True, device=device)
    for width in (0.5, 1.0, 7.0, 1e6):
        enactor = Relaxation(graph)
        enactor.run(0, width)
        np.testing.assert_array_equal(CPU.asarray(enactor.problem.distance), np.arange(n))
        if width <= 1.0:  # bands are so narrow that no vertex is visited before its distance is final
            assert (CPU.asarray(enactor.problem.visits) == 1).all()


class Unsorted(mg.Enactor, problem=Relaxed, functor=Relax):
    options = {}  # noqa: RUF012  (set by the test)

    def step(self, frontier):
        return self.near_far(self.advance(frontier, **self.options), width=1.0)


class Twice(mg.Enactor, problem=Relaxed, functor=Relax):
    def step(self, frontier):
        return self.near_far(self.near_far(frontier, width=1.0), width=1.0)


class Forgetting(mg.Enactor, problem=Relaxed, functor=Relax):
    def step(self, frontier):
        return self.advance(self.near_far(frontier, width=1.0))


class Nothing(mg.Functor):
    def cond_filter(vertex):
        return True


def test_bad_input(device):
    graph = mg.Graph.from_edges([0, 1], [1, 2], [1.0, 2.0], device=device)
    for width in (0, -1.0, math.inf, math.nan, "1", None, [1.0]):
        enactor = Relaxation(graph)
        with pytest.raises(ProblemError, match="finite number above 0"):
            enactor.run(0, width)
    enactor = Unsorted(graph)
    enactor.options = {"duplicates": "keep"}
    with pytest.raises(ProblemError, match="remove duplicates first"):
        enactor.run(mg.Frontier.of(0))
    enactor.options = {"output": "edges"}
    with pytest.raises(ProblemError, match="frontier of vertices"):
        enactor.run(mg.Frontier.of(0))
    with pytest.raises(ProblemError, match="more than one near_far"):
        Twice(graph).run(mg.Frontier.of(0))
    with pytest.raises(ProblemError, match="distinct"):
        Twice(graph).run(mg.Frontier.of([0, 0]))
    with pytest.raises(ProblemError, match="would end before their turn: return what near_far returned"):
        Forgetting(graph).run(mg.Frontier.of(0))
    for waiting in (mg.Frontier.of([1, 1]), mg.Frontier.all_edges(), [1]):
        enactor = Bands(graph)
        enactor.waiting = waiting
        with pytest.raises(ProblemError, match="of distinct vertices"):
            enactor.run(mg.Frontier.of(0))
    enactor.waiting = mg.Frontier.of([5])
    with pytest.raises(ProblemError, match="holds id 5, but there are 3 vertices"):
        enactor.run(mg.Frontier.of(0))


class NoPriority(mg.Enactor, problem=Relaxed, functor=Nothing):
    def step(self, frontier):
        return self.near_far(frontier, width=1.0)


def test_a_functor_without_priority(device):
    with pytest.raises(FunctorError, match="near_far needs functor Nothing to have priority"):
        NoPriority(mg.generate.path(3, device=device)).run(mg.Frontier.of(0))
