"""Tombstones that insertions reuse."""

from types import SimpleNamespace

import numpy as np
import pytest

from minigr.device import CPU
from minigr.graphs.dynamic import DynamicGraph
from minigr.graphs.dynamic.growth import should_rebuild
from minigr.graphs.dynamic.layout import KEYS, LANES, TOMBSTONE
from tests.graphs.dynamic.oracle import Oracle, arcs_of, check

N = 200


def edges(rng, count):
    return rng.integers(0, N, (2, count), dtype=np.int32)


def tombstones(graph):
    """The number of tombstones that the graph counts, after a check that there are that many."""
    for one in graph._directions:
        keys = CPU.asarray(one.slabs.pool)[: LANES * one.slabs.bump].reshape(-1, LANES)[:, :KEYS]
        assert one.slabs.num_tombstones == np.count_nonzero(keys <= TOMBSTONE)
    return sum(one.slabs.num_tombstones for one in graph._directions)


@pytest.mark.parametrize("weighted", [False, True], ids=["", "weighted"])
@pytest.mark.parametrize("directed", [True, False], ids=["directed", "undirected"])
def test_a_window_takes_no_more_slabs_than_its_edges(device, directed, weighted):
    rng, graph = np.random.default_rng(5), DynamicGraph(N, directed=directed, weighted=weighted, device=device)
    oracle, batches, used, reused = Oracle(N, directed, weighted), [], [], 0
    for number in range(40):
        src, dst = edges(rng, 2000)
        weights = np.full(2000, number, np.float32) if weighted else None
        before = tombstones(graph)
        want = oracle.insert(src.tolist(), dst.tolist(), None if weights is None else weights.tolist())
        count, mask = graph.insert_edges(src, dst, weights, return_mask=True)
        assert (count, CPU.asarray(mask).tolist()) == (sum(want), want)
        reused += max(before - tombstones(graph), 0)
        batches.append((src, dst))
        if len(batches) > 10:
            gone = batches.pop(0)
            want = oracle.delete(*(ends.tolist() for ends in gone))
            assert graph.delete_edges(*gone) == sum(want)
            memory = graph.memory()
            used.append((memory.base_slabs + memory.overflow_slabs) / graph.num_arcs)
    check(graph, oracle)
    assert reused > 10_000
    assert max(used) < 1.6 * used[0]  # without reuse it would be twice as many until a flush


def test_equal_edges_of_a_batch_take_one_tombstone(device):
    rng, graph = np.random.default_rng(6), DynamicGraph(N, device=device)
    src, dst = edges(rng, 20_000)
    graph.insert_edges(src, dst)
    graph.delete_edges(src[:8000], dst[:8000])
    left, before = graph.num_edges, tombstones(graph)
    again = np.tile(edges(rng, 200), 50)  # many threads compete for the same tombstones, with the same keys
    want = len(set(zip(*again.tolist(), strict=True)) - set(arcs_of(graph.to_graph())) - {(v, v) for v in range(N)})
    assert graph.insert_edges(*again) == want
    assert graph.num_edges == left + want
    assert before - tombstones(graph) > want // 2


@pytest.mark.parametrize("weighted", [False, True], ids=["", "weighted"])
def test_tombstones_of_a_sweep_are_taken_too(device, weighted):
    """If the edges to deleted vertices are not known, a sweep deletes them and leaves tombstones of another kind."""
    rng, graph = np.random.default_rng(9), DynamicGraph(N, weighted=weighted, device=device)
    oracle, some = Oracle(N, weighted=weighted), list(range(0, N, 2))

    def insert(src, dst):
        weights = rng.integers(0, 9, len(src)).astype(np.float32) if weighted else None
        want = oracle.insert(src.tolist(), dst.tolist(), None if weights is None else weights.tolist())
        assert graph.insert_edges(src, dst, weights) == sum(want)

    insert(*edges(rng, 20_000))
    for _ in range(2):
        assert graph.delete_vertices(some) == oracle.delete_vertices(some)
        assert CPU.asarray(graph.insert_vertices(len(some))).tolist() == oracle.insert_vertices(len(some))
        before = tombstones(graph)
        assert before > graph._out.in_use  # enough that insertions look for tombstones
        insert(*np.tile(edges(rng, 3000), 2))
        assert before - tombstones(graph) > 1000
        check(graph, oracle)
        insert(*edges(rng, 10_000))


