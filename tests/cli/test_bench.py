"""``minigr bench``: what it measures, writes, shows and refuses."""

from __future__ import annotations

import json
import math
import re
from dataclasses import asdict, replace
from importlib import import_module
from itertools import count

import pytest

from minigr.bench.dynamic import WAYS


@pytest.fixture
def bench(call, tmp_path):
    """Call ``minigr bench … --json``, which must succeed; the document it wrote and what it showed."""

    def run(*arguments):
        path = tmp_path / "out.json"
        result = call("bench", *arguments, "--json", path)
        assert result.exit_code == 0, result.output
        assert f"wrote {path}" in result.stdout.replace("\n", "")
        return json.loads(path.read_text()), result.stdout

    return run


def test_help_names_every_choice(call):
    from minigr.bench import single_operator_cases
    from minigr.bench.apps import APPS
    from minigr.bench.batch import CASES as BATCH_CASES
    from minigr.bench.batch import LOOPS, SYNTHETIC
    from minigr.bench.batch import PEERS as BATCH_PEERS
    from minigr.bench.dynamic import PARTS
    from minigr.bench.dynamic_peers import PEERS as DYNAMIC_PEERS
    from minigr.bench.maintained import ANSWERS
    from minigr.bench.maintained import KINDS as MAINTAINED_KINDS
    from minigr.bench.peers import PEERS
    from minigr.bench.primitives import CASES
    from minigr.bench.recipes import KINDS
    from minigr.bench.start import APPS as STARTED_APPS
    from minigr.bench.start import CASES as FIRST_CALLS
    from minigr.bench.start import GROUPS

    def help_of(command):
        return re.sub(r"-\n +", "-", call("bench", command, "--help").stdout)  # lines may break in a name

    shown = help_of("apps")
    assert [name for name in (*APPS, *PEERS) if name not in shown] == []
    shown = help_of("primitives")
    assert [name for name in CASES if name not in shown] == []
    shown = help_of("operators")
    choices = (
        single_operator_cases.OPERATORS,
        single_operator_cases.INPUTS,
        single_operator_cases.DIRECTIONS,
        single_operator_cases.DUPLICATES,
    )
    assert [name for names in choices for name in names if name not in shown] == []
    shown = help_of("batch")
    assert [name for name in (*BATCH_CASES, *BATCH_PEERS, *LOOPS, SYNTHETIC) if name not in shown] == []
    shown = help_of("maintained")
    assert [name for name in (*ANSWERS, *MAINTAINED_KINDS) if name not in shown] == []
    shown = help_of("dynamic")
    assert [name for name in (*PARTS, *KINDS, *DYNAMIC_PEERS) if name not in shown] == []
    shown = help_of("start")
    named = [name for name, case in FIRST_CALLS.items() if case.group != STARTED_APPS]  # apps are those of minigr run
    assert [name for name in (*GROUPS, *GROUPS["process"], *named) if name not in shown] == []


def test_primitives(bench):
    document, shown = bench("primitives", "scan", "compact", "--from", 10, "--to", 13, "--step", 3, "--repeat", 2)
    keys = [(row["key"]["primitive"], row["key"]["items"], row["key"]["by"]) for row in document["rows"]]
    names = [(name, by) for name in ("scan", "compact") for by in ("minigr", "numpy", "copy")]
    assert keys == [(name, items, by) for items in (1024, 8192) for name, by in names]
    assert document["settings"] == {"repeat": 2, "from": 10, "to": 13, "step": 3}
    assert "scan, beside numpy's cumsum" in shown
    assert shown.count("2^13") == 2


def test_operators_and_their_plot(bench, weighted, tmp_path):
    picture = tmp_path / "steps.svg"
    options = ("--source", 3, "--repeat", 2, "--balance", "merge", "--operators", "compute")
    document, shown = bench("operators", weighted, *options, "--plot", picture)
    assert document["settings"]["balance"] == "merge"
    steps = [row for row in document["rows"] if "step" in row["key"]]
    frontiers = [row["frontier"] for row in steps if row["key"]["app"] == "bfs"]
    assert frontiers == [1, 3, 1]
    assert [row["key"]["operator"] for row in document["rows"] if "operator" in row["key"]] == [
        "compute",
        "compute, sum",
    ]
    assert document["graphs"][0]["source"] == 3
    assert "bfs on weighted: 3 steps" in shown
    assert picture.read_text().startswith("<?xml")


