"""Earliest arrivals along timed edges, over the battery, and of small graphs by trying all edges again and again."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minigr as mg
from minigr.device import CPU, resolve
from minigr.errors import GraphError, ProblemError
from tests.apps.test_bfs import sources
from tests.apps.whoever_runs_it import check_drivers
from tests.layouts import slabs_of
from tests.verifiers import arcs_of, check_earliest_arrival, check_path


def by_trying(graph, source, start, duration):
    arrival = np.full(graph.num_vertices, np.inf)
    arrival[source] = start
    src, dst, time = arcs_of(graph)
    arcs = list(
        zip(src.tolist(), dst.tolist(), time.tolist(), np.broadcast_to(duration, len(src)).tolist(), strict=True)
    )
    changed = True
    while changed:
        changed = False
        for u, v, leaves, takes in arcs:
            if leaves >= arrival[u] and leaves + takes < arrival[v]:
                arrival[v], changed = leaves + takes, True
    return arrival


def check(graph, rows, source, start=-np.inf, duration=0.0):
    result = mg.earliest_arrival(graph, source, start=start, duration=duration)
    check_earliest_arrival(rows, source, start, duration, result.arrival, result.parent)
    np.testing.assert_array_equal(CPU.asarray(result.arrival), by_trying(rows, source, start, duration))
    assert isinstance(result.arrival, resolve(graph.device).xp.ndarray)
    return result


def test_battery(graph):
    if not graph.weighted:
        with pytest.raises(GraphError, match="times of edges from their weights, but the graph has none"):
            mg.earliest_arrival(graph, 0)
        return
    each = np.arange(graph.num_arcs) % 4 / 2
    for source in sources(graph):
        for start, duration in ((-np.inf, 0.0), (3, 1.0), (2.5, each)):
            check(graph, graph, source, start, duration)


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6), st.integers(-4, 4), st.integers(0, 2)), max_size=16),
    st.booleans(),
    st.sampled_from([-np.inf, -2, 0.5]),
)
def test_small_graphs(edges, directed, start):
    src, dst, time, takes = np.array(edges, np.int32).reshape(-1, 4).T
    graph = mg.Graph.from_edges(src, dst, time.astype(np.float32), num_vertices=7, directed=directed, device="cpu")
    check(graph, graph, 0, start, 0.0)
    check(graph, graph, [0, 3], start, 1.0)
    if directed:
        check(graph, graph, 0, start, takes[np.lexsort((dst, src))].astype(np.float64))


@pytest.mark.parametrize("directed", [False, True])
def test_over_slabs(device, directed):
    rows = mg.generate.rmat(6, 4, seed=3, directed=directed, weights=(0, 40), device=device)
    graph = slabs_of(rows, deleted=3)
    for start, duration in ((-np.inf, 0), (5, 2)):
        check(graph, graph.to_graph(), 0, start, duration)


def test_ways_lead_from_the_source(device):
    graph = mg.generate.uniform(60, 400, seed=4, directed=True, weights=(0, 30), device=device)
    result = check(graph, graph, 7, 2, 1)
    arrival = CPU.asarray(result.arrival)
    for vertex in np.flatnonzero(arrival < np.inf).tolist():
        path = CPU.asarray(result.path_to(vertex))
        check_path(graph, path, 7, vertex, len(path) - 1)
        assert (np.diff(arrival[path]) >= 1).all()
    with pytest.raises(GraphError, match="vertex 60 is not a vertex"):
        result.path_to(60)
    alone = mg.Graph.from_edges([0], [1], [1.0], num_vertices=3, device=device)
    with pytest.raises(GraphError, match="no path to vertex 2, whose arrival is inf"):
        mg.earliest_arrival(alone, 0).path_to(2)


def test_against_the_pass_over_sorted_edges(device):
    """Wu et al.: where each edge takes some time, one look at each in the order of time is enough."""
    graph = mg.generate.rmat(12, 8, seed=6, directed=True, weights=(0, 100_000), device=device)
    src, dst, time = arcs_of(graph)
    arrival = np.full(graph.num_vertices, np.inf)
    arrival[0] = 1000.0
    for place in np.argsort(time, kind="stable").tolist():
        if time[place] >= arrival[src[place]]:
            arrival[dst[place]] = min(arrival[dst[place]], time[place] + 50.0)
    result = mg.earliest_arrival(graph, 0, start=1000, duration=50)
    np.testing.assert_array_equal(CPU.asarray(result.arrival), arrival)
    check_earliest_arrival(graph, 0, 1000, 50.0, result.arrival, result.parent)


def test_bands_keep_looks_few(device):
    graph = mg.generate.uniform(2000, 40_000, seed=1, directed=True, weights=(0, 10**6), device=device)
    result = mg.earliest_arrival(graph, 0, duration=10, trace=True)
    assert sum(row.edges for row in result.trace) < 1.5 * graph.num_arcs


@pytest.mark.parametrize("dtype", ["int64", "float64"])
def test_far_from_zero(device, dtype):
    """As the seconds and microseconds since 1970 are, and times before."""
    for base, unit in ((1_700_000_000, 1), (1_700_000_000_000_000, 1000), (-(2**52), 1)):
        time = (np.array([5, 6, 8, 1, 9, 0]) * unit + base).astype(dtype)
        graph = mg.Graph.from_edges([0, 1, 2, 0, 4, 3], [1, 2, 3, 4, 3, 0], time, directed=True, device=device)
        check(graph, graph, 0, base + unit, float(unit))


def test_drivers_agree(device):
    graph = mg.generate.lattice(15, 15, 0.9, seed=2, weights=(1, 50), device=device)
    expected = by_trying(graph, 3, -np.inf, 0.0)
    check_drivers(lambda g, **options: mg.earliest_arrival(g, 3, **options), lambda r: r.arrival, graph, expected)


def test_threads_share_the_steps(team):
    graph = mg.generate.rmat(9, 8, seed=6, weights=(0, 200), device="cpu")
    check(graph, graph, 1, 3, 2)


@pytest.mark.parametrize(
    ("options", "error", "complaint"),
    [
        ({"source": 4}, GraphError, "source 4 is not a vertex"),
        ({"source": [0, 0]}, ProblemError, "source 0 is given more than once"),
        ({"start": np.nan}, ProblemError, "start=nan must be a number"),
        ({"start": np.inf}, ProblemError, "start=inf must be a number below infinity"),
        ({"start": "now"}, ProblemError, "start='now' must be a number"),
        ({"duration": -1}, ProblemError, "duration -1.0 must be finite and at least 0"),
        ({"duration": np.nan}, ProblemError, "duration nan must be finite"),
        ({"duration": [1.0, 2.0]}, ProblemError, r"duration has shape \(2,\): .* each of the 6 arcs"),
        ({"duration": [[1.0] * 6]}, ProblemError, r"duration has shape \(1, 6\)"),
        ({"duration": [1.0, 2.0, 0.0, np.inf, 1.0, 1.0]}, ProblemError, "duration inf must be finite"),
    ],
)
def test_bad_arguments(device, options, error, complaint):
    graph = mg.generate.path(4, weights=(1, 3), device=device)
    with pytest.raises(error, match=complaint):
        mg.earliest_arrival(graph, **{"source": 0, **options})


@pytest.mark.parametrize("times", [[1.0, np.inf], [-np.inf, 1.0], [-1.7e308, 1.7e308]])
def test_bad_times(device, times):
    graph = mg.Graph.from_edges([0, 1], [1, 2], times, device=device)
    with pytest.raises(GraphError, match=r"earliest_arrival: edges leave from .* to .*, which is infinite or too long"):
        mg.earliest_arrival(graph, 0)


def test_durations_of_the_arcs_of_a_dynamic_graph(device):
    graph = mg.DynamicGraph.from_edges([0, 1], [1, 2], [1.0, 2.0], device=device)
    with pytest.raises(ProblemError, match="the arcs of a DynamicGraph have no order: give one number"):
        mg.earliest_arrival(graph, 0, duration=[1.0, 1.0])
