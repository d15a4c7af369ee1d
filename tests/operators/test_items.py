"""filter and compute, the operators that look at items and not at neighbors, compared with their specification."""

import numpy as np
import pytest

import minigr as mg
from minigr import atomic_add, atomic_max
from minigr.device import CPU
from minigr.errors import FunctorError, ProblemError
from tests.operators.common import frontiers, run_both, skip_repetition


class Items(mg.Problem):
    key = mg.vertex_field(np.int32)
    hits = mg.vertex_field(np.int64)
    its_idx = mg.vertex_field(np.int64, fill=-1)
    noted = mg.edge_field(np.float64)
    edge_hits = mg.edge_field(np.int64)
    total = mg.scalar_field(np.int64, fill=-5)
    weights = mg.scalar_field(np.float64, fill=-5)
    least = mg.scalar_field(np.float32, fill=-5)


class Vertices(mg.Functor):
    def cond_filter(vertex, key):
        return key[vertex] % 3 != 0

    def apply_filter(vertex, idx, iteration, hits, its_idx):
        atomic_add(hits, vertex, iteration)
        atomic_max(its_idx, vertex, idx)

    def apply(vertex, idx, key, its_idx):
        its_idx[vertex] = idx
        return key[vertex]


class Once(mg.Functor):
    def apply_filter(vertex, hits):
        atomic_add(hits, vertex, 1)


class Edges(mg.Functor):
    def cond_filter(src, dst, key):
        return key[src] % 5 > key[dst] % 5

    def apply_filter(edge, src, dst, weight, noted, edge_hits):
        atomic_add(edge_hits, edge, 1)
        noted[edge] = weight + 1000.0 * src + dst

    def apply(edge, src, dst, weight, noted):
        noted[edge] = weight + 1000.0 * src + dst
        return weight


def items_on(graph):
    problem = Items(graph)
    problem.key = np.arange(graph.num_vertices) * 7919 % 101
    return problem


@pytest.mark.parametrize(
    ("start", "functor"),
    [("vertices", Vertices), ("bitmap", Vertices), ("all", Vertices), ("edges", Edges), ("all_edges", Edges)],
)
def test_filter(graph, start, functor):
    skip_repetition(graph, start in ("vertices", "bitmap"))
    run_both("filter", items_on(graph), frontiers(graph)[start], functor)


@pytest.mark.parametrize("functor", [Vertices, Once, None])
def test_filter_removes_duplicates(graph, functor):
    skip_repetition(graph, True)
    vertices = np.arange(graph.num_vertices)
    problem = items_on(graph)
    ids = run_both_once(problem, mg.Frontier.of(np.concatenate([vertices, vertices[::2], vertices[::-1]])), functor)
    assert len(np.unique(ids)) == len(ids)
    hits = CPU.asarray(problem.hits)
    assert hits.max(initial=0) <= 1
    if functor is not None:
        assert np.flatnonzero(hits).tolist() == ids.tolist()


def run_both_once(problem, frontier, functor):
    """`run_both` without `idx`, because any of several equal items may be kept."""
    problem.its_idx = np.iinfo(np.int64).max
    return run_both("filter", problem, frontier, functor, duplicates="remove")


def test_filter_takes_what_an_advance_kept(device):
    graph = mg.generate.star(200, device=device)
    problem = items_on(graph)
    frontier = mg.operators.advance(problem, mg.Frontier.of(range(1, 200)), Toward, duplicates="keep")
    assert len(frontier) == 199
    assert not frontier.distinct
    assert len(mg.operators.filter(problem, frontier, All)) == 199
    assert CPU.asarray(mg.operators.filter(problem, frontier, duplicates="remove").ids).tolist() == [0]


class Toward(mg.Functor):
    def cond_advance(dst):
        return True


class All(mg.Functor):
    def cond_filter(vertex):
        return True


@pytest.mark.parametrize(("start", "functor"), [("all", Vertices), ("edges", Edges)])
def test_compute(graph, start, functor):
    skip_repetition(graph, start == "all")
    problem = items_on(graph)
    frontier = frontiers(graph)[start]
    run_both("compute", problem, frontier, functor)
    assert CPU.asarray(problem.total) == -5


@pytest.mark.parametrize(
    ("start", "functor", "into", "reduce", "initial"),
    [
        ("vertices", Vertices, "total", "add", 0),
        ("none", Vertices, "total", "add", 0),
        ("all", Vertices, "total", "or", 0),
        ("all_edges", Edges, "weights", "max", -np.inf),
        ("edges", Edges, "least", "min", np.inf),
    ],
)
def test_compute_reduces(graph, start, functor, into, reduce, initial):
    skip_repetition(graph, functor is Vertices and reduce == "add")
    options = {"into": into, "reduce": reduce}
    run_both("compute", items_on(graph), frontiers(graph)[start], functor, {"initial": initial}, **options)


class Halves(mg.Functor):
    def apply(vertex):
        return 0.75


def test_values_take_the_type_they_are_reduced_in(device, monkeypatch):
    graph = mg.generate.path(1000, device=device)
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("MINIGR_NUM_THREADS", threads)
        problem = items_on(graph)
        mg.operators.compute(problem, mg.Frontier.all_vertices(), Halves, into="weights")
        assert CPU.asarray(problem.weights) == 750


