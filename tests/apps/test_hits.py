"""HITS over the battery, by its residual and against singular vectors."""

import networkx as nx
import numpy as np
import pytest

import minigr as mg
from minigr.device import CPU, resolve
from minigr.errors import GraphError, ProblemError
from tests.layouts import slabs_of
from tests.verifiers import check_hits


def test_battery(graph):
    result = mg.hits(graph, max_iter=20_000)
    assert isinstance(result.hub, resolve(graph.device).xp.ndarray)
    assert result.converged
    check_hits(graph, result.hub, result.authority, tol=1e-7)  # authorities are those of the hubs one step before


@pytest.mark.parametrize("weights", [None, (1, 9)])
@pytest.mark.parametrize("directed", [False, True])
def test_like_networkx(device, directed, weights):
    for dtype, layout in (("float64", lambda rows: rows), ("int64", slabs_of)):
        rows = mg.generate.rmat(8, 8, seed=1, directed=directed, weights=weights, weight_dtype=dtype, device=device)
        expected = nx.hits(rows.to_networkx())
        result = mg.hits(layout(rows), tol=1e-12, max_iter=1000)
        for found, right in zip((result.hub, result.authority), expected, strict=True):
            np.testing.assert_allclose(CPU.asarray(found), [right[v] for v in range(256)], atol=1e-9)


def test_deleted_vertices_are_no_hubs(device):
    graph = mg.DynamicGraph.from_edges([0, 0, 1, 4, 4], [2, 3, 3, 2, 3], in_edges=True, device=device)
    graph.delete_vertices([4])
    result = mg.hits(graph, tol=1e-12)
    check_hits(graph.to_graph(), result.hub, result.authority)
    assert CPU.asarray(result.hub)[4] == 0


@pytest.mark.parametrize("threads", ["1", "3"])
def test_the_same_in_every_run(device, threads, monkeypatch):
    monkeypatch.setenv("MINIGR_NUM_THREADS", threads)
    graph = mg.generate.rmat(11, 8, seed=5, directed=True, device=device)
    first, second = (CPU.asarray(mg.hits(graph).hub) for _ in range(2))
    np.testing.assert_array_equal(first, second)
    for other in (mg.hits(graph, driver="fused"), mg.hits(graph, trace=True)):
        np.testing.assert_allclose(CPU.asarray(other.hub), first, rtol=1e-9, atol=1e-15)


def test_it_says_whether_it_converged(device):
    graph = mg.generate.rmat(7, 6, seed=3, directed=True, device=device)
    few = mg.hits(graph, max_iter=2)
    assert (few.converged, few.iterations) == (False, 2)
    enough = mg.hits(graph)
    assert mg.hits(graph, max_iter=enough.iterations).converged
    assert not mg.hits(graph, max_iter=enough.iterations - 1).converged


def test_bad_input(device):
    graph = mg.generate.path(3, device=device)
    for tol in (0.0, -1.0, float("nan")):
        with pytest.raises(ProblemError, match="tol"):
            mg.hits(graph, tol)
    with pytest.raises(GraphError, match="weights of at least 0"):
        mg.hits(mg.Graph.from_edges([0], [1], [-1.0], device=device))
    with pytest.raises(GraphError, match="in_edges=True"):
        mg.hits(mg.DynamicGraph.from_edges([0], [1], device=device))
