"""Columns in .npz archives and .minigr folders: what is read is what was written."""

import datetime as dt
import json
import pickle
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minigr as mg
from minigr.errors import FormatError, MissingExtraError

NAMES = ["a.npz", "a.minigr"]
PLAIN = {
    "whole": [1, 2, 3],
    "real": [1.5, float("nan"), float("-inf")],
    "text": ["a", "", "ü\0\ud800"],
    "mixed": [1, "two", None],
    "bools": [True, False, True],
    "some bools": [True, None, False],
    "missing": [None, float("nan"), pd.NaT],
    "dates": [dt.date(2020, 1, 31), None, dt.datetime(1, 1, 1, 12, 30)],
    "spans": [dt.timedelta(1), pd.NA, dt.timedelta(microseconds=-1)],
    "day": np.array(["2020-01-01", "NaT", "2021-01-01"], "M8[D]"),
    "wide": np.array(["a", "bcd", ""]),
    "bytes": np.array([b"a", b"", b"xyz"]),
    "big end": np.array([1, 2, 3], ">i4"),
    "half": np.array([1, 2, 3], np.float16),
    "large": np.array([0, 1, 2**64 - 1], np.uint64),
    "complex": np.array([1j, 2, 3]),
    "every other": np.arange(6)[::2],
    "pandas whole": pd.array([1, None, 3], dtype="Int64"),
    "pandas bools": pd.array([True, None, False], dtype="boolean"),
    "pandas text": pd.array(["x", None, ""], dtype="string"),
    "pandas dates": pd.date_range("2026-01-01", periods=3),
    "a/b": [1, 2, 3],
    "": [4, 5, 6],
    "ü\n": [7, 8, 9],
}
ARROW = {
    "category": pd.Categorical(["x", None, "y"], ["y", "x", "z"], ordered=True),
    "zone": pd.date_range("2026-01-01", periods=3, tz="Europe/Berlin"),
    "months": pd.period_range("2026-01", periods=3, freq="M"),
    "large": pd.array([None, 1, 2**64 - 1], dtype="UInt64"),
    "real": pd.array([None, 1.5, 2], dtype="Float64"),
}


def with_columns(columns, device="cpu", **edges):
    """Three vertices, and parallel edges."""
    graph = mg.Graph.from_edges([0, 1, 2, 1], [1, 2, 0, 2], [4, 3, 2, 1], device=device)
    return graph.with_columns(columns, edges)


def assert_same(one, other):
    assert list(one) == list(other)
    for name in one:
        a, b = one[name], other[name]
        assert type(a) is type(b)
        if isinstance(a, pd.api.extensions.ExtensionArray):
            assert a.equals(b)
            continue
        assert getattr(a, "type", None) == getattr(b, "type", None)
        assert getattr(a, "dtype", None) == getattr(b, "dtype", None)
        left, right = (getattr(column, "to_pylist", getattr(column, "tolist", None))() for column in (a, b))
        assert list(map(type, left)) == list(map(type, right))
        assert repr(left) == repr(right)  # NaN is NaN


@pytest.mark.parametrize("name", NAMES)
def test_written_and_read(tmp_path, name, device):
    graph = with_columns(PLAIN, device, road=["A1", "A2", None, "A4"], lanes=[4, 2, 2, 6])
    mg.write(graph, tmp_path / name)
    again = mg.read(tmp_path / name, device=device)
    assert_same(graph.vertex_columns, again.vertex_columns)
    assert_same(graph.edge_columns, again.edge_columns)
    assert again.to_edges()[2].tolist() == graph.to_edges()[2].tolist()
    if name == "a.npz":
        with np.load(tmp_path / name, allow_pickle=False) as archive:
            assert all(archive[each].dtype.kind != "O" for each in archive.files)


@pytest.mark.parametrize("name", NAMES)
def test_what_arrow_has(tmp_path, name):
    pa = pytest.importorskip("pyarrow")
    arrow = {
        "texts": pa.array(["a", None, "c"]),
        "pieces": pa.chunked_array([[1], [2, None]]),
        "lists": pa.array([[1, 2], [], None]),
        "of pandas": pd.array(["a", None, "b"], dtype=pd.ArrowDtype(pa.string())),
        "part": pa.array([0, 1, 2, 3, 4])[1:4],
    }
    graph = with_columns(ARROW | arrow)
    mg.write(graph, tmp_path / name)
    assert_same(graph.vertex_columns, mg.read(tmp_path / name, device="cpu").vertex_columns)


