"""Further columns of tables, which are kept as columns of edges."""

import csv
import gzip
import io

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minigr as mg
from minigr.errors import EstimateError, FormatError, GraphError

TABLE = """# flights
from,to,weight,by,km,seats,note
3,1,2.5,train,1.5,70,"a, ""b"" #1"
0,1,1,50% off,,80,
1,3,7,,nan,90,last
"""


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(TABLE)
    return path


def lists(columns):
    values = {name: getattr(column, "to_pylist", getattr(column, "tolist", None))() for name, column in columns.items()}
    return {name: [None if pd.isna(value) else value for value in of_one] for name, of_one in values.items()}


def test_a_table_of_text(table, device):
    graph = mg.read(table, keep=True, device=device)
    assert [end.tolist() for end in graph.to_edges()[:2]] == [[0, 1, 1], [1, 3, 3]]
    assert graph.to_edges()[2].tolist() == [1.0, 2.5, 7.0]
    assert lists(graph.edge_columns) == {
        "by": ["50% off", "train", None],
        "km": [None, 1.5, None],
        "seats": [80, 70, 90],
        "note": [None, 'a, "b" #1', "last"],
    }
    assert [column.dtype for column in graph.edge_columns.values()] == [object, np.float64, np.int64, object]


def test_by_default_they_are_read_over(tmp_path):
    (tmp_path / "a.csv").write_text("src,dst,km\n0,1,5\n")
    for keep in (None, False, []):
        assert not mg.read(tmp_path / "a.csv", keep=keep, device="cpu").edge_columns


@pytest.mark.parametrize(
    "options", [{"directed": True}, {"relabel": True}, {"weights": False}, {"num_vertices": 9}, {"weight_dtype": "f4"}]
)
def test_with_other_options(table, options):
    graph = mg.read(table, keep=["seats"], device="cpu", **options)
    ends = zip(*(end.tolist() for end in graph.to_edges()[:2]), strict=True)
    of_edge = dict(zip(graph.edge_columns["seats"].tolist(), ends, strict=True))
    ids = [0, 1, 2] if "relabel" in options else [0, 1, 3]
    want = {70: (ids[2], ids[1]), 80: (ids[0], ids[1]), 90: (ids[1], ids[2])}
    assert {k: sorted(v) for k, v in of_edge.items()} == {k: sorted(v) for k, v in want.items()}
    assert not graph.directed or of_edge == want


def test_a_weight_that_is_not_read_may_be_kept(table):
    graph = mg.read(table, weights=False, keep="weight", device="cpu")
    assert not graph.weighted
    assert graph.edge_columns["weight"].tolist() == [1.0, 2.5, 7.0]


def test_names_by_columns(tmp_path):
    path = tmp_path / "a.txt.gz"
    path.write_bytes(gzip.compress(b'% c\n0 1  A1 12\n\n1\t2 "B 2" 007\n'))
    graph = mg.read(path, columns=("src", "dst", "road", "lanes"), keep=True, device="cpu")
    assert lists(graph.edge_columns) == {"road": ["A1", "B 2"], "lanes": [12, 7]}
    assert list(mg.read(path, columns=("src", "dst", "a", "b"), keep=["b"], device="cpu").edge_columns) == ["b"]


