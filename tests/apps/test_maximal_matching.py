"""Maximal matchings, over the battery, by both methods, and the same as a plain loop finds."""

from functools import partial
from itertools import pairwise

import numpy as np
import pytest

import minigr as mg
from minigr.apps.maximal_matching.order import BITS, BLOCK, group, length_of_stretches
from minigr.apps.maximal_matching.rounds import MANY
from minigr.device import CPU, resolve
from minigr.errors import GraphError, ProblemError
from minigr.generate.keys import stream_key
from tests.apps.whoever_runs_it import check_drivers
from tests.layouts import slabs_of
from tests.verifiers import check_maximal_matching

METHODS = ["order", "rounds"]


def in_order(graph, seed=0):
    """Blocks on their own, if the first vertex has a later neighbor in its block; then all vertices by their groups."""
    key, offsets, indices = stream_key(seed, 0) & BITS, CPU.asarray(graph.offsets), CPU.asarray(graph.indices)
    rows = [indices[begin:end].tolist() for begin, end in pairwise(offsets)]
    mate = [-1] * len(rows)

    def take(u, candidates):
        free = next((v for v in candidates if mate[v] < 0 and v != u), None)
        if mate[u] < 0 and free is not None:
            mate[u], mate[free] = free, u

    for begin in range(0, len(rows), BLOCK):
        end = begin + BLOCK
        if any(begin < v < end for v in rows[begin]):
            for u in range(begin, min(end, len(rows))):
                take(u, [v for v in rows[u] if u < v < end])
    stretch = length_of_stretches(len(rows))
    for u in sorted(range(len(rows)), key=lambda u: (group(u, stretch, key), u)):
        take(u, rows[u])
    return np.array(mate, np.int32)


@pytest.mark.parametrize("method", METHODS)
def test_the_same_as_a_plain_loop(graph, method):
    result = mg.maximal_matching(graph, seed=3, method=method)
    assert isinstance(result.mate, resolve(graph.device).xp.ndarray)
    check_maximal_matching(graph, result.mate, result.size)
    np.testing.assert_array_equal(CPU.asarray(result.mate), in_order(graph, seed=3))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("directed", [False, True])
def test_over_slabs(device, directed, method):
    rows = mg.generate.rmat(9, 8, seed=1, directed=directed, device=device)
    result = mg.maximal_matching(slabs_of(rows), method=method)
    check_maximal_matching(rows, result.mate, result.size)
    np.testing.assert_array_equal(CPU.asarray(result.mate), CPU.asarray(mg.maximal_matching(rows).mate))


def test_deleted_vertices_are_not_matched(device):
    graph = mg.DynamicGraph.from_graph(mg.generate.cycle(100, device=device))
    graph.delete_vertices([0, 3, 50])
    result = mg.maximal_matching(graph)
    mate = CPU.asarray(result.mate)
    check_maximal_matching(graph.to_graph(), mate, result.size)
    assert mate[[0, 3, 50]].tolist() == [-1, -1, -1]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("threads", ["1", "2", "5"])
@pytest.mark.parametrize("directed", [False, True])
def test_the_same_whoever_runs_it(device, directed, threads, method, monkeypatch):
    graph = mg.generate.rmat(12, 16, seed=5, directed=directed, device=device)
    expected = in_order(graph, seed=9)
    monkeypatch.setenv("MINIGR_NUM_THREADS", threads)
    check_drivers(partial(mg.maximal_matching, seed=9, method=method), lambda result: result.mate, graph, expected)


def test_few_rounds(device):
    for graph in (
        mg.generate.complete(500, device=device),
        mg.generate.star(5000, device=device),
        mg.generate.rmat(12, 16, seed=2, device=device),
        mg.Graph.from_edges(np.arange(9900), np.arange(9900) + 100, device=device),
    ):
        assert mg.maximal_matching(graph, method="rounds").iterations < 30


@pytest.fixture
def crowded(device):
    """A complete bipartite graph, where all vertices of one side want the same vertex in each round."""
    left, right = np.divmod(np.arange(200 * 200), 200)
    return mg.Graph.from_edges(left, right + 200, device=device)


def test_a_gpu_gives_up_where_rounds_are_many(crowded):
    rounds = mg.maximal_matching(crowded, method="rounds")
    assert rounds.iterations > MANY
    found = mg.maximal_matching(crowded)
    assert found.iterations == 1
    np.testing.assert_array_equal(CPU.asarray(found.mate), CPU.asarray(rounds.mate))


def test_seeds(device):
    graph = mg.generate.uniform(500, 2000, device=device)
    found = [CPU.asarray(mg.maximal_matching(graph, seed).mate) for seed in (0, 0, 1)]
    assert (found[0] == found[1]).all()
    assert (found[0] != found[2]).any()
    with pytest.raises(GraphError, match="seed must be a whole number, got 'a'"):
        mg.maximal_matching(graph, "a")


def test_unknown_method(device):
    with pytest.raises(ProblemError, match="maximal_matching: method='greedy'"):
        mg.maximal_matching(mg.generate.path(4, device=device), method="greedy")
