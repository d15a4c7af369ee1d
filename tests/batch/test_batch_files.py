"""Files of many graphs: read back as they were written, and what is wrong with a file named."""

import sys

import numpy as np
import pytest

import minigr as mg
from minigr.errors import FormatError, MissingExtraError
from tests.batch.sets import SETS, batch_of, same_batch, weighted

FORMATS = ("npz", "parquet")


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("format", FORMATS)
def test_what_is_written_is_read(tmp_path, name, format, device):
    make, directed = SETS[name]
    graphs = make(directed)
    for batch in (batch_of(graphs, device), batch_of(weighted(graphs, "float32"), device, "weight")):
        labels = np.arange(len(batch)), np.arange(batch.num_vertices) % 7
        batch = mg.GraphBatch(batch.graph, batch.host_offsets, *labels)
        mg.batch.write(batch, tmp_path / f"set.{format}")
        same_batch(mg.batch.read(tmp_path / f"set.{format}", device=device), batch)
        plain = mg.batch.read(tmp_path / f"set.{format}", weights=False, device=device)
        assert not plain.weighted


def test_edges_with_graph_ptr(tmp_path):
    edges = {"src": [0, 2, 3], "dst": [1, 3, 3], "weight": np.float32([1, 2, 3])}
    np.savez(tmp_path / "set.npz", **edges, graph_ptr=[0, 2, 4], graph_label=[5, 6])
    batch = mg.batch.read(tmp_path / "set.npz", device="cpu")
    columns = [([0], [1], np.float32([1])), ([0, 1], [1, 1], np.float32([2, 3]))]
    same_batch(batch, mg.GraphBatch.from_graphs(columns, graph_labels=[5, 6], device="cpu"))
    assert mg.batch.read(tmp_path / "set.npz", directed=True, device="cpu").directed


def test_rows_with_graph_ptr(tmp_path):
    np.savez(tmp_path / "set.npz", indptr=[0, 1, 2, 2, 3], indices=[1, 0, 3], graph_ptr=[0, 2, 4])
    expected = mg.GraphBatch.from_graphs([([0], [1]), ([1], [1])], num_vertices=[2, 2], device="cpu")
    same_batch(mg.batch.read(tmp_path / "set.npz", device="cpu"), expected)
    np.savez(tmp_path / "set.npz", indptr=[0, 1, 1], indices=[1], graph_ptr=[0, 2], directed=True)
    expected = mg.GraphBatch.from_graphs([([0], [1])], directed=True, device="cpu")
    same_batch(mg.batch.read(tmp_path / "set.npz", device="cpu"), expected)


def tu_folder(path, **files):
    contents = {"A": "1, 2\n2, 1\n3, 4\n4, 3\n4, 4\n", "graph_indicator": "1\n1\n2\n2\n3\n", **files}
    for name, text in contents.items():
        (path / f"SET_{name}.txt").write_text(text)
    return path


def test_tu_text(tmp_path):
    labels = {"graph_labels": "-1\n1\n1\n", "node_labels": "0\n1\n2\n0\n1\n", "edge_attributes": "5\n5\n6\n6\n7\n"}
    folder = tu_folder(tmp_path, **labels)
    columns = [([0], [1], np.int32([5])), ([0, 1], [1, 1], np.int32([6, 7])), ([], [])]
    expected = mg.GraphBatch.from_graphs(columns, num_vertices=[2, 2, 1], graph_labels=[-1, 1, 1], device="cpu")
    expected = mg.GraphBatch(expected.graph, expected.host_offsets, [-1, 1, 1], [0, 1, 2, 0, 1])
    same_batch(mg.batch.read(folder, device="cpu"), expected)
    same_batch(mg.batch.read(folder / "SET_A.txt", device="cpu"), expected)
    assert mg.batch.read(folder, directed=True, device="cpu").num_edges == 5
    assert not mg.batch.read(folder, weights=False, device="cpu").weighted


def test_tu_text_with_several_attributes_of_edges(tmp_path):
    assert not mg.batch.read(tu_folder(tmp_path, edge_attributes="5, 6\n" * 5), device="cpu").weighted


