"""``minigr run``: answers, defaults, formats, and every way to ask wrongly."""

from __future__ import annotations

import importlib
import importlib.util
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import minigr as mg
from minigr import memory
from minigr.apps.common.sources import choose_sources
from minigr.cli.algorithms import ALGORITHMS
from tests.cli.conftest import FOR_DIRECTED

DEPTH = [2, 1, 1, 0, 1, -1]
DISTANCE = [3.0, 2.0, 0.5, 0.0, 8.0, np.inf]


def test_bfs_starts_at_the_vertex_of_highest_degree(call_json, unweighted):
    document = call_json("run", "bfs", unweighted)
    assert document["source"] == 3
    assert document["graph"]["vertices"] == 6
    assert document["graph"]["edges"] == 5
    [result] = document["results"]
    assert result["algorithm"] == "bfs"
    assert result["summary"] == {"reached": 5, "levels": 2, "sum_of_depths": 5}
    assert result["first_ms"] > 0
    assert result["run_ms"] is None
    assert result["trace"] is None


def test_multi_source_bfs(call, call_json, unweighted, tmp_path):
    for name, options, count in (("all.npz", [], 6), ("some.csv", ["--samples", 2, "--seed", 5], 2)):
        path = tmp_path / name
        [result] = call_json("run", "multi-source-bfs", unweighted, *options, "--output", path)["results"]
        written = pd.read_csv(path) if name.endswith("csv") else np.load(path)
        depth = np.array([written[f"depth_{number}"] for number in range(count)])
        sources = (depth == 0).argmax(1)
        expected = mg.multi_source_bfs(mg.read(unweighted, device="cpu"), sources).depth
        np.testing.assert_array_equal(depth, expected)
        assert len(set(sources.tolist())) == count
        reached = depth[depth >= 0]
        assert result["summary"] == {
            "sources": count, "reached": reached.size, "levels": reached.max(), "mean_depth": reached.mean(),
        }  # fmt: skip


@pytest.mark.parametrize(
    ("options", "path", "length"),
    [
        (["--source", 0, "--target", 4], [0, 1, 3, 4], 3),
        (["--source", 4, "--target", 2, "--by-weight"], [4, 3, 2], 8.5),
        (["--target", 0, "--by-weight", "--dynamic"], [3, 1, 0], 3.0),
        ([], [], -1),  # from the vertex of highest degree to the last one, which is alone
        (["--by-weight"], [], None),
    ],
)
def test_shortest_path(call_json, weighted, tmp_path, options, path, length):
    output = tmp_path / "out.csv"
    [result] = call_json("run", "shortest-path", weighted, *options, "--output", output)["results"]
    found = pd.read_csv(output)["path"].tolist()
    assert found in (path, [0, 2, 3, 4] if path == [0, 1, 3, 4] else path)
    assert {**result["summary"], "iterations": 0} == {"length": length, "vertices": len(path), "iterations": 0}


@pytest.mark.parametrize(("options", "start", "duration"), [([], -np.inf, 0), (["--start", 1.5], 1.5, 0.25)])
def test_earliest_arrival(call_json, weighted, tmp_path, options, start, duration):
    output = tmp_path / "out.npz"
    asked = ["--source", 0, "--duration", duration, *options, "--output", output]
    [result] = call_json("run", "earliest-arrival", weighted, *asked)["results"]
    expected = mg.earliest_arrival(mg.read(weighted, device="cpu"), 0, start=start, duration=duration).arrival
    with np.load(output) as written:
        np.testing.assert_array_equal(written["arrival"], expected)
    there = expected[expected < np.inf]
    assert result["summary"] == {"reached": there.size, "last_arrival": there.max()}


@pytest.mark.parametrize("options", [[], ["--by-weight"], ["--samples", 2, "--seed", 3], ["--dynamic"]])
def test_all_pairs(call_json, weighted, tmp_path, options):
    output = tmp_path / "out.csv"
    [result] = call_json("run", "all-pairs", weighted, *options, "--output", output)["results"]
    graph, by_weight = mg.read(weighted, device="cpu"), "--by-weight" in options
    frame = pd.read_csv(output)
    asked = frame.index[frame["reached"] > 0].to_numpy()
    assert len(asked) == (2 if "--samples" in options else 6)
    [block] = mg.all_pairs(graph, asked, weighted=by_weight)
    there = (block.distance >= 0) & np.isfinite(block.distance)
    farthest = np.where(there, block.distance, 0).max(axis=1)
    np.testing.assert_array_equal(frame["eccentricity"][asked], farthest)
    np.testing.assert_array_equal(frame["reached"][asked], there.sum(axis=1))
    pairs = int(there.sum()) - len(asked)
    mean = block.distance[there].sum() / pairs
    expected = {"sources": len(asked), "pairs": pairs, "greatest": farthest.max(), "mean_distance": pytest.approx(mean)}
    assert result["summary"] == expected


@pytest.mark.parametrize("options", [{}, {"k": 2, "weighted": True}])
def test_k_shortest_paths(call_json, weighted, tmp_path, options):
    output = tmp_path / "out.csv"
    given = ["--k", 2, "--by-weight"] if options else []
    asked = ["--source", 0, "--target", 4, *given, "--output", output]
    [result] = call_json("run", "k-shortest-paths", weighted, *asked)["results"]
    expected = mg.k_shortest_paths(mg.read(weighted, device="cpu"), 0, 4, **{"k": 3, **options})
    assert result["summary"] == {"paths": 2, "lengths": expected.length.tolist()}
    frame = pd.read_csv(output)
    assert list(frame) == ["path", "vertex"]
    found = sorted(rows["vertex"].tolist() for _, rows in frame.groupby("path"))
    assert found == sorted(path.tolist() for path in expected.paths) == [[0, 1, 3, 4], [0, 2, 3, 4]]


