"""PartitionedDynamicGraph over processes: each passes a share of a batch, and all have the batch or none has it."""

import numpy as np
import pytest

import minigr as mg
from minigr.errors import GraphError, PartError
from minigr.graphs.partitioned.dynamic_rows import DynamicRows
from tests.partitioned.mpi import needs_mpi, run
from tests.partitioned.test_dynamic import same, state
from tests.partitioned.threads import in_processes

N, PROCESSES = 80, 3
KINDS = {"directed": {}, "undirected": {"directed": False, "allow_self_loops": True}}


def shares(turn):
    """The share of each process: sources, destinations, weights; one share is empty in the second turn."""
    rng = np.random.default_rng(turn)
    counts = [0 if (turn, index) == (1, 1) else 50 + index for index in range(PROCESSES)]
    return [(*rng.integers(0, N, (2, count)), rng.integers(1, 9, count)) for count in counts]


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_shares_are_one_batch(kind):
    """The share of each process follows that of the process before it."""
    whole = mg.DynamicGraph(N, weighted="int64", device="cpu", **kind)
    wanted = []
    for turn in range(4):
        given = [np.concatenate(each) for each in zip(*shares(turn), strict=True)]
        inserted = whole.insert_edges(*given, return_mask=True)
        deleted = whole.delete_edges(given[1][::3], given[0][::3])
        wanted.append((inserted, deleted, whole.to_graph()))
    left = whole.delete_vertices(np.arange(30))
    ids = whole.insert_vertices(12, [~1, ~2, ~2], [40] * 3, [7] * 3)
    depth, distance = mg.bfs(whole, 0).depth, mg.sssp(whole, 0).distance

    def work(exchange):
        own, found = exchange.local[0], []
        parts = mg.PartitionedDynamicGraph(N, devices=exchange, weighted="int64", **kind)
        for turn in range(4):
            src, dst, weights = shares(turn)[own]
            inserted = parts.insert_edges(src, dst, weights, return_mask=True)
            # The batch to delete is divided in another way.
            both = [np.concatenate([each[end] for each in shares(turn)])[::3] for end in (1, 0)]
            deleted = parts.delete_edges(*(ends[own::PROCESSES] for ends in both))
            found.append((inserted, deleted, parts.gather()))
            src, dst = np.random.default_rng(own).integers(0, N, (2, 40 + own))
            rows = found[-1][2]
            there = [v in rows.neighbors(u) for u, v in zip(src.tolist(), dst.tolist(), strict=True)]
            assert parts.has_edges(src, dst).tolist() == there
        gone = parts.delete_vertices(np.arange(own, 30, 2))
        ids = parts.insert_vertices(12, *([~own] * own, [40] * own, [7] * own) if own else ())  # process 0: no edges
        rows = parts.gather(), gone, ids.tolist(), parts.live_vertices().tolist()
        parts.flush()
        parts.rehash()
        assert same(parts.gather(), rows[0])
        return found, rows, mg.bfs(parts, 0).depth.gather(), mg.sssp(parts, 0).distance.gather(), state(parts.copy())

    results = in_processes(PROCESSES, work)
    for result in results:
        assert not isinstance(result, Exception), result
        found, (rows, *others), depths, distances, _ = result
        assert same(rows, whole.to_graph())
        assert others == [left, ids.tolist(), whole.live_vertices().tolist()]
        assert (depths == depth).all()
        assert (distances == distance).all()
        for ((count, _), deleted, rows), ((new, _), gone, whole_rows) in zip(found, wanted, strict=True):
            assert (count, deleted) == (new, gone)
            assert same(rows, whole_rows)
    for turn, ((_, mask), *_) in enumerate(wanted):
        assert np.concatenate([found[turn][0][1] for found, *_ in results]).tolist() == mask.tolist()


BATCHES = {
    "insert": lambda graph, own: graph.insert_edges([own, 5], [7, 9], [1, 2]),
    "delete": lambda graph, own: graph.delete_edges([own], [own + 1]),
    "mark": lambda graph, own: graph.mark(),
    "rehash": lambda graph, own: graph.rehash(0.3),
    "vertices": lambda graph, own: graph.insert_vertices(30),
    "vertices-edges": lambda graph, own: graph.insert_vertices(2, [~1, ~0], [own, 7], [3, 4]),
    "delete-vertices": lambda graph, own: graph.delete_vertices([5, own]),
}
each_batch = pytest.mark.parametrize("batch", BATCHES.values(), ids=BATCHES)


def made(exchange):
    graph = mg.PartitionedDynamicGraph(N, devices=exchange, weighted="int64", directed=False)
    graph.mark()
    graph.insert_edges(*shares(0)[exchange.local[0]])
    return graph


