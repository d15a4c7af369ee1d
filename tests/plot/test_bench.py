"""`mg.plot.bench`: what it draws of the rows of each bench, and of several files."""

from __future__ import annotations

import numpy as np
import pytest

import minigr as mg
from minigr.bench import document
from minigr.device import CPU


def row(samples, unit="ms", more=None, **key):
    return document.row(key, samples, unit, **(more or {}))


def apps(factor=1.0):
    times = {("bfs", "minigr"): 2.0, ("bfs", "scipy"): 8.0, ("sssp", "minigr"): 5.0, ("sssp", "scipy"): 9.0}
    return [
        row([factor * t, factor * 1.5 * t, factor * 0.5 * t], graph=graph, app=app, by=by)
        for graph in ("kron", "road")
        for (app, by), t in times.items()
    ]


@pytest.fixture
def files(tmp_path):
    for name, factor in (("before", 1.0), ("after", 2.0)):
        document.write(tmp_path / f"{name}.json", document.document("apps", CPU, {}, [], apps(factor)))
    return [tmp_path / "before.json", tmp_path / "after.json"]


def legend(axes):
    return [text.get_text() for text in axes.get_legend().get_texts()]


def test_medians_and_their_spread():
    figure = mg.plot.bench({"bench": "apps", "rows": apps()})
    assert [axes.get_title() for axes in figure.axes] == ["kron", "road"]
    axes = figure.axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["bfs", "sssp"]
    assert (axes.get_xlabel(), axes.get_xscale()) == ("ms", "log")
    assert legend(axes) == ["minigr", "scipy"]
    mine, theirs = axes.containers
    assert mine[0].get_xydata().tolist() == [[2, 0], [5, 1]]
    assert theirs[0].get_xydata().tolist() == [[8, 0], [9, 1]]
    [bars] = mine[2]
    assert [segment.tolist() for segment in bars.get_segments()] == [[[1, 0], [3, 0]], [[2.5, 1], [7.5, 1]]]


def test_files_beside_each_other(files):
    axes = mg.plot.bench(files).axes[0]
    assert legend(axes) == ["minigr, before", "scipy, before", "minigr, after", "scipy, after"]
    assert [container[0].get_xdata().tolist() for container in axes.containers] == [[2, 5], [8, 9], [4, 10], [16, 18]]
    styles = {(container[0].get_color(), container[0].get_marker()) for container in axes.containers}
    assert len(styles) == 4
    assert legend(mg.plot.bench(str(files[0])).axes[0]) == ["minigr", "scipy"]
    assert mg.plot.bench(files).get_suptitle().startswith("minigr bench apps; cpu, ")
    named = mg.plot.bench({"old": files[0], "new": document.read(files[1])})
    assert legend(named.axes[0]) == ["minigr, old", "scipy, old", "minigr, new", "scipy, new"]


def test_files_of_one_name_go_by_their_paths(files, tmp_path):
    (tmp_path / "more").mkdir()
    other = tmp_path / "more" / "before.json"
    other.write_text(files[0].read_text())
    assert legend(mg.plot.bench([files[0], other]).axes[0])[0] == f"minigr, {files[0]}"


def test_bytes_are_shown_as_mebibytes():
    figure = mg.plot.bench({"bench": "memory", "rows": [row([3 << 20], "bytes", graph="kron", app="bfs")]})
    assert figure.axes[0].get_xlabel() == "MiB"
    assert figure.axes[0].containers[0][0].get_xdata().tolist() == [3]
    assert legend(figure.axes[0]) == ["minigr"]


def test_steps_of_searches():
    rows = [
        row([1.0], more={"mteps": speed, "share": share}, graph="kron", app="bfs", step=step)
        for step, speed, share in ((0, 5.0, 0.25), (1, 50.0, 0.75))
    ]
    alone = row([1.0], graph="kron", operator="compute")
    speed, work = mg.plot.bench({"bench": "operators", "rows": [*rows, alone]}).axes
    assert speed.lines[0].get_xydata().tolist() == [[0, 5], [1, 50]]
    assert work.lines[0].get_xydata().tolist() == [[0, 25], [1, 75]]
    assert legend(speed) == ["bfs on kron"]
    dots = mg.plot.bench({"bench": "operators", "rows": [alone]})
    assert [label.get_text() for label in dots.axes[0].get_yticklabels()] == ["compute"]


