"""Graphs in parts written to files: the files are those of the gathered graph, for all parts."""

import numpy as np
import pytest

import minigr as mg
from minigr.errors import FormatError, GraphError, PartError
from minigr.graphs.partitioned import blocks
from tests.battery import BATTERY
from tests.partitioned.threads import in_processes

CASES = [(1, "auto"), (2, "ranges"), (3, "hash")]
TEXT = ("a.mtx", "a.txt", "a.csv", "a.tsv", "a.txt.gz")


def arrays(graph):
    rows = graph.to("cpu")
    return [rows.offsets.tolist(), rows.indices.tolist(), None if rows.weights is None else rows.weights.tolist()]


@pytest.mark.parametrize(("name", "make"), BATTERY, ids=[name for name, _ in BATTERY])
def test_battery(devices, tmp_path, monkeypatch, name, make):
    """Blocks have a few arcs, so that some are shorter than a row."""
    monkeypatch.setattr(blocks, "BLOCK", 5)
    graph = make("cpu")
    for k, deal in CASES:
        static = mg.PartitionedGraph.from_graph(graph, devices=devices(k), deal=deal)
        for parts in (static, mg.PartitionedDynamicGraph.from_graph(static, allow_self_loops=True)):
            whole = parts.gather()
            for file in ("a.txt", "a.minigr"):
                mg.write(parts, tmp_path / file)
                read = mg.read(tmp_path / file, device="cpu", directed=graph.directed, num_vertices=graph.num_vertices)
                assert arrays(read) == arrays(whole)


@pytest.mark.parametrize("directed", [False, True], ids=["undirected", "directed"])
@pytest.mark.parametrize("weighted", [False, True], ids=["", "weighted"])
def test_each_format(devices, tmp_path, monkeypatch, directed, weighted):
    monkeypatch.setattr(blocks, "BLOCK", 100)
    graph = mg.generate.rmat(6, 5, seed=1, directed=directed, weights=(1, 9) if weighted else None, device="cpu")
    parts = mg.PartitionedDynamicGraph.from_graph(graph, devices=devices(3), deal="hash")
    parts.delete_vertices([3, 5])
    whole = parts.gather()
    for file in (*TEXT[:-1], "a.graphml", "a.gml"):
        mg.write(whole, tmp_path / f"whole-{file}")
        mg.write(parts, tmp_path / file)
        assert (tmp_path / file).read_bytes() == (tmp_path / f"whole-{file}").read_bytes()
    for file in (TEXT[-1], "a.npz", "a.minigr", "a.parquet"):
        mg.write(parts, tmp_path / file)
        assert arrays(mg.read(tmp_path / file, device="cpu")) == arrays(whole)
    names = mg.Labels([f"v{i}" for i in range(whole.num_vertices)])
    mg.write(parts, tmp_path / "b.gml", labels=names)
    assert '"v7"' in (tmp_path / "b.gml").read_text()
    with pytest.raises(FormatError, match="has no place for labels"):
        mg.write(parts, tmp_path / "b.txt", labels=names)


@pytest.mark.parametrize("directed", [False, True], ids=["undirected", "directed"])
def test_save_and_load(devices, tmp_path, directed):
    """Files of both classes, with options and deleted vertices, can be loaded as either class."""
    graph = mg.generate.rmat(5, 4, seed=3, directed=directed, weights=(1, 9), device="cpu")
    options = {"in_edges": True, "load_factor": 0.5, "allow_self_loops": True}
    whole = mg.DynamicGraph.from_graph(graph, device="cpu", **options)
    parts = mg.PartitionedDynamicGraph.from_graph(graph, devices=devices(3), **options)
    for each in (whole, parts):
        each.delete_vertices([4, 9, 11])
        each.insert_edges([1], [1], [5])
    whole.save(tmp_path / "whole.npz")
    parts.save(tmp_path / "parts.npz")
    for file in ("whole.npz", "parts.npz"):
        found = [
            mg.DynamicGraph.load(tmp_path / file, device="cpu"),
            *[mg.PartitionedDynamicGraph.load(tmp_path / file, devices=devices(k), deal=deal) for k, deal in CASES],
        ]
        for each in found:
            rows = each.to_graph() if each.layout == "slabs" else each.gather()
            assert arrays(rows) == arrays(whole.to_graph())
            assert each.live_vertices().tolist() == whole.live_vertices().tolist()
            told = (each.load_factor, each.keeps_in_edges, each.allow_self_loops, each.directed)
            assert told == (0.5, True, True, directed)
            assert each.insert_vertices(4).tolist() == [4, 9, 11, 32]
    (tmp_path / "a.npz").write_bytes(b"")
    with pytest.raises(FormatError):
        mg.PartitionedDynamicGraph.load(tmp_path / "a.npz", devices=devices(2))


def test_a_batch_waits_for_a_file(devices, tmp_path, monkeypatch):
    parts = mg.PartitionedDynamicGraph(9, devices=devices(2))
    monkeypatch.setattr(blocks, "positions_of", lambda *_: parts.insert_edges([0], [1]))
    with pytest.raises(GraphError, match="can't be changed while it is in use on this thread"):
        mg.write(parts, tmp_path / "a.txt")
    assert not list(tmp_path.iterdir())


def test_the_first_process_writes(tmp_path, monkeypatch):
    monkeypatch.setattr(blocks, "BLOCK", 50)
    whole = mg.generate.uniform(50, 300, seed=1, device="cpu")
    src, dst, _ = whole.to_edges()

    def work(exchange):
        own = exchange.local[0]
        parts = mg.PartitionedDynamicGraph.from_edges(
            src[own::3], dst[own::3], num_vertices=50, directed=False, devices=exchange
        )
        mg.write(parts, tmp_path / "a.mtx")
        mg.write(parts, tmp_path / "a.npz")
        with pytest.raises(OSError if own == 0 else PartError, match="nowhere"):
            mg.write(parts, tmp_path / "nowhere" / "a.txt")
        assert parts.insert_edges([own], [own], None) == 0  # all processes can go on
        return parts.gather()

    for found in in_processes(3, work):
        assert not isinstance(found, Exception), found
        for file in ("a.mtx", "a.npz"):
            assert arrays(mg.read(tmp_path / file, device="cpu")) == arrays(found)
    assert np.array_equal(found.indices, whole.indices)
