"""What the tests of benchmarks share."""

import numpy as np
import pytest

import minigr as mg


@pytest.fixture
def arcs(device):
    """A directed, weighted graph with a cycle, a dead end, and a vertex that nothing leads to."""
    src, dst = [0, 0, 1, 2, 3, 3, 5], [1, 2, 3, 3, 0, 4, 0]
    weights = np.array([1, 5, 1, 1, 2, 7, 1], np.float32)
    return mg.Graph.from_edges(src, dst, weights, directed=True, device=device)
