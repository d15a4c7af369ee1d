"""Columns of vertices and edges, and that editing a graph keeps them with their vertices and edges."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minigr as mg
from minigr.device import CPU
from minigr.errors import GraphError

N = 6
EDITS = {
    "subgraph": lambda graph: (graph.subgraph([4, 0, 3, 1]), [4, 0, 3, 1]),
    "edge_subgraph": lambda graph: (graph.edge_subgraph(np.arange(graph.num_edges) % 3 != 1), None),
    "edges_by_id": lambda graph: (graph.edge_subgraph(np.arange(0, graph.num_arcs, 2)), None),
    "simplify": lambda graph: (graph.simplify("max"), None),
    "simplify_with_loops": lambda graph: (graph.simplify(self_loops=True), None),
    "to_undirected": lambda graph: (graph.to_undirected(), None),
    "each_to_undirected": lambda graph: (graph.to_undirected("each"), None),
    "reverse": lambda graph: (graph.reverse(), None),
    "to": lambda graph: (graph.to("cpu"), None),
    "with_weights": lambda graph: (graph.with_weights(np.ones(graph.num_edges)), None),
    "without_weights": lambda graph: (graph.without_weights(), None),
    "largest_component": lambda graph: of_subgraph(mg.largest_component(graph)),
    "ego_graph": lambda graph: of_subgraph(mg.ego_graph(graph, 0, 1)),
    "filter_graph": lambda graph: of_subgraph(mg.filter_graph(graph, vertices=Even, edges=Forward)),
}


class Even(mg.Functor):
    def cond_filter(vertex):
        return vertex % 2 == 0


class Forward(mg.Functor):
    def cond_filter(src, dst):
        return src <= dst


def of_subgraph(found):
    return found.graph, CPU.asarray(found.vertices).tolist()


def with_names(pairs, directed, device, *, weighted=True):
    """A graph whose columns name vertices and edges: an edge by its ends and, with weights, by its number."""
    src, dst = np.array(pairs, np.int32).reshape(-1, 2).T
    weights = np.arange(len(src)) if weighted else None
    graph = mg.Graph.from_edges(src, dst, weights, num_vertices=N, directed=directed, device=device)
    ends = [CPU.asarray(array).tolist() for array in graph.to_edges() if array is not None]
    return graph.with_columns(
        vertices={"name": [f"v{v}" for v in range(N)]}, edges={"edge": np.fromiter(zip(*ends, strict=True), object)}
    )


def check_ends(graph, made, vertices, *, directed):
    """Check that names of edges match their ends and occur at most once, and that vertices have their names."""
    vertices = range(N) if vertices is None else vertices
    assert made.vertex_columns["name"].tolist() == [f"v{v}" for v in vertices]
    names = made.edge_columns["edge"].tolist()
    src, dst = (CPU.asarray(array).tolist() for array in made.to_edges()[:2])
    assert len(names) == len(set(names)) == len(src)
    assert set(names) <= set(graph.edge_columns["edge"].tolist())
    for name, u, v in zip(names, src, dst, strict=True):
        ends = [vertices[u], vertices[v]]
        assert list(name[:2]) == ends if directed else sorted(name[:2]) == sorted(ends)


PAIRS = [(0, 1), (1, 0), (0, 1), (2, 2), (3, 4), (4, 1), (1, 4), (0, 3), (2, 2), (0, 5), (5, 5)]


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("edit", EDITS)
def test_go_along(device, edit, weighted, directed):
    pairs = PAIRS if weighted else sorted(set(PAIRS)) if directed else [(0, 1), (2, 2), (3, 4), (4, 1), (0, 3)]
    graph = with_names(pairs, directed, device, weighted=weighted)
    made, vertices = EDITS[edit](graph)
    if edit == "reverse" and directed:
        turned = [(v, u, *rest) for u, v, *rest in made.edge_columns["edge"].tolist()]
        src, dst = (CPU.asarray(array).tolist() for array in made.to_edges()[:2])
        assert [name[:2] for name in turned] == list(zip(src, dst, strict=True))
    else:
        check_ends(graph, made, vertices, directed=made.directed)
    if weighted and edit in ("subgraph", "edge_subgraph", "edges_by_id", "each_to_undirected", "reverse", "to"):
        assert [name[2] for name in made.edge_columns["edge"].tolist()] == CPU.asarray(made.to_edges()[2]).tolist()


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.tuples(st.integers(0, N - 1), st.integers(0, N - 1)), max_size=25),
    st.booleans(),
    st.sampled_from([name for name in EDITS if name not in ("reverse", "filter_graph")]),
)
def test_a_column_follows_its_edge(pairs, directed, edit):
    graph = with_names(pairs, directed, "cpu")
    made, vertices = EDITS[edit](graph)
    check_ends(graph, made, vertices, directed=made.directed)


def test_of_edges_that_become_one_the_first(device):
    graph = mg.Graph.from_edges([0, 1, 0], [1, 0, 1], [5, 7, 3], directed=True, device=device)
    graph = graph.with_columns(edges={"name": ["a", "b", "c"]})  # 0-1 with weight 5, 0-1 with weight 3, 1-0
    for made in (graph.simplify("min"), graph.to_undirected("max")):
        assert made.edge_columns["name"].tolist() == ["a", "c"][: made.num_edges]


def test_contract_drops_them(device):
    made = with_names(PAIRS, False, device).contract([0, 0, 1, 1, 2, 2])
    assert not made.vertex_columns
    assert not made.edge_columns


def test_joined_replaced_and_dropped(device):
    graph = mg.generate.path(3, device=device)
    assert graph.without_columns() is graph
    assert not graph.vertex_columns
    more = graph.with_columns({"a": [1, 2, 3]}).with_columns({"a": [4, 5, 6], "b": [True, False, True]}, {"c": "xy"})
    assert list(more.vertex_columns) == ["a", "b"]
    assert more.vertex_columns["a"].tolist() == [4, 5, 6]
    assert more.edge_columns["c"].tolist() == ["x", "y"]
    assert more.indices is graph.indices
    assert not graph.vertex_columns
    assert not more.without_columns().edge_columns
    with pytest.raises(KeyError, match="no column 'd'; there are: 'a', 'b'"):
        more.vertex_columns["d"]


@pytest.mark.parametrize(
    "column",
    [
        np.array([1.5, 2.5, 3.5]),
        pd.Series([1, 2, 3], index=[7, 8, 9]),
        pd.Series(["x", "y", "x"], dtype="category"),
        pd.array([1, None, 3], dtype="Int64"),
        pd.date_range("2026-01-01", periods=3),
        [1, "two", None],
        [1, "two", 3],
        range(3),
    ],
    ids=lambda column: type(column).__name__,
)
def test_kinds_of_columns(column):
    graph = mg.generate.path(3, device="cpu").with_columns({"given": column})
    taken = pd.Series(graph.subgraph([2, 0]).vertex_columns["given"])
    assert list(taken.isna()) == list(pd.Series(column).isna())[::-2]
    assert taken.dropna().tolist() == [value for value in list(column)[::-2] if not pd.isna(value)]


@pytest.mark.parametrize("chunked", [False, True])
def test_arrow(chunked):
    pa = pytest.importorskip("pyarrow")
    column = pa.array(["a", None, "c"])
    column = pa.chunked_array([column]) if chunked else column
    graph = mg.generate.path(3, device="cpu").with_columns({"given": column})
    assert graph.vertex_columns["given"] is column
    assert graph.subgraph([2, 1]).vertex_columns["given"].to_pylist() == ["c", None]


def test_polars():
    pl = pytest.importorskip("polars")
    graph = mg.generate.path(3, device="cpu").with_columns({"given": pl.Series(["a", "b", "c"])})
    assert graph.subgraph([2, 1]).vertex_columns["given"].tolist() == ["c", "b"]


@pytest.mark.parametrize("library", ["pandas.DataFrame", "polars.DataFrame", "pyarrow.table"])
def test_tables(library):
    package, kind = library.split(".")
    table = getattr(pytest.importorskip(package), kind)({"name": ["a", "b", "c"], "age": [1, 2, 3]})
    graph = mg.generate.path(3, device="cpu").with_columns(table).subgraph([2])
    assert {name: list(map(str, column)) for name, column in graph.vertex_columns.items()} == {
        "name": ["c"],
        "age": ["3"],
    }


def test_arrays_of_the_graphs_device(device):
    graph = mg.generate.path(3, device=device)
    graph = graph.with_columns({"rank": mg.pagerank(graph).rank}, {"weight": graph.to_edges()[0]})
    assert isinstance(graph.vertex_columns["rank"], np.ndarray)
    assert graph.edge_columns["weight"].tolist() == [0, 1]


def test_memory():
    columns = {"a": np.zeros(3), "b": ["x", None, "z"], "c": pd.Categorical(["x", "y", "x"])}
    graph = mg.generate.path(3, device="cpu").with_columns(columns)
    assert graph.vertex_columns.memory == 3 * 8 + 3 * 8 + columns["c"].nbytes
    assert graph.edge_columns.memory == 0
    assert graph.memory == graph.without_columns().memory


def test_tuples_of_one_length_are_values():
    places = [(1, 2), (3, 4), (5, 6)]
    graph = mg.generate.path(3, device="cpu").with_columns({"place": places})
    assert graph.subgraph([2, 0]).vertex_columns["place"].tolist() == [(5, 6), (1, 2)]


def test_pickled(device):
    graph = pickle.loads(pickle.dumps(mg.generate.path(3, device=device).with_columns({"a": [1, 2, 3]})))
    assert graph.vertex_columns["a"].tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"vertices": {"a": [1, 2]}}, "vertices: 'a' has length 2, but there are 3 vertices"),
        ({"edges": {"a": [1, 2, 3]}}, "edges: 'a' has length 3, but there are 2 edges"),
        ({"vertices": {1: [1, 2, 3]}}, "a column's name is a string, got 1"),
        ({"vertices": {"a": np.ones((3, 2))}}, r"'a' has shape \(3, 2\)"),
        ({"vertices": [1, 2, 3]}, "vertices: expected a pandas or polars DataFrame, an Arrow Table or a dict"),
        ({"vertices": {"a": 7}}, "vertices: 'a' is a column, got int"),
        ({"edges": {"a": np.ma.array([1, 2], mask=[0, 1])}}, r"a\[1\] is masked, so it has no value"),
        ({"edges": pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"])}, "edges: two columns are called 'a'"),
    ],
)
def test_refused(given, complaint):
    with pytest.raises(GraphError, match=complaint):
        mg.generate.path(3, device="cpu").with_columns(**given)
