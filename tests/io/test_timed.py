"""`mg.io.read_timed`: what is read from each format, in which order, and what is refused."""

from __future__ import annotations

import gzip

import numpy as np
import pandas as pd
import pytest

import minigr as mg

TEXT = "0 1 30\n2 1 10\n1 3 20\n3 0 10\n"
SRC, DST, TIME = [2, 3, 1, 0], [1, 0, 3, 1], [10, 10, 20, 30]


def check(edges, weights=None):
    assert [column.tolist() for column in (edges.src, edges.dst, edges.time)] == [SRC, DST, TIME]
    assert (None if edges.weights is None else edges.weights.tolist()) == weights
    assert (edges.num_vertices, len(edges)) == (4, 4)
    assert edges.src.dtype == edges.dst.dtype == np.int32


def test_three_columns_of_text_by_time(tmp_path):
    plain, packed = tmp_path / "mail.txt", tmp_path / "mail.txt.gz"
    plain.write_text("% a comment\n" + TEXT)
    packed.write_bytes(gzip.compress(TEXT.encode()))
    check(mg.io.read_timed(plain))
    check(mg.io.read_timed(packed))


def test_four_columns_have_a_weight(tmp_path):
    path = tmp_path / "trust.csv"
    path.write_text("0,1,5,30\n2,1,-1,10\n1,3,2,20\n3,0,7,10\n")
    check(mg.io.read_timed(path), [-1, 7, 2, 5])
    check(mg.io.read_timed(path, weights=False))
    assert mg.io.read_timed(path, columns=("src", "dst", "time", "other")).time.tolist() == [-1, 2, 5, 7]


def test_columns_by_name(tmp_path):
    path = tmp_path / "mail.csv"
    path.write_text("Timestamp,source,kind,target\n30,0,9,1\n10,2,9,1\n20,1,9,3\n10,3,9,0\n")
    check(mg.io.read_timed(path))


def test_archives_and_tables(tmp_path):
    pytest.importorskip("pyarrow")
    columns = {"src": [0, 2, 1, 3], "dst": [1, 1, 3, 0], "time": [30, 10, 20, 10]}
    np.savez(tmp_path / "mail.npz", **{name: np.array(column) for name, column in columns.items()})
    check(mg.io.read_timed(tmp_path / "mail.npz"))
    np.savez(tmp_path / "more.npz", n=9, **{name: np.array(column) for name, column in columns.items()})
    assert mg.io.read_timed(tmp_path / "more.npz").num_vertices == 9
    np.savez(
        tmp_path / "light.npz", weight=np.array([1, 2, 3, 4], np.int8), **{k: np.array(c) for k, c in columns.items()}
    )
    check(mg.io.read_timed(tmp_path / "light.npz"), [2, 4, 3, 1])
    assert mg.io.read_timed(tmp_path / "light.npz").weights.dtype == np.int32
    pd.DataFrame({**columns, "weight": [1.5, 2.5, 3.5, 4.5]}).to_parquet(tmp_path / "mail.parquet")
    check(mg.io.read_timed(tmp_path / "mail.parquet"), [2.5, 4.5, 3.5, 1.5])


def test_relabel(tmp_path):
    path = tmp_path / "mail.txt"
    path.write_text("70 700 1.5\n7 70 0.5\n")
    edges = mg.io.read_timed(path, relabel=True)
    assert [column.tolist() for column in (edges.src, edges.dst, edges.time)] == [[0, 1], [1, 2], [0.5, 1.5]]
    assert edges.num_vertices == 3


def test_no_edges(tmp_path):
    path = tmp_path / "none.txt"
    path.write_text("# nothing happened\n")
    edges = mg.io.read_timed(path)
    assert (len(edges), edges.num_vertices, edges.time.tolist()) == (0, 0, [])


def test_a_graph_of_the_same_file_leaves_the_time_out(tmp_path):
    path = tmp_path / "mail.csv"
    path.write_text("src,dst,time\n0,1,30\n")
    assert not mg.read(path, device="cpu").weighted


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0 1 30\n0 1 soon\n", "mail.txt:2: 'soon' is not a time"),
        ("0 1 30\n0 1 nan\n", "mail.txt:2: the time is NaN"),
        ("0 1 30\n0 -1 40\n", "mail.txt:2: "),
        ("0 1\n", "mail.txt:1: expected 3 or 4 columns"),
        ("0 1 2 3 4\n", "mail.txt:1: expected 3 or 4 columns"),
        ("src,dst,weight\n0,1,2\n", "no column for the time among 'src', 'dst', 'weight'; name it with columns="),
        ("0 2000000000 5\n", "pass relabel=True"),
    ],
)
def test_malformed_text_is_refused(tmp_path, text, message):
    path = tmp_path / "mail.txt"
    path.write_text(text)
    with pytest.raises(mg.errors.FormatError) as caught:
        mg.io.read_timed(path)
    assert message in str(caught.value)


def test_options_are_checked_as_for_a_graph(tmp_path):
    path = tmp_path / "mail.txt"
    path.write_text("0 1 30\n")
    for options, error, message in (
        ({"columns": 5}, mg.errors.GraphError, "columns= is the names of columns, got 5"),
        ({"columns": "time"}, mg.errors.FormatError, "columns= names 1 columns, but there are 3"),
        ({"weights": "miles"}, mg.errors.FormatError, "has no attributes of edges, such as 'miles'"),
    ):
        with pytest.raises(error, match=message):
            mg.io.read_timed(path, **options)


def test_malformed_archives_are_refused(tmp_path):
    path = tmp_path / "mail.npz"
    good = {"src": [0, 1], "dst": [1, 2], "time": [1.0, 2.0]}
    for change, message in (
        ({"time": [1.0]}, "time has length 1, but src has length 2"),
        ({"time": [1.0, np.nan]}, r"time\[1\] is NaN"),
        ({"n": 2}, "is 2, but num_vertices is 2"),
        ({"dst": [1, -2]}, "must not be negative"),
        ({"src": [0.5, 1.0]}, "must hold integer vertex ids"),
        ({"weight": [1.0, 2.0, 3.0]}, "weights has length 3"),
    ):
        np.savez(path, **{**good, **change})
        with pytest.raises(mg.errors.FormatError, match=message):
            mg.io.read_timed(path)
    np.savez(path, src=[0], dst=[1])
    with pytest.raises(mg.errors.FormatError, match="has no times"):
        mg.io.read_timed(path)


def test_formats_without_times_are_refused(tmp_path):
    path = tmp_path / "graph.mtx"
    path.write_text("%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n")
    with pytest.raises(mg.errors.FormatError, match="has no times: give an edge list"):
        mg.io.read_timed(path)
