"""``minigr stream``: every batch beside NetworkX on the edges of the window, and every way to ask wrongly."""

from __future__ import annotations

import csv
import io
import json

import networkx as nx
import numpy as np
import pytest

ANSWERS = "triangles,components,bfs,sssp,pagerank,core-number,coloring"


@pytest.fixture
def stream(tmp_path):
    """A file of timed edges with weights, and its columns in the order of time."""
    rng = np.random.default_rng(5)
    src, dst = rng.integers(0, 12, (2, 150))
    weight, time = rng.integers(1, 9, 150), np.sort(rng.integers(0, 300, 150))
    path = tmp_path / "mail.txt"
    order = rng.permutation(150)
    lines = np.stack([src, dst, weight, time], axis=1)[order]
    path.write_text("".join(f"{u} {v} {w} {t}\n" for u, v, w, t in lines))
    stable = lines[np.argsort(lines[:, 3], kind="stable")]
    return path, stable


def window(lines, end, width):
    """The graph of a window; of equal edges the last one's weight holds."""
    graph = nx.empty_graph(12)
    for u, v, w, t in lines.tolist():
        if end - width <= t < end and u != v:
            graph.add_edge(u, v, weight=w)
    return graph


def test_every_batch(call_json, stream):
    path, lines = stream
    options = ("--window", 80, "--batch", 25, "--source", 3)
    document = call_json("stream", path, "--answers", ANSWERS, *options)
    assert document["stream"] == {
        "name": str(path), "vertices": 12, "edges": 150, "directed": False, "weighted": True, "device": "cpu",
    }  # fmt: skip
    assert (document["window"], document["batch"], document["source"]) == (80, 25, 3)
    first = int(lines[0, 3])
    ends = [row["end"] for row in document["batches"]]
    assert ends == [first + 25 * (i + 1) for i in range(len(ends))]
    assert ends[-2] <= lines[-1, 3] < ends[-1]
    previous = 0
    for number, row in enumerate(document["batches"]):
        graph = window(lines, row["end"], 80)
        assert (row["batch"], row["edges"]) == (number, graph.number_of_edges())
        assert row["edges"] == previous + row["inserted"] - row["deleted"]
        previous = row["edges"]
        parts = [len(part) for part in nx.connected_components(graph)]
        depth, distance = (function(graph, 3) for function in (
            nx.single_source_shortest_path_length, nx.single_source_dijkstra_path_length))  # fmt: skip
        rank = nx.pagerank(graph)
        figures = {name: {k: v for k, v in row[name].items() if k != "update"} for name in ANSWERS.split(",")}
        assert figures["triangles"] == {"count": sum(nx.triangles(graph).values()) // 3}
        assert figures["components"] == {"count": len(parts), "largest": max(parts)}
        assert figures["bfs"] == {"reached": len(depth), "levels": max(depth.values())}
        assert figures["sssp"] == {"reached": len(distance), "max_distance": max(distance.values())}
        assert figures["pagerank"]["rank"] == pytest.approx(max(rank.values()), abs=1e-4)
        assert figures["core-number"] == {"degeneracy": max(nx.core_number(graph).values())}
        assert figures["core-number"]["degeneracy"] + 1 >= figures["coloring"]["colors"] > 1
        assert row["bfs"]["update"] in {"repair", "recomputation"}


def test_a_row_for_each_batch(call, stream):
    path, _ = stream
    result = call("stream", path, "--answers", "components", "--window", 80, "--batch", 25, "--csv")
    assert result.exit_code == 0
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    assert list(rows[0]) == ["batch", "end", "inserted", "deleted", "edges", "ms", "components_count",
                             "components_largest", "components_update"]  # fmt: skip
    assert [int(row["batch"]) for row in rows] == list(range(12))
    assert result.stderr == ""


def test_both_files_and_the_table(call, stream, tmp_path):
    path, _ = stream
    files = tmp_path / "a.json", tmp_path / "a.csv"
    result = call("stream", path, "--answers", "triangles,bfs", "--json", files[0], "--csv", files[1])
    assert result.exit_code == 0
    document = json.loads(files[0].read_text())
    assert len(document["batches"]) == len(files[1].read_text().splitlines()) - 1 == 23  # of 13 each
    assert (document["batch"], document["window"]) == (13, 78)
    for text in ("150 timed edges, 12 vertices, undirected, weighted", "source: vertex", "bfs reached", "triangles",
                 "triangles: repaired in", f"wrote {files[0]}", f"wrote {files[1]}"):  # fmt: skip
        assert text in result.stdout.replace("\n", "") or text in result.stdout
    assert "update" not in result.stdout


def test_directed_and_without_weights(call_json, stream):
    path, lines = stream
    document = call_json("stream", path, "--directed", "--no-weights", "--answers", "bfs", "--batch", 400)
    [row] = document["batches"]
    graph = nx.DiGraph([(u, v) for u, v, _, _ in lines.tolist() if u != v])
    assert (document["stream"]["directed"], document["stream"]["weighted"]) == (True, False)
    assert row["edges"] == graph.number_of_edges()
    assert document["source"] == lines[0, 0]
    assert row["bfs"]["reached"] == len(nx.descendants(graph, lines[0, 0])) + 1


def test_times_need_not_be_whole(call_json, tmp_path):
    path = tmp_path / "real.csv"
    path.write_text("src,dst,when\n0,1,0.5\n1,2,1.25\n0,2,2.0\n")
    options = ("--columns", "src,dst,time", "--window", "1.5", "--batch", "0.5")
    rows = call_json("stream", path, *options, "--answers", "triangles")["batches"]
    assert [row["end"] for row in rows] == [1.0, 1.5, 2.0, 2.5]
    assert [row["edges"] for row in rows] == [1, 2, 2, 2]
    whole = call_json("stream", path, "--columns", "src,dst,time")
    assert whole["batch"] == 1.5 / 24


def test_a_stream_of_one_moment(call_json, tmp_path):
    path = tmp_path / "now.txt"
    path.write_text("0 1 7\n1 2 7\n")
    document = call_json("stream", path)
    assert document["batch"] == 1
    assert [(row["end"], row["edges"]) for row in document["batches"]] == [(8, 2)]
    path.write_text("0 1 0.5\n")
    assert call_json("stream", path)["batch"] == 1.0


def test_many_batches_are_not_all_shown(call, stream):
    path, _ = stream
    shown = call("stream", path, "--batch", 5).stdout
    assert "the last 24 of 60 batches" in shown
    assert shown.count("│") == 24 * 7


@pytest.mark.parametrize(
    ("arguments", "exit_code", "message"),
    [
        (["FILE", "--answers", "bfs,triangle"], 2, "'triangle' is not one of triangles, components"),
        (["FILE", "--window", "0"], 2, "0 must be above 0"),
        (["FILE", "--batch", "-3"], 2, "-3 must be above 0"),
        (["FILE", "--batch", "soon"], 2, "'soon' is not a number"),
        (["FILE", "--batch", "nan"], 2, "nan must be above 0"),
        (["FILE", "--answers", "bfs", "--source", "12"], 1, "source 12 is not a vertex"),
        (["FILE", "--answers", "components", "--source", "1"], 2, "--source is for bfs and sssp"),
        (["FILE", "--answers", "sssp", "--no-weights"], 1, "use bfs to count hops"),
        (["FILE", "--directed", "--answers", "triangles", "--columns", "src,dst,x"], 1, "--columns names 3 columns"),
        (["FILE", "--json", "FILE"], 2, "does not end in .json; to print on standard output put --json last"),
        (["FILE", "--json", "--csv"], 2, "can't both go to standard output"),
        (["FILE", "--csv", "nowhere/a.csv"], 2, "create it first"),
        (["missing.txt"], 1, "missing.txt"),
        ([], 2, "FILE"),
    ],
)
def test_bad_input_is_one_clear_line(call, stream, arguments, exit_code, message):
    path, _ = stream
    result = call("stream", *(path if argument == "FILE" else argument for argument in arguments))
    assert result.exit_code == exit_code, result.output
    assert message in " ".join(result.stderr.split())
    assert "Traceback" not in result.output


def test_a_stream_without_edges_is_refused(call, tmp_path):
    path = tmp_path / "none.txt"
    path.write_text("# nothing\n")
    result = call("stream", path)
    assert (result.exit_code, "has no edges" in result.stderr) == (1, True)