def test_nothing_to_keep(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("0 1  # a comment\n1 2\n")
    assert mg.read(path, device="cpu").num_edges == 2
    path.write_text("# 0 1\n0 1\n1 2\n")
    assert not mg.read(path, keep=True, device="cpu").edge_columns
    for name, text in (("a.txt", "0 1\n"), ("a.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n")):
        (tmp_path / name).write_text(text)
        with pytest.raises(FormatError, match="keep= names 'x', but the further columns are none"):
            mg.read(tmp_path / name, keep=["x"], device="cpu")


def test_a_header_alone(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("src,dst,km\n")
    graph = mg.read(path, keep=True, device="cpu")
    assert (graph.num_edges, list(graph.edge_columns), len(graph.edge_columns["km"])) == (0, ["km"], 0)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (b"src,dst,a,a\n0,1,2,3\n", "a.csv:1: there are several columns 'a'"),
        (b'src,dst,a\n0,1,"x\n', r"a.csv:2: unexpected end of data: close quotation marks"),
        (b"src,dst,a\n0,1,x\n1,2,\xff\n", "a.csv:3: the line is not UTF-8"),
        (b'"src"x,dst,a\n0,1,x\n', "a.csv:1: .*close quotation marks, and double those within a text"),
        (b"src,dst,a\xff\n0,1,x\n", "a.csv:1: the line is not UTF-8"),
        (b"src,dst,a\n0,1,x,y\n", "a.csv:2: expected 3 fields, as in line 1, got 4"),
        (b"src,dst,a\n0,1,x\n1,2\n", "a.csv:3: expected 3 fields"),
        (b"src,dst,a\n0,1.5,x\n", "a.csv:2: '1.5' is not a vertex id"),
        (b"src,dst,a\n0,1," + b"x" * 70_000 + b"#", "a.csv:2: the line is longer"),
        (b"src,dst\n0,1\n", "a.csv: keep= names 'a', but the further columns are none"),
    ],
)
def test_broken_tables(tmp_path, text, says):
    path = tmp_path / "a.csv"
    path.write_bytes(text)
    with pytest.raises(FormatError, match=says):
        mg.read(path, keep=["a"], device="cpu")


def test_long_tables_are_read_as_short_ones(tmp_path, monkeypatch):
    """Blocks are parsed by compiled code, unless one has signs that are special in texts."""
    path, count = tmp_path / "a.csv", 20_000
    texts = [f" t{number}\t" if number % 7 else "" for number in range(count)]
    special = {11: "50%", 1700: '"a, b"', 9000: "#"}
    rows = [f"{i},{special.get(i, texts[i])},{2**62 + i},{i}.5,0\r" for i in range(count)]
    path.write_text("src,text,whole,real,dst\n\n" + "\n \n".join(rows))
    monkeypatch.setattr("minigr.io.source.BLOCK", 50_000)
    graph = mg.read(path, keep=True, directed=True, device="cpu")
    want = {i: text.strip() or None for i, text in enumerate(texts)} | special | {1700: "a, b"}
    assert graph.edge_columns["text"].tolist() == list(want.values())
    assert graph.edge_columns["whole"].tolist() == [2**62 + i for i in range(count)]
    assert graph.edge_columns["real"].tolist() == [i + 0.5 for i in range(count)]
    for damaged, says in (("1,x", "40002: expected 5 fields"), (b"1,\xff,1,1,2", "40002: the line is not UTF-8")):
        end = damaged if isinstance(damaged, bytes) else damaged.encode()
        path.write_bytes(("src,text,whole,real,dst\n\n" + "\n \n".join(rows)).encode() + b"\n" + end)
        with pytest.raises(FormatError, match=says):
            mg.read(path, keep=True, device="cpu")


@pytest.mark.parametrize(
    ("fields", "column"),
    [
        (["1", "+2", "-3"], np.array([1, 2, -3])),
        (["9223372036854775807", "-9223372036854775808"], np.array([2**63 - 1, -(2**63)])),
        (["1", ""], [1, None]),
        (["9223372036854775808", "1"], ["9223372036854775808", "1"]),
        (["1", "2.5", "1e3", "inf", "-INF", "NaN", ""], np.array([1, 2.5, 1000, np.inf, -np.inf, np.nan, np.nan])),
        (["1e999", "1"], ["1e999", "1"]),
        (["1.0", "1_0.5"], ["1.0", "1_0.5"]),
        (["1." + "9" * 400, "0.5"], np.array([2.0, 0.5])),
        (["9" * 400 + ".5", "0.5"], ["9" * 400 + ".5", "0.5"]),
        (["", ""], [None, None]),
        (["0x10", "٣"], ["0x10", "٣"]),
    ],
)
def test_what_fields_become(tmp_path, fields, column):
    (tmp_path / "a.csv").write_text("src,dst,x\n" + "".join(f"{i},0,{text}\n" for i, text in enumerate(fields)))
    found = mg.read(tmp_path / "a.csv", keep=True, directed=True, device="cpu").edge_columns["x"]
    assert found.dtype == getattr(column, "dtype", object)
    assert repr(found.tolist()) == repr(list(column) if isinstance(column, list) else column.tolist())


