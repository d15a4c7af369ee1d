"""Loops that start with all vertices or edges and go on with the list that a step returns."""

import numpy as np
import pytest

import minigr as mg
from minigr import atomic_add, atomic_cas
from minigr.device import CPU
from minigr.errors import FunctorError, ProblemError
from minigr.program.control import Stop
from tests.layouts import arcs_of, slabs_of


class Turns(mg.Problem):
    lives = mg.vertex_field(np.int32)
    turns = mg.vertex_field(np.int32)
    parent = mg.vertex_field(np.int32, fill=-1)
    told = mg.edge_field(np.int32)


class Live(mg.Functor):
    """A vertex takes part in as many steps as it has lives, and an edge in one more than its ends' difference."""

    def cond_filter(vertex, iteration, lives):
        return lives[vertex] > iteration

    def apply_filter(vertex, turns):
        atomic_add(turns, vertex, 1)

    def cond_target(dst, parent):
        return parent[dst] < 0

    def cond_advance(src, dst, parent):
        return src != dst and atomic_cas(parent, dst, -1, src) == -1


class LiveEdges(mg.Functor):
    def cond_filter(src, dst, iteration):
        return abs(src - dst) > iteration

    def apply_filter(edge, told):
        atomic_add(told, edge, 1)


class Fewer(mg.Enactor, problem=Turns, functor=Live):
    """`start` is the default one."""

    def step(self, frontier):
        return self.filter(frontier)


class FewerEdges(Fewer):
    def start(self):
        return mg.Frontier.all_edges()

    def step(self, frontier):
        return self.filter(frontier, LiveEdges)


class FewerSteadily(Fewer, steady=True):
    def start(self, given=None):
        self.problem.reset()
        self.problem.lives = np.arange(self.graph.num_vertices) * 7919 % 5
        return mg.Frontier.all_vertices() if given is None else given


class Shrink(mg.Enactor, problem=Turns, functor=Live):
    """What advance does along all edges in the first step, and can't do without a list."""

    def step(self, frontier):
        return self.advance(frontier, direction="auto", duplicates="impossible")


def graphs(device):
    lattice = mg.generate.lattice(6, 5, device=device)
    dynamic = slabs_of(lattice, deleted=2)
    dynamic.delete_vertices([3, 17])
    return [lattice, dynamic, mg.generate.rmat(7, 4, seed=3, directed=True, device=device)]


def alive_in(graph):
    return np.arange(graph.num_vertices) if graph.layout == "csr" else CPU.asarray(graph.live_vertices())


def test_vertices(where):
    device, driver = where
    for graph in graphs(device):
        enactor = Fewer(graph, driver=driver)
        lives = enactor.problem.lives = np.arange(graph.num_vertices) * 7919 % 5
        enactor.run()
        expected = np.zeros(graph.num_vertices, int)
        alive = alive_in(graph)
        expected[alive] = np.maximum(lives[alive] - 1, 0)
        assert CPU.asarray(enactor.problem.turns).tolist() == expected.tolist()
        assert (enactor.iterations, enactor.stopped) == (4, Stop.EMPTY)


def test_memory_of_what_was_not_deleted(device):
    graph = graphs(device)[1]
    enactor = Fewer(graph)
    assert enactor.memory(mg.Frontier.all_vertices()) == enactor.memory(mg.Frontier.of(alive_in(graph))) > 0


def test_edges(where):
    device, driver = where
    for graph in graphs(device):
        enactor = FewerEdges(graph, driver=driver)
        enactor.run()
        ids, src, dst, _ = arcs_of(graph)
        expected = np.zeros(graph.num_edge_ids, int)
        expected[ids] = np.maximum(np.abs(src[ids].astype(int) - dst[ids]) - 1, 0)
        assert CPU.asarray(enactor.problem.told).tolist() == expected.tolist()


def test_what_comes_back(device):
    for graph in graphs(device):
        enactor = Fewer(graph, max_iterations=2)
        enactor.problem.lives = np.arange(graph.num_vertices) % 4
        alive = alive_in(graph)
        for limit, left in ((1, alive % 4 > 1), (2, alive % 4 > 2)):
            enactor.max_iterations = limit
            assert sorted(CPU.asarray(enactor.run_for_output().ids).tolist()) == alive[left].tolist()


def test_steadily(device):
    graph = slabs_of(mg.generate.lattice(6, 5, device=device))
    enactor = FewerSteadily(graph)
    some = mg.Frontier.of([1, 2, 3])
    for given in (None, some, None):
        enactor.run(given)
        expected = np.zeros(30, int)
        chosen = np.arange(30) if given is None else some.ids
        expected[chosen] = np.maximum(chosen * 7919 % 5 - 1, 0)
        assert CPU.asarray(enactor.problem.turns).tolist() == expected.tolist()
    graph.delete_vertices([5])
    enactor.run()
    assert CPU.asarray(enactor.problem.turns)[[3, 5, 8]].tolist() == [1, 0, 1]


@pytest.mark.parametrize("limit", [1, None])
def test_an_operator_that_takes_no_frontier_of_all(device, limit):
    for graph in graphs(device):
        enactor = Shrink(graph, max_iterations=limit)
        enactor.run()
        ids, src, dst, _ = arcs_of(graph)
        reached = {int(v) for v in dst[ids][src[ids] != dst[ids]]}
        parent = CPU.asarray(enactor.problem.parent)
        assert set(np.flatnonzero(parent >= 0).tolist()) == reached
        arcs = set(zip(src[ids].tolist(), dst[ids].tolist(), strict=True))
        assert all((int(parent[v]), v) in arcs for v in reached)


class Nothing(Shrink):
    def step(self, frontier):
        self.advance(frontier, direction="auto", duplicates="impossible")


class OtherKind(Fewer):
    def step(self, frontier):
        return self.advance(frontier, output="edges")


def test_what_is_refused(device):
    graph = mg.generate.path(4, device=device)
    with pytest.raises(FunctorError, match="needs a frontier of some vertices") as caught:
        Nothing(graph, max_iterations=2).run()  # which returns no list
    assert caught.value.__context__ is None
    with pytest.raises(ProblemError, match="takes a frontier of vertices and returns one of edges"):
        OtherKind(graph).run()


def test_an_empty_graph(device):
    enactor = Fewer(mg.Graph.from_edges([], [], device=device))
    enactor.run()
    assert enactor.iterations == 0
    assert len(enactor.run_for_output()) == 0
