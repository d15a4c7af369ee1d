"""`mg.plot.trace`: the lines and markers are the rows of the trace."""

from __future__ import annotations

import numpy as np
import pytest

import minigr as mg


@pytest.fixture(scope="module")
def searches():
    kron, path = mg.generate.rmat(10, 16, device="cpu"), mg.generate.path(30, device="cpu")
    source = int(kron.degree().argmax())
    return {"kron": mg.bfs(kron, source, trace=True), "path": mg.bfs(path, 0, trace=True)}


def test_each_panel_has_a_field(searches):
    result = searches["path"]
    figure = mg.plot.trace(result)
    rows = result.trace.as_dicts()
    for axes, field in zip(figure.axes, ("frontier", "edges", "milliseconds"), strict=True):
        expected = [[row["iteration"], row[field]] for row in rows]
        np.testing.assert_allclose(axes.lines[0].get_xydata(), expected)
    assert [axes.get_ylabel() for axes in figure.axes] == ["frontier, items", "edges looked at", "time, ms"]
    assert figure.axes[-1].get_xlabel() == "iteration"
    assert figure.axes[0].get_yscale() == "linear"


def test_parts_have_panels_of_what_they_send():
    graph = mg.generate.rmat(8, 8, device="cpu")
    result = mg.bfs(mg.PartitionedGraph.from_graph(graph, devices=["cpu"] * 2), 0, trace=True)
    sent, exchanges = mg.plot.trace({"one": mg.bfs(graph, 0, trace=True), "two": result}).axes[3:]
    assert [axes.get_ylabel() for axes in (sent, exchanges)] == ["sent, bytes", "exchanges, ms"]
    for axes, field in ((sent, "sent"), (exchanges, "exchange_milliseconds")):
        [of_two] = [line for line in axes.lines if line.get_label() == "two"]
        assert of_two.get_ydata().tolist() == [row[field] for row in result.trace.as_dicts()]


def test_markers_tell_pushes_from_pulls(searches):
    rows = list(searches["kron"].trace)
    assert {row.direction for row in rows} == {"push", "pull"}
    axes = mg.plot.trace({"kron": searches["kron"].trace}).axes[0]
    for marker, direction in (("o", "push"), ("v", "pull")):
        [line] = [line for line in axes.lines if line.get_marker() == marker and len(line.get_xdata())]
        assert line.get_xdata().tolist() == [row.iteration for row in rows if row.direction == direction]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["kron", "push", "pull"]


def test_several_runs_share_the_panels(searches):
    axes = mg.plot.trace(searches).axes[0]
    assert [text.get_text() for text in axes.get_legend().get_texts()][:2] == ["kron", "path"]
    lines = [line for line in axes.lines if line.get_linestyle() == "-"]
    assert len({line.get_color() for line in lines}) == 2
    assert axes.get_yscale() == "log"  # frontiers of 1 to hundreds


def test_a_long_run_has_markers_at_pulls_only():
    result = mg.bfs(mg.generate.path(300, device="cpu"), 0, trace=True)
    axes = mg.plot.trace(result).axes[0]
    assert [line for line in axes.lines if line.get_marker() == "o" and len(line.get_xdata())] == []
    assert len(axes.lines[0].get_xdata()) == 300


def test_what_has_no_trace_is_refused():
    graph = mg.generate.path(3, device="cpu")
    with pytest.raises(mg.errors.ProblemError, match="short: there is none: call the app with trace=True"):
        mg.plot.trace({"short": mg.bfs(graph, 0)})
    empty = mg.connected_components(mg.Graph.from_edges([], [], num_vertices=0, device="cpu"), trace=True)
    with pytest.raises(mg.errors.ProblemError, match="before its first iteration"):
        mg.plot.trace(empty)


def test_an_object_of_another_type_is_refused():
    result = mg.bfs(mg.generate.path(3, device="cpu"), 0, trace=True)
    for given, kind in ((5, "int"), ([result], "list"), ("file", "str"), ({"a": 5}, "int")):
        with pytest.raises(mg.errors.ProblemError, match=f"expected a result, a trace or a mapping.* got {kind}$"):
            mg.plot.trace(given)


def test_a_plot_of_nothing_is_refused():
    with pytest.raises(mg.errors.ProblemError, match="give at least one"):
        mg.plot.trace({})