def test_scaling_and_its_plot(bench, call, weighted, tmp_path):
    picture = tmp_path / "gain.svg"
    options = ("--threads", "1,2", "--apps", "bfs,sssp", "--operators", "none", "--repeat", 1)
    document, shown = bench("scaling", weighted, *options, "--plot", picture)
    assert document["device"] == "cpu"
    assert document["settings"] == {"repeat": 1, "threads": [1, 2], "limit": 60}
    keys = [(row["key"]["call"], row["key"]["threads"]) for row in document["rows"]]
    assert keys == [(name, threads) for name in ("copy", "bfs", "sssp") for threads in (1, 2)]
    assert "weighted: medians of 1" in shown
    assert shown.count("100%") == 2  # a copy is as fast as itself
    again = call("bench", "show", tmp_path / "out.json")
    assert "weighted: medians of 1" in again.stdout
    assert picture.read_text().startswith("<?xml")


def test_operators_in_several_ways(bench, call, unweighted, tmp_path):
    options = ("--operators", "compute", "--input", "list,edges", "--direction", "push,auto", "--duplicates", "cull")
    document, shown = bench("operators", unweighted, *options, "--searches", "--dynamic", "--repeat", 1)
    searches = [row["key"] for row in document["rows"] if "search" in row["key"]]
    assert {(key["search"], key.get("direction")) for key in searches} == {
        ("bfs", "push"),
        ("bfs", "auto"),
        ("bfs, idempotent", None),
    }
    assert "bfs, push, on unweighted: 3 steps" in shown
    assert "whole searches on unweighted" in shown
    again = call("bench", "show", tmp_path / "out.json")
    assert again.stdout.splitlines()[1:] == shown.split("wrote")[0].splitlines()
    compared = call("bench", "compare", tmp_path / "out.json", tmp_path / "out.json", "--fail-on-slower")
    assert compared.exit_code == 0


def test_apps_beside_a_peer(bench, weighted, unweighted):
    document, shown = bench("apps", weighted, unweighted, "--peers", "scipy", "--apps", "bfs,sssp", "--repeat", 3)
    found = [(row["key"]["graph"], row["key"]["app"], row["key"]["by"]) for row in document["rows"]]
    runs = [("weighted", "bfs"), ("weighted", "sssp"), ("unweighted", "bfs")]
    assert found == [(*run, by) for run in runs for by in ("minigr", "scipy")]
    assert all(len(row["samples"]) == 3 for row in document["rows"])
    assert set(document["peers"]) == {"scipy"}
    assert "scipy, sssp: csgraph.dijkstra" in shown
    assert document["graphs"][0]["source"] == 3  # of the highest degree
    assert [graph["apps_left_out"] for graph in document["graphs"]] == [{}, {"sssp": "needs edge weights"}]
    assert "unweighted: left out sssp: needs edge weights" in shown


def test_a_name_that_is_given_twice_is_measured_once(bench, unweighted):
    document, _ = bench("apps", unweighted, "--peers", "none", "--apps", "bfs,bfs", "--repeat", 1)
    assert len(document["rows"]) == 1
    document, _ = bench("primitives", "scan", "scan", "--from", 4, "--to", 4, "--repeat", 1)
    assert len(document["rows"]) == 3


def test_a_peer_that_is_missing_is_named_and_no_error(bench, unweighted, monkeypatch):
    from minigr.bench.peers import PEERS

    for name, peer in PEERS.items():
        if name != "scipy":
            monkeypatch.setitem(PEERS, name, replace(peer, module="no_such_module"))
    document, shown = bench("apps", unweighted, "--apps", "bfs", "--repeat", 1)
    assert {row["key"]["by"] for row in document["rows"]} == {"minigr", "scipy"}
    assert "graphblas: not installed (pip install python-graphblas)" in shown
    assert "igraph" in document["graphs"][0]["peers_left_out"]


def test_floors(bench, weighted, tmp_path):
    from minigr.bench.apps import APPS
    from minigr.bench.floor import H200

    ceilings = tmp_path / "ceilings.json"
    ceilings.write_text(json.dumps(asdict(H200)))
    document, shown = bench("apps", weighted, "--peers", "none", "--repeat", 1, "--floor", "--ceilings", ceilings)
    assert [row["key"]["app"] for row in document["rows"]] == [name for name, app in APPS.items() if not app.directed]
    known = [row for row in document["rows"] if APPS[row["key"]["app"]].floor is not None]
    assert len(known) >= 6
    for row in known:
        assert row["over_floor"] == pytest.approx(row["median"] / row["floor"]["ms"])
        assert row["floor"]["ms"] > 0
    assert "the floor and its terms" in shown


