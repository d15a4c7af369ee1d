"""Graphs of files that are read in parts: those of all edges at a time, in less memory."""

import gzip
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minigr as mg
from minigr.errors import FormatError
from minigr.io import build, contents, reading
from minigr.io.rows_as_text import write_rows


def outcome(path, options):
    """The arrays of a graph, or the error."""
    try:
        graph = mg.read(path, device="cpu", **options)
    except FormatError as error:
        return str(error), error.line
    arrays = graph.offsets, graph.indices, graph.weights
    return graph.directed, *((array.dtype, array.tobytes()) for array in arrays if array is not None)


def by_parts_and_whole(path, monkeypatch, **options):
    """What a reader finds part by part, which must be what it finds of all edges."""
    with monkeypatch.context() as patch:
        patch.setattr("minigr.io.source.BLOCK", 64)
        patch.setattr("minigr.io.table.SHORT", 16)
        patch.setattr(build, "KEPT", 100)
        found = outcome(path, options)
        patch.setattr(reading, "graph_of_parts", _refuse)
        assert found == outcome(path, options)
    return found


def _refuse(*_):
    raise build.Unusual


WEIGHTS = {
    "none": st.just(""),
    "whole": st.integers(-(2**31), 2**31 - 1).map(str),
    "wide": st.integers(-(2**62), 2**62).map(str),
    "mixed": st.integers(-(2**62), 2**62).map(str) | st.floats(-1e9, 1e9).map(repr),
}
NOTES = ["", "# minigr: 40 vertices, directed, float32 weights\n", "# minigr: 9 vertices, undirected, int32 weights\n"]
OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "directed": st.booleans(),
        "weight_dtype": st.sampled_from(["int32", "float32", "float64"]),
        "num_vertices": st.sampled_from([20, 40]),
        "weights": st.booleans(),
        "relabel": st.just(False),
    },
)


@given(data=st.data())
@settings(max_examples=150, deadline=None)
def test_edge_lists(data, tmp_path_factory):
    kind = data.draw(st.sampled_from(sorted(WEIGHTS)))
    note = data.draw(st.sampled_from(NOTES))
    rows = data.draw(st.lists(st.tuples(st.integers(0, 19), st.integers(0, 19), WEIGHTS[kind]), max_size=60))
    path = tmp_path_factory.mktemp("edges") / "a.txt"
    path.write_text(note + "".join(f"{u} {v} {w}".rstrip() + "\n" for u, v, w in rows))
    options = data.draw(OPTIONS)
    if note:
        options.pop("num_vertices", None)  # of two faults either may be told
    with pytest.MonkeyPatch.context() as patch:
        by_parts_and_whole(path, patch, **options)


@pytest.mark.parametrize("symmetry", ["general", "symmetric"])
@pytest.mark.parametrize("field", ["pattern", "integer", "real"])
def test_matrices(symmetry, field, tmp_path, monkeypatch):
    draw = np.random.default_rng(1)
    rows = [(int(u), int(v)) for u, v in draw.integers(1, 30, (80, 2))]
    value = {"pattern": "", "integer": " 7", "real": " 7"}[field]
    text = f"%%MatrixMarket matrix coordinate {field} {symmetry}\n30 30 80\n"
    (tmp_path / "a.mtx").write_text(text + "".join(f"{u} {v}{value}\n" for u, v in rows))
    found = by_parts_and_whole(tmp_path / "a.mtx", monkeypatch)
    assert found[0] == (symmetry == "general")
    assert by_parts_and_whole(tmp_path / "a.mtx", monkeypatch, directed=symmetry != "general")


def test_dimacs(tmp_path, monkeypatch):
    rows = "".join(f"a {u} {u * u % 29 + 1} {u}\n" for u in range(1, 29))
    (tmp_path / "a.gr.gz").write_bytes(gzip.compress(f"p sp 30 28\n{rows}".encode()))
    assert by_parts_and_whole(tmp_path / "a.gr.gz", monkeypatch)[0]


@pytest.mark.parametrize("dtype", ["int64", "int8", "uint64", "float32", "bool"])
def test_parquet(dtype, tmp_path, monkeypatch):
    pandas, _ = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    draw = np.random.default_rng(1)
    columns = {"src": draw.integers(0, 50, 300), "dst": draw.integers(0, 50, 300).astype("uint8")}
    frame = pandas.DataFrame(columns | {"weight": draw.integers(0, 2, 300).astype(dtype)})
    frame.to_parquet(tmp_path / "a.parquet", row_group_size=70)
    found = by_parts_and_whole(tmp_path / "a.parquet", monkeypatch)
    assert len(found) == (2 if dtype == "uint64" else 4)  # no weights are uint64: an error
    for bad in (-1, 2**31, 1 - 2**32):
        frame.loc[222, "src"] = bad
        frame.to_parquet(tmp_path / "a.parquet", row_group_size=70)
        assert "src[222]" in by_parts_and_whole(tmp_path / "a.parquet", monkeypatch, weights=False)[0]


def test_ids_that_grow_faster_than_edges_at_first(tmp_path, monkeypatch):
    monkeypatch.setattr(contents, "ALWAYS_ALLOWED", 10)
    (tmp_path / "a.txt").write_text("0 900\n" + "".join(f"{v} {v + 1}\n" for v in range(100)))
    assert len(by_parts_and_whole(tmp_path / "a.txt", monkeypatch)) == 3


def test_a_file_that_changes_while_it_is_read(tmp_path, monkeypatch):
    path = tmp_path / "a.txt"
    path.write_text("0 1\n" * 50)
    begin = build.RowsOfParts.begin

    def changed(rows, n):
        path.write_text("0 1\n" * 500)
        return begin(rows, n)

    monkeypatch.setattr(build.RowsOfParts, "begin", changed)
    monkeypatch.setattr(build, "KEPT", 0)
    with pytest.raises(FormatError, match="changed while it was read"):
        mg.read(path, device="cpu")


PEAK = """
import pathlib, sys
import minigr as mg

def kilobytes(name):
    lines = dict(line.split(":", 1) for line in pathlib.Path("/proc/self/status").read_text().splitlines())
    return int(lines[name].split()[0])

mg.read(sys.argv[2], device="cpu")  # what the package and its compiler take
pathlib.Path("/proc/self/clear_refs").write_text("5")  # the peak begins at what there is now
before = kilobytes("VmRSS")
graph = mg.read(sys.argv[1], device="cpu")
print((kilobytes("VmHWM") - before) * 1024 / graph.memory)
"""


def test_the_peak_is_no_more_than_half_above_the_graph(tmp_path):
    draw = np.random.default_rng(1)
    pairs = draw.integers(0, 400_000, (4_000_000, 2), np.int32)
    for name, count in (("large.txt", len(pairs)), ("small.txt", 20_000)):
        with (tmp_path / name).open("wb") as handle:
            write_rows(handle, {"src": pairs[:count, 0], "dst": pairs[:count, 1]}, " ")
    arguments = [sys.executable, "-c", PEAK, str(tmp_path / "large.txt"), str(tmp_path / "small.txt")]
    run = subprocess.run(arguments, capture_output=True, text=True, env={**os.environ, "MINIGR_NUM_THREADS": "2"})
    assert run.returncode == 0, run.stderr
    assert 0.9 < float(run.stdout) < 1.5