@pytest.mark.parametrize(
    "options", [[], ["--samples", 3, "--seed", 5, "--by-weight", "--length", 2, "--p", 0.1, "--q", 3]]
)
def test_random_walks(call_json, weighted, tmp_path, options):
    path = tmp_path / "out.csv"
    [result] = call_json("run", "random-walks", weighted, "--trace", *options, "--output", path)["results"]
    frame = pd.read_csv(path)
    assert list(frame) == [f"step_{number}" for number in range(3 if options else 11)]
    graph = mg.read(weighted, device="cpu")
    starts = frame["step_0"].to_numpy()
    choice = {"weighted": True, "seed": 5, "p": 0.1, "q": 3} if options else {}
    expected = mg.random_walks(graph, starts, len(frame.columns) - 1, **choice).vertices
    np.testing.assert_array_equal(frame.to_numpy(), expected)
    assert len(set(starts.tolist())) == (3 if options else 6)
    assert result["summary"] == {"walks": len(expected), "steps": (expected[:, 1:] >= 0).sum()}
    assert result["trace"] is None


@pytest.mark.parametrize(
    "options", [[], ["--samples", 3, "--seed", 5, "--by-weight", "--replace", "--fanouts", "4,2,-1"]]
)
def test_sample_neighbors(call_json, weighted, tmp_path, options):
    path = tmp_path / "out.npz"
    [result] = call_json("run", "sample-neighbors", weighted, "--trace", *options, "--output", path)["results"]
    graph = mg.read(weighted, device="cpu")
    seeds = choose_sources(graph, None, 3 if options else None, 5, "")
    choice = {"weighted": True, "replace": True, "seed": 5} if options else {}
    expected = mg.sample_neighbors(graph, seeds, [4, 2, -1] if options else [10, 10], **choice)
    with np.load(path) as written:
        np.testing.assert_array_equal(written["src"], expected.node[expected.row])
        np.testing.assert_array_equal(written["dst"], expected.node[expected.col])
        np.testing.assert_array_equal(written["edge"], expected.edge)
    assert result["summary"] == {"vertices": len(expected.node), "edges": len(expected.edge)}
    assert result["trace"] is None


def test_negative_samples(call_json, weighted, tmp_path):
    path = tmp_path / "out.csv"
    options = ["--k", 7, "--power", 0.75, "--seed", 3]
    [result] = call_json("run", "negative-samples", weighted, *options, "--output", path)["results"]
    frame, expected = pd.read_csv(path), mg.negative_samples(mg.read(weighted, device="cpu"), 7, power=0.75, seed=3)
    np.testing.assert_array_equal(frame[["src", "dst"]].to_numpy().T, [expected.src, expected.dst])
    assert result["summary"] == {"pairs": 7}


def test_what_does_not_fit(call, unweighted, monkeypatch):
    def room_for_the_graph_alone(device, needed, what):
        monkeypatch.setattr(memory, "free", lambda device: 40)
        memory.require(device, needed, what)

    monkeypatch.setattr(memory, "ASK_FROM", 0)
    monkeypatch.setattr("minigr.program.problem.require", room_for_the_graph_alone)
    result = call("run", "bfs", unweighted)
    assert result.exit_code == 1
    assert "Error: the fields of BFSProblem would take 48 bytes on cpu, where 40 are free" in result.stderr


def test_ties_in_degree_go_to_the_lowest_id(call_json, tmp_path):
    path = tmp_path / "square.el"
    path.write_text("3 2\n2 1\n1 0\n0 3\n")
    assert call_json("run", "bfs", path)["source"] == 0


def test_source_is_taken_as_given(call_json, unweighted):
    document = call_json("run", "bfs", unweighted, "--source", 5)
    assert document["source"] == 5
    assert document["results"][0]["summary"] == {"reached": 1, "levels": 0, "sum_of_depths": 0}


def test_sssp(call_json, weighted):
    [result] = call_json("run", "sssp", weighted)["results"]
    assert result["summary"] == {"reached": 5, "max_distance": 8.0, "sum_of_distances": 13.5}


def test_over_a_dynamic_graph(call_json, weighted):
    """The same answers except for the order of additions."""
    plain, dynamic = (call_json("run", "bfs", "sssp", weighted, *more)["results"] for more in ([], ["--dynamic"]))
    assert [result["summary"] for result in dynamic] == [result["summary"] for result in plain]


def test_pagerank_reports_its_convergence_and_the_highest_ranks(call_json, unweighted):
    document = call_json("run", "pagerank", unweighted)
    assert document["source"] is None
    summary = document["results"][0]["summary"]
    assert summary["converged"] is True
    vertices, ranks = zip(*summary["top"], strict=True)
    assert vertices[0] == 3
    assert list(ranks) == sorted(ranks, reverse=True)
    assert len(vertices) == 5


def test_pagerank_options_reach_the_algorithm(call_json, unweighted):
    [result] = call_json("run", "pagerank", unweighted, "--max-iter", 1, "--tol", 1e-12)["results"]
    assert result["summary"]["iterations"] == 1
    assert result["summary"]["converged"] is False
    [undamped] = call_json("run", "pagerank", unweighted, "--damping", 0)["results"]
    assert [rank for _, rank in undamped["summary"]["top"]] == pytest.approx([1 / 6] * 5)


@pytest.mark.parametrize("more", [[], ["--directed"], ["--dynamic"]])
def test_components(call_json, unweighted, more):
    document = call_json("run", "components", unweighted, *more)
    assert document["source"] is None
    assert document["results"][0]["summary"] == {"components": 2, "largest": 5}


@pytest.fixture
def tailed(tmp_path):
    """A triangle with an edge that hangs from it."""
    path = tmp_path / "tailed.txt"
    path.write_text("0 1\n1 2\n2 0\n2 3\n")
    return path