def test_slabs_that_racing_warps_gave_back_make_no_rebuild_due():
    counts = {"num_tombstones": 0, "num_arcs": 4000, "in_use": 300}
    gpu = SimpleNamespace(most_warps=8448)
    for free, launcher, due in ((2000, None, True), (2000, gpu, False), (9000, gpu, True)):
        assert should_rebuild(SimpleNamespace(**counts, free_count=free, launcher=launcher)) == due


@pytest.mark.parametrize(
    ("arcs", "tombstones", "in_use", "free", "due"),
    [
        (4000, 0, 300, 1000, False),  # few free slabs
        (4000, 0, 3000, 2000, False),  # more slabs in use
        (600, 700, 300, 0, True),
        (800, 700, 300, 0, False),  # more arcs than tombstones
        (100, 500, 300, 0, False),  # less than two tombstones for each slab
    ],
)
def test_a_rebuild_is_due_only_if_it_pays_off(arcs, tombstones, in_use, free, due):
    counts = {"num_arcs": arcs, "num_tombstones": tombstones, "in_use": in_use, "free_count": free}
    assert should_rebuild(SimpleNamespace(**counts, launcher=None)) == due


def test_tombstones_of_before_a_mark_stay(device):
    rng, graph = np.random.default_rng(7), DynamicGraph(N, weighted="int64", device=device)
    src, dst = edges(rng, 9000)
    graph.insert_edges(src, dst, np.arange(9000))
    graph.delete_edges(src[:4000], dst[:4000])
    graph.mark()
    there, added, reused = set(arcs_of(graph.to_graph())), set(), 0
    for _ in range(6):
        before = tombstones(graph)
        new = edges(rng, 900)
        graph.insert_edges(*new, np.arange(900))
        reused += max(before - tombstones(graph), 0)
        pairs = {(u, v) for u, v in zip(*new.tolist(), strict=True) if u != v}
        added |= pairs - there
        there |= pairs
        graph.delete_edges(new[0][:600], new[1][:600])
        gone = set(zip(*new[:, :600].tolist(), strict=True))
        added, there = added - gone, there - gone
        tails, heads, _ = graph.added_since_mark()
        assert set(zip(CPU.asarray(tails).tolist(), CPU.asarray(heads).tolist(), strict=True)) == added
        assert set(arcs_of(graph.to_graph())) == there
    assert reused > 0  # tombstones of edges since the mark


def test_a_batch_that_is_undone_leaves_the_tombstones(device):
    rng, graph = np.random.default_rng(8), DynamicGraph(N, weighted="float64", device=device)
    src, dst = edges(rng, 9000)
    graph.insert_edges(src, dst, np.ones(9000))
    graph.delete_edges(src[:4000], dst[:4000])
    before, left = arcs_of(graph.to_graph()), tombstones(graph)
    bad = np.append(src[:500], N).astype(np.int32)
    with pytest.raises(ValueError, match=rf"src\[500\] is {N}"):
        graph.insert_edges(graph._device.asarray(bad), graph._device.asarray(np.append(dst[:500], 0)), np.ones(501))
    assert arcs_of(graph.to_graph()) == before
    assert tombstones(graph) >= left
    assert graph.insert_edges(src[:500], dst[:500], np.ones(500)) > 0
    graph.flush()
    assert tombstones(graph) == 0


def test_insertions_that_give_slabs_back_seldom_copy_the_free_ones(device):
    slabs = DynamicGraph(3, device=device)._out
    made = [slabs.free]
    for _ in range(400):
        slabs.make_room_for_free(100)
        if slabs.free is not made[-1]:
            made.append(slabs.free)
        slabs.free_count += 1
    assert len(slabs.free) >= slabs.free_count + 99
    assert len(made) <= 6
