"""Shortest paths between two vertices, over the battery, against NetworkX and SciPy, and how much is looked at."""

import networkx as nx
import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import dijkstra

import minigr as mg
from minigr.device import CPU, resolve
from minigr.errors import GraphError, ProblemError
from tests.apps.test_bfs import depths
from tests.apps.test_sssp import distances
from tests.apps.whoever_runs_it import check_drivers
from tests.layouts import slabs_of
from tests.verifiers import check_path


def pairs(graph):
    n = graph.num_vertices
    return sorted({(0, n - 1), (n - 1, 0), (0, n // 2), (n // 2, n // 3), (n // 3, n // 3)}) if n else []


def check(rows, result, source, target, length, weighted=False, rtol=0.0):
    """A path of this length, or none where it is -1 or infinite."""
    assert result.length == pytest.approx(length, rel=rtol, abs=0)
    assert type(result.length) is (float if weighted else int)
    if 0 <= length < np.inf:
        check_path(rows, result.path, source, target, length, weighted, rtol)
    else:
        assert CPU.asarray(result.path).size == 0
    assert result.path.dtype == np.int32


def check_all_ways(graph, rows, source, target):
    """By hops; and where there are weights by weight, without bounds, and with bounds of all qualities."""
    hops = depths(rows, source)[target]
    result = mg.shortest_path(graph, source, target)
    check(rows, result, source, target, hops)
    assert isinstance(result.path, resolve(graph.device).xp.ndarray)
    assert result.iterations <= (hops + 1) // 2 or hops < 0
    if not graph.weighted:
        return
    length = distances(rows, source)[target]
    check(rows, mg.shortest_path(graph, source, target, weighted=True), source, target, length, True)
    remains = distances(rows.reverse() if rows.directed else rows, target)
    worse = np.where(remains < np.inf, remains, 3.0) * (np.arange(len(remains)) % 3 > 0)  # not consistent
    for bounds in (remains, worse.astype(np.float32)):
        found = mg.shortest_path(graph, source, target, weighted=True, heuristic=bounds)
        check(rows, found, source, target, length, True)


def test_battery(graph):
    for source, target in pairs(graph):
        check_all_ways(graph, graph, source, target)


@pytest.mark.parametrize("directed", [False, True])
def test_over_slabs(device, directed):
    rows = mg.generate.rmat(7, 4, seed=3, directed=directed, weights=(0, 9), device=device)
    graph = slabs_of(rows, deleted=3)
    plain = graph.to_graph()
    for source, target in ((0, 100), (100, 0), (3, 77)):
        check_all_ways(graph, plain, source, target)
    with pytest.raises(GraphError, match="target 129 is not a vertex: it was deleted"):
        mg.shortest_path(graph, 0, 129)


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6), st.integers(0, 3)), max_size=14),
    st.booleans(),
    st.integers(0, 6),
    st.integers(0, 6),
)
def test_small_graphs(edges, directed, source, target):
    src, dst, weights = np.array(edges, np.int32).reshape(-1, 3).T
    graph = mg.Graph.from_edges(src, dst, weights.astype(np.float32), num_vertices=7, directed=directed, device="cpu")
    check_all_ways(graph, graph, source, target)


@pytest.mark.parametrize("dtype", ["int64", "float64"])
def test_against_scipy(device, dtype):
    made = mg.generate.rmat(9, 6, seed=13, directed=True, weights=(1, 1000), device="cpu")
    weights = made.weights.astype(dtype) * (1 if dtype == "int64" else 0.37)
    graph = mg.Graph.from_csr(made.offsets, made.indices, weights, directed=True, device=device)
    source = int(made.degree().argmax())
    expected = dijkstra(scipy.sparse.csr_array((weights, made.indices, made.offsets), shape=(512, 512)), indices=source)
    rtol = 0.0 if dtype == "int64" else 1e-14
    for target in range(0, 512, 23):
        check(
            graph, mg.shortest_path(graph, source, target, weighted=True), source, target, expected[target], True, rtol
        )