def test_mapped(tmp_path):
    path = tmp_path / "a.minigr"
    graph = with_columns(PLAIN, road=["A1", "A2", "A3", "A4"])
    mg.write(graph, path)
    mapped = mg.read(path, mmap=True)
    assert isinstance(mapped.vertex_columns["large"].base, np.memmap)
    assert not mapped.vertex_columns["large"].flags.writeable
    assert mapped.vertex_columns["text"] is mapped.vertex_columns["text"]
    mg.write(mg.generate.path(3, device="cpu"), path)  # what is mapped and was not yet asked for stays
    assert pickle.loads(pickle.dumps(mapped)).vertex_columns["text"].tolist() == PLAIN["text"]
    assert_same(graph.vertex_columns, mapped.vertex_columns)
    assert mapped.subgraph([2, 1]).edge_columns["road"].tolist() == ["A3", "A4"]
    mg.write(mapped, path)
    mg.write(mg.read(path, mmap=True), path)  # into its own folder
    assert_same(graph.vertex_columns, mg.read(path, device="cpu").vertex_columns)
    mg.write(mg.generate.path(3, device="cpu"), path)
    assert not mg.read(path, mmap=True).vertex_columns


@pytest.mark.parametrize("mmap", [False, True])
def test_a_damaged_column_is_found_when_it_is_made(tmp_path, mmap):
    path = tmp_path / "a.minigr"
    mg.write(with_columns({"town": ["a", "b", "c"], "age": [1, 2, 3]}), path)
    file = next(path.glob("vertex-0-kinds-*"))
    file.write_bytes(file.read_bytes()[:-1] + b"\xff")
    with pytest.raises(
        FormatError, match=r"a\.minigr: its columns can't be read: 'town': .*unknown kind; .*keep=False"
    ):
        mg.read(path, mmap=mmap, device="cpu").vertex_columns["town"]
    assert mg.read(path, mmap=mmap, keep=["age"], device="cpu").vertex_columns["age"].tolist() == [1, 2, 3]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("directed", [False, True])
def test_turned_and_ranked(tmp_path, name, directed):
    graph = mg.Graph.from_edges([5, 1, 5, 3], [1, 5, 1, 3], directed=directed, device="cpu")
    ends = [array.tolist() for array in graph.to_edges()[:2]]
    graph = graph.with_columns({"v": range(6)}, {"edge": [f"{u}-{v}" for u, v in zip(*ends, strict=True)]})
    mg.write(graph, tmp_path / name)
    for options in ({"relabel": True}, {"directed": not directed}, {"directed": not directed, "relabel": True}, {}):
        again = mg.read(tmp_path / name, device="cpu", **options)
        assert again.num_edges == len(again.edge_columns["edge"])
        names = again.vertex_columns["v"].tolist()
        assert names == ([1, 3, 5] if "relabel" in options else list(range(6)))
        for u, v, edge in zip(*(end.tolist() for end in again.to_edges()[:2]), again.edge_columns["edge"], strict=True):
            told = list(map(int, edge.split("-")))
            assert [names[u], names[v]] == told or ((options or not directed) and [names[v], names[u]] == told)


@pytest.mark.parametrize("name", NAMES)
def test_kept_by_name(tmp_path, name):
    mg.write(with_columns({"a": "xyz", "b": [1, 2, 3]}, c=range(4)), tmp_path / name)
    for keep, found in ((None, "abc"), (True, "abc"), (False, ""), (["c", "a"], "ac"), ("b", "b"), ([], "")):
        graph = mg.read(tmp_path / name, keep=keep, device="cpu")
        assert [*graph.vertex_columns, *graph.edge_columns] == list(found)
    with pytest.raises(FormatError, match="keep= names 'd', but the further columns are 'a', 'b', 'c'"):
        mg.read(tmp_path / name, keep=["d"], device="cpu")
    mg.write(mg.generate.path(3, device="cpu"), tmp_path / name)
    with pytest.raises(FormatError, match="the further columns are none"):
        mg.read(tmp_path / name, keep=["d"], device="cpu")


