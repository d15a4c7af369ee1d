"""``minigr info``: the figures of small graphs, by hand."""

from __future__ import annotations

import pytest

import minigr as mg
from minigr.cli.algorithms import ALGORITHMS
from tests.cli.conftest import FOR_DIRECTED


def test_figures_of_a_weighted_undirected_graph(call_json, weighted):
    document = call_json("info", weighted)
    assert document.pop("bytes") > 0
    assert document == {
        "name": str(weighted),
        "vertices": 6,
        "edges": 5,
        "arcs": 10,
        "directed": False,
        "weighted": True,
        "simple": True,
        "self_loops": 0,
        "isolated": 1,
        "degree": {"min": 0, "mean": pytest.approx(10 / 6), "median": 2.0, "max": 3},
        "weight": {"dtype": document["weight"]["dtype"], "min": 0.5, "max": 8.0, "infinite": 0},
    }
    assert document["weight"]["dtype"] in {"float32", "float64"}


def test_self_loops_and_parallel_edges_make_a_graph_not_simple(call_json, tmp_path):
    path = tmp_path / "multi.el"
    path.write_text("0 1\n0 1\n2 2\n")
    document = call_json("info", path, "--directed")
    assert document["arcs"] == 3
    assert document["self_loops"] == 1
    assert document["simple"] is False
    assert document["isolated"] == 0

    path.write_text("0 1\n0 1\n")
    parallel = call_json("info", path, "--directed")
    assert parallel["self_loops"] == 0
    assert parallel["simple"] is False


def test_a_vertex_with_only_incoming_edges_is_not_isolated(call_json, tmp_path):
    path = tmp_path / "arc.el"
    path.write_text("0 1\n")
    assert call_json("info", path, "--directed")["isolated"] == 0


def test_an_empty_graph_has_no_degrees(call_json, tmp_path):
    path = tmp_path / "empty.mtx"
    path.write_text("%%MatrixMarket matrix coordinate pattern symmetric\n0 0 0\n")
    document = call_json("info", path)
    assert document["vertices"] == 0
    assert "degree" not in document


@pytest.mark.parametrize(
    ("edges", "options", "expected"),
    [
        ("0 1\n1 2\n2 3\n3 4\n1 5\n", (), 4),
        ("0 1\n1 2\n2 0\n", ("--directed",), 2),
        ("0 1\n2 3\n3 4\n3 5\n", (), 2),  # the component with the greatest degree
        ("0 0\n", (), 0),
    ],
)
def test_the_diameter_of_small_graphs(call_json, tmp_path, edges, options, expected):
    path = tmp_path / "graph.el"
    path.write_text(edges)
    assert call_json("info", path, "--diameter", *options)["diameter_at_least"] == expected
    assert "diameter_at_least" not in call_json("info", path, *options)


def test_the_diameter_of_a_graph_without_edges(call_json, tmp_path):
    path = tmp_path / "empty.mtx"
    path.write_text("%%MatrixMarket matrix coordinate pattern symmetric\n3 3 0\n")
    assert call_json("info", path, "--diameter")["diameter_at_least"] == 0


def test_the_table_shows_the_same_figures(call, weighted):
    result = call("info", weighted)
    assert result.exit_code == 0
    for expected in ("vertices", "degree median", "weight max", "self loops"):
        assert expected in result.stdout


def test_a_missing_file_is_named(call):
    result = call("info", "missing.mtx")
    assert result.exit_code == 1
    assert "missing.mtx" in result.stderr
    assert result.stdout == ""


def test_a_folder_is_read_or_mapped(call_json, weighted, tmp_path):
    import minigr as mg

    path = tmp_path / "graph.minigr"
    mg.write(mg.read(weighted, device="cpu"), path)
    found = [call_json("info", *arguments) for arguments in ((weighted,), (path,), (path, "--mmap"))]
    for document in found:
        del document["name"]
    assert found[0] == found[1] == found[2]
    run = [
        call_json("run", "bfs", *arguments)["results"][0]["summary"] for arguments in ((weighted,), (path, "--mmap"))
    ]
    assert run[0] == run[1]


def test_what_algorithms_would_take(call, call_json, weighted, unweighted, acyclic):
    found = call_json("info", weighted, "--memory")["memory"]
    graph = mg.read(weighted, device="cpu")
    assert found["sssp"] == mg.memory.estimate(mg.sssp, graph, 3).host > 0
    assert found.keys() == ALGORITHMS.keys() - {*FOR_DIRECTED}
    assert {*FOR_DIRECTED} <= call_json("info", acyclic, "--memory")["memory"].keys()
    assert found.keys() - call_json("info", unweighted, "--memory")["memory"].keys() == {"sssp", "earliest-arrival"}
    assert f"memory sssp {found['sssp']:,}" in " ".join(
        call("info", weighted, "--memory").output.replace("│", " ").split()
    )


def test_columns_are_shown_with_their_types(call_json, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("src,dst,km,by\n2,0,1.5,train\n1,2,2.5,\n")
    assert "edge_columns" not in call_json("info", path)
    assert call_json("info", path, "--keep", "all")["edge_columns"] == {"km": "float64", "by": "object"}
    graph = mg.read(path, keep=["by"], device="cpu").with_columns({"town": ["a", "b", "c"]})
    for name, options in (("a.npz", ()), ("a.minigr", ()), ("a.minigr", ("--mmap",))):
        mg.write(graph, tmp_path / name)
        found = call_json("info", tmp_path / name, *options)
        assert (found["vertex_columns"], found["edge_columns"]) == ({"town": "object"}, {"by": "object"})
        assert found["column_bytes"] == 8 * 3 + 8 * 2
        assert "vertex_columns" not in call_json("info", tmp_path / name, "--keep", "none")
