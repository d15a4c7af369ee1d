"""Graphs in folders of arrays: written whole or not at all, read or mapped, and the same graph either way."""

import errno
import json
import os
import resource
import shutil
import subprocess
import sys
from contextlib import contextmanager
from types import SimpleNamespace

import numpy as np
import pytest

import minigr as mg
from minigr.device import CPU
from minigr.errors import DeviceError, FormatError
from tests.battery import BATTERY

APPS = {
    "bfs": lambda graph: mg.bfs(graph, 0).depth,
    "components": lambda graph: mg.connected_components(graph).label,
    "pagerank": lambda graph: mg.pagerank(graph).rank,
    "triangles": lambda graph: mg.triangle_count(graph).per_vertex,
    "cores": lambda graph: mg.core_number(graph).core,
    "sssp": lambda graph: mg.sssp(graph, 0).distance,
    "coloring": lambda graph: mg.coloring(graph).color,
    "in-edges": lambda graph: graph.in_edges(ids=True).edge_ids,
    "by degree": lambda graph: graph.by_degree()[0].indices,
}


def same(one, other):
    arrays = [(graph.offsets, graph.indices, graph.weights) for graph in (one, other)]
    for a, b in zip(*arrays, strict=True):
        assert (a is None) == (b is None)
        assert a is None or (a.dtype == b.dtype and CPU.asarray(a).tobytes() == CPU.asarray(b).tobytes())
    assert one.directed == other.directed


@pytest.fixture
def path(tmp_path):
    return tmp_path / "graph.minigr"


@pytest.fixture
def graph():
    return mg.Graph.from_edges([0, 1, 2], [1, 2, 2], [0.5, 1.5, 2.5], device="cpu")


@pytest.mark.parametrize("name", [name for name, _ in BATTERY])
def test_the_battery_there_and_back(name, path, device):
    graph = dict(BATTERY)[name](device)
    mg.write(graph, path)
    same(graph, mg.read(path, device=device))
    mapped = mg.read(path, mmap=True, device="cpu")
    same(graph, mapped)
    assert not any(array.flags.writeable for array in (mapped.offsets, mapped.indices) if array.size)


@pytest.mark.parametrize("app", APPS)
def test_answers_over_a_mapped_graph(app, path):
    names = (
        "one_vertex",
        "no_edges",
        "self_loops",
        "duplicate_edges",
        "disconnected",
        "two_hubs",
        "chain_with_branches",
    )
    for name, make in BATTERY:
        if not name.startswith(names) or (app == "sssp" and "float" not in name):
            continue
        graph = make("cpu")
        if app == "triangles" and graph.directed:
            continue
        mg.write(graph, path)
        want, found = (APPS[app](each) for each in (graph, mg.read(path, mmap=True, device="cpu")))
        assert np.array_equal(want, found)


def test_a_mapped_graph_may_be_read_otherwise(path, graph):
    mg.write(graph, path)
    assert not mg.read(path, mmap=True, weights=False, device="cpu").weighted
    as_arcs = mg.read(path, mmap=True, directed=True, device="cpu")
    assert as_arcs.directed
    assert as_arcs.num_edges == graph.num_arcs
    assert mg.read(path, mmap=True, weight_dtype="float64").device == "cpu"
    for options in ({"relabel": True}, {"weight_dtype": "float32"}):
        with pytest.raises(FormatError, match="read it without mmap=True"):
            mg.read(path, mmap=True, **options)
    mg.write(mg.Graph.from_edges([0], [1], directed=True, device="cpu"), path)
    with pytest.raises(FormatError, match="directed=False needs other arrays"):
        mg.read(path, mmap=True, directed=False)
    assert not mg.read(path, directed=False, device="cpu").directed


def test_what_can_not_be_mapped(tmp_path, path, graph, monkeypatch):
    mg.write(graph, tmp_path / "a.txt")
    with pytest.raises(FormatError, match=r"mg\.write\(mg\.read\('a\.txt'\), 'a\.minigr'\)"):
        mg.read(tmp_path / "a.txt", mmap=True)
    mg.write(graph, path)
    monkeypatch.setattr("minigr.io.reading.resolve", lambda device: SimpleNamespace(is_cuda=True))
    with pytest.raises(DeviceError, match="pass device='cpu', or leave mmap=True out"):
        mg.read(path, mmap=True, device="cuda")


def test_a_graph_that_is_mapped_stays_when_another_is_written(path, graph):
    mg.write(graph, path)
    mapped = mg.read(path, mmap=True)
    other = mg.Graph.from_edges([0], [1], directed=True, device="cpu")
    mg.write(other, path)
    same(mapped, graph)
    same(mg.read(path, device="cpu"), other)
    assert sorted(file.name.split("-")[0] for file in path.iterdir()) == ["head.json", "indices", "offsets"]
    mg.write(mg.read(path, mmap=True), path)  # into its own folder
    same(mg.read(path, device="cpu"), other)


@contextmanager
def files_of_at_most(size):
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))  # Python ignores the signal and sees the error
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


