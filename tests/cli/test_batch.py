"""``minigr batch``: the columns and figures of each graph beside NetworkX, faults, and every way to ask wrongly."""

from __future__ import annotations

import csv
import io
import json
import sys

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import minigr as mg
from minigr.cli.batch_calls import CALLS


@pytest.fixture
def graphs():
    """Small graphs with weights, of which one has no edge and one no vertex."""
    found = [nx.gnm_random_graph(n, m, seed=n) for n, m in ((7, 9), (3, 0), (0, 0), (12, 20), (5, 10))]
    for graph in found:
        nx.set_edge_attributes(graph, {e: 1 + (e[0] * 3 + e[1]) % 4 for e in graph.edges}, "weight")
    return found


@pytest.fixture
def files(graphs, tmp_path):
    """The graphs in two files."""
    paths = [tmp_path / "few.npz", tmp_path / "more.npz"]
    for path, part in zip(paths, (graphs[:2], graphs[2:]), strict=True):
        mg.batch.write(mg.GraphBatch.from_graphs(part, weight="weight", device="cpu"), path)
    return paths


def by_vertex(function):
    return lambda graph: [function(graph)[v] for v in graph]


EXPECTED = {
    "closeness": by_vertex(nx.closeness_centrality),
    "harmonic": by_vertex(nx.harmonic_centrality),
    "betweenness": by_vertex(nx.betweenness_centrality),
    "components": lambda g: [min(nx.node_connected_component(g, v)) for v in g],
    "triangles": by_vertex(nx.triangles),
    "pagerank": lambda g: list(nx.pagerank(g, tol=1e-9).values()) if len(g) else [],
}


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_a_row_for_each_vertex(call, graphs, files, tmp_path, name):
    path = tmp_path / "out.npz"
    result = call("batch", name, *files, "--max-vertices", 8, "-o", path)
    assert result.exit_code == 0, result.output
    with np.load(path) as columns:
        field = CALLS[name].field
        assert set(columns) == {"graph", "vertex", field}
        np.testing.assert_array_equal(columns["graph"], np.repeat(range(5), [len(g) for g in graphs]))
        np.testing.assert_array_equal(columns["vertex"], np.concatenate([range(len(g)) for g in graphs]))
        expected = np.concatenate([EXPECTED[name](graph) for graph in graphs])
        np.testing.assert_allclose(columns[field], expected, atol=1e-5)
    assert f"wrote {path}" in result.stdout.replace("\n", "")


def test_coloring(call, graphs, files, tmp_path):
    assert call("batch", "coloring", *files, "-o", tmp_path / "out.csv").exit_code == 0
    frame = pd.read_csv(tmp_path / "out.csv")
    assert list(frame) == ["graph", "vertex", "color"]
    for number, graph in enumerate(graphs):
        color = frame[frame.graph == number].color.to_numpy()
        assert all(color[u] != color[v] for u, v in graph.edges)


@pytest.mark.parametrize("options", [[], ["--by-weight"]])
def test_a_row_for_each_pair(call, graphs, files, tmp_path, options):
    assert call("batch", "shortest-paths", *files, *options, "-o", tmp_path / "out.csv").exit_code == 0
    frame = pd.read_csv(tmp_path / "out.csv")
    assert list(frame) == ["graph", "src", "dst", "distance"]
    rows = {(g, u, v): d for g, u, v, d in frame.itertuples(index=False)}
    none = np.inf if options else -1
    for number, graph in enumerate(graphs):
        lengths = dict(nx.all_pairs_dijkstra_path_length(graph, weight="weight" if options else None))
        for u in graph:
            for v in graph:
                assert rows.pop((number, u, v)) == lengths[u].get(v, none)
    assert rows == {}


def greatest_diameter(graph):
    return max((nx.diameter(graph.subgraph(part)) for part in nx.connected_components(graph)), default=0)


