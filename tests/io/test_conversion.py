"""Folders made of files without the graph in memory: the folder of the graph that `read` makes of the file."""

import os
import subprocess
import sys

import numpy as np
import pytest

import minigr as mg
from minigr.errors import FormatError, GraphError
from minigr.io import conversion
from minigr.io.rows_as_text import write_rows
from tests.io.test_folder import same


@pytest.fixture(autouse=True)
def files_are_read_again(monkeypatch):
    """Although they are short."""
    monkeypatch.setattr("minigr.io.build.KEPT", 0)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "graph.minigr"


def edges(folder, kind, name="a.txt"):
    """A file with edges that are not in order, some of them parallel and some vertices without any."""
    draw = np.random.default_rng(2)
    src, dst = (500 * draw.random((2, 40_000)) ** 3).astype(np.int32)
    src[:100] = 7  # a row longer than others
    columns = {"src": src, "dst": dst}
    if kind != "none":
        columns["weight"] = draw.integers(0, 9, 40_000).astype("float64" if kind == "real" else "int32")
    with (folder / name).open("wb") as handle:
        handle.write(b"# edges\n")
        write_rows(handle, columns, " ")
    return folder / name


@pytest.mark.parametrize("kind", ["none", "whole", "real"])
@pytest.mark.parametrize("directed", [None, True])
@pytest.mark.parametrize("at_once", [None, 1 << 16])
def test_it_is_the_graph_that_is_read(kind, directed, at_once, tmp_path, path):
    file = edges(tmp_path, kind)
    mg.convert(file, path, directed=directed, at_once=at_once)
    same(mg.read(path, mmap=True), mg.read(file, directed=directed, device="cpu"))


def test_rows_are_shared_out_by_what_has_room(tmp_path, path, monkeypatch):
    monkeypatch.setattr(conversion, "_AT_LEAST", 1)
    (tmp_path / "a.txt").write_text("0 1\n0 2\n0 3\n5 3\n5 5\n7 0\n")
    graph = mg.read(tmp_path / "a.txt", device="cpu")
    for at_once in (1, 4, 8, 12, 100):
        mg.convert(tmp_path / "a.txt", path, at_once=at_once)
        same(mg.read(path, device="cpu"), graph)


@pytest.mark.parametrize("options", [{}, {"directed": True}, {"directed": False}, {"weights": False}])
@pytest.mark.parametrize("name", ["a.mtx", "b.mtx", "a.npz", "roads"])
def test_files_of_other_kinds(name, options, tmp_path, path):
    graph = mg.read(edges(tmp_path, "whole"), directed=name == "b.mtx", device="cpu")
    if name != "roads":
        mg.write(graph, tmp_path / name)
    source = name if name == "roads" else tmp_path / name
    mg.convert(source, path, **options)
    same(mg.read(path, mmap=True), mg.read(source, device="cpu", **options))


def test_what_is_wrong_leaves_the_folder_as_it_was(tmp_path, path):
    file = edges(tmp_path, "whole")
    mg.convert(file, path)
    graph = mg.read(path, device="cpu")
    with file.open("a") as handle:
        handle.write("1 2 x\n")
    with pytest.raises(FormatError, match="'x' is not a weight") as raised:
        mg.convert(file, path)
    assert raised.value.line == 40_002
    with pytest.raises(GraphError, match="weights can't be int8"):
        mg.convert(edges(tmp_path, "real", "b.txt").rename(tmp_path / "c.txt"), path, weight_dtype="int8")
    same(mg.read(path, device="cpu"), graph)
    with pytest.raises(FormatError, match=r"ends in \.minigr"):
        mg.convert(file, tmp_path / "b.npz")
    with pytest.raises(GraphError, match="at_once must be at least"):
        mg.convert(file, path, at_once=5)


LIMIT = """
import resource, sys
import minigr as mg

def limit(room):
    with open("/proc/self/status") as status:
        used = next(int(line.split()[1]) for line in status if line.startswith("VmData")) << 10
    resource.setrlimit(resource.RLIMIT_DATA, (used + room, used + room))
"""
CONVERT = """
mg.convert(sys.argv[2], sys.argv[3], at_once=1 << 16)  # what the package and its compiler take
limit(36 << 20)
fits = True
try:
    mg.read(sys.argv[1], device="cpu")
except MemoryError:
    fits = False
mg.convert(sys.argv[1], sys.argv[3], at_once=1 << 22)
print(fits)
"""
RANK = """
mg.convert(sys.argv[2], "small.minigr")
mg.pagerank(mg.read("small.minigr", mmap=True), max_iter=3, tol=1e-30)
limit(23 << 20)
graph = mg.read(sys.argv[3], mmap=True)
rank = mg.pagerank(graph, max_iter=3, tol=1e-30).rank
fits = True
try:
    mg.read(sys.argv[3], device="cpu")
except MemoryError:
    fits = False
print(fits, graph.memory, rank.sum())
"""


def test_a_graph_larger_than_the_memory(tmp_path, path):
    """Converted by a process that has no room for it, and ranked by one that has room for less than half of it."""
    draw = np.random.default_rng(1)
    pairs = draw.integers(0, 100_000, (6_000_000, 2), np.int32)
    for name, count in (("large.txt", len(pairs)), ("small.txt", 20_000)):
        with (tmp_path / name).open("wb") as handle:
            write_rows(handle, dict(zip("uv", pairs[:count].T, strict=True)), " ")

    def said(code):
        command = [sys.executable, "-c", LIMIT + code, "large.txt", "small.txt", str(path)]
        environment = {**os.environ, "MINIGR_NUM_THREADS": "2"}
        run = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment)
        assert run.returncode == 0, run.stderr
        return run.stdout.split()

    assert said(CONVERT) == ["False"]
    fits, size, total = said(RANK)
    assert fits == "False"
    assert int(size) > 2 * (23 << 20)
    assert float(total) == pytest.approx(1)