def test_an_error_leaves_the_apps_before_it(call, weighted, monkeypatch, tmp_path):
    from minigr.bench.apps import APPS
    from minigr.errors import MeasurementError

    def fail(graph, source, **options):
        raise MeasurementError("this app fails")

    monkeypatch.setitem(APPS, "sssp", replace(APPS["sssp"], call=fail))
    path = tmp_path / "some.json"
    options = ("--apps", "bfs,sssp,components", "--peers", "none", "--repeat", 1, "--json", path)
    result = call("bench", "apps", weighted, *options)
    assert result.exit_code != 0
    assert "this app fails" in result.output
    assert [row["key"]["app"] for row in json.loads(path.read_text())["rows"]] == ["bfs"]


@pytest.mark.parametrize(
    ("function", "working", "arguments"),
    [
        ("primitives._measure_one", 1, ("primitives", "scan", "--from", 4, "--to", 6)),
        ("memory.row", 1, ("memory", "GRAPH", "--apps", "bfs,degree")),
        ("single_operators.measure_single_operators", 0, ("operators", "GRAPH")),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_error_leaves_what_was_measured_before(
    call, unweighted, monkeypatch, tmp_path, function, working, arguments
):
    from minigr.errors import MeasurementError

    module, name = function.split(".")
    module = import_module(f"minigr.bench.{module}")
    original, calls = getattr(module, name), count()

    def fail(*given, **options):
        if next(calls) >= working:
            raise MeasurementError("this call fails")
        return original(*given, **options)

    monkeypatch.setattr(module, name, fail)
    path = tmp_path / "some.json"
    words = (unweighted if argument == "GRAPH" else argument for argument in arguments)
    result = call("bench", *words, "--repeat", 1, "--json", path)
    assert (result.exit_code, result.stderr.splitlines()[-1]) == (1, "Error: this call fails")
    assert json.loads(path.read_text())["rows"]
    assert f"wrote {path}" in result.stdout.replace("\n", "")


def test_operators_that_no_option_fits_are_named(bench, unweighted):
    options = ("--operators", "advance", "--direction", "auto", "--repeat", 1)
    _, shown = bench("operators", unweighted, *options)
    assert "each operator alone on unweighted: left out: no operator takes this --input and --direction" in shown


def test_a_call_with_fewer_samples_is_marked(bench, unweighted):
    options = ("--threads", 1, "--apps", "bfs", "--operators", "none", "--repeat", 9, "--limit", 1e-9)
    document, shown = bench("scaling", unweighted, *options)
    assert {len(row["samples"]) for row in document["rows"]} == {1}
    assert "unweighted: medians of 9" in shown
    assert shown.count("(of") == 2


def test_the_driver_is_passed_on_and_noted(bench, unweighted, monkeypatch):
    import minigr as mg
    from minigr.bench import apps

    seen = []
    bfs = replace(apps.APPS["bfs"], call=lambda graph, source, driver: seen.append(driver) or mg.bfs(graph, source))
    monkeypatch.setitem(apps.APPS, "bfs", bfs)
    document, _ = bench("apps", unweighted, "--apps", "bfs", "--peers", "none", "--repeat", 1, "--driver", "host")
    assert set(seen) == {"host"}
    assert document["settings"]["driver"] == "host"


def test_first_calls_and_a_whole_process(bench, unweighted):
    options = ["--graph", unweighted, "--cold", 1, "--repeat", 1]
    document, shown = bench("start", "process", "to-scipy", "run-bfs", *options)
    whole, first = f"minigr run bfs {unweighted.name}", "to-scipy"
    found = {(row["key"]["call"], row["key"]["start"]): row for row in document["rows"]}
    assert list(found) == [(call, start) for call in (whole, first) for start in ("cold", "warm")]
    assert [graph["name"] for graph in document["graphs"]] == [unweighted.name]
    for start in ("cold", "warm"):
        process, call = found[whole, start], found[first, start]
        assert process["median"] > process["read_ms"] + process["first_ms"] > 0
        assert call["before_ms"] > call["imports_before_ms"] > 0
        assert call["median"] > call["imports_ms"] >= 0
    assert "process: medians of 1 cold and 1 warm processes" in shown
    assert "graphs: medians of 1 cold and 1 warm processes" in shown


def test_memory(bench, unweighted):
    from minigr.bench import memory

    if not memory._CLEAR.exists():
        pytest.skip("only Linux lets a process clear the high-water mark of its memory, which is what is measured")
    document, shown = bench("memory", unweighted, "--apps", "bfs,sssp", "--repeat", 2)
    assert [(row["key"]["app"], len(row["samples"])) for row in document["rows"]] == [("bfs", 2)]
    assert {row["unit"] for row in document["rows"]} == {"bytes"}
    assert "peak memory on unweighted" in shown


def test_build(bench):
    from minigr.bench import memory

    if not memory._CLEAR.exists():
        pytest.skip("only Linux lets a process clear the high-water mark of its memory, which is what is measured")
    document, shown = bench("build", "--scale", 10, "--edge-factor", 4, "--repeat", 2)
    found = {(row["key"]["build"], row["key"]["by"].split(",")[0]): row for row in document["rows"]}
    directed = "from_edges, directed with weights"
    assert {(directed, "minigr"), (directed, "scipy"), ("in_edges", "minigr"), ("rmat", "minigr")} <= set(found)
    assert all(len(row["samples"]) == 2 and row["over_result"] >= 0 for row in found.values())
    row = found[directed, "minigr"]
    assert (row["arcs"], row["result_bytes"]) == (4096, 8 * 1025 + 8 * 4096)
    assert found["from_edges, undirected", "minigr"]["arcs"] > 4096 > found["oriented", "minigr"]["arcs"]
    for name in ("subgraph of half of the vertices", "to_undirected, greatest weight"):
        assert found[name, "minigr"]["arcs"] == found[name, "scipy"]["arcs"]
    assert found["simplify", "minigr"]["arcs"] < 4096 > found["edge_subgraph of half of the edges", "minigr"]["arcs"]
    read = {name for name, by in found if name.startswith("read") and by == "minigr"}
    assert read == {
        "read text of 0 MB",
        "read text of 0 MB, vertices by rank",
        "read a .minigr folder",
        "read 8 Parquet files",
    }
    assert {found[name, "minigr"]["arcs"] for name in read} == {found["from_edges, undirected", "minigr"]["arcs"]}
    assert "building rows of uniform-10-4: medians of 2" in shown


def test_batch(bench, call, tmp_path):
    import networkx as nx

    import minigr as mg

    graphs = [nx.path_graph(5), nx.empty_graph(2), nx.star_graph(4)]
    mg.batch.write(mg.GraphBatch.from_graphs(graphs, device="cpu"), tmp_path / "few.npz")
    result = call("bench", "batch", tmp_path / "few.npz", "--calls", "hops,distances", "--json", tmp_path / "some.json")
    assert result.exit_code == 1
    assert "few.npz has no weights, but distances need weights" in " ".join(result.stderr.split())
    assert {row["key"]["call"] for row in json.loads((tmp_path / "some.json").read_text())["rows"]} == {"hops"}
    for graph in graphs:
        nx.set_edge_attributes(graph, 2, "weight")
    mg.batch.write(mg.GraphBatch.from_graphs(graphs, weight="weight", device="cpu"), tmp_path / "heavy.npz")
    document, _ = bench("batch", tmp_path / "heavy.npz", "--calls", "distances,hops", "--repeat", 1, "--files", 2)
    by = [(row["key"]["call"], row["key"]["by"]) for row in document["rows"] if "files" in row["key"]]
    ways = ("minigr, stream", "minigr, file by file")
    assert by == [(name, way) for name in ("hops", "distances") for way in ways]
    assert [graph["name"] for graph in document["graphs"]] == ["heavy"]
    document, shown = bench("batch", tmp_path / "few.npz", "--calls", "hops,betweenness", "--repeat", 2)
    assert document["graphs"] == [{"name": "few", "graphs": 3, "vertices": 12, "arcs": 16, "pairs": 54, "largest": 5}]
    keys = [(row["key"]["call"], row["key"]["by"]) for row in document["rows"]]
    assert [(call, "networkx") in keys and (call, "minigr") in keys for call in ("hops", "betweenness")] == [True] * 2
    assert all(len(row["samples"]) == 2 for row in document["rows"])
    assert "few: medians of 2" in shown
    assert "networkx, hops: all_pairs_shortest_path_length" in shown
    alone, shown = bench("batch", tmp_path / "few.npz", "--calls", "harmonic", "--peers", "none", "--repeat", 1)
    assert [row["key"] for row in alone["rows"]] == [{"set": "few", "call": "harmonic", "by": "minigr"}]
    ways = ("--by-size", "--loops", "one", "--files", 2)
    document, shown = bench("batch", tmp_path / "few.npz", "--calls", "hops", "--peers", "none", "--repeat", 1, *ways)
    loops = [("vertices" in row["key"], row["key"]["by"]) for row in document["rows"] if "files" not in row["key"]]
    both = ("minigr", "minigr, batches of one")
    assert loops == [(False, by) for by in both] + [(True, by) for by in both] * 2
    assert [row["key"]["by"] for row in document["rows"][6:]] == ["minigr, stream", "minigr, file by file"]
    assert "few in files: medians of 1" in shown
    again = call("bench", "show", tmp_path / "out.json")
    assert again.stdout.splitlines()[1:] == shown.split("wrote")[0].splitlines()


def test_dynamic(bench, tmp_path):
    pytest.importorskip("networkx")
    picture = tmp_path / "rates.svg"
    sizes = ("--scale", 7, "--edge-factor", 4, "--from", 3, "--to", 6, "--step", 3, "--repeat", 2)
    document, shown = bench("dynamic", *sizes, "--undirected", "--plot", picture)
    assert [graph["name"] for graph in document["graphs"]] == ["uniform-7-4-undirected", "rmat-7-4-undirected"]
    parts = ["updates", "builds", "vertices", "load", "iteration", "lookups", "triangles"]
    assert document["settings"] == {"repeat": 2, "parts": parts, "from": 3, "to": 6, "step": 3, "values": ["none"]}
    assert list(dict.fromkeys(row["key"]["part"] for row in document["rows"])) == parts
    keys = [json.dumps(row["key"], sort_keys=True) for row in document["rows"]]
    assert len(set(keys)) == len(keys)
    assert set(document["peers"]) == {"networkx"}
    assert "rmat-7-4-undirected: updates, medians of 2" in shown
    assert "networkx, query: has_edge" in shown
    assert picture.read_text().startswith("<?xml")


def test_a_dynamic_graph_of_a_file(bench, weighted):
    sizes = ("--from", 1, "--to", 1, "--repeat", 1, "--peers", "none")
    document, shown = bench("dynamic", "updates", weighted, *sizes, "--values", "none,float32")
    assert [graph["name"] for graph in document["graphs"]] == ["weighted"]
    assert [row["key"].get("weights") for row in document["rows"]] == [None] * 3 + ["float32"] * 3
    assert "weighted: updates" in shown
    sizes = (*sizes, "--scale", 4, "--kind", "rmat")
    document, _ = bench("dynamic", "iteration", weighted, *sizes, "--undirected")
    assert [graph["name"] for graph in document["graphs"]] == ["rmat-4-16-undirected", "weighted"]
    assert not any(graph["directed"] for graph in document["graphs"])


def test_one_part_of_one_dynamic_graph(bench):
    document, shown = bench("dynamic", "iteration", "--kind", "rmat", "--scale", 5, "--in-edges", "--repeat", 1)
    assert {row["key"]["graph"] for row in document["rows"]} == {"rmat-5-16-in-edges"}
    assert [row["key"]["measure"] for row in document["rows"]] == list(WAYS)
    assert (document["peers"], document["settings"]["parts"]) == ({}, ["iteration"])
    assert "updates" not in shown


def test_what_dynamic_leaves_out_is_said(bench):
    sizes = ("--scale", 4, "--kind", "uniform", "--repeat", 1)
    assert "networkx: left out of batches above" in bench("dynamic", "updates", *sizes, "--from", 17, "--to", 17)[1]
    _, shown = bench("dynamic", "updates", *sizes, "--from", 3, "--to", 3, "--peers", "none")
    assert "networkx" not in shown


@pytest.fixture
def ring(tmp_path):
    """A file of sixty edges."""
    path = tmp_path / "ring.csv"
    path.write_text("".join(f"{i},{(i + 1) % 60}\n" for i in range(60)))
    return path


def test_maintained(bench, ring):
    sizes = ("--batch", 2, "--batches", 3)
    document, shown = bench("maintained", ring, "--answers", "components,triangles", *sizes)
    keys = [tuple(row["key"].values())[1:] for row in document["rows"]]
    assert keys == [
        (answer, kind, change, by)
        for answer in ("components", "triangles")
        for kind, changes in (("edges", ("delete", "insert")), ("pairs", ("insert", "delete")))
        for change in changes
        for by in ("minigr", "minigr, anew")
    ]
    assert {len(row["samples"]) for row in document["rows"]} <= {1, 2, 3}
    followed = [row for row in document["rows"] if row["key"]["by"] == "minigr"]
    assert all(sum(row["updates"].values()) == len(row["samples"]) for row in followed)
    assert all(row["speedup"] > 0 and row["graph_ms"] > 0 for row in followed)
    assert "ring: a batch, medians of 3" in shown


def test_maintained_by_batches_of_several_sizes(bench, ring):
    options = ("--batch", "1,2", "--batches", 3, "--kind", "pairs", "--recompute", "never")
    document, shown = bench("maintained", ring, "--answers", "bfs", *options)
    assert [(row["key"]["batch"], row["key"]["change"]) for row in document["rows"][::2]] == [
        (size, change) for size in (1, 2) for change in ("insert", "delete")
    ]
    assert document["settings"] == {"batch": [1, 2], "batches": 3, "recompute": "never"}
    followed = [row for row in document["rows"] if row["key"]["by"] == "minigr"]
    assert all(set(row["updates"]) == {"repair"} for row in followed)
    anew = [row for row in document["rows"] if row["key"]["by"] != "minigr"]
    assert all(row["iterations"] >= 3 * len(row["samples"]) for row in anew)  # a search of a ring has many levels
    assert all(row["iterations"] >= 0 for row in followed)
    assert "ring: steps of loops for a batch" in shown
    assert "insert pairs" in shown


def test_maintained_finds_a_wrong_answer(call, ring, monkeypatch):
    from minigr.apps.dynamic.components import ConnectedComponents

    monkeypatch.setattr(ConnectedComponents, "_repair", lambda self, changes, most: 0)
    result = call("bench", "maintained", ring, "--answers", "components", "--batch", 3, "--batches", 2)
    assert result.exit_code == 1
    assert "dynamic.ConnectedComponents is wrong after a batch" in result.stderr


@pytest.fixture
def files(tmp_path):
    """Two documents: bfs twice as slow in the second, a peer slower too, sssp as it was."""
    from minigr.bench import document
    from minigr.device import CPU

    samples = [1.0, 1.1, 1.2, 1.05, 1.15]
    paths = []
    for name, factor in (("before", 1), ("after", 2)):
        rows = [
            document.row({"app": "bfs", "by": "minigr"}, [factor * x for x in samples]),
            document.row({"app": "bfs", "by": "scipy"}, [factor * x for x in samples]),
            document.row({"app": "sssp", "by": "minigr"}, samples),
        ]
        paths.append(tmp_path / f"{name}.json")
        document.write(paths[-1], document.document("apps", CPU, {}, [], rows))
    return paths


def test_compare(bench, call, files):
    document, shown = bench("compare", *files)
    verdicts = [(found["key"]["app"], found["verdict"]) for found in document["comparisons"]]
    assert verdicts == [("bfs", "slower"), ("bfs", "slower"), ("sssp", "no difference")]
    assert "no difference" in shown
    failed = call("bench", "compare", *files, "--fail-on-slower")
    assert failed.exit_code == 1
    assert failed.stderr == "Error: slower: bfs minigr\n"  # the peer's is no fault of minigr's
    assert call("bench", "compare", *reversed(files), "--fail-on-slower").exit_code == 0
    assert call("bench", "compare", *files, "--fail-on-slower", "--threshold", 150).exit_code == 0


def test_runs_that_took_turns_are_compared_together(bench, call, files):
    before, after = files
    document, shown = bench("compare", before, after, after, before)  # as if the machine had changed, not minigr
    assert {found["ratio"] for found in document["comparisons"]} == {1.0}
    assert document["mean_ratio"] == pytest.approx(1.0)
    assert "geometric mean of minigr's ratios: 1.000" in shown
    document, shown = bench("compare", before, after, before, after)
    assert document["mean_ratio"] == pytest.approx(2**0.5)  # of minigr's two rows, one takes twice the time
    assert "geometric mean of minigr's ratios: 1.414" in shown
    failed = call("bench", "compare", before, after, before)
    assert (failed.exit_code, "got 3 files: a file of after must follow each file of before" in failed.stderr) == (
        2,
        True,
    )


def test_what_is_written_can_be_compared(bench, call, tmp_path):
    document, _ = bench("primitives", "scan", "--from", 10, "--to", 10, "--repeat", 5)
    result = call("bench", "compare", tmp_path / "out.json", tmp_path / "out.json", "--fail-on-slower")
    assert result.exit_code == 0
    assert result.stdout.count("no difference") == 3
    assert all(math.isfinite(sample) for row in document["rows"] for sample in row["samples"])


@pytest.mark.parametrize(
    "arguments",
    [
        ("primitives", "scan", "--from", 10, "--to", 10, "--repeat", 1),
        ("apps", "GRAPH", "--apps", "bfs", "--peers", "scipy", "--repeat", 2),
        ("dynamic", "updates", "load", "--scale", 5, "--from", 4, "--to", 4, "--repeat", 1, "--peers", "none"),
    ],
)
def test_show_prints_the_tables_of_the_run(bench, call, unweighted, tmp_path, arguments):
    _, shown = bench(*(unweighted if argument == "GRAPH" else argument for argument in arguments))
    again = call("bench", "show", tmp_path / "out.json")
    assert again.exit_code == 0
    first, *rest = again.stdout.splitlines()
    assert first.startswith(f"minigr bench {arguments[0]}, cpu, ")
    assert rest == shown.split("wrote")[0].splitlines()


def test_a_file_without_what_its_tables_show_is_refused(bench, call, unweighted, tmp_path):
    document, _ = bench("apps", unweighted, "--apps", "bfs", "--peers", "none", "--repeat", 1)
    del document["rows"][0]["ratio"]
    (tmp_path / "old.json").write_text(json.dumps(document))
    result = call("bench", "show", tmp_path / "old.json")
    assert (result.exit_code, "has no 'ratio', which the tables show" in result.stderr) == (1, True)


def test_markdown_is_for_one_command_only(bench, call, tmp_path):
    bench("primitives", "scan", "--from", 10, "--to", 10, "--repeat", 1)
    table = call("bench", "show", tmp_path / "out.json", "--markdown").stdout
    header, ruler, row = (line for line in table.splitlines() if line.startswith("|"))
    assert set(ruler) == {"|", "-"}
    assert [header.split("|")[1].strip(), row.split("|")[1].strip()] == ["items", "2^10"]
    assert "┃" in call("bench", "show", tmp_path / "out.json").stdout


def test_a_comparison_has_nothing_to_show(bench, call, files, tmp_path):
    bench("compare", *files)
    result = call("bench", "show", tmp_path / "out.json")
    assert result.exit_code == 1
    assert "is of bench 'compare', which has no tables here: give a file of one of primitives," in result.stderr
    result = call("bench", "compare", files[0], tmp_path / "out.json")
    assert (result.exit_code, "is of bench 'compare' itself: give the files" in result.stderr) == (1, True)


@pytest.mark.parametrize(
    ("arguments", "exit_code", "message"),
    [
        (["apps", "GRAPH", "--peers", "boost"], 2, "'boost' is not one of scipy"),
        (["apps", "GRAPH", "--apps", "bfs,dfs"], 2, "'dfs' is not one of bfs"),
        (["apps", "GRAPH", "--peers", "cugraph"], 1, "leave it out of --peers"),
        (["apps", "GRAPH", "--apps", "sssp"], 1, "nothing can be measured: unweighted: left out sssp: needs edge weig"),
        (["apps", "GRAPH", "--apps", "strong-components"], 1, "left out strong-components: only for directed graphs"),
        (["apps", "GRAPH", "GRAPH"], 2, "both have the name unweighted in the results"),
        (["apps", "GRAPH", "--limit", "inf"], 2, "inf is not a number of seconds above 0"),
        (["apps", "GRAPH", "--limit", "nan"], 2, "nan is not a number of seconds above 0"),
        (["scaling", "GRAPH", "--limit", "-1"], 2, "-1.0 is not a number of seconds above 0"),
        (["batch", "synthetic", "--limit", "0"], 2, "0.0 is not a number of seconds above 0"),
        (["batch", "synthetic", "synthetic"], 2, "both have the name synthetic in the results"),
        (["dynamic", "roads", "roads"], 2, "both have the name roads in the results"),
        (["maintained", "GRAPH", "--answers", "sssp"], 1, "left out sssp: needs edge weights"),
        (["maintained", "GRAPH", "--batch", "99"], 1, "the graph has too few edges for 10 batches"),
        (["memory", "GRAPH", "--apps", "sssp"], 1, "left out sssp: needs edge weights"),
        (["apps", "GRAPH", "--floor"], 1, "--ceilings FILE"),
        (["apps", "GRAPH", "--ceilings", "GRAPH"], 2, "give both"),
        (["apps", "GRAPH", "--source", "6"], 1, "source 6 is not a vertex"),
        (["apps", "GRAPH", "--driver", "graph"], 1, "use 'fused' or 'host'"),
        (["apps", "GRAPH", "--repeat", "0"], 2, "--repeat"),
        (["apps", "GRAPH", "--json", "missing/out.json"], 2, "create it first"),
        (["apps", "missing.npz"], 1, "missing.npz"),
        (["apps"], 2, "GRAPH"),
        (["primitives", "sort"], 2, "'sort' is not one of transform"),
        (["primitives", "--from", "12", "--to", "10"], 2, "--from 12 is above --to 10"),
        (["scaling", "GRAPH", "--operators", "map"], 2, "'map' is not one of advance, neighbor_reduce"),
        (["scaling", "GRAPH", "--apps", "tsp"], 2, "'tsp' is not one of bfs"),
        (["scaling", "GRAPH", "--threads", "1,0"], 2, "'0' is not a whole number of at least 1"),
        (["operators", "GRAPH", "--operators", "map"], 2, "'map' is not one of advance, neighbor_reduce"),
        (["operators", "GRAPH", "--input", "none"], 2, "'none' is not one of all, list, edges"),
        (["operators", "GRAPH", "--direction", "up"], 2, "'up' is not one of push, pull, auto"),
        (["operators", "GRAPH", "--balance", "lane"], 2, "'lane' is not one of auto, thread"),
        (["operators", "GRAPH", "--duplicates", "drop"], 2, "'drop' is not one of remove, cull, keep"),
        (["operators", "GRAPH", "--plot", "steps.txt"], 2, "use one of .png, .svg, .pdf"),
        (["batch", "synthetic", "--calls", "colors"], 2, "'colors' is not one of hops, harmonic"),
        (["batch", "synthetic", "--peers", "scipy"], 2, "'scipy' is not one of networkx, igraph"),
        (["batch", "synthetic", "--loops", "two"], 2, "'two' is not one of one, single"),
        (["batch", "synthetic", "--workers", "2"], 2, "--workers is for streams from files: give --files too"),
        (["batch", "synthetic", "--files", "2", "--workers", "1,x"], 2, "'x' is not a whole number of at least 1"),
        (["batch"], 2, "Missing argument"),
        (["dynamic", "inserts"], 2, "'inserts' is not one of updates"),
        (["dynamic", "--kind", "uniform,lattice"], 2, "'lattice' is not one of uniform, rmat"),
        (["dynamic", "--peers", "igraph"], 2, "'igraph' is not one of networkx"),
        (["dynamic", "--from", "12", "--to", "10"], 2, "--from 12 is above --to 10"),
        (["maintained", "roads", "--batch", "10,0"], 2, "'0' is not a whole number of at least 1"),
        (["dynamic", "roads", "--scale", "5"], 2, "--scale is for synthetic graphs"),
        (["dynamic", "--values", "int16"], 2, "'int16' is not one of none, int32"),
        (["dynamic", "--undirected", "--in-edges"], 2, "--in-edges is for directed graphs"),
        (["dynamic", "builds", "--plot", "rates.svg"], 2, "--plot draws only updates and load"),
        (["dynamic", "--plot", "rates.txt"], 2, "use one of .png, .svg, .pdf"),
        (["start", "bsf"], 2, "'bsf' is not one of apps, programs, graphs, process, bfs"),
        (["start", "process", "--graph", "missing.npz"], 1, "missing.npz"),
        (["start", "--cold", "0"], 2, "0 is not in the range"),
        (["compare", "GRAPH", "GRAPH"], 1, "minigr bench wrote with --json"),
        (["show", "GRAPH"], 1, "minigr bench wrote with --json"),
    ],
)
def test_bad_input_is_one_clear_line(call, unweighted, arguments, exit_code, message):
    result = call("bench", *(unweighted if argument == "GRAPH" else argument for argument in arguments))
    assert result.exit_code == exit_code, result.output
    assert message in " ".join(result.stderr.split())
    assert "Traceback" not in result.output


def test_options_for_reading_reach_the_processes():
    from minigr.cli.loading import Reading

    reading = Reading(
        "g.txt", directed=True, weights=False, columns="src,dst", relabel=True, format="edges", mmap=False
    )
    assert reading.arguments() == {
        "path": "g.txt",
        "format": "edges",
        "directed": True,
        "weights": False,
        "columns": ["src", "dst"],
        "relabel": True,
        "mmap": False,
        "keep": False,
    }


def test_graph500(bench, call):
    document, shown = bench("graph500", 6, "--edge-factor", 8, "--searches", 3, "--devices", "cpu,cpu")
    assert [row["key"]["kernel"] for row in document["rows"]] == ["construction", "bfs", "sssp"]
    assert document["settings"]["devices"] == ["cpu", "cpu"]
    assert "graph500-6-8: medians of 3 searches" in shown
    assert "GTEPS" in shown
    refused = call("bench", "graph500", 6, "--device", "cpu", "--devices", "cpu,cpu")
    assert refused.exit_code == 2
    assert "--devices does not go with --device" in refused.stderr
