"""``minigr plot``: which figure each command draws, and every way to ask wrongly. What is in it: tests/plot."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

import minigr as mg
from minigr import plot as plots
from minigr.cli.algorithms import ALGORITHMS
from tests.cli.conftest import FOR_DIRECTED


@pytest.fixture
def drawn(monkeypatch):
    """The calls of `mg.plot`: the name of each, what it was given, and the figure."""
    calls = []

    def watch(name):
        real = getattr(plots, name)

        def call(*given, **options):
            figure = real(*given, **options)
            calls.append((name, given, options, figure))
            return figure

        monkeypatch.setattr(plots, name, call)

    for name in ("degrees", "trace", "bench", "graph"):
        watch(name)
    return calls


@pytest.mark.parametrize("ending", ["svg", "png", "pdf"])
def test_degrees(call, weighted, unweighted, drawn, tmp_path, ending):
    path = tmp_path / f"degrees.{ending}"
    result = call("plot", "degrees", weighted, unweighted, "--ccdf", "--inward", "-o", path)
    assert result.exit_code == 0, result.output
    assert result.stdout.replace("\n", "") == f"wrote {path}"
    [(name, [graphs], options, figure)] = drawn
    assert (name, list(graphs), options) == ("degrees", ["weighted", "unweighted"], {"inward": True, "ccdf": True})
    assert len(figure.axes[0].lines) == 2
    first = path.read_bytes()
    call("plot", "degrees", weighted, unweighted, "--ccdf", "--inward", "-o", path)
    assert path.read_bytes() == first


def test_trace(call, weighted, drawn, tmp_path):
    result = call("plot", "trace", "bfs", "sssp", weighted, "--source", 2, "-o", tmp_path / "trace.svg")
    assert result.exit_code == 0, result.output
    [(_, [traces], _, figure)] = drawn
    assert list(traces) == ["bfs", "sssp"]
    expected = mg.bfs(mg.read(weighted, device="cpu"), 2, trace=True, driver="host").trace
    assert [(row.frontier, row.edges) for row in traces["bfs"]] == [(row.frontier, row.edges) for row in expected]
    assert [text.get_text() for text in figure.axes[0].get_legend().get_texts()][:2] == ["bfs", "sssp"]


def test_bench(call, drawn, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("before", "after"):
        arguments = ("bench", "primitives", "scan", "--from", 10, "--to", 10, "--repeat", 1)
        assert call(*arguments, "--json", f"{name}.json").exit_code == 0
    assert call("plot", "bench", "before.json", "after.json", "-o", "change.svg").exit_code == 0
    assert call("plot", "bench", "after.json", "-o", "one.svg").exit_code == 0
    legends = [[text.get_text() for text in figure.axes[0].get_legend().get_texts()] for *_, figure in drawn]
    assert legends[0][0] == "minigr, before"
    assert legends[1][0] == "minigr"


@pytest.mark.parametrize(
    ("options", "categorical", "label", "expected"),
    [
        (["--color", "components"], True, "components: label", [0, 0, 0, 0, 0, 5]),
        (["--color", "bfs", "--source", 3], False, "bfs: depth", [2, 1, 1, 0, 1, None]),
        (["--color", "sssp", "--source", 3], False, "sssp: distance", [3.0, 2.0, 0.5, 0.0, 8.0, np.inf]),
        (["--color", "bfs", "--field", "parent", "--source", 4], False, "bfs: parent", None),
        (["--color", "independent-set"], True, "independent-set: member", None),
        ([], None, None, None),
    ],
)
def test_graph(call, weighted, drawn, tmp_path, options, categorical, label, expected):
    result = call("plot", "graph", weighted, *options, "--labels", "-o", tmp_path / "graph.svg")
    assert result.exit_code == 0, result.output
    [(_, [graph], given, figure)] = drawn
    assert graph.num_vertices == 6
    assert (given.get("categorical"), given.get("label")) == (categorical, label)
    assert (given["title"], given["labels"], given["arrows"]) == ("weighted", True, None)
    if expected is not None:
        assert given["values"].tolist() == expected
    assert len(figure.axes[0].texts) == 6


@pytest.mark.parametrize("name", [name for name, algorithm in ALGORITHMS.items() if algorithm.colors])
def test_every_color(call, weighted, acyclic, drawn, tmp_path, name):
    graph = acyclic if name in FOR_DIRECTED else weighted
    result = call("plot", "graph", graph, "--color", name, "--arrows", "-o", tmp_path / "graph.svg")
    assert result.exit_code == 0, result.output
    assert len(drawn[0][2]["values"]) == 6


@pytest.mark.parametrize(
    ("arguments", "exit_code", "message"),
    [
        (["degrees", "GRAPH"], 2, "Missing option '-o'"),
        (["degrees", "GRAPH", "-o", "a.jpg"], 2, "use one of .png, .svg, .pdf"),
        (["degrees", "GRAPH", "-o", "nowhere/a.svg"], 2, "create it first"),
        (["degrees", "-o", "a.svg"], 2, "GRAPH"),
        (["degrees", "missing.mtx", "-o", "a.svg"], 1, "missing.mtx"),
        (["trace", "bfs", "-o", "a.svg"], 2, "minigr plot trace bfs GRAPH"),
        (["trace", "sssp", "GRAPH", "-o", "a.svg"], 1, "use bfs to count hops"),
        (["trace", "random-walks", "GRAPH", "-o", "a.svg"], 1, "random-walks: there is none"),
        (["bench", "GRAPH", "-o", "a.svg"], 1, "minigr bench wrote with --json"),
        (["bench", "missing.json", "-o", "a.svg"], 2, "missing.json"),
        (["graph", "GRAPH", "--field", "rank", "-o", "a.svg"], 2, "name the algorithm with --color"),
        (["graph", "GRAPH", "--color", "hits", "--field", "rank", "-o", "a.svg"], 2, "hits finds hub, authority"),
        (["graph", "GRAPH", "--color", "truss", "-o", "a.svg"], 2, "'truss' is not one of"),
        (["graph", "GRAPH", "--color", "sssp", "-o", "a.svg"], 1, "use bfs to count hops"),
        (["graph", "roads", "-o", "a.svg"], 1, "are too many to tell apart"),
    ],
)
def test_bad_input_is_one_clear_line(call, unweighted, tmp_path, monkeypatch, arguments, exit_code, message):
    monkeypatch.chdir(tmp_path)
    result = call("plot", *(unweighted if argument == "GRAPH" else argument for argument in arguments))
    assert result.exit_code == exit_code, result.output
    assert message in " ".join(result.stderr.split())
    assert "Traceback" not in result.output
    assert not (tmp_path / "a.svg").exists()


def test_without_matplotlib_the_extra_is_named_before_anything_is_read(call, monkeypatch, tmp_path):
    real = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *rest: None if name == "matplotlib" else real(name, *rest)
    )
    result = call("plot", "degrees", "missing.mtx", "-o", tmp_path / "a.svg")
    assert result.exit_code == 2
    assert "pip install 'minigr[plot]'" in result.stderr
