"""Many small graphs: by size, beside minigr's own loops, and from files."""

from __future__ import annotations

import sys

import networkx as nx
import pytest

import minigr as mg
from minigr.bench import batch as measuring
from minigr.bench import streams
from minigr.bench.document import MINIGR
from minigr.device import CPU, resolve
from minigr.errors import MeasurementError, MissingExtraError


@pytest.fixture
def few(device):
    graphs = [nx.path_graph(5), nx.empty_graph(2), nx.star_graph(4), nx.cycle_graph(4), nx.empty_graph(1)]
    return mg.GraphBatch.from_graphs(graphs, device=device)


def test_groups_by_size_have_every_graph_once(few):
    groups = dict(measuring.by_size(few))
    assert {vertices: group.sizes.tolist() for vertices, group in groups.items()} == {
        "1": [1],
        "2 to 3": [2],
        "4 to 7": [5, 5, 4],
    }
    assert groups["4 to 7"][2].num_edges == 4


def test_loops_of_minigr_find_the_same(few):
    rows = list(measuring.measure_batch("few", few, ["hops"], [], 2, loops=["one", "single"], key={"vertices": "all"}))
    by = [MINIGR, measuring.ONE, measuring.SINGLE]
    assert [row["key"] for row in rows] == [
        {"set": "few", "vertices": "all", "call": "hops", "by": name} for name in by
    ]
    assert rows[2]["what"] == "multi_source_bfs from all vertices"
    assert rows[1]["ratio"] == pytest.approx(rows[1]["median"] / rows[0]["median"])


def test_the_synthetic_set_with_weights_is_the_same_set(device):
    plain, weighted = (
        measuring.load(measuring.SYNTHETIC, resolve(device), weights=weights) for weights in (False, True)
    )
    assert (plain.weighted, weighted.weighted) == (False, True)
    assert CPU.asarray(plain.graph.indices).tolist() == CPU.asarray(weighted.graph.indices).tolist()
    assert CPU.asarray(weighted.graph.weights).min() == 1
    assert weighted.sizes.tolist() == plain.sizes.tolist()


@pytest.mark.parametrize("case", [name for name in measuring.CASES if name != "hops"])
def test_the_calls_for_single_graphs_have_the_same_sums(case):
    graphs = [nx.path_graph(5), nx.star_graph(4), nx.cycle_graph(5)]
    for graph in graphs:
        nx.set_edge_attributes(graph, {(u, v): 1 + u % 3 for u, v in graph.edges}, "weight")
    batch = mg.GraphBatch.from_graphs(graphs, weight="weight", device="cpu")
    peers, _ = measuring.choose(None, CPU)
    rows = list(measuring.measure_batch("few", batch, [case], peers, 1, loops=["single"]))  # raises if they differ
    assert [row["key"]["by"] for row in rows] == [MINIGR, measuring.SINGLE, *peers]


def test_an_error_leaves_the_cases_before_it(few, monkeypatch):
    right = measuring.require_same
    monkeypatch.setattr(
        measuring, "require_same", lambda what, by, *sums: right(what, by, *(sums if "hops" in what else (0.0, 1.0)))
    )
    rows = []
    with pytest.raises(MeasurementError, match="harmonic on few"):
        rows += measuring.measure_batch("few", few, ["hops", "harmonic"], [], 1)
    assert [row["key"]["call"] for row in rows] == ["hops"]


def test_streams_from_files(few):
    rows = streams.measure_streams("few", few, ["hops", "harmonic"], 2, 2)
    assert [row["key"] for row in rows] == [
        {"set": "few", "call": call, "files": 2, "by": by}
        for call in ("hops", "harmonic")
        for by in (streams.STREAM, streams.FILES)
    ]
    assert all(row["bytes"] > 0 and len(row["samples"]) == 2 for row in rows)
    assert rows[1]["ratio"] == pytest.approx(rows[1]["median"] / rows[0]["median"])
    assert streams.measure_streams("few", few, ["hops"], 100, 1)[0]["key"]["files"] == 5


def test_a_stream_that_differs_stops_the_bench(few, monkeypatch):
    right = streams._one_by_one
    monkeypatch.setattr(streams, "_one_by_one", lambda *given: right(*given) + 1)
    with pytest.raises(MeasurementError, match="hops on few in files: minigr, file by file finds"):
        streams.measure_streams("few", few, ["hops"], 2, 1)


def test_a_cluster_of_this_machine():
    pytest.importorskip("distributed")
    batch = mg.GraphBatch.from_graphs([nx.path_graph(5), nx.star_graph(4)], device="cpu")
    rows = streams.measure_streams("few", batch, ["hops"], 2, 1, workers=[1])
    assert [row["key"]["by"] for row in rows] == [streams.STREAM, streams.FILES, "minigr, stream, 1 worker"]


def test_a_cluster_without_dask_is_one_clear_error(few, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingExtraError, match=r"needs Dask: pip install 'minigr\[dask\]'"):
        streams.measure_streams("few", few, ["hops"], 2, 1, workers=[2])