@pytest.fixture
def parquet(tmp_path):
    pytest.importorskip("pyarrow")
    path = tmp_path / "a.parquet"
    frame = pd.DataFrame({
        "town": ["a", None, "c"], "src": [3, 0, 1], "when": pd.date_range("2026", periods=3), "dst": [1, 1, 3],
        "tags": [["x"], [], None],
    })  # fmt: skip
    frame.to_parquet(path, row_group_size=2)
    return path


def test_parquet(parquet, device):
    graph = mg.read(parquet, keep=True, device=device)
    assert type(graph.edge_columns["town"]).__module__ == "pyarrow.lib"
    assert graph.edge_columns["town"].to_pylist() == [None, "a", "c"]
    assert graph.edge_columns["tags"].to_pylist() == [[], ["x"], None]
    assert [date.day for date in graph.edge_columns["when"].to_pylist()] == [2, 1, 3]
    assert list(mg.read(parquet, keep="tags", device="cpu").edge_columns) == ["tags"]
    assert not mg.read(parquet, device="cpu").edge_columns
    with pytest.raises(FormatError, match="keep= names 'src', but the further columns are 'town', 'when', 'tags'"):
        mg.read(parquet, keep=["src"], device="cpu")


def test_columns_of_edges_are_written_as_parquet(parquet, tmp_path, device):
    graph = mg.read(parquet, keep=["town", "when"], device=device)
    ranks = pd.Series([3, None, 1], dtype="Int64")
    graph = graph.with_columns(edges={"rank": ranks.array, "word": np.array(["x", None, "z"], object)})
    mg.write(graph, tmp_path / "b.parquet")
    found = mg.read(tmp_path / "b.parquet", keep=True, device=device)
    assert lists(found.edge_columns) == lists(graph.edge_columns) | {"rank": [3, None, 1]}
    assert (found.indices == graph.indices).all()
    assert "town" in pd.read_parquet(tmp_path / "b.parquet").columns  # others can read it


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"edges": {"weight": [1, 2, 3]}}, "a column 'weight', which has another meaning in this format"),
        ({"edges": {"src": [1, 2, 3]}}, "a column 'src', which has another meaning in this format"),
        ({"edges": {"mixed": np.array([1, "x", 2.5], object)}}, "the column 'mixed' can't be a column of Parquet"),
        ({"vertices": {"city": list("abcd")}}, "no place for columns of vertices: write graphml, gml, npz, minigr"),
    ],
)
def test_columns_without_a_place_in_parquet(tmp_path, columns, message):
    pytest.importorskip("pyarrow")
    graph = mg.generate.path(4, device="cpu").with_columns(**columns)
    with pytest.raises(FormatError, match=message):
        mg.write(graph, tmp_path / "a.parquet")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
def test_weights_of_a_table_without_rows_have_the_dtype_of_the_column(tmp_path, dtype):
    pytest.importorskip("pyarrow")
    empty = pd.DataFrame({"src": np.empty(0, np.int64), "dst": np.empty(0, np.int64), "weight": np.empty(0, dtype)})
    empty.to_parquet(tmp_path / "a.parquet")
    assert str(mg.read(tmp_path / "a.parquet", device="cpu").weight_dtype) == dtype
    assert str(mg.read(tmp_path / "a.parquet", weight_dtype="int32", device="cpu").weight_dtype) == "int32"


def test_arrow_columns_without_a_place_in_parquet(tmp_path):
    pa = pytest.importorskip("pyarrow")
    column = pa.array([(1, 2, 3), None, None], pa.month_day_nano_interval())
    graph = mg.generate.path(4, device="cpu").with_columns(edges={"lasts": column})
    with pytest.raises(FormatError, match=r"the column 'lasts' can't be a column of Parquet .*interval"):
        mg.write(graph, tmp_path / "a.parquet")
    assert not list(tmp_path.iterdir())


