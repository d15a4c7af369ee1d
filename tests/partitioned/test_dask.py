"""Parts on the workers of a Dask cluster: answers are those on one device, and an error of one is an error of all."""

import os
import pickle
import signal
import time
from typing import Any, NamedTuple

import numpy as np
import pytest

import minigr as mg
from minigr.distributed.mail import Mail
from minigr.distributed.work import Pinned
from minigr.errors import DeviceError, FormatError, GraphError, PartError
from tests import emulator

distributed = pytest.importorskip("distributed")
dataframe = pytest.importorskip("dask.dataframe")
pytestmark = pytest.mark.filterwarnings("default")  # warnings that Dask itself causes

GRAPH = mg.generate.rmat(8, 8, seed=1, weights=(1, 255), device="cpu")


@pytest.fixture(scope="module", params=["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
def cluster(request):
    options = {"n_workers": 3, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        if request.param == "cuda" and os.environ.get("MINIGR_EMULATE"):
            client.run(emulator.install)
        yield mg.distributed.start(client, device=request.param, time_limit=120)


@pytest.fixture(scope="module")
def table():
    import pandas as pd

    src, dst, weights = GRAPH.to_edges()
    return dataframe.from_pandas(pd.DataFrame({"from": src, "to": dst, "length": weights}), npartitions=7)


class Both(NamedTuple):
    label: Any
    count: int


def named_results(graph):
    return {"depth": mg.bfs(graph, 0).depth, "both": Both(mg.connected_components(graph).label, graph.num_edges)}


def fails_in_one(graph):
    if graph.parts[0].index == 1:
        raise KeyError("the second part's")
    return mg.bfs(graph, 0)


def dies_in_one(graph):
    if graph.parts[0].index == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return mg.bfs(graph, 0)


def test_answers_are_those_of_one_process(cluster, table):
    graph = cluster.from_dask(table, "from", "to", "length", num_vertices=GRAPH.num_vertices)
    assert repr(graph).startswith("GraphOnWorkers(PartitionedGraph(256 vertices, ")
    assert (graph.run(mg.bfs, 0).depth == mg.bfs(GRAPH, 0).depth).all()
    assert (graph.run(mg.sssp, 0).distance == mg.sssp(GRAPH, 0).distance).all()
    assert np.allclose(graph.run(mg.pagerank).rank, mg.pagerank(GRAPH).rank, rtol=1e-6)
    few = cluster.from_dask(table.repartition(npartitions=1), "from", "to", "length", num_vertices=256, directed=True)
    assert few.run(lambda graph: (graph.num_arcs, graph.weight_dtype)) == (GRAPH.num_edges, np.float32)
    assert (graph.run(mg.bfs, 0).to_pandas().depth == mg.bfs(GRAPH, 0).depth).all()
    table = graph.run(lambda graph: mg.connected_components(graph).to_pandas())
    assert table.equals(mg.connected_components(GRAPH).to_pandas())
    found = graph.run(lambda graph: (graph.num_parts, mg.connected_components(graph).label.max()))
    assert found == (3, mg.connected_components(GRAPH).label.max())
    found = graph.run(named_results)
    assert (found["depth"] == mg.bfs(GRAPH, 0).depth).all()
    assert (found["both"].label == mg.connected_components(GRAPH).label).all()
    assert found["both"].count == GRAPH.num_edges


def test_a_graph_that_changes(cluster, table):
    static = cluster.from_dask(table, "from", "to", "length", num_vertices=GRAPH.num_vertices)
    graph, whole = static.dynamic(), mg.DynamicGraph.from_graph(GRAPH)
    rng = np.random.default_rng(1)
    for _ in range(2):
        src, dst = rng.integers(0, GRAPH.num_vertices, (2, 100))
        weights = rng.integers(1, 9, 100).astype(np.float32)
        count, mask = whole.insert_edges(src, dst, weights, return_mask=True)
        found = graph.insert_edges(src, dst, weights, return_mask=True)
        assert (found[0], found[1].tolist()) == (count, mask.tolist())
        assert graph.delete_edges(src[:40], dst[:40]) == whole.delete_edges(src[:40], dst[:40])
        assert (graph.has_edges(dst, src) == whole.has_edges(dst, src)).all()
        assert (graph.run(mg.sssp, 0).distance == mg.sssp(whole, 0).distance).all()
        assert f"PartitionedDynamicGraph(256 vertices, {whole.num_edges:,} edges" in repr(graph)
    gone, ends = rng.integers(1, GRAPH.num_vertices, 20), ([~0, ~1, 0], [~1, 0, ~0], np.ones(3, np.float32))
    assert graph.delete_vertices(gone) == whole.delete_vertices(gone)
    assert (graph.insert_vertices(2, *ends) == whole.insert_vertices(2, *ends)).all()
    assert (graph.insert_vertices(1) == whole.insert_vertices(1)).all()
    one = whole.live_vertices()[5]
    assert graph.delete_vertices(one) == whole.delete_vertices(one) == 1
    whole.mark()
    graph.mark()
    ends = np.arange(9), np.arange(9)[::-1], np.ones(9, np.float32)
    live = whole.live_vertices()
    ends = live[ends[0]], live[ends[1]], ends[2]
    assert graph.insert_edges(*ends) == whole.insert_edges(*ends)
    new = [sorted(zip(*each.added_since_mark(), strict=True)) for each in (graph, whole)]
    assert new[0] == new[1]
    assert graph.rehash() is None
    assert (graph.run(mg.sssp, 0).distance == mg.sssp(whole, 0).distance).all()
    with pytest.raises(GraphError, match=r"dst\[0\] is 256, but num_vertices is 256"):
        graph.insert_edges([0], [256], [1.0])
    with pytest.raises(GraphError, match="the columns of a batch have lengths 1, 2"):
        graph.delete_edges([0], [1, 2])
    assert graph.insert_edges([], [], []) == 0
    assert (graph.run(mg.sssp, 0).distance == mg.sssp(whole, 0).distance).all()
    assert (static.run(mg.sssp, 0).distance == mg.sssp(GRAPH, 0).distance).all()


def test_what_batches_change_is_not_copied():
    with pytest.raises(TypeError, match="stays in the memory of its worker"):
        pickle.dumps(Pinned((1, "shown")))


def test_workers_share_the_rows_of_files(cluster, tmp_path):
    mg.write(GRAPH, tmp_path / "a.txt")
    graph = cluster.read(tmp_path / "a.txt", deal="hash")
    assert "3 parts by hash" in repr(graph)
    assert (graph.run(mg.sssp, 0).distance == mg.sssp(GRAPH, 0).distance).all()
    (tmp_path / "b.txt").write_text("0 1 2.5\n1 x 2.5\n")
    with pytest.raises(FormatError, match=r"b\.txt:2: 'x' is not a vertex id"):
        cluster.read(tmp_path / "b.txt")
    with pytest.raises(GraphError, match="device= has no meaning for workers"):
        cluster.read(tmp_path / "a.txt", device="cpu")


def test_an_error_in_one_worker_is_an_error_in_all(cluster, table):
    with pytest.raises(GraphError, match="the table has no column 'src': its columns are from, to, length"):
        cluster.from_dask(table)
    with pytest.raises(GraphError, match="but num_vertices is 5"):
        cluster.from_dask(table, "from", "to", num_vertices=5)
    graph = cluster.from_dask(table, "from", "to", num_vertices=GRAPH.num_vertices)
    with pytest.raises(KeyError, match="the second part's"):
        graph.run(fails_in_one)
    assert (graph.run(mg.bfs, 0).depth == mg.bfs(GRAPH, 0).depth).all()  # all workers can go on


def test_a_worker_that_is_lost_ends_the_call(table):
    options = {"n_workers": 3, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        graph = mg.distributed.start(client).from_dask(table, "from", "to")
        begun = time.monotonic()
        with pytest.raises(PartError, match=r"part 2 of 3 at \S+ (was lost|can't be reached)"):
            graph.run(dies_in_one)
        assert time.monotonic() - begun < 60


def test_what_is_no_cluster_is_refused():
    with pytest.raises(DeviceError, match=r"a distributed\.Client is needed, got a str"):
        mg.distributed.start("tcp://here")
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": False, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        with pytest.raises(DeviceError, match="several workers of the cluster are in one process"):
            mg.distributed.start(client)
        with pytest.raises(DeviceError, match=r"device='gpu': give 'cpu', or 'cuda'"):
            mg.distributed.start(client, device="gpu")


def test_letters_are_waited_for():
    mail = Mail()
    mail.put("a run", 0, 1, (None, 7))
    assert mail.take("a run", 0, 1, time.monotonic() + 60) == (None, 7)
    assert mail.take("a run", 0, 1, time.monotonic() + 0.01) is None
    mail.give_up("a run", "part 1 was lost")
    with pytest.raises(PartError, match="part 1 was lost"):
        mail.take("a run", 0, 1, time.monotonic() + 60)
    mail.end("a run")
    mail.put("a run", 1, 1, (None, 8))  # comes too late
    assert mail.take("a run", 1, 1, time.monotonic()) is None
