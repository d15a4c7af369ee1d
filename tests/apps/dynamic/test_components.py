"""Connected components that follow a graph: after every batch the answer of the static app."""

import numpy as np
import pytest

import minigr as mg
from minigr.device import CPU
from tests.apps.dynamic.batches import KINDS, replay, start
from tests.verifiers import check_components


def is_components(answer):
    found = mg.connected_components(answer.graph)
    np.testing.assert_array_equal(CPU.asarray(answer.label), CPU.asarray(found.label))
    assert answer.num_components == found.num_components
    if answer.graph.num_live_vertices == answer.graph.num_vertices:
        check_components(answer.graph.to_graph(), answer.label, answer.num_components)


@pytest.mark.parametrize("directed", [False, True], ids=["undirected", "directed"])
@pytest.mark.parametrize("kind", KINDS[:-1])
def test_after_every_batch(device, kind, directed):
    graph = start(kind, np.random.default_rng(5), directed, None, device)
    answer = mg.dynamic.ConnectedComponents(graph, recompute="never")
    search = mg.bfs(graph, 0)  # a tree whose edges are bridges more often than others
    updates = replay(kind, answer, lambda: is_components(answer), 6, 24, lambda: search.parent)
    assert {update.kind for update in updates} == {"repair"}
    assert max(update.touched for update in updates) > 0


def test_only_components_that_lost_an_edge_are_touched(device):
    chains = np.arange(200).reshape(20, 10)
    graph = mg.DynamicGraph.from_edges(chains[:, :-1].ravel(), chains[:, 1:].ravel(), device=device)
    answer = mg.dynamic.ConnectedComponents(graph)
    assert answer.num_components == 20
    answer.delete_edges([14, 34, 3], [15, 35, 77])  # the last is no edge
    assert (answer.last_update.kind, answer.last_update.touched, answer.num_components) == ("repair", 20, 22)
    answer.insert_edges([0, 9], [1, 4])
    assert (answer.last_update.kind, answer.last_update.touched, answer.num_components) == ("repair", 0, 22)
    answer.insert_edges([190, 5], [35, 15])
    assert (answer.last_update.touched, answer.num_components) == (2, 20)
    is_components(answer)


def test_vertices_that_come_and_go(device):
    graph = mg.DynamicGraph.from_graph(mg.generate.path(30, device=device))
    answer = mg.dynamic.ConnectedComponents(graph)
    graph.delete_vertices([0, 10, 29])
    is_components(answer)
    assert answer.last_update.reason == "the graph was changed elsewhere"
    answer.delete_edges([20], [21])
    is_components(answer)
    graph.insert_vertices(4)
    answer.insert_edges([30, 0], [5, 30])
    is_components(answer)
    never = mg.dynamic.ConnectedComponents(graph, recompute="never")
    graph.delete_vertices([15])
    assert never.label[15] == -1
    never.delete_edges([12, 29], [13, 28])
    assert never.last_update.kind == "repair"
    is_components(never)
    never.insert_edges([13], [12])
    is_components(never)


def stand_above(answer):
    """All but roots stand on a neighbor: on a lower one, or on one as high with a lesser id."""
    names = ("height", "label", "ground")
    height, label, ground = (CPU.asarray(getattr(answer._heights._problem, name)) for name in names)
    above = np.flatnonzero(label != np.arange(len(label)))
    below = ground[above]
    assert CPU.asarray(answer.graph.has_edges(above, below)).all()
    assert ((height[below] < height[above]) | ((height[below] == height[above]) & (below < above))).all()


def test_heights_last_as_long_as_they_can(device):
    """Edges come and go in a graph that is hardly ever cut, so heights are mended and not made again."""
    rng, n = np.random.default_rng(8), 400
    graph = mg.DynamicGraph.from_edges(*rng.integers(0, n, (2, 1500)), num_vertices=n, directed=False, device=device)
    answer = mg.dynamic.ConnectedComponents(graph, recompute="never")
    for _ in range(40):
        src, dst = (CPU.asarray(ends) for ends in arcs_of(graph))
        some = rng.integers(0, len(src), 12)
        answer.delete_edges(src[some], dst[some])
        is_components(answer)
        stand_above(answer)
        answer.insert_edges(*rng.integers(0, n, (2, 12)))
        is_components(answer)
    assert answer._heights.searches < 10


def arcs_of(graph):
    rows = graph.to_graph()
    offsets = CPU.asarray(rows.offsets)
    return np.repeat(np.arange(graph.num_vertices), np.diff(offsets)), rows.indices


