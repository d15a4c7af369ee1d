"""A batch that raises leaves the graph unchanged: after a signal, without memory, or if a thread uses the graph."""

import signal
import sys
import threading
import time

import numpy as np
import pytest

import minigr as mg
from minigr.device import CPU
from minigr.errors import FormatError, GraphError, OutOfMemoryError
from minigr.graphs.dynamic.allocator import Allocator
from tests.allocations import Failing
from tests.graphs.dynamic.trials import check_whole_without_room, interrupted, pairs, state

KINDS = {
    "directed": {"directed": True},
    "in-edges": {"directed": True, "in_edges": True},
    "undirected": {"directed": False, "allow_self_loops": True},
}
N = 60


@pytest.fixture(params=KINDS.values(), ids=KINDS)
def graph(request, device):
    """A graph with weights, chains, tombstones, a mark, and deleted vertices whose slabs are not yet free."""
    rng = np.random.default_rng(3)
    graph = mg.DynamicGraph(N, weighted="float32", device=device, **request.param)
    graph.insert_edges(*pairs(rng, N, 700), np.arange(700))
    graph.mark()
    graph.insert_edges(*pairs(rng, N, 200), np.arange(200))
    graph.delete_edges(*pairs(rng, N, 500))
    graph.delete_vertices([7, 8])
    return graph


def batches():
    rng = np.random.default_rng(5)
    ids = np.setdiff1d(np.arange(N), [7, 8])
    src, dst = rng.choice(ids, (2, 3000))
    ids = np.tile(ids, 5)
    hub, weights = np.zeros(len(ids), np.int64), np.arange(3000)
    gone, new = rng.integers(0, N, (2, 400)), ~dst
    return {
        "insert_edges": lambda graph: graph.insert_edges(src, dst, weights),
        "insert_edges-mask": lambda graph: graph.insert_edges(hub, ids, weights[: len(ids)], return_mask=True),
        "delete_edges": lambda graph: graph.delete_edges(src, dst),
        "delete_edges-mask": lambda graph: graph.delete_edges(gone[0], gone[1], return_mask=True),
        "insert_vertices": lambda graph: graph.insert_vertices(300),
        "insert_vertices-edges": lambda graph: graph.insert_vertices(N, src, new, weights),
        "delete_vertices": lambda graph: graph.delete_vertices(np.arange(0, N, 2)),
        "mark": lambda graph: graph.mark(),
        "rehash": lambda graph: graph.rehash(0.2),
        "flush": lambda graph: graph.flush(),
        "copy": lambda graph: graph.copy(),
    }


BATCHES = batches()
each_batch = pytest.mark.parametrize("batch", BATCHES.values(), ids=BATCHES)


def after(batch, graph):
    """The state of the graph after a batch."""
    done = graph.copy()
    batch(done)
    return state(done)


def with_allocator(graph, allocator):
    graph._allocator = allocator
    for one in graph._directions:
        one.slabs.allocator = allocator


class Signalling(Allocator):
    """An allocator that raises a signal in the call with the given number."""

    def __init__(self, device, calls):
        super().__init__(device)
        self.calls, self.came = calls, False

    def empty(self, count, dtype):
        self.count()
        return super().empty(count, dtype)

    def memory(self, size):
        self.count()
        return super().memory(size)

    def count(self):
        self.calls -= 1
        if self.calls == -1:
            self.came = True
            signal.raise_signal(signal.SIGINT)


@each_batch
def test_a_signal_with_each_allocation(graph, batch):
    """Ctrl-C raises, and the batch is not done."""
    before, wanted = state(graph), after(batch, graph)
    for calls in range(200):
        trial, allocator = graph.copy(), Signalling(graph._device, calls)
        with_allocator(trial, allocator)
        try:
            batch(trial)
            raised = False
        except KeyboardInterrupt:
            raised = True
        with_allocator(trial, Allocator(graph._device))
        assert raised == allocator.came
        if raised:
            assert state(trial) == before
            batch(trial)
        assert state(trial) == wanted
        if not allocator.came:
            break
    assert not allocator.came


@pytest.mark.parametrize("name", ["insert_edges", "insert_vertices-edges", "delete_vertices", "rehash"])
def test_a_signal_that_has_to_wait_for_the_batch(graph, name):
    """The signal comes after the batch has begun, and its handler raises when the changes are made."""
    before = state(graph)

    def signalling():
        if graph.__dict__.pop("_have_new_version", None):
            signal.raise_signal(signal.SIGINT)
        graph._have_new_version()

    graph._have_new_version = signalling
    with pytest.raises(KeyboardInterrupt):
        BATCHES[name](graph)
    assert state(graph) == before