def test_circles_of_no_weight(device):
    """Between the ends, around where the searches meet, and beside the path."""
    src, dst = [0, 1, 2, 3, 2, 5, 6, 3], [1, 2, 3, 1, 5, 6, 2, 4]
    for directed in (True, False):
        graph = mg.Graph.from_edges(src, dst, np.float64([1, 0, 0, 0, 0, 0, 0, 1]), directed=directed, device=device)
        check_all_ways(graph, graph, 0, 4)
        nothing = mg.Graph.from_edges(src, dst, np.zeros(8), directed=directed, device=device)
        check_all_ways(nothing, nothing, 0, 4)


def looked_at(result):
    return sum(row.edges for row in result.trace)


def test_little_is_looked_at(device):
    graph = mg.generate.lattice(120, 120, weights=(1, 9), seed=5, device=device)
    source, target = 60 * 120 + 50, 60 * 120 + 70
    assert looked_at(mg.shortest_path(graph, source, target, trace=True)) < graph.num_arcs / 20
    by_weight = mg.shortest_path(graph, source, target, weighted=True, trace=True)
    assert looked_at(by_weight) < looked_at(mg.sssp(graph, source, trace=True)) / 5
    x, y = np.arange(120 * 120) % 120, np.arange(120 * 120) // 120
    apart = abs(x - 70.0) + abs(y - 60.0)  # as all weights are at least 1
    exact = CPU.asarray(mg.sssp(graph, target).distance)
    options = {"weighted": True, "delta": 2.0, "trace": True}
    amounts = [
        looked_at(mg.shortest_path(graph, source, target, heuristic=bounds, **options))
        for bounds in (np.zeros(120 * 120), apart, exact)
    ]
    assert amounts[0] > 2 * amounts[1]
    assert amounts[1] > 2 * amounts[2]


def test_it_ends_where_one_end_is_shut_in(device):
    """As soon as one of the searches can't go on."""
    lattice = mg.generate.lattice(60, 60, device="cpu")
    src, dst, _ = lattice.to_edges()
    graph = mg.Graph.from_edges([*src, 3600, 3601], [*dst, 3601, 3602], device=device)
    for source, target in ((0, 3601), (3600, 5)):
        result = mg.shortest_path(graph, source, target)
        assert (result.length, result.iterations) in ((-1, 2), (-1, 3))
    assert mg.shortest_path(graph, 3600, 3602).length == 2


def test_drivers_agree(device):
    graph = mg.generate.lattice(20, 20, 0.8, seed=2, weights=(1, 5), device=device)
    expected = nx.dijkstra_path_length(graph.to_networkx(), 0, 399)
    check_drivers(lambda g, **options: mg.shortest_path(g, 0, 399, **options), lambda r: r.length, graph, 38)

    def by_weight(graph, **options):
        return mg.shortest_path(graph, 0, 399, weighted=True, **options)

    for result in (by_weight(graph, driver="host"), by_weight(graph, driver="fused"), by_weight(graph, trace=True)):
        check(graph, result, 0, 399, expected, True)


def test_threads_share_the_steps(team):
    graph = mg.generate.rmat(10, 8, seed=6, weights=(0, 20), device="cpu")
    for source, target in ((0, 1000), (17, 500)):
        check_all_ways(graph, graph, source, target)
        paths = [mg.shortest_path(graph, source, target).path.tolist() for _ in range(5)]
        assert paths.count(paths[0]) == 5


def test_paths_by_hops_are_the_same_in_every_run(device):
    graph = mg.generate.rmat(9, 8, seed=6, device=device)
    paths = [CPU.asarray(mg.shortest_path(g, 3, 400).path).tolist() for g in (graph, graph, slabs_of(graph))]
    assert paths[0] == paths[1] == paths[2]