def test_parquet_says_how_many_vertices_there_are_and_whether_they_are_directed(tmp_path):
    pytest.importorskip("pyarrow")
    graph = mg.Graph.from_edges([2, 1], [1, 0], np.float32([0.5, 2]), num_vertices=9, directed=True, device="cpu")
    mg.write(graph, tmp_path / "a.parquet")
    found = mg.read(tmp_path / "a.parquet", device="cpu")
    assert (found.num_vertices, found.directed, str(found.weight_dtype)) == (9, True, "float32")
    assert not mg.read(tmp_path / "a.parquet", directed=False, weights=False, device="cpu").weighted
    assert mg.read([tmp_path / "a.parquet"] * 2, device="cpu").num_edges == 4


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_several_files(tmp_path, ending):
    if ending == "parquet":
        pytest.importorskip("pyarrow")
    first = pd.DataFrame({"src": [5, 4], "dst": [6, 5], "road": ["x", "y"]})
    second = pd.DataFrame({"road": ["z", None], "dst": [2, 3], "src": [1, 2]})
    for name, frame in (("1", first), ("2", second)):
        getattr(frame, f"to_{ending}")(tmp_path / f"{name}.{ending}", index=False)
    graph = mg.read(tmp_path, keep=True, device="cpu")
    assert lists(graph.edge_columns) == {"road": ["z", None, "y", "x"]}
    getattr(first[["src", "dst"]], f"to_{ending}")(tmp_path / f"3.{ending}", index=False)
    with pytest.raises(FormatError, match=f"3.{ending}: has no further columns, unlike 1.{ending}, which has 'road'"):
        mg.read(tmp_path, keep=True, device="cpu")
    assert mg.read(tmp_path, device="cpu").num_edges == 6


def test_files_whose_columns_are_of_different_types(tmp_path):
    pytest.importorskip("pyarrow")
    pd.DataFrame({"src": [0], "dst": [1], "road": [7]}).to_parquet(tmp_path / "1.parquet")
    pd.DataFrame({"src": [1], "dst": [2], "road": ["A7"]}).to_parquet(tmp_path / "2.parquet")
    with pytest.raises(FormatError, match=r"the column 'road' holds int64 and .*string in different files"):
        mg.read(tmp_path, keep=True, device="cpu")
    (tmp_path / "2.parquet").unlink()
    (tmp_path / "2.csv").write_text("src,dst,road\n1,2,8\n")
    with pytest.raises(FormatError, match="the column 'road' holds int64 and text in different files"):
        mg.read(tmp_path, keep=True, device="cpu")


def test_a_folder_is_made_with_them(table, tmp_path):
    mg.convert(table, tmp_path / "a.minigr", keep=["by"])
    assert mg.read(tmp_path / "a.minigr", mmap=True).edge_columns["by"].tolist() == ["50% off", "train", None]
    mg.convert(tmp_path / "a.minigr", tmp_path / "b.minigr")
    assert list(mg.read(tmp_path / "b.minigr", device="cpu").edge_columns) == ["by"]
    mg.convert(tmp_path / "a.minigr", tmp_path / "b.minigr", keep=False)
    assert not mg.read(tmp_path / "b.minigr", device="cpu").edge_columns


def test_what_has_no_place_for_them(table):
    with pytest.raises(GraphError, match="a PartitionedGraph has no columns"):
        mg.read(table, keep=True, devices=["cpu", "cpu"])
    with pytest.raises(GraphError, match="keep= is True, False or the names of columns"):
        mg.read(table, keep=[3], device="cpu")
    with pytest.raises(EstimateError, match="further columns"):
        mg.memory.estimate(mg.read, table, keep=True, device="cpu")


_TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\r\n\0")).map(lambda text: f"t{text}".strip())


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.tuples(_TEXTS, st.none() | st.integers(-(2**63), 2**63 - 1), st.floats()), min_size=1, max_size=8),
    st.booleans(),
)
def test_any_table(tmp_path_factory, rows, directed):
    path = tmp_path_factory.mktemp("any") / "a.csv"
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["dst", "text", "whole", "real", "src"])
    for number, (word, whole, real) in enumerate(rows):
        table.writerow([0, word, "" if whole is None else whole, real, number])
    path.write_text(text.getvalue(), encoding="utf-8")
    columns = mg.read(path, directed=directed, keep=True, device="cpu").edge_columns
    assert columns["text"].tolist() == [word for word, _, _ in rows]
    assert columns["whole"].tolist() == [whole for _, whole, _ in rows]
    assert repr(columns["real"].tolist()) == repr([abs(real) if real != real else real for _, _, real in rows])
