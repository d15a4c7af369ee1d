"""Maximum flows: a cut that lets no more through proves each of them."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minigr as mg
from minigr.device import CPU, resolve
from minigr.errors import GraphError, ProblemError
from tests.apps.whoever_runs_it import check_drivers_without_trace
from tests.layouts import slabs_of
from tests.verifiers import check_flow

METHODS = ["augment", "push"]


def check(graph, source, sink, result, *, exact=True):
    check_flow(graph, source, sink, result.value, result.flow, result.source_side, exact=exact)


def networkx_cut(graph, source, sink):
    """The value, and the nodes that don't reach the sink any more."""
    src, dst, *weights = map(CPU.asarray, graph.to_edges())
    weights = weights[0].tolist() if graph.weighted else [1] * len(src)
    other = nx.DiGraph() if graph.directed else nx.Graph()
    other.add_nodes_from(range(graph.num_vertices))
    for u, v, weight in zip(src.tolist(), dst.tolist(), weights, strict=True):
        before = other.edges[u, v]["capacity"] if other.has_edge(u, v) else 0
        other.add_edge(u, v, capacity=before + weight)
    value, (side, _) = nx.minimum_cut(other, source, sink, backend="networkx")
    return value, side


def test_battery(graph):
    """By both methods, of which one proves the other."""
    n = graph.num_vertices
    if n < 2 or (graph.weighted and graph.weight_summary()[0] < 0):
        return
    source, sink = 0, n - 1
    exact = not graph.weighted
    for method in METHODS:
        result = mg.maximum_flow(graph, source, sink, method=method)
        assert isinstance(result.flow, resolve(graph.device).xp.ndarray)
        check(graph, source, sink, result, exact=exact)
    other = mg.maximum_flow(graph, source, sink)
    assert other.value == result.value
    np.testing.assert_array_equal(CPU.asarray(other.source_side), CPU.asarray(result.source_side))


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_random_graphs(device, method, directed):
    graph = mg.generate.uniform(120, 500, weights=(1, 30), weight_dtype=np.int32, directed=directed, device=device)
    for source, sink in ((0, 1), (5, 100)):
        result = mg.maximum_flow(graph, source, sink, method=method)
        check(graph, source, sink, result)
        value, side = networkx_cut(graph, source, sink)
        assert type(result.value) is int
        assert result.value == value > 0
        assert set(np.flatnonzero(CPU.asarray(result.source_side)).tolist()) == side
        on_cpu = mg.maximum_flow(graph.to("cpu"), source, sink, method=method)
        np.testing.assert_array_equal(CPU.asarray(result.flow), on_cpu.flow)


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6), st.integers(0, 5)), max_size=20),
    st.booleans(),
    st.sampled_from(METHODS),
)
def test_small_graphs(edges, directed, method):
    """With self-loops, parallel edges and weights of 0."""
    src, dst, weights = np.array(edges, np.int32).reshape(-1, 3).T
    graph = mg.Graph.from_edges(src, dst, weights, num_vertices=7, directed=directed, device="cpu")
    result = mg.maximum_flow(graph, 2, 4, method=method)
    check(graph, 2, 4, result)
    assert result.value == networkx_cut(graph, 2, 4)[0]


@pytest.mark.parametrize("method", METHODS)
def test_far_apart(device, method):
    """Along a grid whose middle is narrow."""
    graph = mg.generate.lattice(60, 5, 0.9, seed=3, device=device)
    result = mg.maximum_flow(graph, 0, graph.num_vertices - 1, method=method)
    check(graph, 0, graph.num_vertices - 1, result)
    assert result.value == networkx_cut(graph, 0, graph.num_vertices - 1)[0] > 0


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dtype", [np.int64, np.float32, np.float64])
def test_weights(device, method, dtype):
    """Of whole numbers that floats can't tell apart, and of floats that are far apart."""
    largest = 2**60 + 1 if dtype is np.int64 else 1e30
    weights = np.array([largest, largest, largest - 1, 3, 0], dtype)
    edges = [0, 1, 2, 0, 0], [1, 2, 3, 3, 2]
    graph = mg.Graph.from_edges(*edges, weights, directed=True, device=device)
    result = mg.maximum_flow(graph, 0, 3, method=method)
    assert result.value == (2**60 + 3 if dtype is np.int64 else float(weights[2]) + 3)
    assert type(result.value) is (int if dtype is np.int64 else float)
    assert CPU.asarray(result.flow).dtype == (np.int64 if dtype is np.int64 else np.float64)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("scale", [1e-300, 1e-20, 1e20, 1e300])
