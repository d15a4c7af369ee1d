"""Eccentricities and diameters, over the battery and against searches from all vertices and NetworkX."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minigr as mg
from minigr.apps.eccentricity import bounds
from minigr.apps.eccentricity.bounds import Bounds
from minigr.device import CPU, resolve
from minigr.errors import GraphError, ProblemError
from tests.apps.whoever_runs_it import check_drivers_without_trace
from tests.layouts import slabs_of
from tests.verifiers import arcs_of


def hops_of(rows):
    """int[n, n], -1 where there is no path."""
    src, dst, _ = arcs_of(rows)
    graph = nx.DiGraph(zip(src.tolist(), dst.tolist(), strict=True))
    graph.add_nodes_from(range(rows.num_vertices))
    hops = np.full((rows.num_vertices, rows.num_vertices), -1)
    for source, lengths in nx.all_pairs_shortest_path_length(graph):
        hops[source, list(lengths)] = list(lengths.values())
    return hops


def check(graph, hops, there=None):
    """All that is found, where the hops between all vertices are known; `there`: the vertices that are."""
    there = np.arange(graph.num_vertices) if there is None else np.asarray(there)
    expected = np.full(graph.num_vertices, -1)
    expected[there] = hops[there].max(axis=1, initial=-1)
    result = mg.eccentricity(graph)
    assert CPU.asarray(result.eccentricity).dtype == np.int32
    np.testing.assert_array_equal(CPU.asarray(result.eccentricity), expected)
    greatest = expected[there].max(initial=0)
    least = expected[there].min() if len(there) else 0
    assert (result.diameter, result.radius) == (greatest, least)
    if len(there):
        np.testing.assert_array_equal(CPU.asarray(result.center), np.flatnonzero(expected == least))
        np.testing.assert_array_equal(CPU.asarray(result.periphery), np.flatnonzero(expected == greatest))
    if graph.directed:
        return
    for most in (None, 1, 2, 3):
        found = mg.diameter(graph, max_searches=most)
        assert found.lower <= greatest <= found.upper
        assert found.diameter == (greatest if found.lower == found.upper else None)
        assert (found.ends is None) == (len(there) == 0)
        assert found.ends is None or hops[found.ends] == found.lower
        if most is None:
            assert found.lower == found.upper
        else:
            assert found.num_searches <= most


def test_battery(graph):
    check(graph, hops_of(graph))
    result = mg.eccentricity(graph)
    assert isinstance(result.eccentricity, resolve(graph.device).xp.ndarray)
    if graph.directed:
        with pytest.raises(GraphError, match=r"^diameter takes an undirected graph.*eccentricity\(graph\)\.diameter"):
            mg.diameter(graph)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=20), st.booleans(), st.integers(0, 2))
def test_small_graphs(edges, directed, alone):
    src, dst = np.array(edges, np.int32).reshape(-1, 2).T
    graph = mg.Graph.from_edges(src, dst, num_vertices=12, directed=directed, device="cpu")
    with pytest.MonkeyPatch.context() as patch:  # so that searches from many vertices have something left to find
        for name in ("_ALONE", "_ALONE_FOR_DIAMETER"):
            patch.setattr(bounds, name, max(alone, 1))
        check(graph, hops_of(graph))


@pytest.mark.parametrize("kind", ["cycle", "complete", "lattice", "forest"])
def test_many_vertices_that_are_alike(device, kind):
    graph = {
        "cycle": lambda: mg.generate.cycle(301, device=device),
        "complete": lambda: mg.generate.complete(150, device=device),
        "lattice": lambda: mg.generate.lattice(17, 23, 0.8, seed=1, device=device),
        "forest": lambda: mg.generate.uniform(400, 300, seed=3, device=device),
    }[kind]()
    check(graph, hops_of(graph))
    assert mg.eccentricity(graph).num_searches < 20


def test_few_searches(device):
    """Of a graph whose vertices are not alike, far fewer than it has vertices."""
    graph = mg.generate.lattice(60, 60, device=device)
    told = []
    result = mg.eccentricity(graph, progress=lambda done, of: told.append((done, of)))
    assert (result.diameter, result.radius) == (118, 60)
    assert result.num_searches == len(told) < 15
    assert told == sorted(told)
    assert told[-1] == (3600, 3600)
    assert mg.diameter(graph).num_searches < 15
    assert mg.diameter(graph, max_searches=2).lower >= 115


def test_vertices_that_are_given(device):
    graph = mg.generate.lattice(12, 12, 0.7, seed=2, device=device)
    hops, told, some = hops_of(graph), [], [5, 3, *range(20, 100)]
    result = mg.eccentricity(graph, some, progress=lambda done, of: told.append((done, of)))
    expected = np.full(144, -1)
    expected[some] = hops[some].max(axis=1)
    np.testing.assert_array_equal(CPU.asarray(result.eccentricity), expected)
    assert (result.diameter, result.radius) == (expected[some].max(), expected[some].min())
    assert told == [(64, 82), (82, 82)]
    none = mg.eccentricity(graph, [])
    assert (none.diameter, none.radius, none.num_searches) == (0, 0, 0)


def test_over_slabs(device):
    rows = mg.generate.lattice(15, 20, 0.7, seed=4, device=device)
    check(slabs_of(rows), hops_of(rows))
    turned = mg.generate.uniform(100, 220, seed=5, directed=True, device=device)
    check(slabs_of(turned), hops_of(turned))


def test_deleted_vertices(device):
    graph = mg.DynamicGraph.from_edges([0, 1, 2, 3, 4], [1, 2, 3, 4, 5], directed=False, device=device)
    graph.delete_vertices([2])
    check(graph, hops_of(graph.to_graph()), [0, 1, 3, 4, 5])
    assert CPU.asarray(mg.eccentricity(graph).eccentricity).tolist() == [1, 1, -1, 2, 1, 2]


def test_what_is_refused():
    graph = mg.generate.path(4, device="cpu")
    with pytest.raises(GraphError, match="diameter: max_searches"):
        mg.diameter(graph, max_searches=0)
    with pytest.raises(GraphError, match="source 4 is not a vertex"):
        mg.eccentricity(graph, [4])
    with pytest.raises(ProblemError, match="given more than once"):
        mg.eccentricity(graph, [1, 1])


def test_drivers_agree(device):
    graph = mg.generate.lattice(20, 20, 0.7, seed=1, device=device)
    check_drivers_without_trace(mg.eccentricity, lambda result: result.eccentricity, graph)
    check_drivers_without_trace(mg.diameter, lambda result: np.array([result.lower, *result.ends]), graph)


def test_bounds_hold_after_each_search(device):
    graph = mg.generate.lattice(14, 14, 0.75, seed=6, device=device)
    exact = hops_of(graph).max(axis=1)
    for most in range(1, 12):
        found = Bounds(graph, "auto", only_diameter=False)
        found.tighten(most, None)
        assert (CPU.asarray(found.problem.lower) <= exact).all()
        assert (CPU.asarray(found.problem.upper) >= exact).all()
