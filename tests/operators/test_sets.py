"""Union, intersection and difference of frontiers in a step, compared with Python's sets."""

import gc
import weakref

import numpy as np
import pytest

import minigr as mg
from minigr import atomic_add
from minigr.device import CPU
from minigr.errors import ProblemError
from tests.layouts import arcs_of


class Told(mg.Problem):
    in_vertices = mg.vertex_field(np.int64)
    in_edges = mg.edge_field(np.int64)


def note(number):
    """A functor that adds 100**number to an item, to record that the item is in the output with this number."""
    unit = 100**number

    class Note(mg.Functor):
        def apply(vertex, in_vertices):
            atomic_add(in_vertices, vertex, unit)

    class NoteEdges(mg.Functor):
        def apply(edge, in_edges):
            atomic_add(in_edges, edge, unit)

    return {"vertices": Note, "edges": NoteEdges}


NOTES = [note(number) for number in range(7)]


def results(a, b, every):
    """Combinations of the frontier and a list in a step. Arguments are symbolic frontiers or sets."""
    return [a | b, a & b, a - b, b - a, (a & b) | (b - a), every - a, every & b]


class Sets(mg.Enactor, problem=Told):
    def start(self, first, second):
        self.second = second
        return first

    def step(self, frontier):
        every = mg.Frontier.all_vertices() if frontier.kind == "vertices" else mg.Frontier.all_edges()
        # A copy of the list, which may have ids twice.
        second = self.filter(self.second, Copy)
        for number, result in enumerate(results(frontier, second, every)):
            self.compute(result, NOTES[number][frontier.kind])
        return frontier - self.second


class Copy(mg.Functor):
    def cond_filter(idx):
        return idx >= 0


def ids_of(graph, kind):
    if kind == "edges":
        return arcs_of(graph)[0]
    return np.arange(graph.num_vertices) if graph.layout == "csr" else CPU.asarray(graph.live_vertices())


def pairs(ids):
    """Lists that share some ids, have ids twice, are empty, or are equal."""
    some, others = ids[::2], ids[::3]
    return [(some, others), (np.repeat(some, 3), np.repeat(others[::-1], 2)), (some[:0], others), (ids, ids)]


@pytest.mark.parametrize("kind", ["vertices", "edges"])
def test_agrees_with_sets(graph, kind):
    ids, make = ids_of(graph, kind), mg.Frontier.of if kind == "vertices" else mg.Frontier.of_edges
    for first, second in pairs(ids):
        sets = Sets(graph, max_iterations=2)
        left = sets.run_for_output(make(first), make(second))
        a, b, every = (set(each.tolist()) for each in (first, second, ids))
        field = CPU.asarray(getattr(sets.problem, f"in_{kind}"))
        expected = dict.fromkeys(range(len(field)), 0)
        for frontier in (
            [a, a - b] if len(first) and a - b else [a] * bool(len(first))
        ):  # the frontier of the first step, and that of the next
            for number, result in enumerate(results(frontier, b, every)):
                for item in result:
                    expected[item] += 100**number
        assert field.tolist() == list(expected.values())
        assert sorted(CPU.asarray(left.ids).tolist()) == sorted(a - b)
        assert left.distinct


@pytest.mark.parametrize("driver", ["fused", "graph", "host"])
def test_by_each_driver(device, driver):
    if driver == "graph" and device == "cpu":
        pytest.skip("a CUDA graph")
    graph = mg.generate.path(3000, device=device)
    sets = Sets(graph, driver=driver, max_iterations=3)
    first, second = np.arange(0, 3000, 2), np.arange(0, 3000, 3)
    sets.run(mg.Frontier.of(first), mg.Frontier.of(second))
    in_one, in_both, in_first = (CPU.asarray(sets.problem.in_vertices) // 100**k % 100 for k in range(3))
    assert np.flatnonzero(in_one).tolist() == sorted({*range(0, 3000, 2), *range(0, 3000, 3)})
    assert np.flatnonzero(in_both == 1).tolist() == list(range(0, 3000, 6))  # only in the first step
    assert np.flatnonzero(in_first == 3).tolist() == [v for v in range(0, 3000, 2) if v % 3]


class Combined(mg.Enactor, problem=Told):
    def start(self, combine):
        self.combine = combine
        return mg.Frontier.of([2, 2, 0])

    def step(self, frontier):
        return self.combine(frontier)


@pytest.mark.parametrize(
    ("combine", "expected"),
    [
        (lambda f: f | mg.Frontier.all_vertices(), {0, 1, 2, 3}),
        (lambda f: mg.Frontier.of([3, 3]) | f, {0, 2, 3}),
        (lambda f: mg.Frontier.from_mask([True, True]) & f, {0}),
        (lambda f: mg.Frontier.all_vertices() - f, {1, 3}),
        (lambda f: f - mg.Frontier.all_vertices(), set()),
        (lambda f: f & f, {0, 2}),
        (lambda f: f - f, set()),
        (lambda f: f | f | mg.Frontier.of([1]), {0, 1, 2}),
    ],
)
def test_with_frontiers_that_the_step_names(device, combine, expected):
    found = Combined(mg.generate.path(4, device=device), max_iterations=1).run_for_output(combine)
    assert (sorted(CPU.asarray(found.ids).tolist()), found.distinct) == (sorted(expected), True)


def test_a_loop_of_sets(device):
    """An id that is put out in one step can be put out again in the next."""
    enactor = Combined(mg.generate.path(9, device=device), max_iterations=5)
    found = enactor.run_for_output(lambda f: (f | mg.Frontier.of([5, 1])) - mg.Frontier.of([2]))
    assert (sorted(CPU.asarray(found.ids).tolist()), enactor.iterations) == ([0, 1, 5], 5)


def test_what_is_refused(device):
    graph = mg.generate.path(4, device=device)
    with pytest.raises(ProblemError, match="of vertices and one of edges can't be combined"):
        Combined(graph).run(lambda f: f | mg.Frontier.all_edges())
    with pytest.raises(ProblemError, match="id 4, but there are 4 vertices"):
        Combined(graph).run(lambda f: f | mg.Frontier.of([4]))
    for other in ({1}, 3, None):
        with pytest.raises(TypeError):
            Combined(graph).run(lambda f, other=other: f - other)
    kept = []
    Combined(graph, max_iterations=1).run(lambda f: kept.append(f) or f | f)
    with pytest.raises(ProblemError, match="only in the same call of step"):
        assert kept[0] | kept[0]


def test_what_is_compiled_keeps_no_enactor(device):
    graph = mg.generate.path(4, device=device)
    enactor = Combined(graph, max_iterations=1)
    enactor.run(lambda f: f | f)
    seen = weakref.ref(enactor)
    del enactor
    gc.collect()
    assert seen() is None