def test_weights_of_any_size(device, method, scale):
    weights = np.array([0.5, 0.25, 0.125, 7.0]) * scale
    graph = mg.Graph.from_edges([0, 0, 1, 2], [1, 2, 3, 3], weights, device=device)
    result = mg.maximum_flow(graph, 0, 3, method=method)
    assert result.value == weights[1] + weights[2]
    check(graph, 0, 3, result)


@pytest.mark.parametrize("method", METHODS)
def test_a_sum_that_floats_round_down(device, method):
    """More flows than floats make of the weights of the source, and of those of the sink."""
    weights = np.array([1, 2**-53, 2**-53, 1, 2**-53, 2**-53])
    graph = mg.Graph.from_edges([0, 0, 0, 1, 2, 3], [1, 2, 3, 4, 4, 4], weights, device=device)
    assert sum(weights[:3]) == 1
    assert mg.maximum_flow(graph, 0, 4, method=method).value == 1 + 2**-52


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("last", [0, 1e-300])
def test_nothing_flows_along_weights_of_any_size(device, method, last):
    """The cut must not take the light edge for none, also where much leaves the source."""
    weights = [1e300, 1e-200, last]
    graph = mg.Graph.from_edges([0, 3, 4], [1, 4, 2], weights, device=device)
    result = mg.maximum_flow(graph, 0, 2, method=method)
    check(graph, 0, 2, result)
    assert CPU.asarray(result.source_side).tolist() == [True, True, False, not last, not last]


@pytest.mark.parametrize("method", METHODS)
def test_far_less_flows_than_leaves_the_source(device, method):
    weights = [1e300, 3e-300, 1e300, 1e-300]
    graph = mg.Graph.from_edges([0, 1, 2, 1], [1, 2, 3, 3], weights, device=device)
    result = mg.maximum_flow(graph, 0, 3, method=method)
    check(graph, 0, 3, result)
    assert result.value == weights[1] + weights[3]


@pytest.mark.parametrize("method", METHODS)
def test_nothing_flows_from_a_source_without_edges(device, method):
    """The vertices that reach the sink along light edges are on its side, also where others are heavy."""
    graph = mg.Graph.from_edges([1, 2], [2, 3], [1e-200, 1e300], device=device)
    result = mg.maximum_flow(graph, 0, 3, method=method)
    check(graph, 0, 3, result)
    assert CPU.asarray(result.source_side).tolist() == [True, False, False, False]


@pytest.mark.parametrize("method", METHODS)
def test_no_more_goes_around_than_fits(device, method):
    """Pushes along one of three alike edges may come back along another, also where nothing can flow to the sink."""
    graph = mg.Graph.from_edges([0, 0, 0], [1, 1, 1], [0.25, 1e-300, 0.5], num_vertices=3, device=device)
    result = mg.maximum_flow(graph, 0, 2, method=method)
    check(graph, 0, 2, result)
    assert CPU.asarray(result.source_side).tolist() == [True, True, False]


@pytest.mark.parametrize("method", METHODS)
def test_infinite_weights_that_no_cut_needs(device, method):
    graph = mg.Graph.from_edges([0, 1, 2], [1, 2, 3], [0.5, np.inf, 0.25], device=device)
    result = mg.maximum_flow(graph, 0, 3, method=method)
    check(graph, 0, 3, result)
    assert result.value == 0.25
    with pytest.raises(GraphError, match="edges of infinite weight lead from the source to the sink"):
        mg.maximum_flow(graph, 1, 2, method=method)
    graph = mg.Graph.from_edges([0, 0, 1, 2, 3], [1, 2, 3, 4, 4], [np.inf, 0.25, 0.5, np.inf, np.inf], device=device)
    result = mg.maximum_flow(graph, 0, 4, method=method)
    check(graph, 0, 4, result)
    assert result.value == 0.75


