"""``minigr bench paper``: what it lists, measures, writes and refuses."""

from __future__ import annotations

import json
import re

import pytest


@pytest.fixture
def bench(call, tmp_path):
    """Call ``minigr bench paper … --json``, which must succeed; the document it wrote and what it showed."""

    def run(*arguments):
        path = tmp_path / "out.json"
        result = call("bench", "paper", *arguments, "--json", path)
        assert result.exit_code == 0, result.output
        return json.loads(path.read_text()), result.stdout

    return run


def test_help_names_every_paper(call):
    from minigr.bench.papers.registry import PAPERS

    shown = call("bench", "paper", "--help").stdout
    assert [name for name in PAPERS if name not in shown] == []


def test_the_examples_of_the_help_name_exhibits(call):
    from minigr.bench.papers.registry import PAPERS

    for example in re.findall(r"minigr bench paper (\w[^\n]*)", call("bench", "paper", "--help").stdout):
        paper, *exhibits = example.split(" --")[0].split()
        assert set(exhibits) <= {exhibit.name for exhibit in PAPERS[paper].exhibits}


def test_the_list_has_every_exhibit(call):
    from minigr.bench.papers.registry import PAPERS

    for name, paper in PAPERS.items():
        shown = call("bench", "paper", name, "--list").stdout
        assert [exhibit.name for exhibit in paper.exhibits if exhibit.name not in shown] == []


def test_what_was_measured_is_shown_again_and_compared(bench, call, tmp_path):
    document, shown = bench("slabgraph", "table-2", "--scale", 6, "--repeat", 1)
    assert document["settings"]["paper"] == "slabgraph"
    assert document["settings"]["scale"] == 6
    assert {row["key"]["exhibit"] for row in document["rows"]} == {"table-2"}
    assert "Table II" in shown
    path = tmp_path / "out.json"
    again = call("bench", "show", path)
    assert again.exit_code == 0
    assert again.stdout.splitlines()[1:] == shown.splitlines()[: len(again.stdout.splitlines()) - 1]
    compared = call("bench", "compare", path, path)
    assert "no difference" in compared.stdout or "too few samples" in compared.stdout


def test_graphs_of_files(bench, tmp_path):
    ring = tmp_path / "ring.csv"
    ring.write_text("".join(f"{i},{(i + 1) % 60}\n" for i in range(60)))
    options = ("figures-3-5", "figure-12b", "--graph", ring, "--undirected", "--repeat", 2)
    document, shown = bench("meerkat", *options)
    assert [graph["name"] for graph in document["graphs"]] == ["ring"]
    assert {row["key"]["graph"] for row in document["rows"]} == {"ring"}
    assert "scale" not in document["settings"]
    assert "Figure 12b" in shown


def test_a_set_of_graphs_is_given_by_its_file(bench, call, tmp_path):
    import networkx as nx

    import minigr as mg

    mg.batch.write(mg.GraphBatch.from_graphs([nx.path_graph(5)], device="cpu"), tmp_path / "few.npz")
    document, shown = bench("swarmgraph", "table-2", "--graph", tmp_path / "few.npz", "--repeat", 1)
    assert {row["key"]["vertices"] for row in document["rows"]} == {"4 to 7"}
    again = call("bench", "show", tmp_path / "out.json")
    assert again.stdout.splitlines()[1:] == shown.split("wrote")[0].splitlines()


def test_synthetic_graphs_beside_those_of_files(bench, tmp_path):
    (tmp_path / "line.csv").write_text("".join(f"{i},{i + 1}\n" for i in range(40)))
    document, _ = bench("slabgraph", "table-4", "--graph", tmp_path / "line.csv", "--scale", 5, "--repeat", 1)
    assert [graph["name"] for graph in document["graphs"]] == ["line", "uniform-5-16", "rmat-5-16"]
    assert {row["key"]["graph"] for row in document["rows"]} == {"line", "uniform-5-16", "rmat-5-16"}
    assert document["settings"]["scale"] == 5


def test_an_error_leaves_the_exhibits_before_it(call, tmp_path, monkeypatch):
    from minigr.bench import dynamic
    from minigr.errors import MeasurementError

    def fail(plan):
        raise MeasurementError("this part fails")

    monkeypatch.setitem(dynamic.PARTS, "vertices", fail)
    path = tmp_path / "some.json"
    options = ("table-2", "table-4", "--scale", 5, "--repeat", 1, "--json", path)
    result = call("bench", "paper", "slabgraph", *options)
    assert result.exit_code != 0
    assert "this part fails" in result.output
    assert "Table II" in result.stdout
    assert {row["key"]["exhibit"] for row in json.loads(path.read_text())["rows"]} == {"table-2"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("gunrock",), "'gunrock' is not one of mini-gunrock"),
        (("swarmgraph", "table-2", "--graph", "missing.npz"), "missing.npz"),
        (("slabgraph", "table-99"), "'table-99' is not one of table-"),
        (("slabgraph", "--graph", "no-such-file"), "no file and no shipped graph 'no-such-file'"),
    ],
)
def test_what_is_wrong_is_said(call, arguments, message):
    result = call("bench", "paper", *arguments)
    assert result.exit_code != 0
    assert message in " ".join(result.output.split())
