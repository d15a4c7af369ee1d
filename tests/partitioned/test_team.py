"""Work on several GPUs at the same time. On a machine with fewer GPUs, CPUs with other numbers take their place."""

import threading

import numpy as np
import pytest

import minigr as mg
from minigr.device import Device, gpu_count
from minigr.errors import GraphError, OutOfMemoryError
from minigr.graphs.partitioned import team as module
from minigr.graphs.partitioned.team import Team
from minigr.program import problem


class Stream:
    """A stream that counts how often it is waited for."""

    waits = 0

    def __enter__(self):
        pass

    def __exit__(self, *_):
        pass

    def synchronize(self):
        Stream.waits += 1


@pytest.fixture
def places(monkeypatch):
    """The devices of four parts, of which two share a device."""
    monkeypatch.setattr(module, "_stream", lambda device: Stream())
    monkeypatch.setattr(Stream, "waits", 0)
    monkeypatch.setattr(problem, "require_on", lambda *_: None)  # NumPy's arrays are all on the first CPU
    return [Device("cpu", number) for number in (0, 1, 2, 1)]


def test_devices_work_at_the_same_time(places):
    together = threading.Barrier(3, timeout=30)

    def work(index):
        if index < 3:
            together.wait()  # returns only if all run at the same time
        return index, threading.current_thread()

    found = Team(places, range(4)).each(work)
    assert [index for index, _ in found] == [0, 1, 2, 3]
    assert found[0][1] is threading.current_thread()
    assert found[1][1] is found[3][1]
    assert len({thread for _, thread in found}) == 3
    assert Stream.waits == 3


def test_what_is_only_launched_is_one_threads(places):
    found = Team(places, range(4)).each_launched(lambda index: (index, threading.current_thread()))
    assert found == [(index, threading.current_thread()) for index in range(4)]
    assert Stream.waits == 3


def test_what_was_launched_before_an_error_is_waited_for(places):
    def work(index):
        if index == 2:
            raise GraphError(f"part {index}")

    with pytest.raises(GraphError, match="part 2"):
        Team(places, range(4)).each_launched(work)
    assert Stream.waits == 3


@pytest.mark.parametrize("fails", [0, 2])
def test_an_error_comes_when_all_are_done(places, fails):
    done = []

    def work(index):
        if index == fails:
            raise GraphError(f"part {index}")
        done.append(index)

    with pytest.raises(GraphError, match=f"part {fails}"):
        Team(places, range(4)).each(work)
    assert sorted(done) == [index for index in range(4) if index != fails]
    assert Stream.waits == 3


def test_lack_of_memory_names_the_part(places):
    def work(index):
        if index == 3:
            return np.empty(1 << 58)
        return index

    for devices in (places, places[:1] * 4):
        with pytest.raises(OutOfMemoryError, match=r"part 7 \(cpu\): its share of the work found no room on cpu"):
            Team(devices, [4, 5, 6, 7]).each(work)


def test_answers_are_those_of_one_device(places):
    graph = mg.generate.rmat(8, 8, seed=1, weights=(1, 9), device="cpu")
    parts = mg.PartitionedGraph.from_graph(graph, devices=places)
    assert (mg.bfs(parts, 0).depth.gather() == mg.bfs(graph, 0).depth).all()
    assert (mg.sssp(parts, 0).distance.gather() == mg.sssp(graph, 0).distance).all()
    assert np.allclose(mg.pagerank(parts).rank.gather(), mg.pagerank(graph).rank, rtol=1e-6)
    assert (mg.connected_components(parts).label.gather() == mg.connected_components(graph).label).all()
    assert Stream.waits > 100


@pytest.mark.gpu
def test_kinds_of_devices_do_not_go_together():
    for devices in (["cpu", "cuda"], ["cuda:0", "cpu"]):
        with pytest.raises(GraphError, match=r"all on the CPU or all on GPUs, so give 'cpu' for each, or a GPU"):
            mg.PartitionedGraph.from_edges([0], [1], devices=devices)


@pytest.mark.gpu
def test_edges_on_a_gpu_are_dealt_out_there():
    import cupy

    devices = [f"cuda:{number % gpu_count()}" for number in range(3)]
    graph = mg.generate.rmat(8, 8, seed=4, weights=(1, 9), device="cpu")
    edges = [cupy.asarray(each) for each in graph.to_edges()]
    found = mg.PartitionedGraph.from_edges(*edges, num_vertices=256, devices=devices)
    assert found.devices == tuple(devices)
    whole = found.gather()
    assert (whole.offsets == graph.offsets).all()
    assert (whole.indices == graph.indices).all()
    assert (whole.weights == graph.weights).all()
    moved = mg.PartitionedGraph.from_graph(graph.to("cuda"), devices=devices[:2]).gather()
    assert (moved.indices == graph.indices).all()
    assert (moved.weights == graph.weights).all()
