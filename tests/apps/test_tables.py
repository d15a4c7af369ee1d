"""Results as tables of pandas."""

import dataclasses
import functools
import inspect
import pkgutil
from importlib import import_module

import numpy as np
import pandas as pd
import pytest

import minigr as mg
import minigr.apps
from minigr.apps.common.tables import VertexTable
from minigr.cli.algorithms import ALGORITHMS
from minigr.device import CPU
from minigr.errors import GraphError, ProblemError

NO_TABLES = {  # results without an element for each vertex, or each edge of those they list; what they have one for
    "BiconnectedResult": "for each arc of the graph, also twice for an edge",
    "CliqueResult": "for nothing: a number",
    "DiameterResult": "for nothing: a few numbers",
    "KShortestPathsResult": "for each path",
    "MaximumFlowResult": "for each arc of the graph",
    "NeighborSampleResult": "for each vertex and each edge of a sample",
    "PersonalizedPageRankResult": "for each source, and with `top` only some vertices",
    "RandomWalksResult": "for each walk",
    "RichClubResult": "for each degree",
    "ShortestPathResult": "for each vertex on a path",
}
NAMES = ["ann", "bob", "cleo", "dora", "emil", "fay"]
OF_VERTICES = [
    name
    for name, algorithm in ALGORITHMS.items()
    if algorithm.fields
    and algorithm.rows == "vertex"
    and name not in ("all-pairs", "personalized-pagerank")  # whose results are no table
]


@pytest.fixture
def graph(device):
    """Two triangles with a bridge, in which all algorithms find something."""
    src, dst = [0, 1, 2, 2, 3, 4, 5], [1, 2, 0, 3, 4, 5, 3]
    return mg.Graph.from_edges(src, dst, np.arange(1.0, 8.0), device=device)


def test_every_result_is_a_table_or_can_be_none():
    modules = [import_module(found.name) for found in pkgutil.walk_packages(minigr.apps.__path__, "minigr.apps.")
               if not found.name.endswith("_cuda")]  # fmt: skip
    results = {
        name: kind
        for module in modules
        for name, kind in inspect.getmembers(module, inspect.isclass)
        if name.endswith("Result") and dataclasses.is_dataclass(kind)
    }
    assert {name for name, kind in results.items() if not issubclass(kind, VertexTable)} == NO_TABLES.keys()
    for kind in results.values():
        fields = {field.name for field in dataclasses.fields(kind)}
        fields |= {name for name, value in vars(kind).items() if isinstance(value, functools.cached_property)}
        columns = getattr(kind, "_columns", ())
        assert fields.issuperset(columns)
        assert set(getattr(kind, "_vertices", ())) <= set(columns)


@pytest.mark.parametrize("name", OF_VERTICES)
def test_columns_are_the_arrays_for_vertices(graph, name):
    """Those that the command line writes."""
    algorithm = ALGORITHMS[name]
    if name in ("bipartite-matching", "topological-levels", "longest-path"):  # not of any graph
        graph = mg.Graph.from_edges(range(5), range(1, 6), directed=name != "bipartite-matching", device=graph.device)
    result = algorithm.call(graph, {"source": 0, "samples": 2})
    for labels in (None, mg.Labels(NAMES)):
        if name == "spanning-forest":
            continue  # whose table lists the edges of the forest
        table = result.to_pandas(labels)
        assert (table.index.name, table.index.to_list()) == ("vertex", list(range(6)) if labels is None else NAMES)
        if name == "multi-source-bfs":
            assert table.columns.to_list() == ["depth_0", "depth_1"]
            np.testing.assert_array_equal(table.to_numpy().T, CPU.asarray(result.depth))
            continue
        assert table.columns.to_list() == list(algorithm.fields)
        for field in set(algorithm.fields) - {"parent", "mate"}:
            column = CPU.asarray(getattr(result, field))
            assert table[field].dtype == column.dtype
            np.testing.assert_array_equal(table[field].to_numpy(), column)


@pytest.mark.parametrize(
    ("find", "more"),
    [
        (mg.bridges, "edges"),
        (mg.minimum_spanning_forest, "edges"),
        (lambda graph: mg.k_truss(graph, 3), "support"),
        (mg.similarity, "score"),
        (lambda graph: mg.most_similar(graph, 3), "score"),
    ],
)
def test_rows_are_edges(graph, find, more):
    result = find(graph)
    table, named = result.to_pandas(), result.to_pandas(mg.Labels(NAMES))
    assert table.columns.to_list() == named.columns.to_list()
    assert {"src", "dst", more} == set(table.columns)
    assert len(table) > 0
    for end in ("src", "dst"):
        numbers = CPU.asarray(getattr(result, end)).tolist()
        assert table[end].to_list() == numbers
        assert named[end].to_list() == [NAMES[number] for number in numbers]
    np.testing.assert_array_equal(named[more], CPU.asarray(getattr(result, more)))