@pytest.mark.parametrize("more", [[], ["--directed"], ["--dynamic"]])
def test_triangles_and_trusses(call_json, tailed, more):
    results = call_json("run", "triangles", "truss", tailed, *more)["results"]
    assert results[0]["summary"] == {"triangles": 1, "transitivity": 0.6}
    assert results[1]["summary"] == {"edges": 3, "iterations": 2}
    [none] = call_json("run", "truss", tailed, "--k", 4, *more)["results"]
    assert none["summary"]["edges"] == 0


def test_a_truss_has_a_row_for_each_edge(call, tailed, tmp_path):
    output = tmp_path / "truss.npz"
    assert call("run", "truss", tailed, "--output", output).exit_code == 0
    with np.load(output) as columns:
        assert [columns[name].tolist() for name in ("src", "dst", "support")] == [[0, 0, 1], [1, 2, 2], [1, 1, 1]]
    table = tmp_path / "truss.csv"
    assert call("run", "truss", tailed, "--output", table).exit_code == 0
    assert table.read_text().split() == ["src,dst,support", "0,1,1", "0,2,1", "1,2,1"]
    refused = call("run", "truss", "bfs", tailed, "--output", output)
    assert refused.exit_code == 2
    assert "rows of one kind, vertices, edges, walks, degrees or the steps of a path" in refused.output


@pytest.mark.parametrize("more", [[], ["--dynamic"]])
def test_strong_components(call_json, tmp_path, more):
    path = tmp_path / "turns.txt"
    path.write_text("0 1\n1 2\n2 1\n2 3\n")
    for direction, expected in (("--directed", (3, 2)), ("--undirected", (1, 4))):
        [result] = call_json("run", "strong-components", path, direction, *more)["results"]
        assert tuple(result["summary"].values()) == expected


@pytest.mark.parametrize("more", [[], ["--dynamic"]])
def test_spanning_forest(call_json, weighted, more):
    [result] = call_json("run", "spanning-forest", weighted, *more)["results"]
    expected = mg.minimum_spanning_forest(mg.read(weighted, device="cpu"))
    assert result["summary"] == {"edges": 4, "total_weight": expected.total_weight, "trees": 2}


@pytest.mark.parametrize("more", [[], ["--dynamic"]])
def test_biconnected(call_json, weighted, tmp_path, more):
    graph, path = mg.read(weighted, device="cpu"), tmp_path / "out.npz"
    names = "bridges", "articulation-points"
    found = [call_json("run", name, weighted, *more, "--trace", "--output", path)["results"][0] for name in names]
    bridges, points = mg.bridges(graph), mg.articulation_points(graph)
    assert [result["summary"] for result in found] == [
        {"bridges": len(bridges.edges)},
        {"articulation_points": points.size},
    ]
    assert [result["trace"] for result in found] == [None, None]
    with np.load(path) as written:
        np.testing.assert_array_equal(written["member"], points.member)
    [result] = call_json("run", "biconnected", weighted, *more, "--output", path)["results"]
    components = mg.biconnected_components(graph)
    assert result["summary"] == {"components": components.num_components}
    with np.load(path) as written:
        assert len(np.unique(written["label"])) == components.num_components
        assert (written["src"] <= written["dst"]).all()


def test_bipartite(call_json, weighted, tmp_path):
    path, expected = tmp_path / "out.npz", mg.bipartite_sides(mg.read(weighted, device="cpu"))
    [result] = call_json("run", "bipartite", weighted, "--output", path)["results"]
    edge = "-".join(map(str, expected.odd_edge or ()))
    assert result["summary"] == {"bipartite": expected.bipartite, "odd_edge": edge}
    with np.load(path) as written:
        np.testing.assert_array_equal(written["side"], expected.side)


def test_maximal_matching(call_json, weighted, tmp_path):
    path, expected = tmp_path / "out.npz", mg.maximal_matching(mg.read(weighted, device="cpu"), 4)
    [result] = call_json("run", "maximal-matching", weighted, "--seed", 4, "--trace", "--output", path)["results"]
    assert result["summary"] == {"edges": expected.size, "iterations": expected.iterations}
    assert len(result["trace"]) == expected.iterations
    with np.load(path) as written:
        np.testing.assert_array_equal(written["mate"], expected.mate)


def test_bipartite_matching(call, call_json, tailed, tmp_path):
    path, star = tmp_path / "out.npz", tmp_path / "star.el"
    star.write_text("0 1\n0 2\n3 0\n")
    [result] = call_json("run", "bipartite-matching", star, "--output", path)["results"]
    assert result["summary"] == {"edges": 1, "iterations": 1}
    with np.load(path) as written:
        assert (written["cover"].tolist(), int((written["mate"] >= 0).sum())) == ([True, False, False, False], 2)
    refused = call("run", "bipartite-matching", tailed)
    assert refused.exit_code == 1
    assert "takes a bipartite graph, but edge" in refused.stderr


@pytest.mark.parametrize("more", [[], ["--dynamic"]])
def test_maximum_flow(call_json, weighted, tmp_path, more):
    path, graph = tmp_path / "out.npz", mg.read(weighted, device="cpu")
    arguments = "run", "maximum-flow", weighted, *more, "--source", 0, "--output", path
    for named in ([], ["--sink", 4]):
        [result] = call_json(*arguments, *named)["results"]
        sink = 4 if named else max(range(1, graph.num_vertices), key=lambda v: graph.degree()[v])
        expected = mg.maximum_flow(graph, 0, sink)
        side, iterations = int(expected.source_side.sum()), expected.iterations
        assert result["summary"] == {"value": expected.value, "source_side": side, "iterations": iterations}
        with np.load(path) as written:
            assert written["flow"][written["src"] == 0].sum() == expected.value


