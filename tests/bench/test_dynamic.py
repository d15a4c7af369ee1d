"""Rows of a dynamic graph, the random graphs they are of, and the peer beside them."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import minigr as mg
from minigr.bench import dynamic, dynamic_triangles
from minigr.bench.dynamic_calls import Plan, Subject
from minigr.bench.dynamic_lookups import Batches
from minigr.bench.dynamic_peers import PEERS, choose
from minigr.bench.recipes import KINDS, GivenGraph, Recipe
from minigr.device import CPU, resolve
from minigr.errors import GraphError, MeasurementError

BATCHES = [16, 300]


def plan(device, kind="rmat", directed=True, peers=None, **options):
    recipe = Recipe(kind, 7, 8, directed=directed, **options)
    return Plan(recipe, resolve(device), BATCHES, 2, {} if peers is None else peers)


def drawn(recipe, count=None, number=0):
    """Pairs of ends on the host."""
    return np.stack([CPU.asarray(ends) for ends in recipe.edges(CPU, count, number)], axis=1)


def distinct(recipe):
    """How many edges the graph must have: no repeats, no self-loops."""
    pairs = drawn(recipe)
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    return len(np.unique(pairs if recipe.directed else np.sort(pairs), axis=0))


def check_rates(rows):
    for row in rows:
        assert len(row["samples"]) == 2
        assert row["medges_per_s"] == pytest.approx(row["edges"] / row["median"] / 1e3)


@pytest.mark.parametrize("kind", KINDS)
def test_a_graph_is_that_of_the_generator(kind, device):
    recipe = Recipe(kind, 7, 8)
    options = {"directed": True, "seed": 0, "device": device}
    made = mg.generate.rmat(7, 8, **options) if kind == "rmat" else mg.generate.uniform(128, 1024, **options)
    where = resolve(device)
    for graph in (recipe.built(where, recipe.edges(where)), recipe.empty(where)):
        assert graph.device == str(where)
        graph.insert_edges(*recipe.edges(where))  # does nothing to the one that has them
        found = graph.to_graph()
        assert (CPU.asarray(found.offsets) == CPU.asarray(made.offsets)).all()
        assert (CPU.asarray(found.indices) == CPU.asarray(made.indices)).all()


@pytest.mark.parametrize("kind", KINDS)
def test_batches_differ_and_are_the_same_on_every_device(kind, device):
    recipe = Recipe(kind, 7, 8)
    first, second = (drawn(recipe, 500, number) for number in (1, 2))
    assert (first != second).any()
    there = recipe.edges(resolve(device), 500, 2)
    assert (second == np.stack([CPU.asarray(ends) for ends in there], axis=1)).all()


def test_hubs_are_the_same_in_every_batch_of_rmat():
    recipe = Recipe("rmat", 8, 64)
    degrees = [np.bincount(drawn(recipe, number=number)[:, 0], minlength=256) for number in (0, 1)]
    assert np.corrcoef(*degrees)[0, 1] > 0.95


def test_the_denser_graph_has_as_many_edges_drawn():
    recipe = Recipe("uniform", 10, 8, directed=False)
    assert recipe.denser() == Recipe("uniform", 6, 128, directed=False)
    assert Recipe("uniform", 2, 8).denser() == Recipe("uniform", 0, 32)


def test_weights_are_of_the_dtype_asked_for(device):
    recipe, where = Recipe("uniform", 5, 4), resolve(device)
    graph = recipe.built(where, recipe.edges(where), recipe.weights(where, "int64"))
    assert (graph.weight_dtype, graph.num_edges) == (np.dtype(np.int64), distinct(recipe))


@pytest.mark.parametrize("directed", [True, False])
def test_updates(device, directed):
    asked = plan(device, directed=directed)
    rows = dynamic.measure_dynamic(["updates"], asked)
    found = [(row["key"]["batch"], row["key"]["measure"], row["key"]["by"]) for row in rows]
    assert found == [(size, what, "minigr") for size in BATCHES for what in ("insert", "query", "delete")]
    assert {row["key"]["graph"] for row in rows} == {"rmat-7-8" if directed else "rmat-7-8-undirected"}
    check_rates(rows)
    assert all(row["edges"] == row["key"]["batch"] for row in rows)


@pytest.mark.parametrize("directed", [True, False])
def test_updates_beside_networkx(directed):
    pytest.importorskip("networkx")
    rows = dynamic.measure_dynamic(["updates"], plan("cpu", directed=directed, peers=PEERS))
    own = {(row["key"]["batch"], row["key"]["measure"]): row for row in rows if row["key"]["by"] == "minigr"}
    theirs = [row for row in rows if row["key"]["by"] == "networkx"]
    assert [(row["key"]["batch"], row["key"]["measure"]) for row in theirs] == list(own)
    for row in theirs:
        beside = own[row["key"]["batch"], row["key"]["measure"]]
        assert row["ratio"] == pytest.approx(row["median"] / beside["median"])
        assert row["what"]
    check_rates(rows)


def test_each_sample_begins_with_the_same_graph(device, monkeypatch):
    asked = plan(device)
    begun = []
    insert = Subject.insert

    def noting(subject):
        begun.append((subject.graph.num_edges, CPU.asarray(subject.batch[0]).tobytes()))
        return insert(subject)

    monkeypatch.setattr(Subject, "insert", noting)
    dynamic.measure_dynamic(["updates"], asked)
    original, rehearsed = (np.stack(asked.recipe.edges(CPU, *batch)) for batch in ((), (1, 1 << 40)))
    graph = asked.recipe.built(CPU, tuple(np.concatenate([original, rehearsed], axis=1)))
    assert {edges for edges, _ in begun} == {graph.num_edges}
    assert len({batch for _, batch in begun}) == len(begun) == 3 * len(BATCHES)


def test_builds_and_their_memory(device):
    asked = plan(device)
    rows = dynamic.measure_dynamic(["builds"], asked)
    timed, memory = ([row for row in rows if row["unit"] == unit] for unit in ("ms", "bytes"))
    dtypes = ["int32", "int64", "float32", "float64", "none"]
    assert [row["key"].get("weights", row["key"]["measure"]) for row in timed] == [*dtypes, "rehash", "incremental"]
    check_rates(timed)
    assert [row["edges"] for row in timed] == [1024] * 5 + [distinct(asked.recipe), 1024]
    assert [row["key"]["build"] for row in memory] == [*(f"bulk, {dtype}" for dtype in dtypes), "incremental"]
    edges = asked.recipe.edges(asked.device)
    for dtype, row in zip(dtypes, memory, strict=False):
        weights = None if dtype == "none" else asked.recipe.weights(asked.device, dtype)
        report = asked.recipe.built(asked.device, edges, weights).memory()
        assert set(row["samples"]) == {report.total}
        assert row["bytes_per_edge"] == report.total / distinct(asked.recipe)
        assert row["mean_chain"] == report.mean_chain


def test_an_incremental_build_takes_batches_and_makes_the_graph(device, monkeypatch):
    asked = plan(device)
    sizes, made = [], []
    insert = mg.DynamicGraph.insert_edges
    monkeypatch.setattr(dynamic, "STEP", 400)
    monkeypatch.setattr(
        mg.DynamicGraph,
        "insert_edges",
        lambda graph, src, dst: (sizes.append(len(src)), made.append(graph), insert(graph, src, dst))[-1],
    )
    dynamic.measure_dynamic(["builds"], asked)
    assert sizes == [400, 400, 224] * 3
    assert {graph.num_edges for graph in made} == {distinct(asked.recipe)}


@pytest.mark.parametrize("options", [{}, {"in_edges": True}, {"directed": False}])
def test_vertices_go_with_their_edges(device, options):
    asked = plan(device, "uniform", **options)
    rows = dynamic.measure_dynamic(["vertices"], asked)
    assert [(row["key"]["measure"], row["key"]["batch"]) for row in rows] == [
        (measure, size) for size in (1, 8) for measure in ("insert", "insert with edges", "delete")
    ]
    for row in rows:
        assert row["mvertices_per_s"] == pytest.approx(row["vertices"] / row["median"] / 1e3)
    pairs = drawn(asked.recipe)
    # The last of the three rounds has numbers 13 to 18: each round restores the graph six times.
    gone = np.unique(asked.recipe.vertices(CPU, 8, 18))
    left = np.isin(pairs, gone).sum(axis=1) == 0
    left &= pairs[:, 0] != pairs[:, 1]
    remaining = pairs[left] if asked.recipe.directed else np.sort(pairs[left])
    assert rows[5]["vertices"] == len(gone)
    assert rows[5]["edges"] == distinct(asked.recipe) - len(np.unique(remaining, axis=0))
    assert [row["edges"] for row in rows[:5]] == [0, 16, rows[2]["edges"], 0, 128]


def test_new_vertices_come_with_their_edges(device):
    asked = plan(device, "uniform")
    subject = Subject(asked.recipe, asked.device)
    original = subject.original()
    subject.restore_for_new(original, 48, 3)
    subject.insert_connected(3)
    assert subject.graph.num_vertices == original.num_vertices + 3
    added = subject.graph.num_edges - original.num_edges
    degrees = CPU.asarray(subject.graph.out_degree())[-3:]
    assert added == degrees.sum()
    assert (degrees > 8).all()


def test_load_factors(device):
    asked = Plan(Recipe("uniform", 12, 16), resolve(device), BATCHES, 2)
    rows = dynamic.measure_dynamic(["load"], asked)
    timed, memory = ([row for row in rows if row["unit"] == unit] for unit in ("ms", "bytes"))
    measures = ("rehash", "to_graph", "insert", "query", "delete")
    found = [(row["key"]["load_factor"], row["key"]["measure"]) for row in timed]
    factors = [*dynamic.LOAD_FACTORS[:-1], dynamic.NOT_HASHED]
    assert found == [(factor, measure) for factor in factors for measure in measures]
    check_rates(timed)
    assert {row["key"]["graph"] for row in rows} == {"uniform-8-256"}
    half = next(row for row in memory if row["key"]["load_factor"] == 0.5)
    recipe = asked.recipe.denser()
    graph = recipe.built(asked.device, recipe.edges(asked.device))
    graph.rehash(0.5)
    assert set(half["samples"]) == {graph.memory().total}
    assert half["utilization"] == graph.memory().utilization
    fill = [row["load"] for row in memory]
    assert fill == sorted(fill)
    assert memory[-1]["mean_chain"] > memory[0]["mean_chain"] == 1


@pytest.mark.parametrize("directed", [True, False])
def test_edges_that_are_there_and_edges_that_are_not(device, directed):
    asked = replace(plan(device, directed=directed), values=["none", "int32"])
    rows = dynamic.measure_dynamic(["lookups"], asked)
    ways = [(edges, what) for edges in ("present", "absent") for what in ("query", "delete")]
    found = [tuple(map(row["key"].get, ("weights", "batch", "edges", "measure"))) for row in rows]
    assert found == [(weights, size, *way) for weights in (None, "int32") for size in BATCHES for way in ways]
    check_rates(rows)


def test_batches_of_edges_have_no_repeats_and_those_of_others_no_edges(device):
    recipe, where = Recipe("rmat", 7, 8, directed=False), resolve(device)
    subject = Subject(recipe, where)
    original = subject.original()
    batches = Batches(subject, original)
    assert CPU.asarray(original.has_edges(*batches.absent(400))).sum() == 0
    for _ in range(2):
        src, dst = (CPU.asarray(ends) for ends in batches.present(original.num_edges))
        assert len(set(zip(src.tolist(), dst.tolist(), strict=True))) == original.num_edges
        assert CPU.asarray(original.has_edges(src, dst)).all()


@pytest.mark.parametrize(
    ("name", "lie", "message"),
    [
        ("has_edges", lambda found: ~found, "has_edges is wrong about edges that are present"),
        ("delete_edges", lambda found: found, "delete_edges deleted too many edges or too few"),
    ],
)
def test_a_wrong_lookup_stops_the_bench(device, monkeypatch, name, lie, message):
    asked = plan(device)
    honest = getattr(mg.DynamicGraph, name)

    def lying(graph, src, dst):
        if len(src) not in BATCHES:  # those of rehearsals and of what looks for pairs
            return honest(graph, src, dst)
        return lie(honest(graph, src, dst) if name == "has_edges" else 0)

    monkeypatch.setattr(mg.DynamicGraph, name, lying)
    with pytest.raises(MeasurementError, match=message):
        dynamic.measure_dynamic(["lookups"], asked)


def test_lookups_say_which_batches_do_not_fit(device):
    with pytest.raises(MeasurementError, match="fewer than a batch: measure smaller ones"):
        dynamic.measure_dynamic(["lookups"], replace(plan(device), batches=[1 << 20]))
    full = mg.generate.complete(8, device=device)
    with pytest.raises(MeasurementError, match="pairs that are no edges were not found"):
        dynamic.measure_dynamic(["lookups"], replace(plan(device), recipe=GivenGraph("full", full)))


@pytest.mark.parametrize("directed", [True, False])
def test_triangles(device, directed):
    networkx = pytest.importorskip("networkx")
    asked = plan(device, directed=directed)
    rows = dynamic.measure_dynamic(["triangles"], asked)
    graph = networkx.Graph(list(map(tuple, drawn(asked.recipe).tolist())))
    graph.remove_edges_from(list(networkx.selfloop_edges(graph)))
    assert {row["triangles"] for row in rows} == {sum(networkx.triangles(graph).values()) // 3}
    assert {row["key"]["graph"] for row in rows} == {"rmat-7-8-undirected"}
    assert len(rows) == 6


def test_ways_that_find_other_triangles_stop_the_bench(device, monkeypatch):
    monkeypatch.setattr(dynamic_triangles, "sorted_rows", lambda graph: 1)
    with pytest.raises(MeasurementError, match="the ways found"):
        dynamic.measure_dynamic(["triangles"], plan(device))


@pytest.mark.parametrize("directed", [True, False])
def test_a_graph_that_was_read(device, directed):
    where = resolve(device)
    graph = mg.generate.rmat(7, 8, directed=directed, weights=(1, 9), device=device)
    source = GivenGraph("read", graph)
    built = source.built(where, source.edges(where))
    assert (source.name, built.num_edges, built.num_arcs) == ("read", graph.num_edges, graph.num_arcs)
    assert not built.weighted
    found = built.to_graph()
    assert (CPU.asarray(found.indices) == CPU.asarray(graph.indices)).all()
    both = source.undirected()
    assert both.name == ("read-undirected" if directed else "read")
    assert not both.directed
    assert len(both.edges(where, 5, number=1)[0]) == 5
    if directed:
        inward = GivenGraph("read", graph, in_edges=True)
        assert (inward.name, inward.empty(where).keeps_in_edges) == ("read-in-edges", True)


@pytest.mark.parametrize("directed", [True, False])
def test_ways_through_all_edges(device, directed):
    asked = plan(device, directed=directed)
    rows = dynamic.measure_dynamic(["iteration"], asked)
    assert [row["key"]["measure"] for row in rows] == list(dynamic.WAYS)
    check_rates(rows)
    assert {row["edges"] for row in rows} == {distinct(asked.recipe)}
    graph = asked.recipe.empty(asked.device)
    graph.mark()
    graph.insert_edges(*asked.recipe.edges(asked.device))
    passed = {name: way(graph) for name, way in dynamic.WAYS.items()}
    rows = passed["to_graph"]
    assert rows.num_arcs == len(passed["added_since_mark"][0]) == graph.num_arcs
    offsets, neighbors = (CPU.asarray(array) for array in (rows.offsets, rows.indices))
    sums = [neighbors[begin:end].sum() for begin, end in pairwise(offsets)]
    assert CPU.asarray(passed["neighbor_reduce"]).tolist() == CPU.asarray(passed["advance"]).tolist() == sums


@pytest.mark.parametrize(
    ("lie", "message"),
    [
        (lambda found, src, dst: ~found, "wrong about edges that were inserted"),
        (lambda found, src, dst: src != dst, "finds edges that were deleted"),
    ],
)
def test_a_wrong_answer_stops_the_bench(device, monkeypatch, lie, message):
    asked = plan(device)
    honest = mg.DynamicGraph.has_edges
    monkeypatch.setattr(mg.DynamicGraph, "has_edges", lambda graph, *pairs: lie(honest(graph, *pairs), *pairs))
    with pytest.raises(MeasurementError, match=message):
        dynamic.measure_dynamic(["updates"], asked)


def test_a_peer_that_loses_edges_stops_the_bench(monkeypatch):
    pytest.importorskip("networkx")
    monkeypatch.setattr(PEERS["networkx"], "insert", lambda peer: None)
    with pytest.raises(MeasurementError, match="the peer does not find"):
        dynamic.measure_dynamic(["updates"], plan("cpu", peers=PEERS))


def test_a_graph_that_does_not_fit_is_named(device, monkeypatch):
    def too_large(asked):
        raise mg.errors.OutOfMemoryError

    monkeypatch.setitem(dynamic.PARTS, "builds", too_large)
    with pytest.raises(MeasurementError, match="builds of rmat-7-8: does not fit the memory"):
        dynamic.measure_dynamic(["builds"], plan(device))


def test_peers_are_left_out_where_they_would_take_too_long():
    pytest.importorskip("networkx")
    small = Recipe("uniform", 10, 4)
    assert choose(None, small, [16, 1 << 20], CPU) == (PEERS, {})
    assert choose(None, small, [1 << 20], CPU)[1] == {"networkx": "left out of batches above 65,536 edges"}
    assert choose(None, Recipe("uniform", 21, 1), [16], CPU)[1] == {"networkx": "left out above 1,048,576 vertices"}


@pytest.mark.gpu
def test_peers_are_for_the_cpu():
    recipe, gpu = Recipe("uniform", 10, 4), resolve("cuda")
    assert choose(None, recipe, [16], gpu) == ({}, {})
    with pytest.raises(GraphError, match="leave it out of --peers"):
        choose(["networkx"], recipe, [16], gpu)
