"""Writing and reading back, archives, Parquet, names; and real files where there are any."""

import importlib.util
import os
import sys
import threading
from contextlib import suppress
from functools import partial

import numpy as np
import pytest
import scipy.sparse

from minigr import generate
from minigr.device import CPU
from minigr.errors import FormatError, GraphError
from minigr.graphs import Graph
from minigr.graphs.dynamic import DynamicGraph
from minigr.io import convert, read, read_named, read_timed, shipped, shipped_names, write
from minigr.io.batches import read_batch
from tests.battery import BATTERY

WRITABLE = ["a.mtx", "a.mtx.gz", "a.txt", "a.el", "a.csv", "a.tsv.gz", "a.npz", "a.graphml", "a.gml.gz"]
if importlib.util.find_spec("pyarrow"):
    WRITABLE.append("a.parquet")


def assert_equal(ours, theirs):
    assert (ours.directed, ours.num_vertices) == (theirs.directed, theirs.num_vertices)
    for one, other in zip(vars(ours.out_edges).values(), vars(theirs.out_edges).values(), strict=True):
        assert (one is None) == (other is None)
        if one is not None:
            assert one.dtype == other.dtype
            np.testing.assert_array_equal(CPU.asarray(one), CPU.asarray(other))


@pytest.mark.parametrize("factory", [factory for _, factory in BATTERY], ids=[name for name, _ in BATTERY])
def test_round_trip(tmp_path, factory, device):
    graph = factory(device)
    for name in WRITABLE:
        write(graph, tmp_path / name)
        assert_equal(read(tmp_path / name, device=device), graph)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(WRITABLE)  # nothing else is left behind


@pytest.mark.parametrize("name", WRITABLE)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_every_bit_of_a_real_weight_survives(tmp_path, name, dtype):
    weights = (np.random.default_rng(0).random(2000) * 10.0 ** np.arange(-20, 20).repeat(50)).astype(dtype)
    weights[:3] = np.inf, -np.inf, -0.0
    graph = Graph.from_edges(np.arange(2000), np.arange(1, 2001), weights, directed=True, device="cpu")
    write(graph, tmp_path / name)
    assert_equal(read(tmp_path / name, device="cpu"), graph)


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "a.txt"
    path.write_text("0 1\n")

    def fail(*arguments, **options):
        raise OSError("disk full")

    monkeypatch.setattr("minigr.io.edge_list.write_rows", fail)
    with pytest.raises(OSError, match="disk full"):
        write(generate.path(9, device="cpu"), path)
    assert path.read_text() == "0 1\n"
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.txt"]


def test_no_writer(tmp_path):
    with pytest.raises(ValueError, match="formats that can be written are mtx, edges, graphml, gml, npz, parquet"):
        write(generate.path(3, device="cpu"), tmp_path / "a.graph")


def test_names_and_formats(tmp_path):
    path = tmp_path / "data.dat"
    path.write_text("0 1\n")
    with pytest.raises(FormatError, match=r"extension '.dat' is unknown; pass format="):
        read(path, device="cpu")
    assert read(path, format="edges", device="cpu").num_edges == 1
    with pytest.raises(ValueError, match="unknown format 'dot'"):
        read(path, format="dot", device="cpu")
    with pytest.raises(FileNotFoundError, match="the shipped graphs are roads, wordnet"):
        read(tmp_path / "missing.txt", device="cpu")


def test_the_empty_path_is_not_the_current_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    graph = generate.path(3, device="cpu")
    for call in (
        partial(read, ""),
        partial(read, [""]),
        partial(read_named, "", format="gml"),
        partial(read_timed, "", format="edges"),
        partial(read_batch, ""),
        partial(convert, "roads", ""),
        partial(write, graph, "", format="minigr"),
        partial(DynamicGraph.load, ""),
        partial(generate.batch_files, "", 1),
    ):
        with pytest.raises(FileNotFoundError, match="the path is empty; give the name of a file: ''"):
            call()
    assert not list(tmp_path.iterdir())


def test_a_folder_that_is_no_graph(tmp_path):
    for call in (read_named, read_timed, lambda path: read([path]), partial(write, generate.path(3, device="cpu"))):
        with pytest.raises(FormatError, match="this is a folder: give the name of a file, or of a folder that ends in"):
            call(tmp_path)


@pytest.mark.parametrize(("name", "edges"), [("roads", 214_176), ("wordnet", 183_789)])
def test_shipped(name, edges):
    assert name in shipped_names()
    assert shipped(name).stat().st_size < 1.5e6
    graph = read(name, device="cpu")
    assert (graph.num_edges, graph.is_simple, graph.directed, graph.weighted) == (edges, True, False, name == "roads")