@pytest.mark.parametrize("more", [[], ["--dynamic"]])
def test_eccentricity_and_diameter(call_json, weighted, tmp_path, more):
    path = tmp_path / "out.npz"
    [result] = call_json("run", "eccentricity", weighted, *more, "--output", path)["results"]
    assert {**result["summary"], "searches": 0} == {"diameter": 3, "radius": 0, "searches": 0}
    with np.load(path) as written:
        assert written["eccentricity"].tolist() == [3, 2, 2, 2, 3, 0]
    [result] = call_json("run", "diameter", weighted, *more)["results"]
    assert (result["summary"]["diameter"], result["summary"]["ends"]) in ((3, "0-4"), (3, "4-0"))


def test_degrees_of_neighbors(call_json, weighted, tmp_path):
    path, graph = tmp_path / "out.npz", mg.read(weighted, device="cpu")
    [result] = call_json("run", "assortativity", weighted, "--trace", "--output", path)["results"]
    expected = mg.degree_assortativity(graph)
    assert result["summary"] == {"coefficient": expected.coefficient}
    with np.load(path) as written:
        np.testing.assert_array_equal(written["average_neighbor_degree"], expected.average_neighbor_degree)
    [result] = call_json("run", "rich-club", weighted, "--output", path)["results"]
    assert result["summary"] == {"degrees": 2, "densest_above": 1, "coefficient": 4 / 6}
    with np.load(path) as written:
        assert written["vertices"].tolist() == [5, 4]
        assert written["edges"].tolist() == [5, 4]


@pytest.mark.parametrize("more", [[], ["--dynamic"]])
def test_cliques(call_json, tmp_path, more):
    path = tmp_path / "complete.npz"
    mg.write(mg.generate.complete(7, device="cpu"), path)
    assert [
        call_json("run", "cliques", path, *options, *more)["results"][0]["summary"]
        for options in ([], ["--k", 3], ["--k", 6])
    ] == [{"cliques": 35}, {"cliques": 35}, {"cliques": 7}]


@pytest.mark.parametrize("name", [name for name, algorithm in ALGORITHMS.items() if not algorithm.fields])
def test_figures_alone_make_no_file(call, weighted, tmp_path, name):
    path = tmp_path / "out.npz"
    result = call("run", name, weighted, "--output", path)
    assert (result.exit_code, path.exists()) == (2, False)
    assert f"{name} finds only figures, and no rows: leave out --output" in result.stderr


def test_the_diameter_of_nothing(call_json, tmp_path):
    path = tmp_path / "nothing.npz"
    mg.write(mg.Graph.from_edges([], [], num_vertices=0, device="cpu"), path)
    [result] = call_json("run", "diameter", path)["results"]
    assert result["summary"] == {"diameter": 0, "ends": "", "searches": 0}


@pytest.mark.parametrize("more", [[], ["--dynamic"]])
def test_directed_acyclic_graphs(call_json, acyclic, tmp_path, more):
    graph, path = mg.read(acyclic, device="cpu"), tmp_path / "out.npz"
    [levels] = call_json("run", "topological-levels", acyclic, *more, "--output", path)["results"]
    assert levels["summary"] == {"levels": 4, "acyclic": True, "cycle": ""}
    with np.load(path) as written:
        np.testing.assert_array_equal(written["level"], mg.topological_levels(graph).level)
    [longest, weighty] = (
        call_json("run", "longest-path", acyclic, *more, *options)["results"][0]["summary"]
        for options in ([], ["--by-weight"])
    )
    assert longest == {"longest": 3, "path": "4 -> 3 -> 2 -> 0"}
    assert weighty == {"longest": 12.5, "path": "4 -> 3 -> 2 -> 0"}
    [reduction] = call_json("run", "transitive-reduction", acyclic, *more, "--output", path)["results"]
    assert reduction["summary"] == {"edges": 5, "iterations": 0}
    with np.load(path) as written:
        np.testing.assert_array_equal(written["dst"], [0, 0, 1, 2, 3])


def test_a_cycle_in_words(call, call_json, tmp_path):
    path = tmp_path / "cycle.npz"
    mg.write(mg.generate.cycle(9, directed=True, device="cpu"), path)
    [levels] = call_json("run", "topological-levels", path)["results"]
    assert levels["summary"] == {"levels": 0, "acyclic": False, "cycle": "0 -> 1 -> 2 -> 3 -> 4 -> ... -> 0"}
    refused = call("run", "longest-path", path)
    assert (refused.exit_code, "has the cycle 0 -> 1" in refused.stderr) == (1, True)


def test_several_algorithms_run_in_the_order_given(call_json, weighted):
    results = call_json("run", "pagerank", "bfs", "sssp", weighted)["results"]
    assert [result["algorithm"] for result in results] == ["pagerank", "bfs", "sssp"]


def test_repeat_tells_compiling_from_running(call_json, call, unweighted):
    [result] = call_json("run", "bfs", unweighted, "--repeat", 3)["results"]
    assert result["run_ms"] > 0
    shown = call("run", "bfs", unweighted, "--repeat", 1).output
    assert "compile + run, ms" in shown
    assert "run, ms" in shown.replace("compile + run, ms", "")


@pytest.mark.parametrize("driver", ["auto", "fused", "host"])
def test_drivers_find_the_same(call_json, weighted, driver):
    [bfs, sssp, pagerank] = call_json("run", "bfs", "sssp", "pagerank", weighted, "--driver", driver)["results"]
    assert bfs["summary"] == {"reached": 5, "levels": 2, "sum_of_depths": 5}
    assert sssp["summary"] == {"reached": 5, "max_distance": 8.0, "sum_of_distances": 13.5}
    assert pagerank["summary"]["converged"] is True


