"""Searches whose direction and balance the caller chooses: the answer is the same, and a wrong choice is refused."""

import numpy as np
import pytest

import minigr as mg
from minigr.device import CPU
from minigr.errors import GraphError, ProblemError

GRAPHS = {
    "rmat": lambda device: mg.generate.rmat(9, 6, directed=True, seed=3, device=device),
    "star": lambda device: mg.generate.star(1500, device=device),
    "lattice": lambda device: mg.generate.lattice(12, 15, device=device),
}
CHOICES = [{"direction": direction} for direction in ("auto", "push", "pull")]
CHOICES += [{"balance": balance} for balance in ("thread", "tile", "warp", "block", "merge")]
CHOICES += [{"direction": "push", "balance": "merge"}]


def named(choice):
    return "-".join(choice.values())


@pytest.mark.parametrize("choice", CHOICES, ids=named)
@pytest.mark.parametrize("name", GRAPHS)
def test_bfs(name, choice, device):
    graph = GRAPHS[name](device)
    expected, found = mg.bfs(graph, 1), mg.bfs(graph, 1, **choice)
    depth, parent = CPU.asarray(found.depth), CPU.asarray(found.parent)
    np.testing.assert_array_equal(depth, CPU.asarray(expected.depth))
    reached = np.flatnonzero(depth > 0)
    np.testing.assert_array_equal(depth[parent[reached]], depth[reached] - 1)


@pytest.mark.parametrize("choice", CHOICES, ids=named)
def test_multi_source_bfs(choice, device):
    graph = GRAPHS["rmat"](device)
    expected = mg.multi_source_bfs(graph, [5, 0, 99, 5])
    found = mg.multi_source_bfs(graph, [5, 0, 99, 5], **choice)
    np.testing.assert_array_equal(CPU.asarray(found.depth), CPU.asarray(expected.depth))


@pytest.mark.parametrize("balance", ["thread", "tile", "warp", "block", "merge"])
def test_sssp(balance, device):
    graph = mg.generate.rmat(9, 6, directed=True, seed=3, weights=(1, 20), device=device)
    expected, found = mg.sssp(graph, 1), mg.sssp(graph, 1, balance=balance)
    np.testing.assert_array_equal(CPU.asarray(found.distance), CPU.asarray(expected.distance))


def test_choices_that_there_are_not():
    graph = mg.generate.path(5, device="cpu")
    with pytest.raises(ProblemError, match="direction='sideways': use one of 'push', 'pull', 'auto'"):
        mg.bfs(graph, 0, direction="sideways")
    with pytest.raises(ProblemError, match="balance='fair'"):
        mg.bfs(graph, 0, balance="fair")
    with pytest.raises(ProblemError, match="balance='warp' says how a push deals out edges, and direction is 'pull'"):
        mg.multi_source_bfs(graph, [0], direction="pull", balance="warp")
    with pytest.raises(TypeError, match="sssp has no option 'direction'"):
        mg.sssp(graph, 0, direction="push")


def test_a_pull_needs_in_edges(device):
    graph = mg.DynamicGraph(5, directed=True, device=device)
    with pytest.raises(GraphError, match="in_edges=True"):
        mg.bfs(graph, 0, direction="pull")
