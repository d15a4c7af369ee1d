"""Edited graphs over the battery: a part of the edges, no parallel edges, no directions, other weights."""

from collections import defaultdict

import networkx as nx
import numpy as np
import pytest

import minigr as mg
from minigr.device import CPU
from minigr.errors import GraphError
from minigr.graphs import Graph
from tests.battery import BATTERY

WAYS = ("sum", "min", "max", "first", "count")
COMBINED = {"sum": sum, "min": min, "max": max, "first": lambda weights: weights[0], "count": len}


@pytest.fixture(params=[factory for _, factory in BATTERY], ids=[name for name, _ in BATTERY])
def graph(request, device):
    return request.param(device)


def repeated(device, directed, dtype="float64"):
    """A graph with many parallel edges and self-loops, and with weights whose sum depends on the order."""
    rng = np.random.default_rng(6)
    weights = rng.random(900) if dtype == "float64" else rng.integers(1, 100, 900).astype(dtype)
    return Graph.from_edges(*rng.integers(0, 20, (2, 900)), weights, directed=directed, device=device)


def edges(graph):
    """The edges in the order of the rows, as triples."""
    src, dst, weights = graph.to_edges()
    columns = [CPU.asarray(column).tolist() for column in (src, dst, src if weights is None else weights)]
    return list(zip(*columns[:2], [None] * len(src) if weights is None else columns[2], strict=True))


def whole(graph):
    """Return `graph` after checking its rows, and what is known about them.

    Rows are sorted, and have both arcs of each undirected edge.
    """
    same = Graph.from_csr(graph.offsets, graph.indices, graph.weights, directed=graph.directed)
    assert (graph.num_self_loops, graph.has_parallel_edges) == (same.num_self_loops, same.has_parallel_edges)
    for inward in (False, True):
        assert graph.max_degree(inward=inward) == same.max_degree(inward=inward)
    if graph.weighted:
        assert graph.weight_summary() == same.weight_summary()
    return graph


# --- a part of the edges ---------------------------------------------------------------------------------------------


def test_edges_by_a_mask(graph):
    chosen = np.random.default_rng(8).random(graph.num_edges) < 0.4
    ours = whole(graph.edge_subgraph(chosen))
    assert (ours.num_vertices, ours.directed, ours.device) == (graph.num_vertices, graph.directed, graph.device)
    assert ours.weight_dtype == graph.weight_dtype
    assert edges(ours) == [edge for edge, kept in zip(edges(graph), chosen, strict=True) if kept]