FIGURES = {
    "shortest-paths": ("diameter", greatest_diameter),
    "closeness": ("greatest_score", lambda g: max(nx.closeness_centrality(g).values(), default=0)),
    "components": ("components", nx.number_connected_components),
    "triangles": ("triangles", lambda g: sum(nx.triangles(g).values()) // 3),
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(FIGURES))
def test_a_figure_for_each_graph(call, call_json, graphs, files, name):
    figure, function = FIGURES[name]
    expected = [(i, len(graph), pytest.approx(function(graph))) for i, graph in enumerate(graphs)]
    document = call_json("batch", name, *files)
    assert (document["algorithm"], document["faults"], document["output"]) == (name, [], None)
    assert [tuple(row.values()) for row in document["graphs"]] == expected
    assert set(document["graphs"][0]) == {"graph", "vertices", figure}
    shown = call("batch", name, *files, "--csv").stdout
    rows = list(csv.DictReader(io.StringIO(shown)))
    assert [tuple(map(float, row.values())) for row in rows] == expected


def test_the_table(call, files):
    shown = call("batch", "triangles", *files, "--max-vertices", 4).stdout
    assert "triangles: 5 graphs in" in shown
    assert [line.split()[1:8:2] for line in shown.splitlines() if "vertices" in line] == [
        ["vertices", "0", "5.4", "12"]
    ]


def test_parquet_a_batch_at_a_time(call, files, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "out.parquet"
    assert call("batch", "triangles", *files, "--max-vertices", 8, "-o", path).exit_code == 0
    assert call("batch", "triangles", *files, "-o", tmp_path / "out.csv").exit_code == 0
    assert parquet.ParquetFile(path).num_row_groups > 1
    pd.testing.assert_frame_equal(pd.read_parquet(path), pd.read_csv(tmp_path / "out.csv"), check_dtype=False)


def test_faults_are_told_and_the_rest_is_done(call, files, tmp_path):
    pytest.importorskip("pyarrow")
    broken = tmp_path / "broken.parquet"
    pd.DataFrame({"src": [[0], [0, -1], [1]], "dst": [[1], [1, 0], [2]]}).to_parquet(broken)
    found, output = tmp_path / "out.json", tmp_path / "out.csv"
    result = call("batch", "triangles", files[0], broken, tmp_path / "none.npz", "--json", found, "-o", output)
    assert result.exit_code == 1
    *told, last = result.stderr.splitlines()
    assert [line.split(": ")[0] for line in told] == ["graph 3 was left out", "a file was left out"]
    assert last == "Error: 2 graphs or files were left out"
    document = json.loads(found.read_text())
    assert [row["graph"] for row in document["graphs"]] == [0, 1, 2, 4]
    assert [(fault["graph"], fault["file"] is not None) for fault in document["faults"]] == [(3, True), (None, True)]
    assert sorted(set(pd.read_csv(output).graph)) == [0, 1, 2, 4]


def test_where_nothing_can_be_computed_nothing_is_written(call, tmp_path):
    output = tmp_path / "out.csv"
    result = call("batch", "triangles", tmp_path / "a.npz", tmp_path / "b.npz", "-o", output)
    assert result.exit_code == 1
    assert "no graph could be computed: " in result.stderr
    assert "a.npz" in result.stderr
    assert "and 1 more like it" in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_many_faults_are_not_all_told(call, files, tmp_path):
    missing = [tmp_path / f"{number}.npz" for number in range(25)]
    told = call("batch", "components", files[0], *missing).stderr.splitlines()
    assert len(told) == 22
    assert told[-2:] == ["and 5 more", "Error: 25 graphs or files were left out"]


def test_options_for_reading(call_json, tmp_path):
    pytest.importorskip("pyarrow")
    path = tmp_path / "path.parquet"
    pd.DataFrame({"src": [[0, 1]], "dst": [[1, 2]], "weight": [[1.0, 2.0]]}).to_parquet(path)
    found = [
        call_json("batch", "betweenness", path, direction)["graphs"][0]["greatest_score"]
        for direction in ("--directed", "--undirected")
    ]
    assert found == [0.5, 1.0]
    lengths = [call_json("batch", "shortest-paths", path, *options)["graphs"][0]["diameter"]
               for options in ([], ["--by-weight"])]  # fmt: skip
    assert lengths == [2.0, 3.0]


@pytest.mark.filterwarnings("default")  # of Dask's own doings
def test_workers_find_the_same(call, files, tmp_path):
    distributed = pytest.importorskip("distributed")
    options = ("--by-weight", "--max-vertices", 8, "-o")
    assert call("batch", "closeness", *files, *options, tmp_path / "alone.npz").exit_code == 0
    with distributed.LocalCluster(n_workers=1, processes=False, dashboard_address=None) as cluster:
        own = ("--cluster", cluster.scheduler_address)
        result = call("batch", "closeness", *files, *own, *options, tmp_path / "cluster.npz")
        assert result.exit_code == 0, result.output
    result = call("batch", "closeness", *files, "--workers", 1, *options, tmp_path / "workers.npz")
    assert result.exit_code == 0, result.output
    with np.load(tmp_path / "alone.npz") as expected:
        for other in ("cluster.npz", "workers.npz"):
            with np.load(tmp_path / other) as found:
                assert found.files == expected.files
                for name in expected.files:
                    np.testing.assert_array_equal(found[name], expected[name])


@pytest.mark.filterwarnings("default")
def test_a_cluster_that_is_not_there(call, files, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("minigr.cli.workers._SECONDS", 1)
    result = call("batch", "closeness", files[0], "--cluster", "tcp://127.0.0.1:9")
    assert result.exit_code == 1
    assert "--cluster tcp://127.0.0.1:9: no scheduler of Dask answers there" in result.stderr
    monkeypatch.setitem(sys.modules, "distributed", None)
    result = call("batch", "closeness", files[0], "--workers", 1)
    assert "pip install 'minigr[dask]'" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "exit_code", "message"),
    [
        (["closeness", "FILE", "--workers", "2", "--cluster", "tcp://a:1"], 2, "give one of them"),
        (["closeness", "FILE", "--workers", "0"], 2, "--workers"),
        (["pagerank", "FILE", "--by-weight"], 2, "--by-weight is for shortest-paths, closeness, harmonic, betweenness"),
        (["bfs", "FILE"], 2, "'bfs' is not one of 'shortest-paths'"),
        (["triangles"], 2, "FILES"),
        (["triangles", "FILE", "-o", "out.xlsx"], 2, "use one of .npz, .csv, .parquet"),
        (["triangles", "FILE", "--max-vertices", "0"], 2, "--max-vertices"),
        (["closeness", "FILE", "--by-weight", "--no-weights"], 1, "no graph could be computed"),
    ],
)
def test_bad_input_is_one_clear_line(call, files, arguments, exit_code, message):
    result = call("batch", *(files[0] if argument == "FILE" else argument for argument in arguments))
    assert result.exit_code == exit_code, result.output
    assert message in " ".join(result.stderr.split())
    assert "Traceback" not in result.output
