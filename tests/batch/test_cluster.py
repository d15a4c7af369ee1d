"""Streams over the workers of a Dask cluster: what comes of them is what comes of one process."""

import os
import signal
from functools import partial

import networkx as nx
import numpy as np
import pytest

import minigr as mg
from minigr.device import CPU
from minigr.errors import DeviceError, GraphError
from tests.batch.sets import SETS, batch_of, same_batch, weighted

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("default")  # of Dask's own doings


@pytest.fixture(scope="module")
def client():
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": False, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        yield client


def test_as_in_one_process(client, device):
    graphs = SETS["sizes_around_words-undirected"][0]()
    expected = mg.batch.closeness(batch_of(graphs, "cpu"))
    parts = list(mg.batch.map(graphs, mg.batch.closeness, max_vertices=100, client=client, device=device))
    assert len(parts) > 3
    assert np.concatenate([part.positions for part in parts]).tolist() == list(range(len(graphs)))
    for part in parts:
        assert isinstance(part.result.score, np.ndarray)
        for position, found in zip(part.positions, part.result, strict=True):
            np.testing.assert_allclose(found, expected[position], rtol=1e-13)


def test_faults_are_told(client):
    graphs = weighted([nx.path_graph(n) for n in range(2, 12)])
    graphs[4].edges[0, 1]["weight"] = -1.0
    graphs[7] = 7
    algorithm = partial(mg.batch.shortest_paths, weighted=True)
    stream = mg.batch.map(graphs, algorithm, weight="weight", max_vertices=20, client=client, device="cpu")
    for part in stream:
        assert [len(matrix) for matrix in part.result] == (part.positions + 2).tolist() == part.batch.sizes.tolist()
    assert sorted(fault.position for fault in stream.faults) == [4, 7]
    assert stream.done == 10


def test_errors_of_programs_and_leaving_early(client):
    with pytest.raises(ZeroDivisionError):
        list(mg.batch.map([[(0, 1)]], lambda batch: 1 / 0, client=client, device="cpu"))
    parts = iter(mg.batch.map([[(0, 1)]] * 50, mg.batch.closeness, max_vertices=2, client=client, device="cpu"))
    assert next(parts).positions.tolist() == [0]
    parts.close()


def write_files(folder, sizes=(3, 7, 1, 0, 5, 60, 4, 9)):
    """Files of a path of each size and a cycle."""
    for i, n in enumerate(sizes):
        graphs = [nx.path_graph(n), nx.cycle_graph(4)]
        mg.batch.write(mg.GraphBatch.from_graphs(graphs, device="cpu"), folder / f"{i}.npz")
    return [folder / f"{i}.npz" for i in range(len(sizes))]


def test_workers_read_files(client, device, tmp_path):
    files = write_files(tmp_path)
    files[4:4] = [tmp_path / "none.npz", tmp_path / "bad.npz"]
    files[5].write_bytes(b"no archive")
    elements = [*files[:2], [(0, 1)], *files[2:]]
    expected, found = (
        list(mg.batch.map(elements, mg.batch.closeness, max_vertices=20, device=device, **options))
        for options in ({}, {"client": client})
    )
    assert len(expected) == len(found) == 10
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.positions.tolist() == theirs.positions.tolist()
        assert ours.batch.device == "cpu"
        same_batch(ours.batch, theirs.batch.to("cpu"))
        np.testing.assert_array_equal(ours.result.score, CPU.asarray(theirs.result.score))
    stream = mg.batch.map(elements, mg.batch.closeness, client=client, device=device)
    assert sum(len(part.positions) for part in stream) == stream.done == 17
    assert [(fault.position, fault.path.name) for fault in stream.faults] == [(None, "none.npz"), (None, "bad.npz")]
    assert "bad.npz: not a readable .npz archive" in str(stream.faults[1].error)


def test_workers_write_results(client, device, tmp_path):
    files = write_files(tmp_path)
    for folder, options in (("one", {}), ("two", {"client": client})):
        options |= {"output": tmp_path / folder, "max_vertices": 20, "device": device}
        written = list(mg.batch.map(files, mg.batch.closeness, **options))
        assert [part.path.name for part in written] == [
            *(f"{i}-0.npz" for i in range(6)), "5-1.npz", "6-0.npz", "7-0.npz"
        ]  # fmt: skip
    for path in (tmp_path / "one").iterdir():
        with np.load(path) as ours, np.load(tmp_path / "two" / path.name) as theirs:
            assert sorted(ours) == ["graphs", "score", "vertex_offsets"]
            for name in ours:
                np.testing.assert_array_equal(ours[name], theirs[name])


def dies_once(batch, marks):
    """The algorithm of a worker that is killed at some batches, the first time each of them is seen."""
    mark = marks / str(batch.num_vertices)
    if batch.num_vertices % 3 == 0 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return mg.batch.closeness(batch)


@pytest.mark.parametrize("kind", ["files", "graphs"])
def test_a_worker_that_dies_loses_no_result(tmp_path, kind):
    graphs = [nx.path_graph(n) for n in range(2, 12)]
    marks, elements = tmp_path / "marks", graphs
    marks.mkdir()
    if kind == "files":
        elements = [tmp_path / f"{len(graph)}.npz" for graph in graphs]
        for graph, path in zip(graphs, elements, strict=True):
            mg.batch.write(mg.GraphBatch.from_graphs([graph], device="cpu"), path)
    with mg.batch.local_cluster(2, threads=2) as cluster, distributed.Client(cluster) as client:
        options = {"max_vertices": 1, "client": client, "device": "cpu"}
        stream = mg.batch.map(elements, partial(dies_once, marks=marks), **options)
        found = [(part.positions.tolist(), len(part.result.score)) for part in stream]
    assert found == [([i], i + 2) for i in range(10)]
    assert sorted(int(mark.name) for mark in marks.iterdir()) == [3, 6, 9]
    assert stream.faults == []


def test_a_cluster_of_this_machine():
    with pytest.raises(DeviceError, match="0 workers were asked for"):
        mg.batch.local_cluster(0)
    with pytest.raises(DeviceError, match="1000 GPUs were asked for, but"):
        mg.batch.local_cluster(gpus=1000)
    with pytest.raises(DeviceError, match="0 threads of a worker were asked for"):
        mg.batch.local_cluster(1, threads=0)
    for name in ("workers", "gpus", "threads"):
        with pytest.raises(GraphError, match=f"local_cluster: {name} must be a whole number, got nan"):
            mg.batch.local_cluster(**{name: float("nan")})
