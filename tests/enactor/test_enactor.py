"""Enactor: how loops start, go on and end, and what can't be a step."""

import os
import subprocess
import sys
import time
from types import SimpleNamespace

import numpy as np
import pytest

import minigr as mg
from minigr import atomic_add, atomic_exch
from minigr.device import CPU
from minigr.errors import CapacityError, FunctorError, ProblemError
from minigr.program import executor
from minigr.program.control import Stop
from tests.conftest import ROOT


class Levels(mg.Problem):
    level = mg.vertex_field(np.int32, fill=-1)
    reached = mg.scalar_field(np.int64)
    enough = mg.parameter(np.int64, default=1 << 40)


class Visit(mg.Functor):
    def cond_target(dst, level):
        return level[dst] < 0

    def cond_advance(dst, iteration, level):
        return atomic_exch(level, dst, iteration) < 0

    def apply(vertex, level):
        return level[vertex] >= 0

    def until(reached, enough):
        return reached >= enough


class Breadth(mg.Enactor, problem=Levels, functor=Visit):
    def start(self, source):
        self.problem.level[source] = 0
        return mg.Frontier.of(source)

    def step(self, frontier):
        found = self.advance(frontier)
        self.compute(found, into="reached")
        return found


def levels(enactor):
    return CPU.asarray(enactor.problem.level).tolist()


@pytest.fixture
def path(device):
    return mg.generate.path(700, device=device)


def test_until_empty(path):
    enactor = Breadth(path)
    enactor.run(0)
    assert levels(enactor) == list(range(700))
    assert enactor.iterations == 700
    assert enactor.stopped is Stop.EMPTY


@pytest.mark.parametrize("limit", [0, 2, 255, 256, 257, 699, 700, 5000, 10**30])
def test_max_iterations(path, limit):
    enactor = Breadth(path, max_iterations=limit)
    enactor.run(0)
    steps = min(limit, 700)
    assert enactor.iterations == steps
    assert enactor.stopped is (Stop.EMPTY if limit >= 700 else Stop.BUDGET)
    assert levels(enactor) == [v if v <= steps else -1 for v in range(700)]


def test_until(device):
    star = mg.generate.star(50, device=device)
    enactor = Breadth(star, enough=49)
    enactor.run(0)
    assert enactor.iterations == 1
    assert enactor.stopped is Stop.UNTIL


def test_until_wins_over_the_budget(path):
    enactor = Breadth(path, enough=1, max_iterations=2)  # each step reaches one
    enactor.run(0)
    assert (enactor.iterations, enactor.stopped) == (1, Stop.UNTIL)


def test_step_by_step_is_the_same(device):
    graph = mg.generate.rmat(9, 8, seed=3, device=device)
    whole, traced = Breadth(graph), Breadth(graph, trace=True)
    whole.run(1)
    traced.run(1)
    assert levels(whole) == levels(traced)
    assert whole.iterations == traced.iterations == len(traced.trace)
    assert whole.stopped is traced.stopped
    assert whole.trace is None


def test_budgets_do_not_show(device, monkeypatch):
    monkeypatch.setattr(executor, "_FIRST_BUDGET", 3)
    monkeypatch.setattr(executor, "_SECONDS", 1e-9)
    enactor = Breadth(mg.generate.path(60, device=device))
    enactor.run(0)
    assert levels(enactor) == list(range(60))
    assert enactor.iterations == 60


def test_progress(path, monkeypatch):
    monkeypatch.setattr(executor, "_SECONDS", 0)  # a step for each launch
    told = []
    enactor = Breadth(path, progress=lambda *at: told.append(at))
    enactor.run(0)
    assert told == [(step, None) for step in range(1, 701)]
    assert levels(enactor) == list(range(700))
    told.clear()
    Breadth(path, progress=lambda *at: told.append(at), max_iterations=3).run(0)
    assert told == [(1, 3), (2, 3), (3, 3)]
    monkeypatch.undo()
    told.clear()
    Breadth(path, progress=lambda *at: told.append(at)).run(0)
    assert told[0] == (1, None)  # however long steps take
    assert told[-1] == (700, None)
    assert len(told) < 700


class Count(mg.Functor):
    def apply(vertex, level):
        level[vertex] += 1


class Everywhere(mg.Enactor, problem=Levels, functor=Visit):
    """Without an end of its own."""

    def start(self, fails=False):
        if fails:
            raise ValueError("not here")
        return mg.Frontier.all_vertices()

    def step(self, frontier):
        self.compute(frontier, Count)


