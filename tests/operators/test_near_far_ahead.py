"""Loops of an advance and a near_far, in which threads of a CPU go on with their own vertices without a barrier."""

import numpy as np
import pytest

import minigr as mg
from minigr.device import CPU
from minigr.program.node import HUB

N = 3000


class Distances(mg.Problem):
    distance = mg.vertex_field(np.float64, fill=np.inf)
    visits = mg.vertex_field(np.int32)


class Relax(mg.Functor):
    def cond_advance(src, dst, weight, distance):
        through = distance[src] + weight
        return through < distance[dst] and through < mg.atomic_min(distance, dst, through)

    def priority(vertex, distance):
        return distance[vertex]


class Search(mg.Enactor, problem=Distances, functor=Relax):
    width = 1e6

    def start(self, source):
        self.problem.distance[source] = 0
        return mg.Frontier.of(source)

    def step(self, frontier):
        return self.near_far(self.advance(frontier), width=self.width)


def search_by(functor, graph, **options):
    """An enactor with another functor."""

    class Other(Search, functor=functor):
        pass

    return Other(graph, **options)


class BySteps(Relax):
    def cond_advance(src, dst, weight, distance, iteration):
        through = distance[src] + weight + 0 * iteration
        return through < distance[dst] and through < mg.atomic_min(distance, dst, through)


class Counted(Relax):
    def cond_advance(src, dst, weight, distance, visits):
        through = distance[src] + weight
        if through < distance[dst] and through < mg.atomic_min(distance, dst, through):
            mg.atomic_add(visits, dst, 1)
            return True
        return False


class Noted(Relax):
    def apply_advance(src, dst, visits):
        visits[dst] = src


class Ended(Relax):
    def until(iteration):
        return iteration == 5


def path(device, n=N):
    return mg.Graph.from_edges(np.arange(n - 1), np.arange(1, n), np.ones(n - 1), num_vertices=n, device=device)


def grid(device, side=60):
    ids = np.arange(side * side).reshape(side, side)
    src = np.concatenate([ids[:, :-1].ravel(), ids[:-1].ravel()])
    dst = np.concatenate([ids[:, 1:].ravel(), ids[1:].ravel()])
    weights = 1.0 + (src * 7919 + dst * 104729) % 97
    return mg.Graph.from_edges(src, dst, weights, num_vertices=side * side, device=device)


def hubs(device):
    """Two hubs with more neighbors than one thread works on alone, and with several paths between the hubs."""
    count = HUB + 100
    ends = np.arange(2, 2 + count)
    src = np.concatenate([np.zeros(count, np.int64), ends, [0]])
    dst = np.concatenate([ends, np.ones(count, np.int64), [1]])
    weights = np.concatenate([1.0 + ends % 97, 1.0 + ends * 31 % 89, [80.0]])
    return mg.Graph.from_edges(src, dst, weights, num_vertices=2 + count, device=device)


@pytest.mark.parametrize("make", [grid, hubs])
@pytest.mark.parametrize("width", [1.0, 200.0, 1e6])
@pytest.mark.parametrize("threads", ["1", "3"])
def test_distances_are_those_of_steps(device, make, width, threads, monkeypatch):
    monkeypatch.setenv("MINIGR_NUM_THREADS", threads)
    monkeypatch.setattr("minigr.program.cpu.FIRST_SOLO", 1)  # so that small steps are shared
    graph = make(device)
    found = {}
    for functor in (Relax, BySteps):
        enactor = search_by(functor, graph)
        enactor.width = width
        enactor.run(0)
        found[functor] = CPU.asarray(enactor.problem.distance)
    np.testing.assert_array_equal(found[Relax], found[BySteps])


def test_a_step_goes_on():
    enactor = Search(path("cpu"))
    enactor.run(0)
    assert enactor.iterations < N // 50
    assert enactor.problem.distance.tolist() == list(range(N))


def test_bands_get_wider_where_few_of_many_are_near():
    leaves = 3000
    weights = np.random.default_rng(1).permutation(leaves) + 1.0
    star = mg.Graph.from_edges(np.zeros(leaves, np.int64), np.arange(leaves) + 1, weights, device="cpu")
    enactor = Search(star)
    enactor.width = 1.0
    enactor.run(0)
    assert enactor.iterations < leaves // 50
    assert enactor.problem.distance.tolist() == [0, *weights]
    counted = Search(star, max_iterations=10 * leaves)
    counted.width = 1.0
    counted.run(0)
    assert counted.iterations == leaves + 1


@pytest.mark.parametrize("functor", [BySteps, Counted, Noted])
def test_what_asks_for_steps_gets_them(device, functor):
    enactor = search_by(functor, path(device, 100))
    enactor.run(0)
    assert enactor.iterations == 100


def test_steps_that_are_limited_are_steps(device):
    enactor = Search(path(device), max_iterations=5)
    enactor.run(0)
    assert np.isfinite(CPU.asarray(enactor.problem.distance)).sum() == 6
    enactor = search_by(Ended, path(device))
    enactor.run(0)
    assert np.isfinite(CPU.asarray(enactor.problem.distance)).sum() == 6


class CheckedSearch(Search):
    def step(self, frontier):
        near = self.near_far(self.advance(frontier), width=self.width)
        self.compute(near, Seen)
        return near


class Seen(mg.Functor):
    def apply(vertex, visits):
        visits[vertex] = 7


def test_other_operators_see_each_step(device):
    enactor = CheckedSearch(path(device, 50))
    enactor.run(0)
    assert CPU.asarray(enactor.problem.visits).tolist() == [0] + [7] * 49