@pytest.mark.parametrize("is_there", [False, True])
def test_a_full_disk_leaves_what_was_there(path, graph, is_there, monkeypatch):
    if is_there:
        mg.write(graph, path)
    before = sorted(path.iterdir()) if is_there else None
    large = mg.generate.path(10_000, device="cpu")
    with files_of_at_most(50_000), pytest.raises(OSError, match="what was there before is unchanged") as raised:
        mg.write(large, path)
    assert raised.value.filename == str(path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=1000))
    with pytest.raises(OSError, match="the disk has 1,000") as raised:
        mg.write(large, path)
    assert raised.value.errno == errno.ENOSPC
    if is_there:
        assert sorted(path.iterdir()) == before
        same(mg.read(path, device="cpu"), graph)
    else:
        assert not path.exists()


def test_a_killed_writer_leaves_what_was_there(path, graph):
    code = (
        "import os, minigr as mg, minigr.io.folder as folder\n"
        "folder.Writer.close = lambda self: os.kill(os.getpid(), 9)\n"
        f"mg.write(mg.generate.path(9, device='cpu'), {str(path)!r})"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == -9
    with pytest.raises(FormatError, match=r"there is no head\.json"):
        mg.read(path, device="cpu")
    mg.write(graph, path)  # over what was left
    assert subprocess.run([sys.executable, "-c", code]).returncode == -9
    same(mg.read(path, device="cpu"), graph)


def test_what_is_not_replaced(tmp_path, path, graph):
    path.mkdir()
    (path / "thesis.txt").write_text("x")
    with pytest.raises(FileExistsError, match="holds something else"):
        mg.write(graph, path)
    (tmp_path / "a.minigr").write_text("x")
    with pytest.raises(FileExistsError, match="this is a file"):
        mg.write(graph, tmp_path / "a.minigr")
    with pytest.raises(FormatError, match="is not a folder"):
        mg.read(tmp_path / "a.minigr", device="cpu")
    with pytest.raises(FileNotFoundError):
        mg.read(tmp_path / "b.minigr", device="cpu")


DAMAGE = {
    "no JSON": (lambda head: "{", "is damaged"),
    "another kind": (lambda head: {**head, "format": "zarr"}, "does not say"),
    "a later version": (lambda head: {**head, "version": 3}, "version 3 of the format is unknown"),
    "no arrays": (lambda head: {**head, "arrays": []}, "does not describe"),
    "no indices": (lambda head: {**head, "arrays": {"offsets": head["arrays"]["offsets"]}}, "does not describe"),
    "no flag": (lambda head: {**head, "directed": "no"}, "does not describe"),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_head(name, path, graph):
    damage, says = DAMAGE[name]
    mg.write(graph, path)
    found = damage(json.loads((path / "head.json").read_text()))
    (path / "head.json").write_text(found if isinstance(found, str) else json.dumps(found))
    with pytest.raises(FormatError, match=says):
        mg.read(path, device="cpu")


@pytest.mark.parametrize("mmap", [False, True])
def test_damaged_arrays(path, graph, mmap):
    mg.write(graph, path)
    whole = {file: file.read_bytes() for file in path.glob("*.npy")}
    head = json.loads((path / "head.json").read_text())
    for file, data in whole.items():
        file.write_bytes(data[:-1])
        with pytest.raises(FormatError, match="instead of"):
            mg.read(path, mmap=mmap, device="cpu")
        file.unlink()
        with pytest.raises(FormatError, match="is missing"):
            mg.read(path, mmap=mmap, device="cpu")
        file.write_bytes(b"x" + data[1:])
        with pytest.raises(FormatError, match="is damaged"):
            mg.read(path, mmap=mmap, device="cpu")
        file.write_bytes(data)
    for place in ("../x.npy", "/etc/x.npy", "x.txt", 5):
        changed = json.loads(json.dumps(head))
        changed["arrays"]["indices"]["file"] = place
        (path / "head.json").write_text(json.dumps(changed))
        with pytest.raises(FormatError, match="does not describe"):
            mg.read(path, mmap=mmap, device="cpu")
    changed = json.loads(json.dumps(head))
    changed["arrays"]["offsets"] = changed["arrays"].pop("weights") | {"dtype": "int64"}
    (path / "head.json").write_text(json.dumps(changed))
    with pytest.raises(FormatError, match="holds float64 of shape"):
        mg.read(path, mmap=mmap, device="cpu")


def test_what_is_read_is_checked(path, graph):
    mg.write(graph, path)
    (indices,) = path.glob("indices-*.npy")
    data = bytearray(indices.read_bytes())
    data[-4:] = np.int32(77).tobytes()
    indices.write_bytes(data)
    with pytest.raises(FormatError, match="77"):
        mg.read(path, device="cpu")


def test_modes_are_those_of_new_files(path, graph):
    mask = os.umask(0o027)
    try:
        mg.write(graph, path)
    finally:
        os.umask(mask)
    assert path.stat().st_mode & 0o777 == 0o750
    assert all(file.stat().st_mode & 0o777 == 0o640 for file in path.iterdir())