@each_batch
@pytest.mark.parametrize("fails", range(PROCESSES))
def test_a_process_that_fails(monkeypatch, batch, fails):
    """All processes raise, no part has the batch, and all can go on."""

    def work(exchange):
        own, graph = exchange.local[0], made(exchange)
        before = state(graph)
        if own == fails:
            graph.parts[0].graph.__class__ = Failing
        try:
            batch(graph, own)
            told = None
        except (OSError, PartError) as error:
            told = str(error)
        graph.parts[0].graph.__class__ = DynamicRows
        assert state(graph) == before
        batch(graph, own)
        return told, state(graph)

    class Failing(DynamicRows):
        pass

    for name in ("change", "append", "mark", "rehash"):

        def fail(self, *arguments, name=name):
            getattr(DynamicRows, name)(self, *arguments)
            raise OSError("no disk")

        setattr(Failing, name, fail)

    def done(exchange):
        graph = made(exchange)
        batch(graph, exchange.local[0])
        return state(graph)

    wanted = in_processes(PROCESSES, done)
    for own, result in enumerate(in_processes(PROCESSES, work)):
        assert not isinstance(result, Exception), result
        assert result == ("no disk" if own == fails else f"part {fails} of 3 failed: OSError: no disk", wanted[own])


def test_a_share_that_is_refused():
    def work(exchange):
        own, graph = exchange.local[0], made(exchange)
        before = state(graph)
        with pytest.raises(GraphError if own == 1 else PartError, match=r"src\[0\] is 80, but num_vertices is 80"):
            graph.insert_edges([0 if own != 1 else N], [1], [3])
        assert state(graph) == before
        return graph.insert_edges([own], [own], [1])

    assert in_processes(PROCESSES, work) == [0, 0, 0]


def test_parts_that_have_not_the_same_batches_say_so():
    """This may happen if a process gave up while another one received the last message."""

    def work(exchange):
        graph = made(exchange)
        graph._batches += exchange.local[0] == 2
        calls = [
            lambda: graph.insert_edges([0], [1], [2]),
            lambda: graph.has_edges([0], [1]),
            graph.gather,
            graph.to_graph,
            graph.copy,
            lambda: mg.bfs(graph, 0),
        ]
        for call in calls:
            with pytest.raises(PartError, match=r"part . has done . batches, but part . .*: .* make the graph again"):
                call()

    assert in_processes(PROCESSES, work) == [None] * 3


def test_all_processes_insert_as_many_vertices():
    def work(exchange):
        graph = made(exchange)
        before = state(graph)
        with pytest.raises(
            (GraphError, PartError), match="processes insert 4, 5 vertices: give the same number in each"
        ):
            graph.insert_vertices(4 + (exchange.local[0] == 2))
        assert state(graph) == before
        assert graph.insert_vertices(4).tolist() == [80, 81, 82, 83]
        return graph.insert_edges([83], [exchange.local[0]], [1])

    assert in_processes(PROCESSES, work) == [3, 3, 3]


@needs_mpi
def test_over_mpi():
    lines = run(
        """
        n = 200
        parts = mg.PartitionedDynamicGraph(n, devices="mpi", weighted=True, in_edges=True)
        whole = mg.DynamicGraph(n, weighted=True, in_edges=True, device="cpu")
        rng = np.random.default_rng(1)
        for turn in range(3):
            src, dst = rng.integers(0, n, (2, 400))
            weights = rng.integers(1, 9, 400).astype(np.float32)
            own = np.array_split(np.arange(400), size)[rank]
            count, mask = whole.insert_edges(src, dst, weights, return_mask=True)
            found = parts.insert_edges(src[own], dst[own], weights[own], return_mask=True)
            assert found[0] == count and (found[1] == mask[own]).all()
            assert parts.delete_edges(src[own][::3], dst[own][::3]) == whole.delete_edges(
                *(np.concatenate([ends[each][::3] for each in np.array_split(np.arange(400), size)])
                  for ends in (src, dst))
            )
            assert (parts.gather().weights == whole.to_graph().weights).all()
            assert (mg.sssp(parts, 0).distance.gather() == mg.sssp(whole, 0).distance).all()
            assert np.allclose(mg.pagerank(parts).rank.gather(), mg.pagerank(whole).rank)
            assert parts.delete_vertices([40 + rank, turn + 20]) == whole.delete_vertices([*range(40, 44), turn + 20])
            assert (parts.insert_vertices(5) == whole.insert_vertices(5)).all()
        try:
            parts.insert_edges([0], [1 if rank != 2 else n], [1.0])
        except Exception as error:
            print(f"{rank} {type(error).__name__}: {error}\\n", flush=True, end="")
        assert (parts.gather().indices == whole.to_graph().indices).all()
        assert parts.insert_edges([rank], [n - 1 - rank], [1.0]) <= 4  # all can go on
        """
    )
    remedy = "pass ids below num_vertices, or make the graph with more vertices"
    message = f"dst[0] is 200, but num_vertices is 200: {remedy}"
    others = [f"{rank} PartError: part 2 of 4 failed: GraphError: {message}" for rank in (0, 1, 3)]
    assert lines == sorted([*others, f"2 GraphError: {message}"])