@pytest.mark.parametrize("driver", ["auto", "host"])
def test_what_is_left_by_an_exception(device, driver, monkeypatch):
    monkeypatch.setattr(executor, "_SECONDS", 0)

    def tell(done, most):
        if done == 3:
            raise RuntimeError("enough")

    enactor = Everywhere(mg.generate.path(5, device=device), driver=driver, progress=tell, max_iterations=100)
    assert (enactor.iterations, enactor.stopped) == (0, None)
    before = executor.steps_run()
    with pytest.raises(RuntimeError, match="enough"):
        enactor.run()
    assert (enactor.iterations, enactor.stopped, executor.steps_run() - before) == (3, None, 3)
    assert levels(enactor) == [2] * 5
    with pytest.raises(ValueError, match="not here"):
        enactor.run(fails=True)
    assert (enactor.iterations, enactor.stopped) == (0, None)


def test_an_interruption_after_a_launch(device, monkeypatch):
    """Python calls the handler of a signal when compiled code has returned, before the host has looked at the steps."""
    enactor = Everywhere(mg.generate.path(5, device=device), max_iterations=10**9)
    calls = []

    def interrupted():
        calls.append(None)
        if len(calls) == 4:  # right after the second launch
            raise KeyboardInterrupt
        return time.perf_counter()

    monkeypatch.setattr(executor, "time", SimpleNamespace(perf_counter=interrupted))
    with pytest.raises(KeyboardInterrupt):
        enactor.run()
    assert enactor.iterations > executor._FIRST_BUDGET
    assert levels(enactor) == [enactor.iterations - 1] * 5
    assert enactor.stopped is None


def test_trace(device):
    graph = mg.Graph.from_edges([0, 0, 0, 1, 2], [1, 2, 3, 4, 4], directed=True, device=device)
    enactor = Breadth(graph, trace=True)
    enactor.run(0)
    rows = list(enactor.trace)
    assert [(r.iteration, r.frontier, r.output, r.edges, r.direction) for r in rows] == [
        (1, 1, 3, 3, "push"),
        (2, 3, 1, 2, "push"),
        (3, 1, 0, 0, "push"),
    ]
    assert all(row.milliseconds > 0 for row in rows)
    assert len(str(enactor.trace).splitlines()) == 4
    assert enactor.trace.as_dicts()[1]["frontier"] == 3
    enactor.problem.reset()
    enactor.run(3)
    assert len(enactor.trace) == 1  # the rows of the last run only


def test_running_again(path):
    enactor = Breadth(path)
    enactor.run(0)
    enactor.problem.reset()
    enactor.run(699)
    assert levels(enactor) == list(range(699, -1, -1))


def test_an_empty_frontier(path):
    class Idle(Breadth):
        def start(self):
            return mg.Frontier.of([])

    enactor = Idle(path)
    enactor.run()
    assert (enactor.iterations, enactor.stopped) == (0, Stop.EMPTY)
    assert len(Idle(path).run_for_output()) == 0


def test_an_empty_graph(device):
    class Sum(mg.Enactor, problem=Levels, functor=Visit):
        def step(self, frontier):
            self.compute(frontier, into="reached")

    enactor = Sum(mg.Graph.from_edges([], [], device=device), max_iterations=5)
    enactor.run()
    assert enactor.iterations == 0


def test_output(path):
    enactor = Breadth(path, max_iterations=3)
    assert sorted(CPU.asarray(enactor.run_for_output(5).ids).tolist()) == [2, 8]


class Rounds(mg.Problem):
    value = mg.vertex_field(np.int64, fill=1)
    sums = mg.vertex_field(np.int64)
    edge_hits = mg.edge_field(np.int32)


class Walk(mg.Functor):
    def cond_advance(src):
        return True

    def cond_filter(src, dst, edge, edge_hits):
        return atomic_add(edge_hits, edge, 1) < 2

    def map(src, value):
        return value[src]

    def apply(vertex, value, sums):
        value[vertex] = sums[vertex]


class Walks(mg.Enactor, problem=Rounds, functor=Walk):
    """Counts walks of each length: works on all vertices in each step and returns nothing."""

    def step(self, frontier):
        self.neighbor_reduce(frontier, direction="in", reduce="add", into="sums")
        self.compute(frontier)


