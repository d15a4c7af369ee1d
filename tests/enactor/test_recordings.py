"""What a step recorded is kept for the next run over the same graph: whatever changed since is seen all the same."""

import gc
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import minigr as mg
from minigr.device import CPU
from minigr.errors import ProblemError


class Search(mg.Problem):
    depth = mg.vertex_field(np.int32, fill=-1)


class Visit(mg.Functor):
    def cond_advance(dst, iteration, depth):
        return mg.atomic_cas(depth, dst, -1, iteration) == -1

    def cond_filter(vertex):
        return vertex % 2 == 0

    def priority(vertex):
        return float(vertex)


class Searches(mg.Enactor, problem=Search, functor=Visit):
    even = False
    options = None

    def start(self, source):
        self.problem.depth[source] = 0
        return mg.Frontier.of(source)

    def step(self, frontier):
        found = self.advance(frontier, **(self.options or {}))
        return self.filter(found) if self.even else found


def depths(graph, source=0, **attributes):
    enactor = Searches(graph)
    for name, value in attributes.items():
        setattr(enactor, name, value)
    enactor.run(source)
    return CPU.asarray(enactor.problem.depth).tolist()


def test_a_step_that_looks_at_attributes(device):
    graph = mg.generate.path(5, device=device)
    for _ in range(2):
        assert depths(graph) == [0, 1, 2, 3, 4]
        assert depths(graph, even=True) == [0, 1, -1, -1, -1]  # 1 is put out, and filtered away
        assert depths(graph, options={"reverse": True}) == [0, 1, 2, 3, 4]
    enactor = Searches(graph)
    for even, expected in ((False, 4), (True, 1), (False, 4)):
        enactor.even = even
        enactor.problem.reset()
        enactor.run(0)
        assert int(CPU.asarray(enactor.problem.depth).max()) == expected


def test_options_that_equal_each_other_are_told_apart(device):
    graph = mg.generate.path(3, device=device)
    assert depths(graph, options={"again": True}) == [0, 1, 2]
    for wrong in (1, 1.0):
        with pytest.raises(ProblemError, match="again"):
            depths(graph, options={"again": wrong})


class Signs(mg.Problem):
    least = mg.vertex_field(np.float64, fill=7.0)


class Nothing(mg.Functor):
    def map(dst):
        return 1.0

    def reduce(a, b):
        return a


def test_zeros_of_both_signs(device):
    graph = mg.generate.path(2, device=device)
    for initial in (0.0, -0.0, 0.0):
        signs = Signs(graph)
        how = {"reduce": None, "initial": initial, "into": "least"}
        mg.operators.neighbor_reduce(signs, mg.Frontier.all_vertices(), Nothing, **how)
        assert np.signbit(CPU.asarray(signs.least)).tolist() == [np.signbit(initial)] * 2


class Queue(Searches):
    """Begins as `Searches`; on a GPU the two operators become one kernel."""

    def step(self, frontier):
        return self.near_far(self.advance(frontier), width=100.0)


def test_steps_that_begin_alike(device):
    graph = mg.generate.path(5, device=device)
    for _ in range(2):
        for kind in (Queue, Searches):
            enactor = kind(graph)
            enactor.run(0)
            assert CPU.asarray(enactor.problem.depth).tolist() == [0, 1, 2, 3, 4]


class Told(mg.Enactor, problem=Search, functor=Visit, looks_at=("even", "width")):
    """Says what its step looks at, and notes each call of it."""

    even, width = False, None
    calls = 0

    def start(self, source):
        self.problem.depth[source] = 0
        return mg.Frontier.of(source)

    def step(self, frontier):
        Told.calls += 1
        found = self.advance(frontier)
        return self.filter(found) if self.even else found


class Untold(Told):
    pass


def calls_of(kind, graph, source=0, **attributes):
    """The calls of a step in a run, and the depths that it found."""
    enactor, before = kind(graph), Told.calls
    for name, value in attributes.items():
        setattr(enactor, name, value)
    enactor.run(source)
    return Told.calls - before, CPU.asarray(enactor.problem.depth).tolist()


def test_a_step_that_says_what_it_looks_at_is_called_once(device):
    graph, all_of_it, first = mg.generate.path(4, device=device), [0, 1, 2, 3], [0, 1, -1, -1]
    assert calls_of(Told, graph) == (1, all_of_it)
    assert calls_of(Told, graph) == (0, all_of_it)
    assert calls_of(Told, graph, even=True) == (1, first)
    assert calls_of(Told, graph, even=True) == (0, first)
    assert calls_of(Told, graph, even=1) == (1, first)  # which equals True
    assert calls_of(Told, graph, source=3) == (0, [3, 2, 1, 0])
    assert calls_of(Told, mg.generate.path(2, device=device)) == (1, [0, 1])
    for width in ([1.0], [2.0], [2.0]):  # lists are not compared
        assert calls_of(Told, graph, width=width) == (1, all_of_it)


def test_a_subclass_says_it_again(device):
    graph = mg.generate.path(4, device=device)
    for _ in range(2):
        assert calls_of(Untold, graph) == (1, [0, 1, 2, 3])


def test_a_step_that_is_not_called_sees_another_graph(device):
    graph = mg.DynamicGraph.from_edges([0, 1], [1, 2], num_vertices=4, directed=False, device=device)
    assert calls_of(Told, graph) == (1, [0, 1, 2, -1])
    graph.insert_edges([2], [3])
    assert calls_of(Told, graph) == (1, [0, 1, 2, 3])
    graph.delete_vertices([3])
    assert calls_of(Told, graph)[1] == [0, 1, 2, -1]