def test_edges_by_ids(graph):
    src, dst, _ = (None if each is None else CPU.asarray(each) for each in graph.to_edges(both_ways=True))
    ids = np.random.default_rng(9).permutation(graph.num_arcs)[: graph.num_arcs // 3]
    ours = whole(graph.edge_subgraph(ids))
    mask = np.zeros(graph.num_arcs, bool)
    mask[ids] = True
    pairs = set(zip(src[mask].tolist(), dst[mask].tolist(), strict=True))
    pairs |= set() if graph.directed else {(v, u) for u, v in pairs}
    assert {(u, v) for u, v, _ in edges(ours)} == {(u, v) for u, v, _ in edges(graph) if (u, v) in pairs}
    assert edges(whole(graph.edge_subgraph([]))) == []
    assert edges(graph.edge_subgraph(mask)) == edges(ours)


@pytest.mark.parametrize("directed", [False, True])
def test_one_of_parallel_edges(device, directed):
    graph = Graph.from_edges([0, 1, 0, 1], [1, 0, 1, 2], [1.0, 2.0, 3.0, 4.0], directed=directed, device=device)
    for edge in range(graph.num_arcs):
        [(u, v, weight)] = edges(whole(graph.edge_subgraph([edge])))
        assert weight == float(graph.weights[edge])
        assert int(graph.indices[edge]) in ({v} if directed else {u, v})


def test_what_other_calls_find(device):
    graph = Graph.from_edges([0, 1, 2, 2, 3], [1, 2, 0, 3, 4], [1.0, 2.0, 3.0, 4.0, 5.0], device=device)
    assert edges(graph.edge_subgraph(mg.bridges(graph).edges)) == [(2, 3, 4.0), (3, 4, 5.0)]
    forest = mg.minimum_spanning_forest(graph)
    assert edges(graph.edge_subgraph(forest.edges)) == [(0, 1, 1.0), (1, 2, 2.0), (2, 3, 4.0), (3, 4, 5.0)]


@pytest.mark.parametrize(
    ("chosen", "named"),
    [
        ([0, 4], r"edges\[1\] is 4, but ids of edges are from 0 to 3"),
        ([0, -1], r"edges\[1\] is -1"),
        ([0.5], "edges must hold ids of edges, or be a mask of bools, but its dtype is float64"),
        ([True], "edges is a mask of length 1, but there are 2 edges, or 4 arcs: give a value to each"),
        ([[0]], "one dimension"),
    ],
)
def test_edges_that_are_refused(device, chosen, named):
    with pytest.raises(GraphError, match=named):
        mg.generate.path(3, device=device).edge_subgraph(chosen)


# --- one edge instead of parallel edges ------------------------------------------------------------------------------


def combined(graph, way, key):
    """The weights of edges with the same key, combined in their order; None for an edge without a weight."""
    groups = defaultdict(list)
    for u, v, weight in edges(graph):
        groups[key(u, v)].append(weight)
    found = ((k, None if w[0] is None and way != "count" else COMBINED[way](w)) for k, w in groups.items())
    return {k: pytest.approx(w, rel=1e-6) if type(w) is float else w for k, w in found}


def check_combined(ours, graph, way, expected):
    assert not whole(ours).has_parallel_edges
    assert {(u, v): w for u, v, w in edges(ours)} == expected
    assert len(edges(ours)) == len(expected)
    assert (ours.num_vertices, ours.device) == (graph.num_vertices, graph.device)
    if not graph.weighted:
        assert ours.weight_dtype == ("int64" if way == "count" else None)
    elif way in ("sum", "count"):
        assert ours.weight_dtype == ("int64" if way == "count" or graph.weight_dtype.kind == "i" else "float64")
    else:
        assert ours.weight_dtype == graph.weight_dtype


@pytest.mark.parametrize("self_loops", [False, True])
def test_simplify(graph, self_loops):
    for way in WAYS:
        ours = graph.simplify(way, self_loops=self_loops)
        expected = combined(graph, way, lambda u, v: (u, v))
        check_combined(ours, graph, way, {k: w for k, w in expected.items() if self_loops or k[0] != k[1]})
        assert ours.directed == graph.directed
        assert self_loops or ours.is_simple


def test_to_undirected(graph):
    if not graph.directed:
        assert graph.to_undirected() is graph
        return
    for way in WAYS:
        ours = graph.to_undirected(way)
        assert not ours.directed
        check_combined(ours, graph, way, combined(graph, way, lambda u, v: (min(u, v), max(u, v))))
    each = whole(graph.to_undirected("each"))
    assert (each.directed, each.weight_dtype) == (False, graph.weight_dtype)
    expected = [(min(u, v), max(u, v), w) for u, v, w in edges(graph)]
    assert sorted(edges(each), key=str) == sorted(expected, key=str)


@pytest.mark.parametrize("dtype", ["float64", "int32"])
@pytest.mark.parametrize("directed", [False, True])
def test_of_many_parallel_edges(device, directed, dtype):
    graph = repeated(device, directed, dtype)
    for way in WAYS:
        check_combined(graph.simplify(way, self_loops=True), graph, way, combined(graph, way, lambda u, v: (u, v)))
        if directed:
            expected = combined(graph, way, lambda u, v: (min(u, v), max(u, v)))
            check_combined(graph.to_undirected(way), graph, way, expected)


def test_edges_that_go_both_ways(device):
    graph = mg.generate.rmat(6, 8, seed=3, directed=True, device=device)
    src, dst, _ = graph.to_edges()
    ours = graph.edge_subgraph(graph.has_edges(dst, src)).to_undirected()
    assert set(ours.to_networkx().edges()) == set(
        map(tuple, graph.to_networkx().to_undirected(reciprocal=True).edges())
    )


def test_ways_that_there_are_not(device):
    graph = mg.generate.path(3, device=device)
    with pytest.raises(GraphError, match=r"weights= has no choice 'mean'; it has sum, min, max"):
        graph.simplify("mean")
    with pytest.raises(GraphError, match=r"weights= has no choice 'eech'; did you mean 'each'"):
        graph.to_undirected("eech")


SUMS = {
    "simplify": (False, lambda graph: graph.simplify()),
    "simplify_with_loops": (True, lambda graph: graph.simplify(self_loops=True)),
    "to_undirected": (True, lambda graph: graph.to_undirected()),
    "contract": (False, lambda graph: graph.contract([0, 0, 1, 2])),
    "contract_within": (False, lambda graph: graph.contract([0, 1, 2, 2])),
    "contract_directed": (True, lambda graph: graph.contract([0, 0, 1, 2])),
}


@pytest.mark.parametrize("edit", SUMS)
def test_sums_that_are_no_weights(device, edit):
    """The weight of an edge is a number, and never a sum that wrapped around."""
    directed, summed = SUMS[edit]

    def parallel(weights):
        src, dst = [1, *[2] * len(weights)], [0, *[3] * len(weights)]
        return Graph.from_edges(
            src, dst, np.append(np.ones_like(weights[:1]), weights), directed=directed, device=device
        )

    for weights in ([2**63 - 1, 1], [-(2**63), -1], [2**62] * 5, [2**63 - 1] * 40):
        with pytest.raises(GraphError, match=r"add up to a number that int64 can't hold: convert the weights"):
            summed(parallel(np.array(weights, np.int64)))
    for dtype in (np.float32, np.float64):
        with pytest.raises(GraphError, match=r"become the edge from [12] to [23] add up to NaN, as inf and -inf"):
            summed(parallel(np.array([1, np.inf, -np.inf], dtype)))
        assert float(summed(parallel(np.array([1, np.inf, 5], dtype))).weights.max()) == np.inf
    for weights in ([2**62 - 5, -3], [2**63 - 1, 1, -(2**62) - 5], [-(2**63), 2**62 + 5]):
        ours = summed(parallel(np.array(weights, np.int64)))
        assert sum(weights) in ours.weights.tolist()


def address(array):
    held = "__cuda_array_interface__" if hasattr(array, "__cuda_array_interface__") else "__array_interface__"
    return getattr(array, held)["data"][0]


# --- weights ---------------------------------------------------------------------------------------------------------


def test_weights_for_edges(graph):
    weights = np.random.default_rng(3).random(graph.num_edges)
    ours = whole(graph.with_weights(weights))
    assert edges(ours) == [(u, v, w) for (u, v, _), w in zip(edges(graph), weights.tolist(), strict=True)]
    again = graph.with_weights(ours.weights)
    assert address(again.weights) == address(ours.weights)
    assert (ours.num_self_loops, ours.has_parallel_edges) == (graph.num_self_loops, graph.has_parallel_edges)
    assert (ours.indices is graph.indices, ours.directed) == (True, graph.directed)
    bare = ours.without_weights()
    assert (bare.weighted, bare.indices is graph.indices, bare.without_weights() is bare) == (False, True, True)


@pytest.mark.parametrize(
    ("weights", "named"),
    [
        ([1.0], "weights has length 1, but there are 2 edges, or 4 arcs: give one weight to each"),
        ([1.0, float("nan")], r"weights\[1\] is NaN"),
        ([1.0, 2.0, 3.0, 3.0], r"weights\[0\] is not the weight of the same edge's other arc: give both"),
        (["a", "b"], "weights must hold numbers"),
    ],
)
def test_weights_that_are_refused(device, weights, named):
    with pytest.raises(GraphError, match=named):
        mg.generate.path(3, device=device).with_weights(weights)


def test_narrow_weights_are_widened(device):
    graph = mg.generate.path(3, device=device)
    assert graph.with_weights(np.uint8([7, 8])).weight_dtype == "int32"
    assert edges(graph.with_weights([True, False])) == [(0, 1, 1), (1, 2, 0)]


def test_distances_by_other_weights(device):
    graph = mg.generate.lattice(6, 6, seed=1, device=device)
    src, dst, _ = graph.to_edges()
    weighted = graph.with_weights(abs(dst - src).astype(np.float32))
    theirs = nx.single_source_dijkstra_path_length(weighted.to_networkx(), 0)
    found = CPU.asarray(mg.sssp(weighted, 0).distance).tolist()
    assert {vertex: found[vertex] for vertex in theirs} == theirs
