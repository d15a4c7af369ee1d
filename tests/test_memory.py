"""Tests that arrays that don't fit are refused before they are allocated, by their sizes."""

import numpy as np
import pytest

import minigr as mg
from minigr import memory
from minigr.device import CPU, resolve
from minigr.errors import OutOfMemoryError
from minigr.program.executor import new_run


@pytest.fixture
def little(monkeypatch):
    """A function that makes every device have this many free bytes."""

    def leave(count):
        monkeypatch.setattr(memory, "ASK_FROM", 0)
        monkeypatch.setattr(memory, "free", lambda device: count)
        monkeypatch.setattr(memory, "_pooled", lambda device: 0)

    return leave


def test_what_is_free(device):
    there = memory.free(resolve(device))
    assert 2**20 < there < 2**50
    memory.require(resolve(device), there // 2, "half of it")
    with pytest.raises(OutOfMemoryError, match=f"too much would take {2**60:,} bytes on {device}.*are free; nothing"):
        memory.require(resolve(device), 2**60, "too much")


def test_what_is_small_is_not_asked_for(monkeypatch):
    monkeypatch.setattr(memory, "free", lambda device: pytest.fail("asked"))
    memory.require(CPU, memory.ASK_FROM - 1, "little")


@pytest.mark.parametrize(
    ("limit", "used", "inactive", "expected"),
    [
        ("max", 0, 0, 8 << 20),
        (6 << 20, 2 << 20, 1 << 20, 5 << 20),
        (1 << 20, 9 << 20, 1 << 20, 0),
        (99 << 20, 0, 0, 8 << 20),
    ],
)
def test_limits_of_a_container(tmp_path, monkeypatch, limit, used, inactive, expected):
    (tmp_path / "meminfo").write_text("MemTotal:       99999 kB\nMemAvailable:    8192 kB\n")
    for name, text in (
        ("memory.max", limit),
        ("memory.current", used),
        ("memory.stat", f"anon 5\ninactive_file {inactive}"),
    ):
        (tmp_path / name).write_text(f"{text}\n")
    monkeypatch.setattr(memory, "_HOST", tmp_path / "meminfo")
    monkeypatch.setattr(memory, "_GROUP", tmp_path)
    assert memory.free(CPU) == expected
    (tmp_path / "memory.max").unlink()
    assert memory.free(CPU) == 8 << 20
    monkeypatch.setattr(memory, "_HOST", tmp_path / "missing")
    assert memory.free(CPU) is None
    memory.require(CPU, 2**60, "anything")  # nothing is required if the system does not tell what is free


class Fields(mg.Problem):
    depth = mg.vertex_field(np.int32)
    flow = mg.edge_field(np.float64)
    given = mg.vertex_field(np.int64)
    table = mg.array_field(np.int64)
    total = mg.scalar_field(np.float64)


def test_fields(device, little):
    graph = mg.generate.cycle(100, device=device)  # has 200 arcs
    xp = resolve(device).xp
    arrays = {"given": xp.zeros(100, np.int64), "table": xp.zeros(10**4, np.int64)}  # allocated before
    needed = 4 * 100 + 8 * 200 + 8
    assert Fields.memory_on(graph, *arrays) == needed
    little(needed)
    Fields(graph, **arrays)
    little(needed - 1)
    with pytest.raises(OutOfMemoryError, match=f"the fields of Fields would take {needed:,} bytes on {device}"):
        Fields(graph, **arrays)


class Step(mg.Functor):
    def cond_target(dst, depth):
        return depth[dst] == 0

    def cond_advance(dst, depth):
        return mg.atomic_exch(depth, dst, 1) == 0

    def cond_filter(vertex, depth):
        return depth[vertex] > 0

    def apply(vertex, depth):
        depth[vertex] = vertex
        return vertex

    def map(src, depth):
        return depth[src]


class Several(mg.Enactor, problem=Fields, functor=Step):
    def step(self, frontier):
        found = self.advance(frontier, direction="auto", duplicates="impossible")
        self.compute(found, into="total")
        self.neighbor_reduce(found, reduce="add", into="given", balance="merge")
        return self.filter(self.filter(found), duplicates="remove")


def test_a_loop(device, little):
    """The bytes that a loop requires are those that it allocates."""
    graph = mg.generate.star(3000, device=device)  # has a hub
    enactor = Several(graph, table=resolve(device).xp.zeros(1, np.int64))
    plan = enactor.record(mg.Frontier.of(0))
    run = new_run(plan, "auto")
    needed = sum(array.nbytes for array in run.buffers.values() if getattr(array, "ndim", 0))
    assert enactor.memory(mg.Frontier.of(0)) == needed > 4 * 4 * 3000
    little(needed)
    new_run(plan, "auto")
    little(needed - 1)
    with pytest.raises(
        OutOfMemoryError, match=rf"a loop over Fields \(advance, compute, .*\) would take {needed:,} bytes"
    ):
        new_run(plan, "auto")


@pytest.mark.parametrize(
    ("call", "what"),
    [
        (
            lambda graph: mg.Graph.from_edges([0] * 1000, range(1000), device=graph.device),
            "the graph would take 16,008",
        ),
        (lambda graph: graph.in_edges(), "the graph's in-edges would take 2[04],008"),
        (lambda graph: graph.by_degree(), "the graph with its vertices by degree"),
        (mg.core_number, "a copy of the graph without directions"),
        (mg.label_propagation, "a copy of the graph with each edge both ways"),
        (mg.louvain, "a copy of the graph with each edge both ways"),
        (lambda graph: graph.contract(range(1000)), "the contracted graph would take 12,008"),
        (lambda graph: graph.simplify(), "the simplified graph would take 12,008"),
        (lambda graph: graph.edge_subgraph(range(1000)), "the subgraph would take 12,008"),
        (lambda graph: graph.to_undirected(), "a copy of the graph with each edge both ways would take 16,008"),
        (mg.triangle_count, "the oriented graph"),
        (lambda graph: mg.multi_source_bfs(graph, range(3)), "the depths from 3 sources would take 12,000"),
        (lambda graph: mg.random_walks(graph, range(1000), 2), "1,000 walks of 2 steps would take 12,000"),
        (lambda graph: mg.negative_samples(graph, 1000), "1,000 pairs without an edge would take 24,000"),
        (
            lambda graph: mg.sample_neighbors(graph, range(1000), 1, inward=False),
            "1,000 edges of a layer would take 32,000",
        ),
    ],
)
def test_what_is_built_of_a_graph(device, little, call, what):
    graph = mg.Graph.from_edges(range(1000), [0] * 1000, directed=True, num_vertices=1000, device=device)
    little(10_000)
    with pytest.raises(OutOfMemoryError, match=what):
        call(graph)


def test_apps_refuse(device, little):
    graph = mg.generate.cycle(1000, device=device)
    little(8000 - 1)
    with pytest.raises(OutOfMemoryError, match="the fields of BFSProblem would take 8,000 bytes"):
        mg.bfs(graph, 0)
    little(8000)
    with pytest.raises(OutOfMemoryError, match=r"a loop over BFSProblem \(advance\)"):
        mg.bfs(graph, 0)
    little(10**6)
    assert int(mg.bfs(graph, 0).depth.max()) == 500
