"""What a file says of its size is held against its length and the memory that is free, before memory is taken by it."""

import gzip
import io
import tracemalloc
import zipfile

import numpy as np
import pytest

import minigr as mg
from minigr import memory
from minigr.errors import FormatError, OutOfMemoryError
from minigr.io import read, read_timed

BANNER = "%%MatrixMarket matrix coordinate pattern general\n"
LARGE = 300_000_000


def peak_of(call):
    """The most bytes that a call had at a time, and what it raised."""
    tracemalloc.start()
    try:
        call()
    except (FormatError, OutOfMemoryError) as error:
        return tracemalloc.get_traced_memory()[1], error
    finally:
        tracemalloc.stop()
    raise AssertionError("nothing was raised")


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        (
            "a.mtx",
            BANNER + f"{LARGE} {LARGE} 1\n1 1\n",
            "300,000,000 vertices are too many for 1 .* num_vertices=",
        ),
        ("a.gr", f"p sp {LARGE} 1\na 1 2 1.5\n", "too many for 1 edges"),
        ("b.gr", f"SECTION Graph\nNodes {LARGE}\nEdges 0\nEND\n", "too many for 0 edges"),
        ("a.graph", f"{LARGE} 0\n", "more than the file can hold"),
        ("b.graph", f"{LARGE} 0\n" + "\n" * 300, "more than the file can hold"),
        ("c.graph", f"2 {LARGE}\n2\n1\n", "c.graph:1: the header promises 2 vertices.* more than the file can hold"),
        ("a.txt", f"# minigr: {LARGE} vertices, directed, unweighted\n0 1\n", "relabel=True"),
        ("b.txt", f"0 {LARGE}\n", "relabel=True"),
        ("b.mtx", "%%MatrixMarket matrix array real general\n40000 40000\n1\n", "more than the file can hold"),
    ],
)
def test_text_that_promises_much(tmp_path, name, text, says):
    (tmp_path / name).write_text(text)
    peak, error = peak_of(lambda: read(tmp_path / name, device="cpu"))
    assert peak < 20e6
    with pytest.raises(FormatError, match=says):
        raise error


def archive(path, data_bytes, claimed, compression=zipfile.ZIP_DEFLATED):
    """An archive whose array src has so many bytes, and a header that claims so many elements."""
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<i8", "fortran_order": False, "shape": (claimed,)})
    with zipfile.ZipFile(path, "w", compression) as file:
        with file.open("src.npy", "w", force_zip64=True) as member:
            member.write(header.getvalue())
            for _ in range(data_bytes >> 20):
                member.write(bytes(1 << 20))
            member.write(bytes(data_bytes & ((1 << 20) - 1)))
        file.writestr("dst.npy", header.getvalue() + bytes(8 * min(claimed, 10)))


@pytest.mark.parametrize(("data", "claimed"), [(200 << 20, 2), (16, 10**9), (16, 10**18)])
def test_archives_whose_header_is_wrong(tmp_path, data, claimed):
    archive(tmp_path / "a.npz", data, claimed)
    for call in (read, mg.batch.read, mg.DynamicGraph.load):
        np_names = {"graph_ptr", "indptr"}
        peak, error = peak_of(lambda call=call: call(tmp_path / "a.npz", device="cpu"))
        assert peak < 20e6
        assert str(tmp_path) in str(error)
        assert "its header says" in str(error) or any(name in str(error) for name in np_names)


def test_archives_that_declare_vertices(tmp_path):
    np.savez(tmp_path / "a.npz", src=[0], dst=[1], n=LARGE)
    peak, error = peak_of(lambda: read(tmp_path / "a.npz", device="cpu"))
    assert peak < 20e6
    assert "too many for 1 edges" in str(error)
    np.savez(tmp_path / "b.npz", src=[0], dst=[1], graph_ptr=[0, LARGE])
    peak, error = peak_of(lambda: mg.batch.read(tmp_path / "b.npz", device="cpu"))
    assert peak < 20e6
    assert "number the vertices of each graph from 0" in str(error)


@pytest.mark.parametrize("columns", [{"dst": [[LARGE]]}, {"num_vertices": [LARGE]}, {"num_vertices": [2**40]}])
def test_tables_of_graphs_that_declare_vertices(tmp_path, columns):
    pq, pa = pytest.importorskip("pyarrow.parquet"), pytest.importorskip("pyarrow")
    pq.write_table(pa.table({"src": [[0]], "dst": [[1]], **columns}), tmp_path / "a.parquet")
    peak, error = peak_of(lambda: mg.batch.read(tmp_path / "a.parquet", device="cpu"))
    assert peak < 20e6
    assert "row 0: " in str(error)


def test_folders_of_graphs_that_number_them_far_apart(tmp_path):
    (tmp_path / "S_A.txt").write_text("1, 2\n2, 1\n")
    (tmp_path / "S_graph_indicator.txt").write_text("1\n2000000000\n")
    peak, error = peak_of(lambda: mg.batch.read(tmp_path, device="cpu"))
    assert peak < 20e6
    assert "number the graphs from 1" in str(error)