@pytest.mark.parametrize("directed", [False, True])
def test_over_slabs(device, directed):
    rows = mg.generate.uniform(100, 300, weights=(1, 9), weight_dtype=np.int64, directed=directed, device=device)
    slabs = slabs_of(rows)
    for method in METHODS:
        result = mg.maximum_flow(slabs, 3, 7, method=method)
        check(slabs, 3, 7, result)
        assert result.value == mg.maximum_flow(rows, 3, 7, method=method).value > 0


def test_deleted_vertices(device):
    graph = mg.DynamicGraph.from_edges([0, 1, 0, 2], [1, 3, 2, 3], directed=True, device=device)
    assert mg.maximum_flow(graph, 0, 3).value == 2
    graph.delete_vertices([1])
    for method in METHODS:
        result = mg.maximum_flow(graph, 0, 3, method=method)
        assert (result.value, CPU.asarray(result.source_side).tolist()) == (1, [True, False, True, False])
    with pytest.raises(GraphError, match="sink 1 is not a vertex: it was deleted"):
        mg.maximum_flow(graph, 0, 1)


def test_drivers_agree(device):
    graph = mg.generate.uniform(60, 150, weights=(1, 9), weight_dtype=np.int32, device=device)

    def flow(graph, **options):
        return mg.maximum_flow(graph, 0, 1, method="push", **options)

    check_drivers_without_trace(flow, lambda result: result.flow, graph)


@pytest.mark.parametrize("directed", [False, True])
def test_threads_agree(device, directed, request):
    """With three threads the same as with one."""
    graph = mg.generate.rmat(8, 8, weights=(1, 30), weight_dtype=np.int32, directed=directed, device=device)
    source, sink = np.argsort(-CPU.asarray(graph.degree()), kind="stable")[:2].tolist()
    pushed, augmented = (mg.maximum_flow(graph, source, sink, method=method) for method in METHODS[::-1])
    check(graph, source, sink, pushed)
    assert pushed.value == augmented.value > 0
    request.getfixturevalue("team")
    again = mg.maximum_flow(graph, source, sink, method="push")
    np.testing.assert_array_equal(CPU.asarray(pushed.flow), CPU.asarray(again.flow))
    np.testing.assert_array_equal(CPU.asarray(pushed.source_side), CPU.asarray(augmented.source_side))


def test_what_is_refused(device):
    graph = mg.generate.path(4, weights=(1, 2), device=device)
    for arguments, complaint in (
        ((0, 0), "source and sink are the same vertex, 0"),
        ((4, 0), "source 4 is not a vertex"),
        ((0, 4), "sink 4 is not a vertex: the graph has vertices 0 to 3"),
        ((0, "a"), "sink must be a vertex id"),
    ):
        with pytest.raises(GraphError, match=complaint):
            mg.maximum_flow(graph, *arguments)
    with pytest.raises(ProblemError, match="method='dinic'"):
        mg.maximum_flow(graph, 0, 1, method="dinic")
    below = mg.Graph.from_edges([0, 1], [1, 2], [1.0, -0.5], device=device)
    with pytest.raises(GraphError, match=r"weights of at least 0, but the least is -0\.5"):
        mg.maximum_flow(below, 0, 1)
    much = mg.Graph.from_edges([0, 0], [1, 1], np.array([2**61, 1]), device=device)
    with pytest.raises(GraphError, match="up to 2305843009213693953 may leave the source"):
        mg.maximum_flow(much, 0, 1)
    four, into = ([0, 0, 0, 0, 1], [1, 1, 1, 1, 2]), [2**60] * 4  # each could be full of all that the sink takes
    with pytest.raises(GraphError, match="up to 4611686018427387904 may leave the source"):
        mg.maximum_flow(mg.Graph.from_edges(*four, np.array([*into, 2**60]), device=device), 0, 2)
    assert mg.maximum_flow(mg.Graph.from_edges(*four, np.array([*into, 2**58]), device=device), 0, 2).value == 2**58