def test_tu_text_without_edges(tmp_path):
    batch = mg.batch.read(tu_folder(tmp_path, A="", graph_indicator="1\n3\n"), device="cpu")
    assert batch.sizes.tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    ("files", "named"),
    [
        ({"A": "1, 2\n2, 1\n3, 9\n"}, r"SET_A.txt:3: the vertex id 9 is not between 1 and 5"),
        ({"A": "1, 2\n0, 1\n"}, r"SET_A.txt:2: the vertex id 0"),
        ({"A": "1, 2\n2, x\n"}, r"SET_A.txt:2: 'x' is not a vertex id"),
        ({"A": "1, 2\n2, 1, 7\n"}, r"SET_A.txt:2: expected two vertex ids, got 3"),
        ({"A": "1, 2\n"}, r"both directions of each edge.*0 -> 1"),
        ({"A": "1, 3\n3, 1\n"}, r"joins graph 0 and graph 1"),
        ({"graph_indicator": "1\n1\n2\n1\n3\n"}, r"graph_indicator.txt: vertex 4 is of graph 1"),
        ({"graph_indicator": "1\n0\n2\n2\n3\n"}, r"graph_indicator.txt:2: the id 0 is not between 1"),
        ({"graph_indicator": "1\nx\n2\n2\n3\n"}, r"graph_indicator.txt:2: 'x'"),
        ({"graph_labels": "1\n2\n"}, r"graph_labels.txt: there are 2 lines, but 3 graphs"),
        ({"node_labels": "1\n2\n1\na\n1\n"}, r"node_labels.txt:4: 'a'"),
        ({"edge_attributes": "1\n2\n3\n3\n1\n"}, r"one weight.*0 -> 1"),
    ],
)
def test_bad_tu_text(tmp_path, files, named):
    with pytest.raises(FormatError, match=named):
        mg.batch.read(tu_folder(tmp_path, **files), device="cpu")


def test_bad_folders_and_names(tmp_path):
    with pytest.raises(FormatError, match="found none"):
        mg.batch.read(tmp_path, device="cpu")
    (tmp_path / "set.txt").write_text("1, 2\n")
    with pytest.raises(FormatError, match=r"set.txt: expected a folder with a file NAME_A.txt, or that file"):
        mg.batch.read(tmp_path / "set.txt", format="tu", device="cpu")
    for name in "ba":
        (tmp_path / f"{name}_A.txt").write_text("1, 2\n2, 1\n")
    with pytest.raises(FormatError, match=r"one file NAME_A.txt in this folder, found a_A.txt, b_A.txt; give the path"):
        mg.batch.read(tmp_path, device="cpu")
    with pytest.raises(FormatError, match=r"extension '.dat' is unknown"):
        mg.batch.read(tmp_path / "set.dat", device="cpu")
    with pytest.raises(ValueError, match="unknown format 'gml'"):
        mg.batch.read(tmp_path / "set.npz", format="gml", device="cpu")
    with pytest.raises(FileNotFoundError):
        mg.batch.read(tmp_path / "set.npz", device="cpu")
    with pytest.raises(FormatError, match="no writer"):
        mg.batch.write(mg.GraphBatch.from_graphs([], device="cpu"), tmp_path, format="tu")


@pytest.mark.parametrize(
    ("arrays", "named"),
    [
        ({"src": [0], "dst": [1]}, "no array graph_ptr"),
        ({"src": [0], "dst": [1], "graph_ptr": [1, 2]}, "begin with 0"),
        ({"src": [0], "dst": [1], "graph_ptr": [0, 1, 2]}, "the edge 0 -> 1 joins graph 0 and graph 1"),
        ({"src": [0], "dst": [5], "graph_ptr": [0, 2]}, r"dst\[0\] is 5"),
        (
            {"src": [0, 1], "dst": [1, 2], "graph_ptr": [0, 2, 4], "edge_ptr": [0, 1, 2]},
            "graph 1: dst of edge 0 is 2",
        ),
        ({"src": [0, -1], "dst": [1, 2], "graph_ptr": [0, 2, 4], "edge_ptr": [0, 1, 2]}, r"src\[1\] is -1"),
        ({"src": [0], "dst": [1], "graph_ptr": [0, 2, 4], "edge_ptr": [0, 1]}, "edge_offsets are for 1 graphs"),
        ({"src": [0], "dst": [1], "graph_ptr": [0, 2], "edge_ptr": [0, 2]}, "edge_offsets end with 2, but src has"),
        ({"src": [0], "dst": [1], "graph_ptr": [0, 2], "edge_ptr": [1, 1]}, "edge_ptr must be integers that begin"),
        ({"src": [0], "dst": [1], "graph_ptr": [0.0, 2.0]}, "graph_ptr must be integers that begin with 0 and do not"),
        ({"src": [0], "dst": [1], "graph_ptr": np.empty(0, int)}, "graph_ptr must be integers that begin with 0"),
        ({"src": [0], "dst": [1], "graph_ptr": [[0, 2]]}, "graph_ptr must be integers that begin with 0"),
        ({"src": [0], "dst": [1], "graph_ptr": [0, 3, 2]}, "graph_ptr must be integers that .* do not fall"),
        ({"src": [0], "dst": [1], "graph_ptr": [0, 2**50]}, f"graph_ptr ends with {2**50}, which is more than any"),
        ({"src": [[0]], "dst": [[1]], "graph_ptr": [0, 2]}, r"src must have one dimension, but has shape \(1, 1\)"),
        ({"indptr": [0, 1], "indices": [0], "graph_ptr": [0, 2]}, "indptr does not fit"),
        ({"indptr": [0, 1, 1], "indices": [1, 0], "graph_ptr": [0, 2]}, "indptr does not fit"),
        ({"indptr": [0, 1, 2], "indices": [[1], [0]], "graph_ptr": [0, 2]}, "indptr does not fit"),
        ({"src": [0], "dst": [1], "graph_ptr": [0, 2], "graph_label": [1, 2]}, "graph_labels has shape"),
        ({"src": [0], "dst": [1], "graph_ptr": [0, 2], "directed": True}, "directed=False was asked for"),
    ],
)
def test_bad_archives(tmp_path, arrays, named):
    np.savez(tmp_path / "set.npz", **arrays)
    with pytest.raises(FormatError, match=named):
        mg.batch.read(tmp_path / "set.npz", directed=False if "directed" in arrays else None, device="cpu")


