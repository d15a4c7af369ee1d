"""The minimum, the mean and the maximum of the weights of a graph, which algorithms need."""

import numpy as np
import pytest

from minigr.graphs import Graph


@pytest.mark.parametrize(
    ("weights", "summary"),
    [
        (np.array([3, -2, 100, 7, 7, -1, 4], np.int32), (-2, 118 / 7, 100)),
        (np.array([2**40, 0, 2**41, 2**40], np.int64), (0, 2**40, 2**41)),
        (np.array([0.5, -1.5, 4.0, 3.0], np.float32), (-1.5, 1.5, 4.0)),
        (np.array([6e-45, 3e-45, 1e-44], np.float32), (2 * 2.0**-149, 13 / 3 * 2.0**-149, 7 * 2.0**-149)),
        (np.array([1e-320, 3e-320], np.float64), (1e-320, 2e-320, 3e-320)),
        (np.array([1.5e308, 1e308], np.float64), (1e308, 1.25e308, 1.5e308)),
        (np.array([1.0, np.inf], np.float64), (1.0, np.inf, np.inf)),
        (np.arange(100_000, dtype=np.float64), (0, 49999.5, 99999)),
    ],
)
@pytest.mark.parametrize("arcs", ["device", "host"])
def test_weight_summary(weights, summary, device, arcs):
    path = np.arange(len(weights) + 1)
    graph = Graph.from_edges(path[:-1], path[1:], weights, directed=True, device=device).to(device, arcs=arcs)
    least, mean, greatest = graph.weight_summary()
    assert (least, greatest) == (summary[0], summary[2])
    assert mean == pytest.approx(summary[1], rel=1e-14, abs=0)