@pytest.mark.parametrize("names", ["even", (1,), 5])
def test_what_a_step_looks_at_is_named(names):
    with pytest.raises(ProblemError, match=r"class Wrong: looks_at=.* must be a tuple of names"):

        class Wrong(mg.Enactor, looks_at=names):
            pass


STEP, LIMIT = 1, 99


class Values(mg.Problem):
    value = mg.vertex_field(lambda graph: DTYPE)


class Raise(mg.Functor):
    def apply(vertex, value):
        value[vertex] += STEP

    def until(iteration):
        return iteration >= LIMIT


class Raising(mg.Enactor, problem=Values, functor=Raise, looks_at=()):
    def step(self, frontier):
        self.compute(frontier)


DTYPE = np.int32


def test_globals_and_dtypes_that_change(device, monkeypatch):
    graph = mg.generate.path(2, device=device)
    for step, dtype in ((1, np.int32), (2, np.int32), (2, np.float64), (0.5, np.float64), (1, np.int32)):
        monkeypatch.setitem(globals(), "STEP", step)
        monkeypatch.setitem(globals(), "DTYPE", dtype)
        values = Values(graph)
        mg.operators.compute(values, mg.Frontier.all_vertices(), Raise)
        assert values.value.dtype == dtype
        assert CPU.asarray(values.value).tolist() == [step] * 2
        raising = Raising(graph, max_iterations=3)
        raising.run()
        assert CPU.asarray(raising.problem.value).tolist() == [3 * step] * 2
    for limit in (1, 2):
        monkeypatch.setitem(globals(), "LIMIT", limit)
        raising = Raising(graph, max_iterations=3)
        raising.run()
        assert CPU.asarray(raising.problem.value).tolist() == [limit] * 2


class Either(mg.Functor):
    def cond_target(dst, depth):
        return depth[dst] < 0

    def cond_advance(dst, iteration, depth):
        return mg.atomic_cas(depth, dst, -1, iteration) == -1


class EitherWay(Searches, functor=Either, looks_at=()):
    def step(self, frontier):
        return self.advance(frontier, direction="auto")


def test_in_edges_are_not_made_again_without_room(device, monkeypatch):
    graph = mg.Graph.from_edges([0, 1], [1, 2], directed=True, device=device)
    for has_room in (True, False, True):
        monkeypatch.setattr(type(graph), "has_room_for_in_edges", has_room)
        search = EitherWay(graph)
        search.run(0)
        assert CPU.asarray(search.problem.depth).tolist() == [0, 1, 2]
        assert ("in_edges" in graph.kept) is has_room
        graph.drop()


def test_a_graph_that_changes(device):
    graph = mg.DynamicGraph.from_edges([0, 1], [1, 2], num_vertices=5, directed=False, device=device)
    assert depths(graph) == [0, 1, 2, -1, -1]
    graph.insert_edges([2, 3], [3, 4])
    assert depths(graph) == [0, 1, 2, 3, 4]
    graph.delete_edges([1], [2])
    graph.insert_vertices(1)
    assert depths(graph) == [0, 1, -1, -1, -1, -1]


class Kept(mg.Enactor, problem=Search, functor=Visit, keeps_levels=True, looks_at=()):
    def start(self, source):
        self.problem.depth[source] = 0
        return mg.Frontier.of(source)

    def step(self, frontier):
        return self.advance(frontier)


def test_what_a_run_returned_stays_although_others_work_where_it_did(device):
    graph, everyone = mg.generate.path(6, device=device), mg.Frontier.all_vertices()
    search = Search(graph)
    even = mg.operators.filter(search, everyone, Visit)
    listed = mg.operators.filter(search, mg.Frontier.of([2, 4]), Visit)
    first, second = (Kept(graph) for _ in range(2))
    first.run(0)
    levels = first.levels
    second.run(5)
    assert list(mg.operators.filter(search, mg.Frontier.of([1, 0]), Visit)) == [0]
    mg.operators.filter(search, everyone, Visit)
    assert sorted(even) == [0, 2, 4]
    assert sorted(listed) == [2, 4]
    assert CPU.asarray(levels.vertices).tolist() == [0, 1, 2, 3, 4, 5]
    assert CPU.asarray(second.levels.vertices).tolist() == [5, 4, 3, 2, 1, 0]


def test_a_graph_is_not_kept_alive(device):
    graph = mg.generate.path(5, device=device)
    mg.bfs(graph, 0)
    assert depths(graph, even=True)[1] == 1
    there = weakref.ref(graph)
    del graph
    gc.collect()
    assert there() is None


def test_runs_at_the_same_time_and_after_each_other(device):
    """Each has its own buffers meanwhile, and results stay what they are."""
    graph, sources = mg.generate.path(20, device=device), [*range(20)] * 2
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda source: mg.bfs(graph, source), sources))
    for source, result in zip(sources, found, strict=True):
        assert CPU.asarray(result.depth).tolist() == [abs(vertex - source) for vertex in range(20)]


def test_in_edges_that_are_dropped_and_made_again(device):
    graph = mg.Graph.from_edges(np.arange(9), np.arange(1, 10), directed=True, device=device)
    others = []
    for _ in range(3):
        assert CPU.asarray(mg.bfs(graph, 0, direction="pull").depth).tolist() == [*range(10)]
        graph.drop("in_edges")
        others += [graph._device.full(count, 0, np.int64) for count in (5, 10)]  # where in-edges were


def test_what_a_run_without_a_step_begins_with(device):
    searches = Searches(mg.generate.path(4, device=device), max_iterations=0)
    for source in (2, 3):
        assert CPU.asarray(searches.run_for_output(source).ids).tolist() == [source]