@pytest.mark.parametrize(
    ("columns", "named"),
    [
        ({"src": [[0]]}, "no column 'dst'"),
        ({"src": [0], "dst": [1]}, "column 'src' holds int64 values, but a file with a row for each graph needs lists"),
        ({"src": [[0], [1, 2]], "dst": [[1], [1]]}, "row 1: dst has 1 items, but it needs 2"),
        ({"src": [[0], None], "dst": [[1], [1]]}, "row 1: src is empty"),
        ({"src": [[0], [None]], "dst": [[1], [1]]}, "1 empty items"),
        ({"src": [[0], [0.5]], "dst": [[1], [1]]}, "column 'src' holds double values"),
        ({"src": [[0], [0]], "dst": [[1], [3]], "num_vertices": [2, 2]}, "row 1: dst holds 3, but the graph has 2"),
        ({"src": [[0], [-2]], "dst": [[1], [0]]}, "row 1: src holds -2"),
        ({"src": [[0]], "dst": [[1]], "num_vertices": [-1]}, "row 0: -1 vertices"),
        ({"src": [[0], [0]], "dst": [[1], [1]], "num_vertices": [2, None]}, "row 1: num_vertices is empty"),
        ({"src": [[0], [0]], "dst": [[1], [1]], "vertex_label": [[1, 2], [1]]}, "row 1: vertex_label has 1 items, but"),
        ({"src": [[0], [0]], "dst": [[1], [1]], "vertex_label": [[1, 2], None]}, "row 1: vertex_label is empty"),
    ],
)
def test_bad_tables(tmp_path, columns, named):
    pq, pa = pytest.importorskip("pyarrow.parquet"), pytest.importorskip("pyarrow")
    pq.write_table(pa.table(columns), tmp_path / "set.parquet")
    with pytest.raises(FormatError, match=named):
        mg.batch.read(tmp_path / "set.parquet", device="cpu")


def test_directions_that_a_table_names(tmp_path):
    pq, pa = pytest.importorskip("pyarrow.parquet"), pytest.importorskip("pyarrow")
    table = pa.table({"src": [[0]], "dst": [[1]]})
    for said in (False, True):
        pq.write_table(table.replace_schema_metadata({"minigr.directed": str(int(said))}), tmp_path / "set.parquet")
        for asked in (None, said):
            assert mg.batch.read(tmp_path / "set.parquet", directed=asked, device="cpu").directed == said
        with pytest.raises(FormatError, match=f"the file says directed={said}, but directed={not said} was asked for"):
            mg.batch.read(tmp_path / "set.parquet", directed=not said, device="cpu")
    pq.write_table(table.replace_schema_metadata({"minigr.directed": "yes"}), tmp_path / "set.parquet")
    with pytest.raises(FormatError, match=r"the metadata minigr\.directed should be 0 or 1, but is b'yes'"):
        mg.batch.read(tmp_path / "set.parquet", device="cpu")


