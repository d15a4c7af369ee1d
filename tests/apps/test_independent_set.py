"""Maximal independent sets, over the battery and against the greedy one in plain Python."""

from functools import partial

import numpy as np
import pytest

import minigr as mg
from minigr.apps.common.greedy import random_order
from minigr.device import CPU, resolve
from minigr.errors import GraphError
from tests.apps import in_order
from tests.apps.whoever_runs_it import check_drivers
from tests.layouts import slabs_of
from tests.verifiers import check_independent_set


def test_battery(graph):
    result = mg.maximal_independent_set(graph, seed=3)
    assert isinstance(result.member, resolve(graph.device).xp.ndarray)
    check_independent_set(graph, result.member, result.size)
    np.testing.assert_array_equal(CPU.asarray(result.member), in_order.members(graph, seed=3))


@pytest.mark.parametrize("directed", [False, True])
def test_over_slabs(device, directed):
    rows = mg.generate.rmat(9, 8, seed=1, directed=directed, device=device)
    result = mg.maximal_independent_set(slabs_of(rows))
    check_independent_set(rows, result.member, result.size)
    np.testing.assert_array_equal(CPU.asarray(result.member), in_order.members(rows))


@pytest.mark.parametrize("in_edges", [False, True])
@pytest.mark.parametrize("directed", [False, True])
def test_deleted_vertices_are_no_members(device, directed, in_edges):
    rows = mg.generate.rmat(7, 4, seed=3, directed=directed, device=device)
    graph = mg.DynamicGraph.from_graph(rows, in_edges=in_edges)
    gone = [0, 3, 40, 127]
    graph.delete_vertices(gone)
    result = mg.maximal_independent_set(graph)
    expected = in_order.members(graph.to_graph())
    expected[gone] = False
    np.testing.assert_array_equal(CPU.asarray(result.member), expected)
    assert result.size == expected.sum()
    graph.delete_vertices(CPU.asarray(graph.live_vertices()))
    assert mg.maximal_independent_set(graph).size == 0


@pytest.mark.parametrize("threads", ["1", "2", "5"])
@pytest.mark.parametrize("directed", [False, True])
def test_the_same_whoever_runs_it(device, directed, threads, monkeypatch):
    graph = mg.generate.rmat(13, 16, seed=5, directed=directed, device=device)
    expected = in_order.members(graph, seed=9)
    monkeypatch.setenv("MINIGR_NUM_THREADS", threads)
    check_drivers(partial(mg.maximal_independent_set, seed=9), lambda result: result.member, graph, expected)


def test_no_two_vertices_have_one_number(device):
    graph = mg.DynamicGraph(200_000, device=device)
    for seed in (0, 7):
        numbers = CPU.asarray(random_order(graph, seed))
        assert len(np.unique(numbers)) == graph.num_vertices
        assert [int(x) for x in numbers[[0, 199_999]]] == [in_order.number_of(v, seed) for v in (0, 199_999)]
        assert 0.49 < np.mean(numbers < 2**31) < 0.51


def test_seeds(device):
    graph = mg.generate.cycle(200, device=device)
    found = [CPU.asarray(mg.maximal_independent_set(graph, seed).member) for seed in (0, 0, 1)]
    assert (found[0] == found[1]).all()
    assert (found[0] != found[2]).any()
    with pytest.raises(GraphError, match="seed must be a whole number, got 'a'"):
        mg.maximal_independent_set(graph, "a")