def test_archives(tmp_path):
    path = tmp_path / "a.npz"
    rows = {"indptr": np.array([0, 1, 2]), "indices": np.array([1, 0])}
    np.savez(path, **rows, weights=np.array([2.5, 2.5]))
    graph = read(path, device="cpu")
    assert (graph.num_edges, graph.directed, graph.weights.tolist()) == (1, False, [2.5, 2.5])
    assert read(path, weights=False, device="cpu").weights is None
    assert read(path, directed=True, device="cpu").num_edges == 2
    np.savez(path, **rows, directed=True)
    assert read(path, device="cpu").num_edges == 2
    assert read(path, directed=False, device="cpu").num_edges == 2  # each arc an edge of its own
    np.savez(path, src=[0], dst=[1], weight=np.array([3], np.int8), n=5, directed=False, coords=np.zeros((5, 2)))
    graph = read(path, device="cpu")
    assert (graph.num_vertices, graph.num_edges, graph.weights.dtype) == (5, 1, np.int32)
    scipy.sparse.save_npz(path, scipy.sparse.csr_array([[0, 2.0], [0, 0]]))
    assert read(path, device="cpu").weights.tolist() == [2.0]


@pytest.mark.parametrize(
    ("arrays", "says"),
    [
        ({}, "there are none"),
        ({"x": [1]}, "there are x"),
        ({"src": [0], "dst": [7], "n": 5}, r"dst\[0\] is 7, but num_vertices is 5"),
        ({"src": [0], "dst": [7], "n": [5, 6]}, "n should be a single value"),
        ({"src": [0.5], "dst": [7]}, "src must hold integer"),
        ({"indptr": [0, 1], "indices": [3]}, r"indices\[0\] is 3"),
        ({"indptr": [0, 1, 1], "indices": [1]}, "no reverse arc of this weight"),
        ({"indptr": np.array([{}]), "indices": [1]}, "Object arrays cannot be loaded"),
    ],
)
def test_wrong_archives(tmp_path, arrays, says):
    np.savez(tmp_path / "a.npz", **arrays)
    with pytest.raises(FormatError, match=says):
        read(tmp_path / "a.npz", device="cpu")


@pytest.mark.parametrize("format", ["npz", "parquet", "minigr"])
def test_no_gzip_around_what_is_no_text(tmp_path, format):
    graph, path = generate.path(2, device="cpu"), tmp_path / f"a.{format}.gz"
    for name, options in ((path, {}), (tmp_path / "a.gz", {"format": format})):
        with pytest.raises(FormatError, match=f"the format {format} is never compressed by gzip: give a name without"):
            write(graph, name, **options)
        assert not name.exists()
    path.write_bytes(b"")
    with pytest.raises(FormatError, match="decompress a file that is compressed"):
        read(path, device="cpu")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"weight_dtype": "foo"}, "weights can't be foo; the dtypes supported are int32"),
        ({"keep": 5}, "keep= is True, False or the names of columns, got 5"),
        ({"keep": [5]}, r"keep= is True, False or the names of columns, got \[5\]"),
        ({"columns": 5}, "columns= is the names of columns, got 5"),
    ],
)
def test_wrong_options(tmp_path, options, says):
    write(generate.path(2, device="cpu"), tmp_path / "a.txt")
    for call in (read, partial(convert, target=tmp_path / "a.minigr")):
        with pytest.raises(GraphError, match=says):
            call(tmp_path / "a.txt", **options)


def test_archive_cut_anywhere(tmp_path):
    path = tmp_path / "a.npz"
    write(generate.path(5, weights=(1, 9), device="cpu"), path)
    data = path.read_bytes()
    for end in range(0, len(data), 7):
        path.write_bytes(data[:end])
        with pytest.raises(FormatError):
            read(path, device="cpu")
    for changed in range(0, len(data), 11):
        path.write_bytes(data[:changed] + bytes([data[changed] ^ 0xFF]) + data[changed + 1 :])
        try:
            read(path, device="cpu")
        except FormatError:
            continue