def test_not_a_table(tmp_path):
    pytest.importorskip("pyarrow")
    (tmp_path / "set.parquet").write_bytes(b"no table")
    with pytest.raises(FormatError, match="not a readable Parquet file"):
        mg.batch.read(tmp_path / "set.parquet", device="cpu")


def test_real_sets(data_dir):
    counts = {"tu-MUTAG": (188, 3371, 3721), "tu-PTC": (344, 8792, 8931), "hiv-molecules": (41906, 1069760, 1151705)}
    for name, expected in counts.items():
        batch = mg.batch.read(data_dir / f"{name}.npz", device="cpu")
        assert (batch.num_graphs, batch.num_vertices, batch.num_edges) == expected
        assert len(batch.graph_labels) == expected[0]


@pytest.mark.parametrize("through", ["npz", "parquet"])
def test_labels_of_text(tmp_path, through):
    names = np.array(["a", "bc"], object)
    batch = mg.GraphBatch.from_graphs([[(0, 1)], [(0, 1)]], graph_labels=names, device="cpu")
    mg.batch.write(batch, tmp_path / f"set.{through}")
    again = mg.batch.read(tmp_path / f"set.{through}", device="cpu")
    mg.batch.write(again, tmp_path / "again.npz")
    assert mg.batch.read(tmp_path / "again.npz", device="cpu").graph_labels.tolist() == ["a", "bc"]


def test_labels_that_an_archive_has_no_place_for(tmp_path):
    batch = mg.GraphBatch.from_graphs([[(0, 1)]], graph_labels=np.array([("a", 1)], object)[:, 0], device="cpu")
    mg.batch.write(batch, tmp_path / "set.npz")
    batch = mg.GraphBatch.from_graphs([[(0, 1)]], graph_labels=np.array([None], object), device="cpu")
    before = (tmp_path / "set.npz").read_bytes()
    with pytest.raises(FormatError, match="graph_label holds objects"):
        mg.batch.write(batch, tmp_path / "set.npz")
    assert (tmp_path / "set.npz").read_bytes() == before


def test_labels_that_parquet_can_not_hold(tmp_path):
    pytest.importorskip("pyarrow")
    graph = mg.GraphBatch.from_graphs([[(0, 1)]], device="cpu").graph
    for labels, message in (
        ({"graph_labels": np.zeros((1, 3))}, "graph_label can't be a column of Arrow .*one dimension"),
        ({"vertex_labels": np.zeros((2, 3))}, "vertex_label can't be a column of Arrow"),
        ({"vertex_labels": np.array([1j, 2])}, "vertex_label can't be a column of Arrow"),
        ({"vertex_labels": np.array(["a", 2], object)}, "vertex_label can't be a column of Arrow"),
    ):
        batch = mg.GraphBatch(graph, [0, 2], **labels)
        with pytest.raises(FormatError, match=rf"set\.parquet: {message}"):
            mg.batch.write(batch, tmp_path / "set.parquet")
        assert not list(tmp_path.iterdir())


def test_missing_labels_in_parquet(tmp_path):
    pytest.importorskip("pyarrow")
    graph = mg.GraphBatch.from_graphs([[(0, 1)], [(0, 1)]], device="cpu").graph
    for labels in (["a", None, "b", None], np.array(["2026-01-02", "NaT"] * 2, "M8[D]")):
        column = np.array(labels, object) if isinstance(labels, list) else labels
        mg.batch.write(mg.GraphBatch(graph, np.array([0, 2, 4]), column[:2], column), tmp_path / "set.parquet")
        again = mg.batch.read(tmp_path / "set.parquet", device="cpu")
        assert again.vertex_labels.astype(column.dtype).tolist() == column.tolist()
        assert again.graph_labels.astype(column.dtype).tolist() == column[:2].tolist()
        [part] = mg.batch.map(tmp_path / "set.parquet", mg.batch.closeness, device="cpu")
        assert part.positions.tolist() == [0, 1]


def test_parquet_without_pyarrow(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    batch = mg.GraphBatch.from_graphs([[(0, 1)]], device="cpu")
    with pytest.raises(MissingExtraError, match="writing Parquet needs pyarrow: pip install 'minigr\\[parquet]'"):
        mg.batch.write(batch, tmp_path / "set.parquet")
    (tmp_path / "set.parquet").write_bytes(b"")
    with pytest.raises(MissingExtraError, match="reading Parquet needs pyarrow"):
        list(mg.batch.map(tmp_path / "set.parquet", mg.batch.closeness, device="cpu"))
