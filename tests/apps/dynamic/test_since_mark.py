"""Answers that follow edges which were inserted elsewhere, by the mark of the graph."""

import numpy as np
import pytest

import minigr as mg
from minigr.device import CPU
from minigr.errors import GraphError
from tests.verifiers import check_coloring

N = 60
ELSEWHERE = "the graph was changed elsewhere"


def check_triangles(answer):
    found = mg.triangle_count(answer.graph, per_vertex=True)
    assert answer.total == found.total
    np.testing.assert_array_equal(CPU.asarray(answer.per_vertex), CPU.asarray(found.per_vertex))


def check_colors(answer):
    if answer.graph.num_live_vertices == answer.graph.num_vertices:
        check_coloring(answer.graph.to_graph(), answer.color, answer.num_colors)


ANSWERS = {"TriangleCount": check_triangles, "Coloring": check_colors}


def begun(name, device, directed=False):
    """An answer for a random graph, and a source of batches for it."""
    rng = np.random.default_rng(3)
    graph = mg.DynamicGraph.from_edges(
        *rng.integers(0, N, (2, 6 * N)), num_vertices=N, directed=directed, device=device, allow_self_loops=True
    )
    answer = getattr(mg.dynamic, name)(graph, recompute="never")
    ANSWERS[name](answer)  # counts of vertices are followed from here on
    return graph, answer, lambda count: rng.integers(0, N, (2, count))


@pytest.mark.parametrize("directed", [False, True], ids=["undirected", "directed"])
@pytest.mark.parametrize("name", ANSWERS)
def test_what_came_since_the_mark_is_followed(device, name, directed):
    graph, answer, pairs = begun(name, device, directed)
    for batches in ((5,), (1, 30, 30, 30), ()):
        graph.mark()
        before = graph.num_edges
        for count in batches:
            graph.insert_edges(*pairs(count))
        graph.insert_edges([0], [0])  # there after the first time
        update = answer.last_update
        assert (update.kind, update.edges) == ("repair", graph.num_edges - before)
        ANSWERS[name](answer)
        answer.insert_edges(*pairs(9))
        ANSWERS[name](answer)


@pytest.mark.parametrize("name", ANSWERS)
def test_a_batch_of_its_own_comes_after_what_came_elsewhere(device, name):
    graph, answer, pairs = begun(name, device)
    for change in (answer.insert_edges, answer.delete_edges):
        graph.mark()
        graph.insert_edges(*pairs(20))
        change(*pairs(20))
        assert answer.last_update.kind == "repair"
        ANSWERS[name](answer)


def _delete(graph, pairs):
    graph.delete_edges(*pairs(N))


def _delete_and_insert(graph, pairs):
    src, dst, _ = graph.to_graph().to_edges()
    graph.delete_edges(src[:5], dst[:5])
    graph.insert_edges(src[:5], dst[:5])


def _replace_a_vertex(graph, pairs):
    graph.delete_vertices([4])
    graph.insert_vertices(1, [~0], [5])


def _grow(graph, pairs):
    graph.insert_vertices(3, [~0, ~1], [1, 2])


def _mark_late(graph, pairs):
    graph.insert_edges(*pairs(20))
    graph.mark()


def _mark_again(graph, pairs):
    graph.insert_edges(*pairs(20))
    graph.mark()
    graph.insert_edges(*pairs(20))


@pytest.mark.parametrize("change", [_delete, _delete_and_insert, _replace_a_vertex, _grow, _mark_late, _mark_again])
@pytest.mark.parametrize("name", ANSWERS)
def test_it_is_computed_again_where_the_mark_does_not_tell_all(device, name, change):
    graph, answer, pairs = begun(name, device)
    graph.mark()
    change(graph, pairs)
    graph.insert_edges(*pairs(3))
    assert answer.last_update.reason == ELSEWHERE
    ANSWERS[name](answer)
    graph.insert_edges(*pairs(3))
    assert answer.last_update.reason == ELSEWHERE  # that mark is of another version than the answer by now
    ANSWERS[name](answer)


def test_a_batch_that_was_refused_changes_nothing(device):
    graph, answer, pairs = begun("TriangleCount", device)
    graph.mark()
    graph.insert_edges(*pairs(10))
    with pytest.raises(GraphError, match="pass ids below"):
        graph.insert_edges([1], [N])
    with pytest.raises(GraphError, match="pass ids below"):
        answer.insert_edges([1], [N])
    assert answer.last_update.kind == "repair"
    check_triangles(answer)


def test_answers_that_are_computed_sooner_take_no_mark(device):
    graph = mg.DynamicGraph.from_graph(mg.generate.path(9, device=device))
    components = mg.dynamic.ConnectedComponents(graph)
    graph.mark()
    graph.insert_edges([0], [2])
    assert components.last_update.reason == ELSEWHERE