def test_fractions_are_not_reduced_in_integers(device):
    problem = items_on(mg.generate.path(3, device=device))
    complaint = r"Halves\.apply .* returns float64, but it becomes int64, which drops fractions"
    with pytest.raises(FunctorError, match=complaint):
        mg.operators.compute(problem, mg.Frontier.all_vertices(), Halves, into="total")
    assert CPU.asarray(problem.total) == -5


class TwoSums(mg.Problem):
    whole = mg.scalar_field(np.int64)
    real = mg.scalar_field(np.float64)


class SumsTwice(mg.Enactor, problem=TwoSums, functor=Halves):
    def step(self, frontier):
        self.compute(frontier, into="whole")
        self.compute(frontier, into="real")


def test_a_function_that_operators_share_is_checked_for_each(device):
    """Its result is stored as an integer in one operator, and as a float in the other."""
    graph = mg.generate.path(3, device=device)
    with pytest.raises(FunctorError, match="it becomes int64, which drops fractions"):
        SumsTwice(graph, max_iterations=1).run(mg.Frontier.all_vertices())


class Number(mg.Functor):
    def apply(vertex):
        return vertex


def test_reductions_over_nothing(device):
    """The result is the initial value, by default the neutral element, and never the fill of the field."""
    problem = items_on(mg.generate.path(5, device=device))
    nothing, some = mg.Frontier.of([]), mg.Frontier.of([3, 1])

    def found(frontier, **more):
        mg.operators.compute(problem, frontier, Number, into="total", reduce="max", **more)
        return int(problem.total[0])

    assert found(nothing) == np.iinfo(np.int64).min
    assert (found(nothing, initial=-1), found(some, initial=-1), found(some, initial=7)) == (-1, 3, 7)


class Depths(mg.Problem):
    depth = mg.vertex_field(np.int32, fill=-1)
    most = mg.scalar_field(np.int64)


class Reach(mg.Functor):
    def cond_advance(dst, iteration, depth):
        return mg.atomic_cas(depth, dst, -1, iteration) == -1

    def apply(vertex):
        return vertex


class Search(mg.Enactor, problem=Depths, functor=Reach):
    def start(self, source):
        self.problem.depth[source] = 0
        return mg.Frontier.of(source)

    def step(self, frontier):
        found = self.advance(frontier, duplicates="impossible")
        self.compute(found, into="most", reduce="max", initial=-1)
        return found


def test_the_last_frontier_of_a_loop_is_empty(device):
    search = Search(mg.generate.path(5, device=device))
    search.run(0)
    assert int(search.problem.most[0]) == -1


@pytest.mark.parametrize("option", [{"initial": 0}, {"reduce": "max"}])
def test_options_of_a_reduction_that_there_is_not(device, option):
    problem = items_on(mg.generate.path(3, device=device))
    with pytest.raises(ProblemError, match="compute reduces nothing: name a scalar field with into="):
        mg.operators.compute(problem, mg.Frontier.of(0), Number, **option)


class Silent(mg.Functor):
    def apply(vertex, hits):
        hits[vertex] = 1


class AsksForAnEdge(mg.Functor):
    def cond_filter(src):
        return src > 0

    def apply(edge, noted):
        noted[edge] = 1


class AsksForAVertex(mg.Functor):
    def cond_filter(vertex):
        return vertex > 0


@pytest.mark.parametrize(
    ("operator", "frontier", "functor", "options", "complaint"),
    [
        ("compute", mg.Frontier.of(0), Silent, {"into": "total"}, "returns None, but must return a number"),
        ("compute", mg.Frontier.of(0), Vertices, {"into": "key"}, "not a scalar field of Items"),
        ("compute", mg.Frontier.of(0), Vertices, {"into": "nothing"}, "has total, weights, least"),
        ("compute", mg.Frontier.of(0), Vertices, {"into": "total", "reduce": "mul"}, "add, min, max, or"),
        ("compute", mg.Frontier.of(0), Vertices, {"into": "weights", "reduce": "or"}, "bits of integers"),
        ("compute", mg.Frontier.of(0), All, {}, "All to have apply"),
        ("compute", mg.Frontier.of(0), AsksForAnEdge, {}, "frontier of vertices doesn't have: ask for 'vertex', or"),
        ("filter", mg.Frontier.of(0), AsksForAnEdge, {}, "asks for 'src', which a frontier of vertices"),
        ("filter", mg.Frontier.of_edges(0), AsksForAVertex, {}, "frontier of edges doesn't have: ask for 'src', 'dst'"),
        ("filter", mg.Frontier.of(0), None, {}, "subclass of minigr.Functor"),
        ("filter", mg.Frontier.of(0), Silent, {}, "cond_filter or apply_filter"),
        ("filter", mg.Frontier.of(0), All, {"duplicates": "impossible"}, "'keep', 'remove'"),
        ("filter", mg.Frontier.of(7), All, {}, "id 7, but there are 4"),
    ],
)
def test_bad_input(device, operator, frontier, functor, options, complaint):
    problem = items_on(mg.generate.path(4, device=device))
    with pytest.raises((FunctorError, ProblemError), match=complaint):
        getattr(mg.operators, operator)(problem, frontier, functor, **options)


def test_a_class_is_no_problem():
    with pytest.raises(ProblemError, match=r"got the class Items: make one, Items\(graph\)"):
        mg.operators.compute(Items, mg.Frontier.of(0), Vertices)
