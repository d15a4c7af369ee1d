"""Files of the binary formats that are not what a reader expects: each is refused by an error that names it."""

import os
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse

import minigr as mg
from minigr.errors import FormatError, GraphError
from minigr.io import read, read_timed
from tests.io.test_replace import not_as_root

ODD = {
    "structured": np.zeros(2, [("a", "i4")]),
    "dates": np.zeros(2, "M8[s]"),
    "objects": np.array([{}, 1], object),
    "strings": np.array(["a", "b"]),
    "reals": np.array([0.0, 1.0]),
    "complex": np.zeros(2, complex),
    "scalar": np.array(1),
    "table": np.zeros((2, 1), int),
    "unsigned": np.array([0, 2**63], np.uint64),
}
IDS = {"src": np.array([0, 1]), "dst": np.array([1, 2])}
ROWS = {"indptr": np.array([0, 1, 2]), "indices": np.array([1, 0])}


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("relabel", [False, True])
def test_archives_of_graphs(tmp_path, odd, relabel):
    path = tmp_path / "a.npz"
    for arrays in (*({**IDS, name: ODD[odd]} for name in IDS), *({**ROWS, name: ODD[odd]} for name in ROWS)):
        np.savez(path, **arrays)
        with pytest.raises(FormatError, match=r"a\.npz"):
            read(path, relabel=relabel, device="cpu")
    for name in ("directed", "n"):
        np.savez(path, **IDS, **{name: ODD[odd]})
        with pytest.raises(FormatError, match=r"a\.npz") if odd != "scalar" or name == "n" else _nothing():
            read(path, device="cpu")


class _nothing:
    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False


@pytest.mark.parametrize("odd", [name for name in ODD if name != "unsigned"])
def test_archives_of_batches(tmp_path, odd):
    whole = {**IDS, "graph_ptr": np.array([0, 3]), "edge_ptr": np.array([0, 2]), "weight": np.array([1, 2])}
    for name in whole if odd != "reals" else set(whole) - {"weight"}:
        np.savez(tmp_path / "a.npz", **{**whole, name: ODD[odd]})
        with pytest.raises(FormatError, match=r"a\.npz"):
            mg.batch.read(tmp_path / "a.npz", device="cpu")


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "dia", "bsr"])
def test_matrices_of_scipy(tmp_path, kind):
    path = tmp_path / "a.npz"
    matrix = getattr(scipy.sparse, f"{kind}_array")(np.array([[0, 2.0, 0], [1.0, 0, 0], [0, 0, 3.0]]))
    scipy.sparse.save_npz(path, matrix)
    assert read(path, device="cpu").num_edges == 3
    right = dict(np.load(path))
    wrong = [{"shape": np.array([3, 4])}, {"shape": np.array([2, 2])}, {"shape": np.array([LARGE, LARGE])}]
    wrong += [{"data": np.zeros(3, complex)}, {"format": np.array("xyz")}, {"data": right["data"].ravel()[:1]}]
    wrong += [{name: right[name] - 5} for name in ("indices", "row", "col", "indptr") if name in right]
    wrong += [{name: right[name] * 0.5} for name in ("indices", "row", "indptr", "offsets") if name in right]
    for change in wrong:
        if kind == "dia" and ({"data", "shape"} & set(change)) and change.get("data", right["data"]).dtype != complex:
            continue  # diagonals may end anywhere
        np.savez(path, **{**right, **change})
        with pytest.raises(FormatError, match=r"a\.npz"):
            read(path, device="cpu")


LARGE = 2_000_000_000


@pytest.mark.parametrize(
    ("columns", "says"),
    [
        ({"src": ["a", "b"]}, "'src' holds .*string values, but vertex ids are integers"),
        ({"src": np.array([1, 2], "M8[s]")}, "'src' holds timestamp"),
        ({"src": [[1], [2]]}, "'src' holds list"),
        ({"src": [0.0, float("nan")]}, "'src' holds double values"),
        ({"src": [0.0, float("inf")]}, "'src' holds double values"),
        ({"src": np.array([0, 2**63], np.uint64)}, r"src\[1\] is 9223372036854775808"),
        ({"src": [0, -1]}, "must not be negative"),
        ({"weight": ["a", "b"]}, "'weight' holds .*string values, but it must hold numbers"),
        ({"weight": [0.5, float("nan")]}, "is NaN"),
    ],
)
def test_tables_of_edges(tmp_path, columns, says):
    pq, pa = pytest.importorskip("pyarrow.parquet"), pytest.importorskip("pyarrow")
    pq.write_table(pa.table({"src": [0, 1], "dst": [1, 2], **columns}), tmp_path / "a.parquet")
    with pytest.raises(FormatError, match=says):
        read(tmp_path / "a.parquet", device="cpu")


def test_tables_that_are_damaged(tmp_path):
    pq, pa = pytest.importorskip("pyarrow.parquet"), pytest.importorskip("pyarrow")
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"src": [0, 1], "dst": [1, 2]}), path)
    right = path.read_bytes()
    table = pa.Table.from_arrays([pa.array([0]), pa.array([1]), pa.array([1])], names=["src", "dst", "dst"])
    for change in range(4, len(right), 3):
        path.write_bytes(right[:change] + bytes([right[change] ^ 0xFF]) + right[change + 1 :])
        try:
            read(path, device="cpu")
        except FormatError as error:
            assert str(path) in str(error)  # noqa: PT017 - some damage does no harm
    pq.write_table(table, path)
    with pytest.raises(FormatError, match="2 columns 'dst'"):
        read(path, columns=("src", "-", "dst"), device="cpu")


