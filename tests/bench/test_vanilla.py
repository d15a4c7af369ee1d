"""Searches that follow a graph without a tree find what `mg.bfs` and `mg.sssp` find."""

import numpy as np
import pytest

import minigr as mg
from minigr.bench.vanilla import Vanilla
from minigr.device import CPU

OUT_OF_REACH = 1 << 30


@pytest.mark.parametrize("by_weight", [False, True])
def test_lengths_are_those_of_the_searches(device, by_weight):
    rng = np.random.default_rng(3)
    graph = mg.DynamicGraph.from_graph(mg.generate.rmat(7, 2, weights=(1, 9), device=device))
    paths = Vanilla(graph, 3, by_weight, "auto")
    seen = set()
    for turn in range(6):
        src, dst = rng.integers(0, graph.num_vertices, (2, 20))
        if turn % 3 == 2:
            paths.delete_edges(src, dst)
        else:
            paths.insert_edges(src, dst, rng.integers(1, 9, 20))
        seen.add(paths.last_update.kind)
        expected = mg.sssp(graph, 3).distance if by_weight else mg.bfs(graph, 3).depth
        length = CPU.asarray(paths.length)
        known = np.where(length == OUT_OF_REACH, -1, length)
        assert known.tolist() == CPU.asarray(expected).tolist()
    assert seen == {"repair", "recomputation"}
