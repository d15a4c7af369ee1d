"""Several shortest paths, over the battery against NetworkX, and of small graphs against all paths that there are."""

from itertools import islice, pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minigr as mg
from minigr.device import CPU, resolve
from minigr.errors import GraphError, ProblemError
from tests.layouts import slabs_of
from tests.verifiers import arcs_of, check_path


def simple(graph, weighted):
    """The graph for NetworkX, with the lightest of parallel edges."""
    src, dst, weights = arcs_of(graph)
    found = nx.DiGraph() if graph.directed else nx.Graph()
    found.add_nodes_from(range(graph.num_vertices))
    lengths = weights.tolist() if weighted else [1] * len(src)
    for u, v, weight in zip(src.tolist(), dst.tolist(), lengths, strict=True):
        if not found.has_edge(u, v) or weight < found[u][v]["weight"]:
            found.add_edge(u, v, weight=weight)
    return found


def lengths_of(graph, paths):
    return [sum(graph[u][v]["weight"] for u, v in pairwise(path)) for path in paths]


def check(rows, result, source, target, lengths, weighted):
    """Different paths of these lengths."""
    assert CPU.asarray(result.length).tolist() == lengths
    assert result.length.dtype == (np.float64 if weighted else np.int64)
    assert len({tuple(CPU.asarray(path).tolist()) for path in result.paths}) == len(lengths)
    for path, length in zip(result.paths, lengths, strict=True):
        check_path(rows, path, source, target, length, weighted)


def test_battery(graph):
    n = graph.num_vertices
    for source, target in sorted({(0, n - 1), (n // 2, n // 3)}) if n else ():
        for weighted in (False, True) if graph.weighted else (False,):
            other = simple(graph, weighted)
            try:
                expected = list(islice(nx.shortest_simple_paths(other, source, target, "weight"), 4))
            except nx.NetworkXNoPath:
                expected = []
            result = mg.k_shortest_paths(graph, source, target, 4, weighted=weighted)
            check(graph, result, source, target, lengths_of(other, expected), weighted)
            xp = resolve(graph.device).xp
            assert all(isinstance(array, xp.ndarray) for array in (result.length, *result.paths))


def check_all_paths(graph, rows, source, target, weighted):
    other = simple(rows, weighted)
    paths = [[source]] if source == target else nx.all_simple_paths(other, source, target)
    lengths = sorted(lengths_of(other, paths))
    for k in (3, 10_000):
        result = mg.k_shortest_paths(graph, source, target, k, weighted=weighted)
        check(rows, result, source, target, lengths[:k], weighted)


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
    for weighted in (False, True):
        check_all_paths(graph, graph, source, target, weighted)


@pytest.mark.parametrize("directed", [False, True])
def test_over_slabs(device, directed):
    rows = mg.generate.uniform(9, 20, seed=3, directed=directed, weights=(0, 9), device=device)
    graph = slabs_of(rows, deleted=3)
    for weighted in (False, True):
        check_all_paths(graph, graph.to_graph(), 0, 8, weighted)


def test_fractions(device):
    """Lengths on the way are added up from the source on, so the first length is that of `sssp`."""
    made = mg.generate.lattice(12, 12, 0.9, seed=4, weights=(1, 99), device="cpu")
    graph = mg.Graph.from_csr(made.offsets, made.indices, made.weights * 0.37, directed=False, device=device)
    result = mg.k_shortest_paths(graph, 5, 140, 6, weighted=True)
    length = CPU.asarray(result.length)
    assert length[0] == pytest.approx(float(mg.sssp(graph, 5).distance[140]), rel=1e-15)
    assert (np.diff(length) >= -1e-12 * length[0]).all()
    for path, each in zip(result.paths, length, strict=True):
        check_path(graph, path, 5, 140, each, True, 1e-13)


def test_drivers_agree(device):
    graph = mg.generate.lattice(9, 9, 0.8, seed=2, weights=(1, 5), device=device)
    for weighted in (False, True):
        for driver in ("fused", "host"):
            result = mg.k_shortest_paths(graph, 0, 80, 5, weighted=weighted, driver=driver)
            expected = islice(nx.shortest_simple_paths(simple(graph, weighted), 0, 80, "weight"), 5)
            check(graph, result, 0, 80, lengths_of(simple(graph, weighted), expected), weighted)


def test_progress(device):
    told = []
    graph = mg.generate.cycle(6, device=device)
    mg.k_shortest_paths(graph, 0, 2, 5, progress=lambda *so_far: told.append(so_far))
    assert told == [(1, 5), (2, 5)]


@pytest.mark.parametrize(
    ("arguments", "options", "error", "complaint"),
    [
        ((4, 0, 1), {}, GraphError, "source 4 is not a vertex"),
        ((0, 4, 1), {}, GraphError, "target 4 is not a vertex"),
        ((0, 3, 0), {}, ProblemError, "k=0 must be at least 1"),
        ((0, 3, 2.0), {}, ProblemError, "k=2.0 must be a whole number"),
        ((0, 3, 2), {"progress": 5}, ProblemError, "progress=5: give a function"),
        ((0, 3, 2), {"driver": "bus"}, ProblemError, "driver='bus'"),
        ((0, 3, 2), {"weighted": True}, GraphError, "needs weights"),
    ],
)
def test_bad_arguments(device, arguments, options, error, complaint):
    with pytest.raises(error, match=complaint):
        mg.k_shortest_paths(mg.generate.path(4, device=device), *arguments, **options)


def test_in_edges_are_needed(device):
    graph = mg.DynamicGraph.from_edges([0, 1], [1, 2], directed=True, device=device)
    with pytest.raises(GraphError, match="in_edges=True"):
        mg.k_shortest_paths(graph, 0, 2, 1)