def test_steps_over_all_vertices(device):
    graph = mg.generate.rmat(6, 4, seed=2, directed=True, device=device)
    enactor = Walks(graph, max_iterations=3)
    enactor.run()
    assert enactor.iterations == 3
    matrix = CPU.asarray(graph.to_scipy().toarray()).astype(np.int64) != 0
    reached = np.linalg.matrix_power(matrix.T.astype(np.int64), 3) @ np.ones(graph.num_vertices, np.int64)
    assert CPU.asarray(enactor.problem.value).tolist() == reached.tolist()


class EdgeWalk(mg.Enactor, problem=Rounds, functor=Walk):
    """A frontier of edges from step to step, with vertices between them."""

    def step(self, frontier):
        return self.filter(self.advance(self.advance(frontier), output="edges"))


def test_frontiers_of_edges(device):
    graph = mg.generate.path(6, directed=True, device=device)
    enactor = EdgeWalk(graph)
    enactor.run(mg.Frontier.of_edges([0]))  # 0 -> 1; then the edges two further on
    assert CPU.asarray(enactor.problem.edge_hits).tolist() == [0, 0, 1, 0, 1]


class Multiply(mg.Enactor, problem=Rounds, functor=Walk):
    """Ids may repeat in its frontier, and more of them come in each step than there are arcs."""

    def step(self, frontier):
        return self.advance(frontier, duplicates="keep")


def test_frontiers_that_repeat_ids(device):
    graph = mg.generate.complete(5, device=device)
    enactor = Multiply(graph, max_iterations=2)
    assert len(enactor.run_for_output(mg.Frontier.of(0))) == 16
    with pytest.raises(CapacityError, match="holds an id more than once"):
        Multiply(graph).run(mg.Frontier.of(0))


class Found(mg.Functor):
    def cond_advance(dst, level):
        return level[dst] < 0

    def apply_advance(dst, iteration, level):
        level[dst] = iteration


class Idempotent(mg.Enactor, problem=Levels, functor=Found):
    duplicates = "keep"

    def start(self, source):
        self.problem.level[source] = 0
        return mg.Frontier.of(source)

    def step(self, frontier):
        return self.advance(frontier, duplicates=self.duplicates)


@pytest.mark.parametrize("duplicates", ["keep", "remove"])
@pytest.mark.parametrize("threads", ["1", "3"])
def test_an_advance_without_atomics(device, duplicates, threads, monkeypatch):
    monkeypatch.setenv("MINIGR_NUM_THREADS", threads)
    graphs = [
        mg.generate.lattice(2, 50, device=device),
        mg.Graph.from_edges(np.arange(1, 900), np.arange(1, 900) % 3, device=device),
    ]
    if duplicates == "remove":  # "keep" may put a vertex out for each shortest path, of which these have too many
        graphs += [mg.generate.lattice(40, 50, device=device), mg.generate.rmat(9, 4, seed=3, device=device)]
    for graph in graphs:
        enactor = Idempotent(graph)
        enactor.duplicates = duplicates
        enactor.run(1)
        assert levels(enactor) == CPU.asarray(mg.bfs(graph, 1).depth).tolist()


class TwoPulls(mg.Enactor, problem=Rounds, functor=Walk):
    def step(self, frontier):
        return self.advance(self.advance(frontier, direction="pull"), direction="pull")


class NoOperator(mg.Enactor):
    def step(self, frontier):
        return frontier


class ReturnsSomethingElse(mg.Enactor, functor=Walk):
    def step(self, frontier):
        self.advance(frontier)
        return [1, 2]


class ReturnsFrontier(mg.Enactor, functor=Walk):
    def step(self, frontier):
        self.advance(frontier)
        return mg.Frontier.of(0)


class NeverStops(mg.Enactor, functor=Walk):
    def step(self, frontier):
        self.advance(frontier, output=None)


class Branches(mg.Enactor, functor=Walk):
    def step(self, frontier):
        return self.advance(frontier) if frontier else None


class Counts(mg.Enactor, functor=Walk):
    def step(self, frontier):
        return self.advance(frontier) if len(frontier) > 3 else None


class LooksAtIds(mg.Enactor, functor=Walk):
    def step(self, frontier):
        return self.advance(frontier) if 0 in frontier.ids else None


class ChangesKind(mg.Enactor, functor=Walk):
    def step(self, frontier):
        return self.advance(frontier, output="edges")


class NoFunctor(mg.Enactor):
    def step(self, frontier):
        return self.advance(frontier)


class CallsAFunction(mg.Enactor, problem=Rounds, functor=Walk):
    def step(self, frontier):
        return mg.operators.advance(self.problem, frontier, Walk)