@pytest.mark.parametrize(
    ("name", "function"),
    [
        *((name, name) for name in ("bfs", "sssp", "pagerank")),
        ("components", "connected_components"),
        ("betweenness", "betweenness_centrality"),
        ("closeness", "closeness_centrality"),
        ("harmonic", "harmonic_centrality"),
    ],
)
@pytest.mark.parametrize("trace", [[], ["--trace"]])
def test_the_driver_reaches_the_algorithm(call_json, weighted, monkeypatch, name, function, trace):
    seen = []
    real = getattr(mg, function)

    def app(*arguments, **options):
        seen.append((options["driver"], options.get("trace", False)))
        return real(*arguments, **options)

    monkeypatch.setattr(mg, function, app)
    [result] = call_json("run", name, weighted, "--driver", "fused", *trace)["results"]
    assert seen == [("fused", False), *([("host", True)] if trace else [])]
    assert (result["trace"] is not None) == bool(trace)


GIVEN = {
    "source": 2, "damping": 0.5, "alpha": 0.05, "epsilon": 1e-4, "confidence": 0.8, "tol": 1e-3, "max_iter": 7,
    "order": "random", "seed": 5, "samples": 2,
    "weighted": True, "k": 4, "length": 3, "p": 0.5, "q": 4.0, "power": 0.5, "fanouts": [2, 1], "replace": True,
    "direction": "push", "balance": "warp", "driver": "host",
}  # fmt: skip
FLAGS = {name: f"--{name.replace('_', '-')}" for name in GIVEN} | {"weighted": "--by-weight"}


@pytest.mark.parametrize("name", ALGORITHMS)
def test_an_algorithm_gets_the_options_that_it_takes_and_no_others(call, weighted, acyclic, monkeypatch, name):
    algorithm, seen = ALGORITHMS[name], []
    graph = acyclic if name in FOR_DIRECTED else weighted
    real = algorithm.app

    def app(graph, **options):
        seen.append(options)
        return real(graph, **options)

    monkeypatch.setitem(ALGORITHMS, name, replace(algorithm, app=app))
    for option, value in GIVEN.items():
        shown = ",".join(map(str, value)) if isinstance(value, list) else value
        words = [FLAGS[option]] if value is True else [FLAGS[option], shown]
        result = call("run", name, graph, *words)
        if option in algorithm.options:
            assert result.exit_code == 0, result.output
            assert seen.pop()[option] == value
        else:
            assert result.exit_code == 2
            assert f"{FLAGS[option]} is an option of " in result.stderr
            assert f"not of {name}" in result.stderr
    assert seen == []


def test_an_option_is_taken_by_one_of_several_algorithms(call_json, weighted):
    [_, ranks] = call_json("run", "bfs", "pagerank", weighted, "--max-iter", 1)["results"]
    assert ranks["summary"]["iterations"] == 1


def test_trace_lists_the_iterations(call_json, call, unweighted):
    [result] = call_json("run", "bfs", unweighted, "--trace")["results"]
    assert len(result["trace"]) >= 2
    assert "bfs, iteration by iteration" in call("run", "bfs", unweighted, "--trace").output


def test_the_table_names_the_graph_the_source_and_the_figures(call, weighted):
    result = call("run", "bfs", "sssp", weighted)
    assert result.exit_code == 0
    for expected in ("6 vertices, 5 edges, undirected, weighted", "source: vertex 3", "device: cpu", "reached: 5"):
        assert expected in result.stdout
    assert result.stderr == ""


def test_no_weights_reads_a_weighted_file_without_them(call_json, weighted):
    assert call_json("run", "bfs", weighted, "--no-weights")["graph"]["weighted"] is False


def test_directed_and_undirected_override_the_file(call_json, tmp_path):
    path = tmp_path / "arc.el"
    path.write_text("0 1\n")
    reached = {
        option: call_json("run", "bfs", path, option, "--source", 1)["results"][0]["summary"]["reached"]
        for option in ("--directed", "--undirected")
    }
    assert reached == {"--directed": 1, "--undirected": 2}


def test_columns_and_relabel_reach_the_reader(call_json, tmp_path):
    path = tmp_path / "stamped.txt"
    path.write_text("70 7 1082040961\n7 700 1082155839\n")
    graph = call_json("run", "bfs", path, "--columns", "src,dst,time", "--relabel")["graph"]
    assert (graph["vertices"], graph["weighted"]) == (3, False)


def test_format_names_what_the_ending_does_not(call_json, tmp_path):
    path = tmp_path / "edges.dat"
    path.write_text("0 1\n")
    assert call_json("run", "bfs", path, "--format", "edges")["graph"]["edges"] == 1


def test_a_graph_that_comes_with_minigr(call_json):
    [bfs, sssp] = call_json("run", "bfs", "sssp", "roads")["results"]
    assert bfs["summary"]["reached"] == sssp["summary"]["reached"] > 1


def test_output_npz(call, weighted, tmp_path):
    path = tmp_path / "out.npz"
    assert call("run", "bfs", weighted, "--output", path).exit_code == 0
    with np.load(path) as columns:
        assert set(columns) == {"depth", "parent"}
        assert columns["depth"].tolist() == DEPTH
        assert columns["depth"].dtype == np.int32


def test_output_csv_prefixes_the_columns_of_several_algorithms(call, weighted, tmp_path):
    path = tmp_path / "out.csv"
    assert call("run", "bfs", "sssp", "pagerank", weighted, "--output", path).exit_code == 0
    frame = pd.read_csv(path)
    assert list(frame) == ["vertex", "bfs_depth", "bfs_parent", "sssp_distance", "sssp_parent", "pagerank_rank"]
    assert frame["vertex"].tolist() == list(range(6))
    assert frame["bfs_depth"].tolist() == DEPTH
    assert frame["sssp_distance"].tolist() == DISTANCE
    assert frame["pagerank_rank"].sum() == pytest.approx(1)


