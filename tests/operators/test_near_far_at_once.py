"""near_far as a function: it splits a frontier into bands of priority."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minigr as mg
from minigr.device import CPU
from minigr.errors import FieldIndexError, FunctorError, ProblemError

SIZE = 500


class Keyed(mg.Problem):
    key = mg.vertex_field(np.float64)


class Key(mg.Functor):
    def priority(vertex, key):
        return key[vertex]


def vertices(count, device="cpu"):
    return mg.Graph.from_edges([], [], num_vertices=count, directed=True, device=device)


def keyed(graph, keys):
    problem = Keyed(graph)
    problem.key = np.float64(keys)
    return problem


def split(problem, frontier, **options):
    """The ids of each band."""
    bands = mg.operators.near_far(problem, frontier, Key, **options)
    assert all(band.kind == "vertices" and band.ids.dtype == np.int32 for band in bands)
    assert all(type(band.ids) is type(problem.key) for band in bands)
    return [CPU.asarray(band.ids).tolist() for band in bands]


def expected(keys, ids, width, bins=2):
    """The same bands, vertex by vertex."""
    bands = [[] for _ in range(bins)]
    for vertex in ids:
        if keys[vertex] < math.inf:
            passed = [number for number in range(1, bins) if keys[vertex] >= number * width]
            bands[len(passed)].append(vertex)
    return bands


KEYS = {
    "spread": np.arange(SIZE) * 7919 % 97 / 10.0,
    "ties": np.arange(SIZE) % 4 * 0.5,
    "negative": (np.arange(SIZE) * 31 % 200 - 100) / 8.0,
    "never": np.where(np.arange(SIZE) % 3 == 0, np.inf, np.where(np.arange(SIZE) % 7 == 0, np.nan, 1.25)),
    "infinite": np.resize([-np.inf, np.inf, np.nan, 0.0, -0.0, 1e308, -1e308, 5e-324], SIZE),
    "beyond_rounding": 1e17 + 16.0 * (np.arange(SIZE) % 9),
}


@pytest.mark.parametrize("threads", ["1", "3"])
@pytest.mark.parametrize("bins", [2, 3, 8, 32])
@pytest.mark.parametrize("width", [0.1, 0.5, 3.0, 1e308])
@pytest.mark.parametrize("name", KEYS)
def test_agrees(device, name, width, bins, threads, monkeypatch):
    """Bands have ids in the order of the input, and as often as the input has them."""
    monkeypatch.setenv("MINIGR_NUM_THREADS", threads)
    keys = KEYS[name]
    problem = keyed(vertices(SIZE, device), keys)
    some = [*range(SIZE - 1, 0, -3), 7, 7, 0, 7]
    for frontier, ids in (
        (mg.Frontier.all_vertices(), range(SIZE)),
        (mg.Frontier.of(some), some),
        (mg.Frontier.of([]), []),
    ):
        assert split(problem, frontier, width=width, bins=bins) == expected(keys, ids, width, bins)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(
    keys=st.lists(st.floats() | st.sampled_from([0.0, 0.3, 0.6, 0.9, 1.2]), min_size=1, max_size=30),
    width=st.floats(min_value=5e-324, allow_infinity=False) | st.sampled_from([0.1, 0.3]),
    bins=st.integers(2, 32),
)
def test_any_priorities(keys, width, bins):
    problem = keyed(vertices(len(keys)), keys)
    found = split(problem, mg.Frontier.all_vertices(), width=width, bins=bins)
    assert found == expected(keys, range(len(keys)), width, bins)


def test_a_masked_frontier(device):
    problem = keyed(vertices(6, device), [5.0, 1.0, 2.0, 0.0, 9.0, 1.0])
    mask = np.array([True, False, True, True, True, False])
    assert split(problem, mg.Frontier.from_mask(mask), width=2.0) == [[3], [0, 2, 4]]


def test_deleted_vertices_are_in_no_band(device):
    graph = mg.DynamicGraph(8, device=device)
    graph.delete_vertices([2, 5])
    problem = keyed(graph, [4, 3, 0, 2, 1, 0, 0, 5])
    assert split(problem, mg.Frontier.all_vertices(), width=2.0, bins=3) == [[4, 6], [1, 3], [0, 7]]


class ByIndex(mg.Functor):
    def priority(vertex, iteration, key):
        return 2 * vertex + iteration  # a whole number


class Odd(mg.Functor):
    def cond_filter(vertex):
        return vertex % 2 == 1


def test_bands_are_frontiers(device):
    """Other operators take bands. If the input has no repeats, bands are distinct and a loop's queue takes them."""
    problem = Keyed(vertices(9, device))
    near, far = mg.operators.near_far(problem, mg.Frontier.of([8, 1, 3, 2]), ByIndex, width=5.5)
    assert CPU.asarray(near.ids).tolist() == [1, 2]
    assert CPU.asarray(far.ids).tolist() == [8, 3]
    assert far.distinct
    assert CPU.asarray(mg.operators.filter(problem, far, Odd).ids).tolist() == [3]
    repeated = mg.operators.near_far(problem, mg.Frontier.of([4, 4, 5]), ByIndex, width=100.0)[0]
    assert not repeated.distinct


class Beyond(mg.Functor):
    def priority(vertex, key):
        return key[vertex + 1]


def test_bad_input(device):
    problem, some = Keyed(vertices(3, device)), mg.Frontier.of([0, 2])
    for width in (0, -1.0, math.inf, math.nan, "1", None, [1.0]):
        with pytest.raises(ProblemError, match="must be a finite number above 0"):
            mg.operators.near_far(problem, some, Key, width=width)
    for bins in (1, 0, -2, 33, 2.0, "two"):
        with pytest.raises(ProblemError, match="must be a whole number from 2 to 32"):
            mg.operators.near_far(problem, some, Key, width=1.0, bins=bins)
    with pytest.raises(ProblemError, match="takes a frontier of vertices"):
        mg.operators.near_far(problem, mg.Frontier.of_edges([]), Key, width=1.0)
    with pytest.raises(ProblemError, match="holds id 5, but there are 3 vertices"):
        mg.operators.near_far(problem, mg.Frontier.of([5]), Key, width=1.0)
    with pytest.raises(ProblemError, match=r"takes a minigr\.Frontier, got list"):
        mg.operators.near_far(problem, [0], Key, width=1.0)
    with pytest.raises(FunctorError, match="near_far needs functor Odd to have priority"):
        mg.operators.near_far(problem, some, Odd, width=1.0)
    with pytest.raises(TypeError, match="near_far has no option 'waiting'"):
        mg.operators.near_far(problem, some, Key, width=1.0, waiting=some)
    with pytest.raises(FieldIndexError):
        mg.operators.near_far(problem, some, Beyond, width=1.0, debug=True)
