"""Attributes of nodes and edges in GraphML and GML, which are columns of a graph."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import minigr as mg
from minigr.errors import FormatError

FORMATS = ["graphml", "gml"]
VERTICES = {
    "town": ["Ayr & Co", None, 'A "b" <c>', "ö"],
    "age": [30, 40, 50, 2**40],
    "km": [1.5, np.nan, np.inf, -np.inf],
    "some": [None, 7, None, 8],
}
EDGES = {
    "road": ["A1", "A2", "{3}", " A4\r\n ", ""],
    "lanes": [4, 2, 2, 6, 1],
    "open": [True, False, True, True, False],
}


@pytest.fixture(params=[False, True], ids=["undirected", "directed"])
def graph(request, device):
    """Parallel edges and a self-loop, whose columns differ."""
    src, dst, weights = [3, 1, 3, 2, 0], [0, 2, 0, 2, 1], [5.5, 6, 7, 8, 9]
    made = mg.Graph.from_edges(src, dst, weights, directed=request.param, device=device)
    return made.with_columns(VERTICES, EDGES)


def plain(columns):
    """Columns as lists, in which None stands for what is missing."""
    lists = {name: getattr(column, "tolist", column.__iter__)() for name, column in columns.items()}
    return {name: [None if pd.isna(value) else value for value in values] for name, values in lists.items()}


@pytest.mark.parametrize("format", FORMATS)
def test_written_and_read(tmp_path, format, graph):
    labels = mg.Labels(["a", "b", "c", "d"])
    mg.write(graph, tmp_path / f"a.{format}", labels=labels)
    again, names = mg.read_named(tmp_path / f"a.{format}", attributes=True, device=graph.device)
    assert list(names) == list(labels)
    assert plain(again.vertex_columns) == plain(graph.vertex_columns)
    found = plain(again.edge_columns)
    if format == "gml":  # which has no bools
        found["open"] = list(map(bool, found["open"]))
    assert found == plain(graph.edge_columns)
    assert again.to_edges()[2].tolist() == graph.to_edges()[2].tolist()
    over = mg.read_named(tmp_path / f"a.{format}", device=graph.device)[0]
    assert not over.vertex_columns
    assert not over.edge_columns
    assert mg.read(tmp_path / f"a.{format}", device=graph.device).num_edges == 5


@pytest.mark.parametrize("format", FORMATS)
def test_dtypes(tmp_path, format, graph):
    mg.write(graph, tmp_path / f"a.{format}")
    again, _ = mg.read_named(tmp_path / f"a.{format}", attributes=True, device="cpu")
    columns = {**again.vertex_columns, **again.edge_columns}
    dtypes = {"town": object, "age": np.int64, "km": np.float64, "some": object, "road": object, "lanes": np.int64}
    assert {name: columns[name].dtype for name in dtypes} == {name: np.dtype(dtype) for name, dtype in dtypes.items()}
    assert columns["open"].dtype == (np.bool_ if format == "graphml" else np.int64)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("directed", [False, True])
def test_asked_to_be_directed_or_not(tmp_path, format, directed, graph):
    mg.write(graph, tmp_path / f"a.{format}")
    again, _ = mg.read_named(tmp_path / f"a.{format}", attributes=True, directed=directed, device="cpu")
    weights = dict(zip(again.edge_columns["road"], again.to_edges()[2].tolist(), strict=False))
    assert weights == dict(zip(graph.edge_columns["road"], graph.to_edges()[2].tolist(), strict=True))
    assert len(again.edge_columns["road"]) == again.num_edges


@pytest.mark.parametrize("format", FORMATS)
def test_with_networkx(tmp_path, format):
    theirs = nx.DiGraph()
    theirs.add_node("x", age=3, height=1.5, rank=1, kind="town")  # `kind` is also an attribute of edges
    theirs.add_node("y", age=4, rank=2.5)  # in GraphML, `rank` has a key for each type
    theirs.add_edge("y", "x", weight=2, kind="road", km=2.5)
    getattr(nx, f"write_{format}")(theirs, tmp_path / f"a.{format}")
    graph, labels = mg.read_named(tmp_path / f"a.{format}", attributes=True, device="cpu")
    assert plain(graph.vertex_columns) == {
        "age": [3, 4],
        "height": [1.5, None],
        "rank": [1, 2.5],
        "kind": ["town", None],
    }
    assert plain(graph.edge_columns) == {"kind": ["road"], "km": [2.5]}
    mg.write(graph, tmp_path / f"b.{format}", labels=labels)
    again = getattr(nx, f"read_{format}")(tmp_path / f"b.{format}")
    assert dict(again.nodes(data=True)) == dict(theirs.nodes(data=True))
    assert list(again.edges(data=True)) == list(theirs.edges(data=True))


@pytest.mark.parametrize("format", FORMATS)
def test_columns_of_pandas_and_arrow(tmp_path, format):
    graph = mg.generate.path(3, device="cpu")
    graph = graph.with_columns({"kind": pd.Categorical(["a", None, "b"]), "n": pd.array([1, None, 3], dtype="Int64")})
    mg.write(graph, tmp_path / f"a.{format}")
    again = mg.read_named(tmp_path / f"a.{format}", attributes=True, device="cpu")[0]
    assert plain(again.vertex_columns) == {"kind": ["a", None, "b"], "n": [1, None, 3]}
    pa = pytest.importorskip("pyarrow")
    mg.write(graph.without_columns().with_columns({"p": pa.array(["a", None, "b"])}), tmp_path / f"a.{format}")
    again = mg.read_named(tmp_path / f"a.{format}", attributes=True, device="cpu")[0]
    assert plain(again.vertex_columns) == {"p": ["a", None, "b"]}


def test_defaults_and_keys_for_all(tmp_path):
    path = tmp_path / "a.graphml"
    path.write_text(
        '<graphml><key id="k" for="all" attr.name="color" attr.type="string"><default>red</default></key>'
        '<graph edgedefault="directed"><node id="a"/><node id="b"><data key="k">blue</data></node>'
        '<edge source="a" target="b"/></graph></graphml>'
    )
    graph, _ = mg.read_named(path, attributes=True, device="cpu")
    assert plain(graph.vertex_columns) == {"color": ["red", "blue"]}
    assert plain(graph.edge_columns) == {"color": ["red"]}


def test_what_is_weight_or_name_is_no_column(tmp_path):
    path = tmp_path / "a.gml"
    path.write_text(
        'graph [ node [ id 3 label "x" city "Oslo" ] node [ id 4 label "y" city "Rome" ]\n'
        "edge [ source 3 target 4 weight 2 miles 1.5 ] ]"
    )
    graph, labels = mg.read_named(path, weights="miles", label="city", attributes=True, device="cpu")
    assert list(labels) == ["Oslo", "Rome"]
    assert plain(graph.vertex_columns) == {"label": ["x", "y"]}
    assert plain(graph.edge_columns) == {"weight": [2]}
    assert plain(mg.read_named(path, weights=False, attributes=True, device="cpu")[0].edge_columns) == {
        "weight": [2],
        "miles": [1.5],
    }


@pytest.mark.parametrize("kind", ["int", "double", "boolean"])
def test_values_of_another_type(tmp_path, kind):
    path = tmp_path / "a.graphml"
    path.write_text(
        f'<graphml><key id="k" for="node" attr.name="age" attr.type="{kind}"/>\n<graph edgedefault="directed">\n'
        '<node id="a"><data key="k">old</data></node></graph></graphml>'
    )
    assert mg.read(path, device="cpu").num_vertices == 1
    with pytest.raises(FormatError, match=f"a.graphml:3: the attribute 'age' is 'old', but its type is {kind}"):
        mg.read_named(path, attributes=True, device="cpu")


@pytest.mark.parametrize(
    ("file", "columns", "complaint"),
    [
        (
            "a.mtx",
            {"vertices": {"a": [1, 2]}},
            "mtx has no place for columns of [a-z]+: write graphml, gml, npz, minigr",
        ),
        ("a.csv", {"edges": {"a": [1]}}, "edges has no place for columns"),
        (
            "a.gml",
            {"vertices": {"id": [1, 2]}},
            "a column 'id', which has another meaning in this format: give the column another name",
        ),
        ("a.gml", {"edges": {"a b": [1]}}, "a column 'a b', which is not a valid name"),
        ("a.graphml", {"edges": {"weight": [1]}}, "a column 'weight', which has another meaning"),
        ("a.graphml", {"vertices": {"a\x01b": [1, 2]}}, "which is not a valid name"),
        ("a.graphml", {"vertices": {"a": ["", "x" * 65_537]}}, "'a' has a value of more than 65,536 characters"),
        ("a.gml", {"edges": {"a": ["x" * 65_537]}}, "'a' has a value of more than 65,536 characters"),
        (
            "a.graphml",
            {"edges": {"a": ["\0"]}},
            "the column 'a' has a value with the character '.x00', which XML can't hold",
        ),
    ],
)
def test_columns_that_can_not_be_written(tmp_path, file, columns, complaint):
    graph = mg.Graph.from_edges([0], [1], [2.5], device="cpu").with_columns(**columns)
    with pytest.raises(FormatError, match=complaint):
        mg.write(graph, tmp_path / file)
    assert not (tmp_path / file).exists()


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("name", ["weight", "w", "wgt", "value"])
def test_a_column_that_a_reader_would_take_for_weights(tmp_path, format, name):
    path, graph = tmp_path / f"a.{format}", mg.generate.path(2, device="cpu").with_columns(edges={name: [7]})
    with pytest.raises(FormatError, match=f"a column '{name}', which has another meaning in this format: give"):
        mg.write(graph, path)
    assert not path.exists()
    if name != "weight":
        mg.write(graph.with_weights([2.5]), path)
        again = mg.read(path, keep=True, device="cpu")
        assert (again.weights.tolist(), plain(again.edge_columns)) == ([2.5, 2.5], {name: [7]})


@pytest.mark.parametrize("format", FORMATS)
def test_the_longest_text_is_read_again(tmp_path, format):
    path, text = tmp_path / f"a.{format}", "ö" * 65_536
    mg.write(mg.generate.path(2, device="cpu").with_columns({"a": [text, ""]}), path, labels=mg.Labels([text, "b"]))
    graph, labels = mg.read_named(path, attributes=True, device="cpu")
    assert (list(labels), plain(graph.vertex_columns)) == ([text, "b"], {"a": [text, ""]})


def test_whole_numbers_beyond_64_bits(tmp_path):
    path, values = tmp_path / "a.gml", [10**20 + 5, -(10**30) - 1]
    mg.write(mg.generate.path(2, device="cpu").with_columns({"x": np.array(values, object)}), path)
    assert plain(mg.read(path, keep=True, device="cpu").vertex_columns) == {"x": values}


@pytest.mark.parametrize("format", FORMATS)
def test_read_keeps_them_if_asked(tmp_path, format, graph):
    path = tmp_path / f"a.{format}"
    mg.write(graph, path)
    again = mg.read(path, keep=True, device=graph.device)
    assert plain(again.vertex_columns) == plain(graph.vertex_columns)
    some = mg.read(path, keep=["town", "road"], device=graph.device)
    assert plain(some.vertex_columns) == {"town": plain(graph.vertex_columns)["town"]}
    assert plain(some.edge_columns) == {"road": plain(graph.edge_columns)["road"]}
    ranked = mg.read(path, keep=True, relabel=True, device="cpu")
    assert plain(ranked.edge_columns) == plain(again.edge_columns)
    with pytest.raises(FormatError, match="keep= names 'nope', but the further columns are"):
        mg.read(path, keep=["nope"], device="cpu")