@pytest.mark.parametrize("names", [NAMES, [10, 20, 30, 40, 50, 60]])
def test_parents_are_named(graph, names):
    result = mg.bfs(graph, 0)
    named, numbers = result.to_pandas(mg.Labels(names))["parent"], CPU.asarray(result.parent).tolist()
    assert pd.isna(named[names[0]])
    assert named.to_list()[1:] == [names[number] for number in numbers[1:]]
    assert result.to_pandas()["parent"].to_list() == numbers


def test_arrays_that_were_not_asked_for(graph):
    table = mg.triangle_count(graph, per_vertex=True).to_pandas()
    assert table.columns.to_list() == ["per_vertex"]


def test_other_labels_are_refused(graph):
    result = mg.pagerank(graph)
    with pytest.raises(GraphError, match="got 6 values for 5 labels"):
        result.to_pandas(mg.Labels(NAMES[:5]))
    for table in (result, mg.bridges(graph)):
        with pytest.raises(ProblemError, match=r"labels must be mg\.Labels, got list: use mg\.Labels\(names\)"):
            table.to_pandas(NAMES)
    with pytest.raises(IndexError, match="no vertex has the id 3: there are 3 labels"):
        mg.bridges(graph).to_pandas(mg.Labels(NAMES[:3]))


def test_columns_of_the_graph_beside_those_of_the_result(graph):
    graph = graph.with_columns(
        {"age": [30, 40, 50, 60, 70, 80]}, {"road": [f"A{number}" for number in range(graph.num_edges)]}
    )
    labels = mg.Labels(NAMES)
    table = mg.bfs(graph, 0).to_pandas(labels, graph=graph)
    assert table.columns.to_list() == ["depth", "parent", "age"]
    assert table["age"].to_dict() == dict(zip(NAMES, range(30, 90, 10), strict=True))
    src, dst, _ = (CPU.asarray(each).tolist() for each in graph.to_edges())
    roads = dict(zip(zip(src, dst, strict=True), graph.edge_columns["road"], strict=True))
    for found in (
        mg.minimum_spanning_forest(graph),
        mg.bridges(graph),
        mg.edge_betweenness_centrality(graph),
        mg.k_truss(graph, 3),
        mg.similarity(graph, [[3, 2], [2, 0], [1, 0]]),
    ):
        for row in found.to_pandas(graph=graph).itertuples():
            assert row.road == roads[min(row.src, row.dst), max(row.src, row.dst)]


def test_columns_of_parallel_edges(device):
    graph = mg.Graph.from_edges([0, 0, 1], [1, 1, 2], [5, 3, 4], device=device).with_columns(edges={"name": "abc"})
    assert mg.minimum_spanning_forest(graph).to_pandas(graph=graph)["name"].tolist() == ["b", "c"]
    with pytest.raises(GraphError, match="has parallel edges"):
        mg.similarity(graph, [[0, 1]]).to_pandas(graph=graph)


def test_columns_that_are_refused(graph):
    with pytest.raises(ProblemError, match="both the result and the graph have a column 'depth'"):
        mg.bfs(graph, 0).to_pandas(graph=graph.with_columns({"depth": range(6)}))
    with pytest.raises(ProblemError, match="has 3 values for 6 rows: pass the graph of the result"):
        mg.bfs(graph, 0).to_pandas(graph=mg.generate.path(3, device="cpu").with_columns({"age": [1, 2, 3]}))
    with pytest.raises(GraphError, match=r"the graph has no edge 0-5: .* or leave out graph="):
        mg.similarity(graph, [[0, 5]]).to_pandas(graph=graph.with_columns(edges={"road": range(graph.num_edges)}))
    other = mg.generate.path(2, device="cpu").with_columns(edges={"road": [1]})
    with pytest.raises(GraphError, match="the graph has no edge "):
        mg.minimum_spanning_forest(graph).to_pandas(graph=other)


@pytest.mark.parametrize("kind", ["array", "chunked_array"])
def test_columns_of_arrow(graph, kind):
    pa = pytest.importorskip("pyarrow")
    names = ["a", "b", None, "d", "e", "f"]
    graph = graph.with_columns({"name": getattr(pa, kind)([names] if kind == "chunked_array" else names)})
    table = mg.bfs(graph, 0).to_pandas(graph=graph)
    assert table["name"].fillna("-").tolist() == ["a", "b", "-", "d", "e", "f"]


def test_a_graph_that_has_no_columns_is_told(device):
    graph = mg.DynamicGraph.from_graph(mg.generate.path(3, device=device))
    with pytest.raises(ProblemError, match="a DynamicGraph has no columns"):
        mg.bfs(graph, 0).to_pandas(graph=graph)
    with pytest.raises(ProblemError, match="a list has no columns"):
        mg.minimum_spanning_forest(graph.to_graph()).to_pandas(graph=[])
    again = graph.to_graph().with_columns({"town": ["a", "b", "c"]})
    assert mg.bfs(graph, 0).to_pandas(graph=again)["town"].tolist() == ["a", "b", "c"]
