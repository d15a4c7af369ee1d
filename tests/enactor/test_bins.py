"""Loops with a queue of many bins: with each driver nothing is lost, and the nearest vertices go on."""

from functools import cache

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import dijkstra

import minigr as mg
from minigr import atomic_min
from minigr.device import CPU
from minigr.errors import ProblemError
from tests import specification
from tests.battery import BATTERY
from tests.operators.test_near_far import Bands, Queue, Relaxed, Waiting

pytestmark = pytest.mark.usefixtures("team")
BINS = (2, 3, 8)


class Relax(mg.Functor):
    def cond_advance(src, dst, weight, distance):
        through = distance[src] + weight
        return through < atomic_min(distance, dst, through)

    def priority(vertex, distance):
        return distance[vertex]

    def apply(vertex, visits):
        visits[vertex] += 1


class Nearest(mg.Enactor, problem=Relaxed, functor=Relax):
    """Shortest paths; on a GPU the advance puts its vertices straight into the bins."""

    def start(self, source, width, bins):
        self.width, self.bins = width, bins
        self.problem.distance[source] = 0
        return mg.Frontier.of(source)

    def step(self, frontier):
        self.compute(frontier)
        return self.near_far(self.advance(frontier), width=self.width, bins=self.bins)


class Apart(Nearest, problem=Relaxed, functor=Relax):
    """The same, with an operator in between, so that nothing is fused."""

    def step(self, frontier):
        self.compute(frontier)
        found = self.filter(self.advance(frontier), duplicates="remove")
        return self.near_far(found, width=self.width, bins=self.bins)


# One weight dtype, so that each program is compiled once.
_MORE = {
    "rmat": lambda device: mg.generate.rmat(9, 16, seed=5, weights=(1, 99), weight_dtype="float32", device=device),
    "chain": lambda device: _undercut(300, device),
}


def _undercut(n, device):
    """A chain of light edges undercuts heavy edges from the source, whose ends wait in the bins meanwhile."""
    chain, heavy = np.arange(n - 1), np.arange(2, n)
    src, dst = np.concatenate([chain, np.zeros_like(heavy)]), np.concatenate([chain + 1, heavy])
    weights = np.concatenate([np.ones(n - 1), 3 + heavy + heavy % 7])
    return mg.Graph.from_edges(src, dst, weights.astype(np.float32), directed=True, device=device)


@cache
def graphs(device):
    makers = {name: make for name, make in BATTERY if name.endswith("float32")} | _MORE
    return [(name, make(device)) for name, make in makers.items() if make("cpu").num_vertices]


def distances_in(graph):
    """From vertex 0, by SciPy, to which a stored zero is an edge of no length."""
    src = np.repeat(np.arange(graph.num_vertices), graph.degree())
    least = {}
    for ends, weight in zip(
        zip(src.tolist(), graph.indices.tolist(), strict=True), graph.weights.tolist(), strict=True
    ):
        least[ends] = min(weight, least.get(ends, np.inf))
    rows, columns = zip(*least, strict=True) if least else ((), ())
    shape = (graph.num_vertices, graph.num_vertices)
    return dijkstra(scipy.sparse.csr_array((list(least.values()), (rows, columns)), shape), indices=0)


@cache
def distances(name):
    return distances_in(dict(graphs("cpu"))[name])


@pytest.mark.parametrize("bins", BINS)
def test_shortest_paths_over_the_battery(where, bins):
    device, driver = where
    for name, graph in graphs(device):
        for width in (0.5, 4.0):
            enactor = Nearest(graph, driver=driver)
            enactor.run(0, width, bins)
            np.testing.assert_array_equal(CPU.asarray(enactor.problem.distance), distances(name), err_msg=name)


@pytest.mark.parametrize("bins", [3, 32])
def test_a_vertex_goes_on_when_it_is_final(device, bins):
    """In bands as narrow as the lightest edge no vertex goes on twice, however its priority fell while it waited."""
    for kind in (Nearest, Apart):
        enactor = kind(_undercut(100, device))
        enactor.run(0, 1.0, bins)
        assert (CPU.asarray(enactor.problem.visits) == 1).all()


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    keys=st.lists(st.floats(width=32) | st.sampled_from([0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 7.0]), min_size=1, max_size=40),
    width=st.sampled_from([1e-30, 0.25, 0.3, 1.0, 1e30]),
    bins=st.sampled_from([3, 8]),
    waiting=st.booleans(),
)
def test_any_priorities(keys, width, bins, waiting):
    """Each vertex that can go on does, once, in the step that the specification says."""
    keys = np.float64(keys)
    graph = mg.Graph.from_edges([], [], num_vertices=len(keys), directed=True, device="cpu")
    enactor = Bands(graph, problem=Waiting(graph, priority_of=keys))
    enactor.width, enactor.bins = width, bins
    everyone = mg.Frontier.of(range(len(keys)))
    if waiting:
        enactor.waiting = everyone
    enactor.run(mg.Frontier.of([0]) if waiting else everyone)
    out = CPU.asarray(enactor.problem.out)
    queue = specification.NearFar(Queue, {"priority_of": keys}, width, bins=bins)
    expected, step, near = np.zeros(len(keys), np.int32), 1, queue(list(range(len(keys))))
    while near or queue.far:
        expected[near] = step
        step, near = step + 1, queue([])
    finite = keys[keys < np.inf]
    if width > 1e-15 * np.abs(finite[finite > -np.inf]).max(initial=0):
        np.testing.assert_array_equal(out, expected)
        return
    # How much wider than its width a band becomes that rounding would make empty is open.
    np.testing.assert_array_equal(out > 0, expected > 0)
    in_order, steps = keys[keys < np.inf], out[keys < np.inf]
    for step in np.unique(steps)[1:]:
        assert in_order[steps < step].max() < in_order[steps >= step].min()


