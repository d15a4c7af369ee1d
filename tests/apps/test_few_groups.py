"""Groups of vertices become vertices by a matrix as they do by `Graph.contract`."""

import numpy as np
import pytest

import minigr as mg
from minigr.apps.common.few_groups import BetweenProblem, contracted
from minigr.device import CPU


@pytest.fixture
def matrices(monkeypatch):
    """How many cells each matrix had."""
    made, init = [], BetweenProblem.__init__

    def noted(self, *arguments, **fields):
        made.append(fields["sums"].size)
        init(self, *arguments, **fields)

    monkeypatch.setattr(BetweenProblem, "__init__", noted)
    return made


def _same(graph, labels, count):
    found, expected = contracted(graph, labels, count), graph.contract(labels)
    for name in ("offsets", "indices", "weights"):
        ours, others = CPU.asarray(getattr(found, name)), CPU.asarray(getattr(expected, name))
        assert ours.dtype == others.dtype, name
        assert ours.tolist() == others.tolist(), name
    assert (found.directed, found.device) == (expected.directed, expected.device)


@pytest.mark.parametrize("weights", [None, (0, 3)])
@pytest.mark.parametrize("groups", [1, 2, 7, 20])
def test_as_by_contract(device, matrices, groups, weights):
    """Self-loops, parallel edges, weights of nothing, and vertices without edges."""
    rng = np.random.default_rng(groups)
    src, dst = rng.integers(0, 300, (2, 4000))
    given = None if weights is None else rng.integers(*weights, src.size)
    graph = mg.Graph.from_edges(src, dst, given, num_vertices=400, directed=False, device=device)
    labels = rng.integers(0, groups, 400).astype(np.int32)
    _same(graph, graph._device.asarray(labels), groups)
    assert matrices == [groups * groups]


def test_hubs(device, matrices):
    """Rows that are longer than a warp's, a block's and a slice's share on a GPU."""
    rng = np.random.default_rng(0)
    src = np.repeat(np.arange(4), [90, 700, 3000, 20_000])
    graph = mg.Graph.from_edges(src, rng.integers(0, 5000, src.size), num_vertices=5000, directed=False, device=device)
    _same(graph, graph._device.asarray(rng.integers(0, 40, 5000).astype(np.int32)), 40)
    assert matrices == [1600]


def test_many_groups_are_contracted_as_ever(device, matrices):
    graph = mg.generate.rmat(8, 8, seed=1, device=device)
    _same(graph, graph._device.xp.arange(graph.num_vertices, dtype=np.int32) // 2, graph.num_vertices // 2)
    empty = mg.Graph.from_edges([], [], num_vertices=3, directed=False, device=device)
    _same(empty, empty._device.xp.zeros(3, np.int32), 1)
    assert matrices == []