@each_batch
def test_a_signal_whose_handler_returns(graph, batch):
    """The batch is done, and the handler was called."""
    wanted, called = after(batch, graph), []
    previous = signal.signal(signal.SIGINT, lambda number, frame: called.append(number))
    try:
        allocator = Signalling(graph._device, 0)
        with_allocator(graph, allocator)
        batch(graph)
    finally:
        signal.signal(signal.SIGINT, previous)
    assert called == [signal.SIGINT] * allocator.came
    assert state(graph) == wanted


@each_batch
def test_signals_at_many_moments(graph, batch):
    before, wanted = state(graph), after(batch, graph)
    begun = time.perf_counter()
    batch(graph.copy())
    seconds = time.perf_counter() - begun
    raised = 0
    for moment in range(24):
        trial = graph.copy()
        if interrupted(lambda trial=trial: batch(trial), seconds * moment / 22):
            raised += 1
            assert state(trial) == before
        else:
            assert state(trial) == wanted
    assert raised


@each_batch
def test_each_array_that_finds_no_room(graph, batch):
    """The batch raises minigr's own error, or does without the array and is done."""
    number = check_whole_without_room(graph, batch, graph.device, range(300), state, after(batch, graph))
    assert number or batch is BATCHES["mark"]  # the arrays of a mark are small here


def test_constructors_that_find_no_room(device, tmp_path):
    rows = mg.generate.path(900, device=device)
    mg.DynamicGraph.from_graph(rows).save(tmp_path / "graph.npz")
    src, dst = np.arange(899), np.arange(1, 900)
    for make in (
        lambda: mg.DynamicGraph(900, device=device),
        lambda: mg.DynamicGraph.from_graph(rows),
        lambda: mg.DynamicGraph.from_edges(src, dst, device=device),
        lambda: mg.DynamicGraph.load(tmp_path / "graph.npz", device=device),
    ):
        make()
        with Failing(1, device) as failing, pytest.raises(OutOfMemoryError):
            make()
        assert failing.failed


# --- answers ---------------------------------------------------------------------------------------------------------


def test_a_repair_that_is_interrupted(device):
    """The batch is undone in the graph after the graph had taken it, and the answers are those of the graph."""
    graph = mg.DynamicGraph.from_graph(mg.generate.lattice(6, 6, device=device))
    search, parts = (
        mg.dynamic.BFS(graph, 0, recompute="never"),
        mg.dynamic.ConnectedComponents(graph, recompute="never"),
    )
    before, versions = state(graph), set()
    for change in (
        lambda: mg.stream(graph, [0], [35], [0.0], window=1, batch=[1.0], answers=[search, interrupting(parts)]),
        lambda: interrupting(parts).insert_edges([0], [35]),
        lambda: interrupting(parts).delete_edges([0, 0], [1, 6]),
    ):
        versions |= {graph.version, graph.version + 1}  # of the graph before the batch, and of that which answers saw
        with pytest.raises(KeyboardInterrupt):
            change()
        assert graph.version not in versions
        assert state(graph) == before
        assert CPU.asarray(search.depth).tolist() == CPU.asarray(mg.bfs(graph, 0).depth).tolist()
        assert parts.num_components == 1
    assert parts.delete_edges([0, 0], [1, 6]) == 2
    assert parts.num_components == 2


def interrupting(answer):
    """The same answer, whose next repair is interrupted at its end."""
    kind = type(answer)

    class Once(kind):
        def _repair(self, changes, most):
            super()._repair(changes, most)
            self.__class__ = kind
            signal.raise_signal(signal.SIGINT)

    answer.__class__ = Once
    return answer


# --- threads ---------------------------------------------------------------------------------------------------------