@pytest.mark.parametrize("name", NAMES)
def test_an_empty_graph(tmp_path, name):
    graph = mg.Graph.from_edges([], [], device="cpu").with_columns(
        {"a": [], "b": np.array([], "U3")}, {"c": [], "d": []}
    )
    mg.write(graph, tmp_path / name)
    again = mg.read(tmp_path / name, device="cpu")
    assert_same(graph.vertex_columns, again.vertex_columns)
    assert_same(graph.edge_columns, again.edge_columns)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("column", "says"),
    [
        (
            [{}, 1, 2],
            r"the vertex column 'x' can't be stored: \{\}, a dict, has no place in a file; pass an array of Arrow",
        ),
        ([2**63, None, 1], "9223372036854775808, a int"),
        ([dt.datetime(2020, 1, 1, tzinfo=dt.timezone.utc), None, 1], "a datetime, has no place"),
        ([dt.timedelta(days=2 * 10**8), None, 1], "a timedelta, has no place"),
        (np.zeros(3, [("a", "i4")]), "an array of"),
    ],
    ids=["dict", "large", "zone", "span", "structured"],
)
def test_what_has_no_place(tmp_path, name, column, says):
    mg.write(mg.generate.path(2, device="cpu"), tmp_path / name)
    with pytest.raises(FormatError, match=says):
        mg.write(with_columns({"x": column}), tmp_path / name)
    assert mg.read(tmp_path / name, device="cpu").num_vertices == 2  # as it was


@pytest.mark.parametrize("name", NAMES)
def test_without_pyarrow(tmp_path, name, monkeypatch):
    pytest.importorskip("pyarrow")
    mg.write(with_columns(ARROW), tmp_path / name)
    monkeypatch.setitem(sys.modules, "pyarrow.ipc", None)
    with pytest.raises(
        MissingExtraError, match=r"the column 'category' needs pyarrow, or pass keep=False.*minigr\[par"
    ):
        mg.read(tmp_path / name, device="cpu")
    assert not mg.read(tmp_path / name, keep=False, device="cpu").vertex_columns
    with pytest.raises(MissingExtraError, match="the vertex column 'category' needs pyarrow"):
        mg.write(with_columns(ARROW), tmp_path / name)
    mg.write(with_columns(PLAIN), tmp_path / name)
    assert list(mg.read(tmp_path / name, device="cpu").vertex_columns) == list(PLAIN)


