"""Core numbers and colorings that follow a graph: after every batch the answer of the static app."""

import numpy as np
import pytest

import minigr as mg
from minigr.apps.dynamic.common import decision
from minigr.device import CPU
from minigr.errors import ProblemError
from tests.apps.dynamic.batches import KINDS, replay, start
from tests.verifiers import check_coloring, check_core_number


def is_core(answer):
    found = mg.core_number(answer.graph)
    np.testing.assert_array_equal(CPU.asarray(answer.core), CPU.asarray(found.core))
    assert answer.degeneracy == found.degeneracy
    check_core_number(answer.graph.to_graph(), answer.core, answer.degeneracy)


def is_coloring(answer):
    graph, color = answer.graph, CPU.asarray(answer.color)
    rows = graph.to_graph()
    src = np.repeat(np.arange(graph.num_vertices), np.diff(CPU.asarray(rows.offsets)))
    dst = CPU.asarray(rows.indices)
    assert ((color[src] != color[dst]) | (src == dst)).all()
    live = np.isin(np.arange(graph.num_vertices), CPU.asarray(graph.live_vertices()))
    assert ((color >= 0) == live).all()
    assert answer.num_colors == color.max() + 1


ANSWERS = {"CoreNumber": is_core, "Coloring": is_coloring}


@pytest.mark.parametrize("directed", [False, True], ids=["undirected", "directed"])
@pytest.mark.parametrize("kind", KINDS[:-1])
@pytest.mark.parametrize("name", ANSWERS)
def test_after_every_batch(device, name, kind, directed):
    graph = start(kind, np.random.default_rng(21), directed, None, device)
    answer = getattr(mg.dynamic, name)(graph, recompute="never")
    search = mg.bfs(graph, 0)
    updates = replay(kind, answer, lambda: ANSWERS[name](answer), 22, 24, lambda: search.parent)
    assert {update.kind for update in updates} == {"repair"}
    some = max(update.touched for update in updates) > 0
    only_deletes = name == "Coloring" and kind in ("tree", "parts")
    assert some or only_deletes or kind == "path"  # which is cut and mended: all cores are 1, and the colors stay right


@pytest.mark.parametrize("name", ANSWERS)
def test_dense_graphs(device, name):
    """Numbers that rise and fall by many in one batch, and colors beyond what is looked for at a time."""
    n = 150
    graph = mg.DynamicGraph.from_edges(
        *np.random.default_rng(3).integers(0, n, (2, 900)), num_vertices=n, directed=False, device=device
    )
    answer, check = getattr(mg.dynamic, name)(graph, recompute="never"), ANSWERS[name]
    dense = np.triu_indices(90, 1)
    for change in (answer.insert_edges, answer.delete_edges):
        change(*dense)
        check(answer)
        assert answer.last_update.kind == "repair"
    answer.insert_edges(*(np.array(ends) + 60 for ends in dense))
    check(answer)
    rng = np.random.default_rng(4)
    for size in (1, 7, 100, 1500):
        ends = rng.integers(60, n, (2, size))
        answer.delete_edges(*ends)
        check(answer)
        answer.insert_edges(*ends[:, ::2])
        check(answer)


@pytest.mark.parametrize("name", ANSWERS)
@pytest.mark.parametrize("directed", [False, True], ids=["undirected", "directed"])
def test_when_it_is_computed_anew(device, name, directed):
    graph = mg.DynamicGraph.from_graph(mg.generate.cycle(200, directed=directed, device=device))
    answer, check = getattr(mg.dynamic, name)(graph), ANSWERS[name]
    answer.insert_edges([0], [50])
    assert answer.last_update.kind == "repair" or answer.last_update.reason == "the graph is small"
    check(answer)
    answer.insert_edges(np.zeros(60, int), np.arange(60, 120))
    assert (answer.last_update.kind, answer.last_update.reason) == ("recomputation", "the batch is large")
    check(answer)
    graph.delete_vertices([3, 10])
    graph.insert_vertices(4)
    graph.delete_vertices([11])
    check(answer)
    assert answer.last_update.reason == "the graph was changed elsewhere"
    answer.insert_edges([201, 5], [5, 9])
    check(answer)


def test_a_batch_that_touches_many(device, monkeypatch):
    monkeypatch.setattr(decision, "_ARCS_PER_START", {"cpu": 1, "cuda": 1})  # a path is not small then
    path = mg.DynamicGraph.from_graph(mg.generate.path(200, device=device))
    cores = mg.dynamic.CoreNumber(path)
    cores.insert_edges([0], [199])
    assert (cores.last_update.kind, cores.last_update.reason) == ("recomputation", "the batch reaches far")
    is_core(cores)
    left, right = np.divmod(np.arange(2500), 50)
    two_sides = mg.DynamicGraph.from_edges(left, right + 50, directed=False, device=device)
    colors = mg.dynamic.Coloring(two_sides)
    colors.insert_edges(2 * np.arange(25), 2 * np.arange(25) + 1)
    assert (colors.last_update.kind, colors.last_update.reason) == ("recomputation", "the batch reaches far")
    is_coloring(colors)


def test_a_coloring_that_takes_too_many_colors(device):
    """A clique that comes vertex by vertex: each time its graph is colored again it takes no more than it must."""
    graph, kinds = mg.DynamicGraph.from_graph(mg.generate.path(3000, device=device)), []
    answer = mg.dynamic.Coloring(graph, np.arange(3000))
    assert answer.num_colors == 2
    for other in range(1, 8):
        answer.insert_edges(np.full(other, 20 * other), 20 * np.arange(other))
        is_coloring(answer)
        kinds.append(answer.last_update.kind)
        if kinds[-1] == "recomputation":
            assert answer.num_colors == mg.coloring(graph, np.arange(3000)).num_colors
    assert set(kinds) == {"repair", "recomputation"}
    assert "repair" in kinds[kinds.index("recomputation") :]  # many colors are no reason to give up repairs


def test_orders(device):
    graph = mg.DynamicGraph.from_graph(mg.generate.rmat(6, 4, seed=1, device=device))
    with pytest.raises(ProblemError, match="coloring: order='smallest' is 'largest_first', 'random' or"):
        mg.dynamic.Coloring(graph, "smallest")
    for order in ("random", "largest_first"):
        answer = mg.dynamic.Coloring(graph, order, seed=5)
        static = mg.coloring(graph, order, seed=5)
        np.testing.assert_array_equal(CPU.asarray(answer.color), CPU.asarray(static.color))
        check_coloring(graph.to_graph(), answer.color, answer.num_colors)
