"""Maximal matchings, over the battery, and the same as rounds in plain Python find."""

from functools import partial
from itertools import count, pairwise

import numpy as np
import pytest

import minigr as mg
from minigr.apps.maximal_matching.rounds import BITS, BLOCK, LOOKS, scattered
from minigr.device import CPU, resolve
from minigr.errors import GraphError
from minigr.generate.keys import stream_key
from tests.apps.whoever_runs_it import check_drivers
from tests.layouts import slabs_of
from tests.verifiers import check_maximal_matching


def in_rounds(graph, seed=0):
    """Blocks in order, and then in each round the proposed edges that come before all others at both of their ends."""
    key, offsets, indices = stream_key(seed, 0) & BITS, CPU.asarray(graph.offsets), CPU.asarray(graph.indices)
    rows = [indices[begin:end].tolist() for begin, end in pairwise(offsets)]
    mate = [-1] * len(rows)
    for u, row in enumerate(rows):
        within = [v for v in row[:LOOKS] if u < v < (u // BLOCK + 1) * BLOCK and mate[v] < 0]
        if mate[u] < 0 and within:
            mate[u], mate[within[0]] = within[0], u
    for iteration in count(1):
        proposed = {}
        for u in range(len(rows)):
            free = [v for v in rows[u] if mate[v] < 0 and v != u][: 1 << min(iteration - 1, 30)]
            if mate[u] < 0 and free:
                proposed[u] = min(free, key=partial(scattered, key=scattered(u, key)))
        if not proposed:
            return np.array(mate, np.int32)
        order = sorted(proposed, key=lambda u, iteration=iteration: scattered(u + iteration, key))
        first = {}
        for u in order:
            for end in (u, proposed[u]):
                first.setdefault(end, u)
        for u in order:
            if first[u] == first[proposed[u]] == u:
                mate[u], mate[proposed[u]] = proposed[u], u


def test_the_same_as_in_plain_python(graph):
    result = mg.maximal_matching(graph, seed=3)
    assert isinstance(result.mate, resolve(graph.device).xp.ndarray)
    check_maximal_matching(graph, result.mate, result.size)
    np.testing.assert_array_equal(CPU.asarray(result.mate), in_rounds(graph, seed=3))


@pytest.mark.parametrize("directed", [False, True])
def test_over_slabs(device, directed):
    rows = mg.generate.rmat(9, 8, seed=1, directed=directed, device=device)
    result = mg.maximal_matching(slabs_of(rows))
    check_maximal_matching(rows, result.mate, result.size)
    np.testing.assert_array_equal(CPU.asarray(result.mate), CPU.asarray(mg.maximal_matching(rows).mate))


def test_deleted_vertices_are_not_matched(device):
    graph = mg.DynamicGraph.from_graph(mg.generate.cycle(100, device=device))
    graph.delete_vertices([0, 3, 50])
    result = mg.maximal_matching(graph)
    mate = CPU.asarray(result.mate)
    check_maximal_matching(graph.to_graph(), mate, result.size)
    assert mate[[0, 3, 50]].tolist() == [-1, -1, -1]


@pytest.mark.parametrize("threads", ["1", "2", "5"])
@pytest.mark.parametrize("directed", [False, True])
def test_the_same_whoever_runs_it(device, directed, threads, monkeypatch):
    graph = mg.generate.rmat(12, 16, seed=5, directed=directed, device=device)
    expected = in_rounds(graph, seed=9)
    monkeypatch.setenv("MINIGR_NUM_THREADS", threads)
    check_drivers(partial(mg.maximal_matching, seed=9), lambda result: result.mate, graph, expected)


def test_few_rounds_where_all_want_the_same(device):
    for graph in (mg.generate.complete(500, device=device), mg.generate.star(5000, device=device)):
        assert mg.maximal_matching(graph).iterations < 20


def test_seeds(device):
    graph = mg.generate.uniform(500, 2000, device=device)
    found = [CPU.asarray(mg.maximal_matching(graph, seed).mate) for seed in (0, 0, 1)]
    assert (found[0] == found[1]).all()
    assert (found[0] != found[2]).any()
    with pytest.raises(GraphError, match="seed must be a whole number, got 'a'"):
        mg.maximal_matching(graph, "a")