@pytest.mark.skipif(
    importlib.util.find_spec("pyarrow") is None,
    reason="pyarrow, an optional library that writes Parquet, is not installed",
)
def test_output_parquet(call, weighted, tmp_path):
    path = tmp_path / "out.parquet"
    assert call("run", "sssp", weighted, "--output", path).exit_code == 0
    frame = pd.read_parquet(path)
    assert list(frame) == ["vertex", "distance", "parent"]
    assert frame["distance"].tolist() == DISTANCE


def test_parquet_without_pyarrow_names_the_remedy_before_reading(call, monkeypatch, tmp_path):
    real = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *rest: None if name == "pyarrow" else real(name, *rest)
    )
    result = call("run", "bfs", "no-such-graph.mtx", "--output", tmp_path / "out.parquet")
    assert result.exit_code == 2
    assert "minigr[parquet]" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "exit_code", "message"),
    [
        (["run", "bfs", "GRAPH", "--source", "6"], 1, "6"),
        (["run", "bfs", "GRAPH", "--source", "-1"], 1, "-1"),
        (["run", "bfs", "GRAPH", "--source", "three"], 2, "three"),
        (["run", "sssp", "GRAPH"], 1, "use bfs"),
        (["run", "sssp", "GRAPH", "--weights"], 1, "weight"),
        (["run", "bfs", "missing.mtx"], 1, "missing.mtx"),
        (["run", "bfs", "GRAPH", "--device", "tpu"], 1, "tpu"),
        (["run", "bfs", "GRAPH", "--output", "out.xlsx"], 2, ".xlsx"),
        (["run", "bfs", "GRAPH", "--output", "nowhere/out.npz"], 2, "nowhere"),
        (["run", "dijkstra", "GRAPH"], 2, "dijkstra"),
        (["run", "bfs"], 2, "minigr run bfs GRAPH"),
        (["run"], 2, "GRAPH"),
        (["run", "pagerank", "GRAPH", "--damping", "1.5"], 1, "damping"),
        (["run", "pagerank", "GRAPH", "--max-iter", "-1"], 1, "max_iter"),
        (
            ["run", "bfs", "GRAPH", "--max-iter", "-1"],
            2,
            "--max-iter is an option of pagerank, hits",
        ),
        (["run", "bfs", "GRAPH", "--direction", "sideways"], 2, "'auto', 'push', 'pull'"),
        (["run", "bfs", "GRAPH", "--balance", "fair"], 2, "'auto', 'thread', 'tile', 'warp', 'block', 'merge'"),
        (["run", "bfs", "GRAPH", "--direction", "pull", "--balance", "warp"], 1, "direction is 'pull'"),
        (["run", "components", "triangles", "GRAPH", "--source", "0"], 2, "not of components or triangles"),
        (["run", "bfs", "GRAPH", "--repeat", "-1"], 2, "repeat"),
        (["run", "bfs", "GRAPH", "--driver", "gpu"], 2, "'auto', 'fused', 'graph', 'host'"),
        (["run", "bfs", "GRAPH", "--driver", "graph"], 1, "use 'fused' or 'host'"),
        (["run", "pagerank", "GRAPH", "--driver", "graph", "--trace"], 1, "use 'fused' or 'host'"),
    ],
)
def test_bad_input_is_one_clear_line(call, unweighted, arguments, exit_code, message):
    result = call(*(unweighted if argument == "GRAPH" else argument for argument in arguments))
    assert result.exit_code == exit_code, result.output
    assert message in result.stderr
    assert result.stdout == ""
    assert "Traceback" not in result.output


def test_a_graph_without_vertices_has_no_source(call, tmp_path):
    path = tmp_path / "empty.mtx"
    path.write_text("%%MatrixMarket matrix coordinate pattern symmetric\n0 0 0\n")
    result = call("run", "bfs", path)
    assert result.exit_code == 1
    assert "no vertices" in result.stderr


@pytest.mark.parametrize("ending", ["csv", "npz", "parquet"])
@pytest.mark.parametrize("algorithm", ["multi-source-bfs", "pagerank"])
def test_a_graph_without_vertices_has_no_rows(call, tmp_path, algorithm, ending):
    mg.write(mg.Graph.from_edges([], [], device="cpu"), tmp_path / "empty.npz")
    output = tmp_path / f"found.{ending}"
    assert call("run", algorithm, tmp_path / "empty.npz", "--output", output).exit_code == 0
    if ending == "csv":
        assert output.read_text().splitlines() == ["vertex" if algorithm == "multi-source-bfs" else "vertex,rank"]


def test_a_malformed_file_is_refused_with_its_line(call, tmp_path):
    path = tmp_path / "bad.mtx"
    path.write_text("%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 x\n")
    result = call("run", "bfs", path)
    assert result.exit_code == 1
    assert f"{path}:3" in result.stderr


def test_debug_keeps_the_exception(call):
    result = call("--debug", "run", "bfs", "missing.mtx")
    assert isinstance(result.exception, (OSError, ValueError))


def test_hits(call_json, unweighted):
    result = call_json("run", "hits", unweighted)["results"][0]
    expected = mg.hits(mg.read(unweighted, device="cpu"))
    summary = result["summary"]
    assert (summary["iterations"], summary["converged"]) == (expected.iterations, True)
    vertices, scores = zip(*summary["top_authorities"], strict=True)
    assert scores == pytest.approx(sorted(expected.authority, reverse=True)[:5])
    np.testing.assert_allclose(expected.authority[list(vertices)], scores)