@settings(max_examples=60, deadline=None, derandomize=True)
@given(data=st.data(), width=st.sampled_from([0.3, 1.0, 2.5]), bins=st.sampled_from(BINS))
def test_random_graphs(data, width, bins):
    n = data.draw(st.integers(1, 12))
    ends = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1), st.sampled_from([0, 1, 2, 3, 10, 40]))
    edges = np.array(data.draw(st.lists(ends, max_size=60)), np.int32).reshape(-1, 3)
    src, dst, weights = edges.T
    graph = mg.Graph.from_edges(src, dst, weights.astype(np.float32), num_vertices=n, directed=True, device="cpu")
    enactor = Nearest(graph)
    enactor.run(0, width, bins)
    np.testing.assert_array_equal(CPU.asarray(enactor.problem.distance), distances_in(graph))


class Repeated(Bands, problem=Waiting, functor=Queue, steady=True):
    bins = 3


def test_a_steady_loop_begins_with_empty_bins(device):
    graph = mg.Graph.from_edges([], [], num_vertices=6, directed=True, device=device)
    enactor = Repeated(graph, problem=Waiting(graph))
    enactor.waiting = mg.Frontier.of([4, 5])
    for keys, limit, expected in (
        ([0.5, 1.5, 2.5, 9.5, 30.5, 1.0], None, [1, 2, 3, 4, 5, 2]),
        ([9.5, 1.5, 2.5, 0.5, 1.0, 30.5], 2, [0, 2, 0, 1, 2, 0]),
        ([0.5, 1.5, 2.5, 9.5, 30.5, 1.0], None, [1, 2, 3, 4, 5, 2]),
    ):
        enactor.problem.priority_of, enactor.problem.out = np.float64(keys), 0
        enactor.max_iterations = limit or 100
        enactor.run(mg.Frontier.of([0, 1, 2, 3, 5]))
        assert CPU.asarray(enactor.problem.out).tolist() == expected


class Looked(Waiting):
    looks = mg.array_field(np.int64)


class Counted(Queue):
    def priority(vertex, priority_of, looks):
        mg.atomic_add(looks, 0, 1)
        return priority_of[vertex]


class Counting(Bands, problem=Looked, functor=Counted):
    bins = 8


def test_what_lies_beyond_is_looked_at_seldom(device):
    """Once for as many bands as there are bins but one; and each vertex once more when its bin is due."""
    n = 350
    graph = mg.Graph.from_edges([], [], num_vertices=n, directed=True, device=device)
    enactor = Counting(graph, looks=graph.degree().astype(np.int64)[:1])
    enactor.problem.priority_of = np.arange(n) * 7919 % n
    enactor.run(mg.Frontier.of(range(n)))
    assert enactor.iterations == n + 1  # in the last step nothing is left
    at_once = enactor.bins - 1
    splits = range(n - at_once, 0, -at_once)
    assert int(enactor.problem.looks[0]) == n + sum(splits) + n - n // at_once


def test_memory(device):
    """A pile for each bin, and a word that says of a vertex where it waits."""
    graph = mg.Graph.from_edges([], [], num_vertices=1000, directed=True, device=device)
    sizes = []
    for bins in (3, 8):
        enactor = Bands(graph)
        enactor.bins = bins
        sizes.append(enactor.memory(mg.Frontier.of([0])))
    assert 0 <= sizes[1] - sizes[0] - 5 * 4 * 1000 < 2000


def test_bad_input(device):
    graph = mg.Graph.from_edges([], [], num_vertices=3, directed=True, device=device)
    for bins in (1, 33, 2.5, None):
        enactor = Bands(graph)
        enactor.bins = bins
        with pytest.raises(ProblemError, match="must be a whole number from 2 to 32"):
            enactor.run(mg.Frontier.of(0))
    enactor = Bands(graph)
    enactor.bins, enactor.falling = 3, True
    with pytest.raises(ProblemError, match="falling=True and bins=3 exclude each other"):
        enactor.run(mg.Frontier.of(0))