@pytest.mark.parametrize("name", ["a.npz", "a.parquet", "a.txt", "a.txt.gz", "a.mtx", "a.graph", "a.gr"])
def test_errors_of_the_system_come_as_they_are(tmp_path, name):
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
    (tmp_path / name).mkdir()
    with pytest.raises(IsADirectoryError):
        read([tmp_path / name], device="cpu")
    with not_as_root() as folder:
        (folder / name).write_bytes(b"x")
        (folder / name).chmod(0)
        with pytest.raises(PermissionError):
            read(folder / name, device="cpu")


@pytest.mark.parametrize("times", [[0.0, np.inf], [-np.inf, 0.0], [0.0, np.nan], [0, 2**63]])
def test_times_that_are_no_times(tmp_path, times):
    array = np.array(times, np.uint64 if isinstance(times[1], int) else float)
    np.savez(tmp_path / "a.npz", **IDS, time=array)
    (tmp_path / "a.txt").write_text("".join(f"0 1 {time}\n" for time in times))
    for path in (tmp_path / "a.npz", tmp_path / "a.txt"):
        with pytest.raises(FormatError, match=r"a\.(npz|txt)"):
            read_timed(path)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "uint64", "float32", "bool"])
def test_times_are_wide_enough_for_differences(tmp_path, dtype):
    np.savez(tmp_path / "a.npz", **IDS, time=np.array([1, 0], dtype))
    time = read_timed(tmp_path / "a.npz").time
    assert time.dtype == (np.float64 if dtype == "float32" else np.int64)
    assert time.tolist() == [0, 1]


def test_dynamic_graphs_are_written(tmp_path):
    graph = mg.DynamicGraph.from_edges([0, 1], [1, 2], [1.5, 2.5], num_vertices=4, device="cpu")
    for name in ("a.txt", "a.mtx", "a.npz"):
        mg.write(graph, tmp_path / name)
        again = read(tmp_path / name, device="cpu")
        assert (again.num_vertices, again.directed) == (4, graph.directed)
        assert [column.tolist() for column in again.to_edges()] == [[0, 1], [1, 2], [1.5, 2.5]]
    with pytest.raises(GraphError, match=r"copy\(\) or graph.to_graph\(\)"):
        mg.DynamicGraph.from_graph(graph)
    with pytest.raises(GraphError, match=r"minigr\.batch\.write"):
        mg.write(mg.GraphBatch.from_graphs([[(0, 1)]], device="cpu"), tmp_path / "b.npz")
    with pytest.raises(GraphError, match=r"minigr\.write writes one graph"):
        mg.batch.write(graph.to_graph(), tmp_path / "b.npz")
    assert not (tmp_path / "b.npz").exists()


def damaged(folder: Path) -> list[Path]:
    """Files of batches, each wrong in another way."""
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    rows = {"indices": [1, 0], "graph_ptr": [0, 2]}
    arrays = {
        "scalar": {**rows, "indptr": 3},
        "reals": {**rows, "indptr": [0.0, 1.0, 2.0]},
        "large": {**rows, "indptr": np.array([0, 1, 2**63], np.uint64)},
        "objects": {**IDS, "graph_ptr": np.array([{}])},
    }
    tables = {
        "strings": pa.table({"src": [["a"]], "dst": [["b"]]}),
        "dates": pa.table({"src": pa.array([[1]], pa.list_(pa.timestamp("s"))), "dst": [[1]]}),
        "twice": pa.Table.from_arrays([pa.array([[0]])] * 3, names=["src", "dst", "dst"]),
        "metadata": pa.table({"src": [[0]], "dst": [[1]]}).replace_schema_metadata({b"minigr.directed": b"yes"}),
    }
    for name, held in arrays.items():
        np.savez(folder / f"{name}.npz", **held)
    for name, table in tables.items():
        pq.write_table(table, folder / f"{name}.parquet")
    os.truncate(folder / "dates.parquet", 100)
    (folder / "folder.npz").mkdir()
    return sorted(folder.iterdir())


def test_a_stream_goes_on_whatever_is_wrong_with_a_file(tmp_path):
    files = damaged(tmp_path)
    elements = [element for path in files for element in (path, [(0, 1)])]
    stream = mg.batch.map(elements, mg.batch.closeness, device="cpu")
    found = sum(len(part.positions) for part in stream)
    assert found == len(files)
    assert [fault.path for fault in stream.faults] == files
    assert all(isinstance(fault.error, FormatError | OSError) for fault in stream.faults)


def test_a_reader_that_errs_loses_one_file(tmp_path, monkeypatch):
    # Whatever a reader raises, the work on other files is kept, and what was raised is told.
    np.savez(tmp_path / "a.npz", **IDS, graph_ptr=[0, 3])

    def err(*_, **__):
        raise ZeroDivisionError("a mistake in a reader")

    monkeypatch.setattr("minigr.io.batch_npz.read", err)
    stream = mg.batch.map([tmp_path / "a.npz", [(0, 1)]], mg.batch.closeness, device="cpu")
    assert sum(len(part.positions) for part in stream) == 1
    assert [type(fault.error) for fault in stream.faults] == [ZeroDivisionError]