def test_what_a_deletion_touches(device):
    """A clique with a tail of two vertices, and vertices that hang on it by one edge."""
    src, dst = np.triu_indices(20, 1)
    src, dst = np.append(src, [19, 20, 5, 6]), np.append(dst, [20, 21, 22, 23])
    graph = mg.DynamicGraph.from_edges(src, dst, num_vertices=30, directed=False, device=device)
    answer = mg.dynamic.ConnectedComponents(graph, recompute="never")
    answer.delete_edges([0], [1])  # the search that finds heights
    assert (answer.last_update.touched, answer.num_components) == (0, 7)
    answer.delete_edges([3, 17], [8, 11])
    assert (answer.last_update.touched, answer.num_components) == (0, 7)
    answer.delete_edges([5], [22])
    assert (answer.last_update.touched, answer.num_components) == (1, 8)
    is_components(answer)
    answer.delete_edges([19], [20])  # what is cut off climbs in vain
    assert (answer.last_update.touched, answer.num_components) == (3, 9)
    is_components(answer)
    stand_above(answer)
    answer.insert_edges([25, 26, 21], [26, 27, 26])
    assert (answer.last_update.touched, answer.num_components) == (3, 6)
    is_components(answer)
    answer.delete_edges([7], [9])  # on which nobody stands; those that are no roots any more look for ground
    assert (answer.last_update.touched, answer.num_components) == (3, 6)
    is_components(answer)
    stand_above(answer)
    assert answer._heights.searches == 1


def test_new_vertices_far_up(device):
    """Two that come to hang at the end of a path climb all its height, by turns."""
    src, dst = np.append(np.arange(20), [30, 31, 30]), np.append(np.arange(1, 21), [31, 32, 32])
    graph = mg.DynamicGraph.from_edges(src, dst, num_vertices=33, directed=False, device=device)
    answer = mg.dynamic.ConnectedComponents(graph, recompute="never")
    answer.delete_edges([0], [2])  # which is not there: the search that finds heights
    answer.insert_edges([20, 21], [21, 22])
    answer.delete_edges([30], [31])
    assert answer._heights.searches == 1
    is_components(answer)
    stand_above(answer)


def test_many_insertions_before_a_deletion(device):
    """Roots that insertions hung below others wait for ground, until they are more than there are vertices."""
    rng, n = np.random.default_rng(9), 200
    graph = mg.DynamicGraph.from_edges(*rng.integers(0, n, (2, 90)), num_vertices=n, directed=False, device=device)
    answer = mg.dynamic.ConnectedComponents(graph, recompute="never")
    answer.delete_edges([0], [1])
    waiting = []
    for _ in range(12):
        answer.insert_edges(*rng.integers(0, n, (2, 25)))
        waiting.append(sum(map(len, answer._hung)))
        is_components(answer)
    assert 100 < max(waiting) <= n
    src, dst = (CPU.asarray(ends) for ends in arcs_of(graph))
    answer.delete_edges(src[::9], dst[::9])
    assert not answer._hung
    is_components(answer)
    stand_above(answer)


def test_heights_are_found_again_where_they_were(device):
    """After an answer was computed again, and in a graph that got more vertices in other memory."""
    graph = mg.DynamicGraph.from_graph(mg.generate.rmat(6, 4, seed=2, device=device))
    answer = mg.dynamic.ConnectedComponents(graph, recompute="never")
    src, dst = (CPU.asarray(ends) for ends in arcs_of(graph))
    answer.delete_edges(src[:5], dst[:5])
    first = answer._heights
    for batch in range(1, 4):
        graph.insert_edges(*np.random.default_rng(batch).integers(0, 64, (2, 9)))  # elsewhere
        answer.delete_edges(src[5 * batch :][:5], dst[5 * batch :][:5])
        assert answer.last_update.reason == "the graph was changed elsewhere"
        answer.delete_edges(src[-5 * batch :][:5], dst[-5 * batch :][:5])
        assert (answer.last_update.kind, answer._heights, first.searches) == ("repair", first, 1 + batch)
        is_components(answer)
        stand_above(answer)
    graph.insert_vertices(10)
    answer.delete_edges(src[40:42], dst[40:42])
    answer.delete_edges(src[42:44], dst[42:44])
    assert (answer.last_update.kind, answer._heights.num_vertices) == ("repair", 74)
    is_components(answer)
    stand_above(answer)


def test_a_deep_graph_has_no_heights(device):
    graph = mg.DynamicGraph.from_graph(mg.generate.path(500, device=device))
    answer = mg.dynamic.ConnectedComponents(graph, recompute="never")
    for cut in (250, 100, 400):
        answer.delete_edges([cut], [cut + 1])
        assert answer._heights is None
        is_components(answer)
