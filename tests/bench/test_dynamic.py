"""Rows of a dynamic graph, the random graphs they are of, and the peer beside them."""

from itertools import pairwise

import numpy as np
import pytest

import minigr as mg
from minigr.bench import dynamic
from minigr.bench.dynamic_calls import Plan, Subject
from minigr.bench.dynamic_peers import PEERS, choose
from minigr.bench.recipes import KINDS, Recipe
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
        ("insert", 1), ("delete", 1), ("insert", 8), ("delete", 8)
    ]  # fmt: skip
    for row in rows:
        assert row["mvertices_per_s"] == pytest.approx(row["vertices"] / row["median"] / 1e3)
    pairs = drawn(asked.recipe)
    # The last of the three rounds has numbers 11 and 12: each round restores the graph four times.
    gone = np.unique(asked.recipe.vertices(CPU, 8, 12))
    left = np.isin(pairs, gone).sum(axis=1) == 0
    left &= pairs[:, 0] != pairs[:, 1]
    remaining = pairs[left] if asked.recipe.directed else np.sort(pairs[left])
    assert rows[3]["vertices"] == len(gone)
    assert rows[3]["edges"] == distinct(asked.recipe) - len(np.unique(remaining, axis=0))


def test_load_factors(device):
    asked = Plan(Recipe("uniform", 12, 16), resolve(device), BATCHES, 2)
    rows = dynamic.measure_dynamic(["load"], asked)
    timed, memory = ([row for row in rows if row["unit"] == unit] for unit in ("ms", "bytes"))
    measures = ("rehash", "to_graph", "insert", "query", "delete")
    found = [(row["key"]["load_factor"], row["key"]["measure"]) for row in timed]
    assert found == [(factor, measure) for factor in dynamic.LOAD_FACTORS for measure in measures]
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
