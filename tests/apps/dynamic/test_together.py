"""All answers on one graph, through random sequences of batches: each is that of its static app after every batch.

MINIGR_TEST_EXAMPLES sets how many sequences hypothesis tries (default 6, of 25 batches at most), and
MINIGR_TEST_BATCHES how many batches the long ones have (default 60).
"""

import os

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

import minigr as mg
from minigr.apps.dynamic.common import updates
from minigr.device import CPU
from minigr.errors import GraphError
from minigr.graphs.backend import scope
from tests.apps.dynamic.batches import weights_of

EXAMPLES = int(os.environ.get("MINIGR_TEST_EXAMPLES", 6))
BATCHES = int(os.environ.get("MINIGR_TEST_BATCHES", 60))


class Together:
    """A graph with an answer of each kind, updated as `mg.stream` does it."""

    def __init__(self, n, directed, device, recompute="never"):
        self.graph = mg.DynamicGraph(n, directed=directed, weighted=True, in_edges=True, device=device)
        how = {"recompute": recompute}
        self.bfs, self.sssp = mg.dynamic.BFS(self.graph, 0, **how), mg.dynamic.SSSP(self.graph, 0, **how)
        self.components = mg.dynamic.ConnectedComponents(self.graph, **how)
        self.ranks = mg.dynamic.PageRank(self.graph, tol=1e-11, max_iter=500, **how)
        self.triangles, self.cores = (
            mg.dynamic.TriangleCount(self.graph, **how),
            mg.dynamic.CoreNumber(self.graph, **how),
        )
        self.colors = mg.dynamic.Coloring(self.graph, **how)
        self.answers = (
            self.bfs, self.sssp, self.components, self.ranks, self.triangles, self.cores, self.colors,
        )  # fmt: skip

    def insert(self, src, dst, rng):
        with scope(self.graph._device):
            updates.insert(self.graph, self.answers, src, dst, weights_of(rng, len(src), np.float32))

    def delete(self, src, dst):
        with scope(self.graph._device):
            updates.delete(self.graph, self.answers, src, dst)

    def arcs(self):
        rows = self.graph.to_graph()
        src = np.repeat(np.arange(self.graph.num_vertices), np.diff(CPU.asarray(rows.offsets)))
        return src, CPU.asarray(rows.indices)

    def batch(self, kind, rng):
        """Apply a batch of one of the KINDS."""
        n, (src, dst) = self.graph.num_vertices, self.arcs()
        if kind == "pairs":
            self.insert(*rng.integers(0, n, (2, int(rng.integers(0, 2 * n)))), rng)
        elif kind == "hub":
            some = rng.integers(0, n, n // 2)
            self.insert(np.full(len(some), n // 2), some, rng)
        elif kind == "path":
            order = rng.permutation(n)[: n // 3]
            self.insert(order[:-1], order[1:], rng)
        elif kind == "heavier" and len(src):
            some = rng.integers(0, len(src), 5)
            self.insert(src[some], dst[some], rng)
        elif kind == "some":
            gone = rng.permutation(len(src))[: len(src) // 3]
            self.delete(np.append(src[gone], rng.integers(0, n, 3)), np.append(dst[gone], rng.integers(0, n, 3)))
        elif kind == "tree":
            above = CPU.asarray(self.sssp.parent)
            child = rng.permutation(np.flatnonzero(above >= 0))[:4]
            self.delete(above[child], child)
        elif kind == "part":
            label = CPU.asarray(self.components.label)
            one = label == label[int(rng.integers(n))]
            inside = one[src] & (rng.random(len(src)) < 0.7)
            self.delete(src[inside], dst[inside])
        elif kind == "star":
            at = src == (n // 2 if rng.random() < 0.5 else int(rng.integers(n)))
            self.delete(src[at], dst[at])

    def check(self):
        graph = self.graph
        for got, expected in (
            (self.bfs.depth, mg.bfs(graph, 0).depth),
            (self.sssp.distance, mg.sssp(graph, 0).distance),
            (self.components.label, mg.connected_components(graph).label),
            (self.triangles.per_vertex, mg.triangle_count(graph, per_vertex=True).per_vertex),
            (self.cores.core, mg.core_number(graph).core),
        ):
            np.testing.assert_array_equal(CPU.asarray(got), CPU.asarray(expected))
        (src, dst), color = self.arcs(), CPU.asarray(self.colors.color)
        assert ((color[src] != color[dst]) | (src == dst)).all()
        assert 3 * self.triangles.total == int(self.triangles.per_vertex.sum())
        expected = mg.pagerank(graph, tol=1e-11, max_iter=500).rank
        np.testing.assert_allclose(CPU.asarray(self.ranks.rank), CPU.asarray(expected), rtol=0, atol=1e-8)


KINDS = ("pairs", "hub", "path", "heavier", "some", "tree", "part", "star")


def machine(device):
    """The class of state machines for a device."""

    class Machine(RuleBasedStateMachine):
        @initialize(n=st.sampled_from((1, 2, 7, 40)), directed=st.booleans())
        def start(self, n, directed):
            self.held = Together(n, directed, device)

        @rule(kind=st.sampled_from(KINDS), seed=st.integers(0, 2**20))
        def change(self, kind, seed):
            self.held.batch(kind, np.random.default_rng(seed))

        @rule()
        def a_mark_is_set(self):
            self.held.graph.mark()

        @rule(seed=st.integers(0, 2**20))
        def edges_come_elsewhere(self, seed):
            rng, graph = np.random.default_rng(seed), self.held.graph
            pairs = rng.integers(0, graph.num_vertices, (2, 5))
            graph.insert_edges(*pairs, weights_of(rng, 5, np.float32))

        @rule(count=st.integers(1, 3))
        def vertices_come(self, count):
            self.held.graph.insert_vertices(count)

        @rule()
        def the_last_vertex_goes(self):
            last = self.held.graph.num_vertices - 1
            if last > 0:
                self.held.graph.delete_vertices([last])
                self.held.graph.insert_vertices(1)  # puts it to use again, without its edges

        @invariant()
        def all_are_right(self):
            if hasattr(self, "held"):
                self.held.check()

    return Machine


def test_random_sequences(device):
    options = settings(max_examples=EXAMPLES, stateful_step_count=25, deadline=None, derandomize=True, database=None)
    run_state_machine_as_test(machine(device), settings=options)


@pytest.mark.parametrize("directed", [False, True], ids=["undirected", "directed"])
def test_a_long_sequence(device, directed):
    held, rng = Together(120, directed, device), np.random.default_rng(41)
    for _ in range(BATCHES):
        held.batch(KINDS[int(rng.integers(len(KINDS)))], rng)
        held.check()
    assert {answer.last_update.kind for answer in held.answers} == {"repair"}


def test_whatever_is_chosen(device):
    """With repairs and recomputations as they come."""
    held, rng = Together(200, False, device, recompute="auto"), np.random.default_rng(42)
    for _ in range(BATCHES):
        held.batch(KINDS[int(rng.integers(len(KINDS)))], rng)
        held.check()


def test_an_answer_follows_no_view_of_a_graph(device):
    graph = mg.DynamicGraph(3, in_edges=True, device=device)
    with pytest.raises(
        GraphError, match=r"got Reversed: make one with mg.DynamicGraph.from_graph\(graph.to_graph\(\)\)"
    ):
        mg.dynamic.BFS(graph.reverse(), 0)


@pytest.mark.parametrize("kind", [mg.dynamic.BFS, mg.dynamic.SSSP])
def test_a_search_has_one_source(kind, device):
    graph = mg.DynamicGraph(3, directed=False, weighted=True, device=device)
    with pytest.raises(GraphError, match="source must be a vertex id"):
        kind(graph, [0])


def test_an_order_that_the_caller_changes_later(device):
    graph, order = mg.DynamicGraph.from_graph(mg.generate.path(4, device=device)), np.arange(4)
    colors = mg.dynamic.Coloring(graph, order, recompute="always")
    order[:] = 0
    colors.insert_edges([0], [2])
    assert colors.num_colors == 3