@pytest.mark.parametrize(
    ("name", "begin", "repeated"),
    [
        ("a.txt.gz", "", "1"),
        ("a.gr.gz", "SECTION Graph\n", "x"),
        ("b.gr.gz", "p sp 3 1\n", "a"),
        ("a.mtx.gz", BANNER, "%\n3"),
    ],
)
def test_compressed_lines_without_an_end(tmp_path, name, begin, repeated):
    (tmp_path / name).write_bytes(gzip.compress((begin + repeated * 30_000_000).encode(), 1))
    peak, error = peak_of(lambda: read(tmp_path / name, device="cpu"))
    assert peak < 20e6
    assert isinstance(error, FormatError)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.txt.gz", "0 1\n" * 4_000_000),
        ("a.graph.gz", "2 9999999\n" + "2 " * 8_000_000 + "\n"),
        ("b.graph.gz", "2 9999999\n" + "2 " * 4_000_000 + "\n" + "1 " * 4_000_000),
        ("a.npz", None),
    ],
)
def test_what_does_not_fit_is_refused_as_it_comes(tmp_path, monkeypatch, name, content):
    path = tmp_path / name
    if content is None:
        np.savez_compressed(path, src=np.zeros(5_000_000, int), dst=np.zeros(5_000_000, int))
    else:
        path.write_bytes(gzip.compress(content.encode(), 1))
    monkeypatch.setattr(memory, "_free_on_host", lambda: 20 << 20)
    peak, error = peak_of(lambda: read(path, device="cpu"))
    assert peak < 60e6
    assert isinstance(error, OutOfMemoryError)
    assert str(path) in str(error)


@pytest.mark.parametrize(
    ("name", "options"), [("a.txt", {}), ("a.txt", {"relabel": True}), ("a.graph", {}), ("a.mtx", {"directed": False})]
)
def test_a_graph_is_read_in_little_more_than_it_takes(tmp_path, name, options):
    graph, path = mg.generate.uniform(1 << 16, 3_000_000, device="cpu"), tmp_path / name
    if name.endswith("graph"):
        rows = np.split(graph.indices + 1, graph.offsets[1:-1])
        path.write_text(
            f"{len(rows)} {graph.num_edges}\n" + "".join(f"{' '.join(map(str, r.tolist()))}\n" for r in rows)
        )
    else:
        mg.write(graph, path)
    tracemalloc.start()
    found = read(path, device="cpu", **options)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    np.testing.assert_array_equal(found.indices, graph.indices)
    assert peak < 1.1 * found.memory + (24 << 20)  # what a few blocks of text take


def test_a_graph_that_does_not_fit_is_refused_before_it_is_built(tmp_path, monkeypatch):
    (tmp_path / "a.txt").write_text("0 16000000\n")
    monkeypatch.setattr(memory, "_free_on_host", lambda: 20 << 20)
    peak, error = peak_of(lambda: read(tmp_path / "a.txt", device="cpu"))
    assert peak < 20e6
    assert isinstance(error, OutOfMemoryError)


def test_a_wrong_number_is_named_before_memory_that_it_would_take(tmp_path, monkeypatch):
    (tmp_path / "a.txt").write_text("0 2000000000\n")
    monkeypatch.setattr(memory, "_free_on_host", lambda: 20 << 20)
    with pytest.raises(FormatError, match=r"2,000,000,001 vertices are too many for 1 edges .*; pass relabel=True"):
        read(tmp_path / "a.txt", device="cpu")


def test_the_number_of_vertices_by_the_caller(tmp_path):
    (tmp_path / "a.txt").write_text("0 1\n")
    (tmp_path / "a.mtx").write_text(BANNER + "3 3 1\n1 2\n")
    (tmp_path / "t.txt").write_text("0 1 5\n")
    assert read(tmp_path / "a.txt", num_vertices=5, device="cpu").num_vertices == 5
    assert read(tmp_path / "a.mtx", num_vertices=3, device="cpu").num_vertices == 3
    assert read_timed(tmp_path / "t.txt", num_vertices=LARGE).num_vertices == LARGE
    for options, error, says in (
        ({"num_vertices": 1}, FormatError, r"dst\[0\] is 1, but num_vertices is 1"),
        ({"num_vertices": -1}, mg.errors.GraphError, "must be between"),
        ({"num_vertices": 5, "relabel": True}, mg.errors.GraphError, "no meaning"),
    ):
        with pytest.raises(error, match=says):
            read(tmp_path / "a.txt", device="cpu", **options)
    with pytest.raises(FormatError, match="the graph has 3 vertices, but num_vertices=4 was asked for"):
        read(tmp_path / "a.mtx", num_vertices=4, device="cpu")


@pytest.mark.parametrize("far", [1, 3, 10**12])
def test_vertices_by_rank_in_parts(tmp_path, far):
    """Ids that stay in a table, and those that leave it in a later part of the file."""
    draw = np.random.default_rng(4)
    ends = draw.integers(0, 300_000, (500_000, 2)) * 7
    ends[-1000:] *= far
    path = tmp_path / "a.txt"
    path.write_text("".join(f"{u} {v}\n" for u, v in ends.tolist()))
    found = read(path, relabel=True, directed=True, device="cpu")
    ids, ranks = np.unique(ends, return_inverse=True)
    want = mg.Graph.from_edges(*ranks.reshape(ends.shape).T, num_vertices=len(ids), directed=True, device="cpu")
    np.testing.assert_array_equal(found.offsets, want.offsets)
    np.testing.assert_array_equal(found.indices, want.indices)