@pytest.mark.parametrize("scale", [1e-320, 1e300, 1e308])
def test_extreme_weights(device, scale):
    graph = mg.Graph.from_edges([0, 1, 2], [1, 2, 3], np.full(3, scale), directed=True, device=device)
    for options in ({}, {"heuristic": np.zeros(4)}):
        result = mg.shortest_path(graph, 0, 3, weighted=True, **options)
        assert result.length == mg.sssp(graph, 0).distance[3]
        assert CPU.asarray(result.path).tolist() == ([0, 1, 2, 3] if scale < 1e308 else [])


def test_no_way_leads_through_infinite_bounds(device):
    graph = mg.Graph.from_edges([0, 1, 2, 0, 3], [1, 2, 4, 3, 4], [1.0, 1.0, 1.0, 4.0, 4.0], device=device)
    result = mg.shortest_path(graph, 0, 4, weighted=True, heuristic=[0, np.inf, 0, 0, 0])
    assert (CPU.asarray(result.path).tolist(), result.length) == ([0, 3, 4], 8)


@pytest.mark.parametrize(
    ("arguments", "options", "error", "complaint"),
    [
        ((4, 0), {}, GraphError, "source 4 is not a vertex: the graph has vertices 0 to 3"),
        ((0, -1), {}, GraphError, "target -1 is not a vertex"),
        ((0, 1.5), {}, GraphError, "target must be a vertex id"),
        ((0, [1]), {}, GraphError, "target must be a vertex id"),
        ((0, 3), {"heuristic": [0, 0, 0, 0]}, ProblemError, "heuristic is for paths by weight"),
        ((0, 3), {"delta": 1.0}, ProblemError, "delta is for paths by weight"),
        ((0, 3), {"weighted": True, "delta": 0}, ProblemError, "delta=0 must be a finite number above 0"),
        ((0, 3), {"weighted": True, "delta": "x"}, ProblemError, "delta='x' must be a finite number above 0"),
        ((0, 3), {"weighted": True, "heuristic": ["a"] * 4}, ProblemError, "heuristic takes numbers of dtype float64"),
        ((0, 3), {"weighted": True, "heuristic": [0, 0]}, ProblemError, r"shape \(2,\): give one number .* 4 vertices"),
        ((0, 3), {"weighted": True, "heuristic": [0, -1, 0, 0]}, ProblemError, r"heuristic\[1\] is -1.0"),
        ((0, 3), {"weighted": True, "heuristic": [0, 0, np.nan, 0]}, ProblemError, r"heuristic\[2\] is nan"),
        ((0, 3), {"weighted": True, "heuristic": [0, 0, 0, 1]}, ProblemError, r"heuristic\[3\] must be 0"),
    ],
)
def test_bad_arguments(device, arguments, options, error, complaint):
    graph = mg.generate.path(4, weights=(1, 3), device=device)
    with pytest.raises(error, match=complaint):
        mg.shortest_path(graph, *arguments, **options)


@pytest.mark.parametrize(
    ("weights", "complaint"), [([1.0, -0.5], "at least 0"), ([1.0, np.inf], "finite weights"), (None, "needs weights")]
)
def test_bad_weights(device, weights, complaint):
    graph = mg.Graph.from_edges([0, 1], [1, 2], weights, device=device)
    with pytest.raises(GraphError, match=f"shortest_path {complaint}|shortest_path needs .*{complaint}"):
        mg.shortest_path(graph, 0, 2, weighted=True)


def test_in_edges_are_needed(device):
    graph = mg.DynamicGraph.from_edges([0, 1], [1, 2], [1.0, 2.0], directed=True, device=device)
    for options in ({}, {"weighted": True}, {"weighted": True, "heuristic": np.zeros(3)}):
        with pytest.raises(GraphError, match="in_edges=True"):
            mg.shortest_path(graph, 0, 2, **options)