@pytest.mark.parametrize(
    ("name", "options", "app"),
    [
        ("eigenvector", ["--max-iter", 300], lambda graph: mg.eigenvector_centrality(graph, max_iter=300)),
        ("katz", ["--alpha", 0.01], lambda graph: mg.katz_centrality(graph, 0.01)),
    ],
)
def test_iterated_scores(call_json, unweighted, tmp_path, name, options, app):
    path, expected = tmp_path / "out.npz", app(mg.read(unweighted, device="cpu"))
    [result] = call_json("run", name, unweighted, *options, "--output", path)["results"]
    summary = result["summary"]
    assert (summary["iterations"], summary["converged"]) == (expected.iterations, True)
    assert [score for _, score in summary["top"]] == pytest.approx(sorted(expected.score, reverse=True)[:5])
    with np.load(path) as written:
        np.testing.assert_allclose(written["score"], expected.score)


@pytest.mark.parametrize("more", [[], ["--by-weight"]])
def test_degrees(call_json, weighted, tmp_path, more):
    path, graph = tmp_path / "out.npz", mg.read(weighted, device="cpu")
    for name in ("degree", "in-degree", "out-degree"):
        expected = getattr(mg, f"{name.replace('-', '_')}_centrality")(graph, weighted=bool(more))
        [result] = call_json("run", name, weighted, *more, "--output", path)["results"]
        assert result["summary"]["mean_degree"] == pytest.approx(expected.degree.mean())
        assert result["summary"]["top"][0][1] == pytest.approx(expected.score.max())
        with np.load(path) as written:
            np.testing.assert_allclose(written["score"], expected.score)
            np.testing.assert_allclose(written["degree"], expected.degree)


@pytest.mark.parametrize("more", [[], ["--by-weight", "--samples", 4]])
def test_edge_betweenness(call_json, weighted, tmp_path, more):
    path = tmp_path / "out.npz"
    [result] = call_json("run", "edge-betweenness", weighted, *more, "--output", path)["results"]
    options = {"weighted": True, "samples": 4} if more else {}
    expected = mg.edge_betweenness_centrality(mg.read(weighted, device="cpu"), **options)
    assert result["summary"]["sources"] == expected.num_sources
    assert result["summary"]["top"][0][1] == pytest.approx(expected.score.max())
    with np.load(path) as written:
        for field in ("src", "dst", "score"):
            np.testing.assert_allclose(written[field], getattr(expected, field))


def test_personalized_pagerank(call_json, weighted, tmp_path):
    path, graph = tmp_path / "out.npz", mg.read(weighted, device="cpu")
    [result] = call_json("run", "personalized-pagerank", weighted, "--source", 2, "--output", path)["results"]
    expected = mg.personalized_pagerank(graph, [2])
    assert result["summary"]["sources"] == 1
    assert result["summary"]["most_missing"] == pytest.approx(expected.missing.max())
    with np.load(path) as written:
        np.testing.assert_allclose(written["rank_0"], expected.rank[0])
    [result] = call_json("run", "personalized-pagerank", weighted, "--samples", 3, "--epsilon", 1e-9)["results"]
    assert result["summary"]["sources"] == 3
    assert result["summary"]["most_missing"] < 1e-7


@pytest.mark.parametrize("name", ["closeness", "harmonic", "betweenness"])
def test_approximate(call_json, weighted, tmp_path, name):
    path, graph = tmp_path / "out.npz", mg.read(weighted, device="cpu")
    [result] = call_json(
        "run", f"approximate-{name}", weighted, "--epsilon", 0.5, "--confidence", 0.1, "--output", path
    )["results"]
    expected = getattr(mg, f"approximate_{name}_centrality")(graph, 0.5, 0.1)
    assert result["summary"]["sources"] == expected.num_sources
    with np.load(path) as written:
        np.testing.assert_allclose(written["score"], expected.score)


def test_core_number(call_json, unweighted, tmp_path):
    path = tmp_path / "out.npz"
    result = call_json("run", "core-number", unweighted, "--output", path)["results"][0]
    expected = mg.core_number(mg.read(unweighted, device="cpu"))
    assert result["summary"] == {"degeneracy": expected.degeneracy, "iterations": expected.iterations}
    with np.load(path) as written:
        np.testing.assert_array_equal(written["core"], expected.core)


def test_label_propagation(call_json, unweighted, tmp_path):
    path = tmp_path / "out.npz"
    result = call_json("run", "label-propagation", unweighted, "--seed", 4, "--output", path)["results"][0]
    expected = mg.label_propagation(mg.read(unweighted, device="cpu"), 4)
    summary = {"communities": expected.num_communities, "iterations": expected.iterations, "converged": True}
    assert result["summary"] == summary
    with np.load(path) as written:
        np.testing.assert_array_equal(written["label"], expected.label)


def test_coloring_and_independent_set(call, call_json, unweighted, tmp_path):
    path = tmp_path / "out.npz"
    arguments = ("run", "coloring", "independent-set", unweighted, "--seed", 4, "--order", "random")
    coloring, members = call_json(*arguments, "--output", path)["results"]
    with np.load(path) as written:
        color, member = written["coloring_color"], written["independent-set_member"]
    graph = mg.read(unweighted, device="cpu")
    expected = mg.coloring(graph, "random", 4)
    np.testing.assert_array_equal(color, expected.color)
    assert coloring["summary"] == {"colors": expected.num_colors, "iterations": expected.iterations}
    expected = mg.maximal_independent_set(graph, 4)
    np.testing.assert_array_equal(member, expected.member)
    assert members["summary"] == {"members": expected.size, "iterations": expected.iterations}
    assert call("run", "independent-set", unweighted, "--output", tmp_path / "out.csv").exit_code == 0
    frame = pd.read_csv(tmp_path / "out.csv")
    assert frame["member"].tolist() == mg.maximal_independent_set(graph).member.tolist()