class NoStep(mg.Enactor):
    pass


@pytest.mark.parametrize(
    ("kind", "first", "complaint"),
    [
        (NoOperator, mg.Frontier.of(0), "called no operator"),
        (ReturnsSomethingElse, mg.Frontier.of(0), "must return what an operator returned"),
        (ReturnsFrontier, mg.Frontier.of(0), "must return what an operator returned"),
        (NeverStops, None, "would never stop"),
        (NeverStops, mg.Frontier.of(0), "would never stop"),
        (Branches, mg.Frontier.of(0), "can't branch on a frontier"),
        (Counts, mg.Frontier.of(0), "can't look at a frontier's length"),
        (LooksAtIds, mg.Frontier.of(0), "can't look at a frontier's ids"),
        (ChangesKind, mg.Frontier.of(0), "takes a frontier of vertices and returns one of edges"),
        (NoFunctor, mg.Frontier.of(0), "needs a functor, .*: give it to advance, or name it in"),
        (CallsAFunction, mg.Frontier.of(0), r"in a step, call the enactor's method of the same name, such as self\."),
        (TwoPulls, mg.Frontier.of(0), "more than one advance that pulls"),
        (Multiply, [0], "must return a minigr.Frontier, got list"),
        (Multiply, mg.Frontier.of(9), "id 9, but there are 4 vertices"),
        (Multiply, mg.Frontier.of(np.array([-1], np.int32)), "id -1"),
    ],
)
def test_steps_that_are_none(device, kind, first, complaint):
    graph = mg.generate.path(4, device=device)
    problem = {} if kind in (NoOperator, NoFunctor) else {"problem": Rounds(graph)}
    with pytest.raises((ProblemError, FunctorError), match=complaint):
        kind(graph, **problem).run(*([] if first is None else [first]))


def test_a_class_without_a_step(device):
    with pytest.raises(NotImplementedError, match="NoStep has no step"):
        NoStep(mg.generate.path(3, device=device)).run()


def test_an_operator_outside_a_step(path):
    with pytest.raises(ProblemError, match=r"elsewhere call minigr\.operators\.advance"):
        Breadth(path).advance(None)


@pytest.mark.parametrize("limit", [-1, 2.5, "3", np.nan])
def test_bad_limits(path, limit):
    with pytest.raises(ProblemError, match="whole number of steps"):
        Breadth(path, max_iterations=limit)


def test_bad_problems(path, device):
    with pytest.raises(ProblemError, match="another graph"):
        Breadth(path, problem=Levels(mg.generate.path(700, device=device)))
    with pytest.raises(ProblemError, match="enough: set parameters"):
        Breadth(path, problem=Levels(path), enough=3)
    with pytest.raises(ProblemError, match="instance"):
        Breadth(path, problem=Levels)
    with pytest.raises(ProblemError, match="no field 'enugh'"):
        Breadth(path, enugh=3)


# --- threads ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", ["1", "2", "3", "8"])
def test_any_number_of_threads(device, threads, monkeypatch):
    monkeypatch.setenv("MINIGR_NUM_THREADS", threads)
    graph = mg.generate.rmat(13, 8, seed=7, device=device)  # large enough for steps to be shared
    enactor = Breadth(graph)
    enactor.run(0)
    expected = mg.bfs(graph, 0).depth
    assert (enactor.problem.level == expected).all()
    monkeypatch.setenv("MINIGR_NUM_THREADS", "1")
    assert (mg.bfs(graph, 0).depth == expected).all()


@pytest.mark.parametrize("text", ["0", "-1", "two", "", "1.5"])
def test_a_bad_number_of_threads(text, monkeypatch):
    monkeypatch.setenv("MINIGR_NUM_THREADS", text)
    with pytest.raises(ValueError, match=r"MINIGR_NUM_THREADS=.*whole number of at least 1"):
        Breadth(mg.generate.path(3, device="cpu")).run(0)


FORKED = """
import os
import minigr as mg
graph = mg.generate.rmat(12, 8, seed=1, device="cpu")
expected = mg.bfs(graph, 0).depth
child = os.fork()
if child == 0:
    os._exit(0 if (mg.bfs(graph, 0).depth == expected).all() else 3)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Python has os.fork on Unix only")
def test_a_forked_child_has_a_team_of_its_own():
    environment = {**os.environ, "MINIGR_NUM_THREADS": "3", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", FORKED],
        env=environment, timeout=60, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.split() == ["0"]
