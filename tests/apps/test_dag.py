"""Topological levels, longest paths and transitive reductions, over the battery and against NetworkX."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minigr as mg
from minigr.device import CPU, resolve
from minigr.errors import GraphError, ProblemError
from tests.apps.whoever_runs_it import check_drivers, check_drivers_without_trace
from tests.layouts import slabs_of
from tests.verifiers import arcs_of, check_cycle

ON_DAGS = (mg.dag_longest_path, mg.transitive_reduction)


def networkx_of(rows):
    src, dst, weights = arcs_of(rows)
    graph = nx.MultiDiGraph()
    graph.add_nodes_from(range(rows.num_vertices))
    graph.add_weighted_edges_from(zip(src, dst, np.ones(len(src)) if weights is None else weights, strict=True))
    return graph


def acyclic(rows, seed=0):
    """The edges of a graph along a random order of its vertices; self-loops are left out, and weights are lowered."""
    src, dst, weights = arcs_of(rows)
    place = np.random.default_rng(seed).permutation(rows.num_vertices)
    kept = place[src] < place[dst]
    weights = None if weights is None else (weights - 3)[kept]
    options = {"num_vertices": rows.num_vertices, "directed": True, "device": rows.device}
    return mg.Graph.from_edges(src[kept], dst[kept], weights, **options)


def levels_of(rows):
    """-1 where a cycle stands before a vertex."""
    level, graph = np.full(rows.num_vertices, -1), networkx_of(rows)
    generations = nx.topological_generations(graph)
    number = 0
    while True:
        try:
            level[next(generations)] = number
        except (StopIteration, nx.NetworkXUnfeasible):
            return level
        number += 1


def check_levels(rows, result):
    level = CPU.asarray(result.level)
    expected = levels_of(rows)
    np.testing.assert_array_equal(level, expected)
    assert level.dtype == np.int32
    assert result.num_levels == level.max(initial=-1) + 1
    assert result.acyclic == (result.cycle is None) == (level >= 0).all()
    if result.cycle is not None:
        check_cycle(rows, result.cycle)
        assert result.cycle[0] == min(result.cycle)
        assert (level[list(result.cycle)] == -1).all()
    there = np.flatnonzero(level >= 0)
    np.testing.assert_array_equal(CPU.asarray(result.order), there[np.argsort(level[there], kind="stable")])


def check_longest(rows, result, weights):
    """Lengths by their recurrence, with the edges of each vertex in the order of levels; parents and the path."""
    src, dst, _ = arcs_of(rows)
    length, parent = np.zeros(rows.num_vertices, weights.dtype), np.full(rows.num_vertices, -1)
    level = levels_of(rows)
    for number in range(level.max(initial=0)):
        into = level[dst] == number + 1
        np.maximum.at(length, dst[into], length[src[into]] + weights[into])
    tight = length[src] + weights == length[dst]
    np.maximum.at(parent, dst[tight], src[tight])
    np.testing.assert_array_equal(CPU.asarray(result.length), length)
    np.testing.assert_array_equal(CPU.asarray(result.parent), parent)
    assert CPU.asarray(result.length).dtype == weights.dtype
    path = CPU.asarray(result.path)
    assert result.longest == length.max(initial=0)
    assert type(result.longest) is (int if length.dtype == np.int32 else float)
    if rows.num_vertices == 0:
        assert len(path) == 0
        return
    assert path[-1] == length.argmax()
    assert parent[path[0]] == -1
    np.testing.assert_array_equal(parent[path[1:]], path[:-1])


def check_reduction(rows, result):
    graph = networkx_of(rows)
    expected = sorted(nx.transitive_reduction(graph).edges)
    src, dst, edges = (CPU.asarray(found) for found in (result.src, result.dst, result.edges))
    assert list(zip(src.tolist(), dst.tolist(), strict=True)) == expected
    assert result.num_edges == len(expected)
    of_rows = arcs_of(rows)
    np.testing.assert_array_equal(of_rows[0][edges], src)
    np.testing.assert_array_equal(of_rows[1][edges], dst)
    before = np.maximum(edges - 1, 0)  # no edge before it is parallel
    assert not ((of_rows[0][before] == src) & (of_rows[1][before] == dst) & (edges > 0)).any()


def test_levels_over_the_battery(graph):
    if not graph.directed:
        with pytest.raises(GraphError, match=r"^topological_levels takes a directed graph.*directed=True"):
            mg.topological_levels(graph)
        return
    result = mg.topological_levels(graph)
    assert isinstance(result.level, resolve(graph.device).xp.ndarray)
    check_levels(graph, result)
    if not result.acyclic:
        for call in ON_DAGS:
            with pytest.raises(
                GraphError, match=rf"^{call.__name__} takes a graph without cycles.* {result.cycle[0]} ->"
            ):
                call(graph)


def test_acyclic_graphs_over_the_battery(graph):
    dag = acyclic(graph)
    result = mg.topological_levels(dag)
    check_levels(dag, result)
    assert result.acyclic
    check_longest(dag, mg.dag_longest_path(dag), np.ones(dag.num_arcs, np.int32))
    if dag.weighted:
        check_longest(dag, mg.dag_longest_path(dag, weighted=True), arcs_of(dag)[2])
    check_reduction(dag, mg.transitive_reduction(dag))


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7), st.integers(-2, 3)), max_size=16))
def test_small_graphs(edges):
    src, dst, weights = np.array(edges, np.int64).reshape(-1, 3).T
    graph = mg.Graph.from_edges(src, dst, weights, num_vertices=8, directed=True, device="cpu")
    check_levels(graph, mg.topological_levels(graph))
    dag = acyclic(graph, seed=len(edges))
    check_longest(dag, mg.dag_longest_path(dag, weighted=True), arcs_of(dag)[2].astype(np.float64))
    check_reduction(dag, mg.transitive_reduction(dag))


def layers(device, width=150, depth=5, each=3, seed=5):
    """More vertices with edges that pass a level than are searched from at a time, over several levels."""
    random = np.random.default_rng(seed)
    count = width * depth
    src = np.repeat(np.arange(count), each)
    dst = src + random.integers(1, 3 * width, len(src))
    inside, mixed = dst < count, random.permutation(count)
    weights = random.integers(-3, 9, len(src)).astype(np.float32)
    ends = mixed[src[inside]], mixed[dst[inside]]
    return mg.Graph.from_edges(*ends, weights[inside], num_vertices=count, directed=True, device=device)


def test_many_searches(device):
    graph, told = layers(device), []
    check_reduction(graph, mg.transitive_reduction(graph, progress=lambda done, of: told.append((done, of))))
    assert len(told) > 3
    assert told == [(done, len(told)) for done in range(1, len(told) + 1)]


def test_over_slabs(device):
    graph = layers(device)
    slabs = slabs_of(graph)
    rows = slabs.to_graph()
    check_levels(rows, mg.topological_levels(slabs))
    check_longest(rows, mg.dag_longest_path(slabs), np.ones(rows.num_arcs, np.int32))
    check_longest(rows, mg.dag_longest_path(slabs, weighted=True), arcs_of(rows)[2])
    check_reduction(rows, mg.transitive_reduction(slabs))


def test_deleted_vertices_and_cycles_that_come_and_go(device):
    graph = mg.DynamicGraph.from_edges([0, 1, 2, 3, 0], [1, 2, 3, 1, 4], [1.0, 2.0, 3.0, 4.0, 5.0], directed=True,
                                       device=device)  # fmt: skip
    result = mg.topological_levels(graph)
    assert (CPU.asarray(result.level).tolist(), result.cycle) == ([0, -1, -1, -1, 1], (1, 2, 3))
    graph.delete_vertices([2])
    result = mg.topological_levels(graph)
    assert (CPU.asarray(result.level).tolist(), result.cycle) == ([0, 1, -1, 0, 1], None)
    found = mg.dag_longest_path(graph, weighted=True)
    assert CPU.asarray(found.length).tolist() == [0, 4, -1, 0, 5]
    assert (found.longest, CPU.asarray(found.path).tolist()) == (5, [0, 4])
    graph.delete_vertices([0, 1, 3, 4])
    for weighted in (False, True):
        found = mg.dag_longest_path(graph, weighted=weighted)
        assert (found.longest, CPU.asarray(found.path).tolist()) == (0, [])


def test_a_long_path_and_a_long_cycle(device):
    path = mg.generate.path(3000, directed=True, device=device)
    assert CPU.asarray(mg.topological_levels(path).level).tolist() == list(range(3000))
    assert mg.dag_longest_path(path).longest == 2999
    assert mg.transitive_reduction(path).num_edges == 2999
    cycle = mg.generate.cycle(3000, directed=True, device=device)
    assert mg.topological_levels(cycle).cycle == tuple(range(3000))
    with pytest.raises(GraphError, match=r"the cycle 0 -> 1 -> 2 -> 3 -> 4 -> \.\.\. -> 0: leave out"):
        mg.dag_longest_path(cycle)


@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_infinite_weights(value):
    graph = mg.Graph.from_edges([0, 1], [1, 2], [1.0, value], directed=True, device="cpu")
    with pytest.raises(GraphError, match="finite weights, but weights go from"):
        mg.dag_longest_path(graph, weighted=True)
    assert mg.dag_longest_path(graph).longest == 2


def test_a_length_out_of_range():
    graph = mg.Graph.from_edges([0, 1, 2], [1, 2, 3], [1.7e308, 1.7e308, -5.0], directed=True, device="cpu")
    result = mg.dag_longest_path(graph, weighted=True)
    assert (result.longest, result.path.tolist()) == (np.inf, [0, 1, 2])


def test_what_is_refused():
    plain = mg.generate.path(3, directed=True, device="cpu")
    with pytest.raises(GraphError, match="weighted=True needs weights"):
        mg.dag_longest_path(plain, weighted=True)
    for call in ON_DAGS:
        with pytest.raises(GraphError, match=rf"^{call.__name__} takes a directed graph"):
            call(mg.generate.path(3, device="cpu"))
    for call in (mg.topological_levels, *ON_DAGS):
        with pytest.raises(ProblemError, match="balance"):
            call(plain, balance="best")


def test_drivers_agree(device):
    graph = layers(device)
    levels = levels_of(graph)
    check_drivers(mg.topological_levels, lambda result: result.level, graph, levels)
    check_drivers(mg.dag_longest_path, lambda result: result.length, graph, levels)
    check_drivers_without_trace(mg.transitive_reduction, lambda result: result.edges, graph)