def test_primitives_over_sizes():
    rows = [
        row([1.0], more={"gb_per_s": rate}, primitive="scan", items=items, by=by)
        for by, rate in (("minigr", 3.0), ("copy", 6.0))
        for items in (1024, 4096)
    ]
    [axes] = mg.plot.bench({"one": {"bench": "primitives", "rows": rows}}).axes
    assert axes.lines[0].get_xydata().tolist() == [[1024, 3], [4096, 3]]
    assert legend(axes) == ["minigr, one", "copy, one"]
    assert (axes.get_title(), axes.get_xlabel(), axes.get_ylabel()) == ("scan", "items", "GB/s")


def test_rates_of_dynamic_graphs():
    rate = {"medges_per_s": 4.0}
    updates = [
        row([1.0], more=rate, graph="uniform", part="updates", measure="insert", batch=batch, by=by)
        for by in ("minigr", "networkx")
        for batch in (64, 256)
    ]
    key = {"graph": "uniform", "part": "load", "load_factor": 0.7, "by": "minigr"}
    load = [
        row([1.0], more=rate, measure="insert", **key),
        row([9.0], "bytes", {"utilization": 0.6, "mean_chain": 1.25}, measure="memory", **key),
    ]
    both = {name: {"bench": "dynamic", "rows": [*updates, *load]} for name in ("a", "b")}
    rates, by_load, memory = mg.plot.bench(both).axes
    titles = [axes.get_title() for axes in (rates, by_load, memory)]
    assert titles == ["Updates", "Rates over the load factor", "Memory and chains over the load factor"]
    assert legend(rates) == ["insert uniform, a", "insert uniform networkx, a", "insert uniform, b",
                             "insert uniform networkx, b"]  # fmt: skip
    assert rates.lines[0].get_xydata().tolist() == [[64, 4], [256, 4]]
    assert by_load.lines[0].get_xydata().tolist() == [[0.7, 4]]
    assert [line.get_ydata().tolist() for line in memory.lines] == [[0.6], [0.6], [1.25], [1.25]]
    assert len(mg.plot.bench({"bench": "dynamic", "rows": updates}).axes) == 1
    assert [axes.get_title() for axes in mg.plot.bench({"bench": "dynamic", "rows": load}).axes] == titles[1:]
    builds = [row([2.0], graph="uniform", part="builds", measure="build", weights="none", batch=0, by="minigr")]
    dots = mg.plot.bench({"bench": "dynamic", "rows": builds}).axes[0]
    assert [label.get_text() for label in dots.get_yticklabels()] == ["builds build none 0"]


def test_what_cannot_be_drawn_is_refused(files, tmp_path):
    start = tmp_path / "start.json"
    document.write(
        start, document.document("start", CPU, {}, [], [row([1.0], graph="kron", start="cold", part="read")])
    )
    with pytest.raises(mg.errors.FormatError, match="before of 'apps', start of 'start'"):
        mg.plot.bench([files[0], start])
    with pytest.raises(mg.errors.FormatError, match="have no rows"):
        mg.plot.bench({"bench": "apps", "rows": []})
    other = tmp_path / "other.json"
    other.write_text("{}")
    with pytest.raises(mg.errors.FormatError, match="is no document of minigr bench"):
        mg.plot.bench(other)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (5, "the files: include an object of type int: give the names of files"),
        ([None], "the files: include an object of type NoneType"),
        ({"a": 5}, "the files: include an object of type int"),
        ({"bench": "apps", "rows": 5}, "the document: has rows of type int"),
        ({"bench": "apps", "rows": [5]}, "the document: row 0 has no key, no samples or no median"),
        ({"bench": "apps", "rows": [{}]}, "the document: row 0 has no key, no samples or no median"),
    ],
)
def test_an_object_of_another_type_is_refused(given, says):
    with pytest.raises(mg.errors.FormatError, match=says):
        mg.plot.bench(given)


def test_every_result_of_the_repository_can_be_drawn():
    """Files of all commands, as they were really written."""
    from pathlib import Path

    folder = Path(__file__).parents[2] / "benchmarks" / "results"
    drawn = 0
    for path in sorted(folder.glob("*.json")):
        try:
            content = document.read(path)
        except mg.errors.FormatError:
            continue  # written by a script of its own
        if content["bench"] == "compare":
            continue  # says what differs between runs, and has no samples
        figure = mg.plot.bench(path)
        finite = [np.isfinite(line.get_xydata()).all() for axes in figure.axes for line in axes.lines]
        assert finite
        assert all(finite)
        drawn += 1
    assert drawn >= 10


def test_a_plot_of_nothing_is_refused():
    with pytest.raises(mg.errors.FormatError, match="give at least one"):
        mg.plot.bench([])
