"""Apps and enactors that run over all graphs of a batch as one."""

import networkx as nx
import numpy as np
import pytest

import minigr as mg
from minigr.apps.bfs import BFSEnactor
from minigr.device import CPU
from minigr.errors import GraphError, ProblemError
from tests.batch.sets import batch_of, weighted


def test_components(device, graphs):
    result = mg.batch.components(batch_of(graphs, device))
    for found, count, graph in zip(result, CPU.asarray(result.num_components), graphs, strict=True):
        parts = list(nx.connected_components(graph.to_undirected()))
        assert count == len(parts)
        least = {vertex: min(part) for part in parts for vertex in part}
        assert CPU.asarray(found).tolist() == [least[vertex] for vertex in range(len(graph))]


def test_triangles(device, graphs):
    result = mg.batch.triangles(batch_of(graphs, device))
    for found, total, graph in zip(result, CPU.asarray(result.total), graphs, strict=True):
        expected = list(nx.triangles(graph.to_undirected()).values())
        assert CPU.asarray(found).tolist() == expected
        assert total == sum(expected) // 3


def test_coloring(device, graphs):
    result = mg.batch.coloring(batch_of(graphs, device))
    for found, count, graph in zip(result, CPU.asarray(result.num_colors), graphs, strict=True):
        color = CPU.asarray(found)
        assert count == len(set(color.tolist()))
        assert count <= 1 + max(dict(graph.to_undirected().degree).values(), default=0)
        assert all(color[u] != color[v] for u, v in graph.edges if u != v)


@pytest.mark.parametrize("by_weight", [False, True])
def test_pagerank(device, graphs, by_weight):
    graphs = weighted([graph.copy() for graph in graphs])
    result = mg.batch.pagerank(batch_of(graphs, device, "weight" if by_weight else None), tol=1e-12)
    assert result.converged
    for i, (found, graph) in enumerate(zip(result, graphs, strict=True)):
        tol = 1e-13 / max(len(graph), 1)  # NetworkX stops at vertices times this
        expected = nx.pagerank(graph, tol=tol, max_iter=2000, weight="weight" if by_weight else None)
        expected = list(expected.values()) if expected else np.empty(0)
        np.testing.assert_allclose(CPU.asarray(found), expected, rtol=1e-8, atol=1e-12, err_msg=f"graph {i}")


def test_each_graph_is_as_near_as_it_would_be_alone(device):
    graphs = [nx.path_graph(2), nx.path_graph(7), nx.lollipop_graph(5, 80)]
    batch = batch_of(graphs, device)
    result, exact = mg.batch.pagerank(batch, tol=1e-4), mg.batch.pagerank(batch, tol=1e-13)
    for found, right, graph in zip(result, exact, graphs, strict=True):
        alone = mg.pagerank(mg.Graph.from_networkx(graph, device=device), tol=1e-4).rank
        assert abs(found - right).sum() <= abs(alone - right).sum() + 1e-9


@pytest.mark.parametrize("name", ["components", "triangles", "coloring", "pagerank", "closeness", "betweenness"])
def test_tables(device, name):
    batch = mg.GraphBatch.from_graphs([nx.path_graph(3), nx.empty_graph(0), nx.star_graph(3)], device=device)
    result = getattr(mg.batch, name)(batch)
    table = result.to_pandas()
    assert table.index.to_list() == [(0, 0), (0, 1), (0, 2), (2, 0), (2, 1), (2, 2), (2, 3)]
    [column] = table.columns
    for number in (0, 2):
        assert table.loc[number][column].to_list() == result[number].tolist()


def test_pagerank_parameters(device):
    batch = mg.GraphBatch.from_graphs([[(0, 1), (1, 2)]], device=device)
    with pytest.raises(ProblemError, match="damping=1"):
        mg.batch.pagerank(batch, damping=1)
    assert not mg.batch.pagerank(batch, max_iter=1).converged


@pytest.mark.parametrize("name", ["components", "triangles", "coloring", "pagerank"])
def test_no_graphs_and_no_batch(device, name):
    app = getattr(mg.batch, name)
    assert list(app(mg.GraphBatch.from_graphs([], device=device))) == []
    with pytest.raises(GraphError, match=f"{name} expects a GraphBatch, got Graph"):
        app(mg.generate.path(3, device=device))


def test_an_enactor_over_all_graphs(device):
    """A search from one vertex of each graph, by the enactor of the app for one."""
    graphs = [nx.path_graph(40), nx.star_graph(5), nx.empty_graph(1), nx.cycle_graph(9)]
    batch = batch_of(graphs, device)
    enactor = BFSEnactor(batch.graph)
    source = [3, 1, 0, 8]
    enactor.run(batch.vertices(source))
    depths = batch.split(CPU.asarray(enactor.problem.depth))
    for depth, graph, vertex in zip(depths, graphs, source, strict=True):
        expected = nx.single_source_shortest_path_length(graph, vertex)
        assert depth.tolist() == [expected[v] for v in graph]