def test_what_arrow_has_no_place_for(tmp_path):
    pytest.importorskip("pyarrow")
    with pytest.raises(FormatError, match="the vertex column 'x' can't be stored"):
        mg.write(with_columns({"x": pd.arrays.SparseArray([1, 2, 3])}), tmp_path / "a.npz")
    mg.write(with_columns({"x": [1, 2, 3]}), tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz") as archive:
        arrays = dict(archive)
    record = {"name": "x", "kind": "arrow", "arrays": {"stream": "vertex-0-values"}}
    np.savez(tmp_path / "a.npz", **arrays | {"minigr_columns": np.array(json.dumps({"vertex": [record]}))})
    with pytest.raises(FormatError, match="'x': "):
        mg.read(tmp_path / "a.npz", device="cpu")


RECORD = {"name": "a", "kind": "array", "arrays": {"values": "vertex-0-values"}}


@pytest.mark.parametrize(
    ("columns", "says"),
    [
        ("nothing", "is no JSON"),
        ([], r"a\.npz: its columns can't be read: they are not described"),
        ({"graph": []}, "not described"),
        ({"vertex": RECORD}, "not described"),
        ({"vertex": [{**RECORD, "name": 3}]}, "not described"),
        ({"vertex": [{**RECORD, "kind": "pickle"}]}, "not described"),
        ({"vertex": [{**RECORD, "kind": ["array"]}]}, "not described"),
        ({"vertex": [{**RECORD, "arrays": {}}]}, "not described"),
        ({"vertex": [{**RECORD, "arrays": {"values": 3}}]}, "not described"),
        ({"vertex": [{**RECORD, "arrays": {"values": "elsewhere"}}]}, "'elsewhere' of a column is missing"),
        ({"vertex": [{**RECORD, "dtype": "nonsense"}]}, "'a': .*nonsense"),
        ({"vertex": [{**RECORD, "arrays": {"values": "indptr"}}]}, "'a' has length 4, but there are 3 vertices"),
        ({"vertex": [{**RECORD, "kind": "objects", "arrays": {"kinds": "vertex-0-values"}}]}, "unknown kind"),
    ],
)
def test_archives_that_are_put_together_wrongly(tmp_path, columns, says):
    path = tmp_path / "a.npz"
    mg.write(with_columns({"a": [1, 2, 3]}), path)
    with np.load(path) as archive:
        arrays = dict(archive)
    arrays["minigr_columns"] = np.array(columns if isinstance(columns, str) else json.dumps(columns))
    np.savez(path, **arrays)
    with pytest.raises(FormatError, match=says) as caught:
        mg.read(path, device="cpu")
    assert str(caught.value).count("write the graph again") < 2


@pytest.mark.parametrize("dtype", ["|O", "nonsense", 3, [["a", "<i4"]]])
def test_a_head_with_a_dtype_that_no_column_has(tmp_path, dtype):
    path = tmp_path / "a.minigr"
    mg.write(with_columns({"a": [1, 2, 3]}), path)
    head = json.loads((path / "head.json").read_text())
    assert head["version"] == 2
    head["arrays"]["vertex-0-values"]["dtype"] = dtype
    (path / "head.json").write_text(json.dumps(head))
    with pytest.raises(FormatError, match="does not describe a graph's arrays"):
        mg.read(path, device="cpu")


def test_an_archive_of_others_with_an_array_called_columns(tmp_path):
    np.savez(tmp_path / "a.npz", indptr=[0, 1, 2], indices=[1, 0], columns=["a", "b"])
    assert not mg.read(tmp_path / "a.npz", device="cpu").vertex_columns


def test_a_folder_without_columns_is_of_the_first_version(tmp_path):
    mg.write(mg.generate.path(3, device="cpu"), tmp_path / "a.minigr")
    head = json.loads((tmp_path / "a.minigr" / "head.json").read_text())
    assert (head["version"], "columns" in head) == (1, False)


@pytest.mark.parametrize("name", NAMES)
def test_files_changed_anywhere(tmp_path, name):
    """Damage is an error that names the file, or the value that it hit."""
    path = tmp_path / name
    mg.write(with_columns({"a": ["x", None, "y"], "b": [1, 2.5, 3]}, c=["x", "y", "z", ""]), path)
    for file in [path] if path.is_file() else sorted(path.iterdir()):
        data = file.read_bytes()
        for place in range(0, len(data), 23):
            file.write_bytes(data[:place] + bytes([data[place] ^ 0x81]) + data[place + 1 :])
            try:
                graph = mg.read(path, device="cpu")
            except FormatError as error:
                assert str(tmp_path) in str(error)  # noqa: PT017 - some damage does no harm
            else:
                assert all(len(column) == 3 for column in graph.vertex_columns.values())
        file.write_bytes(data)


_LONG = dt.timedelta(days=10**8)
_VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**63), 2**63 - 1), st.floats(), st.text(st.characters(codec=None)),
    st.dates(), st.datetimes().map(lambda date: date.replace(fold=0)), st.timedeltas(-_LONG, _LONG),
    st.sampled_from([pd.NaT, pd.NA]),
)  # fmt: skip


@settings(deadline=None, max_examples=60)
@given(st.lists(_VALUES, min_size=3, max_size=3), st.lists(_VALUES, max_size=5), st.text(), st.sampled_from(NAMES))
def test_any_values(tmp_path_factory, of_vertices, of_edges, column, name):
    path = tmp_path_factory.mktemp("any") / name
    ends = np.zeros(len(of_edges), int)
    graph = mg.Graph.from_edges(ends, ends, num_vertices=3, device="cpu")
    objects = np.empty(len(of_edges), object)
    objects[:] = of_edges
    graph = graph.with_columns({column: of_vertices}, {column: objects})
    mg.write(graph, path)
    again = mg.read(path, device="cpu")
    assert_same(graph.vertex_columns, again.vertex_columns)
    assert_same(graph.edge_columns, again.edge_columns)
