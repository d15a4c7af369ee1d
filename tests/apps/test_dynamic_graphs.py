"""The apps over dynamic graphs, against what they say of the same edges in rows, which other tests verify."""

import networkx as nx
import numpy as np
import pytest

import minigr as mg
from minigr.apps.components.programs import ComponentsEnactor
from minigr.device import CPU
from minigr.errors import GraphError, ProblemError
from tests.battery import BATTERY
from tests.layouts import slabs_of
from tests.verifiers import check_bfs, check_components, check_pagerank, check_sssp

FACTORIES = {name: make for name, make in BATTERY if name.endswith("-float32") or name.startswith("rmat")}


@pytest.fixture(params=list(FACTORIES))
def pair(request, device):
    """A dynamic graph and the same edges as a `Graph`."""
    graph = slabs_of(FACTORIES[request.param](device))
    return graph, graph.to_graph()


def sources(graph):
    n = graph.num_vertices
    return sorted({0, n - 1, int(CPU.asarray(graph.degree()).argmax())}) if n else []


def by_sampling(graph):
    """The components' labels and number, in the two steps that denser graphs get."""
    enactor = ComponentsEnactor(graph, max_iterations=2)
    enactor.run()
    return CPU.asarray(enactor.problem.label), int(enactor.problem.num_components[0])


def test_bfs(pair):
    graph, rows = pair
    for source in sources(graph):
        result = mg.bfs(graph, source)
        check_bfs(rows, source, result.depth, result.parent)
        np.testing.assert_array_equal(CPU.asarray(result.depth), CPU.asarray(mg.bfs(rows, source).depth))


def test_sssp(pair):
    graph, rows = pair
    for source in sources(graph):
        result = mg.sssp(graph, source)
        check_sssp(rows, source, result.distance, result.parent)
        np.testing.assert_array_equal(CPU.asarray(result.distance), CPU.asarray(mg.sssp(rows, source).distance))


def test_pagerank(pair):
    graph, rows = pair
    result = mg.pagerank(graph, tol=1e-12, max_iter=500)
    assert result.converged
    check_pagerank(rows, result.rank, tol=1e-12)
    expected = CPU.asarray(mg.pagerank(rows, tol=1e-12, max_iter=500).rank)
    np.testing.assert_allclose(CPU.asarray(result.rank), expected, rtol=1e-9, atol=1e-12)


def test_components(pair):
    graph, rows = pair
    result = mg.connected_components(graph)
    check_components(rows, result.label, result.num_components)
    if not graph.directed:
        sampled, count = by_sampling(graph)
        check_components(rows, sampled, count)


def test_a_search_in_both_directions(device):
    rows = mg.generate.rmat(13, 16, seed=11, device=device)
    graph = mg.DynamicGraph.from_graph(rows)
    source = int(CPU.asarray(graph.degree()).argmax())
    result = mg.bfs(graph, source, trace=True)
    check_bfs(rows, source, result.depth, result.parent)
    assert {row.direction for row in result.trace} == {"push", "pull"}


def test_answers_follow_updates(device):
    """Each update is seen by the next run, whatever moved."""
    rng = np.random.default_rng(2)
    graph = mg.DynamicGraph(200, directed=False, device=device)
    for step in range(6):
        src, dst = rng.integers(0, 200 + 10 * step, (2, 300), dtype=np.int32)
        graph.insert_edges(src, dst)
        graph.delete_edges(src[:120], dst[:120])
        graph.insert_vertices(10)
        result = mg.bfs(graph, int(src[-1]))
        expected = mg.bfs(graph.to_graph(), int(src[-1])).depth
        np.testing.assert_array_equal(CPU.asarray(result.depth), CPU.asarray(expected))
        components = mg.connected_components(graph)
        check_components(graph.to_graph(), components.label, components.num_components)


def test_without_in_edges(device):
    edges = [0, 1, 2, 3], [1, 2, 3, 0]
    graph = mg.DynamicGraph.from_edges(*edges, np.ones(4, np.float32), device=device)
    assert CPU.asarray(mg.bfs(graph, 1).depth).tolist() == [3, 0, 1, 2]
    assert CPU.asarray(mg.sssp(graph, 1).distance).tolist() == [3, 0, 1, 2]
    assert CPU.asarray(mg.connected_components(graph).label).tolist() == [0, 0, 0, 0]
    with pytest.raises(GraphError, match="in_edges=True"):
        mg.pagerank(graph)


def test_deleted_vertices_are_no_vertices(device):
    rows = mg.generate.rmat(6, 4, seed=3, device=device)
    graph = mg.DynamicGraph.from_graph(rows)
    gone = [3, 40, 41]
    graph.delete_vertices(gone)
    left = rows.to_networkx()
    left.remove_nodes_from(gone)
    left.remove_edges_from(list(nx.selfloop_edges(left)))
    found = CPU.asarray(mg.pagerank(graph, tol=1e-12, max_iter=500).rank)
    expected = nx.pagerank(left, tol=1e-13, max_iter=500)
    np.testing.assert_allclose(found, [expected.get(v, 0.0) for v in range(graph.num_vertices)], rtol=1e-6, atol=1e-12)
    with pytest.raises(GraphError, match="source 40 is not a vertex: it was deleted"):
        mg.bfs(graph, 40)
    with pytest.raises(ProblemError, match="a vertex that was deleted"):
        mg.pagerank(graph, personalization={3: 1.0})
    personal = mg.pagerank(graph, personalization={5: 1.0}, tol=1e-12, max_iter=500).rank
    expected = nx.pagerank(left, personalization={5: 1.0}, tol=1e-13, max_iter=500)
    np.testing.assert_allclose(
        CPU.asarray(personal), [expected.get(v, 0.0) for v in range(graph.num_vertices)], rtol=1e-6, atol=1e-12
    )


@pytest.mark.parametrize("directed", [False, True])
def test_components_without_deleted_vertices(device, directed):
    def check(labels, count):
        result = mg.connected_components(graph)
        assert (CPU.asarray(result.label).tolist(), result.num_components) == (labels, count)
        if not directed:
            sampled, found = by_sampling(graph)
            assert (sampled.tolist(), found) == (labels, count)

    src, dst = [0, 1, 2, 3, 5, 6], [1, 2, 3, 4, 6, 7]
    graph = mg.DynamicGraph.from_edges(src, dst, num_vertices=9, directed=directed, device=device)
    graph.delete_vertices([2, 5, 8])
    check([0, 0, -1, 3, 3, -1, 6, 6, -1], 3)
    graph.insert_edges([4], [6])
    graph.delete_edges([0], [1])
    check([0, 1, -1, 3, 3, -1, 3, 3, -1], 3)
    graph.delete_vertices([0, 1, 3, 4, 6, 7])
    check([-1] * 9, 0)