@pytest.mark.parametrize("options", [[], ["--samples", 4, "--seed", 2], ["--by-weight"]])
@pytest.mark.parametrize("name", ["betweenness", "closeness", "harmonic"])
def test_centrality(call_json, weighted, tmp_path, name, options):
    path = tmp_path / "out.npz"
    [result] = call_json("run", name, weighted, *options, "--output", path)["results"]
    samples = {"samples": 4, "seed": 2} if "--samples" in options else {}
    graph = mg.read(weighted, device="cpu")
    expected = getattr(mg, f"{name}_centrality")(graph, weighted="--by-weight" in options, **samples)
    with np.load(path) as written:
        np.testing.assert_array_equal(written["score"], expected.score)
    summary = result["summary"]
    assert (summary["sources"], summary["iterations"]) == (expected.num_sources, expected.iterations)
    vertices, scores = zip(*summary["top"], strict=True)
    assert len(vertices) == (4 if samples and name != "betweenness" else 5)
    assert list(scores) == sorted(expected.score[~np.isnan(expected.score)], reverse=True)[:5]


def test_estimates_run_nothing(call, call_json, weighted, monkeypatch):
    module = importlib.import_module("minigr.cli.run")  # whose name in the package is the command's
    monkeypatch.setattr(module, "_measure", lambda *_: pytest.fail("ran"))
    document = call_json("run", "sssp", "truss", weighted, "--source", 0, "--estimate")
    graph = mg.read(weighted, device=document["graph"]["device"])
    taken = mg.memory.estimate(mg.sssp, graph, 0)
    assert document["estimates"][0] == {"algorithm": "sssp", "host_bytes": taken.host, "device_bytes": taken.device}
    assert document["estimates"][1]["algorithm"] == "truss"
    assert f"{max(taken.host, taken.device):,}" in call("run", "sssp", weighted, "--source", 0, "--estimate").output


@pytest.mark.parametrize("option", [["--trace"], ["--repeat", 1], ["--output", "out.npz"]])
def test_estimates_go_without_what_runs(call, unweighted, option):
    refused = call("run", "bfs", unweighted, "--estimate", *option)
    assert refused.exit_code == 2
    assert "--estimate runs nothing" in refused.output


def test_arcs(call, call_json, unweighted):
    assert call_json("run", "bfs", unweighted, "--arcs", "host")["graph"]["arcs"] == "device"  # on the CPU, that is
    result = call("run", "bfs", unweighted, "--arcs", "host", "--dynamic")
    assert result.exit_code == 2
    assert "--arcs host does not go with --dynamic" in result.output


@pytest.mark.parametrize("more", [[], ["--dynamic"]])
def test_similarity(call_json, call, tailed, tmp_path, more):
    graph, output = mg.read(tailed, device="cpu"), tmp_path / "out.npz"
    [result] = call_json("run", "similarity", tailed, "--measure", "overlap", "--trace", "--output", output, *more)[
        "results"
    ]
    expected = mg.similarity(graph, measure="overlap")
    with np.load(output) as columns:
        for name in ("src", "dst", "score"):
            np.testing.assert_array_equal(columns[name], getattr(expected, name))
    assert result["summary"]["pairs"] == graph.num_edges
    assert result["trace"] is None
    [best] = call_json("run", "most-similar", tailed, "--k", 2, *more)["results"]
    expected = mg.most_similar(graph, 2)
    pairs = [f"{src}-{dst}" for src, dst in zip(expected.src, expected.dst, strict=True)]
    assert best["summary"] == {
        "pairs": 2,
        "top": [[pair, score] for pair, score in zip(pairs, expected.score, strict=True)],
    }
    assert f"{pairs[0]} (0.5)" in call("run", "most-similar", tailed, "--k", 2).output
    refused = call("run", "most-similar", tailed, "--k", 2, "--measure", "preferential_attachment")
    assert refused.exit_code == 1
    assert "most_similar: --measure preferential_attachment: use one of" in refused.stderr
    assert call("run", "bfs", tailed, "--measure", "cosine").exit_code == 2


def test_similarity_by_weight(call_json, weighted):
    [result] = call_json("run", "similarity", weighted, "--by-weight", "--undirected")["results"]
    expected = mg.similarity(mg.read(weighted, directed=False, device="cpu"), weighted=True)
    assert result["summary"]["pairs"] == len(expected.score)


def test_a_graph_in_parts(call, call_json, weighted, tmp_path):
    path = tmp_path / "found.npz"
    document = call_json("run", "bfs", "sssp", weighted, "--devices", "cpu,cpu,cpu", "--output", path)
    assert document["graph"]["parts"]["deal"] == "ranges"
    assert sum(document["graph"]["parts"]["arcs"]) == 10
    assert np.load(path)["bfs_depth"].tolist() == DEPTH
    assert np.load(path)["sssp_distance"].tolist() == DISTANCE
    shown = call("run", "bfs", weighted, "--devices", "cpu,cpu")
    assert "2 parts by ranges: cut" in shown.output
    [run] = call_json("run", "bfs", weighted, "--devices", "cpu,cpu", "--trace")["results"]
    assert sum(step["sent"] for step in run["trace"]) > 0
    for options, message in (
        (["bfs", weighted, "--devices", "cpu,cpu", "--estimate"], "--devices does not go with"),
        (["bfs", weighted, "--devices", "cpu,disk"], "unknown device 'disk'"),
        (["core-number", weighted, "--devices", "cpu,cpu"], "does not run over a PartitionedGraph"),
        (["bfs", "wordnet", "--weights", "--devices", "cpu,cpu"], "has no edge weights, which --weights requires"),
    ):
        result = call("run", *options)
        assert result.exit_code != 0
        assert message in result.output + str(result.exception)