def test_parquet(tmp_path):
    pandas, _ = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    path = tmp_path / "a.parquet"
    pandas.DataFrame({"source": [0, 1], "year": [1999, 2000], "target": [1, 2], "weight": [0.5, 1.5]}).to_parquet(path)
    graph = read(path, device="cpu")
    assert (graph.num_edges, graph.directed, graph.weights.dtype) == (2, False, np.float64)
    assert not read(path, columns=("src", "weight", "dst", "-"), weights=False, device="cpu").weighted
    with pytest.raises(FormatError, match="columns= names 2 columns, but there are 4"):
        read(path, columns=("src", "dst"), device="cpu")
    data = path.read_bytes()
    for end in range(0, len(data), 97):
        path.write_bytes(data[:end])
        with pytest.raises(FormatError, match="not a readable Parquet file"):
            read(path, device="cpu")
    pandas.DataFrame({"src": pandas.array([0, None], "Int64"), "dst": [1, 2]}).to_parquet(path)
    with pytest.raises(FormatError, match="column 'src' has 1 empty rows"):
        read(path, device="cpu")
    pandas.DataFrame({"a": [0], "b": [1]}).to_parquet(path)
    with pytest.raises(FormatError, match="no columns for source and target among 'a', 'b'"):
        read(path, device="cpu")


def test_parquet_without_pyarrow(tmp_path, monkeypatch):
    (tmp_path / "a.parquet").write_bytes(b"x")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"pip install 'minigr\[parquet\]'"):
        read(tmp_path / "a.parquet", device="cpu")


REAL = {  # vertices, edges, directed; or the line at which the file is refused
    "CollegeMsg.txt": (1900, 59835, False),
    "Lederberg.mtx": (8843, 41601, True),
    "PGPgiantcompo.graph": (10680, 24316, False),
    "USA-road-d.NY.reassembled.gr.gz": (264346, 730100, True),
    "bremen_dist.gr": (40461, 86475, True),
    "lagraph_LFAT5_hypersparse.mtx": (2000, 30, False),
    "lagraph_bcsstk13.mtx": (2003, 42943, False),
    "lagraph_comments_west0067.mtx": 6,
    "lagraph_jagmesh7.mtx": (1138, 4294, False),
    "lagraph_karate.mtx": (34, 78, False),
    "lagraph_lp_afiro.mtx": 65,
    "lagraph_mangled_format.mtx": 1,
    "lagraph_matrix_int64.mtx": (7, 12, True),
    "lagraph_west0067_jumbled.mtx": (67, 294, True),
    "lagraph_west0067_noheader.mtx": (67, 294, True),
    "pace2018-steiner-instance001.gr": (53, 80, False),
    "rome99.gr": (3353, 8870, True),
    "wiki-Vote.txt": (8298, 103689, False),
}


@pytest.mark.parametrize("name", REAL)
def test_real_text_file(data_dir, name):
    want, path = REAL[name], data_dir / "raw" / name
    if isinstance(want, int):
        with pytest.raises(FormatError) as raised:
            read(path, device="cpu")
        assert raised.value.line == want
    else:
        graph = read(path, device="cpu")
        assert (graph.num_vertices, graph.num_edges, graph.directed) == want


@pytest.mark.parametrize(
    ("text", "archive"), [("rome99.gr", "rome99"), ("USA-road-d.NY.reassembled.gr.gz", "USA-road-d.NY")]
)
def test_text_and_archive_hold_one_graph(data_dir, text, archive):
    assert_equal(read(data_dir / "raw" / text, device="cpu"), read(data_dir / f"{archive}.npz", device="cpu"))


def test_relabelled_real_file(data_dir):
    graph = read(data_dir / "raw" / "wiki-Vote.txt", directed=True, relabel=True, device="cpu")
    assert_equal(graph, read(data_dir / "snap-wiki-Vote.npz", device="cpu"))


def test_real_archives(data_dir):
    for path in data_dir.glob("*.npz"):
        with np.load(path) as archive:
            rows, n = len(archive["src"]), int(archive["n"])
        graph = read(path, device="cpu")
        assert (graph.num_edges, graph.num_vertices) == (rows, n)


@pytest.mark.parametrize(
    ("read", "name"),
    [
        *[(read, name) for name in ("a.txt", "a.mtx", "a.graphml", "a.txt.gz", "a.npz", "a.parquet")],
        *[(read_batch, name) for name in ("a.npz", "a.parquet")],
        (DynamicGraph.load, "a.npz"),
    ],
)
def test_a_pipe_is_refused(tmp_path, read, name):
    if name.endswith(".parquet"):
        pytest.importorskip("pyarrow")
    pipe = tmp_path / name
    os.mkfifo(pipe)

    def give():
        with suppress(BrokenPipeError):  # the pipe may be refused before the first byte
            pipe.write_bytes(b"0 1\n")

    writer = threading.Thread(target=give)
    writer.start()
    with pytest.raises(FormatError, match=f"{name}: is a pipe, which can't go back to data that was read"):
        read(pipe, device="cpu")
    writer.join()