def test_one_thread_at_a_time_changes_a_graph(graph):
    """A batch, a query or a run that begins during the batch of another thread is refused, with a remedy."""
    told, before = [], graph.copy()

    def use():
        for call in (
            lambda: graph.insert_edges([0], [1], [1.0]),
            lambda: graph.delete_vertices([0]),
            lambda: graph.mark(),
            lambda: graph.copy(),
            lambda: graph.to_graph(),
            lambda: graph.has_edges([0], [1]),
            lambda: graph.degree(),
            lambda: mg.bfs(graph, 0),
        ):
            try:
                call()
            except GraphError as error:
                told.append(str(error))

    class Meanwhile(Allocator):
        def empty(self, count, dtype):
            self.meet()
            return super().empty(count, dtype)

        def memory(self, size):
            self.meet()
            return super().memory(size)

        def meet(self):
            if not told:
                thread = threading.Thread(target=use)
                thread.start()
                thread.join()

    with_allocator(graph, Meanwhile(graph._device))
    graph.insert_edges([0, 3], [2, 4], [1.0, 2.0])
    assert len(told) == 8
    assert all("on another thread: let only one thread at a time use the graph" in message for message in told)
    before.insert_edges([0, 3], [2, 4], [1.0, 2.0])
    assert state(graph) == state(before)


def test_threads_ask_at_the_same_time(device):
    """Each thread gets the answer to its own question, and no error of another thread."""
    graph = mg.DynamicGraph.from_edges([0, 1, 2], [1, 2, 3], num_vertices=5, device=device)
    xp = graph._device.xp
    ends = (xp.zeros(40, np.int32), xp.ones(40, np.int32)), (xp.ones(9, np.int32), xp.zeros(9, np.int32))
    questions = (*ends, (xp.full(3, 7, np.int32), xp.zeros(3, np.int32)))
    answers = [[True] * 40, [False] * 9, "src[0] is 7"]
    told, interval = [], sys.getswitchinterval()

    def ask(which):
        for _ in range(200):
            try:
                found = graph.has_edges(*questions[which]).tolist()
            except GraphError as error:
                found = str(error)[: len("src[0] is 7")]
            if found != answers[which]:
                told.append((which, found))

    threads = [threading.Thread(target=ask, args=(which,)) for which in range(3)]
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert not told


class Count(mg.Problem):
    seen = mg.vertex_field(np.int32)


class Touch(mg.Functor):
    def apply(vertex, seen):
        seen[vertex] = 1


class Steps(mg.Enactor, problem=Count, functor=Touch):
    def step(self, frontier):
        self.compute(frontier)


def test_a_graph_is_not_changed_while_it_is_run_over(graph):
    """Neither another thread nor the run itself can change the graph; after the run it can be changed."""
    before, told = state(graph), []

    def insert():
        with pytest.raises(GraphError) as caught:
            graph.insert_edges([0], [1], [1.0])
        told.append(str(caught.value))

    def progress(done, most):
        insert()
        thread = threading.Thread(target=insert)
        thread.start()
        thread.join()

    Steps(graph, max_iterations=1, progress=progress).run()
    assert "can't be changed while it is in use on this thread: change it when the run is over" in told[0]
    assert len(told) == 2
    assert state(graph) == before
    graph.insert_edges([0], [1], [1.0])


# --- files -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("held", "named"),
    [
        ({"deleted": np.array([4, 4])}, "vertex 4 more than once"),
        ({"deleted": np.array([1])}, "vertex 1, which has edges"),
        ({"deleted": np.array([2])}, "vertex 2, which has edges"),
        ({"deleted": np.array([6])}, r"deleted\[0\] is 6"),
        ({"deleted": np.array([-1])}, r"deleted\[0\] is -1"),
        ({"deleted": np.array([0.5])}, "deleted must hold integer"),
        ({"deleted": np.zeros((1, 1), int)}, "deleted should be a list of vertices"),
        ({"load_factor": np.array(-7.0)}, "load_factor must be a number of at least"),
        ({"directed": np.array([1, 0])}, "directed should be a single value"),
        ({"in_edges": np.array("yes")}, "in_edges should be true or false"),
        ({"indptr": np.array([0, 9, 1, 2, 2, 2, 2])}, "indptr|offsets"),
    ],
)
def test_files_that_hold_no_graph(device, tmp_path, held, named):
    path = tmp_path / "graph.npz"
    mg.DynamicGraph.from_edges([0, 1], [1, 2], num_vertices=6, device=device).save(path)
    with np.load(path) as archive:
        arrays = dict(archive)
    np.savez(path, **{**arrays, **held})
    with pytest.raises(FormatError, match=named):
        mg.DynamicGraph.load(path, device=device)
    np.savez(path, **{**arrays, "deleted": np.array([4, 5])})
    assert mg.DynamicGraph.load(path, device=device).live_vertices().tolist() == [0, 1, 2, 3]
