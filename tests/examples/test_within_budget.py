"""The example of reachability within limits, where the cheapest path has too many hops."""

import importlib
from pathlib import Path

import numpy as np
import pytest

import minigr as mg
from minigr.device import CPU

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="module")
def example():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(EXAMPLES)
        yield importlib.import_module("within_budget")


@pytest.mark.parametrize(
    ("hops", "budget", "expected"),
    [
        (0, np.inf, [0, np.inf, np.inf, np.inf, np.inf]),
        (1, np.inf, [0, 1, np.inf, 10, np.inf]),
        (2, np.inf, [0, 1, 2, 10, 11]),
        (3, np.inf, [0, 1, 2, 3, 11]),
        (4, np.inf, [0, 1, 2, 3, 4]),
        (9, 3, [0, 1, 2, 3, np.inf]),
        (2, 3, [0, 1, 2, np.inf, np.inf]),
        (9, 0, [0, np.inf, np.inf, np.inf, np.inf]),
    ],
)
def test_both_limits_hold(example, device, hops, budget, expected):
    # 0 - 1 - 2 - 3 - 4 at one each, and a dear way from 0 straight to 3
    graph = mg.Graph.from_edges([0, 1, 2, 3, 0], [1, 2, 3, 4, 3], np.float32([1, 1, 1, 1, 10]), device=device)
    found = CPU.asarray(example.within_budget(graph, 0, hops, budget))
    np.testing.assert_array_equal(found, np.array(expected, np.float32))
    np.testing.assert_array_equal(example.expected(graph, 0, hops, budget), found)


def test_random_graphs(example, device):
    graph = mg.generate.uniform(300, 1500, seed=3, weights=(1, 9), device=device)
    for hops, budget in ((3, 1e9), (300, 9), (4, 11)):
        found = CPU.asarray(example.within_budget(graph, 7, hops, budget))
        np.testing.assert_array_equal(found, example.expected(graph, 7, hops, budget))
        assert 1 < np.isfinite(found).sum() < 300 or budget == 1e9
