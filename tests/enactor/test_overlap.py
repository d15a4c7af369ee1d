"""Operators that may run at the same time as the one before them."""

import numpy as np
import pytest

import minigr as mg
from minigr import atomic_cas
from minigr.device import CPU
from minigr.errors import ProblemError
from minigr.program import cpu
from minigr.program.cuda import text_of


class Search(mg.Problem):
    depth = mg.vertex_field(np.int32, fill=-1)
    above = mg.vertex_field(np.int64)
    turn = mg.vertex_field(np.int32)
    most = mg.scalar_field(np.int64)


class Visit(mg.Functor):
    def cond_target(dst, depth):
        return depth[dst] < 0

    def cond_advance(dst, iteration, depth):
        return atomic_cas(depth, dst, -1, iteration) == -1

    def priority(vertex):
        return 1.0


class Above(mg.Functor):
    """How many neighbors a vertex has on the level before its own."""

    def map(src, dst, depth):
        return 1 if depth[src] >= 0 and depth[src] + 1 == depth[dst] else 0

    def apply_reduce(vertex, value):
        return value

    def apply(vertex, iteration, turn):
        turn[vertex] = iteration


class Overlapping(mg.Enactor, problem=Search, functor=Visit):
    overlap = True

    def start(self, source):
        self.problem.depth[source] = 0
        return mg.Frontier.of(source)

    def step(self, frontier):
        found = self.advance(frontier, direction="auto", duplicates="impossible")
        self.neighbor_reduce(frontier, Above, direction="in", reduce="add", into="above", overlap=self.overlap)
        self.compute(frontier, Above, overlap=self.overlap)
        return found


class Apart(Overlapping, problem=Search, functor=Visit):
    overlap = False


def graphs(device):
    yield mg.generate.path(300, device=device)
    yield mg.generate.lattice(60, 25, 0.8, seed=3, device=device)
    yield mg.generate.rmat(11, 16, seed=1, device=device)  # with hubs
    yield mg.generate.rmat(7, 4, seed=1, directed=True, device=device)


def test_the_same_as_one_after_the_other(where, team):
    device, driver = where
    for graph in graphs(device):
        one, other = Overlapping(graph, driver=driver), Apart(graph, driver=driver)
        for enactor in (one, other):
            enactor.run(1)
        for name in ("depth", "above", "turn"):
            found, expected = (CPU.asarray(getattr(enactor.problem, name)) for enactor in (one, other))
            np.testing.assert_array_equal(found, expected, err_msg=name)
        assert one.iterations == other.iterations
        depth, turn = CPU.asarray(one.problem.depth), CPU.asarray(one.problem.turn)
        np.testing.assert_array_equal(turn, depth + 1)


def phases(enactor):
    return len(text_of(enactor.record(mg.Frontier.of(0))).kernels)


def test_a_phase_for_all_of_them():
    graph = mg.generate.path(30, device="cpu")
    for kind, barriers in ((Overlapping, 1), (Apart, 3)):
        text = cpu.text_of(kind(graph).record(mg.Frontier.of(0)))
        assert text.program().count("if arrive(sync, size):") == barriers
    assert (phases(Overlapping(graph)), phases(Apart(graph))) == (2, 4)  # a pull is a phase of its own


def test_what_has_hubs_waits_its_turn():
    graph = mg.generate.star(2000, device="cpu")
    assert phases(Apart(graph)) == phases(Overlapping(graph)) + 1  # the compute has none to put off


def test_what_is_reduced_to_one_number_waits_its_turn():
    class Reduced(Overlapping, problem=Search, functor=Visit):
        def step(self, frontier):
            found = self.advance(frontier, duplicates="impossible")
            self.neighbor_reduce(frontier, Above, reduce="add", scalar="most", overlap=True)
            return found

    assert phases(Reduced(mg.generate.path(30, device="cpu"))) == 2


def test_behind_an_operator_of_several_phases():
    class Split(Overlapping, problem=Search, functor=Visit):
        def step(self, frontier):
            near = self.near_far(frontier, width=1.0)
            self.compute(frontier, Above, overlap=True)
            return near

    text = text_of(Split(mg.generate.path(30, device="cpu")).record(mg.Frontier.of(0)))
    split, draw = text._phases
    assert any("compute" in line for line in split.lines)
    assert not any("compute" in line for line in draw.lines)


def test_what_can_not_overlap(device):
    graph = mg.generate.path(4, device=device)

    class First(Overlapping, problem=Search, functor=Visit):
        def step(self, frontier):
            return self.advance(frontier, duplicates="impossible", overlap=True)

    class Output(Overlapping, problem=Search, functor=Visit):
        def step(self, frontier):
            found = self.advance(frontier, duplicates="impossible")
            self.compute(found, Above, overlap=True)
            return found

    with pytest.raises(ProblemError, match="needs another operator before this one"):
        First(graph).run(0)
    with pytest.raises(ProblemError, match="the output of the operator before is not there yet"):
        Output(graph).run(0)
