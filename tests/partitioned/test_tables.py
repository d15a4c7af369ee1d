"""Results over a graph in parts as tables: a row for each vertex of the whole graph, in all processes."""

import numpy as np
import pytest

import minigr as mg
from minigr.errors import GraphError, ProblemError

pandas = pytest.importorskip("pandas")

GRAPH = mg.generate.rmat(6, 3, seed=4, weights=(1, 9), device="cpu")
SEARCHES = [mg.bfs, mg.sssp]
SCORES = [mg.pagerank, mg.hits, mg.eigenvector_centrality, mg.katz_centrality]
LABELS = [mg.connected_components, mg.label_propagation]
CASES = [(1, "auto"), (2, "hash"), (3, "ranges"), (4, "hash")]


def in_parts(devices):
    return [mg.PartitionedGraph.from_graph(GRAPH, devices=devices(count), deal=deal) for count, deal in CASES]


@pytest.mark.parametrize("app", SEARCHES)
def test_searches(app, devices):
    whole = app(GRAPH, 3).to_pandas()
    for parts in in_parts(devices):
        found = app(parts, 3).to_pandas()
        assert ((found.parent < 0) == (whole.parent < 0)).all()  # a vertex may have another one of its possible parents
        pandas.testing.assert_frame_equal(found.drop(columns="parent"), whole.drop(columns="parent"))
        assert found.parent.dtype == whole.parent.dtype


@pytest.mark.parametrize("app", [*SCORES, *LABELS])
def test_scores_and_labels(app, devices):
    whole = app(GRAPH).to_pandas()
    for parts in in_parts(devices):
        pandas.testing.assert_frame_equal(app(parts).to_pandas(), whole)


def test_names_of_vertices(devices):
    names = mg.Labels([f"v{number}" for number in range(GRAPH.num_vertices)])
    for parts in in_parts(devices):
        found = mg.bfs(parts, 3)
        table, parent = found.to_pandas(names), found.parent.gather()
        assert table.index.to_list() == list(names)
        assert (table.parent.notna().to_numpy() == (parent >= 0)).all()
        assert table.parent.dropna().to_list() == [f"v{vertex}" for vertex in parent if vertex >= 0]
        assert (table.depth.to_numpy() == mg.bfs(GRAPH, 3).depth).all()
    with pytest.raises(GraphError, match="got 64 values for 1 labels"):
        mg.bfs(parts, 3).to_pandas(mg.Labels(["one"]))


def test_a_table_of_a_file(devices, tmp_path):
    (tmp_path / "a.txt").write_text("70 500\n500 9000000000\n")
    graph = mg.read(tmp_path / "a.txt", relabel=True, devices=devices(2))
    assert mg.bfs(graph, 0).to_pandas().depth.to_dict() == {0: 0, 1: 1, 2: 2}
    empty = mg.PartitionedGraph.from_edges([], [], num_vertices=0, devices=devices(2))
    assert mg.pagerank(empty).to_pandas().shape == (0, 1)
    assert np.asarray(mg.pagerank(empty).rank).shape == (0,)


def test_columns_of_the_whole_graph(devices):
    parts = mg.PartitionedGraph.from_graph(GRAPH, devices=devices(2))
    towns = [f"town {vertex}" for vertex in range(GRAPH.num_vertices)]
    found = mg.bfs(parts, 3)
    assert found.to_pandas(graph=GRAPH.with_columns({"town": towns})).town.to_list() == towns
    with pytest.raises(
        ProblemError, match="graph must be a Graph, because a PartitionedGraph has no columns: pass the"
    ):
        found.to_pandas(graph=parts)
